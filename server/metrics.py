"""What an operator watches: latencies by stage, model time, retries, rejections, faults, queues.

Served at `/metrics` in Prometheus' text format. Labels have few values each, and none that a
caller chooses: a hostile caller cannot fill the memory with label values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from device.errors import DeviceError
from parsers.action import RejectionCode
from parsers.base import Message
from server.error_body import describe_error
from server.errors import ModelError
from server.model.client import AsksModel, Witness
from server.model.providers import ModelTarget
from server.model.reply import ModelReply

Stage = Literal["session", "image", "encode", "prompt", "model", "policy", "log"]
QUICK_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
SLOW_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160)
_REJECTIONS = frozenset(get_args(RejectionCode))


class Metrics:
    """The measurements of one server, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._stages = self._histogram(
            "localserver_step_stage_seconds", "Time in one stage of a step.", QUICK_S, "stage"
        )
        self._steps = self._counter("localserver_steps", "Steps by how they ended.", "outcome")
        self._running = Gauge(
            "localserver_steps_running", "Steps in work or in line.", registry=self._registry
        )
        self._model = self._histogram(
            "localserver_model_seconds", "Waits for a model, retries included.", SLOW_S, "provider"
        )
        self._attempts = self._counter(
            "localserver_model_attempts", "Requests to a model.", "provider", "outcome"
        )
        self._rejections = self._counter(
            "localserver_rejections", "Replies that could not be read.", "code"
        )
        self._device_errors = self._counter(
            "localserver_device_errors", "Actions that failed on a phone.", "code"
        )
        self._refused = self._counter(
            "localserver_http_refused", "Requests that the guard let not in.", "code"
        )

    # --- steps ------------------------------------------------------------------------------------

    @contextmanager
    def measure_step(self) -> Iterator[StageClock]:
        """Count a step, by how it ends, and give the clock of its stages."""
        outcome = "ok"
        self._running.inc()
        try:
            yield StageClock(self._stages)
        except BaseException as error:
            outcome = describe_error(error)["code"] if isinstance(error, Exception) else "cancelled"
            raise
        finally:
            self._running.dec()
            self._steps.labels(outcome).inc()

    def count_event(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take what concerns us from an event of a session."""
        code = data.get("code")
        if kind == "rejection":
            self._rejections.labels(code if code in _REJECTIONS else "other").inc()
        elif kind == "device_outcome" and isinstance(code, str) and code.startswith("device."):
            # The event may come from a loop outside: only codes that there are become labels.
            self._device_errors.labels(code if code in device_codes() else "other").inc()

    def count_refusal(self, code: str) -> None:
        """A request that the guard refused."""
        self._refused.labels(code).inc()

    def watch(self, name: str, help: str, read: Callable[[], float]) -> None:
        """Show a number that is read when the metrics are."""
        Gauge(name, help, registry=self._registry).set_function(read)

    # --- the model --------------------------------------------------------------------------------

    def count_model_call(
        self, provider: str, duration_s: float, attempts: Sequence[Mapping[str, Any]]
    ) -> None:
        """One question to a model, with all its attempts."""
        self._model.labels(provider).observe(duration_s)
        for attempt in attempts:
            self._attempts.labels(provider, str(attempt["outcome"])).inc()

    # --- reading ----------------------------------------------------------------------------------

    def render(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self._registry)

    def _counter(self, name: str, help: str, *labels: str) -> Counter:
        return Counter(name, help, labels, registry=self._registry)

    def _histogram(self, name: str, help: str, buckets: tuple[float, ...], label: str) -> Histogram:
        return Histogram(name, help, (label,), buckets=buckets, registry=self._registry)


class StageClock:
    """Tells how long each stage of one step took."""

    def __init__(self, stages: Histogram) -> None:
        self._stages = stages
        self._since = time.perf_counter()

    def passed(self, stage: Stage) -> None:
        """The stage ends now; the next one begins."""
        now = time.perf_counter()
        self._stages.labels(stage).observe(now - self._since)
        self._since = now


class MeasuredModel:
    """A model client whose calls are counted."""

    def __init__(self, model: AsksModel, metrics: Metrics) -> None:
        self._model = model
        self._metrics = metrics

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: Witness | None = None
    ) -> ModelReply:
        started = time.perf_counter()
        attempts: Sequence[Mapping[str, Any]] = ()
        try:
            reply = await self._model.ask(target, messages, before_send)
            attempts = [attempt.to_wire() for attempt in reply.attempts]
            return reply
        except ModelError as error:
            attempts = error.attempts
            raise
        finally:
            duration_s = time.perf_counter() - started
            self._metrics.count_model_call(target.provider, duration_s, attempts)

    async def close(self) -> None:
        await self._model.close()


def device_codes() -> frozenset[str]:
    """The codes of all device errors."""

    def codes(kind: type[DeviceError]) -> Iterator[str]:
        yield kind.code
        for child in kind.__subclasses__():
            yield from codes(child)

    return frozenset(codes(DeviceError))

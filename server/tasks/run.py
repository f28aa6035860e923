"""One task in the runner's hands: its request, how it is steered, what it has come to."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from server.control import TaskControl
from server.loop.options import LoopOptions, StepServer
from server.loop.words import words_for
from server.tasks.feed import TaskFeed
from server.tasks.records import (
    RecordedSteps,
    TaskRecord,
    describe_step,
    is_outcome_open,
    lasting_grants,
    untold_words,
)
from server.tasks.request import TaskInfo, TaskRequest
from server.tasks.result import StepReport, StopReason, TaskResult
from server.tasks.states import Asked, Hold, TaskState
from server.usage import Usage

RESUMABLE: frozenset[StopReason] = frozenset(
    {"INTERRUPTED", "DEVICE_FAILED", "MODEL_FAILED", "PARSE_FAILED"}
)
"""Ends after which the same task can go on where it was."""


@dataclass(eq=False, slots=True)
class TaskRun:
    """A task's present and past.

    Attributes:
        server: The loop's server, which also puts the task's events on record.
        control: How it is steered; a new one for each run of the loop.
        steps_before: Steps of earlier runs of the loop.
        usage_base: The session's usage when the task began, less what was used before a restart.
        query: The first words to the model in the next run: what a person said that no step has
            carried to it yet.
        last_result: What the model is told first in the next run.
        confirmed: The action that got its yes while no loop ran; the next run does it first.
        is_dormant: It waits for a person, and no loop runs (after a restart).
        ended: The end's facts, once it is over.
    """

    task_id: str
    session_id: str
    serial: str
    request: TaskRequest
    created_at: str
    server: StepServer
    feed: TaskFeed
    control: TaskControl = field(init=False)
    steps: int = 0
    steps_before: int = 0
    usage: Usage = field(default_factory=Usage)
    usage_base: Usage = field(default_factory=Usage)
    query: str = ""
    last_result: str | None = None
    confirmed: Asked | None = None
    granted: frozenset[str] = frozenset()
    is_dormant: bool = False
    timer: threading.Timer | None = None
    ended: Mapping[str, Any] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.control = self._new_control()
        self._look_back()

    @property
    def priority(self) -> int:
        return self.request.priority

    def wake(self) -> bool:
        """End its sleep; whether it slept. Of several callers only one is told so."""
        with self.lock:
            was_dormant, self.is_dormant = self.is_dormant, False
            return was_dormant

    def renew(self) -> None:
        """Make ready for another run of the loop."""
        if self.timer is not None:
            self.timer.cancel()
        self.is_dormant, self.ended = False, None
        self.steps_before = self.steps
        hold = self.control.hold
        self.control = self._new_control()
        self.control.restore("queued", None, hold)
        self._look_back()
        self.record_state("queued", None, hold)

    def _look_back(self) -> None:
        """What the next run has to tell the model, by what happened so far."""
        events, words = self.feed.after(0), words_for(self.request.task)
        self.query = untold_words(events, self.request.reply, words)
        self.last_result = words.unknown if is_outcome_open(events) else None
        self.granted = lasting_grants(events)

    def _new_control(self) -> TaskControl:
        return TaskControl(deadline_s=self.left_s(), on_state=self._note_state)

    def left_s(self) -> float | None:
        """Seconds until the task's deadline, by the clock on the wall: it outlives the process."""
        if self.request.deadline_s is None:
            return None
        return max(0.0, self.request.deadline_s - seconds_since(self.created_at))

    def _note_state(self, state: TaskState, asked: Asked | None, hold: Hold | None) -> None:
        if state != "done":
            self.record_state(state, asked, hold)

    def record_state(self, state: TaskState, asked: Asked | None, hold: Hold | None) -> None:
        facts: dict[str, Any] = {"state": state, "serial": self.serial, "hold": hold}
        if asked is not None:
            facts["question"] = {"id": asked.id, "text": asked.text, "facts": dict(asked.facts)}
        self.record("task_state", facts)

    def record(self, kind: str, facts: Mapping[str, Any]) -> None:
        self.server.record_event(self.session_id, kind, facts)

    def options(self) -> LoopOptions:
        """How the loop runs now: one that goes on does not start from the home screen."""
        options = self.request.options
        has_begun = self.steps > 0 or self.confirmed is not None
        return replace(options, reset_environment=False) if has_begun else options

    def note_step(self, report: StepReport) -> None:
        self.steps = self.steps_before + report.local_step
        self.record("task_step", describe_step(report, self.usage.to_wire()))

    def info(self) -> TaskInfo:
        ended = self.ended
        over = ended is not None or self.control.result is not None
        result = dict(ended) if ended is not None else self._early_result()
        return TaskInfo(
            task_id=self.task_id,
            session_id=self.session_id,
            serial=self.serial,
            task=self.request.task,
            state="done" if over else self.control.state,
            created_at=self.created_at,
            steps=self.steps,
            asked=None if over else self.control.asked,
            hold=None if over else self.control.hold,
            stop_reason=result["stop_reason"] if result else None,
            result=result,
            usage=self.usage,
            last_event_id=self.feed.last_id,
        )

    def _early_result(self) -> dict[str, Any] | None:
        """The result of a loop that has ended, before its end is on record."""
        return self.describe_end(self.control.result, None) if self.control.result else None

    def describe_end(self, result: TaskResult, cost: Mapping[str, Any] | None) -> dict[str, Any]:
        """The result as callers get it: of all runs of the loop, with what it cost."""
        wire = result.to_wire()
        logs = [dict(event.data) for event in self.feed.after(0) if event.kind == "task_step"]
        return {
            **wire,
            "task_id": self.task_id,
            "final_action": logs[-1] if logs else None,
            "intermediate_logs": logs,
            "local_step_idx": len(logs),
            "usage": self.usage.to_wire(),
            "cost": dict(cost) if cost is not None else None,
            "replay": f"localserver show {self.session_id}",
        }


def restore_run(record: TaskRecord, session_id: str, server: StepServer) -> TaskRun:
    """A task as its session's events left it, ready to wait on, or to be resumed."""
    run = TaskRun(
        task_id=record.task_id,
        session_id=session_id,
        serial=record.serial,
        request=record.request,
        created_at=record.created_at,
        server=RecordedSteps(server, record.feed, record.task_id),
        feed=record.feed,
    )
    run.steps = run.steps_before = len(record.steps)
    used = record.steps[-1].get("usage") if record.steps else None
    if isinstance(used, Mapping):
        run.usage = Usage(
            *(int(used.get(name, 0)) for name in ("replies", "prompt_tokens", "completion_tokens"))
        )
    if record.ended is not None:
        steps = [dict(step) for step in record.steps]
        run.ended = {**record.ended, "task_id": record.task_id, "intermediate_logs": steps}
    return run


def unrun_result(run: TaskRun, reason: StopReason, message: str = "") -> TaskResult:
    """How a task ends whose loop does not run."""
    return TaskResult(
        session_id=run.session_id,
        serial=run.serial,
        screen=None,
        task=run.request.task,
        stop_reason=reason,
        message=message,
        error=None,
        steps=(),
        global_step=0,
        duration_s=0.0,
    )


def with_error(result: TaskResult, error: Mapping[str, Any]) -> TaskResult:
    return replace(result, error=dict(error), message=str(error.get("message", "")))


def seconds_since(moment: str) -> float:
    """Seconds since a UTC time of the log; 0 where it cannot be read or lies ahead."""
    try:
        then = datetime.fromisoformat(moment)
    except ValueError:
        return 0.0
    return max(0.0, (datetime.now(UTC) - then).total_seconds())

"""Ask a model over HTTP: one kept client per provider, bounded waits, bounded retries."""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

import httpx2
import openai
import orjson

from parsers.base import Message
from server.errors import (
    ModelBadReplyError,
    ModelError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from server.model.providers import ModelTarget, read_key
from server.model.reply import Attempt, ModelReply, read_completion
from server.privacy.levels import is_local
from server.records.schema import utc_now

COMPLETIONS = "/chat/completions"
MAX_REPLY_BYTES = 4 * 1024 * 1024
CONNECT_TIMEOUT_S = 10.0
RETRY_STATUSES = frozenset({408, 409, 425, 429})
BACKOFF_FIRST_S = 0.5
BACKOFF_MAX_S = 8.0
_OPTIONAL_ARGS = ("temperature", "top_p", "frequency_penalty", "presence_penalty")
_UNSUPPORTED = re.compile(r"unsupported|not support|unrecognized|unknown|not permitted|extra", re.I)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The body of one request, just before it is sent.

    Attributes:
        host: Host and port that it goes to.
        path: The path there.
        body: The very bytes.
    """

    host: str
    path: str
    body: bytes = field(repr=False)


Witness = Callable[[Outgoing], Awaitable[None]]
"""Sees each body before it leaves; while it raises, nothing leaves."""


class AsksModel(Protocol):
    """What the walk needs of a model client."""

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: Witness | None = None
    ) -> ModelReply: ...

    async def close(self) -> None: ...


class ModelClient:
    """Asks OpenAI-compatible providers. Lives on one event loop."""

    def __init__(self) -> None:
        self._clients: dict[tuple[str, str], openai.AsyncOpenAI] = {}
        self._making = asyncio.Lock()
        self._quirks: dict[tuple[str, str], frozenset[str]] = {}

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: Witness | None = None
    ) -> ModelReply:
        """Put one question, with retries, within the provider's deadline.

        Args:
            target: Whom to ask and how.
            messages: OpenAI messages; pictures are data URLs already.
            before_send: Told of each body, repeated ones too, before it is sent.

        Returns:
            The reply, whole or cut: see `reply.require_whole`.

        Raises:
            ModelError: No usable answer; its `attempts` tell what was tried.
        """
        await self._prepare(target)  # no part of the wait
        attempts: list[Attempt] = []
        started_at, started = utc_now(), time.monotonic()
        ends = started + target.config.deadline_s
        while True:
            try:
                reply = await self._try_once(target, messages, ends, attempts, before_send)
            except ModelError as error:
                if await self._may_retry(target, error, attempts, ends):
                    continue
                error.attempts = tuple(attempt.to_wire() for attempt in attempts)
                raise
            return replace(
                reply,
                started_at=started_at,
                ended_at=utc_now(),
                duration_s=round(time.monotonic() - started, 6),
                attempts=tuple(attempts),
            )

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()
        self._clients.clear()

    async def _try_once(
        self,
        target: ModelTarget,
        messages: Sequence[Message],
        ends: float,
        attempts: list[Attempt],
        before_send: Witness | None,
    ) -> ModelReply:
        started_at, started = utc_now(), time.monotonic()
        wait_s = min(target.config.timeout_s, ends - started)
        outcome, status, request_id = "ok", None, None
        try:
            async with asyncio.timeout(max(wait_s, 0.001)):
                response = await self._post(target, messages, wait_s, before_send)
            status, request_id = (
                response.status_code,
                _mask_text(target, response.headers.get("x-request-id")),
            )
            reply = read_completion(_mask_key(target, response.content))
            request_id = request_id or reply.request_id
            return replace(reply, request_id=request_id)
        except TimeoutError as error:
            outcome = ModelTimeoutError.code
            raise _timeout_error(target, wait_s) from error
        except openai.APITimeoutError as error:
            outcome = ModelTimeoutError.code
            raise _timeout_error(target, wait_s) from error
        except openai.APIConnectionError as error:
            outcome = ModelUnreachableError.code
            raise ModelUnreachableError(
                f"the provider {target.provider} at {target.config.api_base} cannot be reached; "
                "is it running, and is the address right?",
                provider=target.provider,
            ) from error
        except openai.APIStatusError as error:
            status, request_id = error.status_code, _mask_text(target, error.request_id)
            typed = _status_error(target, error)
            outcome = typed.code
            raise typed from error
        except ModelError as error:
            outcome = error.code
            raise
        finally:
            duration_s = round(time.monotonic() - started, 6)
            attempts.append(Attempt(started_at, duration_s, outcome, status, request_id))

    async def _post(
        self,
        target: ModelTarget,
        messages: Sequence[Message],
        wait_s: float,
        before_send: Witness | None,
    ) -> httpx2.Response:
        key = read_key(target)
        body = orjson.dumps({"model": target.model, "messages": messages, **self._fit_args(target)})
        if before_send is not None:
            place = httpx2.URL(target.config.api_base)
            path = place.path.rstrip("/") + COMPLETIONS
            await before_send(Outgoing(place.netloc.decode("ascii"), path, body))
        return await self._client_of(target).post(
            COMPLETIONS,
            cast_to=httpx2.Response,
            content=body,
            options={
                "headers": {
                    "Authorization": f"Bearer {key}" if key else openai.Omit(),
                    "Content-Type": "application/json",
                    "Accept-Encoding": "identity",
                },
                "timeout": httpx2.Timeout(wait_s, connect=min(wait_s, CONNECT_TIMEOUT_S)),
                "max_retries": 0,
                "follow_redirects": False,
            },
        )

    def _client_of(self, target: ModelTarget) -> openai.AsyncOpenAI:
        return self._clients[target.provider, target.config.api_base]

    async def _prepare(self, target: ModelTarget) -> None:
        """Make the provider's client if there is none yet: off the loop, it takes a while."""
        place = (target.provider, target.config.api_base)
        if place in self._clients:
            return
        async with self._making:
            if place not in self._clients:
                self._clients[place] = await asyncio.to_thread(_make_client, target)

    def _fit_args(self, target: ModelTarget) -> dict[str, Any]:
        """The arguments as this model takes them, by what its refusals have taught."""
        args = dict(target.args)
        for quirk in self._quirks.get((target.provider, target.model), ()):
            if quirk == "max_tokens":
                if "max_tokens" in args:
                    args["max_completion_tokens"] = args.pop("max_tokens")
            elif quirk not in target.given_args:
                args.pop(quirk, None)
        return args

    def _learn(self, target: ModelTarget, error: ModelRefusedError) -> bool:
        """Learn from a 400 which argument this model does not take; False if nothing new."""
        text = str(error.details.get("reason", ""))
        known = self._quirks.get((target.provider, target.model), frozenset())
        if "max_completion_tokens" in text and "max_tokens" in target.args:
            quirk: str | None = "max_tokens"
        else:
            quirk = next(
                (
                    name
                    for name in _OPTIONAL_ARGS
                    if re.search(rf"\b{name}\b", text) and name not in target.given_args
                ),
                None,
            )
            if quirk is not None and _UNSUPPORTED.search(text) is None:
                quirk = None
        if quirk is None or quirk in known:
            return False
        self._quirks[(target.provider, target.model)] = known | {quirk}
        return True

    async def _may_retry(
        self, target: ModelTarget, error: ModelError, attempts: list[Attempt], ends: float
    ) -> bool:
        """Whether to try again; if so, the wait before it is over when this returns."""
        if isinstance(error, ModelRefusedError) and attempts[-1].status == 400:
            return self._learn(target, error)
        status = attempts[-1].status
        is_transient = isinstance(error, ModelTimeoutError | ModelUnreachableError) or (
            status is not None and (status in RETRY_STATUSES or status >= 500)
        )
        if not is_transient or len(attempts) >= target.config.max_attempts:
            return False
        wait_s = error.details.get("retry_after_s")
        if wait_s is None:
            backoff_s = min(BACKOFF_FIRST_S * 2 ** (len(attempts) - 1), BACKOFF_MAX_S)
            wait_s = backoff_s * random.uniform(0.75, 1.0)
        if time.monotonic() + wait_s >= ends:
            return False
        await asyncio.sleep(wait_s)
        return True


def _make_client(target: ModelTarget) -> openai.AsyncOpenAI:
    client = openai.AsyncOpenAI(
        api_key="set-per-request",
        base_url=target.config.api_base,
        max_retries=0,
        http_client=_BoundedClient(trust_env=not is_local(target.config.api_base)),
    )
    # The package would send these from OPENAI_* variables to any provider.
    client.organization = None
    client.project = None
    return client


class _BoundedClient(httpx2.AsyncClient):
    """Reads every answer, errors too, up to a size: a hostile server cannot fill the memory."""

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        response = await super().send(request, stream=True, **options)
        try:
            encoding = response.headers.get("content-encoding", "identity")
            if encoding.strip().lower() not in ("", "identity"):
                raise ModelBadReplyError(
                    "the provider's answer is compressed although that was not asked for; "
                    "switch compression off in front of it"
                )
            chunks: list[bytes] = []
            size_bytes = 0
            async for chunk in response.aiter_raw():
                size_bytes += len(chunk)
                if size_bytes > MAX_REPLY_BYTES:
                    raise ModelBadReplyError(
                        f"the provider's answer is larger than {MAX_REPLY_BYTES} bytes; "
                        "check the address"
                    )
                chunks.append(chunk)
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            content=b"".join(chunks),
            request=request,
        )


def _status_error(target: ModelTarget, error: openai.APIStatusError) -> ModelError:
    status = error.status_code
    reason = _reason(target, error)
    details: dict[str, Any] = {"provider": target.provider, "status": status, "reason": reason}
    said = f"; it says: {reason}" if reason else ""
    if status == 429:
        retry_after_s = _read_retry_after(error.response.headers)
        if retry_after_s is not None:
            details["retry_after_s"] = retry_after_s
        return ModelRateLimitedError(
            f"the provider {target.provider} limits the rate{said}; try later", **details
        )
    if status >= 500 or status in RETRY_STATUSES:
        retry_after_s = _read_retry_after(error.response.headers)
        if retry_after_s is not None:
            details["retry_after_s"] = retry_after_s
        return ModelUnavailableError(
            f"the provider {target.provider} is out of order (HTTP {status}){said}; try later",
            **details,
        )
    remedy = {
        401: "check its key in model_config.yaml",
        403: "check its key and what the key may do",
        404: f"check api_base and the model's name {target.model!r}",
        413: "send smaller pictures (image_preprocess.target_image_size)",
    }.get(status, "check the model's name and args")
    if 300 <= status < 400:
        remedy = "it redirects elsewhere and the key is not sent there; set api_base to the target"
    return ModelRefusedError(
        f"the provider {target.provider} refused the request (HTTP {status}){said}; {remedy}",
        **details,
    )


def _reason(target: ModelTarget, error: openai.APIStatusError) -> str:
    """What the provider says, without the key that some of them repeat."""
    body = error.body
    message: Any = body.get("message") if isinstance(body, dict) else None
    text = message if isinstance(message, str) else ""
    key = read_key(target)
    if key:
        text = text.replace(key, "***")
    text = re.sub(r"\b(sk|key)-[\w*-]{6,}", "***", text)
    return "".join(char if char.isprintable() else " " for char in text[:300]).strip()


def _mask_key(target: ModelTarget, body: bytes) -> bytes:
    """A provider may repeat the key anywhere in its answer, which is put on record."""
    key = read_key(target)
    return body.replace(key.encode("utf-8"), b"***") if key else body


def _mask_text(target: ModelTarget, text: str | None) -> str | None:
    key = read_key(target)
    return text.replace(key, "***")[:200] if key and text else text


def _read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds or a date)."""
    try:
        if "retry-after-ms" in headers:
            wait_s = float(headers["retry-after-ms"]) / 1000
        else:
            text = headers.get("retry-after", "")
            try:
                wait_s = float(text)
            except ValueError:
                wait_s = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(wait_s, 0.0) if wait_s == wait_s else None


def _timeout_error(target: ModelTarget, wait_s: float) -> ModelTimeoutError:
    return ModelTimeoutError(
        f"the provider {target.provider} did not answer within {wait_s:.0f} s; try again, or raise "
        "timeout_s in model_config.yaml",
        provider=target.provider,
    )

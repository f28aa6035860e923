"""Read a chat completion: a `ModelReply`, or a typed error; never a half-read one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from parsers.base import Reply
from server.errors import ModelBadReplyError, ModelCutError, ModelDeclinedError

ACTING_FINISH_REASONS = frozenset({None, "", "stop", "tool_calls", "function_call"})
_USAGE_FIELDS = ("prompt_tokens", "completion_tokens", "total_tokens")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request to a provider.

    Attributes:
        started_at: UTC.
        duration_s: Until the answer was read, or the fault was seen.
        outcome: "ok", or the code of the error.
        status: HTTP status, where there was an answer.
        request_id: As the provider named it.
    """

    started_at: str
    duration_s: float
    outcome: str
    status: int | None = None
    request_id: str | None = None

    def to_wire(self) -> dict[str, Any]:
        return {
            "started_at": self.started_at,
            "duration_s": self.duration_s,
            "outcome": self.outcome,
            "status": self.status,
            "request_id": self.request_id,
        }


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered.

    Attributes:
        content: The answer.
        reasoning: The model's thought, where the provider gives it apart.
        tool_calls: Native tool calls.
        finish_reason: As given.
        usage: Token counts.
        request_id: As the provider named it.
        model: The model that says it answered.
        started_at: UTC time of the first attempt.
        ended_at: UTC time at which the answer was there.
        duration_s: All attempts together.
        attempts: Every request that was sent.
    """

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    finish_reason: str | None = None
    usage: Mapping[str, int] | None = None
    request_id: str | None = None
    model: str | None = None
    started_at: str = ""
    ended_at: str = ""
    duration_s: float = 0.0
    attempts: tuple[Attempt, ...] = ()

    @property
    def may_act(self) -> bool:
        """Whether the reply is whole: one cut by length or a filter never acts."""
        return self.finish_reason in ACTING_FINISH_REASONS

    def to_parser(self) -> Reply:
        return Reply(self.content, self.reasoning, self.tool_calls, self.finish_reason)


def require_whole(reply: ModelReply) -> None:
    """Let only a whole reply pass.

    Raises:
        ModelCutError: It was cut; the message says what to do.
    """
    if reply.may_act:
        return
    remedy = {
        "length": "raise args.max_tokens, or ask for a shorter thought",
        "content_filter": "the provider's filter stopped it; look at the screen and the task",
    }.get(str(reply.finish_reason), "look at the provider's log")
    raise ModelCutError(
        f"the reply did not end by itself (finish_reason {str(reply.finish_reason)[:40]!r}); "
        f"{remedy}",
        finish_reason=str(reply.finish_reason)[:40],
    )


def read_completion(body: bytes) -> ModelReply:
    """Read the body of a 200 answer of `/chat/completions`.

    Raises:
        ModelBadReplyError: Not a chat completion, or one without an answer.
        ModelDeclinedError: The model refused to answer.
    """
    data = _load(body)
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        detail = _describe_error(data)
        raise ModelBadReplyError(
            f"the provider's answer has no choices{detail}; check that the address ends in /v1 and "
            "that it speaks OpenAI's chat completions"
        )
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ModelBadReplyError("the provider's answer has no message; try again")
    content = _read_content(message.get("content"))
    reasoning = _first_text(message, "reasoning_content", "reasoning")
    calls = message.get("tool_calls")
    tool_calls = tuple(c for c in calls if isinstance(c, dict)) if isinstance(calls, list) else ()
    finish_reason = choice.get("finish_reason")
    if content is None and not reasoning and not tool_calls:
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            raise ModelDeclinedError(
                f"the model declined to answer: {refusal[:200]!r}; look at the task and the screen"
            )
        if finish_reason in ACTING_FINISH_REASONS:
            raise ModelBadReplyError("the provider's answer is empty (null content); try again")
    usage = data.get("usage")
    model = data.get("model")
    request_id = data.get("id")
    return ModelReply(
        content=content or "",
        reasoning=reasoning,
        tool_calls=tool_calls,
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        usage=_read_usage(usage) if isinstance(usage, dict) else None,
        request_id=request_id if isinstance(request_id, str) else None,
        model=model if isinstance(model, str) else None,
    )


def _load(body: bytes) -> Mapping[str, Any]:
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        data = orjson.loads(body)
    except ValueError:
        try:
            # orjson refuses lone surrogates; they reach the parser, which tells the model.
            data = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            start = body[:60].decode("utf-8", "replace").strip()
            raise ModelBadReplyError(
                f"the provider's answer is no JSON (it starts {start!r}); "
                "check that the address ends in /v1"
            ) from error
    if not isinstance(data, dict):
        raise ModelBadReplyError("the provider's answer is no JSON object; check the address")
    return data


def _read_content(content: Any) -> str | None:
    """Text, or the text parts of a list; None for null.

    Raises:
        ModelBadReplyError: Neither.
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        if all(isinstance(text, str) for text in texts) and len(texts) == len(content):
            return "".join(text for text in texts if isinstance(text, str))
    raise ModelBadReplyError("the reply's content is no text; try again, or another provider")


def _first_text(message: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _read_usage(usage: Mapping[str, Any]) -> dict[str, int]:
    return {name: usage[name] for name in _USAGE_FIELDS if isinstance(usage.get(name), int)}


def _describe_error(data: Mapping[str, Any]) -> str:
    error = data.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return f" but an error: {message[:200]!r}" if isinstance(message, str) and message else ""

"""What a recorded reply was read with: its fields, and the frame of its coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from parsers.action import Action
from parsers.base import Parser, RelativeSpace, Reply, ReplyContext
from server.export.episode import Episode, EpisodeStep
from server.export.rebuilding import elements_of


@dataclass(frozen=True, slots=True)
class RejectedReply:
    """A reply that could not be read when it came.

    Attributes:
        step: Number of the step that it was asked for.
        reask: 0 for the first reply of the step.
        reply: Its fields.
        code: The rejection's code.
    """

    step: int
    reask: int
    reply: Reply
    code: str


def read_recorded_reply(fields: Mapping[str, Any], content: str) -> Reply:
    """The reply of a log line (`model_response`) or of a `reply` event (`content`)."""
    return Reply(
        content=str(fields.get(content) or ""),
        reasoning=str(fields.get("reasoning") or ""),
        tool_calls=tuple(fields.get("tool_calls") or ()),
        finish_reason=fields.get("finish_reason"),
    )


def reply_of(step: EpisodeStep) -> Reply:
    """The reply that a step was answered with."""
    return read_recorded_reply(step.message, "model_response")


def frame_of(step: EpisodeStep, parser: Parser, before: Action | None) -> ReplyContext:
    """What decoding the step's replies needs."""
    count = (step.message.get("element") or {}).get("count")
    numbered = elements_of(step, parser, before)
    if count is None and numbered is not None:
        count = len(numbered.elements)
    return ReplyContext(
        sent_size=step.sent_size,
        screen_size=step.size,
        element_count=count,
        elements=numbered.elements if numbered is not None else None,
    )


def frameless(parser: Parser) -> ReplyContext | None:
    """The frame of a reply whose step is not on record; None where it cannot be read without."""
    return ReplyContext() if isinstance(parser.space, RelativeSpace) else None


def iter_rejected(episode: Episode) -> Iterator[RejectedReply]:
    """The replies that were refused when they came, in order."""
    said: Mapping[str, Any] = {}
    for event in episode.iter_events():
        data = event.get("data") or {}
        if event.get("kind") == "reply":
            said = data
        elif event.get("kind") == "rejection" and _same_place(said, data):
            yield RejectedReply(
                step=int(data["step"]),
                reask=int(data.get("reask") or 0),
                reply=read_recorded_reply(said, "content"),
                code=str(data.get("code") or ""),
            )


def _same_place(reply: Mapping[str, Any], rejection: Mapping[str, Any]) -> bool:
    place = [(one.get("step"), one.get("reask")) for one in (reply, rejection)]
    return place[0] == place[1] and isinstance(rejection.get("step"), int)

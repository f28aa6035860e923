"""Read each recorded reply with today's parser, and say what has changed. No phone, no model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from parsers.action import Action, Rejection
from parsers.base import Parser, Reply, ReplyContext
from parsers.registry import get_parser
from server.export.episode import Episode
from server.replay.frames import frame_of, frameless, iter_rejected, reply_of

Verdict = Literal["same", "changed", "not_read"]


@dataclass(frozen=True, slots=True)
class Change:
    """One field that is not as it was; None where it is missing."""

    field: str
    before: Any
    now: Any


@dataclass(frozen=True, slots=True)
class ReplyReadAgain:
    """One recorded reply, then and now.

    Attributes:
        step: Number of the step.
        reask: Which reply of the step it was; None: the one that was answered.
        verdict: `not_read`: the log does not hold what reading it needs; `why` says what.
        before: The action on the wire without `meta`, or `{"rejection": code}`.
        now: The same of today.
        changes: Field by field.
        raw: The reply's text.
    """

    step: int
    reask: int | None
    verdict: Verdict
    before: dict[str, Any]
    now: dict[str, Any]
    changes: tuple[Change, ...] = ()
    why: str = ""
    raw: str = ""

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"step": self.step, "verdict": self.verdict}
        if self.reask is not None:
            wire["reask"] = self.reask
        if self.why:
            wire["why"] = self.why
        if self.verdict == "changed":
            wire |= {
                "before": self.before,
                "now": self.now,
                "changes": {c.field: {"before": c.before, "now": c.now} for c in self.changes},
                "raw": self.raw,
            }
        return wire


def reread_session(episode: Episode) -> Iterator[ReplyReadAgain]:
    """Read every reply of a session again: those that were answered, and those that were refused.

    Raises:
        UnknownDialectError: This release does not know the session's dialect.
        NotExportableError: A line is not a step that this release understands.
    """
    parser = get_parser(episode.dialect, variant=episode.variant)
    frames: dict[int, ReplyContext] = {}
    before: Action | None = None
    for step in episode.iter_steps():
        frame = frames[step.number] = frame_of(step, parser, before)
        wire = step.action.to_wire(include_meta=False)
        yield _read(parser, reply_of(step), frame, wire, step.number, None)
        before = step.action
    for refused in iter_rejected(episode):
        known = frames.get(refused.step) or frameless(parser)
        wire = {"rejection": refused.code}
        yield _read(parser, refused.reply, known, wire, refused.step, refused.reask)


def _read(
    parser: Parser,
    reply: Reply,
    frame: ReplyContext | None,
    before: dict[str, Any],
    step: int,
    reask: int | None,
) -> ReplyReadAgain:
    raw = reply.content or reply.reasoning
    if frame is None:
        why = "its step was never answered, so that the size of its picture is not on record"
        return ReplyReadAgain(step, reask, "not_read", before, {}, why=why, raw=raw)
    if not raw and not reply.tool_calls:
        why = "the log holds no reply"
        return ReplyReadAgain(step, reask, "not_read", before, {}, why=why)
    result = parser.str2action(reply, frame)
    now = (
        {"rejection": result.code}
        if isinstance(result, Rejection)
        else result.to_wire(include_meta=False)
    )
    changes = tuple(
        Change(name, before.get(name), now.get(name))
        for name in dict.fromkeys([*before, *now])
        if before.get(name) != now.get(name)
    )
    return ReplyReadAgain(
        step, reask, "changed" if changes else "same", before, now, changes, raw=raw
    )

"""The shared frame of all dialects: a reply's fields in, an Action or a Rejection out."""

from __future__ import annotations

import abc
import re
from typing import ClassVar

from pydantic import ValidationError

from parsers.action import Action, Rejection, describe_validation_error
from parsers.base import Parser, Reply, ReplyContext
from parsers.reading import REPLY_MAX_CHARS, Reading, Refused

MEMORY_MAX_CHARS = 1000
"""What a summary may carry into the next prompts: a page must not fill them."""
_HIDING = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f]")


class Dialect(Parser):
    """A parser whose reader raises `Refused`.

    A subclass writes `read` (and `read_tool_calls` where its models answer with native calls);
    bounds, empty replies, cut replies, reasoning-only replies, the thought and `meta` are handled
    here once.
    """

    default_language: ClassVar[str] = "en"

    @abc.abstractmethod
    def read(self, text: str, reading: Reading) -> Action:
        """Read a reply's text (not blank, bounded).

        Raises:
            Refused: It cannot be read.
        """

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        """Read native tool calls; None where this dialect ignores them and reads the text.

        Raises:
            Refused: They cannot be read.
        """
        return None

    def str2action(
        self, reply: str | Reply, context: ReplyContext | None = None
    ) -> Action | Rejection:
        """Read a reply. Never raises on model text, however odd."""
        if isinstance(reply, str):
            reply = Reply(content=reply)
        reading = Reading(self.name, self.variant, self.space, context or ReplyContext())
        raw = reply.content or reply.reasoning
        try:
            action = self._read_reply(reply, reading)
            _check_marker(action, reading.context.marker)
            summary = tame(action.summary)
            if summary != action.summary:
                reading.repair("the summary was cut to what a memory may hold")
            update: dict[str, object] = {"meta": reading.meta(raw), "summary": summary}
            if not action.cot and reply.reasoning and not reading.from_reasoning:
                update["cot"] = reply.reasoning.strip()
            return action.model_copy(update=update)
        except Refused as refusal:
            return refusal.to_rejection(scrub(raw))
        except ValidationError as error:
            message = describe_validation_error(error)
            return Refused("bad_arg", message).to_rejection(scrub(raw))

    def _read_reply(self, reply: Reply, reading: Reading) -> Action:
        for text in (reply.content, reply.reasoning):
            if len(text) > REPLY_MAX_CHARS:
                raise Refused("no_action", f"the reply is longer than {REPLY_MAX_CHARS} characters")
            if not _is_unicode(text):
                raise Refused("bad_arg", "the reply is not valid Unicode (a lone surrogate)")
        if reply.finish_reason == "length":
            raise Refused("truncated", "the model ran out of tokens: answer more briefly")
        if reply.finish_reason == "content_filter":
            raise Refused("no_action", "the provider's content filter stopped the reply")
        if reply.tool_calls:
            action = self.read_tool_calls(reply, reading)
            if action is not None:
                self._check_content(reply.content, action, reading)
                return action
        if reply.content.strip():
            return self.read(reply.content, reading)
        if reply.reasoning.strip():
            reading.from_reasoning = True
            reading.warn("the content was empty; the action was read from the reasoning")
            return self.read(reply.reasoning, reading)
        raise Refused("empty", "the reply is empty: give one action")

    def _check_content(self, content: str, action: Action, reading: Reading) -> None:
        """The text beside a native call may say the same action or none, but no other one.

        Raises:
            Refused: `multiple_actions` or `conflict`.
        """
        if not content.strip():
            return
        aside = Reading(self.name, self.variant, self.space, reading.context)
        stops = ("COMPLETE", "ABORT")
        try:
            said = self.read(content, aside)
        except (Refused, ValidationError) as error:
            if action.action in stops and getattr(error, "code", "") not in _NO_CALL:
                raise Refused("conflict", "the text holds another, broken action") from error
            return
        if _acts(said) != _acts(action):
            if (said.action in stops) != (action.action in stops):
                raise Refused("multiple_actions", "an act and a stop in one reply: give one")
            raise Refused("conflict", "the text and the tool call name different actions")


def tame(memory: str) -> str:
    """What a model writes for its next prompts: bounded, and without characters that hide words."""
    if len(memory) <= MEMORY_MAX_CHARS and memory.isprintable():
        return memory
    shown = _HIDING.sub("", memory)
    return shown if len(shown) <= MEMORY_MAX_CHARS else shown[: MEMORY_MAX_CHARS - 1] + "…"


def _check_marker(action: Action, marker: str) -> None:
    """A field with the prompt's own marks in it was copied, or dictated by the screen.

    Raises:
        Refused: `bad_arg`.
    """
    if not marker:
        return
    for name, value in action.model_dump(exclude={"cot", "meta"}).items():
        if isinstance(value, str) and marker in value:
            raise Refused("bad_arg", f"{name} repeats the marks of the prompt", value)


_NO_CALL = ("no_action", "unknown_action", "empty")


def _acts(action: Action) -> dict[str, object]:
    """What an action does, without its words."""
    return action.model_dump(exclude={"meta", "cot", "explain", "summary"})


def scrub(text: str) -> str:
    """Replace lone surrogates, so that the text can be stored."""
    return text if _is_unicode(text) else text.encode("utf-8", "replace").decode("utf-8")


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

"""holo1: Holo1 3B / 7B.

One nested object, `{"note": …, "thought": …, "action": {"action": "click_element", "x": …}}`, in
pixels of the picture after the processor's resize. It was made for browsers: what a phone shares
(click, write, scroll, back, wait, answer) is read, the rest refused. Source: H Company's cookbook.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.action import OPPOSITE, Action, Back, Click, Complete, Scroll, Type, Wait
from parsers.base import CoordinateSpace, Message, PromptRequest, Reply
from parsers.dialect import Dialect
from parsers.mobile_use_arguments import read_target
from parsers.prompt_blocks import known_size
from parsers.prompting import need_prompt
from parsers.qwen_mobile_use import QWEN25_SPACE
from parsers.reading import Reading, Refused, read_direction, read_seconds, read_text
from parsers.single_turn import build_single_turn
from parsers.tool_calls import ToolCall, choose_action, read_call_text, read_native_calls

_KNOWN = frozenset(
    ("action", "element", "x", "y", "content", "text", "answer", "direction", "seconds")
)


class Holo1(Dialect):
    """Reads Holo1's nested objects and builds a plain one-picture prompt."""

    name = "holo1"
    title = "Holo1"
    models = "Holo1 3B / 7B"

    @property
    def space(self) -> CoordinateSpace:
        return QWEN25_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules with the size of the picture, task, past steps, the screen."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            size=known_size(self.space, self.images, request.current, request.sent_size),
        )

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, lambda value: "action" in value, expect_tag=False)
        return choose_action(found.calls, reading, lambda call: _read_object(call, reading))

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls = read_native_calls(reply.tool_calls)
        return choose_action(calls, reading, lambda call: _read_object(call, reading))


def _read_object(call: ToolCall, reading: Reading) -> Action:
    outer = call.arguments
    inner = outer.get("action")
    fields: Mapping[str, Any] = inner if isinstance(inner, dict) else outer
    verb = fields.get("action")
    if verb is None and inner is None:
        raise Refused("no_action", "the object has no `action`", outer)
    if not isinstance(verb, str):
        raise Refused("bad_arg", "`action` must be the name of an action", verb)
    if fields is inner:
        reading.warn_unknown(name for name in fields if name not in _KNOWN)
    action = _read_action(verb.strip().lower(), fields, reading)
    context = {"cot": outer.get("thought"), "summary": outer.get("note")}
    return action.model_copy(
        update={name: said for name, said in context.items() if isinstance(said, str)}
    )


def _read_action(verb: str, fields: Mapping[str, Any], reading: Reading) -> Action:
    match verb:
        case "click_element" | "click_element_abs" | "click":
            return Click(point=read_target(fields, reading))
        case "write_element_abs" | "write_element" | "write":
            # It clicks the field, writes, and presses Enter.
            text = read_text(fields.get("content", fields.get("text")), "content")
            return Type(value=text, point=read_target(fields, reading), submit=True)
        case "scroll":
            shown = read_direction(fields.get("direction"), "direction")
            return Scroll(direction=shown, finger=OPPOSITE[shown])
        case "go_back":
            return Back()
        case "wait":
            return Wait(value=read_seconds(fields.get("seconds"), "seconds"))
        case "answer":
            said = fields.get("content", fields.get("answer"))
            return Complete.model_validate({"return": read_text(said, "content")})
        case _:
            raise Refused("unknown_action", f"there is no action {verb[:40]!r} on a phone", verb)

"""openai_cua: OpenAI's computer-use-preview.

The `action` of a `computer_call` item, `{"type": "click", "x": …, "y": …}`, in pixels of the
picture that was sent. The action alone, items and whole responses are read. Safety checks that
wait for an acknowledgement become `confirm`. A structured message item alone is the end of the
task; bare prose is not, so that the plain prompt offers `done`. Source: OpenAI's sample app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.action import (
    OPPOSITE,
    POINT_MAX,
    Action,
    Click,
    Complete,
    DoubleClick,
    Scroll,
    Slide,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    Message,
    PixelSpace,
    PromptRequest,
    Reply,
)
from parsers.dialect import Dialect
from parsers.keys import press, read_key
from parsers.mobile_use import DEFAULT_WAIT_S
from parsers.mobile_use_arguments import read_end
from parsers.prompt_blocks import known_size
from parsers.prompting import need_prompt
from parsers.reading import Reading, Refused, read_direction, read_number, read_text
from parsers.single_turn import build_single_turn
from parsers.tool_calls import ToolCall, choose_action, read_call_text, read_native_calls

CUA_SPACE = PixelSpace()


class OpenAiCua(Dialect):
    """Reads computer calls and builds a plain one-picture prompt."""

    name = "openai_cua"
    title = "OpenAI computer use"
    models = "computer-use-preview"

    @property
    def space(self) -> CoordinateSpace:
        return CUA_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules with the size of the picture, task, past steps, the screen."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            size=known_size(self.space, self.images, request.current, request.sent_size),
        )

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, _is_call, expect_tag=False)
        calls, said = _open_items(call.arguments for call in found.calls)
        thought = "\n".join(filter(None, (found.thought, found.prose, said)))
        if not calls and any(call.mentioned for call in found.calls):
            raise Refused("no_action", "an end is mentioned inside a sentence, not given", said)
        if not calls:
            return Complete.model_validate({"return": said})
        if said:
            raise Refused("multiple_actions", "a computer call and a final message: give one", said)
        action = choose_action(calls, reading, lambda call: _read_call(call, reading))
        return action.model_copy(update={"cot": thought})

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls, _ = _open_items(call.arguments for call in read_native_calls(reply.tool_calls))
        action = choose_action(calls, reading, lambda call: _read_call(call, reading))
        return action.model_copy(update={"cot": reply.content.strip()})


def _is_call(value: Mapping[str, Any]) -> bool:
    return any(name in value for name in ("type", "action", "output"))


def _open_items(values: Iterable[dict[str, Any]]) -> tuple[list[ToolCall], str]:
    """Actions out of response items, and the text of the message items beside them.

    Raises:
        Refused: `no_action` where there is neither.
    """
    calls: list[ToolCall] = []
    said: list[str] = []
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        output = value.get("output")
        if isinstance(output, list):
            waiting += [item for item in reversed(output) if isinstance(item, dict)]
        elif value.get("type") == "message":
            said += _message_texts(value.get("content"))
        elif value.get("type") != "reasoning":
            calls.append(ToolCall("", value))
    words = "\n".join(filter(None, said))
    if not calls and not words:
        raise Refused("no_action", "the response has no computer call", "")
    return calls, words


def _message_texts(content: object) -> list[str]:
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return [text.strip() for text in texts if isinstance(text, str)]


def _read_call(call: ToolCall, reading: Reading) -> Action:
    item = call.arguments
    inner = item.get("action")
    fields = inner if isinstance(inner, dict) else item
    action = _read_action(fields, reading)
    checks = item.get("pending_safety_checks")
    if isinstance(checks, list) and checks:
        messages = [check.get("message") for check in checks if isinstance(check, dict)]
        asked = "; ".join(text for text in messages if isinstance(text, str) and text)
        return action.model_copy(update={"confirm": asked or "a safety check is pending"})
    return action


def _read_action(fields: Mapping[str, Any], reading: Reading) -> Action:
    verb = fields.get("type", fields.get("action"))
    if verb is None or verb == "":
        raise Refused("no_action", "the call names no `type`", fields)
    if not isinstance(verb, str):
        raise Refused("bad_arg", "`type` must be the name of an action", verb)
    match verb.strip().lower():
        case "click":
            if fields.get("button") not in (None, "", "left"):
                raise Refused("bad_arg", "a phone knows the left button alone", fields["button"])
            return Click(point=reading.point(_xy(fields), "x, y"))
        case "double_click":
            return DoubleClick(point=reading.point(_xy(fields), "x, y"))
        case "drag":
            return _read_drag(fields.get("path"), reading)
        case "scroll":
            return _read_scroll(fields, reading)
        case "type":
            return Type(value=read_text(fields.get("text"), "text"))
        case "keypress":
            return press(read_key(fields.get("keys") or fields.get("key"), "keys"))
        case "wait":
            wait_ms = fields.get("ms")
            if wait_ms is None:
                return Wait(value=DEFAULT_WAIT_S)
            return Wait(value=_not_negative(read_number(wait_ms, "ms")) / 1000)
        case "screenshot":
            reading.warn("a screenshot comes with every step: nothing to carry out")
            return Wait(value=0)
        case "done":
            return read_end(fields)
        case _:
            raise Refused("unknown_action", f"a phone has no action {verb[:40]!r}", verb)


def _xy(fields: Mapping[str, Any]) -> object:
    x, y = fields.get("x"), fields.get("y")
    if x is None and y is None:
        return None
    if x is None or y is None:
        raise Refused("missing_arg", "x and y belong together", fields)
    return [x, y]


def _read_drag(path: object, reading: Reading) -> Action:
    if path is None or path == []:
        raise Refused("missing_arg", "`path` is missing: give its points", "")
    if not isinstance(path, list):
        raise Refused("bad_point", "`path` must be a list of points", path)
    if len(path) < 2:
        raise Refused("missing_arg", "`path` has one point: give the end too", path)
    if len(path) > 2:
        reading.warn("a drag goes straight from the first point of its path to the last")
    return Slide(point1=reading.point(path[0], "path"), point2=reading.point(path[-1], "path"))


def _read_scroll(fields: Mapping[str, Any], reading: Reading) -> Action:
    """Positive `scroll_y` shows what is below, positive `scroll_x` what is to the right."""
    if fields.get("scroll_x") is None and fields.get("scroll_y") is None:
        raise Refused("missing_arg", "`scroll_y` is missing", fields)
    wide = read_number(fields.get("scroll_x") or 0, "scroll_x")
    high = read_number(fields.get("scroll_y") or 0, "scroll_y")
    if abs(wide) == abs(high):
        raise Refused("bad_arg", "`scroll_x` and `scroll_y` name no one direction", fields)
    if abs(high) > abs(wide):
        shown, length = read_direction("down" if high > 0 else "up"), abs(high)
    else:
        shown, length = read_direction("right" if wide > 0 else "left"), abs(wide)
    place = _xy(fields)
    sent = reading.context.sent_size
    side_px = None if sent is None else (sent.height_px if abs(high) > abs(wide) else sent.width_px)
    return Scroll(
        direction=shown,
        finger=OPPOSITE[shown],
        point=None if place is None else reading.point(place, "x, y"),
        distance=None if side_px is None else min(length / side_px * POINT_MAX, POINT_MAX),
    )


def _not_negative(number: float) -> float:
    if number < 0:
        raise Refused("bad_arg", "`ms` cannot be negative", number)
    return number

"""claude_cu: Claude's computer use tool.

The input of a `tool_use` block, `{"action": "left_click", "coordinate": [x, y]}`, in pixels of the
picture that was sent. The input alone, blocks inside prose, whole API messages and
`message.tool_calls` are read. A structured message that ends its turn with text alone is the end
of the task; bare prose is not (an error text would look the same), so that the plain prompt offers
`done`. Source: Anthropic's reference implementation of the tool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.action import (
    LONGPRESS_MAX_S,
    OPPOSITE,
    Action,
    Click,
    Complete,
    DoubleClick,
    LongPress,
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
from parsers.mobile_use_arguments import read_end
from parsers.prompt_blocks import known_size
from parsers.prompting import need_prompt
from parsers.reading import Reading, Refused, read_direction, read_seconds, read_text
from parsers.single_turn import build_single_turn
from parsers.tool_calls import ToolCall, choose_action, read_call_text, read_native_calls

# No processor resizes below this in either direction: the size sent is the size seen.
CLAUDE_SPACE = PixelSpace()
_TOOLS = frozenset({"", "computer"})
_XDOTOOL = {"prior": "page_up", "next": "page_down", "xf86back": "back", "xf86homepage": "home"}


class ClaudeCu(Dialect):
    """Reads computer-use calls and builds a plain one-picture prompt."""

    name = "claude_cu"
    title = "Claude computer use"
    models = "Claude with computer use"

    @property
    def space(self) -> CoordinateSpace:
        return CLAUDE_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules with the size of the picture, task, past steps, the screen."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            size=known_size(self.space, self.images, request.current, request.sent_size),
        )

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, _is_call, expect_tag=False)
        calls, said = _open_messages(found.calls)
        thought = "\n".join(filter(None, (found.thought, found.prose, said)))
        if not calls:
            return Complete.model_validate({"return": said})
        action = choose_action(calls, reading, lambda call: _read_call(call, reading))
        return action.model_copy(update={"cot": thought})

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls = read_native_calls(reply.tool_calls)
        action = choose_action(calls, reading, lambda call: _read_call(call, reading))
        return action.model_copy(update={"cot": reply.content.strip()})


def _is_call(value: Mapping[str, Any]) -> bool:
    return "action" in value or isinstance(value.get("content"), list)


def _open_messages(calls: Iterable[ToolCall]) -> tuple[list[ToolCall], str]:
    """Tool calls out of whole API messages, and the text that stood beside them.

    Raises:
        Refused: `no_action` for a message that neither acts nor ends its turn.
    """
    opened: list[ToolCall] = []
    said: list[str] = []
    ended = False
    for call in calls:
        blocks = call.arguments.get("content")
        if call.name or not isinstance(blocks, list):
            opened.append(call)
            continue
        ended = ended or call.arguments.get("stop_reason") == "end_turn"
        for block in blocks:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "tool_use":
                opened += read_native_calls([{"name": "", "input": {}, **block}])
            elif isinstance(block.get("text"), str):
                said.append(block["text"].strip())
    words = "\n".join(filter(None, said))
    if not opened and not (ended and words):
        raise Refused("no_action", "the message has no tool call", words)
    return opened, words


def _read_call(call: ToolCall, reading: Reading) -> Action:
    if call.name.lower() not in _TOOLS:
        raise Refused("unknown_action", f"there is no tool {call.name!r} here", call.name)
    fields = call.arguments
    verb = fields.get("action")
    if verb is None or verb == "":
        raise Refused("no_action", "the call names no `action`", fields)
    if not isinstance(verb, str):
        raise Refused("bad_arg", "`action` must be the name of an action", verb)
    match verb.strip().lower():
        case "left_click" | "click":
            return Click(point=reading.point(fields.get("coordinate"), "coordinate"))
        case "double_click":
            return DoubleClick(point=reading.point(fields.get("coordinate"), "coordinate"))
        case "long_press":
            return LongPress(
                point=reading.point(fields.get("coordinate"), "coordinate"),
                duration_s=_read_press_s(fields.get("duration")),
            )
        case "left_click_drag":
            return Slide(
                point1=reading.point(fields.get("start_coordinate"), "start_coordinate"),
                point2=reading.point(fields.get("coordinate"), "coordinate"),
            )
        case "scroll":
            shown = read_direction(fields.get("scroll_direction"), "scroll_direction")
            place = fields.get("coordinate")
            point = None if place is None else reading.point(place, "coordinate")
            return Scroll(direction=shown, finger=OPPOSITE[shown], point=point)
        case "type":
            return Type(value=read_text(fields.get("text"), "text"))
        case "key":
            name = fields.get("text")
            if isinstance(name, str):
                name = _XDOTOOL.get(name.strip().lower(), name)
            return press(read_key(name, "text"))
        case "wait":
            return Wait(value=read_seconds(fields.get("duration"), "duration"))
        case "screenshot":
            reading.warn("a screenshot comes with every step: nothing to carry out")
            return Wait(value=0)
        case "done":
            return read_end(fields)
        case _:
            raise Refused("unknown_action", f"a phone has no action {verb[:40]!r}", verb)


def _read_press_s(value: object) -> float | None:
    return None if value is None else min(read_seconds(value, "duration"), LONGPRESS_MAX_S) or None

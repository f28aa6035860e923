"""The `mobile_use` tool of Qwen-VL and its descendants: arguments to an action, and back.

Source: Qwen's cookbook for mobile agents, the GUI-Owl and MAI-UI runners, and the reports of what
their models write instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    Click,
    Complete,
    DoubleClick,
    Home,
    HotKey,
    Info,
    LongPress,
    Point,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import Reply
from parsers.dialect import Dialect
from parsers.errors import InvalidActionError
from parsers.keys import press, read_key
from parsers.mobile_use_arguments import (
    KNOWN,
    POINT_2,
    TEXT,
    TIME,
    VERB,
    one_line,
    pick,
    plain_number,
    read_button,
    read_end,
    read_line,
    read_press_s,
    read_target,
)
from parsers.reading import Reading, Refused, from_point, read_seconds, read_text
from parsers.tool_calls import (
    CallText,
    ToolCall,
    choose_action,
    read_call_text,
    read_labels,
    read_native_calls,
)

TOOL_NAME = "mobile_use"
DEFAULT_WAIT_S = 2.0
COMMON_ACTIONS = frozenset(
    (
        *("key", "click", "double_click", "long_press", "swipe", "drag", "type"),
        *("system_button", "open", "wait", "answer", "terminate"),
    )
)
"""What every model of the family may write; `double_click` and `drag` are not in all schemas."""
_ALIASES = {
    "tap": "click",
    "left_click": "click",
    "double_tap": "double_click",
    "longpress": "long_press",
    "open_app": "open",
    "launch": "open",
    "input_text": "type",
    "calluser": "call_user",
}
_CONCLUSION = re.compile(r"<conclusion>(.*?)(?:</conclusion>|\Z)", re.DOTALL)
_SEPARATORS = re.compile(r"[\s-]+")


class MobileUse(Dialect):
    """Base of the dialects that answer with a `mobile_use` call.

    A subclass names its actions; `answer_ends` says whether `answer` ends the run.
    """

    actions: ClassVar[frozenset[str]]
    aliases_of_actions: ClassVar[Mapping[str, str]] = {}
    answer_ends: ClassVar[bool] = False

    # --- reply ----------------------------------------------------------------------------

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, self._is_call)
        action = choose_action(found.calls, reading, lambda call: self.read_call(call, reading))
        return action.model_copy(update=self.read_context(found))

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls = read_native_calls(reply.tool_calls)
        action = choose_action(calls, reading, lambda call: self.read_call(call, reading))
        prose = reply.content.strip()
        return action.model_copy(update=self.read_context(CallText("", prose, (), "")))

    def read_context(self, found: CallText) -> dict[str, str]:
        """Thought, explanation and summary from what stands round the call."""
        labels = read_labels(found.prose)
        thought = found.thought or labels.get("thought", "")
        if not labels and not thought:
            thought = found.prose
        conclusion = _CONCLUSION.search(found.tail) if "<conclusion>" in found.tail else None
        summary = conclusion.group(1).strip() if conclusion else ""
        context = {
            "cot": thought,
            "explain": labels.get("action", ""),
            "summary": summary or read_labels(found.tail).get("description", ""),
        }
        return {key: text for key, text in context.items() if text}

    def read_call(self, call: ToolCall, reading: Reading) -> Action:
        """Read one call.

        Raises:
            Refused: It is no action of this dialect, or lacks what it needs.
        """
        arguments = call.arguments
        verb = self._find_verb(call)
        reading.warn_unknown(name for name in arguments if name not in KNOWN)
        return self.read_action(verb, arguments, reading)

    def read_action(self, verb: str, arguments: Mapping[str, Any], reading: Reading) -> Action:
        """Read the arguments of a known verb."""
        match verb:
            case "click":
                return Click(point=read_target(arguments, reading))
            case "double_click":
                return DoubleClick(point=read_target(arguments, reading))
            case "long_press":
                point = read_target(arguments, reading)
                return LongPress(point=point, duration_s=read_press_s(arguments, reading))
            case "swipe" | "drag" | "scroll":
                return Slide(
                    point1=read_target(arguments, reading),
                    point2=reading.point(pick(arguments, POINT_2), "coordinate2"),
                )
            case "type":
                return Type(value=read_text(pick(arguments, TEXT), "text"))
            case "key":
                return press(read_key(pick(arguments, (*TEXT, "key", "keys")), "text"))
            case "system_button":
                return read_button(arguments.get("button") or arguments.get("text"))
            case "open":
                return Awake(value=read_line(arguments))
            case "wait":
                seconds = pick(arguments, TIME)
                return Wait(value=DEFAULT_WAIT_S if seconds is None else read_seconds(seconds))
            case "terminate":
                return read_end(arguments)
            case "answer" if self.answer_ends:
                return Complete(**{"return": read_line(arguments)})
            case "answer":
                return Answer(value=read_line(arguments))
            case "interact" | "call_user":
                return TakeOver(value=str(pick(arguments, TEXT) or "").strip())
            case "ask_user":
                return Info(value=read_line(arguments))
            case "complete":
                return Complete(**{"return": str(pick(arguments, TEXT) or "").strip()})
            case "abort":
                return Abort(value=str(pick(arguments, TEXT) or "").strip())
            case _:
                raise Refused("unknown_action", f"there is no action {verb!r}", verb)

    def _is_call(self, value: Mapping[str, Any]) -> bool:
        if any(key in value for key in VERB):
            return True
        name = value.get("name")
        return isinstance(name, str) and self._verb_of(name) in self.actions

    def _find_verb(self, call: ToolCall) -> str:
        named = pick(call.arguments, VERB)
        as_name = self._verb_of(call.name)
        if call.name and call.name.lower() != TOOL_NAME and as_name not in self.actions:
            raise Refused("unknown_action", f"there is no tool {call.name!r} here", call.name)
        if named is None:
            if as_name in self.actions:
                return as_name
            raise Refused("no_action", "the call names no `action`", call.arguments)
        if not isinstance(named, str):
            raise Refused("bad_arg", "`action` must be the name of an action", named)
        verb = self._verb_of(named)
        if not verb:
            raise Refused("no_action", "the call names no `action`", call.arguments)
        if verb not in self.actions:
            known = ", ".join(sorted(self.actions))
            raise Refused("unknown_action", f"there is no such action; use one of {known}", named)
        return verb

    def _verb_of(self, name: str) -> str:
        verb = _SEPARATORS.sub("_", name.strip().lower()) if len(name) < 80 else name
        return self.aliases_of_actions.get(verb, _ALIASES.get(verb, verb))

    # --- writer ---------------------------------------------------------------------------

    def write_call(self, action: Action) -> str:
        """The call that means this action, as the JSON that stands in the tag.

        Raises:
            InvalidActionError: The dialect has no word for it.
        """
        arguments = self.write_arguments(action)
        if arguments["action"] not in self.actions or action.then or action.confirm:
            raise self._wordless(action)
        return json.dumps({"name": TOOL_NAME, "arguments": arguments}, ensure_ascii=False)

    def write_arguments(self, action: Action) -> dict[str, Any]:
        """The call's arguments; see `write_call`."""
        match action:
            case Click():
                return {"action": "click", "coordinate": self.write_point(action, action.point)}
            case DoubleClick():
                point = self.write_point(action, action.point)
                return {"action": "double_click", "coordinate": point}
            case LongPress():
                point = self.write_point(action, action.point)
                written: dict[str, Any] = {"action": "long_press", "coordinate": point}
                if action.duration_s is not None:
                    written["time"] = plain_number(action.duration_s)
                return written
            case Slide(duration_s=None):
                return {
                    "action": "swipe",
                    "coordinate": self.write_point(action, action.point1),
                    "coordinate2": self.write_point(action, action.point2),
                }
            case Type() if not (action.point or action.element or action.clear or action.submit):
                return {"action": "type", "text": action.value}
            case HotKey(key="ENTER" | "RECENT"):
                button = "Enter" if action.key == "ENTER" else "Menu"
                return {"action": "system_button", "button": button}
            case HotKey():
                return {"action": "key", "text": action.key.lower()}
            case Back() | Home():
                return {"action": "system_button", "button": action.action.capitalize()}
            case Awake():
                return {"action": "open", "text": action.value}
            case Wait():
                return {"action": "wait", "time": plain_number(action.value)}
            case Complete(return_="") | Abort(value=""):
                status = "success" if isinstance(action, Complete) else "failure"
                return {"action": "terminate", "status": status}
            case Complete() if self.answer_ends:
                return {"action": "answer", "text": action.return_}
            case Complete():
                return {"action": "terminate", "status": "success", "text": action.return_}
            case Abort():
                return {"action": "terminate", "status": "failure", "text": action.value}
            case Answer() if not self.answer_ends:
                return {"action": "answer", "text": action.value}
            case TakeOver():
                return {"action": "interact", "text": action.value}
            case Info():
                return {"action": "ask_user", "text": action.value}
            case _:
                raise self._wordless(action)

    def describe_step(self, action: Action) -> str:
        """One line that says what a past action was."""
        said = action.explain or action.summary
        if said:
            return one_line(said).rstrip(";.。；")
        try:
            return self.write_call(action)
        except InvalidActionError:
            return action.action

    def write_turn(self, action: Action) -> str:
        """A past action as the assistant's turn: the reply as it was, where it is known."""
        if action.meta.raw and action.meta.dialect == self.name:
            return action.meta.raw
        try:
            return self.action2str(action)
        except InvalidActionError:
            return self.describe_step(action)

    def write_point(self, action: Action, point: Point | None) -> list[int]:
        if point is None:
            raise self._wordless(action)
        try:
            x, y = from_point(point, self.space, action.meta.sent_size)
        except ValueError as error:
            raise InvalidActionError(f"{error}; set meta.sent_size", kind=action.action) from error
        return [round(x), round(y)]

    def _wordless(self, action: Action) -> InvalidActionError:
        return InvalidActionError(
            f"{self.name} has no word for this {action.action}; use another action or dialect",
            kind=action.action,
        )

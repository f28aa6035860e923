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
    LONGPRESS_MAX_S,
    OPPOSITE,
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
    Scroll,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import Reply
from parsers.dialect import Dialect
from parsers.errors import InvalidActionError
from parsers.keys import press, read_key
from parsers.reading import Reading, Refused, from_point, read_direction, read_seconds, read_text
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
_POINT = (
    "coordinate",
    "coordinate1",
    "coordinates",
    "point",
    "point1",
    "position",
    "point_2d",
    "start_coordinate",
    "start_point",
)
_POINT_2 = ("coordinate2", "end_coordinate", "point2", "end_point", "coordinate_2")
_TEXT = ("text", "content", "value", "app", "app_name", "message")
_TIME = ("time", "duration", "seconds")
_VERB = ("action", "action_type")
_OTHERS = ("x", "y", "button", "status", "direction", "key", "keys", "thought", "explain")
_KNOWN = frozenset((*_POINT, *_POINT_2, *_TEXT, *_TIME, *_VERB, *_OTHERS))
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
_SUCCESS = frozenset({"success", "successful", "succeeded", "complete", "completed"})
_FAILURE = frozenset({"failure", "fail", "failed", "infeasible", "impossible"})
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
        reading.warn_unknown(name for name in arguments if name not in _KNOWN)
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
                return LongPress(point=point, duration_s=_read_press_s(arguments, reading))
            case "swipe" | "drag" | "scroll":
                return Slide(
                    point1=read_target(arguments, reading),
                    point2=reading.point(pick(arguments, _POINT_2), "coordinate2"),
                )
            case "type":
                return Type(value=read_text(pick(arguments, _TEXT), "text"))
            case "key":
                return press(read_key(pick(arguments, (*_TEXT, "key", "keys")), "text"))
            case "system_button":
                return _read_button(pick(arguments, ("button", "text")))
            case "open":
                return Awake(value=_read_line(arguments))
            case "wait":
                seconds = pick(arguments, (*_TIME, "text"))
                return Wait(value=DEFAULT_WAIT_S if seconds is None else read_seconds(seconds))
            case "terminate":
                return read_end(arguments)
            case "answer" if self.answer_ends:
                return Complete(**{"return": _read_line(arguments)})
            case "answer":
                return Answer(value=_read_line(arguments))
            case "interact" | "call_user":
                return TakeOver(value=str(pick(arguments, _TEXT) or "").strip())
            case "ask_user":
                return Info(value=_read_line(arguments))
            case "complete":
                return Complete(**{"return": str(pick(arguments, _TEXT) or "").strip()})
            case "abort":
                return Abort(value=str(pick(arguments, _TEXT) or "").strip())
            case _:
                raise Refused("unknown_action", f"there is no action {verb!r}", verb)

    def _is_call(self, value: Mapping[str, Any]) -> bool:
        if any(key in value for key in _VERB):
            return True
        name = value.get("name")
        return isinstance(name, str) and self._verb_of(name) in self.actions

    def _find_verb(self, call: ToolCall) -> str:
        named = pick(call.arguments, _VERB)
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
                    written["time"] = _plain(action.duration_s)
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
                return {"action": "wait", "time": _plain(action.value)}
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


def pick(arguments: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The one value that stands under any of these names; None without.

    Raises:
        Refused: `conflict` where two of them disagree.
    """
    found: Any = None
    for name in names:
        value = arguments.get(name)
        if value is None:
            continue
        if found is not None and value != found:
            raise Refused("conflict", f"`{name}` repeats another argument differently", value)
        found = value
    return found


def read_target(arguments: Mapping[str, Any], reading: Reading) -> Point:
    """The first point of a call, under any of its names or as x and y.

    Raises:
        Refused: `missing_arg`, `bad_point`, `out_of_range` or `conflict`.
    """
    value = pick(arguments, _POINT)
    x, y = arguments.get("x"), arguments.get("y")
    if x is not None or y is not None:
        if value is not None:
            raise Refused("conflict", "give `coordinate` or x and y, not both", arguments)
        if x is None or y is None:
            raise Refused("missing_arg", "x and y belong together", arguments)
        value = [x, y]
    return reading.point(value, "coordinate")


def one_line(text: str) -> str:
    """Line breaks to spaces, for the labelled lines of a written reply."""
    return " ".join(text.split())


def _read_press_s(arguments: Mapping[str, Any], reading: Reading) -> float | None:
    value = pick(arguments, _TIME)
    if value is None:
        return None
    seconds = read_seconds(value, "time")
    if seconds > LONGPRESS_MAX_S:
        reading.warn(f"a press of {seconds:g} s is shortened to {LONGPRESS_MAX_S:g} s")
        return LONGPRESS_MAX_S
    return seconds or None


def _read_line(arguments: Mapping[str, Any]) -> str:
    text = read_text(pick(arguments, _TEXT), "text").strip()
    if not text:
        raise Refused("missing_arg", "`text` is empty", "")
    return text


def _read_button(value: object) -> Action:
    if value is None or value == "":
        raise Refused("missing_arg", "`button` is missing: Back, Home, Menu or Enter", "")
    match str(value).strip().lower():
        case "back":
            return Back()
        case "home":
            return Home()
        case "menu":
            # The schema describes it as the menu of background apps.
            return HotKey(key="RECENT")
        case "enter":
            return HotKey(key="ENTER")
        case _:
            raise Refused("bad_arg", "`button` must be Back, Home, Menu or Enter", value)


def read_end(arguments: Mapping[str, Any]) -> Action:
    """The end of the task by its `status`: nothing else may end it.

    Raises:
        Refused: `missing_arg` or `bad_arg`.
    """
    status = arguments.get("status")
    if status is None or status == "":
        raise Refused("missing_arg", "`status` is missing: success or failure", "")
    said = str(pick(arguments, _TEXT) or "").strip()
    word = str(status).strip().lower()
    if word in _SUCCESS:
        return Complete(**{"return": said})
    if word in _FAILURE:
        return Abort(value=said)
    raise Refused("bad_arg", "`status` must be success or failure", status)


def _plain(number: float) -> int | float:
    return int(number) if number.is_integer() else number


def read_finger_scroll(arguments: Mapping[str, Any], reading: Reading) -> Scroll:
    """A swipe by the direction of the *finger*, from an optional point."""
    finger = read_direction(arguments.get("direction"), "direction")
    value = pick(arguments, _POINT)
    point = None if value is None else reading.point(value, "coordinate")
    return Scroll(direction=OPPOSITE[finger], finger=finger, point=point)

"""Actions as `{"action_type": …}` objects, the way of AndroidWorld: m3a, glm45v, os_genesis.

`scroll` names the side of the content that is shown, `swipe` the direction of the finger. What the
target is (an index, a box, x and y) is each dialect's own. Source: AndroidWorld's action type, its
agents and its executor.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import (
    OPPOSITE,
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    Click,
    Complete,
    DoubleClick,
    Element,
    Home,
    HotKey,
    LongPress,
    Point,
    Scroll,
    Type,
    Wait,
)
from parsers.base import PixelSpace, Reply
from parsers.dialect import Dialect
from parsers.mobile_use import DEFAULT_WAIT_S
from parsers.reading import (
    Reading,
    Refused,
    read_direction,
    read_flag,
    read_seconds,
    read_text,
    to_point,
)
from parsers.tool_calls import (
    ToolCall,
    choose_action,
    read_call_text,
    read_labels,
    read_native_calls,
)

SCREEN_SPACE = PixelSpace()
_ALIASES = {
    "tap": "click",
    "double_click": "double_tap",
    "longpress": "long_press",
    "type": "input_text",
    "type_text": "input_text",
    "press_enter": "keyboard_enter",
    "press_home": "navigate_home",
    "press_back": "navigate_back",
    "open": "open_app",
}
_KNOWN = frozenset(
    (
        *("action_type", "action", "index", "x", "y", "box_2d", "text", "clear_text", "override"),
        *("submit", "direction", "app_name", "app", "goal_status", "seconds", "dist", "reason"),
        *("element_info", "point", "coordinate"),
    )
)
_COMPLETE = frozenset({"complete", "completed", "successful", "success", "task_complete"})
_INFEASIBLE = frozenset({"infeasible", "impossible", "failed", "failure", "task_impossible"})


class JsonAction(Dialect):
    """Base of the dialects that answer with one `action_type` object.

    `type_submits` says whether typing presses Enter at its end, unless the object says otherwise.
    """

    type_submits: ClassVar[bool] = True

    @abc.abstractmethod
    def read_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        """`point` or `element` of an object; empty where it names none."""

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, _is_action, expect_tag=False)
        action = choose_action(found.calls, reading, lambda call: self._read_object(call, reading))
        labels = read_labels(found.prose)
        context = {
            "cot": labels.get("reason") or labels.get("thought") or found.thought,
            "summary": labels.get("memory", ""),
        }
        return action.model_copy(update={key: said for key, said in context.items() if said})

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls = read_native_calls(reply.tool_calls)
        return choose_action(calls, reading, lambda call: self._read_object(call, reading))

    def _read_object(self, call: ToolCall, reading: Reading) -> Action:
        fields = _name_fields(call.arguments)
        reading.warn_unknown(name for name in fields if name not in _KNOWN)
        verb = fields.get("action_type", fields.get("action"))
        if verb is None and call.name:
            verb = call.name
        if verb is None or verb == "":
            raise Refused("no_action", "the object has no `action_type`", call.arguments)
        if not isinstance(verb, str):
            raise Refused("bad_arg", "`action_type` must be a word", verb)
        word = verb.strip().lower().replace(" ", "_").replace("-", "_")
        return self.read_action(_ALIASES.get(word, word), fields, reading)

    def read_action(self, verb: str, fields: Mapping[str, Any], reading: Reading) -> Action:
        """Read the fields of one verb.

        Raises:
            Refused: They are no action.
        """
        match verb:
            case "click":
                return Click.model_validate(self._need_target(fields, reading))
            case "double_tap":
                return DoubleClick.model_validate(self._need_target(fields, reading))
            case "long_press":
                return LongPress.model_validate(self._need_target(fields, reading))
            case "input_text":
                submit = fields.get("submit")
                return Type(
                    value=read_text(fields.get("text"), "text"),
                    clear=self._read_clear(fields),
                    submit=self.type_submits if submit is None else read_flag(submit, "submit"),
                    **self.read_target(fields, reading),
                )
            case "scroll" | "swipe":
                named = read_direction(fields.get("direction"), "direction")
                shown = named if verb == "scroll" else OPPOSITE[named]
                return Scroll(
                    direction=shown,
                    finger=OPPOSITE[shown],
                    **self.read_target(fields, reading),
                )
            case "keyboard_enter":
                return HotKey(key="ENTER")
            case "navigate_home":
                return Home()
            case "navigate_back":
                return Back()
            case "open_app":
                name = fields.get("app_name", fields.get("app", fields.get("text")))
                return Awake(value=_read_line(name, "app_name"))
            case "wait":
                seconds = fields.get("seconds")
                return Wait(value=DEFAULT_WAIT_S if seconds is None else read_seconds(seconds))
            case "answer":
                return Answer(value=_read_line(fields.get("text"), "text"))
            case "status":
                return _read_status(fields.get("goal_status"), fields.get("text"))
            case _:
                raise Refused("unknown_action", f"there is no action_type {verb[:40]!r}", verb)

    def _need_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        target = self.read_target(fields, reading)
        if not target:
            raise Refused("missing_arg", "the action lacks its target", fields)
        return target

    def _read_clear(self, fields: Mapping[str, Any]) -> bool:
        return read_flag(fields.get("clear_text", fields.get("override")), "clear_text")


def read_screen_point(fields: Mapping[str, Any], reading: Reading) -> Point | None:
    """x and y in pixels of the screenshot as it was taken; None where neither is there.

    Raises:
        Refused: `missing_arg` for one without the other, `bad_point` or `out_of_range`.
    """
    x, y = fields.get("x"), fields.get("y")
    if x is None and y is None:
        return None
    if x is None or y is None:
        raise Refused("missing_arg", "x and y belong together", fields)
    size = reading.context.screen_size or reading.context.sent_size
    return to_point([x, y], SCREEN_SPACE, size, "x, y")


def _is_action(value: Mapping[str, Any]) -> bool:
    return any(name in ("action_type", "action") for name in _name_fields(value))


def _name_fields(value: Mapping[str, Any]) -> dict[str, Any]:
    """Field names as the schema has them: `action type` and `actionType` are `action_type`."""
    fields: dict[str, Any] = {}
    for name, item in value.items():
        plain = name.strip().lower().replace(" ", "_").replace("-", "_")
        plain = "action_type" if plain == "actiontype" else plain
        if plain in fields and fields[plain] != item:
            raise Refused("conflict", f"`{plain}` is given twice with different values", item)
        fields[plain] = item
    return fields


def _read_line(value: object, name: str) -> str:
    text = read_text(value, name).strip()
    if not text:
        raise Refused("missing_arg", f"`{name}` is empty", "")
    return text


def _read_status(status: object, said: object) -> Action:
    if status is None or status == "":
        raise Refused("missing_arg", "`goal_status` is missing: complete or infeasible", "")
    word = str(status).strip().lower().replace(" ", "_")
    words = said.strip() if isinstance(said, str) else ""
    if word in _COMPLETE:
        return Complete.model_validate({"return": words})
    if word in _INFEASIBLE:
        return Abort(value=words)
    raise Refused("bad_arg", "`goal_status` must be complete or infeasible", status)

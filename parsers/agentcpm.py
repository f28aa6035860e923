"""agentcpm: AgentCPM-GUI, one compact JSON object per step.

`{"thought":"…","POINT":[x,y],…}`: POINT alone taps, with `to` it swipes (a direction is that of the
*finger*), with a `duration` over 200 ms it presses long; `duration` alone waits; times are
milliseconds. PRESS, TYPE and STATUS stand for themselves, and an act may carry the STATUS that ends
the task. 0-1000, one picture with a long side of at most 1120, no history. Source: the published
schema and evaluation of AgentCPM-GUI.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import (
    LONGPRESS_MAX_S,
    OPPOSITE,
    Abort,
    Action,
    Awake,
    Back,
    Click,
    Complete,
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
from parsers.base import (
    CoordinateSpace,
    ImageNeeds,
    Message,
    PromptRequest,
    RelativeSpace,
    Reply,
)
from parsers.dialect import Dialect
from parsers.errors import InvalidActionError
from parsers.keys import press
from parsers.prompt_blocks import describe_situation
from parsers.prompting import fill, image_part, message, need_prompt, part_of, text_part
from parsers.reading import Reading, Refused, from_point, read_direction, read_number, read_text
from parsers.tool_calls import ToolCall, choose_action, read_call_text, read_native_calls

CPM_SPACE = RelativeSpace(scale=1000, maximum=1000)
TAP_MAX_MS = 200
_ACTS = ("PRESS", "TYPE", "CLEAR", "DEEP_LINK")
_KEYS = {
    **{key.lower(): key for key in ("POINT", "PRESS", "TYPE", "STATUS", "CLEAR", "DEEP_LINK")},
    **{key: key for key in ("to", "duration", "thought")},
    "think": "thought",
    "deeplink": "DEEP_LINK",
}
_DIRECTIONS = ("up", "down", "left", "right")
_GOES_ON = ("continue", "start")
_ENDS = ("finish", "satisfied")


class AgentCpm(Dialect):
    """Reads and writes AgentCPM-GUI's objects and builds its prompt without history."""

    name = "agentcpm"
    title = "AgentCPM-GUI"
    models = "AgentCPM-GUI 8B"
    default_language = "zh"
    images = ImageNeeds(max_side_px=1120)

    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})

    @property
    def space(self) -> CoordinateSpace:
        return CPM_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """The schema, the question, the screen. The family has no history of steps."""
        prompt = need_prompt(self.prompt, self.name)
        question = fill(part_of(prompt, "user"), {"task": request.task})
        situation = describe_situation(prompt, request)
        text = f"{question}\n{situation}" if situation else question
        return [
            message("system", part_of(prompt, "system")),
            message(
                "user",
                [
                    text_part(f"{text}\n{part_of(prompt, 'screenshot')}"),
                    image_part(request.current.image),
                ],
            ),
        ]

    # --- reply ----------------------------------------------------------------------------

    def read(self, text: str, reading: Reading) -> Action:
        found = read_call_text(text, reading, lambda value: True, expect_tag=False)
        action = choose_action(found.calls, reading, lambda call: self._read_object(call, reading))
        if found.thought and not action.cot:
            action = action.model_copy(update={"cot": found.thought})
        return action

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        calls = read_native_calls(reply.tool_calls)
        return choose_action(calls, reading, lambda call: self._read_object(call, reading))

    def _read_object(self, call: ToolCall, reading: Reading) -> Action:
        fields, unknown = _name_fields(call.arguments)
        thought = fields.pop("thought", None)
        cot = thought.strip() if isinstance(thought, str) else ""
        act = _read_act(fields, reading)
        status = fields.get("STATUS")
        word = status.strip().lower() if isinstance(status, str) else status
        if word is None or word in _GOES_ON:
            if act is None:
                if unknown and word is None:
                    raise Refused(
                        "unknown_action",
                        "no such action; use POINT, to, duration, PRESS, TYPE or STATUS",
                        unknown[0],
                    )
                raise Refused("no_action", "the object has nothing to carry out", call.arguments)
            reading.warn_unknown(unknown)
            return act.model_copy(update={"cot": cot})
        end = _read_status(word, cot)
        reading.warn_unknown(unknown)
        if act is None:
            return end.model_copy(update={"cot": cot})
        if isinstance(end, Complete):
            return act.model_copy(update={"cot": cot, "then": "COMPLETE"})
        raise Refused("multiple_actions", f"an act together with STATUS {word}: give one", status)

    # --- writer ---------------------------------------------------------------------------

    def action2str(self, action: Action) -> str:
        """Write the object that means this action.

        Raises:
            InvalidActionError: AgentCPM has no word for it.
        """
        fields: dict[str, Any] = {"thought": action.cot} if action.cot else {}
        fields |= self._write_fields(action)
        if action.then is not None:
            fields["STATUS"] = "finish"
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))

    def _write_fields(self, action: Action) -> dict[str, Any]:
        match action:
            case Click():
                return {"POINT": self._write_point(action, action.point)}
            case LongPress():
                seconds = 1.0 if action.duration_s is None else action.duration_s
                if seconds * 1000 <= TAP_MAX_MS:
                    raise self._wordless(action)
                point = self._write_point(action, action.point)
                return {"POINT": point, "duration": round(seconds * 1000)}
            case Slide():
                fields: dict[str, Any] = {
                    "POINT": self._write_point(action, action.point1),
                    "to": self._write_point(action, action.point2),
                }
                if action.duration_s is not None:
                    fields["duration"] = round(action.duration_s * 1000)
                return fields
            case Scroll(distance=None):
                # The schema knows no swipe without a start: the middle stands for the screen.
                start = action.point or Point(x=500, y=500)
                return {"POINT": self._write_point(action, start), "to": action.finger}
            case Type(element=None, submit=False):
                fields = {}
                if action.point is not None:
                    fields["POINT"] = self._write_point(action, action.point)
                if action.clear:
                    fields["CLEAR"] = None
                return {**fields, "TYPE": action.value}
            case Back() | Home():
                return {"PRESS": action.action}
            case HotKey(key="ENTER"):
                return {"PRESS": "ENTER"}
            case HotKey(key="RECENT"):
                return {"PRESS": "APPSELECT"}
            case Wait():
                return {"duration": round(action.value * 1000)}
            case Complete(return_=""):
                return {"STATUS": "finish"}
            case Abort() if action.value in ("", action.cot):
                return {"STATUS": "impossible"}
            case Info():
                return {"thought": action.value, "STATUS": "need_feedback"}
            case TakeOver() | Awake() | _:
                raise self._wordless(action)

    def _write_point(self, action: Action, point: Point | None) -> list[int]:
        if point is None or action.confirm:
            raise self._wordless(action)
        return [round(value) for value in from_point(point, CPM_SPACE)]

    def _wordless(self, action: Action) -> InvalidActionError:
        return InvalidActionError(
            f"agentcpm has no word for this {action.action}; use another action or dialect",
            kind=action.action,
        )


def _name_fields(value: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Known fields under their names, and the names that nobody knows."""
    fields: dict[str, Any] = {}
    unknown = []
    for name, item in value.items():
        known = _KEYS.get(name.strip().lower())
        if known is None:
            unknown.append(name)
        elif known in fields and fields[known] != item:
            raise Refused("conflict", f"{known} is given twice with different values", item)
        else:
            fields[known] = item
    return fields, unknown


def _read_act(fields: Mapping[str, Any], reading: Reading) -> Action | None:
    """What is to be carried out, without the STATUS; None where there is nothing."""
    named = [name for name in _ACTS if name in fields]
    if named == ["TYPE", "CLEAR"]:
        named = ["TYPE"]
    if len(named) > 1 or (named and named != ["TYPE"] and "POINT" in fields):
        raise Refused("conflict", "several actions in one object: give one", ", ".join(fields))
    if "to" in fields and ("POINT" not in fields or named):
        if "POINT" in fields or named:
            raise Refused("conflict", "`to` goes with POINT alone", ", ".join(fields))
        raise Refused("missing_arg", "`to` needs POINT, the start of the swipe", fields["to"])
    if named == ["PRESS"]:
        return _read_press(fields["PRESS"])
    if named == ["TYPE"]:
        point = reading.point(fields["POINT"], "POINT") if "POINT" in fields else None
        text = read_text(fields["TYPE"], "TYPE")
        return Type(value=text, point=point, clear="CLEAR" in fields)
    if named:
        raise Refused("unknown_action", f"{named[0]} cannot be carried out here", named[0])
    if "POINT" in fields:
        return _read_gesture(fields, reading)
    if "duration" in fields:
        return Wait(value=_read_ms(fields["duration"]) / 1000)
    return None


def _read_gesture(fields: Mapping[str, Any], reading: Reading) -> Action:
    point = reading.point(fields["POINT"], "POINT")
    duration_ms = _read_ms(fields["duration"]) if "duration" in fields else None
    if "to" in fields:
        to = fields["to"]
        if isinstance(to, str) and (not to or to.strip().lower()[0] not in "0123456789-[(<{"):
            finger = read_direction(to, "to")
            return Scroll(point=point, direction=OPPOSITE[finger], finger=finger)
        seconds = None if not duration_ms else min(duration_ms / 1000, LONGPRESS_MAX_S)
        return Slide(point1=point, point2=reading.point(to, "to"), duration_s=seconds)
    if duration_ms is not None and duration_ms > TAP_MAX_MS:
        return LongPress(point=point, duration_s=min(duration_ms / 1000, LONGPRESS_MAX_S))
    return Click(point=point)


def _read_press(value: object) -> Action:
    if value is None or value == "":
        raise Refused("missing_arg", "PRESS is empty: HOME, BACK, ENTER or APPSELECT", "")
    match str(value).strip().upper():
        case "HOME":
            return press("HOME")
        case "BACK":
            return press("BACK")
        case "ENTER":
            return press("ENTER")
        case "APPSELECT":
            return press("RECENT")
        case _:
            raise Refused("bad_arg", "PRESS must be HOME, BACK, ENTER or APPSELECT", value)


def _read_ms(value: object) -> float:
    number = read_number(value, "duration")
    if number < 0:
        raise Refused("bad_arg", "`duration` is in milliseconds and cannot be negative", value)
    return number


def _read_status(word: object, thought: str) -> Action:
    if word in _ENDS:
        return Complete()
    if word in ("impossible", "interrupt"):
        return Abort(value=thought)
    if word == "need_feedback":
        # The schema has no field for the question: it is what the model thought.
        return Info(value=thought or "need_feedback")
    allowed = "continue, finish, satisfied, impossible, interrupt or need_feedback"
    raise Refused("bad_arg", f"STATUS must be {allowed}", word)

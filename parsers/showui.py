"""showui: ShowUI-2B: a Python dict, or several, with shares of the screen (0-1).

    {'action': 'TAP', 'value': None, 'position': [0.49, 0.42]}

Several dicts are a plan: the first is done, then the model looks again. Source: the model's quick
start and its navigation template.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import (
    Action,
    Click,
    Complete,
    HotKey,
    LongPress,
    Point,
    RejectionCode,
    Scroll,
    Slide,
    Type,
)
from parsers.base import (
    CoordinateSpace,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.dialect import Dialect
from parsers.json_reading import JsonFault, JsonObject, read_objects
from parsers.prompting import need_prompt
from parsers.reading import (
    Reading,
    Refused,
    opposite,
    read_direction,
    read_numbers,
    read_text,
    split_thought,
)
from parsers.single_turn import build_single_turn
from parsers.tool_calls import is_mentioned

_PYTHON_QUOTES = "quotes that are not JSON's"  # in this dialect they are the rule


class ShowUi(Dialect):
    """Reads ShowUI's dicts; one picture, the history as text."""

    name = "showui"
    title = "ShowUI"
    models = "ShowUI-2B"
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})

    @property
    def space(self) -> CoordinateSpace:
        return RelativeSpace(scale=1, maximum=1)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message with the history as text."""
        return build_single_turn(need_prompt(self.prompt, self.name), request, describe=_describe)

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        found = read_objects(rest)
        plan: list[Mapping[str, Any]] = []
        for item in found:
            if isinstance(item, JsonFault):
                if plan and not _is_stop(plan[0]):
                    reading.warn("the rest of the plan cannot be read")
                    break
                code: RejectionCode = item.code if item.started else "no_action"
                raise Refused(code, item.message, rest[item.start : item.end])
            if any(str(key).lower() == "action" for key in item.value):
                plan.append({str(key).lower(): value for key, value in item.value.items()})
                for repair in item.repairs:
                    if repair != _PYTHON_QUOTES:
                        reading.repair(repair)
        if not plan:
            raise Refused("no_action", "there is no dict with an 'action' in the reply", rest)
        first = plan[0]
        if _is_stop(first) and any(
            isinstance(item, JsonObject) and is_mentioned(rest, item) for item in found
        ):
            raise Refused("no_action", "an end is mentioned inside a sentence, not given", rest)
        if any(step != first and (_is_stop(step) or _is_stop(first)) for step in plan):
            raise Refused("multiple_actions", "an act and a stop in one reply", plan[-1])
        if any(step != first for step in plan):
            reading.warn("several actions in one reply: the first is taken")
        if reading.from_reasoning and rest[found[-1].end :].strip(" \t\n],.`"):
            raise Refused("no_action", "the reasoning does not end with a whole action", rest)
        known = ("action", "value", "position")
        reading.warn_unknown(key for key in first if key not in known)
        return _act(first, reading).model_copy(update={"cot": thought})


def _is_stop(step: Mapping[str, Any]) -> bool:
    return str(step.get("action", "")).strip().upper() == "ANSWER"


def _act(step: Mapping[str, Any], reading: Reading) -> Action:
    value, position = step.get("value"), step.get("position")
    name = str(step.get("action", "")).strip()
    match name.upper():
        case "CLICK" | "TAP" | "SELECT":
            return Click(point=_point(position, reading))
        case "LONG_PRESS" | "LONGPRESS":
            return LongPress(point=_point(position, reading))
        case "INPUT" | "TYPE":
            where = None if _is_blank(position) else _point(position, reading)
            return Type(value=read_text(value, "value"), point=where)
        case "ENTER":
            return HotKey(key="ENTER")
        case "SCROLL":
            direction = read_direction(value, "value")
            where = None if _is_blank(position) else _point(position, reading)
            return Scroll(direction=direction, finger=opposite(direction), point=where)
        case "SWIPE":
            return _swipe(position, reading)
        case "ANSWER":
            if "value" not in step:
                raise Refused("missing_arg", "`value` is missing: the answer, or None", "")
            return Complete(**{"return": "" if value is None else str(value)})
    raise Refused("unknown_action", "use TAP, INPUT, SWIPE, SCROLL, ENTER or ANSWER", name)


def _point(position: object, reading: Reading) -> Point:
    if _is_blank(position):
        raise Refused("missing_arg", "`position` is missing: [x, y]", "")
    return reading.point(position, "position")


def _swipe(position: object, reading: Reading) -> Slide:
    if _is_blank(position):
        raise Refused("missing_arg", "`position` is missing: [[x1, y1], [x2, y2]]", "")
    numbers = read_numbers(position, "position")
    if len(numbers) == 2:
        raise Refused("missing_arg", "a swipe needs two points: [[x1, y1], [x2, y2]]", position)
    if len(numbers) != 4:
        raise Refused("bad_point", "a swipe needs two points: [[x1, y1], [x2, y2]]", position)
    return Slide(
        point1=reading.point(numbers[:2], "position"), point2=reading.point(numbers[2:], "position")
    )


def _is_blank(position: object) -> bool:
    return position is None or position in ([], (), "", "None")


def _describe(action: Action) -> str:
    return action.meta.raw or action.action

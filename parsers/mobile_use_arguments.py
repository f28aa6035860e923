"""Arguments of a `mobile_use` call under any of the names that models give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.action import (
    LONGPRESS_MAX_S,
    OPPOSITE,
    Abort,
    Action,
    Back,
    Complete,
    Home,
    HotKey,
    Point,
    Scroll,
)
from parsers.reading import Reading, Refused, read_direction, read_seconds, read_text

POINT = (
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
POINT_2 = ("coordinate2", "end_coordinate", "point2", "end_point", "coordinate_2")
TEXT = ("text", "content", "value", "app", "app_name", "message")
TIME = ("time", "duration", "seconds")
VERB = ("action", "action_type")
OTHERS = ("x", "y", "button", "status", "direction", "key", "keys", "thought", "explain")
KNOWN = frozenset((*POINT, *POINT_2, *TEXT, *TIME, *VERB, *OTHERS))
SUCCESS = frozenset({"success", "successful", "succeeded", "complete", "completed"})
FAILURE = frozenset({"failure", "fail", "failed", "infeasible", "impossible"})


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
    value = pick(arguments, POINT)
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


def read_press_s(arguments: Mapping[str, Any], reading: Reading) -> float | None:
    """Seconds of a long press, capped; None where none are given."""
    value = pick(arguments, TIME)
    if value is None:
        return None
    seconds = read_seconds(value, "time")
    if seconds > LONGPRESS_MAX_S:
        reading.warn(f"a press of {seconds:g} s is shortened to {LONGPRESS_MAX_S:g} s")
        return LONGPRESS_MAX_S
    return seconds or None


def read_line(arguments: Mapping[str, Any]) -> str:
    """The text of a call without the space round it; it must not be empty."""
    text = read_text(pick(arguments, TEXT), "text").strip()
    if not text:
        raise Refused("missing_arg", "`text` is empty", "")
    return text


def read_button(value: object) -> Action:
    """The action of a system button: Back, Home, Menu (the apps in the background) or Enter."""
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
    said = str(pick(arguments, TEXT) or "").strip()
    word = str(status).strip().lower()
    if word in SUCCESS:
        return Complete(**{"return": said})
    if word in FAILURE:
        return Abort(value=said)
    raise Refused("bad_arg", "`status` must be success or failure", status)


def plain_number(number: float) -> int | float:
    """A whole number as int, so that it is written without `.0`."""
    return int(number) if number.is_integer() else number


def read_finger_scroll(arguments: Mapping[str, Any], reading: Reading) -> Scroll:
    """A swipe by the direction of the *finger*, from an optional point."""
    finger = read_direction(arguments.get("direction"), "direction")
    value = pick(arguments, POINT)
    point = None if value is None else reading.point(value, "coordinate")
    return Scroll(direction=OPPOSITE[finger], finger=finger, point=point)

"""Numbers, times, points and element numbers, in all the ways models write them.

One tolerant reader for all dialects; nothing here ever fills in a default target.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from parsers.action import POINT_MAX, Element, Point, Size
from parsers.base import CoordinateSpace, PixelSpace, RelativeSpace
from parsers.refusals import Refused
from parsers.wrappers import TOKENS

POINT_TEXT_MAX_CHARS = 400

# --- numbers --------------------------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})", re.ASCII)
_POINT_TAGS = re.compile(r"</?\s*(?:point|bbox|box|points|coordinate|position)\s*>", re.IGNORECASE)
_POINT_LABEL = re.compile(r"(?<![\w.])[xy]\d?\s*[:=]\s*(?=[-+.\d])", re.IGNORECASE)
_POINT_SPLIT = re.compile(r"[\s,，、;；]+")
_BRACKETS = str.maketrans(dict.fromkeys("()[]{}（）［］【】\"'“”‘’`", " "))


def read_number(value: object, name: str = "value") -> float:
    """Read one plain decimal number: sign, digits, point; no exponent, no `_`, no NaN, no bool.

    Raises:
        Refused: `bad_arg`, or `missing_arg` where there is nothing.
    """
    if isinstance(value, bool):
        raise Refused("bad_arg", f"`{name}` must be a number", value)
    if isinstance(value, int | float):
        if not _is_moderate(value):
            raise Refused("bad_arg", f"`{name}` must be a finite number", value)
        return float(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Refused("missing_arg", f"`{name}` is missing", "")
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value)
    raise Refused("bad_arg", f"`{name}` must be a number like 3 or 0.5", value)


_SECONDS = re.compile(
    r"\s*([+-]?\d{1,12}(?:\.\d{0,20})?)\s*"
    r"(milliseconds?|millis|msecs?|ms|毫秒|seconds?|secs?|s|秒钟?|minutes?|mins?|min|分钟?)?\s*\.?\s*",
    re.ASCII | re.IGNORECASE,
)


def read_seconds(value: object, name: str = "value") -> float:
    """Read a length of time: `3`, `"3 seconds"`, `3秒`, `500 ms`. Negative is refused.

    Raises:
        Refused: `bad_arg` or `missing_arg`.
    """
    factor = 1.0
    if isinstance(value, str) and len(value) <= 40:
        match = _SECONDS.fullmatch(value.strip(" \t\r\n\"'[]()"))
        if match and match.group(2):
            unit = match.group(2).lower()
            if unit.startswith(("mil", "ms")) or unit == "毫秒":
                factor = 0.001
            elif unit.startswith(("min", "分")):
                factor = 60.0
        value = match.group(1) if match else value
    number = read_number(value, name) * factor
    if number < 0:
        raise Refused("bad_arg", f"`{name}` is a time in seconds and cannot be negative", value)
    return number


def read_numbers(value: object, name: str = "point") -> list[float]:
    """Read the numbers of a point or a box in any of the ways models write them.

    Text (`x y`, `x,y`, `(x,y)`, `[[x,y]]`, `<point>x y</point>`, `<bbox>…`, box tokens, quotes,
    full-width punctuation), lists, nested lists, a `{"x": …, "y": …}` mapping.

    Raises:
        Refused: `missing_arg` where there is nothing, `bad_point` where it is no numbers.
    """
    numbers: list[float] = []
    _collect_numbers(value, name, numbers, 0)
    if not numbers:
        raise Refused("missing_arg", f"`{name}` is empty: give x and y", value)
    return numbers


def _collect_numbers(value: object, name: str, out: list[float], depth: int) -> None:
    if depth > 6 or len(out) > 16:
        raise Refused("bad_point", f"`{name}` is not one point", value)
    if isinstance(value, bool):
        raise Refused("bad_point", f"`{name}` must be two numbers", value)
    if value is None:
        return
    if isinstance(value, int | float):
        if not _is_moderate(value):
            raise Refused("bad_point", f"`{name}` must be two finite numbers", value)
        out.append(float(value))
    elif isinstance(value, str):
        out.extend(_numbers_in_text(value, name))
    elif isinstance(value, Mapping):
        keys = {str(key).lower(): item for key, item in value.items()}
        if not {"x", "y"} <= keys.keys():
            raise Refused("bad_point", f"`{name}` must have x and y", value)
        _collect_numbers(keys["x"], name, out, depth + 1)
        _collect_numbers(keys["y"], name, out, depth + 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _collect_numbers(item, name, out, depth + 1)
    else:
        raise Refused("bad_point", f"`{name}` must be two numbers", value)


def _is_moderate(value: int | float) -> bool:
    """Finite, and small enough to be a number on a screen (a huge int is no float at all)."""
    return abs(value) <= 10**12 if isinstance(value, int) else math.isfinite(value)


def _numbers_in_text(text: str, name: str) -> list[float]:
    if len(text) > POINT_TEXT_MAX_CHARS:
        raise Refused("bad_point", f"`{name}` is too long to be a point", text)
    plain = _POINT_TAGS.sub(" ", TOKENS.sub(" ", text)) if "<" in text else text
    plain = _POINT_LABEL.sub(" ", plain.translate(_BRACKETS))
    words = [word for word in _POINT_SPLIT.split(plain) if word]
    for word in words:
        if not _NUMBER.fullmatch(word):
            raise Refused("bad_point", f"`{name}` must be two plain numbers", text)
    return [float(word) for word in words]


def read_xy(value: object, name: str = "point") -> tuple[float, float, tuple[float, ...]]:
    """Read one point: two numbers, or the centre of a box of four.

    Returns:
        x, y, and all the numbers that were there (each must lie in the dialect's range).

    Raises:
        Refused: `missing_arg` or `bad_point`.
    """
    numbers = read_numbers(value, name)
    if len(numbers) == 2:
        return numbers[0], numbers[1], tuple(numbers)
    if len(numbers) == 4:
        x1, y1, x2, y2 = numbers
        return (x1 + x2) / 2, (y1 + y2) / 2, tuple(numbers)
    raise Refused(
        "bad_point", f"`{name}` has {len(numbers)} numbers: give x and y (or a box of four)", value
    )


# --- frames ---------------------------------------------------------------------------------


def to_point(
    value: object,
    space: CoordinateSpace,
    sent_size: Size | None = None,
    name: str = "point",
) -> Point:
    """Read a point and bring it into 0-1000 of the screenshot.

    A number outside the dialect's range is refused, never clamped, except the closing value itself
    (1000 of 1000, the width of the picture): that is the last pixel.

    Args:
        value: What the model wrote.
        space: The dialect's coordinate space.
        sent_size: Size of the picture that the model saw; pixel dialects need it.
        name: The argument's name, for messages.

    Raises:
        Refused: `missing_arg`, `bad_point` or `out_of_range`.
    """
    x, y, numbers = read_xy(value, name)
    if isinstance(space, RelativeSpace):
        max_x = max_y = space.maximum
        scale_x = scale_y = space.scale
    elif sent_size is None:
        raise Refused(
            "bad_point",
            f"`{name}` is in pixels, but the size of the picture that was sent is not known",
            value,
        )
    else:
        scale_x = max_x = float(sent_size.width_px)
        scale_y = max_y = float(sent_size.height_px)
    for place, number in enumerate(numbers):
        limit = max_x if place % 2 == 0 else max_y
        if not 0 <= number <= limit:
            axis = "x" if place % 2 == 0 else "y"
            raise Refused(
                "out_of_range",
                f"`{name}`: {axis}={number:g} is off the screen; {axis} runs from 0 to {limit:g}",
                value,
            )
    return Point(x=_share(x, scale_x), y=_share(y, scale_y))


def from_point(point: Point, space: CoordinateSpace, sent_size: Size | None = None) -> list[float]:
    """The inverse of `to_point`, for writers: whole numbers except in 0-1 spaces.

    Raises:
        ValueError: A pixel space without the sent size.
    """
    if isinstance(space, RelativeSpace):
        scale_x = scale_y = space.scale
    elif sent_size is None:
        raise ValueError("a point in pixels needs the size of the picture that was sent")
    else:
        scale_x, scale_y = float(sent_size.width_px), float(sent_size.height_px)
    digits = 4 if scale_x <= 1 else 0
    return [
        round(point.x * scale_x / POINT_MAX, digits),
        round(point.y * scale_y / POINT_MAX, digits),
    ]


def _share(value: float, scale: float) -> float:
    return min(round(value / scale * POINT_MAX, 4), POINT_MAX)


def name_space(space: CoordinateSpace) -> str:
    """A short name for logs: `relative-1000`, `pixels-28`, `elements-1`."""
    if isinstance(space, RelativeSpace):
        return f"relative-{space.scale:g}"
    if isinstance(space, PixelSpace):
        return f"pixels-{space.factor}"
    return f"elements-{space.base}"


ELEMENT_MAX = 999_999
_INDEX = re.compile(r"#?\s*(\d{1,6})", re.ASCII)


def to_element(
    value: object, base: int, element_count: int | None = None, name: str = "element"
) -> Element:
    """Read an element number: `7`, `"7"`, `#7`, `[7]`.

    Raises:
        Refused: `missing_arg`, or `bad_element` where it is no whole number or no such element.
    """
    while isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if value is None or (isinstance(value, str) and not value.strip()):
        raise Refused("missing_arg", f"`{name}` is missing: give the number of an element", "")
    index = -1
    if isinstance(value, int) and not isinstance(value, bool):
        index = value
    elif isinstance(value, float) and value.is_integer():
        index = int(value)
    elif isinstance(value, str):
        match = _INDEX.fullmatch(value.strip(" \t\r\n\"'“”‘’[]()"))
        index = int(match.group(1)) if match else -1
    exists = "" if element_count is None else _describe_range(base, element_count)
    if not base <= index <= ELEMENT_MAX or (
        element_count is not None and index >= base + element_count
    ):
        raise Refused("bad_element", f"`{name}` is not the number of an element{exists}", value)
    return Element(index=index, base=1 if base else 0)


def _describe_range(base: int, count: int) -> str:
    if count == 0:
        return "; there are no numbered elements on this screen"
    return f"; the elements {base}-{base + count - 1} exist"

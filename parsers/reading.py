"""Shared tolerant readers: tolerant where the meaning is plain, strict where it is not.

Everything here is pure and linear in the length of the reply. A reader that cannot read raises
`Refused`; `parsers.dialect.Dialect` turns that into a `Rejection`. Nothing here ever fills in a
default target.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from parsers.action import (
    OPPOSITE,
    POINT_MAX,
    ActionMeta,
    Direction,
    Element,
    Point,
    Rejection,
    RejectionCode,
    Size,
)
from parsers.base import CoordinateSpace, ElementSpace, PixelSpace, RelativeSpace, ReplyContext

REPLY_MAX_CHARS = 1_000_000
SPAN_MAX_CHARS = 200
POINT_TEXT_MAX_CHARS = 400


class Refused(Exception):
    """Raised inside readers where a reply cannot be read; never leaves `str2action`.

    Args:
        code: One of `RejectionCode`.
        message: What is wrong, then what would be right.
        span: The offending piece of the reply.
    """

    def __init__(self, code: RejectionCode, message: str, span: object = "") -> None:
        super().__init__(message)
        self.code: RejectionCode = code
        self.message = message
        self.span = clip(_show(span))

    def to_rejection(self, raw: str = "") -> Rejection:
        return Rejection(code=self.code, message=self.message, span=self.span, raw=raw)


def _show(span: object) -> str:
    try:
        return str(span)
    except ValueError:  # Python writes no integer of more than 4300 digits
        return "a huge number"


class Bare(str):
    """A value that stood in the reply without quotes (a word, a number, a list as it was)."""

    __slots__ = ()


class Cut(str):
    """A value that the end of the reply cut short, or that lost its closing quote."""

    __slots__ = ()


def clip(text: str, limit: int = SPAN_MAX_CHARS) -> str:
    """Cut `text` to `limit` characters, so that a hostile reply cannot flood a log or a prompt."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


# --- wrappers -------------------------------------------------------------------------------

_TOKENS = re.compile(
    r"<\|(?:begin_of_box|end_of_box|box_start|box_end|im_start|im_end|endoftext|eot_id|"
    r"end|begin_of_text|end_of_text|assistant|user|object_ref_start|object_ref_end)\|>"
    r"|</?s>|\[/?INST\]"
)
_FENCE = re.compile(r"^[ \t]*```[\w+-]*[ \t]*$", re.MULTILINE)
_WRAPPER_TAG = re.compile(
    r"</?\s{0,3}(?:answer|computer_env|output|response)\s{0,3}>", re.IGNORECASE
)
_EDGE = r"(?:" + _TOKENS.pattern + r"|" + _WRAPPER_TAG.pattern + r")"
_EDGE_START = re.compile(
    r"(?:\s|" + _EDGE + r"|```(?:[\w+-]{0,20}[ \t]{0,9}(?=\n))?)*+", re.IGNORECASE
)
_EDGE_END = re.compile(r"(?:" + _EDGE + r"|```)\Z", re.IGNORECASE)
_EDGES_MAX = 20
_THINK_TAG = re.compile(
    r"<\s{0,3}(/?)\s{0,3}(?:think(?:ing)?|thought|grounding_think)\s{0,3}>",
    re.IGNORECASE,
)


def strip_tokens(text: str) -> str:
    """Drop chat-template and box tokens, wherever they stand."""
    return _TOKENS.sub("", text) if "<" in text or "[" in text else text


def strip_fences(text: str) -> str:
    """Drop code-fence lines (and a fence that shares the first or last line); keep what is inside.

    A fence in the middle of a line may be text to type, and stays.
    """
    if "```" not in text:
        return text
    text = _FENCE.sub("", text).strip()
    if text.startswith("```"):
        text = re.sub(r"^```(?:json|python|text|xml|plaintext)?", "", text)
    return text.removesuffix("```").strip()


def strip_edges(text: str) -> str:
    """Take wrappers off both ends: template tokens, answer-like tags, code fences.

    What stands inside stays as it is: it may be text to type.
    """
    start = _EDGE_START.match(text)
    text = text[start.end() if start else 0 :].rstrip()
    for _ in range(_EDGES_MAX):
        end = _EDGE_END.search(text, max(0, len(text) - 60))
        if end is None:
            break
        text = text[: end.start()].rstrip()
    return text


def line_matches(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a pattern at the beginnings of lines (quicker than `(?:^|\\n)…`)."""
    position = 0
    while True:
        match = pattern.match(text, position)
        if match is not None:
            yield match
        position = text.find("\n", position) + 1
        if position == 0:
            return


class Thought(NamedTuple):
    """A reply split at its thinking: `thought`, and `rest`, where alone an action may stand."""

    thought: str
    rest: str


def split_thought(text: str) -> Thought:
    """Split `<think>…</think>` (or `<thinking>`, `<thought>`) off the front of a reply.

    Where opening and closing tags alternate, all that stands behind a closed block is the rest.
    Else the *last* closing tag ends the thinking, so that a thought which quotes a closing tag or
    a draft action never wins. An opened tag that is never closed swallows all that follows.
    """
    tags = list(_THINK_TAG.finditer(text)) if "<" in text else []
    closing = [tag for tag in tags if tag.group(1)]
    if not tags:
        return Thought("", text.strip())
    if not closing:
        return Thought(text[tags[0].end() :].strip(), text[: tags[0].start()].strip())
    if len(closing) > 1 and _alternate(tags):
        ends = [*(tag.start() for tag in tags[2::2]), len(text)]
        thoughts = [text[tags[n].end() : tags[n + 1].start()] for n in range(0, len(tags), 2)]
        rests = [text[close.end() : end] for close, end in zip(closing, ends, strict=True)]
        return Thought("\n".join(thoughts).strip(), "\n".join(rests).strip())
    end = closing[-1]
    return Thought(_THINK_TAG.sub(" ", text[: end.start()]).strip(), text[end.end() :].strip())


def _alternate(tags: Sequence[re.Match[str]]) -> bool:
    return len(tags) % 2 == 0 and all(bool(t.group(1)) == bool(n % 2) for n, t in enumerate(tags))


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
    plain = _POINT_TAGS.sub(" ", _TOKENS.sub(" ", text)) if "<" in text else text
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


# --- directions, texts, flags ---------------------------------------------------------------

_DIRECTIONS: dict[str, Direction] = {
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "上": "up",
    "下": "down",
    "左": "left",
    "右": "right",
    "向上": "up",
    "向下": "down",
    "向左": "left",
    "向右": "right",
}
_QUOTES = " \t\r\n\"'“”‘’[]()"


def read_direction(value: object, name: str = "direction") -> Direction:
    """Read up, down, left or right.

    Raises:
        Refused: `missing_arg` or `bad_arg`.
    """
    if value is None or (isinstance(value, str) and not value.strip(_QUOTES)):
        raise Refused("missing_arg", f"`{name}` is missing: up, down, left or right", "")
    found = _DIRECTIONS.get(value.strip(_QUOTES).lower()) if isinstance(value, str) else None
    if found is None:
        raise Refused("bad_arg", f"`{name}` must be up, down, left or right", value)
    return found


def opposite(direction: Direction) -> Direction:
    return OPPOSITE[direction]


def read_text(value: object, name: str = "text") -> str:
    """Read a text that must not be empty; numbers become their digits. It is never altered.

    Raises:
        Refused: `missing_arg`, or `bad_arg` where it is no text.
    """
    if isinstance(value, Cut):
        raise Refused("truncated", f"the reply was cut inside `{name}`", value)
    if value is None or value == "":
        raise Refused("missing_arg", f"`{name}` is empty", "")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise Refused("bad_arg", f"`{name}` must be a text", value)


def read_flag(value: object, name: str) -> bool:
    """Read true/false in the ways models write them; nothing means false.

    Raises:
        Refused: `bad_arg`.
    """
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    if value in (0, 1):
        return bool(value)
    if isinstance(value, str):
        word = value.strip(_QUOTES).lower()
        if word in ("true", "yes", "1", "是"):
            return True
        if word in ("false", "no", "0", "none", "", "否"):
            return False
    raise Refused("bad_arg", f"`{name}` must be true or false", value)


# --- one reply being read -------------------------------------------------------------------


@dataclass(slots=True)
class Reading:
    """One reply being read: its frame, and what was odd about it.

    Attributes:
        dialect: Name of the dialect.
        variant: Its variant.
        space: Its coordinate space.
        context: Facts about what was sent.
        from_reasoning: The content was empty and the reasoning is read instead: then the action
            must be the end of the text.
        repairs: What was mended, in a word or two each.
        warnings: What was ignored.
    """

    dialect: str
    variant: str | None
    space: CoordinateSpace
    context: ReplyContext
    from_reasoning: bool = False
    repairs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def point(self, value: object, name: str = "point") -> Point:
        """`to_point` in this dialect's space and the picture that was sent."""
        return to_point(value, self.space, self.context.sent_size, name)

    def element(self, value: object, name: str = "element") -> Element:
        """`to_element` with this dialect's base and the number of elements that were listed."""
        base = self.space.base if isinstance(self.space, ElementSpace) else 1
        return to_element(value, base, self.context.element_count, name)

    def repair(self, what: str) -> None:
        if what not in self.repairs:
            self.repairs.append(what)

    def warn(self, what: str) -> None:
        if what not in self.warnings:
            self.warnings.append(clip(what))

    def warn_unknown(self, names: Iterable[object]) -> None:
        """Unknown extra arguments are ignored, and said."""
        for name in names:
            self.warn(f"ignored the unknown argument {clip(str(name), 40)!r}")

    def meta(self, raw: str) -> ActionMeta:
        return ActionMeta(
            dialect=self.dialect,
            variant=self.variant,
            space=name_space(self.space),
            sent_size=self.context.sent_size,
            repairs=tuple(self.repairs),
            warnings=tuple(self.warnings[:20]),
            raw=raw,
        )

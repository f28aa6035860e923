"""Shared tolerant readers: tolerant where the meaning is plain, strict where it is not.

Everything here is pure and linear in the length of the reply. A reader that cannot read raises
`Refused`; `parsers.dialect.Dialect` turns that into a `Rejection`. A dialect needs no other module
for reading: what `points`, `refusals` and `wrappers` hold is named here too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from parsers.action import OPPOSITE, ActionMeta, Direction, Element, Point
from parsers.base import CoordinateSpace, ElementSpace, ReplyContext
from parsers.points import (
    from_point,
    name_space,
    read_number,
    read_numbers,
    read_seconds,
    read_xy,
    to_element,
    to_point,
)
from parsers.refusals import Bare, Cut, Refused, clip
from parsers.wrappers import (
    Thought,
    is_thinking_open,
    line_matches,
    split_thought,
    strip_edges,
    strip_fences,
    strip_tokens,
)

__all__ = [
    "REPLY_MAX_CHARS",
    "Bare",
    "Cut",
    "Reading",
    "Refused",
    "Thought",
    "clip",
    "from_point",
    "is_thinking_open",
    "line_matches",
    "opposite",
    "read_direction",
    "read_flag",
    "read_number",
    "read_numbers",
    "read_seconds",
    "read_text",
    "read_xy",
    "split_thought",
    "strip_edges",
    "strip_fences",
    "strip_tokens",
    "to_element",
    "to_point",
]

REPLY_MAX_CHARS = 1_000_000

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

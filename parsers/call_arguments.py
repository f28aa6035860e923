"""The arguments of a call: mapped to the parameters of its function, and read one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from parsers.action import WAIT_MAX_S, Direction, Element, Point
from parsers.call_reading import Call
from parsers.reading import (
    Bare,
    Cut,
    Reading,
    Refused,
    read_direction,
    read_flag,
    read_seconds,
)

_CODE = re.compile(r"[A-Za-z_][\w.]{0,80}\s?\(|__|\blambda\b|[;{}]")
_CALL_IN_TEXT = re.compile(r"[A-Za-z_][\w.]{0,80}\(|__\w|\blambda\b")
_WHOLE_POINT = re.compile(r"\s*(?:[(\[（［<].*[)\]）］>])\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a function.

    Attributes:
        name: Its name.
        aliases: Its other names.
        is_point: Two bare numbers in its place are one point.
        is_text: Unquoted, it may hold commas, if it is the last one.
    """

    name: str
    aliases: tuple[str, ...] = ()
    is_point: bool = False
    is_text: bool = False


def param(names: str, *, is_point: bool = False, is_text: bool = False) -> Param:
    """`param("start_box point")`: the first word is the name, the others are aliases."""
    first, *aliases = names.split()
    return Param(first, tuple(aliases), is_point, is_text)


def bind(call: Call, signature: Iterable[Param], reading: Reading) -> dict[str, object]:
    """Map a call's arguments to the parameters of its function.

    Two bare numbers in the place of a point are one point: `click(500, 320)`.

    Raises:
        Refused: `conflict` where a parameter is given twice, `bad_arg` for too many positionals.
    """
    params = list(signature)
    call = _join_unquoted(call, params)
    by_name = {name: p for p in params for name in (p.name, *p.aliases)}
    values: dict[str, object] = {}
    loose: list[object] = []
    last: Param | None = None
    for keyword, value in call.arguments:
        if keyword is None:
            if last is not None and last.is_point and isinstance(values[last.name], Bare):
                # `box=500,320`: the rest of a point whose brackets are lost
                values[last.name] = _join(values[last.name], value)
            else:
                loose.append(value)
            continue
        found = by_name.get(keyword.lower())
        if found is None:
            reading.warn_unknown([keyword])
            continue
        if found.name in values and values[found.name] != value:
            raise Refused("conflict", f"`{found.name}` is given twice", value)
        values[found.name] = value
        last = found
    free = [p for p in params if p.name not in values]
    while loose:
        if not free and isinstance(loose[0], Cut) and not loose[0]:
            break  # cut behind the last argument: there was nothing more to come
        if not free:
            raise Refused("bad_arg", f"`{call.name}` has too many arguments", loose[0])
        target = free.pop(0)
        value = loose.pop(0)
        if target.is_point and _is_bare_number(value) and loose and _is_bare_number(loose[0]):
            value = _join(value, loose.pop(0))
        values[target.name] = value
    return values


def _join_unquoted(call: Call, params: list[Param]) -> Call:
    """`type(3, hello, world)`: the commas belong to the text, which is the last parameter."""
    place = len(params) - 1
    if not params or not params[-1].is_text or len(call.arguments) <= len(params):
        return call
    if len(call.rests) != len(call.arguments):  # a damaged call, or not one that was written
        return call
    names = (params[-1].name, *params[-1].aliases)
    keywords = [keyword for keyword, _ in call.arguments]
    if any(isinstance(keyword, str) for keyword in keywords[place + 1 :]):
        return call
    keyword, value = call.arguments[place]
    if not isinstance(value, Bare) or (keyword is not None and keyword.lower() not in names):
        return call
    joined = (*call.arguments[:place], (keyword, Bare(call.rests[place])))
    return replace(call, arguments=joined)


def _is_bare_number(value: object) -> bool:
    return isinstance(value, Bare | Cut | int | float) and bool(
        re.fullmatch(r"\s*[+-]?[\d.]+\s*", str(value), re.ASCII)
    )


def _join(first: object, second: object) -> str:
    joined = f"{first},{second}"
    return Cut(joined) if isinstance(second, Cut) else Bare(joined)


class Arguments:
    """The bound arguments of one call, read one by one with the right refusals."""

    def __init__(self, values: Mapping[str, object], cut: bool, reading: Reading) -> None:
        self._values = values
        self._cut = cut
        self._reading = reading

    def has(self, name: str) -> bool:
        """Whether the argument is there and not empty (`None`, `''`, `[]` are empty).

        One that the end of the reply cut short is there, even if nothing of it came.
        """
        value = self._values.get(name)
        if isinstance(value, Cut):
            return True
        if isinstance(value, Bare):
            return value.strip().lower() not in ("", "none", "null", "[]", "()")
        return value is not None and value not in ("", [], ())

    def raw(self, name: str) -> object:
        """The value as it was written; None where it is absent.

        Raises:
            Refused: `truncated` where the reply was cut inside it, `bad_arg` where it is code.
        """
        value = self._values.get(name)
        if isinstance(value, Cut):
            raise Refused("truncated", f"the reply was cut inside `{name}`", value)
        if value is None and self._cut:
            raise Refused("truncated", f"the reply was cut before `{name}`", "")
        if isinstance(value, Bare) and _CODE.search(value):
            raise Refused("bad_arg", f"`{name}` must be a plain value, not code", value)
        return value

    def whole_point(self, name: str) -> object:
        """The raw value of a point: one that lost its quote is whole if its brackets are."""
        value = self._values.get(name)
        if isinstance(value, Cut) and _WHOLE_POINT.fullmatch(value):
            self._reading.repair("the closing quote is missing")
            return str(value)
        return self.raw(name)

    def text(self, name: str) -> str:
        """A text that must be there; one without quotes is taken as it stands.

        Raises:
            Refused: `missing_arg`, `bad_arg` or `truncated`.
        """
        value = self._values.get(name)
        if not isinstance(value, Bare):
            value = self.raw(name)
        elif _CALL_IN_TEXT.search(value):
            raise Refused("bad_arg", f"`{name}` must be a plain text, not code", value)
        if not self.has(name):
            raise Refused("missing_arg", f"`{name}` is missing or empty", "")
        if isinstance(value, Bare):
            self._reading.repair(f"`{name}` without quotes")
        return str(value)

    def optional_text(self, name: str) -> str:
        if not self.has(name):
            return ""
        return self.text(name)

    def point(self, name: str) -> Point:
        """A point in the dialect's space.

        Raises:
            Refused: `missing_arg`, `bad_point`, `out_of_range` or `truncated`.
        """
        value = self.whole_point(name)
        if value is None:
            raise Refused("missing_arg", f"`{name}` is missing: give x and y", "")
        return self._reading.point(value, name)

    def optional_point(self, name: str) -> Point | None:
        return self.point(name) if self.has(name) else None

    def element(self, name: str) -> Element:
        return self._reading.element(self.raw(name), name)

    def direction(self, name: str) -> Direction:
        return read_direction(self.raw(name), name)

    def flag(self, name: str) -> bool:
        return read_flag(self.raw(name), name) if name in self._values else False

    def seconds(self, name: str, default_s: float | None = None) -> float:
        """A time in seconds; `default_s` where the dialect lets a wait go without one."""
        if default_s is not None and not self.has(name):
            return default_s
        length_s = read_seconds(self.raw(name), name)
        if length_s > WAIT_MAX_S:
            self._reading.warn(f"{length_s:g} s is longer than the longest wait")
        return length_s

"""Noticing that an agent goes round in circles: the same action on the same screen, again."""

from __future__ import annotations

import io
from collections import deque
from dataclasses import dataclass, replace

from PIL import Image

from parsers.action import Action, Point

TELL_AT = 3
END_AT = 5

FINGERPRINT_GRID = (32, 64)
"""Columns and rows of a screen's fingerprint."""
_STATUS_BAR_SHARE = 0.05
_CELL_TOLERANCE = 24
"""How far a cell's brightness (0-255) may move: less than a blinking cursor moves it twice."""
_CELLS_TOLERANCE = 2
"""How many cells may differ: a cursor touches two, the knob of a switch at least four."""
_POINT_TOLERANCE = 15.0
"""How far two points (0-1000) may be apart and still mean the same thing."""
_MEMORY = 64


def fingerprint_screen(data: bytes) -> bytes:
    """A perceptual hash of a screenshot: brightness of 32 x 64 cells, status bar left out.

    The clock and the battery change while nothing happens, so the top of the picture is cut off.
    """
    with Image.open(io.BytesIO(data)) as picture:
        top = round(picture.height * _STATUS_BAR_SHARE)
        gray = picture.convert("L")
    cells = gray.resize(
        FINGERPRINT_GRID,
        Image.Resampling.BOX,
        box=(0, top, gray.width, gray.height),
        reducing_gap=2.0,
    )
    return cells.tobytes()


def looks_same(one: bytes, other: bytes) -> bool:
    """Whether two fingerprints are of the same screen, but for a cursor."""
    if one == other:
        return True
    differing = sum(abs(a - b) > _CELL_TOLERANCE for a, b in zip(one, other, strict=True))
    return differing <= _CELLS_TOLERANCE


def is_same_action(one: Action, other: Action) -> bool:
    """Whether two actions do the same: their words apart, points within a finger's breadth."""
    if one.action != other.action:
        return False
    left, right = _deed(one), _deed(other)
    if left.keys() != right.keys():
        return False
    return all(_is_close(left[name], right[name]) for name in left)


def _deed(action: Action) -> dict[str, object]:
    words = {"cot", "explain", "summary", "meta", "confirm", "then"}
    return {name: getattr(action, name) for name in type(action).model_fields if name not in words}


def _is_close(one: object, other: object) -> bool:
    if isinstance(one, Point) and isinstance(other, Point):
        return max(abs(one.x - other.x), abs(one.y - other.y)) <= _POINT_TOLERANCE
    return one == other


@dataclass(frozen=True, slots=True)
class _Deed:
    action: Action
    screen: bytes
    times: int


class LoopRule:
    """Counts how often the same action met the same screen, over the last 64 different ones."""

    def __init__(self) -> None:
        self._seen: deque[_Deed] = deque(maxlen=_MEMORY)

    def count(self, action: Action, screen: bytes) -> int:
        """How many times this action was chosen on this screen, this time included."""
        for deed in self._seen:
            if is_same_action(deed.action, action) and looks_same(deed.screen, screen):
                self._seen.remove(deed)
                self._seen.append(replace(deed, times=deed.times + 1))
                return deed.times + 1
        self._seen.append(_Deed(action, screen, 1))
        return 1

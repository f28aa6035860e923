"""Rectangles in display pixels."""

from __future__ import annotations

from typing import NamedTuple


class Rect(NamedTuple):
    """Half-open rectangle: `right` and `bottom` are outside it."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Width in pixels; negative when inverted."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Height in pixels; negative when inverted."""
        return self.bottom - self.top

    @property
    def empty(self) -> bool:
        """Holds no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    def contains(self, x: float, y: float) -> bool:
        """The point lies inside."""
        return self.left <= x < self.right and self.top <= y < self.bottom

    def intersect(self, other: Rect) -> Rect:
        """What both cover; empty (maybe inverted) when they do not touch."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

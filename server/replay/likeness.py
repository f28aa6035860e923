"""How alike two screens are: as pictures, and by what stands on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from device.protocol import UiTree
from server.loop_rule import fingerprint_screen

CELL_TOLERANCE = 24
"""How far the brightness (0-255) of a cell may be off and still count as the same."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """Shares from 0 to 1; `tree` is None where one of the screens has none."""

    image: float
    tree: float | None = None

    @property
    def score(self) -> float:
        """The mean of what was measured."""
        return self.image if self.tree is None else (self.image + self.tree) / 2


def compare_pictures(one: bytes, other: bytes) -> float:
    """Share of the cells (32 x 64, status bar left out) that are as bright; any two sizes.

    Args:
        one: A picture's file.
        other: Another's.
    """
    cells = list(zip(fingerprint_screen(one), fingerprint_screen(other), strict=True))
    return sum(abs(a - b) <= CELL_TOLERANCE for a, b in cells) / len(cells)


def compare_trees(one: UiTree | None, other: UiTree | None) -> float | None:
    """Share of the named nodes (class, id, words) that both have; None without both trees."""
    if one is None or other is None:
        return None
    left, right = _traits(one), _traits(other)
    every = (left | right).total()
    return (left & right).total() / every if every else None


def _traits(tree: UiTree) -> Counter[tuple[str, str, str]]:
    """What tells a screen from another; places are left out: screens differ in size."""
    return Counter(
        (node.class_name, node.resource_id.rpartition("/")[2], node.text or node.content_desc)
        for node in tree.nodes()
        if not node.bounds.is_empty and (node.text or node.content_desc or node.resource_id)
    )

"""How alike two screens are: as pictures, and by what stands on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from device.protocol import UiTree
from server.loop.rule import FINGERPRINT_GRID, fingerprint_screen


@dataclass(frozen=True, slots=True)
class Likeness:
    """Shares from 0 to 1.

    Attributes:
        image: Of what is drawn.
        tree: Of what is named; None where one of the screens gives no tree.
        is_same_size: Whether the pictures measure the same: on another size the same page is laid
            out anew, and its picture says little.
    """

    image: float
    tree: float | None = None
    is_same_size: bool = True

    @property
    def score(self) -> float:
        """The mean of both; the tree alone on another size; the picture alone without trees."""
        if self.tree is None:
            return self.image
        return (self.image + self.tree) / 2 if self.is_same_size else self.tree


def compare_pictures(one: bytes, other: bytes) -> float:
    """Share of the edges that both have: where it becomes brighter or darker, and by how much.

    Plain brightness would call two white pages alike whatever is written on them. The status bar is
    left out.

    Args:
        one: A picture's file.
        other: Another's.
    """
    shared = every = 0
    for a, b in zip(
        _edges(fingerprint_screen(one)), _edges(fingerprint_screen(other)), strict=True
    ):
        every += max(abs(a), abs(b))
        shared += min(abs(a), abs(b)) if a * b > 0 else 0
    return shared / every if every else 1.0


def compare_trees(one: UiTree | None, other: UiTree | None) -> float | None:
    """Share of the named nodes (class, id, words) that both have; None without both trees."""
    if one is None or other is None:
        return None
    left, right = _traits(one), _traits(other)
    every = (left | right).total()
    return (left & right).total() / every if every else None


def _edges(cells: bytes) -> Iterator[int]:
    """The steps in brightness from each cell to the next one across and down."""
    columns, rows = FINGERPRINT_GRID
    for row in range(rows):
        for column in range(columns):
            at = row * columns + column
            if column + 1 < columns:
                yield cells[at + 1] - cells[at]
            if row + 1 < rows:
                yield cells[at + columns] - cells[at]


def _traits(tree: UiTree) -> Counter[tuple[str, str, str]]:
    """What tells a screen from another; places are left out: screens differ in size."""
    return Counter(
        (node.class_name, node.resource_id.rpartition("/")[2], node.text or node.content_desc)
        for node in tree.nodes()
        if not node.bounds.is_empty and (node.text or node.content_desc or node.resource_id)
    )

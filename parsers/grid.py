"""A grid over the screen: numbered cells for places that no element has, and the parts of a cell.

The parts (`center`, `top-left`, ...) and where they lie, a quarter in from the cell's edges, are
those of AppAgent's published scripts.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.action import POINT_MAX, Element, Point, Size
from parsers.base import ReplyContext, ScreenElement

GRID_COLUMNS = 6
"""Cells across the shorter side; they are near to square."""
_ACROSS = {"left": 0.25, "center": 0.5, "right": 0.75}
_DOWN = {"top": 0.25, "center": 0.5, "bottom": 0.75}
SUBAREAS: dict[str, tuple[float, float]] = {
    "center": (0.5, 0.5),
    **{name: (share, 0.5) for name, share in _ACROSS.items() if name != "center"},
    **{name: (0.5, share) for name, share in _DOWN.items() if name != "center"},
    **{
        f"{down}-{across}": (_ACROSS[across], _DOWN[down])
        for down in ("top", "bottom")
        for across in ("left", "right")
    },
}
"""The part of a cell -> how far across and down it lies, as shares of the cell."""


def grid_cells(screen: Size, base: int) -> tuple[ScreenElement, ...]:
    """The cells of a grid over the whole screen, row by row from the top left.

    Args:
        screen: Size of the screenshot.
        base: The first number.
    """
    rows = max(1, round(GRID_COLUMNS * screen.height_px / screen.width_px))
    columns = GRID_COLUMNS
    if screen.width_px > screen.height_px:
        rows, columns = columns, max(1, round(columns * screen.width_px / screen.height_px))
    wide, high = POINT_MAX / columns, POINT_MAX / rows
    return tuple(
        ScreenElement(
            index=base + row * columns + column,
            label=f"row {row + 1}, column {column + 1}",
            kind="Area",
            bounds=(column * wide, row * high, (column + 1) * wide, (row + 1) * high),
            clickable=True,
        )
        for row in range(rows)
        for column in range(columns)
    )


def point_in(cell: ScreenElement, subarea: str) -> Point:
    """The place of a part of a cell; `subarea` is one of `SUBAREAS`."""
    left, top, right, bottom = cell.bounds
    across, down = SUBAREAS[subarea]
    return Point(x=left + across * (right - left), y=top + down * (bottom - top))


def find_cell(element: Element, context: ReplyContext) -> ScreenElement | None:
    """The cell that a number means: of the list that was shown, else of a grid over this screen.

    None where neither is known, or the list that was shown is of another length than the grid.
    """
    cells: Sequence[ScreenElement] | None = context.elements
    if cells is None and (size := context.screen_size or context.sent_size) is not None:
        cells = grid_cells(size, element.base)
        if context.element_count not in (None, len(cells)):
            return None
    if cells is None or not 0 <= element.position < len(cells):
        return None
    return cells[element.position]

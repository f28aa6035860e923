"""Finds what a finger touches."""

from __future__ import annotations

from collections.abc import Callable

from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.typeface import line_height, measure_width
from device.virtual_phone.ui.view import View


def find(box: Box, x: float, y: float, wanted: Callable[[View], bool]) -> Box | None:
    """The front-most box at a point that is wanted; views that are not let the touch through."""
    if not box.visible.contains(x, y):
        return None
    for child in reversed(box.children):
        found = find(child, x, y, wanted)
        if found is not None:
            return found
    return box if wanted(box.view) else None


def scroll_at(root: Box, x: float, y: float) -> Box | None:
    """The innermost container at a point that has something to scroll."""
    best = None
    for box in root.walk():
        if box.view.kind == "scroll" and box.limit_px and box.visible.contains(x, y):
            best = box
    return best


def hidden_below_px(root: Box, key: str) -> tuple[str, int] | None:
    """How far a field's end lies below what its scroll container shows.

    Returns:
        The container's scroll key and the pixels; None when the field is not in a container.
    """
    for outer in root.walk():
        if outer.view.kind != "scroll":
            continue
        for box in outer.walk():
            if box.view.kind == "field" and box.view.key == key:
                text_px = line_height(box.size_px) * (len(box.lines) + 1)
                end = min(box.bounds.bottom, box.bounds.top + text_px)
                return outer.view.key, max(0, end - outer.visible.bottom)
    return None


def slider_value(box: Box, x: float, scale: float) -> float:
    """Position of a slider, 0..1, when the finger is at `x`."""
    thumb_px = 10 * scale
    span = box.bounds.width - 2 * thumb_px
    return max(0.0, min(1.0, (x - box.bounds.left - thumb_px) / max(1.0, span)))


def caret_at(box: Box, x: float, y: float, scale: float) -> int:
    """Index of the character boundary of a field that is nearest to a point."""
    words = box.view.text
    if not words:
        return 0
    top = box.bounds.top + box.view.padding.top * scale
    row = int(max(0.0, y - top) // line_height(box.size_px))
    row = min(row, len(box.lines) - 1)
    start = 0
    for line in box.lines[:row]:
        start += len(line)
        while start < len(words) and words[start] in " \n":
            start += 1
    left = box.bounds.left + box.view.padding.left * scale
    line = box.lines[row]
    distances = [
        abs(left + measure_width(line[:index], box.size_px) - x) for index in range(len(line) + 1)
    ]
    return start + distances.index(min(distances))

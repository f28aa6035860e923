"""Places a view tree on the screen: every view gets its box in display pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from device.virtual_phone.ui.geometry import Rect
from device.virtual_phone.ui.typeface import break_lines, line_height, measure_width
from device.virtual_phone.ui.view import FILL, View

_UNBOUNDED = 1 << 24
_FIXED_SIZE = {"switch": (52, 32), "check": (24, 24), "radio": (24, 24), "slider": (120, 44)}


@dataclass(frozen=True, slots=True)
class Box:
    """A view with its place.

    Attributes:
        bounds: Where it would be without clipping.
        clip: What its ancestors leave visible.
        lines: Text as broken into lines.
        size_px: Text size in pixels.
        offset_px: Scroll containers: how far the content has moved up.
        limit_px: Scroll containers: the largest offset.
    """

    view: View
    bounds: Rect
    clip: Rect
    children: tuple[Box, ...] = ()
    lines: tuple[str, ...] = ()
    size_px: int = 0
    offset_px: int = 0
    limit_px: int = 0

    @property
    def visible(self) -> Rect:
        """The part that can be seen."""
        return self.bounds.intersect(self.clip)

    def walk(self) -> Iterator[Box]:
        """This box and all below it, in painting order."""
        yield self
        for child in self.children:
            yield from child.walk()


class Layout:
    """One layout pass.

    Args:
        scale: Pixels per dp.
        font_scale: The user's text size; 1 = normal.
        offsets_px: Scroll position by scroll key.
    """

    def __init__(
        self, scale: float, font_scale: float = 1, offsets_px: Mapping[str, int] | None = None
    ) -> None:
        self._scale = scale
        self._text_scale = scale * font_scale
        self._offsets_px = offsets_px or {}
        self._measured: dict[tuple[int, int], tuple[int, int]] = {}

    def place(self, view: View, bounds: Rect, clip: Rect | None = None) -> Box:
        """Lays out a tree inside `bounds`."""
        clip = bounds if clip is None else clip
        if view.kind in ("text", "field"):
            return self._place_text(view, bounds, clip)
        if view.kind == "scroll":
            return self._place_scroll(view, bounds, clip)
        if view.kind == "stack":
            children = self._place_stack(view, bounds, clip)
        elif view.kind == "row":
            children = self._place_row(view, bounds, clip)
        else:
            children = self._place_column(view, bounds, clip)
        return Box(view, bounds, clip, children)

    def measure(self, view: View, room_px: int) -> tuple[int, int]:
        """Width and height that a view takes when it may be `room_px` wide."""
        key = (id(view), room_px)
        known = self._measured.get(key)
        if known is None:
            known = self._measured[key] = self._measure(view, room_px)
        return known

    def _px(self, dp: float) -> int:
        return round(dp * self._scale)

    def _text_px(self, view: View) -> int:
        return max(1, round(view.size * self._text_scale))

    def _padding(self, view: View) -> tuple[int, int, int, int]:
        p = view.padding
        return self._px(p.left), self._px(p.top), self._px(p.right), self._px(p.bottom)

    def _inner(self, view: View, bounds: Rect) -> Rect:
        left, top, right, bottom = self._padding(view)
        return Rect(
            bounds.left + left, bounds.top + top, bounds.right - right, bounds.bottom - bottom
        )

    def _measure(self, view: View, room_px: int) -> tuple[int, int]:
        left, top, right, bottom = self._padding(view)
        width_px = room_px
        if view.width is not None and view.width != FILL:
            width_px = min(room_px, self._px(view.width))
        inner_px = max(0, width_px - left - right)
        natural_w, natural_h = self._natural(view, inner_px)
        if view.width is None:
            width_px = min(room_px, natural_w + left + right)
        height_px = natural_h + top + bottom
        if view.height is not None and view.height != FILL:
            height_px = self._px(view.height)
        return width_px, height_px

    def _natural(self, view: View, inner_px: int) -> tuple[int, int]:
        """Size of the content."""
        if view.kind in ("text", "field"):
            return self._measure_text(view, inner_px)
        if view.kind in _FIXED_SIZE:
            width, height = _FIXED_SIZE[view.kind]
            return self._px(width), self._px(height)
        if not view.children:
            return 0, 0
        if view.kind == "row":
            widths = self._row_widths(view, inner_px)
            heights = [self.measure(c, w)[1] for c, w in zip(view.children, widths, strict=True)]
            return sum(widths) + self._gaps(view), max(heights)
        sizes = [self.measure(child, inner_px) for child in view.children]
        widest = max(w for w, _ in sizes)
        if view.kind == "stack":
            return widest, max(h for _, h in sizes)
        return widest, sum(h for _, h in sizes) + self._gaps(view)

    def _gaps(self, view: View) -> int:
        return self._px(view.gap) * (len(view.children) - 1)

    def _measure_text(self, view: View, inner_px: int) -> tuple[int, int]:
        size_px = self._text_px(view)
        words = view.text or view.hint
        # Half a pixel of slack: a text must fit in the width that it was measured to need.
        lines = break_lines(words, size_px, inner_px + 0.5, view.max_lines)
        widest = max(measure_width(line, size_px) for line in lines)
        return min(inner_px, int(widest) + 1), line_height(size_px) * len(lines)

    def _row_widths(self, view: View, inner_px: int) -> list[int]:
        """Widths of a row's children: own size first, the rest shared by weight."""
        left_px = inner_px - self._gaps(view)
        widths = [0] * len(view.children)
        weights = [_share(child.weight, child.width) for child in view.children]
        shared = [i for i, weight in enumerate(weights) if weight]
        for i, child in enumerate(view.children):
            if not weights[i]:
                widths[i] = self.measure(child, max(0, left_px))[0]
                left_px -= widths[i]
        total = sum(weights)
        left_px = max(0, left_px)
        for i in shared:
            widths[i] = int(left_px * weights[i] / total)
        return widths

    def _place_row(self, view: View, bounds: Rect, clip: Rect) -> tuple[Box, ...]:
        if not view.children:
            return ()
        inner = self._inner(view, bounds)
        widths = self._row_widths(view, inner.width)
        gap_px = self._px(view.gap)
        spare_px = inner.width - sum(widths) - self._gaps(view)
        x, gap_px = self._justified(view, inner.left, spare_px, gap_px)
        boxes = []
        for child, width_px in zip(view.children, widths, strict=True):
            height_px = inner.height
            if child.height != FILL:
                height_px = min(self.measure(child, width_px)[1], inner.height)
            y = inner.top + self._aligned(view, inner.height - height_px)
            boxes.append(self.place(child, Rect(x, y, x + width_px, y + height_px), clip))
            x += width_px + gap_px
        return tuple(boxes)

    def _place_column(self, view: View, bounds: Rect, clip: Rect) -> tuple[Box, ...]:
        if not view.children:
            return ()
        inner = self._inner(view, bounds)
        gap_px = self._px(view.gap)
        sizes = [self.measure(child, inner.width) for child in view.children]
        weights = [_share(child.weight, child.height) for child in view.children]
        total = sum(weights)
        fixed = sum(h for w, (_, h) in zip(weights, sizes, strict=True) if not w)
        spare_px = inner.height - fixed - self._gaps(view)
        shared_px = max(0, spare_px)
        y = inner.top
        if not total:
            y, gap_px = self._justified(view, inner.top, spare_px, gap_px)
        boxes = []
        for child, weight, (width_px, height_px) in zip(view.children, weights, sizes, strict=True):
            if weight:
                height_px = int(shared_px * weight / total)
            x = inner.left + self._aligned(view, inner.width - width_px)
            boxes.append(self.place(child, Rect(x, y, x + width_px, y + height_px), clip))
            y += height_px + gap_px
        return tuple(boxes)

    def _place_stack(self, view: View, bounds: Rect, clip: Rect) -> tuple[Box, ...]:
        inner = self._inner(view, bounds)
        boxes = []
        for child in view.children:
            width_px, height_px = self.measure(child, inner.width)
            if child.height == FILL or child.weight:
                height_px = inner.height
            x = inner.left + self._aligned(view, inner.width - width_px)
            y, _ = self._justified(view, inner.top, inner.height - height_px, 0)
            boxes.append(self.place(child, Rect(x, y, x + width_px, y + height_px), clip))
        return tuple(boxes)

    def _place_scroll(self, view: View, bounds: Rect, clip: Rect) -> Box:
        inner = self._inner(view, bounds)
        child = view.children[0]
        height_px = max(self.measure(child, inner.width)[1], inner.height)
        limit_px = max(0, height_px - inner.height)
        offset_px = max(0, min(limit_px, self._offsets_px.get(view.key, 0)))
        top = inner.top - offset_px
        content = Rect(inner.left, top, inner.right, top + height_px)
        placed = self.place(child, content, clip.intersect(bounds))
        return Box(view, bounds, clip, (placed,), offset_px=offset_px, limit_px=limit_px)

    def _place_text(self, view: View, bounds: Rect, clip: Rect) -> Box:
        size_px = self._text_px(view)
        inner = self._inner(view, bounds)
        words = view.text or view.hint
        lines = break_lines(words, size_px, inner.width + 0.5, view.max_lines)
        return Box(view, bounds, clip, lines=lines, size_px=size_px)

    def _aligned(self, view: View, spare_px: int) -> int:
        if view.align == "center":
            return spare_px // 2
        return spare_px if view.align == "end" else 0

    def _justified(self, view: View, start: int, spare_px: int, gap_px: int) -> tuple[int, int]:
        """Where the first child starts, and the gap between children."""
        if view.justify == "between" and len(view.children) > 1 and spare_px > 0:
            return start, gap_px + spare_px // (len(view.children) - 1)
        if view.justify == "center":
            return start + spare_px // 2, gap_px
        return (start + spare_px if view.justify == "end" else start), gap_px


def _share(weight: float, size: float | None) -> float:
    """Share of left-over room; a child that fills its parent has one."""
    return weight or (1.0 if size == FILL else 0.0)

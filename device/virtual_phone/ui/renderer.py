"""Paints laid-out boxes with Pillow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw

from device.virtual_phone.ui.geometry import Rect
from device.virtual_phone.ui.icons import icon_mask
from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.pictures import paint_picture
from device.virtual_phone.ui.theme import Color, resolve_color
from device.virtual_phone.ui.typeface import LINE_HEIGHT, line_height, measure_width, text_mask

_CORNER_OVERSAMPLE = 4
_DISABLED_ALPHA = 0.45


@dataclass(frozen=True, slots=True)
class Layer:
    """One window to paint.

    Attributes:
        root: Its boxes.
        dim: Darkness laid over everything below it, 0..1.
    """

    root: Box
    dim: float = 0


def paint_layers(
    layers: tuple[Layer, ...], width_px: int, height_px: int, scale: float, dark: bool
) -> Image.Image:
    """Paints windows from the bottom up.

    Returns:
        An RGBA image without transparency.
    """
    image = Image.new("RGBA", (width_px, height_px), resolve_color("background", dark))
    painter = _Painter(image, 0, 0, scale, dark)
    for layer in layers:
        if layer.dim:
            shade = Image.new("RGBA", image.size, (0, 0, 0, 255))
            blended = Image.blend(image, shade, layer.dim)
            image.paste(blended)
        painter.paint(layer.root)
    return image


@lru_cache(maxsize=128)
def _corners(radius_px: int) -> tuple[Image.Image, ...]:
    """Quarter discs: top left, top right, bottom left, bottom right."""
    side = radius_px * 2 * _CORNER_OVERSAMPLE
    disc = Image.new("L", (side, side), 0)
    ImageDraw.Draw(disc).ellipse((0, 0, side - 1, side - 1), fill=255)
    disc = disc.resize((radius_px * 2, radius_px * 2), Image.Resampling.BOX)
    r = radius_px
    quarters = ((0, 0, r, r), (r, 0, 2 * r, r), (0, r, r, 2 * r), (r, r, 2 * r, 2 * r))
    return tuple(disc.crop(quarter) for quarter in quarters)


@lru_cache(maxsize=64)
def _rounded_mask(width_px: int, height_px: int, radius_px: int) -> Image.Image:
    mask = Image.new("L", (width_px, height_px), 255)
    r = radius_px
    places = ((0, 0), (width_px - r, 0), (0, height_px - r), (width_px - r, height_px - r))
    for corner, place in zip(_corners(r), places, strict=True):
        mask.paste(corner, place)
    return mask


class _Painter:
    """Paints boxes on an image whose top left is at (`left`, `top`) of the display."""

    def __init__(self, image: Image.Image, left: int, top: int, scale: float, dark: bool) -> None:
        self._image = image
        self._draw = ImageDraw.Draw(image)
        self._left = left
        self._top = top
        self._scale = scale
        self._dark = dark

    def paint(self, box: Box) -> None:
        """Paints a box and what is inside it."""
        if box.visible.empty:
            return
        view = box.view
        if view.border:
            self._fill(box.bounds, view.radius, self._color(view.border))
            width = max(1, round(self._scale))
            inner = Rect(
                box.bounds.left + width,
                box.bounds.top + width,
                box.bounds.right - width,
                box.bounds.bottom - width,
            )
            self._fill(inner, view.radius - 1, self._color(view.background or "surface"))
        elif view.background:
            self._fill(box.bounds, view.radius, self._color(view.background))
        self._paint_content(box)
        if view.kind == "scroll" and box.limit_px:
            self._paint_clipped(box)
        else:
            for child in box.children:
                self.paint(child)

    def _paint_clipped(self, box: Box) -> None:
        """Paints the content of a scroll container without spilling over its edges."""
        area = box.visible
        where = (
            area.left - self._left,
            area.top - self._top,
            area.right - self._left,
            area.bottom - self._top,
        )
        part = self._image.crop(where)
        painter = _Painter(part, area.left, area.top, self._scale, self._dark)
        for child in box.children:
            painter.paint(child)
        self._image.paste(part, where[:2])

    def _paint_content(self, box: Box) -> None:
        match box.view.kind:
            case "text" | "field":
                self._paint_text(box)
            case "icon":
                self._paint_icon(box)
            case "picture":
                self._paint_picture(box)
            case "switch":
                self._paint_switch(box)
            case "check" | "radio":
                self._paint_mark(box)
            case "slider":
                self._paint_slider(box)
            case _:
                pass

    def _color(self, name: str) -> Color:
        return resolve_color(name, self._dark)

    def _ink(self, box: Box, role: str) -> Color:
        """Colour of content; paler when the view is disabled."""
        color = self._color(role)
        if box.view.enabled:
            return color
        ground = self._color("surface")
        r, g, b = (
            round(g_ + (c - g_) * _DISABLED_ALPHA)
            for c, g_ in zip(color[:3], ground[:3], strict=True)
        )
        return r, g, b, 255

    def _fill(self, area: Rect, radius_dp: float, color: Color) -> None:
        left, top = area.left - self._left, area.top - self._top
        right, bottom = area.right - self._left, area.bottom - self._top
        if right <= left or bottom <= top:
            return
        r = min(round(radius_dp * self._scale), (right - left) // 2, (bottom - top) // 2)
        if r <= 0:
            self._draw.rectangle((left, top, right - 1, bottom - 1), fill=color)
            return
        for x, y, mask in zip(
            (left, right - r, left, right - r),
            (top, top, bottom - r, bottom - r),
            _corners(r),
            strict=True,
        ):
            self._image.paste(color, (x, y), mask)
        if right - left > 2 * r:
            self._draw.rectangle((left + r, top, right - r - 1, bottom - 1), fill=color)
        if bottom - top > 2 * r:
            self._draw.rectangle((left, top + r, left + r - 1, bottom - r - 1), fill=color)
            self._draw.rectangle((right - r, top + r, right - 1, bottom - r - 1), fill=color)

    def _paint_text(self, box: Box) -> None:
        view = box.view
        hinting = view.kind == "field" and not view.text
        color = self._ink(box, "hint" if hinting else view.color)
        size_px = box.size_px
        step = line_height(size_px)
        left = box.bounds.left + round(view.padding.left * self._scale) - self._left
        right = box.bounds.right - round(view.padding.right * self._scale) - self._left
        top = box.bounds.top + round(view.padding.top * self._scale) - self._top
        # The em box (ascent 0.88, descent 0.12) is centred in the line.
        baseline = top + round(size_px * ((LINE_HEIGHT - 1) / 2 + 0.88))
        first = 0
        for index, line in enumerate(box.lines):
            width = measure_width(line, size_px)
            x = float(left)
            if view.align != "start":
                spare = right - left - width
                x += spare / 2 if view.align == "center" else spare
            line_top = top + index * step
            if view.kind == "field":
                self._paint_selection(box, line, first, x, line_top)
            if line:
                mask, dx, dy = text_mask(line, size_px, view.bold)
                self._image.paste(color, (round(x) + dx, baseline + index * step + dy), mask)
            if view.strike:
                y = line_top + step // 2
                self._draw.line((x, y, x + width, y), fill=color, width=max(1, size_px // 14))
            first += len(line)
            # Spaces and newlines where the line was broken are not in the lines.
            while (
                first < len(view.text) and view.text[first] in " \n" and index + 1 < len(box.lines)
            ):
                first += 1

    def _paint_selection(self, box: Box, line: str, first: int, x: float, top: int) -> None:
        """The selected part of a field's line, and the cursor."""
        view = box.view
        shown = "" if not view.text else line
        bottom = top + line_height(box.size_px)
        start = max(view.selection[0], first) - first
        end = min(view.selection[1], first + len(shown)) - first
        if end > start:
            a = x + measure_width(shown[:start], box.size_px)
            b = x + measure_width(shown[:end], box.size_px)
            self._draw.rectangle((a, top, b, bottom), fill=self._color("primary_container"))
        elif view.focused and 0 <= view.cursor - first <= len(shown):
            a = x + measure_width(shown[: view.cursor - first], box.size_px)
            width = max(2, round(2 * self._scale))
            box_px = (a, top + 2, a + width - 1, bottom - 2)
            self._draw.rectangle(box_px, fill=self._color("primary"))

    def _paint_icon(self, box: Box) -> None:
        size_px = min(box.bounds.width, box.bounds.height)
        if size_px <= 0:
            return
        mask = icon_mask(box.view.icon, size_px)
        place = (box.bounds.left - self._left, box.bounds.top - self._top)
        self._image.paste(self._ink(box, box.view.color), place, mask)

    def _paint_picture(self, box: Box) -> None:
        width, height = box.bounds.width, box.bounds.height
        image = paint_picture(box.view.key, width, height)
        place = (box.bounds.left - self._left, box.bounds.top - self._top)
        r = min(round(box.view.radius * self._scale), width // 2, height // 2)
        if r > 0:
            self._image.paste(image, place, _rounded_mask(width, height, r))
        else:
            self._image.paste(image, place)

    def _paint_switch(self, box: Box) -> None:
        view, area, s = box.view, box.bounds, self._scale
        middle = (area.top + area.bottom) // 2
        if view.checked:
            self._fill(area, 16, self._ink(box, "primary"))
            x, r, color = area.right - round(16 * s), round(12 * s), self._ink(box, "on_primary")
        else:
            self._fill(area, 16, self._ink(box, "hint"))
            edge = max(1, round(2 * s))
            inner = Rect(area.left + edge, area.top + edge, area.right - edge, area.bottom - edge)
            self._fill(inner, 14, self._ink(box, "surface_variant"))
            x, r, color = area.left + round(16 * s), round(8 * s), self._ink(box, "hint")
        self._disc(x, middle, r, color)

    def _disc(self, x: int, y: int, radius_px: int, color: Color) -> None:
        left, top = x - radius_px - self._left, y - radius_px - self._top
        r = radius_px
        places = ((left, top), (left + r, top), (left, top + r), (left + r, top + r))
        for place, mask in zip(places, _corners(r), strict=True):
            self._image.paste(color, place, mask)

    def _paint_mark(self, box: Box) -> None:
        """A check box or radio button."""
        view, area, s = box.view, box.bounds, self._scale
        round_dp = area.width / s / 2 if view.kind == "radio" else 4
        edge = max(1, round(2 * s))
        inner = Rect(area.left + edge, area.top + edge, area.right - edge, area.bottom - edge)
        self._fill(area, round_dp, self._ink(box, "primary" if view.checked else "hint"))
        if view.kind == "radio" or not view.checked:
            self._fill(inner, round_dp - 2, self._color("surface"))
        if not view.checked:
            return
        x, y = (area.left + area.right) // 2, (area.top + area.bottom) // 2
        if view.kind == "radio":
            self._disc(x, y, round(6 * s), self._ink(box, "primary"))
            return
        mask = icon_mask("check", area.width)
        place = (area.left - self._left, area.top - self._top)
        self._image.paste(self._color("on_primary"), place, mask)

    def _paint_slider(self, box: Box) -> None:
        area, s = box.bounds, self._scale
        middle = (area.top + area.bottom) // 2
        thumb_px = round(10 * s)
        half = max(1, round(3 * s))
        left, right = area.left + thumb_px, area.right - thumb_px
        x = left + round((right - left) * min(1.0, max(0.0, box.view.value)))
        self._fill(Rect(left, middle - half, right, middle + half), 3, self._color("outline"))
        self._fill(Rect(left, middle - half, x, middle + half), 3, self._color("primary"))
        self._disc(x, middle, thumb_px, self._color("primary"))

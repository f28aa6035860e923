"""Paints icons as anti-aliased masks."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

from device.virtual_phone.ui.icon_shapes import ICONS, Shape

_GRID = 24
_OVERSAMPLE = 4


@lru_cache(maxsize=512)
def icon_mask(name: str, size_px: int) -> Image.Image:
    """Coverage ("L") of an icon, `size_px` square.

    Raises:
        KeyError: There is no such icon.
    """
    side = size_px * _OVERSAMPLE
    mask = Image.new("L", (side, side), 0)
    draw = ImageDraw.Draw(mask)
    for shape in ICONS[name]:
        _draw_shape(draw, shape, side / _GRID)
    return mask.resize((size_px, size_px), Image.Resampling.BOX)


def _draw_shape(draw: ImageDraw.ImageDraw, shape: Shape, unit: float) -> None:
    ink = 255
    if shape[0] == "cut":
        ink, shape = 0, shape[1:]
    kind = shape[0]
    n = [value * unit for value in shape[1:]]
    match kind:
        case "line":
            _draw_line(draw, n[1:], n[0], ink)
        case "dot":
            draw.ellipse((n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2]), fill=ink)
        case "ring":
            outer = n[2] + n[3] / 2
            box = (n[0] - outer, n[1] - outer, n[0] + outer, n[1] + outer)
            draw.ellipse(box, outline=ink, width=round(n[3]))
        case "oval":
            draw.ellipse((n[0], n[1], n[2], n[3]), outline=ink, width=round(n[4]))
        case "ellipse":
            draw.ellipse((n[0], n[1], n[2], n[3]), fill=ink)
        case "arc":
            outer = n[2] + n[5] / 2
            box = (n[0] - outer, n[1] - outer, n[0] + outer, n[1] + outer)
            draw.arc(box, shape[4], shape[5], fill=ink, width=round(n[5]))
        case "pie":
            box = (n[0] - n[2], n[1] - n[2], n[0] + n[2], n[1] + n[2])
            draw.pieslice(box, shape[4], shape[5], fill=ink)
        case "poly":
            draw.polygon(n, fill=ink)
        case "box":
            draw.rounded_rectangle((n[0], n[1], n[2], n[3]), n[4], fill=ink)
        case "frame":
            box = (n[0], n[1], n[2], n[3])
            draw.rounded_rectangle(box, n[4], outline=ink, width=round(n[5]))
        case _:
            raise ValueError(f"unknown shape {kind!r}; use one that _draw_shape knows")


def _draw_line(draw: ImageDraw.ImageDraw, points: list[float], width: float, ink: int) -> None:
    """A polyline with round ends and joints."""
    draw.line(points, fill=ink, width=round(width), joint="curve")
    r = width / 2
    for x, y in zip(points[::2], points[1::2], strict=True):
        draw.ellipse((x - r, y - r, x + r, y + r), fill=ink)

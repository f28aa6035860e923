"""Pictures that exist only as drawings: photos of the gallery, goods of the shop, wallpaper."""

from __future__ import annotations

import math
import random
from functools import lru_cache

from PIL import Image, ImageDraw

from device.virtual_phone.ui.icons import icon_mask
from device.virtual_phone.ui.theme import resolve_color

_SKIES = (("#7fb7ff", "#e8f3ff"), ("#ffb36b", "#ffe9c9"), ("#5c6bc0", "#f3a6b8"))
_GROUNDS = ("#3f8f5a", "#2f6f86", "#8a7a4f", "#5a4f8a")
_GOODS = {
    "mobile": "#dfe8f7",
    "headset": "#f4e4dc",
    "bag": "#e3f0e3",
    "alarm": "#efe6f6",
    "sun": "#fff1cf",
    "camera": "#dcecee",
    "heart": "#fbe3e6",
    "note": "#eceadf",
}


@lru_cache(maxsize=96)
def paint_picture(key: str, width_px: int, height_px: int) -> Image.Image:
    """An RGBA picture; the same key always shows the same thing.

    Args:
        key: "photo:N" (landscape number N), "goods:ICON" or "wallpaper".
        width_px: Width.
        height_px: Height.

    Raises:
        ValueError: The kind of picture is unknown.
    """
    kind, _, name = key.partition(":")
    size = (max(1, width_px), max(1, height_px))
    if kind == "photo":
        return _landscape(int(name), size)
    if kind == "goods":
        return _goods(name, size)
    if kind == "wallpaper":
        return _wallpaper(size)
    raise ValueError(f"unknown picture {key!r}; use photo:N, goods:ICON or wallpaper")


def _gradient(size: tuple[int, int], top: str, bottom: str) -> Image.Image:
    column = Image.new("RGBA", (1, 64))
    a, b = resolve_color(top, False), resolve_color(bottom, False)
    for y in range(64):
        share = y / 63
        r, g, blue = (round(p + (q - p) * share) for p, q in zip(a[:3], b[:3], strict=True))
        column.putpixel((0, y), (r, g, blue, 255))
    return column.resize(size, Image.Resampling.BILINEAR)


def _landscape(number: int, size: tuple[int, int]) -> Image.Image:
    rng = random.Random(number)
    width, height = size
    image = _gradient(size, *_SKIES[number % len(_SKIES)])
    draw = ImageDraw.Draw(image)
    sun_x, sun_y = width * rng.uniform(0.2, 0.8), height * rng.uniform(0.15, 0.35)
    r = min(size) * 0.09
    draw.ellipse((sun_x - r, sun_y - r, sun_x + r, sun_y + r), fill="#fff6d8")
    ground = resolve_color(_GROUNDS[number % len(_GROUNDS)], False)
    for layer in range(3):
        base = height * (0.5 + 0.16 * layer)
        phase, waves = rng.uniform(0, 6), rng.uniform(1.2, 2.6)
        points: list[tuple[float, float]] = [(0.0, float(height))]
        for step in range(33):
            x = width * step / 32
            swing = math.sin(phase + step / 32 * waves * math.pi) * height * 0.08
            points.append((x, base + swing))
        points.append((float(width), float(height)))
        shade = 1.15 - 0.22 * layer
        r8, g8, b8 = (min(255, int(channel * shade)) for channel in ground[:3])
        draw.polygon(points, fill=(r8, g8, b8, 255))
    return image


def _goods(name: str, size: tuple[int, int]) -> Image.Image:
    image = Image.new("RGBA", size, resolve_color(_GOODS.get(name, "#e6e8ee"), False))
    side = int(min(size) * 0.56)
    mask = icon_mask(name, max(8, side))
    left, top = (size[0] - mask.width) // 2, (size[1] - mask.height) // 2
    image.paste((70, 78, 96, 255), (left, top), mask)
    return image


def _wallpaper(size: tuple[int, int]) -> Image.Image:
    image = _gradient(size, "#2c4d9b", "#c3b3e6")
    draw = ImageDraw.Draw(image)
    width, height = size
    for index, color in enumerate(("#5f7fcb", "#7d8ed6", "#9c9fdf")):
        top = height * (0.52 + 0.15 * index)
        r = max(size) * (0.75 + 0.1 * index)
        x = width * (0.15 + 0.4 * index)
        draw.ellipse((x - r, top, x + r, top + 2 * r), fill=color)
    return image

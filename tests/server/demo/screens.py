"""Drawn screens for tests of the demo model: texts are told, pixels are painted."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

from server.model.demo.reading import fingerprint
from server.model.demo.screen import Box, Pixels, Screen, Text

WIDTH_PX, HEIGHT_PX = 1080, 2400
SWITCH_PX = (137, 84)

Row = tuple[str, int]
"""A text and the height in pixels at which its middle stands."""


def paint_switch(draw: ImageDraw.ImageDraw, y: int, on: bool, style: str = "filled") -> None:
    """A switch at the right, in one of the styles that phones have."""
    width, height = SWITCH_PX
    left, top = 880, y - height // 2
    right, bottom = left + width, top + height
    if style == "filled":
        colour = "#1a66e0" if on else "#c9ccd6"
        draw.rounded_rectangle((left, top, right, bottom), height // 2, fill=colour)
        x = right - height + 6 if on else left + 6
        draw.ellipse((x, top + 6, x + height - 12, bottom - 6), fill="white")
    elif style == "outlined":
        fill, line = ("#6750a4", "#6750a4") if on else ("#e9ebf2", "#79747e")
        draw.rounded_rectangle(
            (left, top, right, bottom), height // 2, fill=fill, outline=line, width=5
        )
        size = 62 if on else 42
        x = right - size - 11 if on else left + 21
        middle = (top + bottom) // 2
        box = (x, middle - size // 2, x + size, middle + size // 2)
        draw.ellipse(box, fill="white" if on else line)
    else:
        middle = (top + bottom) // 2
        track, thumb = ("#9fc0f5", "#1a66e0") if on else ("#b9b9b9", "#f1f1f1")
        draw.rounded_rectangle((left + 20, middle - 18, right - 20, middle + 18), 18, fill=track)
        x = right - 20 - 30 if on else left + 20 - 22
        draw.ellipse((x, middle - 26, x + 52, middle + 26), fill=thumb, outline="#8a8a8a")


def draw_screen(
    rows: Sequence[Row],
    *,
    switches: Sequence[tuple[int, bool]] = (),
    style: str = "filled",
    button: tuple[int, int] | None = None,
    left_px: int = 80,
) -> Screen:
    """A screen whose texts OCR would find as told; only switches and buttons are painted."""
    image = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), "#f5f6fa")
    draw = ImageDraw.Draw(image)
    for y, on in switches:
        paint_switch(draw, y, on, style)
    if button is not None:
        x, y = button
        draw.ellipse((x - 73, y - 73, x + 73, y + 73), fill="#1a66e0")
    for word, y in rows:
        # A mark for each text, so that another text gives another fingerprint.
        draw.rectangle((left_px, y - 4, left_px + 3 + 7 * (hash_of(word) % 40), y), fill="#1b1c20")
    texts = tuple(place_text(word, y, left_px) for word, y in rows)
    pixels: Pixels = np.asarray(image, dtype=np.uint8)
    return Screen(pixels, fingerprint(pixels), lambda _: texts)


def place_text(word: str, y: int, left_px: int = 80) -> Text:
    """A text box of usual size with its middle at a height."""
    width = sum(44 if ord(char) > 0x2E80 else 24 for char in word)
    return Text(word, Box(left_px, y - 26, left_px + width, y + 26))


def png_of(screen: Screen) -> bytes:
    """The screen's picture as a PNG file."""
    buffer = io.BytesIO()
    Image.fromarray(screen.pixels).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def hash_of(word: str) -> int:
    """The same small number for the same word in every process."""
    return sum(ord(char) * (place + 1) for place, char in enumerate(word))

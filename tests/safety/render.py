"""Draws a labelled screen as a picture, with the virtual phone's own font and theme of colours.

Text is drawn inside the bounds of its node, as large as a phone would show it there, in dark on
light, so that OCR reads it: what a test then finds (or does not find) in a masked picture is about
the mask, not about the drawing.
"""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from device.virtual_phone.ui.typeface import break_lines, line_height, measure_width, text_mask
from tests.safety.screens import Node, Screen

BACKGROUND, INK, GREY, LINE = "#ffffff", "#1f2328", "#6e7781", "#d0d7de"
BUTTON, FIELD, PICTURE = "#dce9fb", "#f6f8fa", "#cfd8dc"
TEXT_MAX_PX, TEXT_MIN_PX = 62, 24


def render_screen(screen: Screen) -> Image.Image:
    """The picture of a screen: RGB, `width_px` x `height_px`."""
    picture = Image.new("RGB", (screen.width_px, screen.height_px), BACKGROUND)
    draw = ImageDraw.Draw(picture)
    for node in screen.nodes:
        _draw_shape(draw, node)
        if node.text:
            shown = "•" * len(node.text) if node.password else node.text
            _draw_words(picture, node, shown)
        elif node.desc and node.class_name == "android.view.View":
            _draw_words(picture, node, node.desc)  # Flutter paints what it describes
    return picture


def render_png(screen: Screen) -> bytes:
    """The same as a PNG file."""
    file = io.BytesIO()
    render_screen(screen).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _draw_shape(draw: ImageDraw.ImageDraw, node: Node) -> None:
    left, top, right, bottom = node.bounds
    box = (left, top, right - 1, bottom - 1)
    kind = node.class_name.rpartition(".")[2]
    if kind == "EditText":
        draw.rectangle(box, FIELD, LINE, 2)
    elif kind == "Button":
        draw.rounded_rectangle(box, 12, BUTTON if node.enabled else FIELD)
    elif kind in ("ImageView", "ImageButton", "SurfaceView"):
        draw.ellipse(box, PICTURE) if right - left < 300 else draw.rectangle(box, PICTURE)
    elif kind in ("Switch", "CheckBox"):
        draw.rounded_rectangle(box, 20, "#2da44e" if node.checked else LINE)
    elif kind == "FrameLayout" and node.id.endswith("parentPanel"):
        draw.rectangle(box, BACKGROUND, LINE, 3)
    elif node.clickable:
        draw.rectangle(box, BACKGROUND)
        draw.line((left, bottom - 1, right - 1, bottom - 1), LINE, 2)


def _draw_words(picture: Image.Image, node: Node, words: str) -> None:
    left, top, right, bottom = node.bounds
    width, height = right - left, bottom - top
    size = TEXT_MAX_PX
    lines: tuple[str, ...] = (words,)
    while size > TEXT_MIN_PX:
        lines = break_lines(words, size, width)
        if len(lines) * line_height(size) <= height and all(
            measure_width(line, size) <= width for line in lines
        ):
            break
        size -= 2
    step = line_height(size)
    y = top + max(0, height - step * len(lines)) // 2
    for line in lines:
        mask, dx, dy = text_mask(line, size, False)
        wide = node.class_name.endswith("Button")
        x = left + (max(0, width - round(measure_width(line, size))) // 2 if wide else 8)
        baseline = y + round(size * 1.06)
        picture.paste(INK if node.enabled else GREY, (x + dx, baseline + dy), mask)
        y += step

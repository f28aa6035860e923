"""One picture of a whole run: every step's screenshot with its target drawn on it."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from parsers.action import OPPOSITE, Point

CELL_WIDTH_PX = 320
CAPTION_HEIGHT_PX = 110
GAP_PX = 24
COLUMNS_MAX = 5
BACKGROUND = (246, 247, 249)
INK = (28, 32, 38)
MUTED = (96, 104, 116)
MARK = (226, 35, 74)

Font = ImageFont.FreeTypeFont


@dataclass(frozen=True, slots=True)
class SheetStep:
    """One cell: the screenshot as it was taken and the action that answered it.

    Attributes:
        number: The step's number, from 1.
        image: PNG, JPEG or WebP bytes.
        action: The action as the API wrote it.
    """

    number: int
    image: bytes
    action: dict[str, Any]


def draw_contact_sheet(steps: Sequence[SheetStep], title: str, subtitle: str = "") -> bytes:
    """Draw the run as PNG.

    Args:
        steps: In order; at least one.
        title: The task in the user's words.
        subtitle: A line under it (stop reason, time).

    Raises:
        ValueError: There is no step to draw.
    """
    if not steps:
        raise ValueError("a contact sheet needs at least one step")
    cells = [_draw_cell(step) for step in steps]
    columns = min(COLUMNS_MAX, len(cells))
    rows = math.ceil(len(cells) / columns)
    cell_height = max(cell.height for cell in cells)
    header = 104
    sheet = Image.new(
        "RGB",
        (
            max(columns * (CELL_WIDTH_PX + GAP_PX) + GAP_PX, 720),
            header + rows * (cell_height + GAP_PX),
        ),
        BACKGROUND,
    )
    draw = ImageDraw.Draw(sheet)
    text_width = sheet.width - 2 * GAP_PX
    draw.text((GAP_PX, 20), _fit(title, _font(30), text_width), fill=INK, font=_font(30))
    draw.text((GAP_PX, 62), _fit(subtitle, _font(20), text_width), fill=MUTED, font=_font(20))
    for position, cell in enumerate(cells):
        row, column = divmod(position, columns)
        sheet.paste(
            cell,
            (GAP_PX + column * (CELL_WIDTH_PX + GAP_PX), header + row * (cell_height + GAP_PX)),
        )
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()


def describe_action(action: dict[str, Any]) -> str:
    """One short line in plain words: `CLICK 500,320` or `TYPE "hello"`."""
    kind = str(action.get("action", ""))
    if kind == "COMPLETE":
        return f"COMPLETE {action.get('return', '')}".strip()
    if "point1" in action and "point2" in action:
        return f"{kind} {_pair(action['point1'])} → {_pair(action['point2'])}"
    parts = [kind]
    if "value" in action:
        value = action["value"]
        parts.append(f"{value} s" if kind == "WAIT" else f'"{value}"')
    for name in ("key", "direction"):
        if name in action:
            parts.append(str(action[name]))
    if "point" in action:
        parts.append(_pair(action["point"]))
    if "element" in action:
        parts.append(f"#{action['element']['index']}")
    return " ".join(parts)


def _pair(point: Sequence[float]) -> str:
    return ",".join(f"{value:g}" for value in point)


def _draw_cell(step: SheetStep) -> Image.Image:
    with Image.open(io.BytesIO(step.image)) as opened:
        screen = opened.convert("RGB")
    height = max(1, round(screen.height * CELL_WIDTH_PX / screen.width))
    screen = screen.resize((CELL_WIDTH_PX, height), Image.Resampling.LANCZOS)
    draw_target(screen, step.action)
    cell = Image.new("RGB", (CELL_WIDTH_PX, height + CAPTION_HEIGHT_PX), BACKGROUND)
    cell.paste(screen, (0, 0))
    draw = ImageDraw.Draw(cell)
    draw.rectangle((0, 0, CELL_WIDTH_PX - 1, height - 1), outline=(208, 212, 218))
    headline = f"{step.number}  {describe_action(step.action)}"
    draw.text((2, height + 8), _fit(headline, _font(21), CELL_WIDTH_PX - 4), INK, _font(21))
    explain = str(step.action.get("explain") or step.action.get("cot") or "")
    for line_number, line in enumerate(_wrap(explain, _font(17), CELL_WIDTH_PX - 4, lines=3)):
        draw.text((2, height + 38 + 24 * line_number), line, MUTED, _font(17))
    return cell


def draw_target(screen: Image.Image, action: dict[str, Any]) -> None:
    """Draw on a screenshot what the action touches: a ring at its point, an arrow for a swipe."""
    draw = ImageDraw.Draw(screen, "RGBA")
    size = screen.size
    if "point1" in action and "point2" in action:
        _draw_arrow(draw, _to_px(action["point1"], size), _to_px(action["point2"], size))
    elif action.get("action") == "SCROLL":
        _draw_arrow(draw, *_scroll_ends(action, size))
    elif "point" in action:
        x, y = _to_px(action["point"], size)
        draw.ellipse((x - 24, y - 24, x + 24, y + 24), fill=(*MARK, 60), outline=MARK, width=4)
        draw.ellipse((x - 4, y - 4, x + 4, y + 4), fill=MARK)


def _scroll_ends(
    action: dict[str, Any], size: tuple[int, int]
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the finger goes: from the middle, against the side that is revealed."""
    width, height = size
    center = (width // 2, height // 2)
    finger = action.get("finger") or OPPOSITE[action["direction"]]
    step_x, step_y = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[finger]
    reach_x, reach_y = step_x * width // 4, step_y * height // 4
    return (
        (center[0] - reach_x, center[1] - reach_y),
        (center[0] + reach_x, center[1] + reach_y),
    )


def _draw_arrow(draw: ImageDraw.ImageDraw, start: tuple[int, int], end: tuple[int, int]) -> None:
    draw.line((*start, *end), fill=MARK, width=7)
    draw.ellipse((start[0] - 10, start[1] - 10, start[0] + 10, start[1] + 10), fill=MARK)
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    wings = [
        (end[0] - 26 * math.cos(angle + turn), end[1] - 26 * math.sin(angle + turn))
        for turn in (-0.5, 0.5)
    ]
    draw.polygon([end, *wings], fill=MARK)


def _to_px(point: Sequence[float], size: tuple[int, int]) -> tuple[int, int]:
    return Point(x=point[0], y=point[1]).to_px(*size)


def _font(size: int) -> Font | ImageFont.ImageFont:
    """The font that the virtual phone carries: it has Chinese and Latin letters everywhere."""
    folder = files("device.virtual_phone") / "fonts"
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith((".otf", ".ttf")) and "Bold" not in entry.name:
            return ImageFont.truetype(io.BytesIO(entry.read_bytes()), size)
    return ImageFont.load_default(size)


def _fit(text: str, font: Font | ImageFont.ImageFont, width_px: int) -> str:
    """Cut a line to a width, with an ellipsis where it was cut."""
    text = " ".join(text.split())
    if font.getlength(text) <= width_px:
        return text
    while text and font.getlength(text + "…") > width_px:
        text = text[:-1]
    return text + "…"


def _wrap(text: str, font: Font | ImageFont.ImageFont, width_px: int, *, lines: int) -> list[str]:
    """Break text into at most `lines` lines; Chinese breaks anywhere, Latin between words."""
    rest = " ".join(text.split())
    out: list[str] = []
    while rest and len(out) < lines:
        if len(out) == lines - 1:
            out.append(_fit(rest, font, width_px))
            break
        cut = len(rest)
        while cut > 1 and font.getlength(rest[:cut]) > width_px:
            cut -= 1
        if cut < len(rest) and rest[cut].isascii() and rest[cut - 1].isascii():
            space = rest.rfind(" ", 0, cut + 1)
            cut = space if space > 0 else cut
        out.append(rest[:cut].strip())
        rest = rest[cut:].strip()
    return out

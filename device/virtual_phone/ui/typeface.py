"""The font: measuring, breaking into lines, painting masks.

Measuring sums the advances of single characters, which is exact because the shipped font has no
kerning, and costs a dictionary look-up per character.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from threading import Lock

from PIL import Image, ImageDraw, ImageFont

FONT_PATH = Path(__file__).resolve().parent.parent / "fonts" / "LocalServerSansSC-Regular.otf"
LINE_HEIGHT = 1.36
"""Height of a line, as a multiple of the text size."""

_NOT_AT_START = frozenset("，。、；：？！）》」』】”’…％·,.;:?!)]}%")
_NOT_AT_END = frozenset("（《「『【“‘([{¥$")
_advances: dict[int, dict[str, float]] = {}
# A FreeType face must not be used by two threads at once; layout and painting share it.
_glyph_lock = Lock()


@lru_cache(maxsize=64)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONT_PATH), size_px, layout_engine=ImageFont.Layout.BASIC)


def measure_width(words: str, size_px: int) -> float:
    """Width of one line in pixels."""
    known = _advances.setdefault(size_px, {})
    total = 0.0
    for character in words:
        advance = known.get(character)
        if advance is None:
            with _glyph_lock:
                advance = _font(size_px).getlength(character)
            known[character] = advance
        total += advance
    return total


def line_height(size_px: int) -> int:
    """Height of one line in pixels."""
    return round(size_px * LINE_HEIGHT)


@lru_cache(maxsize=4096)
def break_lines(words: str, size_px: int, width_px: float, max_lines: int = 0) -> tuple[str, ...]:
    """Breaks text into lines that fit.

    Latin words stay whole where they fit; CJK breaks anywhere except before closing and after
    opening punctuation.

    Args:
        words: Text; newlines are kept.
        size_px: Text size.
        width_px: Room for a line.
        max_lines: Text that does not fit ends in an ellipsis; 0 = any number of lines.
    """
    lines: list[str] = []
    for paragraph in words.split("\n"):
        lines += _break_paragraph(paragraph, size_px, width_px)
    if max_lines and len(lines) > max_lines:
        kept = lines[:max_lines]
        kept[-1] = _with_ellipsis(kept[-1], size_px, width_px)
        return tuple(kept)
    return tuple(lines)


def _break_paragraph(paragraph: str, size_px: int, width_px: float) -> list[str]:
    lines: list[str] = []
    current = ""
    used = 0.0
    for token in _tokens(paragraph):
        token_width = measure_width(token, size_px)
        if current and used + token_width > width_px:
            lines.append(current.rstrip(" "))
            current, used = "", 0.0
            token = token.lstrip(" ")
            token_width = measure_width(token, size_px)
        while token_width > width_px and len(token) > 1:
            head = _fitting_head(token, size_px, width_px)
            lines.append(head)
            token = token[len(head) :]
            token_width = measure_width(token, size_px)
        current += token
        used += token_width
    lines.append(current.rstrip(" ") if lines else current)
    return lines


def _tokens(paragraph: str) -> list[str]:
    """Units that a line must not be broken inside."""
    tokens: list[str] = []
    for character in paragraph:
        joins = bool(tokens) and (
            character in _NOT_AT_START
            or tokens[-1][-1] in _NOT_AT_END
            or (_latin(character) and _latin(tokens[-1][-1]))
        )
        if joins:
            tokens[-1] += character
        else:
            tokens.append(character)
    return tokens


def _latin(character: str) -> bool:
    return not character.isspace() and ord(character) < 0x2E80


def _fitting_head(words: str, size_px: int, width_px: float) -> str:
    end = 1
    while end < len(words) and measure_width(words[: end + 1], size_px) <= width_px:
        end += 1
    return words[:end]


def _with_ellipsis(line: str, size_px: int, width_px: float) -> str:
    while line and measure_width(line + "…", size_px) > width_px:
        line = line[:-1]
    return line.rstrip() + "…"


@lru_cache(maxsize=4096)
def text_mask(words: str, size_px: int, bold: bool) -> tuple[Image.Image, int, int]:
    """Coverage of one painted line.

    Returns:
        The mask ("L"), and where its top left goes relative to the line's left end and baseline.
    """
    font = _font(size_px)
    stroke = size_px / 55 if bold else 0
    with _glyph_lock:
        left, top, right, bottom = font.getbbox(words, anchor="ls", stroke_width=stroke)
    x, y = int(left) - 1, int(top) - 1
    mask = Image.new("L", (max(1, int(right) - x + 2), max(1, int(bottom) - y + 2)), 0)
    draw = ImageDraw.Draw(mask)
    with _glyph_lock:
        draw.text((-x, -y), words, fill=255, font=font, anchor="ls", stroke_width=stroke)
    return mask, x, y

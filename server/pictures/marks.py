"""Set-of-marks: the screenshot with its numbered elements drawn in.

Each element gets an outline and a tag with its number. The tag goes where the picture is emptiest,
so that it covers no label; its colours differ from each other and carry a light and a dark edge, so
that they can be read on any background.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter, ImageFont, ImageStat

from parsers.action import POINT_MAX, Size
from parsers.base import ScreenElement
from server.images import (
    MEDIA_TYPES,
    Screenshot,
    SentImage,
    open_resized,
    to_data_url,
)
from server.pictures.pixels import encode_jpeg

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""

TAG_SHARE = 0.026
"""Height of a number's digits as a share of the picture's shorter side."""
TAG_MIN_PX = 11
WORN_SCALE = 4
"""The search for empty places looks at a picture so many times smaller."""
COLORS = ("#b3001b", "#0b4f9e", "#00695c", "#7b1fa2", "#a84300", "#33691e", "#880e4f", "#37474f")


def encode_with_marks(
    screenshot: Screenshot, sent_size: Size, elements: Sequence[ScreenElement]
) -> SentImage:
    """The screenshot with marks at the planned size, as the model gets it: a JPEG.

    Raises:
        ImageError: The pixels cannot be decoded.
    """
    image = open_resized(screenshot, sent_size)
    draw_marks(image, elements)
    return SentImage(to_data_url(encode_jpeg(image), MEDIA_TYPES["jpeg"]), sent_size)


def draw_marks(image: Image.Image, elements: Sequence[ScreenElement]) -> None:
    """Draw outline and number of each element into an RGB picture.

    Args:
        image: Is changed.
        elements: Their bounds are shares of the picture in 0-1000.
    """
    digits_px = max(TAG_MIN_PX, round(min(image.size) * TAG_SHARE))
    line_px = max(2, digits_px // 9)
    wear = _measure_wear(image)
    draw = ImageDraw.Draw(image)
    boxes = [_to_pixels(element, image.size) for element in elements]
    for place, box in enumerate(boxes):
        _draw_outline(draw, box, COLORS[place % len(COLORS)], line_px)
    tags: list[Box] = []
    for place, (element, box) in enumerate(zip(elements, boxes, strict=True)):
        tag = _choose_place(box, _tag_size(element.index, digits_px), image.size, wear, tags)
        tags.append(tag)
        _draw_tag(draw, tag, str(element.index), COLORS[place % len(COLORS)], digits_px)


def _measure_wear(image: Image.Image) -> Image.Image:
    """A small grey picture: the brighter a place, the more is drawn there."""
    return image.reduce(WORN_SCALE).convert("L").filter(ImageFilter.FIND_EDGES)


def _choose_place(
    box: Box, tag: tuple[int, int], size: tuple[int, int], wear: Image.Image, taken: list[Box]
) -> Box:
    """The emptiest place for a tag in its element or, where that is small or full, beside it."""
    wide, high = tag
    is_small = box[2] - box[0] < 3 * wide or box[3] - box[1] < 2 * high
    inside, beside = _places(box, tag)
    priced = [(place, order * 1.0) for order, place in enumerate(inside)]
    priced += [(place, order * 1.0 + (0 if is_small else 8)) for order, place in enumerate(beside)]
    best, least = box, float("inf")
    for (x, y), price in priced:
        left = min(max(x, 0), size[0] - wide)
        top = min(max(y, 0), size[1] - high)
        candidate = (left, top, left + wide, top + high)
        cost = price + _wear_at(wear, candidate) + 1000 * _overlap(candidate, taken)
        if cost < least:
            best, least = candidate, cost
    return best


def _places(box: Box, tag: tuple[int, int]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Where a tag may begin, in its element and beside it; the usual places first."""
    left, top, right, bottom = box
    wide, high = tag
    middle = (top + bottom - high) // 2
    room = right - left - wide
    columns = (left, right - wide, left + room * 2 // 3, left + room // 2)
    inside = [(x, y) for y in (top, bottom - high, middle) for x in columns]
    beside = [
        (left, top - high),
        (right - wide, top - high),
        (left, bottom),
        (right, middle),
        (left - wide, middle),
    ]
    return inside, beside


def _overlap(box: Box, taken: Sequence[Box]) -> float:
    """Which share of a box is covered by others."""
    covered = 0
    for other in taken:
        wide = min(box[2], other[2]) - max(box[0], other[0])
        high = min(box[3], other[3]) - max(box[1], other[1])
        covered += max(0, wide) * max(0, high)
    return covered / max(1, (box[2] - box[0]) * (box[3] - box[1]))


def _wear_at(wear: Image.Image, box: Box) -> float:
    left, top = box[0] // WORN_SCALE, box[1] // WORN_SCALE
    right, bottom = -(-box[2] // WORN_SCALE), -(-box[3] // WORN_SCALE)
    part = wear.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
    return float(ImageStat.Stat(part).mean[0])


def _draw_outline(draw: ImageDraw.ImageDraw, box: Box, color: str, line_px: int) -> None:
    left, top, right, bottom = box
    if right - left < 2 or bottom - top < 2:
        return
    draw.rectangle((left, top, right - 1, bottom - 1), outline="white", width=line_px + 1)
    draw.rectangle((left, top, right - 1, bottom - 1), outline=color, width=line_px)


def _draw_tag(draw: ImageDraw.ImageDraw, tag: Box, number: str, color: str, digits_px: int) -> None:
    left, top, right, bottom = tag
    draw.rectangle((left, top, right - 1, bottom - 1), fill=color, outline="white")
    middle = ((left + right) / 2, (top + bottom) / 2)
    draw.text(middle, number, fill="white", font=_font(digits_px), anchor="mm")


def _tag_size(number: int, digits_px: int) -> tuple[int, int]:
    wide = _font(digits_px).getlength(str(number))
    return round(wide + digits_px * 0.5), round(digits_px * 1.25)


def _to_pixels(element: ScreenElement, size: tuple[int, int]) -> Box:
    left, top, right, bottom = element.bounds
    width_px, height_px = size
    return (
        round(left / POINT_MAX * width_px),
        round(top / POINT_MAX * height_px),
        round(right / POINT_MAX * width_px),
        round(bottom / POINT_MAX * height_px),
    )


@lru_cache(maxsize=16)
def _font(digits_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(digits_px)

"""Which size a picture must be sent at, so that a model's pixels can be read back exactly.

Qwen-VL-like processors round both sides to a multiple of a factor and keep the pixel count within
limits. We do the same *before* the picture leaves, and decode with that size: then nobody resizes
it again.
"""

from __future__ import annotations

import math

from parsers.action import Size
from parsers.base import CoordinateSpace, ImageNeeds, PixelSpace

ASPECT_MAX = 200.0


def smart_resize(
    width: int, height: int, factor: int, min_pixels: int, max_pixels: int
) -> tuple[int, int]:
    """The size at which a Qwen-VL-like processor would take a picture.

    A side halfway between two multiples goes to the *even* multiple, as Python's `round` does in
    the reference processors (1022 -> 1008 at factor 28, 1522 -> 1512): other languages round up
    there, and miss by one block.

    Args:
        width: Width in pixels, > 0.
        height: Height in pixels, > 0.
        factor: Both sides become multiples of it (28 for Qwen2.5-VL, 32 for Qwen3-VL).
        min_pixels: Smallest allowed pixel count; 0 means no limit.
        max_pixels: Largest allowed pixel count; 0 means no limit.

    Returns:
        (width, height) in pixels.

    Raises:
        ValueError: A side or the factor is not positive, or the sides differ more than 200-fold.
    """
    if min(width, height, factor) <= 0:
        raise ValueError("width, height and factor must be positive")
    if max(width, height) / min(width, height) > ASPECT_MAX:
        raise ValueError(f"sides may not differ more than {ASPECT_MAX:g}-fold")
    wide = max(factor, _round_to(width, factor))
    high = max(factor, _round_to(height, factor))
    if max_pixels and wide * high > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        wide = max(factor, math.floor(width / shrink / factor) * factor)
        high = max(factor, math.floor(height / shrink / factor) * factor)
    elif min_pixels and wide * high < min_pixels:
        grow = math.sqrt(min_pixels / (width * height))
        wide = math.ceil(width * grow / factor) * factor
        high = math.ceil(height * grow / factor) * factor
    return wide, high


def plan_size(space: CoordinateSpace, images: ImageNeeds, width: int, height: int) -> Size:
    """The size at which a screenshot must be sent to a model of this dialect.

    Args:
        space: The dialect's coordinate space.
        images: Its image needs (`max_side_px` is kept with the aspect).
        width: Width of the upright screenshot in pixels.
        height: Its height.
    """
    longest = max(width, height)
    if images.max_side_px and longest > images.max_side_px:
        ratio = images.max_side_px / longest
        width = max(1, round(width * ratio))
        height = max(1, round(height * ratio))
    if isinstance(space, PixelSpace) and space.factor > 1:
        width, height = smart_resize(
            width, height, space.factor, space.min_pixels, space.max_pixels
        )
    return Size(width_px=width, height_px=height)


def _round_to(length: int, factor: int) -> int:
    return round(length / factor) * factor

"""Masks on the decoded picture; the size stays, so that every tap stays exact."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace

from PIL import Image, ImageDraw

from device.protocol import Bounds
from server.images import Screenshot, open_resized
from server.pictures.pixels import JPEG_QUALITY
from server.privacy.screen import PrivateScreen

MASK_COLOR = (96, 96, 96)
BLACK_MAX = 12
"""A channel value up to which a pixel counts as black."""


def decode_upright(screenshot: Screenshot) -> Image.Image:
    """The pixels of a screenshot at its own size, upright and RGB.

    Raises:
        ImageError: They cannot be decoded.
    """
    return open_resized(screenshot, screenshot.size)


def is_black(image: Image.Image) -> bool:
    """Whether nothing is shown between the bars: the phone keeps such a page to itself."""
    width_px, height_px = image.size
    middle = image.crop((0, height_px // 8, width_px, height_px * 7 // 8))
    return all(high <= BLACK_MAX for _, high in _extrema(middle))


def draw_masks(image: Image.Image, screen: PrivateScreen) -> None:
    """Paint over what is private.

    Args:
        image: Is changed.
        screen: What to mask, in pixels of the picture.
    """
    draw = ImageDraw.Draw(image)
    unread = [region.bounds for region in screen.regions if region.kind == "unread"]
    kept = [
        (box, image.crop(_corners(box)))
        for box in screen.windows
        if any(_holds(area, box) for area in unread)
    ]
    for area in unread:
        _fill(draw, area)
    for box, pixels in kept:
        image.paste(pixels, (box.left, box.top))
    for region in screen.regions:
        if region.kind != "unread":
            _fill(draw, region.bounds)


def encode_masked(screenshot: Screenshot, image: Image.Image) -> Screenshot:
    """The masked picture in the screenshot's place: one file for keeping and for sending.

    Its pixels stay with it, so that another size is made of them and nothing is decoded again.
    """
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    data = buffer.getvalue()
    return replace(
        screenshot,
        data=data,
        format="jpeg",
        as_is=True,
        sha256=hashlib.sha256(data).hexdigest(),
        pixels=image,
    )


def _fill(draw: ImageDraw.ImageDraw, box: Bounds) -> None:
    draw.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), fill=MASK_COLOR)


def _corners(box: Bounds) -> tuple[int, int, int, int]:
    return box.left, box.top, box.right, box.bottom


def _holds(outer: Bounds, inner: Bounds) -> bool:
    return (
        not inner.is_empty
        and outer.left <= inner.left
        and outer.top <= inner.top
        and outer.right >= inner.right
        and outer.bottom >= inner.bottom
    )


def _extrema(image: Image.Image) -> list[tuple[int, int]]:
    return [image.getchannel(band).getextrema() for band in image.getbands()]  # type: ignore[misc]

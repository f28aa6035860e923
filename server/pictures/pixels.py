"""Pixels of a screenshot: decoded, turned upright, resized, encoded.

This is all that a decoder process loads (`server.pictures.decoder_process`): keep its imports few.
"""

from __future__ import annotations

import io
from functools import cache
from typing import Protocol

from PIL import Image, ImageOps

try:
    import cykooz_resizer
except ImportError:  # the extra `fast-images`; without it Pillow resizes, in seven times the time
    cykooz_resizer = None

JPEG_QUALITY = 85
PixelSize = tuple[int, int]
"""Width and height in pixels."""


class _Resizes(Protocol):
    def __call__(self, image: Image.Image, size: PixelSize) -> Image.Image: ...


def decode_resized(data: bytes, kind: str, size: PixelSize, target: PixelSize) -> Image.Image:
    """The pixels of a file, upright and RGB, at the target size (bicubic).

    Args:
        data: The file.
        kind: Its format, as Pillow names it.
        size: What it measures when upright.
        target: What is wanted.

    Raises:
        Exception: Of many kinds; the file is damaged.
    """
    image = _decode(data, kind, size, target)
    return image if image.size == target else _resizer()(image, target)


def encode_jpeg(image: Image.Image) -> bytes:
    """An RGB picture as a JPEG file."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()


def resize_with_pillow(image: Image.Image, size: PixelSize) -> Image.Image:
    """The reference that every other way to resize must look like."""
    return image.resize(size, Image.Resampling.BICUBIC)


def _decode(data: bytes, kind: str, size: PixelSize, target: PixelSize) -> Image.Image:
    """The pixels, upright and in RGB; decoder and first form are gone when this returns."""
    with Image.open(io.BytesIO(data), formats=[kind.upper()]) as opened:
        if opened.size == size:
            # A JPEG may be decoded at 1/2, 1/4 or 1/8, as long as no pixel is made up.
            opened.draft("RGB", target)
        opened.load()
        ImageOps.exif_transpose(opened, in_place=True)
        # A screen has nothing behind it: an alpha channel means nothing here.
        return opened.copy() if opened.mode == "RGB" else opened.convert("RGB")


@cache
def _resizer() -> _Resizes:
    if cykooz_resizer is None:
        return resize_with_pillow
    resizer = cykooz_resizer.Resizer()
    bicubic = cykooz_resizer.ResizeOptions(
        resize_alg=cykooz_resizer.ResizeAlg.convolution(cykooz_resizer.FilterType.catmull_rom)
    )

    def resize(image: Image.Image, size: PixelSize) -> Image.Image:
        resized = Image.new("RGB", size)
        resizer.resize_pil(image, resized, bicubic)
        return resized

    return resize

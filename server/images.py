"""Screenshots: checked, decoded at most once, resized, encoded once per size.

A PNG or JPEG that needs no other size goes to the model untouched: its structure is checked
(chunk checksums, end markers), its pixels are not decoded. Everything else is decoded once.
"""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from dataclasses import dataclass, field, replace
from typing import Literal

import pybase64
from PIL import Image

from device.screen import is_all_black
from parsers.action import Size
from parsers.base import CoordinateSpace, ImageNeeds
from parsers.spaces import plan_size
from server.errors import BadRequestError, ImageError, ImageTooLargeError
from server.pictures.decoder import shared_decoder
from server.pictures.headers import (
    is_webp_animated,
    read_jpeg_size,
    read_png_size,
    read_webp_exif,
    read_webp_size,
)
from server.pictures.pixels import JPEG_QUALITY

BLACK_MAX = 12
"""A channel's highest value in a JPEG or WebP that shows nothing: black may be a little off."""
BLACK_PIXELS_PER_BYTE = 40
"""A black JPEG or WebP has at least so many pixels in a byte; a picture of something has fewer."""
TABLES_MAX_BYTES = 1024
"""What such a file has beside its pixels."""
ImageFormat = Literal["png", "jpeg", "webp"]
MEDIA_TYPES: dict[ImageFormat, str] = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "webp": "image/webp",
}
SENT_SIDE_MAX_PX = 8192
SIDE_MAX_PX = 16384
WEBP_SHARE = 0.6
"""WebP may have this much of the pixels: its decoder takes twice the memory of the others."""
_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_EXIF_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A checked screenshot.

    Attributes:
        data: The file as it came.
        format: What the bytes really are.
        size: Size in pixels, upright.
        as_is: Whether `data` may go to a model untouched (PNG or JPEG, upright, not CMYK).
        sha256: Of `data`, in hex.
        pixels: Upright RGB pixels, where they are at hand: then `data` is not decoded again.
    """

    data: bytes
    format: ImageFormat
    size: Size
    as_is: bool
    sha256: str
    pixels: Image.Image | None = field(default=None, repr=False, compare=False)

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]


@dataclass(frozen=True, slots=True)
class SentImage:
    """A picture as the model gets it: a data URL, and the size that its points refer to."""

    data_url: str
    size: Size


@dataclass(frozen=True, slots=True)
class ResizeRequest:
    """The size that the caller wants sent.

    Attributes:
        target: Exactly this size, even where it distorts.
        max_side_px: The longest side at most, aspect kept; 0: no limit.
    """

    target: Size | None = None
    max_side_px: int = 0


def sniff_format(data: bytes) -> ImageFormat | None:
    """Tell PNG, JPEG and WebP by their first bytes; None for anything else."""
    if data.startswith(_PNG_MAGIC):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return None


def check_screenshot(data: bytes, max_bytes: int, max_pixels: int) -> Screenshot:
    """Check a screenshot file without decoding its pixels.

    Args:
        data: The file.
        max_bytes: Largest file taken.
        max_pixels: Most pixels taken.

    Raises:
        ImageError: Empty, another format, cut off, damaged, or animated.
        ImageTooLargeError: Too many bytes or pixels, or a side of more than `SIDE_MAX_PX`.
    """
    if not data:
        raise ImageError("the screenshot is empty; send a PNG, JPEG or WebP file")
    if len(data) > max_bytes:
        raise ImageTooLargeError(
            f"the screenshot has {len(data)} bytes, more than {max_bytes}; send a smaller one",
            bytes=len(data),
            max_bytes=max_bytes,
        )
    kind = sniff_format(data)
    if kind is None:
        raise ImageError("the screenshot is no PNG, JPEG or WebP; send one of these")
    size = _read_size(data, kind, max_pixels)  # before any decoder takes memory for it
    try:
        mode, animated, turned = _read_header(data, kind)
    except Exception as error:
        # Pillow raises many kinds of errors on damaged files; all mean the same to the caller.
        raise ImageError("the screenshot is damaged; take it again") from error
    if animated:
        raise ImageError("the screenshot is animated; send one still picture")
    if not _is_whole(data, kind):
        raise ImageError("the screenshot is cut off or damaged; take it again")
    if turned in (5, 6, 7, 8):
        size = Size(width_px=size.height_px, height_px=size.width_px)
    upright = turned in (0, 1)
    return Screenshot(
        data=data,
        format=kind,
        size=size,
        as_is=kind != "webp" and upright and mode != "CMYK",
        sha256=hashlib.sha256(data).hexdigest(),
    )


def plan_sent_size(
    size: Size, space: CoordinateSpace, needs: ImageNeeds, request: ResizeRequest
) -> Size:
    """The size at which a screenshot will be sent: known before the prompt is written.

    An exact target wins. Else the smallest of the longest sides asked by the caller and by the
    dialect holds, aspect kept; a pixel dialect's factor and limits are then applied, so that
    nobody resizes the picture again behind our back.
    """
    if request.target is not None:
        return request.target
    limits = [side for side in (request.max_side_px, needs.max_side_px) if side > 0]
    limited = replace(needs, max_side_px=min(limits, default=0))
    return plan_size(space, limited, size.width_px, size.height_px)


def encode_for_model(screenshot: Screenshot, sent_size: Size) -> SentImage:
    """The screenshot at the planned size: untouched where possible, else a JPEG.

    Raises:
        ImageError: The pixels cannot be decoded.
    """
    if screenshot.as_is and sent_size == screenshot.size:
        data, media_type = screenshot.data, screenshot.media_type
    else:
        data, media_type = _resize_to_jpeg(screenshot, sent_size), MEDIA_TYPES["jpeg"]
    return SentImage(data_url=to_data_url(data, media_type), size=sent_size)


def is_black(screenshot: Screenshot) -> bool:
    """Whether the picture shows nothing at all: a phone that sleeps, or a protected page.

    Cheap on a picture of something: a PNG is inflated up to its first bright pixel, another file
    is decoded only if it is as small as black ones are.

    Raises:
        ImageError: The pixels cannot be decoded.
    """
    if screenshot.format == "png":
        return is_all_black(screenshot.data)
    size = screenshot.size
    pixels_bytes = len(screenshot.data) - TABLES_MAX_BYTES
    if size.width_px * size.height_px < pixels_bytes * BLACK_PIXELS_PER_BYTE:
        return False
    with open_resized(screenshot, Size(width_px=32, height_px=64)) as small:
        return max(small.convert("L").tobytes()) < BLACK_MAX


def to_data_url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{pybase64.b64encode(data).decode('ascii')}"


def read_data_url(url: str, *, max_bytes: int) -> bytes:
    """The bytes of a `data:...;base64,` URL; its claimed media type is not trusted.

    Raises:
        ImageError: Not base64.
        ImageTooLargeError: More than `max_bytes`.
    """
    header, comma, body = url.partition(",")
    if not comma or not header.rstrip().endswith(";base64"):
        raise ImageError("the data URL is not base64; send data:image/png;base64,...")
    return read_base64(body, max_bytes=max_bytes)


def read_base64(text: str, *, max_bytes: int) -> bytes:
    """Decode strict base64 (line breaks allowed).

    Raises:
        ImageError: Not base64.
        ImageTooLargeError: More than `max_bytes`.
    """
    if len(text) > max_bytes * 4 // 3 + max_bytes // 50 + 8:
        raise ImageTooLargeError(
            f"the screenshot has more than {max_bytes} bytes; send a smaller one",
            max_bytes=max_bytes,
        )
    try:
        return pybase64.b64decode(text, validate=True)
    except ValueError:
        pass
    try:
        return pybase64.b64decode("".join(text.split()), validate=True)
    except ValueError as error:
        raise ImageError("the screenshot's base64 is broken; encode it again") from error


def read_target_size(value: object, *, max_pixels: int) -> Size:
    """Read `target_image_size: [w, h]` of a request.

    Raises:
        BadRequestError: Not two whole numbers, or too large.
    """
    if (
        not isinstance(value, list | tuple)
        or len(value) != 2
        or not all(isinstance(side, int) and not isinstance(side, bool) for side in value)
    ):
        raise BadRequestError(
            "target_image_size must be [width, height] in whole pixels", field="target_image_size"
        )
    width_px, height_px = value
    if not (
        1 <= width_px <= SENT_SIDE_MAX_PX
        and 1 <= height_px <= SENT_SIDE_MAX_PX
        and width_px * height_px <= max_pixels
    ):
        raise BadRequestError(
            f"target_image_size must have sides of 1 to {SENT_SIDE_MAX_PX} and at most "
            f"{max_pixels} pixels",
            field="target_image_size",
        )
    return Size(width_px=width_px, height_px=height_px)


def open_resized(screenshot: Screenshot, sent_size: Size) -> Image.Image:
    """The pixels of a screenshot, upright and RGB, at the planned size; decoded elsewhere.

    Raises:
        ImageError: The pixels cannot be decoded.
    """
    if screenshot.pixels is not None:
        target = _pair(sent_size)
        if screenshot.pixels.size == target:
            return screenshot.pixels.copy()  # who asked may draw on it
        return screenshot.pixels.resize(target, Image.Resampling.BICUBIC)
    return shared_decoder().to_pixels(
        screenshot.data, screenshot.format, _pair(screenshot.size), _pair(sent_size)
    )


def _resize_to_jpeg(screenshot: Screenshot, sent_size: Size) -> bytes:
    if screenshot.pixels is not None:
        buffer = io.BytesIO()
        open_resized(screenshot, sent_size).save(buffer, "JPEG", quality=JPEG_QUALITY)
        return buffer.getvalue()
    return shared_decoder().to_jpeg(
        screenshot.data, screenshot.format, _pair(screenshot.size), _pair(sent_size)
    )


def _pair(size: Size) -> tuple[int, int]:
    return size.width_px, size.height_px


def _read_size(data: bytes, kind: ImageFormat, max_pixels: int) -> Size:
    """The size that the header claims, if it is one that is taken."""
    readers = {"png": read_png_size, "jpeg": read_jpeg_size, "webp": read_webp_size}
    size = readers[kind](data)
    if size is None:
        raise ImageError("the screenshot is damaged; take it again")
    width_px, height_px = size.width_px, size.height_px
    if kind == "webp":
        max_pixels = int(max_pixels * WEBP_SHARE)
    if width_px * height_px > max_pixels or max(width_px, height_px) > SIDE_MAX_PX:
        raise ImageTooLargeError(
            f"the screenshot has {width_px}x{height_px} pixels, more than {max_pixels} "
            f"or {SIDE_MAX_PX} a side; send a smaller one",
            width_px=width_px,
            height_px=height_px,
            max_pixels=max_pixels,
        )
    return size


def _read_header(data: bytes, kind: ImageFormat) -> tuple[str, bool, int]:
    """Mode, whether it moves, and its EXIF orientation: no pixel is decoded for it.

    Pillow reads PNG and JPEG headers in Python, but opens WebP's decoder.
    """
    if kind == "webp":
        exif = Image.Exif()
        exif.load(read_webp_exif(data))
        return "RGB", is_webp_animated(data), exif.get(_EXIF_ORIENTATION, 1)
    with Image.open(io.BytesIO(data), formats=[kind.upper()]) as image:
        turned = image.getexif().get(_EXIF_ORIENTATION, 1) if "exif" in image.info else 1
        return image.mode, bool(getattr(image, "is_animated", False)), turned


def _is_whole(data: bytes, kind: ImageFormat) -> bool:
    """Whether the file's structure is complete to its end."""
    if kind == "png":
        return _is_whole_png(data)
    if kind == "jpeg":
        # Cameras and scanners may append bytes after the end marker.
        return data.rfind(b"\xff\xd9", max(0, len(data) - 65536)) > 0
    return int.from_bytes(data[4:8], "little") + 8 <= len(data)


def _is_whole_png(data: bytes) -> bool:
    """Whether all chunks are there, in bounds, with right checksums, up to IEND."""
    view = memoryview(data)
    position = len(_PNG_MAGIC)
    seen_pixels = False
    while position + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, position)
        end = position + 12 + length
        if end > len(data):
            return False
        kind = data[position + 4 : position + 8]
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        if zlib.crc32(view[position + 4 : end - 4]) != checksum:
            return False
        if kind == b"IEND":
            return seen_pixels
        seen_pixels = seen_pixels or kind == b"IDAT"
        position = end
    return False

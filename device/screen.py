"""Pictures of the screen: found in what `screencap` sends, checked, never invented.

`screencap -p` writes a PNG, but phones put warnings before it, text after it, and old ones damage
it by line endings. Without `-p` it writes a raw header (width, height, format as little-endian
32-bit numbers, and from Android 9 a colour space) and the pixels (AOSP `screencap.cpp`).
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from dataclasses import dataclass, field
from typing import Literal

from device.errors import DeviceError, ScreenshotError, ScreenshotRefusedError

PictureWarning = Literal["multi_display", "noise", "crlf", "trailing"]
PixelFormat = Literal["RGBA_8888", "RGBX_8888", "RGB_888", "RGB_565"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_START = _SIGNATURE + b"\0\0\0\rIHDR"
_CRLF_DAMAGE = (
    (b"\x89PNG\r\r\n\x1a\r\n", b"\r\n"),
    (b"\x89PNG\r\r\r\n\x1a\r\r\n", b"\r\r\n"),
)
_SIDE_MAX_PX = 20_000
_PIXELS_MAX = 64_000_000
_MULTI_DISPLAY = b"Multiple displays were found"
_MULTI_DISPLAY_TEXT = re.compile(
    rb"\A\[Warning\] Multiple displays were found.*?for valid display IDs\.\r?\n", re.DOTALL
)
_FORMATS: dict[int, tuple[PixelFormat, int]] = {
    1: ("RGBA_8888", 4),
    2: ("RGBX_8888", 4),
    3: ("RGB_888", 3),
    4: ("RGB_565", 2),
}
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}
_COLOURS = {0: 1, 2: 3, 4: 1, 6: 3}


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole PNG and its size, with what had to be cut or repaired around it."""

    data: bytes = field(repr=False)
    width_px: int
    height_px: int
    warnings: tuple[PictureWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class RawPicture:
    """Raw pixels, row by row without padding."""

    pixels: bytes = field(repr=False)
    width_px: int
    height_px: int
    pixel_format: PixelFormat
    header_bytes: int
    warnings: tuple[PictureWarning, ...] = ()


def read_png(data: bytes) -> Picture:
    """Find the PNG in what `screencap -p` sent, and check it whole (chunks, checksums, size).

    Raises:
        ScreenshotRefusedError: The phone refused to capture this screen.
        ScreenshotError: Empty, cut off, damaged, or no picture at all; `details["reason"]` says
            which.
    """
    warnings: list[PictureWarning] = []
    start = data.find(_START)
    if start < 0:
        data, start = _undo_crlf(data)
        warnings.append("crlf")
    if start > 0:
        warnings.append("multi_display" if _MULTI_DISPLAY in data[:start] else "noise")
    end = _check_chunks(data, start)
    if end < len(data):
        warnings.append("trailing")
    width_px, height_px = struct.unpack_from(">II", data, start + 16)
    if not 0 < width_px * height_px <= _PIXELS_MAX:
        raise _bad("damaged", f"a picture of {width_px}x{height_px}")
    whole = data if start == 0 and end == len(data) else data[start:end]
    return Picture(whole, width_px, height_px, tuple(warnings))


def read_raw(data: bytes) -> RawPicture:
    """Read what `screencap` sent without `-p`: its header has 12 bytes, from Android 9 on 16.

    Raises:
        ScreenshotError: Empty, cut off, or not a raw picture.
    """
    warnings: tuple[PictureWarning, ...] = ()
    if match := _MULTI_DISPLAY_TEXT.match(data):
        data = data[match.end() :]
        warnings = ("multi_display",)
    if len(data) < 12:
        raise _no_picture(data)
    width_px, height_px, code = struct.unpack_from("<III", data)
    known = _FORMATS.get(code)
    if known is None or not 0 < width_px <= _SIDE_MAX_PX or not 0 < height_px <= _SIDE_MAX_PX:
        raise _no_picture(data)
    pixel_format, pixel_bytes = known
    header_bytes = len(data) - width_px * height_px * pixel_bytes
    if header_bytes not in {12, 16}:
        raise _bad("truncated", f"{len(data)} bytes for {width_px}x{height_px}")
    return RawPicture(
        data[header_bytes:], width_px, height_px, pixel_format, header_bytes, warnings
    )


def is_all_black(png: bytes) -> bool:
    """Whether every pixel of a whole PNG is exactly black, as protected or dark screens are.

    Filters predict from neighbours, so a picture is black exactly where all filtered colour bytes
    are zero: it is enough to inflate until the first one that is not, which on a real screen is
    in the first rows. No picture is decoded for this.

    Args:
        png: A PNG that `read_png` has checked.
    """
    width_px, _height_px, depth, colour_type, _, _, interlace = struct.unpack_from(
        ">IIBBBBB", png, 16
    )
    channels = _CHANNELS.get(colour_type)
    if depth != 8 or interlace or channels is None:
        return _is_all_black_decoded(png)
    colours = _COLOURS[colour_type]
    row_bytes = 1 + width_px * channels
    inflater = zlib.decompressobj()
    rows = b""
    for kind, body in _chunks(png):
        if kind != b"IDAT":
            continue
        pending: bytes | memoryview = body
        while pending:
            try:
                rows += inflater.decompress(pending, 64 * row_bytes)
            except zlib.error:
                return False  # the reader of the picture says what is wrong with it
            pending = inflater.unconsumed_tail
            whole = len(rows) // row_bytes
            for index in range(whole):
                row = rows[index * row_bytes + 1 : (index + 1) * row_bytes]
                if any(row[c::channels].count(0) != width_px for c in range(colours)):
                    return False
            rows = rows[whole * row_bytes :]
    return True


def _is_all_black_decoded(png: bytes) -> bool:
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return image.convert("RGBA").convert("RGB").getbbox() is None


def _undo_crlf(data: bytes) -> tuple[bytes, int]:
    """Undo what a terminal made of the line ends; returns the bytes and where the picture starts.

    Raises:
        ScreenshotError: That is not what is wrong with it.
    """
    for damaged, line_end in _CRLF_DAMAGE:
        position = data.find(damaged)
        if position >= 0:
            repaired = data[:position] + data[position:].replace(line_end, b"\n")
            if repaired.startswith(_START, position):
                return repaired, position
    position = data.find(_SIGNATURE)
    if position < 0:
        raise _no_picture(data)
    cut = len(data) < position + len(_START)
    raise _bad("truncated" if cut else "damaged", "a picture without a header")


def _check_chunks(data: bytes, start: int) -> int:
    """Walk the chunks; returns the end of IEND."""
    position = start + 8
    while True:
        if position + 12 > len(data):
            raise _bad("truncated", f"cut off after {len(data) - start} bytes")
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4 : position + 8]
        end = position + 12 + length
        if end > len(data):
            raise _bad("truncated", f"cut off after {len(data) - start} bytes")
        with memoryview(data) as view:
            checksum = zlib.crc32(view[position + 4 : end - 4])
        if checksum != struct.unpack_from(">I", data, end - 4)[0]:
            raise _bad("damaged", f"a wrong checksum in {kind!r}")
        if kind == b"IEND":
            return int(end)
        position = end


def _chunks(png: bytes) -> list[tuple[bytes, memoryview]]:
    view = memoryview(png)
    position = 8
    found = []
    while position + 12 <= len(png):
        (length,) = struct.unpack_from(">I", png, position)
        found.append((png[position + 4 : position + 8], view[position + 8 : position + 8 + length]))
        position += 12 + length
    return found


def _no_picture(data: bytes) -> DeviceError:
    text = data[:600].decode("utf-8", "replace").strip()
    status = re.search(r"Status: (-?\d+)", text)
    if status and status[1] == "-2":
        return _bad("display", "a wrong display id", output=text)
    if status or "Capturing failed" in text or "Failed to take screenshot" in text:
        return ScreenshotRefusedError(
            "The phone refuses to capture this screen (protected content); leave it, or go on by "
            "hand.",
            reason="refused",
            output=text,
        )
    if not data:
        return _bad("empty", "nothing")
    return _bad("no_picture", "something else", output=text)


def _bad(reason: str, what: str, **details: str) -> ScreenshotError:
    return ScreenshotError(
        f"Instead of a whole picture the phone sent {what}; try again, and check the cable.",
        reason=reason,
        **details,
    )

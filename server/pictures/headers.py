"""A picture's size from its header alone: known before any decoder sees, or pays for, the file.

Pillow opens a decoder to tell the size; for WebP that takes memory for the whole claimed canvas.
Formats: PNG (ISO/IEC 15948 §11.2.1), JPEG (ITU-T T.81 annex B), WebP (RFC 9649 §2).
"""

from __future__ import annotations

import struct

from parsers.action import Size

JPEG_MAX_SCANS = 16
"""A progressive JPEG has about ten; a hostile one has thousands, each as dear as the picture."""
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_BARE_MARKERS = frozenset({0x01, *range(0xD0, 0xD8)})


def read_png_size(data: bytes) -> Size | None:
    """The size that a PNG claims; None where its first chunk is no IHDR."""
    if len(data) < 33 or data[8:16] != b"\x00\x00\x00\x0dIHDR":
        return None
    return _size(*struct.unpack_from(">II", data, 16))


def read_jpeg_size(data: bytes) -> Size | None:
    """The size that a JPEG claims; None where it has no frame, or more scans than it may."""
    position, size = 2, None
    while position + 4 <= len(data):
        if data[position] != 0xFF:
            return None
        marker = data[position + 1]
        if marker == 0xFF:
            position += 1  # padding
            continue
        if marker in _BARE_MARKERS:
            position += 2
            continue
        (length,) = struct.unpack_from(">H", data, position + 2)
        if marker in _FRAMES:
            if size is not None or position + 9 > len(data):
                return None
            height_px, width_px = struct.unpack_from(">HH", data, position + 5)
            size = _size(width_px, height_px)
        if marker == 0xDA:  # the first scan; inside one, 0xFF is never followed by 0xDA
            return size if data.count(b"\xff\xda", position) <= JPEG_MAX_SCANS else None
        if marker == 0xD9 or length < 2:
            return None
        position += 2 + length
    return None


def read_webp_size(data: bytes) -> Size | None:
    """The size that a WebP claims; None where its first chunk is none of the three kinds."""
    if len(data) < 30:
        return None
    kind, body = data[12:16], 20
    if kind == b"VP8X":
        width_px = int.from_bytes(data[body + 4 : body + 7], "little") + 1
        height_px = int.from_bytes(data[body + 7 : body + 10], "little") + 1
    elif kind == b"VP8L" and data[body] == 0x2F:
        bits = int.from_bytes(data[body + 1 : body + 5], "little")
        width_px, height_px = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 " and data[body + 3 : body + 6] == b"\x9d\x01\x2a":
        width_px, height_px = (side & 0x3FFF for side in struct.unpack_from("<HH", data, body + 6))
    else:
        return None
    return _size(width_px, height_px)


def is_webp_animated(data: bytes) -> bool:
    """Whether a WebP's extended header says that it moves."""
    return data[12:16] == b"VP8X" and bool(data[20] & 0x02)


def read_webp_exif(data: bytes) -> bytes:
    """The EXIF block of a WebP; empty where it has none."""
    position = 12
    while position + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, position + 4)
        if data[position : position + 4] == b"EXIF":
            return data[position + 8 : position + 8 + length]
        position += 8 + length + length % 2
    return b""


def _size(width_px: int, height_px: int) -> Size | None:
    if width_px < 1 or height_px < 1:
        return None
    return Size(width_px=width_px, height_px=height_px)

"""A fast PNG writer: one zlib pass at level 1, no filtering."""

from __future__ import annotations

import struct
import zlib


def encode_png(rgba: bytes, width_px: int, height_px: int) -> bytes:
    """PNG file of raw pixels.

    Args:
        rgba: Rows from the top, 4 bytes per pixel, no padding.
        width_px: Pixels per row.
        height_px: Number of rows.

    Raises:
        ValueError: The number of bytes does not fit the size.
    """
    stride = width_px * 4
    if len(rgba) != stride * height_px:
        raise ValueError(f"{len(rgba)} bytes are not {width_px}x{height_px} RGBA pixels")
    rows = bytearray((stride + 1) * height_px)
    view = memoryview(rgba)
    for y in range(height_px):
        start = y * (stride + 1) + 1
        rows[start : start + stride] = view[y * stride : (y + 1) * stride]
    header = struct.pack(">IIBBBBB", width_px, height_px, 8, 6, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", header),
            _chunk(b"IDAT", zlib.compress(rows, 1)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

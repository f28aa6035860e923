"""Pictures are whole, or they are errors; black is told from dark without decoding."""

from __future__ import annotations

import io
import random
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from device.errors import ScreenshotError, ScreenshotRefusedError
from device.screen import is_all_black, read_png, read_raw


def png(image: Image.Image, **options: object) -> bytes:
    data = io.BytesIO()
    image.save(data, "PNG", **options)
    return data.getvalue()


SCREEN = png(Image.effect_noise((60, 100), 80).convert("RGBA"))


def test_a_whole_picture_is_passed_on_untouched() -> None:
    picture = read_png(SCREEN)
    assert picture.data is SCREEN
    assert (picture.width_px, picture.height_px, picture.warnings) == (60, 100, ())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, len(SCREEN) - 1))
def test_a_picture_cut_anywhere_is_an_error(length: int) -> None:
    with pytest.raises(ScreenshotError):
        read_png(SCREEN[:length])


@settings(max_examples=100, deadline=None)
@given(st.integers(8, len(SCREEN) - 1), st.integers(1, 255))
def test_a_picture_damaged_anywhere_is_an_error(position: int, change: int) -> None:
    data = bytearray(SCREEN)
    data[position] ^= change
    with pytest.raises(ScreenshotError):
        read_png(bytes(data))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_bytes_around_a_picture_are_cut_off(before: bytes, behind: bytes) -> None:
    assert read_png(before + SCREEN + behind).data == SCREEN


@pytest.mark.parametrize(
    ("data", "error", "reason"),
    [
        (b"", ScreenshotError, "empty"),
        (b"Failed to take screenshot. Status: -1\n", ScreenshotRefusedError, "refused"),
        (b"Failed to take screenshot. Status: -2\n", ScreenshotError, "display"),
        (b"Capturing failed.\n", ScreenshotRefusedError, "refused"),
        (b"\x00" * 4000, ScreenshotError, "no_picture"),
        (b"\xff\xd8\xff\xe0JFIF", ScreenshotError, "no_picture"),
    ],
)
def test_what_is_no_picture_says_why(
    data: bytes, error: type[ScreenshotError], reason: str
) -> None:
    with pytest.raises(error) as caught:
        read_png(data)
    assert (type(caught.value), caught.value.details["reason"]) == (error, reason)


def test_an_absurd_size_is_refused() -> None:
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 6, 0, 0, 0)

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IEND", b"")
    with pytest.raises(ScreenshotError, match="60000x60000"):
        read_png(bomb)


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P", "1"])
def test_all_black_is_seen_in_every_kind_of_png(mode: str) -> None:
    black = Image.new("RGBA", (50, 70), (0, 0, 0, 255)).convert(mode)
    assert is_all_black(png(black))
    lit = Image.new("RGBA", (50, 70), (0, 0, 0, 255))
    lit.putpixel((49, 69), (255, 255, 255, 255))
    assert not is_all_black(png(lit.convert(mode)))


@pytest.mark.parametrize("channel", [0, 1, 2])
@pytest.mark.parametrize("place", [(0, 0), (31, 0), (0, 200), (31, 200), (17, 99)])
def test_a_single_faint_pixel_is_not_black(channel: int, place: tuple[int, int]) -> None:
    image = Image.new("RGB", (32, 201))
    image.putpixel(place, tuple(1 if c == channel else 0 for c in range(3)))
    assert not is_all_black(png(image))


def test_transparent_black_is_black_and_dark_is_not() -> None:
    assert is_all_black(png(Image.new("RGBA", (40, 40), (0, 0, 0, 0))))
    assert not is_all_black(png(Image.new("RGB", (40, 40), (1, 1, 1))))


@pytest.mark.parametrize(("code", "size"), [(1, 4), (2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("header", [12, 16])
def test_raw_pixels_are_found_behind_either_header(code: int, size: int, header: int) -> None:
    pixels = random.Random(code).randbytes(6 * 9 * size)
    colour_space = struct.pack("<I", 1) if header == 16 else b""
    raw = read_raw(struct.pack("<III", 6, 9, code) + colour_space + pixels)
    assert (raw.pixels, raw.width_px, raw.height_px, raw.header_bytes) == (pixels, 6, 9, header)


@pytest.mark.parametrize("data", [b"", b"\x01" * 11, struct.pack("<III", 2, 2, 9) + b"\0" * 16,
                                  struct.pack("<III", 2, 2, 1) + b"\0" * 15,
                                  struct.pack("<III", 2, 2, 1) + b"\0" * 24])  # fmt: skip
def test_raw_pixels_that_do_not_add_up_are_an_error(data: bytes) -> None:
    with pytest.raises(ScreenshotError):
        read_raw(data)

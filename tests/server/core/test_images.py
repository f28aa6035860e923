from __future__ import annotations

import base64
import io
import struct
import zlib

import pytest
from PIL import Image

from parsers.action import Size
from parsers.base import ImageNeeds, PixelSpace, RelativeSpace
from server.errors import BadRequestError, ImageError, ImageTooLargeError
from server.images import (
    ResizeRequest,
    Screenshot,
    check_screenshot,
    encode_for_model,
    plan_sent_size,
    read_data_url,
    read_target_size,
)

from .conftest import data_url, paint

RELATIVE = RelativeSpace(scale=1000, maximum=1000)
QWEN25 = PixelSpace(factor=28, min_pixels=100 * 28 * 28, max_pixels=16384 * 28 * 28)
PHONE = Size(width_px=1080, height_px=2400)


def check(data: bytes, max_bytes: int = 1_000_000, max_pixels: int = 4_000_000) -> Screenshot:
    return check_screenshot(data, max_bytes, max_pixels)


def decode(url: str) -> tuple[str, Image.Image]:
    header, _, body = url.partition(",")
    image = Image.open(io.BytesIO(base64.b64decode(body)))
    image.load()
    return header, image


@pytest.mark.parametrize(("kind", "format"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "webp")])
def test_the_type_is_told_by_the_bytes(kind: str, format: str) -> None:
    screenshot = check(paint(kind=kind))
    assert (screenshot.format, screenshot.size) == (format, Size(width_px=108, height_px=240))


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_png_or_jpeg_that_needs_no_other_size_is_sent_byte_for_byte(kind: str) -> None:
    data = paint(kind=kind)
    sent = encode_for_model(check(data), Size(width_px=108, height_px=240))
    assert sent.data_url == data_url(data, f"image/{kind.lower()}")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_another_size_is_sent_as_an_rgb_jpeg_of_exactly_that_size(kind: str) -> None:
    target = Size(width_px=50, height_px=60)
    sent = encode_for_model(check(paint(kind=kind)), target)
    header, image = decode(sent.data_url)
    assert header == "data:image/jpeg;base64"
    assert (image.size, image.mode, sent.size) == ((50, 60), "RGB", target)
    red, green, blue = image.getpixel((25, 30))
    assert red > 180 and green < 90 and blue < 90


def test_webp_is_sent_as_jpeg_since_not_every_provider_reads_it() -> None:
    header, image = decode(
        encode_for_model(check(paint(kind="WEBP")), Size(width_px=108, height_px=240)).data_url
    )
    assert (header, image.size) == ("data:image/jpeg;base64", (108, 240))


def test_a_rotated_jpeg_counts_and_is_sent_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    screenshot = check(paint(240, 108, kind="JPEG", exif=exif))
    assert screenshot.size == Size(width_px=108, height_px=240)
    _, image = decode(encode_for_model(screenshot, screenshot.size).data_url)
    assert image.size == (108, 240)
    # The blue bar was at the top of the stored picture: turned clockwise, it is at the right.
    assert image.getpixel((104, 200))[2] > 180 and image.getpixel((104, 200))[0] < 90
    assert min(image.getpixel((4, 200))) > 200


def test_a_cmyk_jpeg_is_sent_as_rgb() -> None:
    buffer = io.BytesIO()
    Image.new("CMYK", (20, 30), (0, 255, 255, 0)).save(buffer, "JPEG")
    screenshot = check(buffer.getvalue())
    _, image = decode(encode_for_model(screenshot, screenshot.size).data_url)
    assert image.mode == "RGB"
    assert image.getpixel((10, 10))[0] > 200 and image.getpixel((10, 10))[1] < 60


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_cut_at_any_place_is_refused(kind: str) -> None:
    data = paint(kind=kind)
    for length in range(0, len(data) - 2, 7):
        with pytest.raises(ImageError):
            check(data[:length])


def test_a_png_with_one_flipped_byte_in_its_pixels_is_refused() -> None:
    data = bytearray(paint())
    place = data.index(b"IDAT") + 20
    data[place] ^= 1
    with pytest.raises(ImageError, match="damaged"):
        check(bytes(data))


@pytest.mark.parametrize(
    "data",
    [b"", b"no picture", b"<svg/>", b"%!PS-Adobe", b"II*\0" + b"\0" * 40, b"GIF89a" + b"\0" * 40],
)
def test_anything_but_png_jpeg_and_webp_is_refused(data: bytes) -> None:
    with pytest.raises(ImageError):
        check(data)


@pytest.mark.parametrize(("width", "height"), [(13370, 13370), (178_000_000, 1), (20_000, 20_000)])
def test_a_pixel_bomb_is_refused_before_it_is_decoded(width: int, height: int) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    bomb = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
        + chunk(b"IEND", b"")
    )
    with pytest.raises(ImageTooLargeError):
        check(bomb)


def test_a_file_above_the_limit_is_refused() -> None:
    with pytest.raises(ImageTooLargeError, match="more than 100"):
        check(paint(), max_bytes=100)


def test_an_animation_is_refused() -> None:
    frames = [Image.new("RGB", (20, 20), color) for color in ("red", "blue")]
    for kind in ("PNG", "WEBP"):
        buffer = io.BytesIO()
        frames[0].save(buffer, kind, save_all=True, append_images=frames[1:])
        with pytest.raises(ImageError, match="animated"):
            check(buffer.getvalue())


@pytest.mark.parametrize(
    ("space", "needs", "request_", "planned"),
    [
        (RELATIVE, ImageNeeds(), ResizeRequest(), (1080, 2400)),
        (RELATIVE, ImageNeeds(), ResizeRequest(Size(width_px=728, height_px=728)), (728, 728)),
        (RELATIVE, ImageNeeds(), ResizeRequest(max_side_px=1200), (540, 1200)),
        (RELATIVE, ImageNeeds(max_side_px=1120), ResizeRequest(), (504, 1120)),
        (RELATIVE, ImageNeeds(max_side_px=1120), ResizeRequest(max_side_px=600), (270, 600)),
        (RELATIVE, ImageNeeds(), ResizeRequest(max_side_px=9999), (1080, 2400)),
        (QWEN25, ImageNeeds(), ResizeRequest(), (1092, 2408)),
        (QWEN25, ImageNeeds(), ResizeRequest(Size(width_px=1000, height_px=1000)), (1000, 1000)),
        (QWEN25, ImageNeeds(), ResizeRequest(max_side_px=1200), (532, 1204)),
    ],
)
def test_the_size_that_is_sent_is_planned_from_dialect_and_request(
    space: RelativeSpace | PixelSpace,
    needs: ImageNeeds,
    request_: ResizeRequest,
    planned: tuple[int, int],
) -> None:
    size = plan_sent_size(PHONE, space, needs, request_)
    assert (size.width_px, size.height_px) == planned


@pytest.mark.parametrize(
    "value", [[12000, 12000], [0, 5], [5], "728x728", [7.5, 8], [True, 3], None, [-1, 3]]
)
def test_a_target_size_that_is_no_sane_size_is_refused(value: object) -> None:
    with pytest.raises(BadRequestError):
        read_target_size(value, max_pixels=40_000_000)


def test_a_data_url_is_read_whatever_media_type_it_claims() -> None:
    assert read_data_url("data:text/html;base64,aGk=", max_bytes=10) == b"hi"
    assert read_data_url("data:image/png;base64,aG\nk=\n", max_bytes=10) == b"hi"


@pytest.mark.parametrize("url", ["data:image/png,hi", "data:;base64,a*b=", "data:;base64", "data:"])
def test_a_broken_data_url_is_refused(url: str) -> None:
    with pytest.raises(ImageError):
        read_data_url(url, max_bytes=10)


def test_a_data_url_above_the_limit_is_refused_without_decoding_it() -> None:
    with pytest.raises(ImageTooLargeError):
        read_data_url("data:;base64," + "A" * 10_000, max_bytes=1000)

"""Pictures are decoded in processes apart: a decoder that dies takes nothing else with it."""

from __future__ import annotations

import io
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageStat

from server.errors import ImageError
from server.pictures import pixels
from server.pictures.decoder import Decoder

SIZE, TARGET = (1080, 2400), (728, 728)


@pytest.fixture
def decoder() -> Iterator[Decoder]:
    decoder = Decoder(workers=1)
    yield decoder
    decoder.close()


def screen(kind: str = "JPEG") -> bytes:
    """Small words, thin lines and a soft gradient: what a resize spoils first."""
    picture = Image.linear_gradient("L").resize(SIZE).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for row in range(40, SIZE[1], 60):
        draw.text((row % 700, row), f"Settings {row} WLAN 蓝牙", fill="black", font_size=28)
        draw.line((0, row - 10, SIZE[0], row - 10), fill="#3355bb", width=1 + row % 3)
    out = io.BytesIO()
    picture.save(out, kind, quality=90)
    return out.getvalue()


def likeness_db(one: Image.Image, other: Image.Image) -> float:
    """Peak signal-to-noise ratio; 99 for the same pixels."""
    seen = ImageStat.Stat(ImageChops.difference(one, other))
    error = sum(seen.sum2) / sum(seen.count)
    return 99.0 if error == 0 else 10 * math.log10(255**2 / error)


@pytest.mark.parametrize("target", [TARGET, (540, 1200), (896, 1988), (1080, 2401), (1, 1)])
def test_a_resized_screen_looks_as_the_plain_bicubic_one(
    decoder: Decoder, target: tuple[int, int]
) -> None:
    data = screen("PNG")
    plain = Image.open(io.BytesIO(data)).convert("RGB").resize(target, Image.Resampling.BICUBIC)
    ours = decoder.to_pixels(data, "png", SIZE, target)
    assert ours.size == target
    assert likeness_db(ours, plain) > 50


def test_a_jpeg_is_decoded_smaller_only_where_nothing_is_made_up(decoder: Decoder) -> None:
    data = screen()
    for target, least_db in ((TARGET, 50), ((540, 1200), 32)):
        plain = pixels.resize_with_pillow(Image.open(io.BytesIO(data)), target)
        assert likeness_db(decoder.to_pixels(data, "jpeg", SIZE, target), plain) > least_db


def test_without_the_fast_resizer_pillow_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pixels._resizer.cache_clear()
    monkeypatch.setattr(pixels, "cykooz_resizer", None)
    try:
        data = screen("PNG")
        plain = pixels.resize_with_pillow(Image.open(io.BytesIO(data)).convert("RGB"), TARGET)
        assert likeness_db(pixels.decode_resized(data, "png", SIZE, TARGET), plain) == 99
    finally:
        pixels._resizer.cache_clear()


def test_one_process_serves_one_picture_after_the_other(decoder: Decoder) -> None:
    first = decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET)
    ids = decoder.process_ids()
    assert decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET) == first
    assert decoder.process_ids() == ids
    assert len(ids) == 1


def test_a_damaged_picture_costs_itself_alone(decoder: Decoder) -> None:
    with pytest.raises(ImageError):
        decoder.to_jpeg(screen("PNG")[:-2000], "png", SIZE, TARGET)
    ids = decoder.process_ids()
    assert decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET).startswith(b"\xff\xd8")
    assert decoder.process_ids() == ids


def test_a_decoder_that_dies_over_a_picture_is_an_error_and_the_next_one_is_fresh(
    decoder: Decoder,
) -> None:
    decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET)
    [pid] = decoder.process_ids()
    os.kill(pid, signal.SIGSTOP)  # it holds the picture, and then it is gone

    def end_it() -> None:
        while decoder.process_ids():
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)

    ending = threading.Thread(target=end_it)
    ending.start()
    with pytest.raises(ImageError, match="took its decoder down"):
        decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET)
    ending.join()
    assert decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET).startswith(b"\xff\xd8")
    assert decoder.process_ids() != [pid]


def test_a_decoder_that_died_while_nobody_used_it_costs_no_picture(decoder: Decoder) -> None:
    decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET)
    [pid] = decoder.process_ids()
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET).startswith(b"\xff\xd8")


def test_a_decoder_that_hangs_ends_itself() -> None:
    program = (
        "import time, server.pictures.decoder_process as d;"
        "d.DECODE_TIMEOUT_S = 0.2; d.decode_resized = lambda *_: time.sleep(60); d.main()"
    )
    order = b'{"bytes":1,"kind":"png","size":[1,1],"target":[1,1],"output":"jpeg"}\nx'
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=order, capture_output=True, timeout=30, cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's account of a process")
def test_a_decoder_knows_no_keys_and_holds_no_files(
    decoder: Decoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-7d1f")
    with (tmp_path / "token").open("w"):
        decoder.to_jpeg(screen(), "jpeg", SIZE, TARGET)
        [pid] = decoder.process_ids()
        process = Path("/proc") / str(pid)
        assert b"canary-7d1f" not in (process / "environ").read_bytes()
        held = {os.readlink(name) for name in (process / "fd").iterdir()}  # noqa: PTH115
        assert all(name.startswith(("pipe:", "/dev/null")) for name in held), held

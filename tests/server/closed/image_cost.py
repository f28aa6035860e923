"""What the dearest pictures cost the service: memory above rest, and CPU time, of one step.

    python -m tests.server.closed.image_cost

Prints one JSON object per picture. It reads the kernel's account of the process: Linux only.
"""

from __future__ import annotations

import base64
import io
import json
import os
import struct
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from server.errors import ServerError
from server.http.client import RemoteLocalServer
from server.model.scripted_model import ScriptedModel
from tests.server.http.conftest import CLICK
from tests.server.http.test_drain import serving

Size = tuple[int, int]
WIDTH_PX, HEIGHT_PX = 2000, 4000
SMALL, LARGE = (728, 728), (1999, 3999)


def dear_pictures() -> Iterator[tuple[str, Callable[[], bytes], Size]]:
    """By name: how to make it, and the size to send it at."""
    yield "rgba png, noise, small", lambda: _saved("PNG", "RGBA", compress_level=1), SMALL
    yield "rgb png, noise, large", lambda: _saved("PNG", "RGB", compress_level=1), LARGE
    yield "jpeg, small", lambda: _saved("JPEG", "RGB", quality=90), SMALL
    yield "progressive jpeg, large", lambda: _saved("JPEG", "RGB", progressive=True), LARGE
    yield "jpeg of 16 scans", lambda: many_scans(16), LARGE
    yield "jpeg of 40 scans", lambda: many_scans(40), LARGE
    yield (
        "lossless webp",
        lambda: _saved("WEBP", "RGB", (1500, 3300), lossless=True, method=0),
        LARGE,
    )
    yield "rgb png of 10 MB", large_file, LARGE
    yield "rgb png of 10 MB, as it is", large_file, (1600, 2150)
    yield "png of one bit, 13370x13370", lambda: png_of(13370, 13370), SMALL
    yield "png of 178000000x1", lambda: png_of(178_000_000, 1), SMALL
    yield "webp that claims 16383x16383", claimed_webp, SMALL
    yield "png of one bit, 2915x2915", lambda: png_of(2915, 2915), LARGE
    yield "png with a text bomb", text_bomb, LARGE


def _noise(mode: str, size: Size = (WIDTH_PX, HEIGHT_PX)) -> Image.Image:
    tile = Image.effect_noise((500, 500), 8).convert(mode)
    picture = Image.new(mode, size)
    for left in range(0, size[0], 500):
        for top in range(0, size[1], 500):
            picture.paste(tile, (left, top))
    return picture


def _saved(kind: str, mode: str, size: Size = (WIDTH_PX, HEIGHT_PX), **options: Any) -> bytes:
    out = io.BytesIO()
    _noise(mode, size).save(out, kind, **options)
    return out.getvalue()


def large_file() -> bytes:
    """Pixels that cannot be compressed: nearly as many bytes as are taken."""
    out = io.BytesIO()
    pixels = os.urandom(1600 * 2150 * 3)
    Image.frombytes("RGB", (1600, 2150), pixels).save(out, "PNG", compress_level=1)
    return out.getvalue()


def many_scans(count: int) -> bytes:
    """A progressive JPEG whose last scan is there again and again: small to send, dear to read."""
    data = _saved("JPEG", "L", progressive=True, quality=30)
    last = data.rindex(b"\xff\xda")
    body, scan = data[:last], data[last:-2]
    return body + scan * (count - body.count(b"\xff\xda")) + b"\xff\xd9"


def png_of(width_px: int, height_px: int, extra: bytes = b"") -> bytes:
    """A one-bit PNG with nothing in it: a few kilobytes for any number of pixels."""
    rows = zlib.compressobj(9)
    row = bytes(1 + (width_px + 7) // 8)
    pixels = b"".join(rows.compress(row) for _ in range(height_px)) + rows.flush()
    header = struct.pack(">IIBBBBB", width_px, height_px, 1, 0, 0, 0, 0)
    chunks = (_chunk(b"IHDR", header), extra, _chunk(b"IDAT", pixels), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def text_bomb() -> bytes:
    """1 GB of text in compressed chunks."""
    text = zlib.compress(bytes(64 * 1024 * 1024), 9)
    return png_of(600, 600, b"".join(_chunk(b"zTXt", b"k\x00\x00" + text) for _ in range(16)))


def claimed_webp() -> bytes:
    """A small WebP whose header claims the largest canvas."""
    out = io.BytesIO()
    Image.new("RGBA", (8, 8)).save(out, "WEBP", lossless=True)
    body = out.getvalue()[12:]
    side = (16382).to_bytes(3, "little")
    canvas = b"VP8X" + struct.pack("<I", 10) + bytes(4) + side + side
    return b"RIFF" + struct.pack("<I", 4 + len(canvas) + len(body)) + b"WEBP" + canvas + body


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def measure(data: bytes, size: Size, folder: Path) -> dict[str, Any]:
    """Send one picture as one step to a fresh service; what that process then took.

    Memory is its peak above the memory at rest, CPU time that of all its threads; the processes
    that decode for it count as it does, once they have decoded a first picture.
    """
    with ScriptedModel(lambda request: CLICK) as model, serving(model, folder) as child:
        token = (folder / "state" / "token").read_text(encoding="utf-8").strip()
        client = RemoteLocalServer(child.url, token)
        model_config = {"image_preprocess": {"target_image_size": list(size)}}
        session_id = client.get_session({"task": "x", "model_config": model_config})
        step: dict[str, Any] = {"session_id": session_id, "observation": {}}
        step["observation"]["screenshot"] = _part(png_of(600, 600))
        client.automate_step(step)  # the decoder has started
        processes = family(child.process.pid)
        for process in processes:
            (process / "clear_refs").write_text("5")  # the peak counts from now
        before = sum(_memory(process, "VmRSS") for process in processes)
        cpu_before_s = sum(map(cpu_s, processes))
        step["observation"]["screenshot"] = part = _part(data)
        try:
            client.automate_step(step)
            outcome = f"sent {len(json.dumps(model.requests[1].body)) // 1000} kB"
        except ServerError as error:
            outcome = error.code
        return {
            "request_mb": round(len(part["image_url"]["url"]) / 1e6, 2),
            "outcome": outcome,
            "cpu_s": round(sum(map(cpu_s, processes)) - cpu_before_s, 2),
            "added_mb": round((sum(_memory(one, "VmHWM") for one in processes) - before) / 1e6, 1),
        }


def family(pid: int) -> list[Path]:
    """What the kernel tells of a process and of those that it started."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = [child for one in children for child in one.read_text().split()]
    return [Path("/proc") / str(pid), *(Path("/proc") / child for child in found)]


def _part(data: bytes) -> dict[str, Any]:
    url = f"data:image/png;base64,{base64.b64encode(data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _memory(process: Path, name: str) -> int:
    """A line of the kernel's account of a process, in bytes."""
    for line in (process / "status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


def cpu_s(process: Path) -> float:
    """CPU time that a process has taken so far."""
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    wanted = sys.argv[1:]
    for name, make, size in dear_pictures():
        if not wanted or name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                print(json.dumps({"picture": name, **measure(make(), size, Path(folder))}))


if __name__ == "__main__":
    main()

"""Mutated pictures and odd picture parts through the ingest, under watch.

Run as a process of its own, since a watch on `open` and `connect` cannot be taken off again:

    python -m tests.server.closed.image_fuzz --cases 100000 --seed 1

Prints one JSON object: what was taken and refused, every address connected to, every file opened
outside of the data folder, and the worst memory and CPU time of one case.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import json
import random
import struct
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from PIL import Image

from parsers.action import Size
from server.errors import ImageError, SessionNotFoundError
from server.images import check_screenshot
from server.pictures.decoder_process import answer
from server.pictures.sources import SourceRules, fetch_if_web, read_picture
from server.records.store import RecordFiles
from server.session_reading import SessionReader

MAX_BYTES, MAX_PIXELS = 10 * 1024 * 1024, 8_500_000
TARGET = Size(width_px=60, height_px=110)  # not the size of the seeds: pixels are decoded
CODE_FOLDERS = tuple(
    str(Path(folder).resolve())
    for folder in (sys.prefix, sys.base_prefix, Path(__file__).parents[3])
)
ODD_URLS = (
    "/etc/passwd", "file:///etc/passwd", "file://localhost/etc/passwd", "FILE:///etc/passwd",
    "http://127.0.0.1:80/admin", "http://[::1]/", "http://169.254.169.254/latest/meta-data",
    "https://example.com@127.0.0.1/", "http://127.1/", "http://0x7f000001/", "http://2130706433/",
    "ftp://127.0.0.1/x", "gopher://127.0.0.1/", "//127.0.0.1/x", "\\\\host\\share\\x.png",
    "C:\\Windows\\win.ini", "../../etc/passwd", "data:text/html,<script>", "data:;base64",
    "data:image/png;base64,/etc/passwd", "HTTP://127.0.0.1/", " http://127.0.0.1/", "\x00", "",
    "http://127.0.0.1:99999/", "s3://bucket/x", "gs://bucket/x", "jar:file:///x!/y",
    "~/.ssh/id_rsa",
)  # fmt: skip
ODD_IDS = (
    "../../outside/x", "/etc/passwd", "..", ".", "%2e%2e%2f", "a\x00b", "x" * 10_000, "CON", "nul",
    "..\\..\\x", "~", "$HOME", "a/b", "\u2028", "", "00000000-0000-4000-8000-00000000000/",
)  # fmt: skip


class Watch:
    """Notes what the process opens and connects to."""

    def __init__(self, folder: Path) -> None:
        self.connects: list[str] = []
        self.opened_outside: list[str] = []
        self._folder = str(folder.resolve())
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            self.connects.append(f"{event} {arguments[-1]}")
        elif event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
            self.opened_outside.append(f"{event} {arguments[0]}")
        elif event == "open" and isinstance(arguments[0], str | bytes):
            name = arguments[0]
            path = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
            is_code = path.startswith(CODE_FOLDERS) and path.endswith((".py", ".pyc", ".so"))
            if not is_code and not path.startswith(self._folder):
                self.opened_outside.append(path[:200])


def seeds() -> list[bytes]:
    """Small good pictures of every kind that is taken, and some that are not."""
    picture = Image.effect_noise((72, 128), 60).convert("RGB")
    kinds: list[tuple[Image.Image, str, dict[str, Any]]] = [
        (picture, "PNG", {}),
        (picture.convert("RGBA"), "PNG", {"optimize": True}),
        (picture.convert("P"), "PNG", {}),
        (picture.convert("1"), "PNG", {}),
        (picture.convert("I;16"), "PNG", {}),
        (picture, "JPEG", {"quality": 80}),
        (picture, "JPEG", {"progressive": True}),
        (picture.convert("CMYK"), "JPEG", {}),
        (picture.convert("L"), "JPEG", {"exif": _turned()}),
        (picture, "WEBP", {"quality": 50}),
        (picture.convert("RGBA"), "WEBP", {"lossless": True}),
        (picture, "GIF", {}),
        (picture, "TIFF", {}),
        (picture, "BMP", {}),
    ]
    files = []
    for image, kind, options in kinds:
        out = io.BytesIO()
        image.save(out, kind, **options)
        files.append(out.getvalue())
    return files


def _turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif.tobytes()


def mutate(data: bytes, random_: random.Random, others: list[bytes]) -> bytes:
    """One to six changes; often the checksums of a PNG are made right again."""
    file = bytearray(data)
    for _ in range(random_.randint(1, 6)):
        place = random_.randrange(max(1, len(file)))
        if random_.random() < 0.4:
            place = random_.randrange(min(64, max(1, len(file))))  # headers decide the most
        match random_.randrange(8):
            case 0 if file:
                file[min(place, len(file) - 1)] ^= 1 << random_.randrange(8)
            case 1 if file:
                file[min(place, len(file) - 1)] = random_.choice((0, 0x7F, 0x80, 0xFF))
            case 2:
                del file[place:]
            case 3:
                file[place:place] = random_.randbytes(random_.randint(1, 64))
            case 4:
                del file[place : place + random_.randint(1, 64)]
            case 5:
                other = random_.choice(others)
                start = random_.randrange(len(other))
                file[place:place] = other[start : start + random_.randint(1, 2000)]
            case 6:
                file[place : place + 4] = struct.pack(">I", random_.choice(ODD_NUMBERS))
            case 7:
                file += file[place:] * random_.randint(1, 3)
    return _mend_png(bytes(file)) if random_.random() < 0.7 else bytes(file)


ODD_NUMBERS = (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 13370, 178_000_000, 65535, 16384)


def _mend_png(data: bytes) -> bytes:
    """Right checksums for whatever chunks a PNG still has: changes then reach the decoder."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        return data
    file, place = bytearray(data), 8
    while place + 12 <= len(file):
        end = place + 12 + int.from_bytes(file[place : place + 4], "big")
        if end > len(file):
            break
        file[end - 4 : end] = zlib.crc32(file[place + 4 : end - 4]).to_bytes(4, "big")
        place = end
    return bytes(file)


def ingest(data: bytes) -> str:
    """What becomes of a file: `taken`, or the code of its refusal."""
    try:
        screenshot = check_screenshot(data, MAX_BYTES, MAX_PIXELS)
    except ImageError as error:
        return error.code
    if screenshot.as_is and screenshot.size == TARGET:
        return "taken"
    # What the decoder process does with it, done in this one: the hooks see all of it.
    order = {
        "kind": screenshot.format,
        "size": [screenshot.size.width_px, screenshot.size.height_px],
        "target": [TARGET.width_px, TARGET.height_px],
        "output": "jpeg",
    }
    head, result = answer(order, screenshot.data)
    if "error" in head:
        return ImageError.code
    assert result.startswith(b"\xff\xd8\xff")
    return "taken"


def part_of(random_: random.Random, data: bytes) -> Any:
    """A picture as a caller might give it: mostly wrong."""
    url = random_.choice(ODD_URLS) + random_.choice(("", "", "x", "\n", "#", "?a=b", "%00"))
    encoded = base64.b64encode(data).decode()
    return random_.choice(
        (
            {"type": "image_url", "image_url": {"url": url}},
            {"type": "image_url", "image_url": url},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded[:-3]}!"}},
            {"type": "image_b64", "image_b64": {"b64_json": random_.choice((url, encoded, None))}},
            {"type": url, "image_url": {"url": url}},
            {"type": "image_bytes", "data": random_.choice((data, url, None))},
            random_.choice((None, [], url, 7, {"image_url": {"url": url}})),
        )
    )


def ask_part(part: Any, rules: SourceRules) -> str:
    try:
        read_picture(asyncio.run(fetch_if_web(part, rules)), rules)
    except ImageError as error:
        return error.code
    return "taken"


def ask_id(reader: SessionReader, session_id: str) -> str:
    try:
        reader.read_session(session_id)
    except SessionNotFoundError as error:
        return error.code
    return "taken"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=2000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    random_ = random.Random(given.seed)
    warnings.simplefilter("ignore")  # Pillow's, of damaged EXIF data
    good = seeds()
    rules = SourceRules(max_bytes=MAX_BYTES)
    outcomes: Counter[str] = Counter()
    slowest_s = 0.0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        reader = SessionReader(RecordFiles(root / "logs", root / "images"))
        for data in good:
            ingest(data)  # decoders are loaded before the watch begins
        ask_part(part_of(random_, good[0]), rules)
        watch = Watch(root)
        for number in range(given.cases):
            data = mutate(random_.choice(good), random_, good)
            started = time.process_time()
            outcomes[ingest(data)] += 1
            slowest_s = max(slowest_s, time.process_time() - started)
            if number % 4 == 0:
                outcomes["part " + ask_part(part_of(random_, data[:300]), rules)] += 1
                outcomes["id " + ask_id(reader, random_.choice(ODD_IDS))] += 1
    print(
        json.dumps(
            {
                "cases": given.cases,
                "seed": given.seed,
                "outcomes": dict(sorted(outcomes.items())),
                "connects": watch.connects,
                "opened_outside": watch.opened_outside,
                "slowest_s": round(slowest_s, 3),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()

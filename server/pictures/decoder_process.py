"""The process that decodes pictures: `python -m server.pictures.decoder_process`.

Decoders are written in C and read what strangers send. Here a fault in one ends nothing but this
process, which holds no key, no token and no open file. Its other end is
`server.pictures.decoder`.

An order comes on standard input: a line of JSON `{bytes, kind, size, target, output}`, then so many
bytes of a picture file. The answer goes to standard output: a line of JSON `{bytes}` with the
result behind it (a JPEG file, or RGB pixels row by row), or `{error}`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import sys
from typing import BinaryIO

from server.pictures.memory import keep_large_buffers
from server.pictures.pixels import decode_resized, encode_jpeg

DECODE_TIMEOUT_S = 10.0
MEMORY_MAX_BYTES = 1 << 30


def main() -> None:
    _limit_memory()
    keep_large_buffers()
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer orders until there are no more."""
    while line := orders.readline():
        order = json.loads(line)
        data = orders.read(order["bytes"])
        # Whatever a decoder hangs in: after this time the process ends.
        faulthandler.dump_traceback_later(DECODE_TIMEOUT_S, exit=True)
        head, result = answer(order, data)
        faulthandler.cancel_dump_traceback_later()
        answers.write(json.dumps(head).encode() + b"\n")
        answers.write(result)
        answers.flush()


def answer(order: dict[str, object], data: bytes) -> tuple[dict[str, object], bytes]:
    """Head and body of the answer to one order."""
    try:
        image = decode_resized(
            data, str(order["kind"]), _size(order["size"]), _size(order["target"])
        )
        result = encode_jpeg(image) if order["output"] == "jpeg" else image.tobytes()
    except Exception as error:
        # Pillow raises many kinds of errors on damaged files; all mean the same to the caller.
        return {"error": type(error).__name__}, b""
    return {"bytes": len(result)}, result


def _size(pair: object) -> tuple[int, int]:
    assert isinstance(pair, list)
    width_px, height_px = pair
    return int(width_px), int(height_px)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):  # no such limits on this system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()

"""Decoding apart: a few processes of their own turn picture files into pixels.

A picture that breaks a decoder breaks one of these; the next picture gets a fresh one. They start
with the first picture that has to be decoded, and end with this process.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Literal

from PIL import Image

from server.errors import ImageError

Output = Literal["jpeg", "pixels"]
_PASSED_ON = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
"""Of our environment: no keys."""


@cache
def shared_decoder() -> Decoder:
    """The one decoder of this process: however many servers live in it, the processes are few."""
    decoder = Decoder(workers=max(2, os.cpu_count() or 2))
    atexit.register(decoder.close)
    return decoder


class Decoder:
    """Decodes pictures in other processes. Callers may be many threads; each call blocks.

    Args:
        workers: How many processes there are at most.
    """

    def __init__(self, workers: int) -> None:
        self._slots = threading.BoundedSemaphore(workers)
        self._idle: list[_Worker] = []

    def to_jpeg(
        self, data: bytes, kind: str, size: tuple[int, int], target: tuple[int, int]
    ) -> bytes:
        """A picture at another size, as a JPEG file.

        Args:
            data: The file.
            kind: `png`, `jpeg` or `webp`.
            size: Its width and height in pixels, upright.
            target: The width and height wanted.

        Raises:
            ImageError: It cannot be decoded, or took the decoder down.
        """
        return self._order(data, kind, size, target, "jpeg")

    def to_pixels(
        self, data: bytes, kind: str, size: tuple[int, int], target: tuple[int, int]
    ) -> Image.Image:
        """The same as an RGB image in memory.

        Raises:
            ImageError: It cannot be decoded, or took the decoder down.
        """
        pixels = self._order(data, kind, size, target, "pixels")
        return Image.frombytes("RGB", target, pixels)

    def process_ids(self) -> list[int]:
        """Of the processes that wait for work."""
        return [worker.process.pid for worker in self._idle]

    def close(self) -> None:
        """End the processes that wait for work; the next picture starts one again."""
        while self._idle:
            self._idle.pop().close()

    def _order(
        self, data: bytes, kind: str, size: tuple[int, int], target: tuple[int, int], output: Output
    ) -> bytes:
        order = {
            "bytes": len(data),
            "kind": kind,
            "size": size,
            "target": target,
            "output": output,
        }
        head = json.dumps(order).encode() + b"\n"
        with self._slots:
            worker = self._take_worker()
            result = None
            try:
                result = worker.ask(head, data)
            finally:
                if result is None:
                    worker.close()
                else:
                    self._idle.append(worker)
        if result is None:
            raise ImageError("the screenshot took its decoder down; take it again, or as a PNG")
        answer, body = result
        if "error" in answer:
            raise ImageError("the screenshot's pixels cannot be decoded; take it again")
        return body

    def _take_worker(self) -> _Worker:
        while self._idle:
            try:
                worker = self._idle.pop()
            except IndexError:  # another thread was quicker
                break
            if worker.process.poll() is None:
                return worker
            worker.close()
        return _Worker()


class _Worker:
    """One decoder process."""

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        # The same modules as ours, wherever we found them.
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "server.pictures.decoder_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C is for us: what is in work is still decoded
        )

    def ask(self, head: bytes, data: bytes) -> tuple[dict[str, object], bytes] | None:
        """The answer to one order; None when the process ended over it."""
        orders, answers = self.process.stdin, self.process.stdout
        assert orders is not None and answers is not None
        try:
            orders.write(head)
            orders.write(data)
            orders.flush()
            line = answers.readline()
            if not line:
                return None
            answer = json.loads(line)
            body = answers.read(answer.get("bytes", 0))
        except (OSError, ValueError):
            return None
        return (answer, body) if len(body) == answer.get("bytes", 0) else None

    def close(self) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
        self.process.wait()

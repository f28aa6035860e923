"""The streams that commands read and write: sources, sinks and the pipe between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final, Protocol

#: What a command that needs its whole input at once may hold.
MAX_READ_BYTES: Final = 256 * 1024 * 1024


class Source:
    """Bytes to read, in order, buffered. Subclasses say where the next ones come from."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._ended = False

    async def _next(self) -> bytes:
        """More bytes; empty at the end."""
        return b""

    async def _fill(self) -> bool:
        if self._ended:
            return False
        data = await self._next()
        self._ended = not data
        self._buffer += data
        return bool(data)

    async def read(self, size: int = 65536) -> bytes:
        """Up to `size` bytes as soon as there are any; empty at the end."""
        if not self._buffer:
            await self._fill()
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data

    async def read_all(self) -> bytes:
        """Everything up to the end.

        Raises:
            MemoryError: The end doesn't come within `MAX_READ_BYTES`.
        """
        while await self._fill():
            if len(self._buffer) > MAX_READ_BYTES:
                raise MemoryError(f"more than {MAX_READ_BYTES} bytes of input")
        data = bytes(self._buffer)
        self._buffer.clear()
        return data

    async def read_line(self) -> bytes:
        """The next line with its newline; the last one may have none; empty at the end."""
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if not await self._fill():
                end = len(self._buffer) - 1
                break
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        return line

    async def lines(self) -> AsyncIterator[bytes]:
        """All lines without their newlines."""
        while line := await self.read_line():
            yield line.removesuffix(b"\n")

    def unread(self, data: bytes) -> None:
        """Gives bytes back, to be read next."""
        self._buffer[:0] = data


class BytesSource(Source):
    """Reads given bytes."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__()
        self._buffer += data


class Sink(Protocol):
    """Where a command's bytes go."""

    async def write(self, data: bytes) -> None:
        """Takes bytes.

        Raises:
            BrokenPipeError: Nobody reads any more.
        """
        ...

    async def close(self) -> None:
        """No more bytes will come."""
        ...


class NullSink:
    """Throws everything away."""

    async def write(self, data: bytes) -> None:
        """Takes bytes."""

    async def close(self) -> None:
        """No more bytes will come."""


class BytesSink:
    """Keeps everything in memory, up to a limit."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: bytes) -> None:
        """Takes bytes.

        Raises:
            BrokenPipeError: The limit is reached.
        """
        if len(self.data) + len(data) > MAX_READ_BYTES:
            raise BrokenPipeError
        self.data += data

    async def close(self) -> None:
        """No more bytes will come."""


class Pipe(Source):
    """Joins one command's output to another's input; a writer waits while it is full."""

    def __init__(self, capacity_bytes: int = 65536) -> None:
        super().__init__()
        self._capacity_bytes = capacity_bytes
        self._queue = bytearray()
        self._changed = asyncio.Condition()
        self._write_ended = False

    async def _next(self) -> bytes:
        async with self._changed:
            while not self._queue and not self._write_ended:
                await self._changed.wait()
            data = bytes(self._queue)
            self._queue.clear()
            self._changed.notify_all()
            return data

    async def write(self, data: bytes) -> None:
        """Takes bytes, waiting for room.

        Raises:
            BrokenPipeError: The reader closed.
        """
        async with self._changed:
            while len(self._queue) >= self._capacity_bytes and not self._ended:
                await self._changed.wait()
            if self._ended:
                raise BrokenPipeError
            self._queue += data
            self._changed.notify_all()

    def take_unread(self) -> bytes:
        """Everything that was written and not read."""
        data = bytes(self._buffer + self._queue)
        self._buffer.clear()
        self._queue.clear()
        return data

    async def end(self) -> None:
        """The writer is done."""
        async with self._changed:
            self._write_ended = True
            self._changed.notify_all()

    async def hang_up(self) -> None:
        """The reader is done."""
        async with self._changed:
            self._ended = True
            self._changed.notify_all()


class PipeSink:
    """The writing end of a pipe."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    async def write(self, data: bytes) -> None:
        """Takes bytes."""
        await self._pipe.write(data)

    async def close(self) -> None:
        """No more bytes will come."""
        await self._pipe.end()

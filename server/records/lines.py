"""Files of lines that only grow: a session's log, and its events."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from server.killpoints import reach
from server.records.disk import APPEND, Disk, save_file

TAIL_BYTES = 65536


class Lines(Protocol):
    """A sequence of lines that survives the process. All methods may raise `OSError`."""

    def exists(self) -> bool: ...

    def read(self) -> Iterator[bytes]:
        """Lines split at `\\n` alone, each with its end; the last one may lack it."""
        ...

    def read_tail(self) -> list[bytes]:
        """The last whole lines (64 KB at most), without their ends."""
        ...

    def append(self, line: bytes, *, durable: bool) -> None:
        """Add a line, whole or not at all.

        Args:
            line: With its end.
            durable: Whether it must survive a power cut. Without, it survives a killed process.
        """
        ...

    def cut(self, size_bytes: int) -> None:
        """Take everything after a place away, durably."""
        ...

    def replace(self, data: bytes) -> str:
        """Write all lines anew; the old ones are kept whole.

        Returns:
            Under which name.
        """
        ...

    def size_bytes(self) -> int: ...

    def count(self) -> int:
        """How many whole lines there are."""
        ...

    def modified_s(self) -> float:
        """When it was written last, in seconds since 1970."""
        ...


class LocalLines:
    """Lines in a file of this machine."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        self.path = path
        self._disk = disk or Disk()
        self._sound_bytes: int | None = None  # the file's end before a write that failed

    def exists(self) -> bool:
        return self.path.is_file()

    def read(self) -> Iterator[bytes]:
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return
        with file:
            yield from file

    def read_tail(self) -> list[bytes]:
        try:
            with self.path.open("rb") as file:
                size_bytes = file.seek(0, os.SEEK_END)
                file.seek(max(0, size_bytes - TAIL_BYTES))
                raw_lines = file.read(TAIL_BYTES).split(b"\n")
        except FileNotFoundError:
            return []
        return raw_lines[1:-1] if size_bytes > TAIL_BYTES else raw_lines[:-1]

    def append(self, line: bytes, *, durable: bool) -> None:
        disk = self._disk
        descriptor = disk.open(self.path, APPEND)
        try:
            if self._sound_bytes is not None:
                disk.truncate(descriptor, self._sound_bytes)
                self._sound_bytes = None
            before_bytes = disk.size_bytes(descriptor)
            try:
                reach("K9", lambda: disk.write(descriptor, line[: len(line) // 2]))
                written = disk.write(descriptor, line)
                if written != len(line):
                    raise OSError(f"only {written} of {len(line)} bytes were written")
                reach("K10")
                if durable:
                    disk.sync(descriptor)
                    if before_bytes == 0:
                        disk.sync_dir(self.path.parent)
            except OSError:
                self._sound_bytes = before_bytes  # if it cannot be cut now, the next append does
                with contextlib.suppress(OSError):
                    disk.truncate(descriptor, before_bytes)
                    self._sound_bytes = None
                raise
        finally:
            disk.close(descriptor)

    def cut(self, size_bytes: int) -> None:
        descriptor = self._disk.open(self.path, APPEND)
        try:
            self._disk.truncate(descriptor, size_bytes)
            self._disk.sync(descriptor)
        finally:
            self._disk.close(descriptor)

    def replace(self, data: bytes) -> str:
        kept = self.path.with_name(f"{self.path.stem}.damaged_{secrets.token_hex(4)}")
        for path, content in ((kept, self.path.read_bytes()), (self.path, data)):
            save_file(self._disk, path, content)
        return kept.name

    def size_bytes(self) -> int:
        return self.path.stat().st_size

    def count(self) -> int:
        count = 0
        with self.path.open("rb") as file:
            while block := file.read(1 << 20):
                count += block.count(b"\n")
        return count

    def modified_s(self) -> float:
        return self.path.stat().st_mtime

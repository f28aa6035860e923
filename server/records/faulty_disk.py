"""Disks for tests: one that fails where it is told to, one that knows what a power cut may take.

Shipped, so that a store's behaviour can be tried without patching anything.
"""

from __future__ import annotations

import errno
import os
import random
import threading
from dataclasses import dataclass, field
from pathlib import Path

from server.records.disk import Disk


class FaultyDisk(Disk):
    """Fails at the call of that number, and at all after it until `heal`.

    Args:
        fail_at: Number of the first call that fails, from 1; 0: none.
        error: What it fails with.
        short: Whether a failing write takes half of the bytes first.

    Attributes:
        calls: How many calls there were.
    """

    def __init__(self, fail_at: int = 0, error: int = errno.ENOSPC, *, short: bool = False) -> None:
        self.calls = 0
        self._fail_at = fail_at
        self._error = error
        self._short = short

    def heal(self) -> None:
        self._fail_at = 0

    def _call(self) -> None:
        self.calls += 1
        if self._fail_at and self.calls >= self._fail_at:
            raise OSError(self._error, os.strerror(self._error))

    def open(self, path: Path, flags: int) -> int:
        self._call()
        return super().open(path, flags)

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        try:
            self._call()
        except OSError:
            if self._short:
                super().write(descriptor, data[: len(data) // 2])
            raise
        return super().write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        self._call()
        super().sync(descriptor)

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        self._call()
        super().truncate(descriptor, size_bytes)

    def rename(self, old: Path, new: Path) -> None:
        self._call()
        super().rename(old, new)

    def remove(self, path: Path) -> None:
        self._call()
        super().remove(path)

    def sync_dir(self, folder: Path) -> None:
        self._call()
        super().sync_dir(folder)


@dataclass(slots=True)
class _Content:
    """One file, whatever its name: what is on the disk, and what was done since."""

    durable: bytes = b""
    pending: list[bytes | int] = field(default_factory=list)  # bytes to add, or a size to cut to

    def after(self, count: int, last_bytes: int | None = None) -> bytes:
        """The content after so many pending changes; the last one perhaps in part."""
        data = self.durable
        for number, change in enumerate(self.pending[:count], start=1):
            if isinstance(change, int):
                data = data[:change]
            else:
                data += change if number < count or last_bytes is None else change[:last_bytes]
        return data


@dataclass(frozen=True, slots=True)
class _Named:
    """A change of names in a folder: `path` now means this content, or nothing."""

    path: Path
    content: _Content | None
    gone: Path | None = None


class RecordingDisk(Disk):
    """Works as usual, and remembers what is on the disk for sure.

    A name is there for sure once its folder was made durable, bytes are once their file was. At
    any moment `cut_power` makes a folder as a power cut could leave it.

    Args:
        forgetful: A planted bug: nothing is ever made durable.
    """

    def __init__(self, *, forgetful: bool = False) -> None:
        self._forgetful = forgetful
        self._lock = threading.Lock()
        self._open: dict[int, tuple[_Content, Path]] = {}
        self._names: dict[Path, _Content] = {}
        self._durable_names: dict[Path, _Content | None] = {}
        self._pending_names: list[_Named] = []
        self.snapshots: list[Snapshot] = []

    def open(self, path: Path, flags: int) -> int:
        descriptor = super().open(path, flags)
        with self._lock:
            content = self._names.get(path)
            if content is None:
                content = self._names[path] = _Content()
                self._pending_names.append(_Named(path, content))
            elif flags & os.O_TRUNC:
                content.pending.append(0)
            self._open[descriptor] = (content, path)
        return descriptor

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        written = super().write(descriptor, data)
        self._note(descriptor, bytes(data[:written]))
        return written

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        super().truncate(descriptor, size_bytes)
        self._note(descriptor, size_bytes)

    def sync(self, descriptor: int) -> None:
        with self._lock:
            content, _ = self._open[descriptor]
            if not self._forgetful:
                content.durable = content.after(len(content.pending))
                content.pending.clear()
        self._remember()

    def close(self, descriptor: int) -> None:
        super().close(descriptor)
        with self._lock:
            self._open.pop(descriptor)

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        with self._lock:
            content = self._names.pop(old)
            self._names[new] = content
            self._pending_names.append(_Named(new, content, gone=old))
        self._remember()

    def remove(self, path: Path) -> None:
        super().remove(path)
        with self._lock:
            if self._names.pop(path, None) is not None:
                self._pending_names.append(_Named(path, None))
        self._remember()

    def sync_dir(self, folder: Path) -> None:
        with self._lock:
            if not self._forgetful:
                mine = [one for one in self._pending_names if one.path.parent == folder]
                for one in mine:
                    _apply(self._durable_names, one)
                    self._pending_names.remove(one)
        self._remember()

    def _note(self, descriptor: int, change: bytes | int) -> None:
        with self._lock:
            content, _ = self._open[descriptor]
            content.pending.append(change)
        self._remember()

    def _remember(self) -> None:
        with self._lock:
            copies: dict[int, _Content] = {}

            def copy(content: _Content | None) -> _Content | None:
                if content is None:
                    return None
                if id(content) not in copies:
                    copies[id(content)] = _Content(content.durable, list(content.pending))
                return copies[id(content)]

            names = {path: copy(one) for path, one in self._durable_names.items()}
            pending = [_Named(o.path, copy(o.content), o.gone) for o in self._pending_names]
            self.snapshots.append(Snapshot(names, pending))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is on the disk for sure at some moment, and what may be."""

    names: dict[Path, _Content | None]
    pending_names: list[_Named]

    def cut_power(self, old_root: Path, new_root: Path, chance: random.Random | None) -> None:
        """Make a folder as a power cut at this moment could leave it.

        Args:
            old_root: The folder that was recorded.
            new_root: An empty one to fill.
            chance: Which of the uncertain changes survive; None: none of them.
        """
        names = dict(self.names)
        for one in self.pending_names:
            if chance is not None and chance.random() < 0.5:
                _apply(names, one)
        for path, content in names.items():
            if content is None:
                continue
            data = content.durable
            if chance is not None and content.pending:
                count = chance.randint(0, len(content.pending))
                last = content.pending[count - 1] if count else 0
                size_bytes = chance.randint(0, len(last)) if isinstance(last, bytes) else None
                data = content.after(count, size_bytes)
            target = new_root / path.relative_to(old_root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def _apply(names: dict[Path, _Content | None], change: _Named) -> None:
    if change.gone is not None:
        names.pop(change.gone, None)
    if change.content is None:
        names.pop(change.path, None)
    else:
        names[change.path] = change.content

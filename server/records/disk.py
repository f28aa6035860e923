"""What the log asks of the file system: a seam, so that faults can be tried at every single call.

`Disk` does it. `server.records.faulty_disk` has disks that fail, and one that remembers what a
power cut may take away.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from server.killpoints import reach

FILE_MODE = 0o600
DIR_MODE = 0o700
PART_SUFFIX = ".part"
APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)


class Disk:
    """The file system of this machine. Every method raises `OSError` where it fails."""

    def open(self, path: Path, flags: int) -> int:
        """Open for writing, readable by the owner alone; gives the descriptor."""
        return os.open(path, flags, FILE_MODE)

    def write(self, descriptor: int, data: bytes | memoryview) -> int:
        """Write; gives how many bytes were taken."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """Make what was written durable."""
        os.fsync(descriptor)

    def truncate(self, descriptor: int, size_bytes: int) -> None:
        os.ftruncate(descriptor, size_bytes)

    def close(self, descriptor: int) -> None:
        os.close(descriptor)

    def size_bytes(self, descriptor: int) -> int:
        return os.fstat(descriptor).st_size

    def rename(self, old: Path, new: Path) -> None:
        old.replace(new)

    def remove(self, path: Path) -> None:
        """Remove a file; one that is gone already is no fault."""
        path.unlink(missing_ok=True)

    def make_dir(self, folder: Path) -> None:
        folder.mkdir(mode=DIR_MODE, parents=True, exist_ok=True)

    def remove_dir(self, folder: Path) -> None:
        """Remove an empty folder; one that is gone already is no fault."""
        if folder.is_dir():
            folder.rmdir()

    def sync_dir(self, folder: Path) -> None:
        """Make names in a folder durable. Systems whose folders cannot be opened do it alone."""
        try:
            descriptor = os.open(folder, os.O_RDONLY)
        except PermissionError:
            if os.name == "nt":
                return
            raise
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def free_bytes(self, folder: Path) -> int:
        """Room that is left for this user."""
        return shutil.disk_usage(folder).free


def save_file(disk: Disk, path: Path, data: bytes) -> None:
    """Write a file so that it is there whole, or not at all: temporary file, fsync, rename.

    Raises:
        OSError: It could not be written; what was there before still is.
    """
    part = path.with_suffix(path.suffix + PART_SUFFIX)
    try:
        descriptor = disk.open(part, REPLACE)
        try:
            reach("K2", lambda: disk.write(descriptor, data[: len(data) // 2]))
            _write_whole(disk, descriptor, data)
            disk.sync(descriptor)
        finally:
            disk.close(descriptor)
        reach("K3")
        disk.rename(part, path)
        reach("K4")
        disk.sync_dir(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            disk.remove(part)
        raise


def _write_whole(disk: Disk, descriptor: int, data: bytes) -> None:
    """Write all of it, in as many calls as it takes."""
    view = memoryview(data)
    while view:
        taken = disk.write(descriptor, view)
        if taken <= 0:
            raise OSError(f"{len(view)} of {len(data)} bytes were not taken")
        view = view[taken:]

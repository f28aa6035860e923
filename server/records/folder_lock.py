"""One service process per log folder: a lock file says so, and the system drops it on exit.

Objects of the same process share the lock.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from device.file_lock import lock_file
from server.errors import StorageBusyError

LOCK_NAME = ".localserver.lock"


class FolderLock:
    """The right to write into a folder, for this process; see `take`."""

    _held: dict[Path, FolderLock] = {}  # noqa: RUF012 - one table per process is the point
    _table_lock = threading.Lock()

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder = folder
        self._descriptor = descriptor
        self._holders = 1

    @classmethod
    def take(cls, folder: Path) -> FolderLock:
        """Take the lock, or share it with this process's other holders.

        Raises:
            StorageBusyError: Another process has it.
            OSError: The lock file cannot be made.
        """
        folder = folder.resolve()
        with cls._table_lock:
            held = cls._held.get(folder)
            if held is not None:
                held._holders += 1
                return held
            descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                lock_file(descriptor)
            except OSError as error:
                os.close(descriptor)
                raise StorageBusyError(
                    "another LocalServer process owns this log folder; stop it, hand the task to "
                    "the service that runs (`localserver task start`), or set another log_dir"
                ) from error
            lock = cls._held[folder] = cls(folder, descriptor)
            return lock

    def release(self) -> None:
        """Give one holder's share back; the last one frees the folder."""
        with self._table_lock:
            self._holders -= 1
            if self._holders == 0:
                del self._held[self._folder]
                with contextlib.suppress(OSError):
                    os.close(self._descriptor)

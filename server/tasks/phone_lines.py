"""Lines in front of phones: one task at a time each, the more important ones first."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from server.errors import OverloadedError, ShuttingDownError

MAX_QUEUED_PER_PHONE = 100
CLOSE_TIMEOUT_S = 10.0


class Queued(Protocol):
    """What stands in a line."""

    @property
    def serial(self) -> str: ...
    @property
    def priority(self) -> int: ...


Q = TypeVar("Q", bound=Queued)


class PhoneLines(Generic[Q]):
    """One thread per busy phone; it ends when nobody waits for the phone any more.

    Args:
        drive: Runs one task to its end; called on the phone's thread.
    """

    def __init__(self, drive: Callable[[Q], None]) -> None:
        self._drive = drive
        self._lock = threading.Lock()
        self._lines: dict[str, list[Q]] = {}
        self._threads: set[threading.Thread] = set()
        self._is_closed = False

    def check_room(self, serial: str) -> None:
        """Refuse before anything is begun.

        Raises:
            OverloadedError: Too many wait for this phone.
            ShuttingDownError: The server is closing.
        """
        with self._lock:
            self._check_room(serial)

    def length(self, serial: str) -> int:
        """How many tasks this phone has, the running one included."""
        with self._lock:
            line = self._lines.get(serial)
            return 0 if line is None else len(line) + 1

    def add(self, run: Q) -> None:
        """Put a task into its phone's line; it runs at once where the phone is free.

        Raises:
            OverloadedError: Too many wait for this phone.
            ShuttingDownError: The server is closing.
        """
        with self._lock:
            self._check_room(run.serial)
            line = self._lines.get(run.serial)
            if line is not None:
                line.append(run)
                return
            self._lines[run.serial] = [run]
            thread = threading.Thread(
                target=self._serve, args=(run.serial,), name=f"phone-{run.serial}", daemon=True
            )
            self._threads.add(thread)
            thread.start()

    def remove(self, run: Q) -> bool:
        """Take a task out of its line; False if it was not waiting there."""
        with self._lock:
            line = self._lines.get(run.serial, [])
            if run not in line:
                return False
            line.remove(run)
            return True

    def shut(self) -> None:
        """Take no more tasks."""
        with self._lock:
            self._is_closed = True

    def join(self) -> None:
        """Wait until the phones are given back."""
        with self._lock:
            threads = list(self._threads)
        for thread in threads:
            thread.join(CLOSE_TIMEOUT_S)

    def _check_room(self, serial: str) -> None:
        if self._is_closed:
            raise ShuttingDownError("the server is closing; try again when it is back")
        if len(self._lines.get(serial, ())) >= MAX_QUEUED_PER_PHONE:
            raise OverloadedError(
                f"{MAX_QUEUED_PER_PHONE} tasks wait for {serial} already; try again later"
            )

    def _serve(self, serial: str) -> None:
        while True:
            with self._lock:
                line = self._lines[serial]
                if not line:
                    del self._lines[serial]
                    self._threads.discard(threading.current_thread())
                    return
                run = max(line, key=lambda waiting: waiting.priority)  # of equals the first
                line.remove(run)
            self._drive(run)

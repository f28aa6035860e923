"""Which process of this machine drives a phone: one lock file per phone, in the state folder.

The lock itself is the claim, and the system drops it when the process ends in whatever way. The
file beside it only tells others who has the phone and until when.
"""

from __future__ import annotations

import contextlib
import os
import threading
from dataclasses import dataclass
from pathlib import Path

from device.file_lock import lock_file
from device.state_files import StateFiles

CLAIMS_DIR = "claims"


@dataclass(frozen=True, slots=True)
class ForeignClaim:
    """Another process drives the phone.

    Attributes:
        holder: Who, as that process tells.
        expires_at: Until when, in UTC; None for a task, which has no fixed end.
    """

    holder: str
    expires_at: str | None = None


class PhoneClaims:
    """The claims of this process on the phones of this machine.

    Args:
        state_dir: The folder that all processes share; where it cannot be written to, nothing is
            claimed and nothing is kept from others.
    """

    def __init__(self, state_dir: Path) -> None:
        self._facts = StateFiles(state_dir / CLAIMS_DIR)
        self._held: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, serial: str, holder: str, expires_at: str | None = None) -> ForeignClaim | None:
        """Claim a phone, or tell anew who has it and until when.

        Returns:
            None when the phone is this process's, else who has it.
        """
        with self._lock:
            if serial not in self._held:
                try:
                    descriptor = self._open(serial)
                except OSError:
                    return None  # no folder: phones are only kept apart within this process
                try:
                    lock_file(descriptor)
                except OSError:
                    os.close(descriptor)
                    return self._read(serial)
                self._held[serial] = descriptor
            with contextlib.suppress(OSError):
                self._facts.write(serial, {"holder": holder, "expires_at": expires_at})
            return None

    def release(self, serial: str) -> None:
        """Let others have the phone; nothing happens where it is not held."""
        with self._lock:
            descriptor = self._held.pop(serial, None)
            if descriptor is None:
                return
            with contextlib.suppress(OSError):
                self._facts.forget(serial)
            os.close(descriptor)

    def foreign(self, serial: str) -> ForeignClaim | None:
        """Who else drives the phone; None if no other process does."""
        with self._lock:
            if serial in self._held or not self._facts.path(serial, ".lock").exists():
                return None
            try:
                descriptor = self._open(serial)
            except OSError:
                return None
            try:
                lock_file(descriptor)
            except OSError:
                return self._read(serial)
            finally:
                os.close(descriptor)
            return None

    def _read(self, serial: str) -> ForeignClaim:
        told = self._facts.read(serial)
        holder, expires_at = told.get("holder"), told.get("expires_at")
        return ForeignClaim(
            holder if isinstance(holder, str) and holder else "another LocalServer",
            expires_at if isinstance(expires_at, str) else None,
        )

    def _open(self, serial: str) -> int:
        self._facts.directory.mkdir(parents=True, exist_ok=True)
        return os.open(self._facts.path(serial, ".lock"), os.O_RDWR | os.O_CREAT, 0o600)

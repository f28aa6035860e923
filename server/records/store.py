"""Where the records of sessions are kept on this machine: pictures, and the lines about them.

All of it is blocking file work: call it from a worker thread, never on an event loop.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from server.errors import (
    BadRequestError,
    SessionNotFoundError,
    StorageBusyError,
    StorageError,
    StorageFullError,
)
from server.killpoints import reach
from server.records.disk import FILE_MODE, PART_SUFFIX, Disk, save_file
from server.records.folder_lock import FolderLock
from server.records.lines import Lines, LocalLines
from server.records.storage_errors import storage_error

_SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_IMAGE_NAME = re.compile(r"step_[a-z0-9_]{1,80}\.(png|jpeg|webp|xml)")
_EVENT_KIND = re.compile(r"[a-z][a-z0-9_]{0,60}")
STEP_ENDINGS = (".png", ".jpeg", ".webp", ".xml", "_marked.jpeg")
"""What the names of a step's files may end in, behind `step_name`."""
RESERVE_NAME = ".reserve"
RESERVE_BYTES = 1 << 20


def check_event_kind(kind: object) -> str:
    """Events are named in snake_case.

    Raises:
        BadRequestError: It is not.
    """
    if not isinstance(kind, str) or _EVENT_KIND.fullmatch(kind) is None:
        raise BadRequestError("an event's kind must be a short snake_case name", field="kind")
    return kind


def step_name(number: int) -> str:
    """Name, without its suffix, of the files of one step."""
    return f"step_{number:04d}"


def check_session_id(session_id: object) -> str:
    """A session id is a UUID4 that we made: nothing else ever becomes a path.

    Raises:
        BadRequestError: Not text.
        SessionNotFoundError: Not one of ours.
    """
    if not isinstance(session_id, str):
        raise BadRequestError(
            "session_id is missing; send the one that get_session gave", field="session_id"
        )
    if _SESSION_ID.fullmatch(session_id) is None:
        raise SessionNotFoundError("no such session; create one with get_session")
    return session_id


def is_session_id(text: str) -> bool:
    """Whether this may be the id of a session."""
    return _SESSION_ID.fullmatch(text) is not None


def check_image_name(name: str) -> str:
    """Names of stored files are ours too.

    Raises:
        StorageError: Not one of ours.
    """
    if _IMAGE_NAME.fullmatch(name) is None:
        raise StorageError("an image name in the log is odd; the picture is not read")
    return name


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as the store lists it.

    Attributes:
        session_id: Its id.
        modified_s: When its log was written last, in seconds since 1970.
    """

    session_id: str
    modified_s: float


class ReadsRecords(Protocol):
    """What reading sessions needs of a store. Methods may raise `OSError` unless they say else."""

    def log(self, session_id: str) -> Lines: ...

    def events(self, session_id: str) -> Lines: ...

    def list_sessions(self) -> list[StoredSession]:
        """All sessions, the one written last first."""
        ...

    def list_images(self, session_id: str) -> list[str]:
        """Names of a session's stored files, in order."""
        ...

    def read_image(self, session_id: str, name: str) -> bytes:
        """A stored file.

        Raises:
            StorageError: It is gone or cannot be read.
        """
        ...

    def measure(self, session_id: str) -> int:
        """How many bytes a session takes."""
        ...


class KeepsRecords(ReadsRecords, Protocol):
    """What the service needs of a store. All methods raise `StorageError`."""

    def check_room(self) -> None:
        """Refuse while there is no room for a further step.

        Raises:
            StorageFullError: There is none.
        """
        ...

    def give_up_reserve(self) -> bool:
        """Free the room that was kept back for the last words of a full disk.

        Returns:
            Whether there was some.
        """
        ...

    def save_image(self, session_id: str, name: str, data: bytes) -> None:
        """Keep a file so that it is there whole, or not at all; durable when this returns."""
        ...

    def set_aside(self, session_id: str, number: int) -> list[str]:
        """Rename the files of a step that was not answered, so that its number is free again.

        Returns:
            Their new names.
        """
        ...

    def clean_up_step(self, session_id: str, number: int) -> list[str]:
        """After a crash: drop half-written files, set those of an unanswered step aside.

        Returns:
            The new names of the latter.
        """
        ...

    def seal(self, session_id: str) -> None:
        """A session has ended: bring its records into their lasting form."""
        ...

    def deletions(self) -> Lines:
        """The record of the sessions that were deleted."""
        ...

    def remove(self, session_id: str) -> None:
        """Remove everything about a session, for good; nothing is left to remove is no fault."""
        ...

    def close(self) -> None: ...


class RecordFiles:
    """The files of sessions on this machine, for reading.

    Args:
        log_dir: Folder of the logs.
        image_dir: Folder of the screenshots.
    """

    def __init__(self, log_dir: Path, image_dir: Path, *, disk: Disk | None = None) -> None:
        self.log_dir = log_dir
        self.image_dir = image_dir
        self._disk = disk or Disk()

    def log(self, session_id: str) -> Lines:
        return LocalLines(self.log_path(session_id), self._disk)

    def events(self, session_id: str) -> Lines:
        return LocalLines(self.events_path(session_id), self._disk)

    def deletions(self) -> Lines:
        return LocalLines(self.log_dir / "deletions.jsonl", self._disk)

    def log_path(self, session_id: str) -> Path:
        return self.log_dir / f"{check_session_id(session_id)}.jsonl"

    def events_path(self, session_id: str) -> Path:
        return self.log_dir / f"{check_session_id(session_id)}.events.jsonl"

    def image_path(self, session_id: str, name: str) -> Path:
        return self.image_dir / check_session_id(session_id) / check_image_name(name)

    def list_sessions(self) -> list[StoredSession]:
        found: list[StoredSession] = []
        if not self.log_dir.is_dir():
            return found
        with os.scandir(self.log_dir) as entries:
            for entry in entries:
                session_id = entry.name.removesuffix(".jsonl")
                if _SESSION_ID.fullmatch(session_id) is not None:
                    with contextlib.suppress(FileNotFoundError):
                        found.append(StoredSession(session_id, entry.stat().st_mtime))
        return sorted(found, key=lambda one: (one.modified_s, one.session_id), reverse=True)

    def list_images(self, session_id: str) -> list[str]:
        folder = self.image_dir / check_session_id(session_id)
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def read_image(self, session_id: str, name: str) -> bytes:
        try:
            return self.image_path(session_id, name).read_bytes()
        except OSError as error:
            raise storage_error("a stored screenshot cannot be read", error) from error

    def measure(self, session_id: str) -> int:
        folder = self.image_dir / check_session_id(session_id)
        paths = [self.log_path(session_id), self.events_path(session_id)]
        paths += folder.iterdir() if folder.is_dir() else []
        return sum(path.stat().st_size for path in paths if path.exists())


class RecordStore(RecordFiles):
    """The log folder and the image folder of one service process.

    Args:
        log_dir: Made if missing. Locked: a second process is refused.
        image_dir: Made if missing.
        min_free_bytes: Room that must be left for a step to be taken.
        disk: What does the file work.

    Raises:
        StorageBusyError: Another process owns the log folder.
        StorageError: A folder cannot be made or written.
    """

    def __init__(
        self,
        log_dir: Path,
        image_dir: Path,
        *,
        min_free_bytes: int = 0,
        disk: Disk | None = None,
    ) -> None:
        super().__init__(log_dir, image_dir, disk=disk)
        self._min_free_bytes = min_free_bytes
        try:
            for folder in (log_dir, image_dir):
                self._disk.make_dir(folder)
            self._lock = FolderLock.take(log_dir)
        except StorageBusyError:
            raise
        except OSError as error:
            raise storage_error("the log folder cannot be used", error) from error
        self._reserve = log_dir / RESERVE_NAME
        self._keep_reserve()

    def close(self) -> None:
        self._lock.release()

    def check_room(self) -> None:
        try:
            folders = (self.log_dir, self.image_dir)
            free_bytes = min(self._disk.free_bytes(folder) for folder in folders)
        except OSError as error:
            raise storage_error("the room on the disk cannot be told", error) from error
        if free_bytes < self._min_free_bytes:
            raise StorageFullError(
                f"only {free_bytes >> 20} MiB are free where sessions are kept and "
                f"{self._min_free_bytes >> 20} MiB must be; free space (`localserver delete`), "
                "then send it again",
                free_bytes=free_bytes,
            )
        if not self._reserve.exists():
            self._keep_reserve()

    def give_up_reserve(self) -> bool:
        had_some = self._reserve.exists()
        with contextlib.suppress(OSError):  # then the disk is as full as it was
            self._disk.remove(self._reserve)
        return had_some

    def _keep_reserve(self) -> None:
        """Room for the record of a step that fails because the disk is full."""
        with contextlib.suppress(OSError, StorageError):
            if not self._reserve.exists() or self._reserve.stat().st_size < RESERVE_BYTES:
                # Written, not only sized: a hole takes no room.
                self._reserve.touch(mode=FILE_MODE)
                self._reserve.write_bytes(bytes(RESERVE_BYTES))

    def save_image(self, session_id: str, name: str, data: bytes) -> None:
        disk = self._disk
        path = self.image_path(session_id, name)
        try:
            if not path.parent.is_dir():
                disk.make_dir(path.parent)
                disk.sync_dir(self.image_dir)
            save_file(disk, path, data)
        except OSError as error:
            raise storage_error("the screenshot could not be stored", error) from error

    def set_aside(self, session_id: str, number: int) -> list[str]:
        folder = self.image_dir / check_session_id(session_id)
        mark = secrets.token_hex(4)
        new_names = []
        try:
            for ending in STEP_ENDINGS:
                path = folder / f"{step_name(number)}{ending}"
                if path.exists():
                    new_name = f"{step_name(number)}_failed_{mark}{ending}"
                    self._disk.rename(path, folder / new_name)
                    new_names.append(new_name)
            if new_names:
                self._disk.sync_dir(folder)
        except OSError as error:
            raise storage_error("the screenshot could not be renamed", error) from error
        return new_names

    def clean_up_step(self, session_id: str, number: int) -> list[str]:
        folder = self.image_dir / check_session_id(session_id)
        try:
            for part in folder.glob(f"*{PART_SUFFIX}"):
                self._disk.remove(part)
        except OSError as error:
            raise storage_error("a half-written screenshot could not be dropped", error) from error
        return self.set_aside(session_id, number)

    def seal(self, session_id: str) -> None:
        """Local files are in their lasting form from the beginning."""

    def remove(self, session_id: str) -> None:
        disk = self._disk
        folder = self.image_dir / check_session_id(session_id)
        try:
            disk.remove(self.log_path(session_id))
            disk.sync_dir(self.log_dir)
            reach("K14")
            for path in self.log_dir.glob(f"{session_id}.*"):
                disk.remove(path)
            if folder.is_dir():
                for path in folder.iterdir():
                    disk.remove(path)
                disk.remove_dir(folder)
                disk.sync_dir(self.image_dir)
            disk.sync_dir(self.log_dir)
        except OSError as error:
            raise storage_error("the session could not be deleted whole", error) from error

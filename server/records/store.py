"""Write the log: one durable line per answered step, images before the lines that name them.

All of it is blocking file work: call it from a worker thread, never on an event loop.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from server.errors import BadRequestError, SessionNotFoundError, StorageBusyError, StorageError
from server.records.folder_lock import FolderLock
from server.records.schema import FIRST_PREV, dump_json, seal_line, utc_now

_SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_IMAGE_NAME = re.compile(r"step_[a-z0-9_]{1,80}\.(png|jpeg|webp|xml)")
_EVENT_KIND = re.compile(r"[a-z][a-z0-9_]{0,60}")
_SUFFIXES = ("png", "jpeg", "webp", "xml")
_FILE_MODE = 0o600
_DIR_MODE = 0o700


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


class RecordFiles:
    """Where the files of a session are. Reading them needs no more than this.

    Args:
        log_dir: Folder of the logs.
        image_dir: Folder of the screenshots.
    """

    def __init__(self, log_dir: Path, image_dir: Path) -> None:
        self.log_dir = log_dir
        self.image_dir = image_dir

    def log_path(self, session_id: str) -> Path:
        return self.log_dir / f"{check_session_id(session_id)}.jsonl"

    def events_path(self, session_id: str) -> Path:
        return self.log_dir / f"{check_session_id(session_id)}.events.jsonl"

    def image_path(self, session_id: str, name: str) -> Path:
        if _IMAGE_NAME.fullmatch(name) is None:
            raise StorageError("an image name in the log is odd; the picture is not read")
        return self.image_dir / check_session_id(session_id) / name

    def read_image(self, session_id: str, name: str) -> bytes:
        """Read a stored image.

        Raises:
            StorageError: It is gone or cannot be read.
        """
        try:
            return self.image_path(session_id, name).read_bytes()
        except OSError as error:
            raise _storage_error("a stored screenshot cannot be read", error) from error


class RecordStore(RecordFiles):
    """The log folder and the image folder of one service process.

    Args:
        log_dir: Made if missing. Locked: a second process is refused.
        image_dir: Made if missing.

    Raises:
        StorageBusyError: Another process owns the log folder.
        StorageError: A folder cannot be made or written.
    """

    def __init__(self, log_dir: Path, image_dir: Path) -> None:
        super().__init__(log_dir, image_dir)
        try:
            for folder in (log_dir, image_dir):
                folder.mkdir(mode=_DIR_MODE, parents=True, exist_ok=True)
            self._lock = FolderLock.take(log_dir)
        except StorageBusyError:
            raise
        except OSError as error:
            raise _storage_error("the log folder cannot be used", error) from error

    def close(self) -> None:
        self._lock.release()

    def save_image(self, session_id: str, name: str, data: bytes) -> None:
        """Write an image so that it is there whole, or not at all: temporary file, fsync, rename.

        Raises:
            StorageError: It could not be written.
        """
        path = self.image_path(session_id, name)
        part = path.with_suffix(path.suffix + ".part")
        try:
            if not path.parent.is_dir():
                path.parent.mkdir(mode=_DIR_MODE, exist_ok=True)
                _sync_dir(self.image_dir)
            _write_file(part, data)
            part.replace(path)
            _sync_dir(path.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise _storage_error("the screenshot could not be stored", error) from error

    def set_aside(self, session_id: str, number: int) -> list[str]:
        """Rename the files of a step that was not answered, so that its number is free again.

        Returns:
            Their new names.

        Raises:
            StorageError: One could not be renamed.
        """
        folder = self.image_dir / check_session_id(session_id)
        mark = secrets.token_hex(4)
        new_names = []
        try:
            for suffix in _SUFFIXES:
                path = folder / f"{step_name(number)}.{suffix}"
                if path.exists():
                    new_name = f"{step_name(number)}_failed_{mark}.{suffix}"
                    path.replace(folder / new_name)
                    new_names.append(new_name)
            if new_names:
                _sync_dir(folder)
        except OSError as error:
            raise _storage_error("the screenshot could not be renamed", error) from error
        return new_names

    def clean_up_step(self, session_id: str, number: int) -> list[str]:
        """After a crash: drop half-written files, set those of an unanswered step aside.

        Returns:
            The new names of the latter.

        Raises:
            StorageError: One could not be moved.
        """
        folder = self.image_dir / check_session_id(session_id)
        try:
            for part in folder.glob("*.part"):
                part.unlink()
        except OSError as error:
            raise _storage_error("a half-written screenshot could not be dropped", error) from error
        return self.set_aside(session_id, number)


class SessionLog:
    """Appends to `<session_id>.jsonl`; each line is durable when `append` returns.

    Attributes:
        next_seq: Number of the next line.
        last_hash: Hash of the last line.
        size_bytes: Size of the file as this object left it; another size means that somebody
            else wrote.
    """

    def __init__(
        self,
        path: Path,
        session_id: str,
        *,
        next_seq: int = 0,
        last_hash: str = FIRST_PREV,
        size_bytes: int = 0,
    ) -> None:
        self.path = path
        self.session_id = session_id
        self.next_seq = next_seq
        self.last_hash = last_hash
        self.size_bytes = size_bytes

    def append(self, message: Mapping[str, Any]) -> None:
        """Write one line and make it durable.

        Raises:
            StorageError: It could not be written; the file is as it was before.
        """
        record = {"session_id": self.session_id, "timestamp": utc_now(), "message": message}
        line, digest = seal_line(record, self.next_seq, self.last_hash)
        is_new = self.size_bytes == 0
        try:
            _append(self.path, line, durable=True)
            if is_new:
                _sync_dir(self.path.parent)
        except OSError as error:
            raise _storage_error("the log could not be written", error) from error
        self.next_seq += 1
        self.last_hash = digest
        self.size_bytes += len(line)

    def is_current(self) -> bool:
        """Whether the file is as this object left it."""
        try:
            return self.path.stat().st_size == self.size_bytes
        except OSError:
            return False


class EventLog:
    """Appends to `<session_id>.events.jsonl`: everything but the answered steps, as it happens.

    Safe to call from several threads.
    """

    def __init__(self, path: Path, session_id: str, *, next_seq: int = 1) -> None:
        self.path = path
        self.session_id = session_id
        self._next_seq = next_seq
        self._lock = threading.Lock()

    def append(self, kind: str, data: Mapping[str, Any], durable: bool) -> int:
        """Write one event.

        Args:
            kind: What happened, in snake_case.
            data: JSON-able facts.
            durable: Whether it must survive a power cut. Without, it survives a killed process.

        Returns:
            Its number.

        Raises:
            StorageError: It could not be written.
        """
        with self._lock:
            seq = self._next_seq
            line = dump_json(
                {
                    "session_id": self.session_id,
                    "timestamp": utc_now(),
                    "seq": seq,
                    "kind": kind,
                    "data": data,
                }
            )
            try:
                _append(self.path, line + b"\n", durable=durable)
            except OSError as error:
                raise _storage_error("the events could not be written", error) from error
            self._next_seq = seq + 1
            return seq


def cut_file(path: Path, size_bytes: int) -> None:
    """Cut a file to its good part, durably.

    Raises:
        StorageError: It could not be cut.
    """
    try:
        with path.open("r+b") as file:
            file.truncate(size_bytes)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _storage_error("the torn end of a log could not be cut off", error) from error


def _append(path: Path, line: bytes, *, durable: bool) -> None:
    """Append a whole line or nothing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, _FILE_MODE)
    try:
        before_bytes = os.fstat(descriptor).st_size
        try:
            written = os.write(descriptor, line)
            if written != len(line):
                raise OSError(f"only {written} of {len(line)} bytes were written")
            if durable:
                os.fsync(descriptor)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, before_bytes)
            raise
    finally:
        os.close(descriptor)


def _write_file(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, _FILE_MODE)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_dir(folder: Path) -> None:
    """Make a new name durable. Systems whose folders cannot be opened do it by themselves."""
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


def _storage_error(problem: str, error: OSError) -> StorageError:
    reason = error.strerror or str(error)
    return StorageError(
        f"{problem} ({reason}); free space or mend the folder's permissions, then try again"
    )

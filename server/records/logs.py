"""Append to the two logs of a session, each line numbered. Blocking: never on an event loop."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from server.killpoints import reach
from server.records.lines import Lines
from server.records.schema import FIRST_PREV, dump_json, seal_line, utc_now
from server.records.storage_errors import storage_error


class SessionLog:
    """The session's own lines, chained; each line is durable when `append` returns.

    Attributes:
        next_seq: Number of the next line.
        last_hash: Hash of the last line.
        size_bytes: Size of the log as this object left it; another size means that somebody else
            wrote.
    """

    def __init__(
        self,
        lines: Lines,
        session_id: str,
        *,
        next_seq: int = 0,
        last_hash: str = FIRST_PREV,
        size_bytes: int = 0,
    ) -> None:
        self._lines = lines
        self.session_id = session_id
        self.next_seq = next_seq
        self.last_hash = last_hash
        self.size_bytes = size_bytes

    def append(self, message: Mapping[str, Any]) -> None:
        """Write one line and make it durable.

        Raises:
            StorageError: It could not be written; the log is as it was before.
        """
        record = {"session_id": self.session_id, "timestamp": utc_now(), "message": message}
        line, digest = seal_line(record, self.next_seq, self.last_hash)
        try:
            self._lines.append(line, durable=True)
        except OSError as error:
            raise storage_error("the log could not be written", error) from error
        reach("K11")
        self.next_seq += 1
        self.last_hash = digest
        self.size_bytes += len(line)

    def is_current(self) -> bool:
        """Whether the log is as this object left it."""
        try:
            return self._lines.size_bytes() == self.size_bytes
        except OSError:
            return False


class EventLog:
    """Everything but the answered steps, as it happens. Safe to call from several threads."""

    def __init__(self, lines: Lines, session_id: str, *, next_seq: int = 1) -> None:
        self._lines = lines
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
                self._lines.append(line + b"\n", durable=durable)
            except OSError as error:
                raise storage_error("the events could not be written", error) from error
            self._next_seq = seq + 1
            return seq

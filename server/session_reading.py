"""Look into sessions without touching them: lists, steps, pictures, events. Blocking file work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from server.errors import SessionNotFoundError, StepNotFoundError, StorageError
from server.images import MEDIA_TYPES, sniff_format
from server.pictures.thumbnails import Thumbnails
from server.records.lines import Lines
from server.records.messages import read_session_start
from server.records.reader import (
    Damage,
    LogScan,
    expand_step,
    is_step,
    read_events,
    read_first_line,
    read_last_events,
    read_log,
    read_step_messages,
)
from server.records.schema import LogLine, format_utc
from server.records.store import ReadsRecords, StoredSession
from server.recovery import ENDINGS, find_stop_reason
from server.session_search import SessionFilter, SessionIndex, SessionPage
from server.session_summaries import SessionRecord, SessionSummary, StorageUse

TRACE_FORMAT = "localserver.trace"
TRACE_VERSION = 1


class SessionReader:
    """Reads the sessions of a store, also one that another process owns."""

    def __init__(self, store: ReadsRecords) -> None:
        self._store = store
        self._index = SessionIndex(store, self._summarise)
        self._thumbnails = Thumbnails(self.read_image)

    def list_sessions(self, limit: int, offset: int) -> list[SessionSummary]:
        """A page of sessions, the one written last first; unreadable ones are left out."""
        return list(self.find_sessions(SessionFilter(), limit, offset).sessions)

    def find_sessions(self, wanted: SessionFilter, limit: int, offset: int) -> SessionPage:
        """A page of the sessions that are wanted; unreadable ones are left out."""
        try:
            return self._index.find(wanted, limit, offset)
        except OSError as error:
            raise _unreadable() from error

    def measure(self) -> StorageUse:
        """What all sessions take. Looks at every file: seconds, where there are very many."""
        try:
            stored = self._store.list_sessions()
            sizes = [self._store.measure(one.session_id) for one in stored]
        except OSError as error:
            raise _unreadable() from error
        return StorageUse(len(stored), sum(sizes))

    def read_session(self, session_id: str) -> SessionRecord:
        log = self._log_of(session_id)
        scan, first, steps = LogScan(log), None, 0
        try:
            for line in scan:
                first = first or line
                steps += is_step(line.message)
            endings = read_events(self._store.events(session_id), kinds=ENDINGS)
            modified_s = log.modified_s()
        except OSError as error:
            raise _unreadable() from error
        return _record(session_id, first, steps, endings.events, scan.damage, modified_s)

    def read_trace(self, session_id: str) -> dict[str, Any]:
        """A whole session as one JSON document: what the trace view, and an export, shows.

        Returns:
            `{format, version, session, texts, steps, events}`; prompts refer to `texts` by hash.
        """
        log = self._log_of(session_id)
        try:
            reading = read_log(log)
            events = read_events(self._store.events(session_id)).events
            modified_s = log.modified_s()
        except OSError as error:
            raise _unreadable() from error
        first = reading.lines[0] if reading.lines else None
        steps = [expand_step(line, {}) for line in reading.lines if is_step(line.message)]
        record = _record(session_id, first, len(steps), events, reading.damage, modified_s)
        return {
            "format": TRACE_FORMAT,
            "version": TRACE_VERSION,
            "session": asdict(record),
            "texts": dict(reading.texts),
            "steps": steps,
            "events": [
                {name: event.get(name) for name in ("seq", "timestamp", "kind", "data")}
                for event in events
            ],
        }

    def read_steps(self, session_id: str, start: int, limit: int) -> list[dict[str, Any]]:
        try:
            return read_step_messages(self._log_of(session_id), start, limit)
        except OSError as error:
            raise _unreadable() from error

    def read_events(self, session_id: str, after_seq: int) -> list[dict[str, Any]]:
        self._log_of(session_id)
        try:
            reading = read_events(self._store.events(session_id), after_seq)
        except OSError as error:
            raise _unreadable() from error
        return [dict(event) for event in reading.events]

    def read_image(self, session_id: str, step: int) -> tuple[bytes, str]:
        steps = self.read_steps(session_id, step, 1)
        if not steps:
            raise StepNotFoundError(f"this session has no step {step}", step=step)
        image = str(steps[0]["environment"].get("image", ""))
        try:
            data = self._store.read_image(session_id, image.rpartition("/")[2])
        except StorageError as error:
            raise StepNotFoundError(
                f"the picture of step {step} is gone; the log still has the rest", step=step
            ) from error
        kind = sniff_format(data)
        return data, MEDIA_TYPES[kind] if kind is not None else "application/octet-stream"

    def read_picture(self, session_id: str, name: str) -> tuple[bytes, str]:
        """A picture by its file's name, which events give for steps that were not answered."""
        self._log_of(session_id)
        try:
            data = self._store.read_image(session_id, name)
        except StorageError as error:
            raise StepNotFoundError("this session has no such picture", name=name[:100]) from error
        kind = sniff_format(data)
        if kind is None:
            raise StepNotFoundError("this file is no picture", name=name[:100])
        return data, MEDIA_TYPES[kind]

    def read_thumbnail(self, session_id: str, step: int) -> bytes:
        """A step's screenshot as a small WebP; it is made once."""
        self._log_of(session_id)
        return self._thumbnails.read(session_id, step)

    def _log_of(self, session_id: str) -> Lines:
        log = self._store.log(session_id)
        if not log.exists():
            raise _not_found()
        return log

    def _summarise(self, stored: StoredSession) -> SessionSummary | None:
        log = self._store.log(stored.session_id)
        try:
            first = read_first_line(log)
            if first is None:
                return None
            events = read_last_events(self._store.events(stored.session_id))
            steps = log.count() - 1
        except OSError:
            return None
        message = first.get("message")
        request = read_session_start(message if isinstance(message, dict) else {})
        stop_reason = find_stop_reason(events)
        return SessionSummary(
            session_id=stored.session_id,
            task=request.task,
            task_type=request.task_type,
            model_name=request.model_name,
            created_at=str(first.get("timestamp", "")),
            updated_at=_format_s(stored.modified_s),
            steps=steps,
            state="open" if stop_reason is None else "closed",
            stop_reason=stop_reason,
        )


def _record(
    session_id: str,
    first: LogLine | None,
    steps: int,
    events: tuple[Mapping[str, Any], ...],
    damage: Damage | None,
    modified_s: float,
) -> SessionRecord:
    if first is None:
        raise _not_found()
    request = read_session_start(first.message)
    stop_reason = find_stop_reason(events)
    return SessionRecord(
        session_id=session_id,
        task=request.task,
        task_type=request.task_type,
        model_config=dict(request.model_config),
        extra_info=dict(request.extra_info) if request.extra_info is not None else None,
        created_at=str(first.record.get("timestamp", "")),
        updated_at=_format_s(modified_s),
        steps=steps,
        state="open" if stop_reason is None else "closed",
        stop_reason=stop_reason,
        damage=damage.to_wire() if damage is not None else None,
        can_continue=damage is None or damage.kind != "broken",
    )


def _format_s(moment_s: float) -> str:
    return format_utc(datetime.fromtimestamp(moment_s, UTC))


def _not_found() -> SessionNotFoundError:
    return SessionNotFoundError("no such session; create one with get_session")


def _unreadable() -> StorageError:
    return StorageError("the log cannot be read; mend the folder's permissions, then try again")

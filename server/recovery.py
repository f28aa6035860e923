"""A session rebuilt from its log after a restart; what a crash left behind is mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.errors import (
    BadRequestError,
    SessionDamagedError,
    SessionNotFoundError,
    StorageError,
)
from server.payloads import SessionRequest
from server.privacy.levels import FIRST_SEND
from server.records.logs import EventLog, SessionLog
from server.records.messages import (
    StepRecord,
    read_dialect,
    read_session_start,
    read_step,
    read_terms,
)
from server.records.reader import (
    Damage,
    LogScan,
    is_step,
    read_events,
)
from server.records.storage_errors import storage_error
from server.records.store import KeepsRecords
from server.session import Answer, KeyedStep, Session

ENDINGS = ("session_closed", "session_reopened")
"""The kinds of event that say whether a session is open."""


def rebuild_session(store: KeepsRecords, session_id: str) -> Session:
    """Read a session back from its log; mend what a crash left behind, and put that on record.

    A torn last line is cut off; a picture without its line is set aside. Blocking file work.

    Raises:
        SessionNotFoundError: There is no log, or not even its first line.
        StorageError: The log cannot be read or mended.
    """
    log_lines, event_lines = store.log(session_id), store.events(session_id)
    scan = LogScan(log_lines)
    first: Mapping[str, Any] | None = None
    steps: list[StepRecord] = []
    odd_line = 0
    try:
        for line in scan:
            if first is None and line.seq == 0:
                first = line.message
            if is_step(line.message):
                try:
                    steps.append(read_step(line.message))
                except ValueError:
                    odd_line = odd_line or line.seq + 1
        events = read_events(event_lines, kinds=ENDINGS)
    except OSError as error:
        raise StorageError(
            "the session's log cannot be read; mend the folder's permissions, then try again"
        ) from error
    if first is None:
        raise SessionNotFoundError("no such session; create one with get_session")
    try:
        if events.damage is not None and events.damage.kind == "torn_tail":
            event_lines.cut(events.good_bytes)
        if scan.damage is not None and scan.damage.kind == "torn_tail":
            log_lines.cut(scan.good_bytes)
    except OSError as error:
        raise storage_error("the torn end of a log could not be cut off", error) from error
    session = Session(
        id=session_id,
        request=_read_request(first),
        dialect=read_dialect(first),
        log=SessionLog(
            log_lines,
            session_id,
            next_seq=scan.count,
            last_hash=scan.last_hash,
            size_bytes=scan.good_bytes,
        ),
        events=EventLog(event_lines, session_id, next_seq=events.last_seq + 1),
        damage=scan.damage or (Damage("broken", odd_line, 0, 0) if odd_line else None),
        stop_reason=find_stop_reason(events.events),
        known_texts=set(scan.texts),
        has_told_remote=any(event.get("kind") == FIRST_SEND for event in events.events),
    )
    for step in steps:
        answer = Answer(step.action, step.number, step.policy, step.target)
        session.take_over(step.environment, step.picture_sha256, answer)
        if step.idempotency_key is not None:
            session.steps_by_key[step.idempotency_key] = KeyedStep(step.number, step.fingerprint)
    _report_recovery(store, session, events.damage)
    return session


def _read_request(message: Mapping[str, Any]) -> SessionRequest:
    try:
        return read_terms(message, read_session_start(message))
    except BadRequestError as error:
        raise SessionDamagedError(
            f"the session's terms cannot be read, so it does not go on: {error.message}"
        ) from error


def find_stop_reason(events: tuple[Mapping[str, Any], ...]) -> str | None:
    """Why a session ended, by its last closing; None if it is open."""
    for event in reversed(events):
        if event.get("kind") == "session_reopened":
            return None
        if event.get("kind") == "session_closed":
            data = event.get("data")
            return str(data.get("stop_reason")) if isinstance(data, dict) else None
    return None


def _report_recovery(store: KeepsRecords, session: Session, events_damage: Damage | None) -> None:
    broken = session.damage is not None and session.damage.kind == "broken"
    # Of a broken log nobody can say which picture has lost its line: all stay.
    set_aside = [] if broken else store.clean_up_step(session.id, session.next_number)
    if session.damage is None and events_damage is None and not set_aside:
        return
    facts: dict[str, Any] = {"steps": len(session.actions)}
    if session.damage is not None:
        facts["log_damage"] = session.damage.to_wire()
    if events_damage is not None:
        facts["events_damage"] = events_damage.to_wire()
    if set_aside:
        facts["interrupted_step"] = session.next_number
        facts["images"] = set_aside
    session.events.append("session_recovered", facts, durable=True)

"""Look after the records: verify them, repair them, delete sessions, keep to an age and a size.

Blocking file work, on the records alone; a running service deletes through `LocalServer`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Set
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any, Literal

from server.errors import SessionNotFoundError, StorageError
from server.records.logs import EventLog
from server.records.reader import (
    LogReading,
    is_step,
    read_events,
    read_last_events,
    read_log,
)
from server.records.schema import HASH_CHARS, dump_json, load_json, utc_now
from server.records.storage_errors import storage_error
from server.records.store import KeepsRecords, ReadsRecords, StoredSession
from server.recovery import find_stop_reason

FindingCode = Literal[
    "log_torn",
    "log_broken",
    "log_empty",
    "events_torn",
    "events_broken",
    "step_odd",
    "image_missing",
    "image_changed",
]
DeletionReason = Literal["asked", "age", "size"]
DAY_S = 86400.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a session's records.

    Attributes:
        code: What.
        message: The same in words, with the place.
        line: Line of the log or events, from 1, where it is about one.
    """

    code: FindingCode
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found in the records of one session.

    Attributes:
        session_id: Which.
        steps: Answered steps that can be read.
        head: Hash of the last sound line; keep it elsewhere to notice a cut-off end.
        size_bytes: Bytes of log, events and pictures.
        findings: What is wrong; empty when all is sound.
    """

    session_id: str
    steps: int
    head: str | None
    size_bytes: int
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        return not self.findings

    @property
    def can_repair(self) -> bool:
        """Whether `repair_session` changes something: pictures that are gone stay gone."""
        return any(one.code.startswith(("log_", "events_")) for one in self.findings)

    def to_wire(self) -> dict[str, Any]:
        return {**asdict(self), "sound": self.sound}


@dataclass(frozen=True, slots=True)
class Repair:
    """What `repair_session` did.

    Attributes:
        session_id: To which session.
        steps: Answered steps that it has now.
        dropped_lines: Lines of the log from the first damaged one on.
        kept_as: Names of the damaged files, kept whole beside the mended ones.
        images: Pictures of steps that have no line any more, under their new names.
    """

    session_id: str
    steps: int
    dropped_lines: int
    kept_as: tuple[str, ...]
    images: tuple[str, ...]

    def to_wire(self) -> dict[str, Any]:
        return asdict(self)


def verify_session(store: ReadsRecords, session_id: str) -> Verdict:
    """Check every line, link and picture of a session; changes nothing.

    Raises:
        SessionNotFoundError: No such session.
        StorageError: A file cannot be read.
    """
    log = store.log(session_id)
    if not log.exists():
        raise SessionNotFoundError("no such session; `localserver sessions` lists them")
    try:
        reading = read_log(log)
        events = read_events(store.events(session_id))
        size_bytes = store.measure(session_id)
    except OSError as error:
        raise storage_error("the session's log cannot be read", error) from error
    findings: list[Finding] = []
    if reading.damage is not None:
        torn = reading.damage.kind == "torn_tail"
        findings.append(
            Finding(
                "log_torn" if torn else "log_broken",
                f"the log is {'torn' if torn else 'broken'} at line {reading.damage.line}",
                reading.damage.line,
            )
        )
    if not reading.lines:
        findings.append(Finding("log_empty", "the log has no sound line"))
    if events.damage is not None:
        torn = events.damage.kind == "torn_tail"
        findings.append(
            Finding(
                "events_torn" if torn else "events_broken",
                f"the events are {'torn' if torn else 'broken'} at line {events.damage.line}",
                events.damage.line,
            )
        )
    findings += _check_steps(store, session_id, reading)
    return Verdict(
        session_id=session_id,
        steps=sum(is_step(line.message) for line in reading.lines),
        head=reading.lines[-1].hash if reading.lines else None,
        size_bytes=size_bytes,
        findings=tuple(findings),
    )


def _check_steps(store: ReadsRecords, session_id: str, reading: LogReading) -> Iterator[Finding]:
    for line in reading.lines:
        place = line.seq + 1
        if line.record.get("session_id") != session_id:
            yield Finding("log_broken", f"line {place} is of another session", place)
        if line.seq == 0:
            continue
        wire = line.message.get("environment")
        number = line.message.get("step")
        if not isinstance(wire, Mapping) or number != line.seq:
            yield Finding("step_odd", f"line {place} is no step {line.seq}", place)
            continue
        if wire.get("kept") is False:
            continue  # privacy: no picture of this step is kept
        name = PurePosixPath(str(wire.get("image"))).name
        try:
            data = store.read_image(session_id, name)
        except StorageError:
            yield Finding("image_missing", f"the picture of step {number} is gone", place)
            continue
        if hashlib.sha256(data).hexdigest()[:HASH_CHARS] != wire.get("sha256"):
            yield Finding("image_changed", f"the picture of step {number} was changed", place)


def repair_session(store: KeepsRecords, session_id: str) -> Repair:
    """Make a damaged session whole again up to its first damaged line, so that it can go on.

    A file that was damaged in the middle is kept whole under another name; nothing is thrown
    away. A sound session is left as it is.

    Raises:
        SessionNotFoundError: No such session, or not even its first line is sound.
        StorageError: A file cannot be read or written.
    """
    log, events = store.log(session_id), store.events(session_id)
    if not log.exists():
        raise SessionNotFoundError("no such session; `localserver sessions` lists them")
    kept_as: list[str] = []
    images: list[str] = []
    try:
        reading = read_log(log)
        sound_lines = reading.sound_lines
        if sound_lines == 0:
            raise SessionNotFoundError(
                "not even the first line of this session is sound; `localserver delete` removes it"
            )
        raw_lines = list(log.read()) if reading.damage is not None else []
        if reading.damage is not None and reading.damage.kind == "torn_tail":
            log.cut(reading.good_bytes)
        elif reading.damage is not None:
            # Later steps lose their lines: their pictures get out of the way of new ones.
            for line in reading.lines[sound_lines:]:
                images += store.set_aside(session_id, line.seq)
            kept_as.append(log.replace(b"".join(raw_lines[:sound_lines])))
        events_reading = read_events(events)
        if events_reading.damage is not None and events_reading.damage.kind == "torn_tail":
            events.cut(events_reading.good_bytes)
        elif events_reading.damage is not None:
            good = b"".join(dump_json(event) + b"\n" for event in events_reading.events)
            kept_as.append(events.replace(good))
        images += store.clean_up_step(session_id, sound_lines)
        repair = Repair(
            session_id=session_id,
            steps=sum(is_step(line.message) for line in reading.lines[:sound_lines]),
            dropped_lines=max(0, len(raw_lines) - sound_lines),
            kept_as=tuple(kept_as),
            images=tuple(images),
        )
        if reading.damage is not None or events_reading.damage is not None:
            last_seq = max((event["seq"] for event in events_reading.events), default=0)
            log_of_events = EventLog(events, session_id, next_seq=last_seq + 1)
            log_of_events.append("session_repaired", repair.to_wire(), durable=True)
    except OSError as error:
        raise storage_error("the session could not be repaired", error) from error
    return repair


def delete_session(store: KeepsRecords, session_id: str, reason: DeletionReason) -> int:
    """Delete a session for good: its log, events and pictures.

    That it was deleted is put on record first, without anything that was in it; a deletion that
    a crash cuts short is finished at the next start.

    Returns:
        How many bytes it took.

    Raises:
        SessionNotFoundError: No such session.
        StorageError: It could not be deleted whole.
    """
    log = store.log(session_id)
    if not log.exists():
        raise SessionNotFoundError("no such session; `localserver sessions` lists them")
    try:
        facts = {
            "timestamp": utc_now(),
            "session_id": session_id,
            "reason": reason,
            "steps": max(0, log.count() - 1),
            "bytes": store.measure(session_id),
        }
        store.deletions().append(dump_json(facts) + b"\n", durable=True)
    except OSError as error:
        raise storage_error("the deletion could not be put on record", error) from error
    store.remove(session_id)
    return int(str(facts["bytes"]))


def finish_deletions(store: KeepsRecords) -> list[str]:
    """Finish deletions that a crash cut short.

    Returns:
        The ids of the sessions that were there still.

    Raises:
        StorageError: Something could not be removed.
    """
    finished = []
    try:
        lines = store.deletions()
        raw_lines = list(lines.read())
        if raw_lines and not raw_lines[-1].endswith(b"\n"):
            lines.cut(sum(len(raw) for raw in raw_lines[:-1]))
        for session_id in {_deleted_id(raw) for raw in raw_lines if raw.endswith(b"\n")}:
            if session_id is not None and _is_left(store, session_id):
                store.remove(session_id)
                finished.append(session_id)
    except OSError as error:
        raise storage_error("the record of deletions cannot be read", error) from error
    return finished


def choose_outdated(
    store: ReadsRecords,
    *,
    keep_days: float | None,
    keep_bytes: int | None,
    busy: Set[str] = frozenset(),
    now_s: float | None = None,
) -> list[tuple[str, DeletionReason]]:
    """Which sessions are to go, and why.

    Those that were not written for `keep_days`; then, oldest first, closed ones until the rest
    takes at most `keep_bytes`.

    Args:
        store: The sessions.
        keep_days: None: of any age.
        keep_bytes: None: of any size.
        busy: Sessions that stay in any case.
        now_s: The present in seconds since 1970.

    Raises:
        StorageError: The sessions cannot be read.
    """
    now_s = time.time() if now_s is None else now_s
    outdated: list[tuple[str, DeletionReason]] = []
    try:
        stored = [one for one in reversed(store.list_sessions()) if one.session_id not in busy]
        kept: list[StoredSession] = []
        for one in stored:
            if keep_days is not None and now_s - one.modified_s > keep_days * DAY_S:
                outdated.append((one.session_id, "age"))
            else:
                kept.append(one)
        if keep_bytes is not None:
            sizes = {one.session_id: store.measure(one.session_id) for one in kept}
            total = sum(sizes.values())
            for one in kept:
                if total <= keep_bytes:
                    break
                if find_stop_reason(read_last_events(store.events(one.session_id))) is not None:
                    outdated.append((one.session_id, "size"))
                    total -= sizes[one.session_id]
    except OSError as error:
        raise storage_error("the sessions cannot be read", error) from error
    return outdated


def _deleted_id(raw: bytes) -> str | None:
    try:
        record = load_json(raw)
    except ValueError:
        return None
    return record.get("session_id") if isinstance(record, dict) else None


def _is_left(store: ReadsRecords, session_id: str) -> bool:
    return (
        store.log(session_id).exists()
        or store.events(session_id).exists()
        or bool(store.list_images(session_id))
    )

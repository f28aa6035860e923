"""Read the log. Readers never raise on damage: they give all good lines and say what was cut."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from server.records.schema import (
    FIRST_PREV,
    LogLine,
    collect_texts,
    load_json,
    open_line,
    unfold_texts,
)

TAIL_BYTES = 65536


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a log.

    Attributes:
        kind: `torn_tail`: the last line was not written whole, everything before it is good;
            `broken`: a line in the middle is damaged, missing or foreign.
        line: The first bad line, counted from 1.
        good_bytes: How many bytes at the start of the file are good.
        cut_bytes: How many bytes follow.
    """

    kind: Literal["torn_tail", "broken"]
    line: int
    good_bytes: int
    cut_bytes: int

    def to_wire(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "line": self.line,
            "good_bytes": self.good_bytes,
            "cut_bytes": self.cut_bytes,
        }


@dataclass(frozen=True, slots=True)
class LogReading:
    """A whole log: its good lines, in order, and its damage if there is any.

    After a broken line the reading goes on: every line that is sound in itself is given.
    """

    lines: tuple[LogLine, ...] = ()
    damage: Damage | None = None
    good_bytes: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventsReading:
    """The events of a session after some number."""

    events: tuple[Mapping[str, Any], ...] = ()
    damage: Damage | None = None
    good_bytes: int = 0


def read_log(path: Path) -> LogReading:
    """Read `<session_id>.jsonl`; a missing file has no lines.

    Raises:
        OSError: The file is there but cannot be read.
    """
    lines: list[LogLine] = []
    texts: dict[str, str] = {}
    good_bytes = 0
    position = 0
    damage_line = 0
    ended = True
    prev = FIRST_PREV
    number = 0
    for number, raw in enumerate(_iter_lines(path), start=1):
        ended = raw.endswith(b"\n")
        body = raw[:-1] if ended else raw
        position += len(raw)
        line = open_line(body, len(lines), prev) if ended and not damage_line else None
        if line is not None:
            prev, good_bytes = line.hash, position
        else:
            damage_line = damage_line or number
            line = _open_loose(body) if ended else None
        if line is not None:
            lines.append(line)
            collect_texts(line, texts)
    damage = None
    if damage_line:
        kind: Literal["torn_tail", "broken"] = (
            "torn_tail" if damage_line == number and not ended else "broken"
        )
        damage = Damage(kind, damage_line, good_bytes, position - good_bytes)
    return LogReading(tuple(lines), damage, good_bytes, texts)


def read_step_messages(
    path: Path, start: int, limit: int
) -> tuple[list[dict[str, Any]], Damage | None]:
    """Steps from number `start` on (counted from 1), their prompts with the texts filled in.

    Raises:
        OSError: The file cannot be read.
    """
    reading = read_log(path)
    steps = [line for line in reading.lines if is_step(line.message)]
    wanted = []
    for line in steps:
        number = line.message.get("step", line.seq)
        if start <= number < start + limit:
            wanted.append(expand_step(line, reading.texts))
    return wanted, reading.damage


def expand_step(line: LogLine, texts: Mapping[str, str]) -> dict[str, Any]:
    """One step's message, self-contained: texts filled in, with `seq` and `timestamp`."""
    message = {key: value for key, value in line.message.items() if key != "texts"}
    message["asked_messages"] = unfold_texts(message.get("asked_messages"), texts)
    message["seq"] = line.seq
    message["timestamp"] = line.record.get("timestamp")
    return message


def is_step(message: Mapping[str, Any]) -> bool:
    return "environment" in message and "action" in message


def read_events(path: Path, after_seq: int = 0) -> EventsReading:
    """Read `<session_id>.events.jsonl`; a missing file has no events.

    Raises:
        OSError: The file is there but cannot be read.
    """
    events: list[Mapping[str, Any]] = []
    position = good_bytes = 0
    damage_line = 0
    ended = True
    number = 0
    for number, raw in enumerate(_iter_lines(path), start=1):
        ended = raw.endswith(b"\n")
        position += len(raw)
        event = _load_event(raw) if ended else None
        if event is None:
            damage_line = damage_line or number
            continue
        if damage_line == 0:
            good_bytes = position
        if event["seq"] > after_seq:
            events.append(event)
    damage = None
    if damage_line:
        torn = damage_line == number and not ended
        damage = Damage(
            "torn_tail" if torn else "broken", damage_line, good_bytes, position - good_bytes
        )
    return EventsReading(tuple(events), damage, good_bytes)


def read_last_events(path: Path) -> tuple[Mapping[str, Any], ...]:
    """The events in the last 64 KB of the file: cheap, however long the session is.

    Raises:
        OSError: The file is there but cannot be read.
    """
    try:
        with path.open("rb") as file:
            size_bytes = file.seek(0, os.SEEK_END)
            file.seek(max(0, size_bytes - TAIL_BYTES))
            raw_lines = file.read(TAIL_BYTES).split(b"\n")
    except FileNotFoundError:
        return ()
    if size_bytes > TAIL_BYTES:
        raw_lines = raw_lines[1:]
    loaded = (_load_event(raw) for raw in raw_lines)
    return tuple(event for event in loaded if event is not None)


def read_first_line(path: Path) -> Mapping[str, Any] | None:
    """The session_start message; None if it is missing or damaged.

    Raises:
        OSError: The file is there but cannot be read.
    """
    for raw in _iter_lines(path):
        line = open_line(raw[:-1], 0, FIRST_PREV) if raw.endswith(b"\n") else None
        return line.record if line is not None else None
    return None


def count_lines(path: Path) -> int:
    """How many whole lines the file has.

    Raises:
        OSError: The file cannot be read.
    """
    count = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            count += block.count(b"\n")
    return count


def find_session_paths(log_dir: Path) -> list[Path]:
    """The logs in a folder, the one written last first.

    Raises:
        OSError: The folder cannot be read.
    """
    found: list[tuple[float, str, Path]] = []
    with os.scandir(log_dir) as entries:
        for entry in entries:
            if entry.name.endswith(".jsonl") and not entry.name.endswith(".events.jsonl"):
                try:
                    found.append((entry.stat().st_mtime, entry.name, Path(entry.path)))
                except FileNotFoundError:
                    continue
    return [path for _, _, path in sorted(found, reverse=True)]


def _iter_lines(path: Path) -> Iterator[bytes]:
    """Lines split at `\\n` alone, each with its end; the last one may lack it."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        yield from file


def _open_loose(body: bytes) -> LogLine | None:
    """A line after the damage: sound in itself, whatever it follows."""
    try:
        record = load_json(body)
    except (ValueError, RecursionError):
        return None
    seq = record.get("seq") if isinstance(record, dict) else None
    return open_line(body, seq, None) if isinstance(seq, int) else None


def _load_event(raw: bytes) -> Mapping[str, Any] | None:
    try:
        event = load_json(raw)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or not isinstance(event.get("seq"), int):
        return None
    return event

"""Read the log. Readers never raise on damage: they give all good lines and say what was cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from server.records.lines import Lines, LocalLines
from server.records.schema import (
    FIRST_PREV,
    LogLine,
    collect_texts,
    load_json,
    open_line,
    unfold_texts,
)


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

    Attributes:
        lines: They.
        damage: What is wrong.
        good_bytes: How many bytes there are before the damage.
        sound_lines: How many lines there are before the damage.
        texts: Prompt texts by their hash.
    """

    lines: tuple[LogLine, ...] = ()
    damage: Damage | None = None
    good_bytes: int = 0
    sound_lines: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EventsReading:
    """The events of a session after some number."""

    events: tuple[Mapping[str, Any], ...] = ()
    damage: Damage | None = None
    good_bytes: int = 0
    last_seq: int = 0


Source = Path | Lines
"""A file of this machine, or lines wherever a store keeps them."""


class LogScan:
    """Goes through a session's log once, a line in memory at a time; a missing log has no lines.

    Iterating may raise `OSError`: it is there but cannot be read. The attributes tell what was
    seen so far.

    Attributes:
        count: How many lines were given.
        last_hash: Hash of the last one.
        good_bytes: Where the first part ends that is in order.
        sound_lines: How many lines that part has.
        texts: The prompt texts that the lines brought along, by hash.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._position = 0
        self._number = 0
        self._damage_line = 0
        self._ended = True
        self.count = 0
        self.last_hash = FIRST_PREV
        self.good_bytes = 0
        self.sound_lines = 0
        self.texts: dict[str, str] = {}

    def __iter__(self) -> Iterator[LogLine]:
        for raw in _iter_lines(self._source):
            self._number += 1
            self._ended = raw.endswith(b"\n")
            self._position += len(raw)
            line = self._open(raw)
            if line is not None:
                self.count += 1
                self.last_hash = line.hash
                collect_texts(line, self.texts)
                yield line

    @property
    def damage(self) -> Damage | None:
        """What is wrong, once all lines were given."""
        line = self._damage_line
        if not line:
            return None
        torn = line == self._number and not self._ended
        kind: Literal["torn_tail", "broken"] = "torn_tail" if torn else "broken"
        return Damage(kind, line, self.good_bytes, self._position - self.good_bytes)

    def _open(self, raw: bytes) -> LogLine | None:
        if not self._ended:
            self._damage_line = self._damage_line or self._number
            return None
        if not self._damage_line:
            line = open_line(raw[:-1], self.count, self.last_hash)
            if line is not None:
                self.good_bytes, self.sound_lines = self._position, self._number
                return line
            self._damage_line = self._number
        return _open_loose(raw[:-1])


def read_log(source: Source) -> LogReading:
    """Read a session's log; a missing one has no lines.

    Raises:
        OSError: It is there but cannot be read.
    """
    scan = LogScan(source)
    lines = tuple(scan)
    return LogReading(lines, scan.damage, scan.good_bytes, scan.sound_lines, scan.texts)


def read_step_messages(source: Source, start: int, limit: int) -> list[dict[str, Any]]:
    """Steps from number `start` on (counted from 1), their prompts with the texts filled in.

    Line N of a log is step N: only what is asked for is decoded, and the lines before it that
    brought a text along.

    Raises:
        OSError: It cannot be read.
    """
    texts: dict[str, str] = {}
    wanted: list[dict[str, Any]] = []
    for number, raw in enumerate(_iter_lines(source)):
        if number >= start + limit and wanted:
            break
        if number < start and b'"texts":{' not in raw:
            continue
        line = _open_loose(raw[:-1]) if raw.endswith(b"\n") else None
        if line is None:
            continue
        collect_texts(line, texts)
        if is_step(line.message) and start <= line.message.get("step", line.seq) < start + limit:
            wanted.append(expand_step(line, texts))
    return wanted


def iter_step_messages(source: Source) -> Iterator[dict[str, Any]]:
    """All steps in order, one at a time in memory, prompts with the texts filled in.

    Lines that are damaged are passed over.

    Raises:
        OSError: It cannot be read.
    """
    scan = LogScan(source)
    for line in scan:
        if is_step(line.message):
            yield expand_step(line, scan.texts)


def find_damage(source: Source) -> Damage | None:
    """What is wrong with a log, a line in memory at a time.

    Raises:
        OSError: It cannot be read.
    """
    scan = LogScan(source)
    for _ in scan:
        pass
    return scan.damage


def expand_step(line: LogLine, texts: Mapping[str, str]) -> dict[str, Any]:
    """One step's message, self-contained: texts filled in, with `seq` and `timestamp`."""
    message = {key: value for key, value in line.message.items() if key != "texts"}
    message["asked_messages"] = unfold_texts(message.get("asked_messages"), texts)
    message["seq"] = line.seq
    message["timestamp"] = line.record.get("timestamp")
    return message


def is_step(message: Mapping[str, Any]) -> bool:
    return "environment" in message and "action" in message


def read_events(
    source: Source, after_seq: int = 0, kinds: Collection[str] | None = None
) -> EventsReading:
    """Read a session's events; a missing file has none.

    Args:
        source: Where they are.
        after_seq: Only those with a higher number.
        kinds: Only those of these kinds; None: all.

    Raises:
        OSError: It is there but cannot be read.
    """
    events: list[Mapping[str, Any]] = []
    position = good_bytes = last_seq = 0
    damage_line = 0
    ended = True
    number = 0
    for number, raw in enumerate(_iter_lines(source), start=1):
        ended = raw.endswith(b"\n")
        position += len(raw)
        event = _load_event(raw) if ended else None
        if event is None:
            damage_line = damage_line or number
            continue
        if damage_line == 0:
            good_bytes = position
        last_seq = max(last_seq, event["seq"])
        if event["seq"] > after_seq and (kinds is None or event.get("kind") in kinds):
            events.append(event)
    damage = None
    if damage_line:
        torn = damage_line == number and not ended
        damage = Damage(
            "torn_tail" if torn else "broken", damage_line, good_bytes, position - good_bytes
        )
    return EventsReading(tuple(events), damage, good_bytes, last_seq)


def read_last_events(lines: Lines) -> tuple[Mapping[str, Any], ...]:
    """The last events: cheap, however long the session is.

    Raises:
        OSError: They are there but cannot be read.
    """
    loaded = (_load_event(raw) for raw in lines.read_tail())
    return tuple(event for event in loaded if event is not None)


def read_first_line(lines: Lines) -> Mapping[str, Any] | None:
    """The session_start message; None if it is missing or damaged.

    Raises:
        OSError: It is there but cannot be read.
    """
    for raw in lines.read():
        line = open_line(raw[:-1], 0, FIRST_PREV) if raw.endswith(b"\n") else None
        return line.record if line is not None else None
    return None


def _iter_lines(source: Source) -> Iterable[bytes]:
    return (LocalLines(source) if isinstance(source, Path) else source).read()


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

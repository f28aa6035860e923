"""What happened to the phone, in order: services, commands, gestures, faults."""

from __future__ import annotations

import itertools
import time
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["transport", "service", "command", "gesture", "fault", "state"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One event.

    Attributes:
        seq: Position since the start of the process, from 1, without gaps.
        time_s: Monotonic seconds since the start of the journal.
        kind: Where it happened.
        text: The service name, the command line, the gesture.
        detail: Further values, JSON-able.
    """

    seq: int
    time_s: float
    kind: Kind
    text: str
    detail: dict[str, Any]


class Journal:
    """A bounded list of events; the oldest fall out."""

    def __init__(self, capacity: int = 10_000) -> None:
        self._entries: deque[Entry] = deque(maxlen=capacity)
        self._next_seq = itertools.count(1)
        self._start_s = time.monotonic()

    def add(self, kind: Kind, text: str, **detail: Any) -> None:
        """Appends one event with the time of now."""
        elapsed_s = round(time.monotonic() - self._start_s, 4)
        self._entries.append(Entry(next(self._next_seq), elapsed_s, kind, text, detail))

    def entries(self, after: int = 0, kind: str | None = None) -> list[Entry]:
        """Events with a `seq` above `after`, oldest first, of one kind if given."""
        return [e for e in self._entries if e.seq > after and kind in (None, e.kind)]

    def as_json(self, after: int = 0, kind: str | None = None) -> list[dict[str, Any]]:
        """The same as `entries`, as JSON-able mappings."""
        return [asdict(entry) for entry in self.entries(after, kind)]

    def clear(self) -> None:
        """Forgets all events; `seq` goes on counting."""
        self._entries.clear()

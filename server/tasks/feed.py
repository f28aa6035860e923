"""What happens in a task, numbered, for those who watch it: SSE, MCP progress, waiting."""

from __future__ import annotations

import asyncio
import threading
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from server.records.schema import utc_now

END_KIND = "task_ended"


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """One thing that happened.

    Attributes:
        id: Counts from 1 within the task.
        at: When, in UTC.
        kind: `task_state`, `task_step`, `question`, `answer`, `device_intent`, `task_ended`, ...
        data: JSON-able facts.
    """

    id: int
    at: str
    kind: str
    data: Mapping[str, Any]

    def to_wire(self) -> dict[str, Any]:
        return {"id": self.id, "at": self.at, "kind": self.kind, "data": dict(self.data)}


class TaskFeed:
    """The events of one task, in order. Safe to use from any thread.

    Args:
        events: Those of before a restart.
    """

    def __init__(self, events: Sequence[TaskEvent] = ()) -> None:
        self._lock = threading.Lock()
        self._events = list(events)
        self._listeners: list[Callable[[], None]] = []
        self._is_closed = False

    def close(self) -> None:
        """Let everybody go who waits: the program ends, and nothing more happens here."""
        with self._lock:
            self._is_closed = True
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()

    def publish(self, kind: str, data: Mapping[str, Any]) -> TaskEvent:
        """Add an event and wake those who wait for one."""
        with self._lock:
            last = self._events[-1].id if self._events else 0
            event = TaskEvent(last + 1, utc_now(), kind, data)
            self._events.append(event)
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()
        return event

    def after(self, event_id: int) -> list[TaskEvent]:
        """The events that came after the one of this number; 0: all."""
        with self._lock:
            return self._events[bisect_right(self._events, event_id, key=attrgetter("id")) :]

    @property
    def last_id(self) -> int:
        with self._lock:
            return self._events[-1].id if self._events else 0

    def is_over(self, event_id: int) -> bool:
        """Whether no event comes after this one: the task has ended, or the program does."""
        with self._lock:
            if self._is_closed:
                return True
            last = self._events[-1] if self._events else None
            return last is not None and last.kind == END_KIND and last.id <= event_id

    async def wait_after(self, event_id: int, timeout_s: float | None) -> list[TaskEvent]:
        """The events after that one, as soon as there are any; none when the time is over."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            try:
                loop.call_soon_threadsafe(woken.set)
            except RuntimeError:
                pass  # that loop has ended, and with it whoever waited

        with self._lock:
            self._listeners.append(wake)
        try:
            events = self.after(event_id)
            if not events and not self.is_over(event_id):
                async with asyncio.timeout(timeout_s):
                    await woken.wait()
                events = self.after(event_id)
            return events
        except TimeoutError:
            return []
        finally:
            with self._lock:
                self._listeners.remove(wake)

"""Find sessions: by the words of the task, app, dialect, model, state, stop reason and date.

Blocking file work. What is known of a closed session is kept until its log changes, so that only
the first search reads all logs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from server.records.reader import read_log
from server.records.store import ReadsRecords, StoredSession
from server.session_summaries import SessionState, SessionSummary


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """What is looked for; an empty field lets everything pass. Text is compared without case.

    Attributes:
        text: In the task, or the beginning of the session's id.
        app: In the package of an app that was in front, or in the name of one that was opened.
        task_type: The dialect.
        model: In the model's name.
        state: `open` or `closed`.
        stop_reason: Why it ended.
        since: Not written before this moment (UTC, ISO 8601; a date alone is its midnight).
        until: Not begun after it; a date alone includes that day.
    """

    text: str = ""
    app: str = ""
    task_type: str = ""
    model: str = ""
    state: SessionState | None = None
    stop_reason: str = ""
    since: str = ""
    until: str = ""

    @property
    def is_empty(self) -> bool:
        return self == SessionFilter()

    def matches(self, session: SessionSummary) -> bool:
        """Whether a session passes all but the search for an app."""
        text = self.text.casefold()
        return (
            (text in session.task.casefold() or session.session_id.startswith(text))
            and self.task_type in ("", session.task_type)
            and self.model.casefold() in (session.model_name or "").casefold()
            and self.state in (None, session.state)
            and self.stop_reason in ("", session.stop_reason)
            and session.updated_at >= self.since
            # "2026-11-30" + "~" sorts behind every moment of that day.
            and (not self.until or session.created_at <= f"{self.until}~")
        )


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A part of what was found.

    Attributes:
        sessions: The one written last first.
        total: How many were found.
    """

    sessions: tuple[SessionSummary, ...]
    total: int


class SessionIndex:
    """The sessions of a store, as far as they were looked at.

    Args:
        store: Where they are.
        summarise: Reads what the list says of one; None where it cannot be read.
    """

    def __init__(
        self,
        store: ReadsRecords,
        summarise: Callable[[StoredSession], SessionSummary | None],
    ) -> None:
        self._store = store
        self._summarise = summarise
        self._lock = threading.Lock()
        self._summaries: dict[StoredSession, SessionSummary] = {}
        self._apps: dict[StoredSession, frozenset[str]] = {}

    def find(self, wanted: SessionFilter, limit: int, offset: int) -> SessionPage:
        """A page of the sessions that are wanted.

        Raises:
            OSError: The store cannot be listed.
        """
        stored = self._store.list_sessions()
        self._forget_all_but(frozenset(stored))
        if wanted.is_empty:
            page = (self._summary_of(one) for one in stored[offset : offset + limit])
            return SessionPage(tuple(found for found in page if found is not None), len(stored))
        matches: list[SessionSummary] = []
        for one in stored:
            summary = self._summary_of(one)
            if summary is None or not wanted.matches(summary):
                continue
            if wanted.app and not self._has_app(one, wanted.app.casefold()):
                continue
            matches.append(summary)
        return SessionPage(tuple(matches[offset : offset + limit]), len(matches))

    def _summary_of(self, one: StoredSession) -> SessionSummary | None:
        with self._lock:
            known = self._summaries.get(one)
        if known is not None:
            return known
        summary = self._summarise(one)
        if summary is not None and summary.state == "closed":  # an open one ends without a step
            with self._lock:
                self._summaries[one] = summary
        return summary

    def _has_app(self, one: StoredSession, app: str) -> bool:
        with self._lock:
            known = self._apps.get(one)
        if known is None:
            try:
                lines = read_log(self._store.log(one.session_id)).lines
            except OSError:
                return False
            known = frozenset(name for line in lines for name in name_apps(line.message))
            with self._lock:
                self._apps[one] = known
        return any(app in name for name in known)

    def _forget_all_but(self, stored: frozenset[StoredSession]) -> None:
        with self._lock:
            self._summaries = {
                one: known for one, known in self._summaries.items() if one in stored
            }
            self._apps = {one: known for one, known in self._apps.items() if one in stored}


def name_apps(message: Mapping[str, Any]) -> list[str]:
    """The apps that a step names, in lower case: the package in front, what was to be opened."""
    environment, action = message.get("environment"), message.get("action")
    names: list[object] = []
    if isinstance(environment, Mapping):
        names.append(environment.get("foreground"))
    if isinstance(action, Mapping) and action.get("action") == "AWAKE":
        names.append(action.get("value"))
    return [name.casefold() for name in names if isinstance(name, str) and name]

"""What is said of a session: a line in the list, and the whole of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

SessionState = Literal["open", "closed"]


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A line in the list of sessions. Times are UTC."""

    session_id: str
    task: str
    task_type: str | None
    model_name: str | None
    created_at: str
    updated_at: str
    steps: int
    state: SessionState
    stop_reason: str | None


@dataclass(frozen=True, slots=True)
class StorageUse:
    """What all sessions together take: logs, events and pictures."""

    sessions: int
    bytes: int


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session.

    Attributes:
        damage: What is wrong with its log: `{kind, line, good_bytes, cut_bytes}`; None: nothing.
        can_continue: Whether it takes further steps as far as its log is concerned.
    """

    session_id: str
    task: str
    task_type: str | None
    model_config: dict[str, Any]
    extra_info: dict[str, Any] | None
    created_at: str
    updated_at: str
    steps: int
    state: SessionState
    stop_reason: str | None
    damage: dict[str, Any] | None
    can_continue: bool

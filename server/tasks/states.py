"""The states of a task, what it waits for in them, and how it leaves them for good."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from server.tasks.result import StopReason

TaskState = Literal[
    "queued", "running", "waiting_reply", "waiting_confirm", "paused", "taken_over", "done"
]

Hold = Literal["paused", "taken_over"]
"""Why a person keeps the loop from the phone."""
LENDING_STATES: tuple[TaskState, ...] = ("paused", "taken_over")
"""States in which others may give the phone input by hand."""
WAITING_STATES: tuple[TaskState, ...] = (
    "waiting_reply",
    "waiting_confirm",
    *LENDING_STATES,
)
"""States that only a person ends; a task waits on in them over a restart."""
HOLD_LIMIT_S = 86_400.0
"""Every wait has an end: a task that is held so long ends with `REPLY_TIMEOUT`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a task waits to be told.

    Attributes:
        text: The question, in words.
        id: A yes belongs to this one question: one action on one screen.
        facts: For a confirmation: the action, its step, the policy's class and reason.
    """

    text: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    facts: Mapping[str, Any] = field(default_factory=dict)


class TaskEnd(Exception):
    """The task is over. Raised anywhere inside the loop, caught once around it.

    Attributes:
        reason: Why it ended.
        message: What the user is told, in words.
        error: The error body (`code`, `message`, ...) where an error ended it.
    """

    def __init__(
        self, reason: StopReason, message: str = "", *, error: dict[str, Any] | None = None
    ) -> None:
        super().__init__(reason)
        self.reason: StopReason = reason
        self.message = message
        self.error = error

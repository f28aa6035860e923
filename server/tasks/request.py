"""A task as it is handed over, and as it stands at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeVar

from server.loop.options import LoopOptions
from server.policy.config import Budget
from server.tasks.result import StopReason
from server.tasks.states import Asked, Hold, TaskState
from server.tasks.terms import PolicyBudget, read_policy, read_privacy
from server.usage import Usage

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task as it is handed over.

    Attributes:
        task: What the user wants.
        serial: Which phone; None for one of `tag`, or the only one that is ready.
        tag: Any ready phone with this tag, the one with the fewest tasks before it.
        priority: Higher ones go first where several wait for one phone.
        options: How to run it.
        deadline_s: Seconds until it ends with `DEADLINE_REACHED`; None for never.
        max_total_tokens: Tokens after which it ends with `COST_LIMIT_REACHED`.
        max_cost: The same in money; needs the model's price in `configs/prices.yaml`.
        session_id: Go on in this session of an earlier task.
        reply: The user's first words in that session (an answer, a follow-up).
        lease_id: The lease under which the phone is driven, where the caller holds one.
    """

    task: str
    serial: str | None = None
    tag: str | None = None
    priority: int = 0
    options: LoopOptions = field(default_factory=LoopOptions)
    deadline_s: float | None = None
    max_total_tokens: int | None = None
    max_cost: float | None = None
    session_id: str | None = None
    reply: str = ""
    lease_id: str | None = field(default=None, repr=False)

    def within(self, budget: Budget) -> TaskRequest:
        """The same task under the server's budget; where it asks for less, that stays."""
        steps = min(self.options.max_steps, budget.max_steps)
        return replace(
            self,
            options=replace(self.options, max_steps=steps),
            max_total_tokens=_lowest(self.max_total_tokens, budget.max_total_tokens),
            max_cost=_lowest(self.max_cost, budget.max_cost),
        )

    @property
    def budget(self) -> PolicyBudget:
        return self.options.policy.budget if self.options.policy else PolicyBudget()

    @property
    def token_limit(self) -> int | None:
        """The lower of the task's own limit and its policy's."""
        return _lowest(self.max_total_tokens, self.budget.max_total_tokens)

    @property
    def cost_limit(self) -> float | None:
        """The lower of the task's own limit and its policy's."""
        return _lowest(self.max_cost, self.budget.max_cost)

    def to_record(self) -> dict[str, Any]:
        """As a task's first event keeps it."""
        record = asdict(self)
        del record["lease_id"]  # it is a secret, and worth nothing after a restart
        policy = self.options.policy
        record["options"]["policy"] = policy.model_dump(exclude_defaults=True) if policy else None
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> TaskRequest:
        """What `to_record` gave; fields that a later version wrote are let pass."""
        names = {item.name for item in fields(cls)}
        known = {name: value for name, value in record.items() if name in names}
        option_names = {item.name for item in fields(LoopOptions)}
        options: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in dict(record.get("options") or {}).items()
            if name in option_names
        }
        options["policy"] = read_policy(options.get("policy"))
        options["privacy"] = read_privacy(options.get("privacy"))
        return cls(**{**known, "options": LoopOptions(**options)})


def _lowest(*limits: Number | None) -> Number | None:
    """The lowest of the limits that are set."""
    return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task at one moment.

    Attributes:
        state: `done` has a result; a done task with `INTERRUPTED` can be resumed.
        asked: What it waits to be told, in the waiting states.
        hold: Why a person keeps it from the phone, or will as soon as its action has ended.
        result: The result with the names that Step-GUI users know.
        usage: What its model calls used so far.
        last_event_id: Where to go on watching.
    """

    task_id: str
    session_id: str
    serial: str
    task: str
    state: TaskState
    created_at: str
    steps: int
    asked: Asked | None
    hold: Hold | None
    stop_reason: StopReason | None
    result: Mapping[str, Any] | None
    usage: Usage
    last_event_id: int

    @property
    def question(self) -> str | None:
        return self.asked.text if self.asked else None

    def to_wire(self) -> dict[str, Any]:
        return {
            "task_id": self.task_id,
            "session_id": self.session_id,
            "serial": self.serial,
            "task": self.task,
            "state": self.state,
            "created_at": self.created_at,
            "steps": self.steps,
            "question": self.question,
            "hold": self.hold,
            "confirm": {"id": self.asked.id, "text": self.asked.text, **self.asked.facts}
            if self.asked and self.state == "waiting_confirm"
            else None,
            "stop_reason": self.stop_reason,
            "result": dict(self.result) if self.result is not None else None,
            "usage": self.usage.to_wire(),
            "last_event_id": self.last_event_id,
        }

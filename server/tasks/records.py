"""A task in the events of its session: written as it happens, read back after a restart.

Events that belong to a task carry `task_id` and `event_id`; `task_started` is the first,
`task_ended` the last of a run. `logs/README.md` lists the kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from server.errors import BadRequestError
from server.loop.options import StepServer
from server.loop.words import LoopWords
from server.tasks.feed import TaskEvent, TaskFeed
from server.tasks.request import TaskRequest
from server.tasks.result import StepReport
from server.tasks.states import LENDING_STATES, Asked, Hold, TaskState

_TASK_ID = re.compile(r"([0-9a-f-]{36})\.([1-9][0-9]{0,5})")


def name_task(session_id: str, number: int) -> str:
    """A task's id says where its log is: `<session id>.<number within the session>`."""
    return f"{session_id}.{number}"


def session_of(task_id: str) -> str | None:
    """The session that a task's id names; None for anything that is no task id."""
    match = _TASK_ID.fullmatch(task_id)
    return match[1] if match else None


class RecordedSteps:
    """The loop's `StepServer`: what it puts on record is also published to those who watch."""

    def __init__(self, server: StepServer, feed: TaskFeed, task_id: str) -> None:
        self._server = server
        self._feed = feed
        self._task_id = task_id

    def get_session(self, payload: Mapping[str, Any]) -> str:
        return self._server.get_session(payload)

    def automate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        return self._server.automate_step(payload)

    def close_session(self, session_id: str, stop_reason: str) -> None:
        self._server.close_session(session_id, stop_reason)

    def judge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        return self._server.judge_step(session_id, step, observation)

    def record_event(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None:
        event = self._feed.publish(kind, data)
        marks = {"task_id": self._task_id, "event_id": event.id}
        self._server.record_event(session_id, kind, {**data, **marks})


def describe_step(report: StepReport, usage: Mapping[str, int]) -> dict[str, Any]:
    """The event of one step: what was done and what became of it, without the raw reply."""
    wire = report.to_wire()
    wire["agent_action"] = report.action.to_wire(include_meta=False)
    return {**wire, "usage": dict(usage)}


@dataclass(slots=True)
class TaskRecord:
    """A task as its session's events tell it."""

    task_id: str
    serial: str
    created_at: str
    request: TaskRequest
    feed: TaskFeed
    state: TaskState = "queued"
    asked: Asked | None = None
    hold: Hold | None = None
    state_at: str = ""
    steps: list[Mapping[str, Any]] = field(default_factory=list)
    ended: Mapping[str, Any] | None = None


def read_tasks(session_events: Iterable[Mapping[str, Any]]) -> dict[str, TaskRecord]:
    """All tasks of one session, by id; events that cannot be read are passed over."""
    found: dict[str, tuple[TaskRecord, list[TaskEvent]]] = {}
    for line in session_events:
        data = line.get("data")
        if not isinstance(data, Mapping):
            continue
        task_id, event_id = data.get("task_id"), data.get("event_id")
        if not isinstance(task_id, str) or not isinstance(event_id, int):
            continue
        facts = {name: data[name] for name in data if name not in ("task_id", "event_id")}
        kind, at = str(line.get("kind")), str(line.get("timestamp", ""))
        if kind == "task_started" and task_id not in found:
            try:
                request = TaskRequest.from_record(facts["request"])
            except (KeyError, TypeError, BadRequestError):
                continue
            record = TaskRecord(task_id, str(facts.get("serial", "")), at, request, TaskFeed())
            found[task_id] = record, []
        if task_id in found:
            record, events = found[task_id]
            events.append(TaskEvent(event_id, at, kind, facts))
            _follow(record, kind, facts, at)
    for record, events in found.values():
        record.feed = TaskFeed(sorted(events, key=lambda event: event.id))
    return {task_id: record for task_id, (record, _) in found.items()}


def _follow(record: TaskRecord, kind: str, facts: Mapping[str, Any], at: str) -> None:
    if kind == "task_state" and facts.get("state") in get_args(TaskState):
        record.state, record.state_at = facts["state"], at
        asked = facts.get("question")
        record.asked = (
            Asked(str(asked.get("text")), str(asked.get("id")), dict(asked.get("facts") or {}))
            if isinstance(asked, Mapping)
            else None
        )
        hold = facts.get("hold")
        if hold is None and asked is None and record.state in LENDING_STATES:
            hold = record.state  # as logs of before told it
        record.hold = hold if hold in get_args(Hold) else None
        record.serial = str(facts.get("serial") or record.serial)
        if record.state != "done":
            record.ended = None  # resumed after its end
    elif kind == "task_step":
        record.steps.append(facts)
    elif kind == "task_ended":
        record.ended = facts


def untold_words(events: Sequence[TaskEvent], first: str, words: LoopWords) -> str:
    """What people said that no step has carried to the model yet.

    Args:
        events: All events of the task.
        first: Its first words, where it goes on in a session.
        words: What the model is told where a phone was given back without a word.
    """
    untold = [first]
    for event in events:
        text = str(event.data.get("text") or "")
        if event.kind == "answer":
            untold.append(text)
        elif event.kind == "give_back":
            untold.append(text or words.given_back)
        elif event.kind == "task_step":
            untold.clear()
    return "\n".join(filter(None, untold))


def lasting_grants(events: Sequence[TaskEvent]) -> frozenset[str]:
    """What a person's yes holds for until the task's end."""
    return frozenset(str(event.data.get("once_for")) for event in events if event.kind == "grant")


def is_outcome_open(events: Sequence[TaskEvent]) -> bool:
    """Whether the last action was begun, and nobody knows what became of it."""
    for event in reversed(events):
        if event.kind == "device_intent":
            return True
        if event.kind == "device_outcome":
            return event.data.get("status") == "unknown"
    return False

"""One session in memory: what its steps were, and the answers that they got."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.action import Action, Info
from parsers.base import Environment, Exchange, Parser
from parsers.registry import DialectChoice
from server.dialect_mismatch import MismatchWatch
from server.elements import Target
from server.errors import (
    IdempotencyConflictError,
)
from server.images import ResizeRequest, SentImage
from server.model.providers import ModelTarget
from server.payloads import SessionRequest, StepRequest
from server.policy.terms import Terms
from server.privacy.cover import Cover
from server.privacy.levels import PrivacyLevel
from server.records.logs import EventLog, SessionLog
from server.records.reader import (
    Damage,
)


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a session's steps are made with, chosen once."""

    parser: Parser
    target: ModelTarget
    resize: ResizeRequest
    terms: Terms
    privacy: PrivacyLevel = "off"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a step was answered with."""

    action: Action
    number: int
    policy: Mapping[str, Any]
    target: Target | None = None

    def to_wire(self) -> dict[str, Any]:
        wire = {
            "action": self.action.to_wire(),
            "current_step": self.number,
            "policy": dict(self.policy),
        }
        return wire | ({"element": self.target.to_wire()} if self.target is not None else {})


@dataclass(frozen=True, slots=True)
class KeyedStep:
    """Which step an idempotency key belongs to.

    Attributes:
        number: Its number.
        fingerprint: Of the observation that came with the key; empty in logs of before.
    """

    number: int
    fingerprint: str


@dataclass
class Session:
    """One task's run. Changed only by whoever has its turn."""

    id: str
    request: SessionRequest
    dialect: DialectChoice | None
    log: SessionLog
    events: EventLog
    environments: list[Environment] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    dialogue: list[Exchange] = field(default_factory=list)
    policies: list[Mapping[str, str]] = field(default_factory=list)
    targets: dict[int, Target] = field(default_factory=dict)
    picture_hashes: list[str] = field(default_factory=list)
    steps_by_key: dict[str, KeyedStep] = field(default_factory=dict)
    known_texts: set[str] = field(default_factory=set)
    sent_images: OrderedDict[str, SentImage] = field(default_factory=OrderedDict)
    stop_reason: str | None = None
    damage: Damage | None = None
    equipment: Equipment | None = None
    has_told_remote: bool = False
    private_texts: dict[str, str] = field(default_factory=dict, repr=False)
    cover: Cover | None = field(default=None, repr=False)
    watch: MismatchWatch = field(default_factory=MismatchWatch)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    running: asyncio.Task[Any] | None = None

    @property
    def next_number(self) -> int:
        return len(self.actions) + 1

    def exchange_of(self, user_comment: str) -> Exchange | None:
        """The user's words at this step, with the question that they answer, if any."""
        asked = self.actions[-1] if self.actions else None
        question = asked.value if isinstance(asked, Info) else ""
        words = user_comment.strip()
        return Exchange(question, words) if words or question else None

    def own_words(self, query: str) -> list[str]:
        """What the person said in this session: the task, replies, remarks, and this one."""
        return [self.request.task, *(exchange.answer for exchange in self.dialogue), query]

    def take_over(self, environment: Environment, picture_hash: str, answer: Answer) -> None:
        """Add an answered step."""
        exchange = self.exchange_of(environment.user_comment)
        if exchange is not None:
            self.dialogue.append(exchange)
        self.environments.append(environment)
        self.actions.append(answer.action)
        self.policies.append(answer.policy)
        if answer.target is not None:
            self.targets[answer.number] = answer.target
        self.picture_hashes.append(picture_hash)

    def answer_to(self, key: str | None, picture_hash: str, request: StepRequest) -> Answer | None:
        """The answer that this idempotency key already got.

        Raises:
            IdempotencyConflictError: The key came with another observation then.
        """
        keyed = self.steps_by_key.get(key) if key is not None else None
        if keyed is None:
            return None
        number, place = keyed.number, keyed.number - 1
        if keyed.fingerprint:
            is_same = keyed.fingerprint == request.fingerprint(picture_hash)
        else:
            seen = self.environments[place]
            is_same = (self.picture_hashes[place], seen.user_comment) == (
                picture_hash,
                request.query,
            )
        if not is_same:
            raise IdempotencyConflictError(
                "this idempotency key belongs to another step; use a new key for a new observation",
                step=number,
            )
        return Answer(self.actions[place], number, self.policies[place], self.targets.get(number))

"""Sessions in memory: found by id, rebuilt from their log, one step at a time each."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from parsers.action import Action, Info
from parsers.base import Environment, Exchange, Parser
from parsers.registry import DialectChoice
from server.dialect_mismatch import MismatchWatch
from server.elements import Target
from server.engine import Engine
from server.errors import (
    BadRequestError,
    IdempotencyConflictError,
    SessionBusyError,
    SessionClosedError,
    SessionDamagedError,
    SessionNotFoundError,
    StorageError,
)
from server.images import ResizeRequest, SentImage
from server.model.providers import ModelTarget
from server.payloads import SessionRequest
from server.records.logs import EventLog, SessionLog
from server.records.messages import (
    build_session_start,
    read_dialect,
    read_session_start,
    read_step,
    read_terms,
)
from server.records.reader import (
    Damage,
    is_step,
    read_events,
    read_log,
)
from server.records.schema import collect_texts
from server.records.storage_errors import storage_error
from server.records.store import KeepsRecords, check_session_id

CAN_GO_ON = frozenset(
    {
        "TASK_COMPLETED_SUCCESSFULLY",
        "INFO_ACTION_NEEDS_REPLY",
        "REPLY_TIMEOUT",
        "MAX_STEPS_REACHED",
        "DEADLINE_REACHED",
        "PARSE_FAILED",
        "MODEL_FAILED",
        "DEVICE_FAILED",
        "INTERRUPTED",
    }
)
"""Stop reasons after which a session takes further steps (a reply, a follow-up)."""


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a session's steps are made with, chosen once."""

    parser: Parser
    target: ModelTarget
    resize: ResizeRequest


@dataclass(frozen=True, slots=True)
class Answer:
    """What a step was answered with."""

    action: Action
    number: int
    policy: Mapping[str, str]
    target: Target | None = None

    def to_wire(self) -> dict[str, Any]:
        wire = {
            "action": self.action.to_wire(),
            "current_step": self.number,
            "policy": dict(self.policy),
        }
        return wire | ({"element": self.target.to_wire()} if self.target is not None else {})


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
    steps_by_key: dict[str, int] = field(default_factory=dict)
    known_texts: set[str] = field(default_factory=set)
    sent_images: OrderedDict[str, SentImage] = field(default_factory=OrderedDict)
    stop_reason: str | None = None
    damage: Damage | None = None
    equipment: Equipment | None = None
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

    def answer_to(self, key: str | None, picture_hash: str, query: str) -> Answer | None:
        """The answer that this idempotency key already got.

        Raises:
            IdempotencyConflictError: The key came with another picture or other words then.
        """
        number = self.steps_by_key.get(key) if key is not None else None
        if number is None:
            return None
        place = number - 1
        if (
            self.picture_hashes[place] != picture_hash
            or self.environments[place].user_comment != query
        ):
            raise IdempotencyConflictError(
                "this idempotency key belongs to another step; use a new key for a new observation",
                step=number,
            )
        return Answer(self.actions[place], number, self.policies[place], self.targets.get(number))


class SessionBook:
    """All sessions of one log folder."""

    def __init__(
        self, store: KeepsRecords, engine: Engine, *, busy_wait_s: float, max_in_memory: int
    ) -> None:
        self._store = store
        self._engine = engine
        self._busy_wait_s = busy_wait_s
        self._max_in_memory = max_in_memory
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Session]] = {}
        self._leaving: set[str] = set()

    async def create(self, request: SessionRequest, dialect: DialectChoice) -> Session:
        """Open a session; its first line is durable when this returns.

        Raises:
            StorageError: The log could not be written.
        """
        session_id = str(uuid.uuid4())
        session = Session(
            id=session_id,
            request=request,
            dialect=dialect,
            log=SessionLog(self._store.log(session_id), session_id),
            events=EventLog(self._store.events(session_id), session_id),
        )
        await self._engine.in_files(self._store.check_room)
        message = build_session_start(request, dialect)
        await self._engine.in_files(session.log.append, message)
        self._keep(session)
        return session

    async def find(self, session_id: object) -> Session:
        """The session of that id: from memory, or rebuilt from its log.

        Raises:
            BadRequestError: No id.
            SessionNotFoundError: No such session.
        """
        wanted = check_session_id(session_id)
        if wanted in self._leaving:
            raise _not_found()
        session = self._sessions.get(wanted)
        if session is not None:
            self._sessions.move_to_end(wanted)
            return session
        loading = self._loading.get(wanted)
        if loading is None:
            loading = asyncio.create_task(self._load(wanted))
            self._loading[wanted] = loading
            loading.add_done_callback(lambda _: self._loading.pop(wanted, None))
        return await asyncio.shield(loading)

    @asynccontextmanager
    async def turn(self, session_id: object) -> AsyncIterator[Session]:
        """The right to take a session's next step; a second caller waits a while.

        Raises:
            SessionNotFoundError: No such session.
            SessionBusyError: The first one did not end in time.
            SessionClosedError: It takes no more steps, or was closed meanwhile.
            SessionDamagedError: Its log is broken: it can be read, not continued.
        """
        session = await self._find_current(session_id)
        try:
            async with asyncio.timeout(self._busy_wait_s if session.turn.locked() else None):
                await session.turn.acquire()
        except TimeoutError as error:
            raise SessionBusyError(
                "another step of this session is still running; try again when it has ended"
            ) from error
        session.running = asyncio.current_task()
        try:
            if session.damage is not None and session.damage.kind == "broken":
                raise SessionDamagedError(
                    f"the log of this session is broken at line {session.damage.line}; it can be "
                    "read; open a new session to go on",
                    damage=session.damage.to_wire(),
                )
            await self._reopen(session)
            yield session
        except asyncio.CancelledError:
            if session.stop_reason is not None:
                raise _closed(session.stop_reason) from None
            raise
        finally:
            session.running = None
            session.turn.release()

    async def close(self, session_id: object, stop_reason: str) -> None:
        """End a session: a running step is cancelled, the reason is on record.

        A session that has ended keeps its first reason.

        Raises:
            SessionNotFoundError: No such session.
            StorageError: It could not be written.
        """
        session = await self.find(session_id)
        if session.stop_reason is not None:
            return
        session.stop_reason = stop_reason
        running = session.running
        if running is not None:
            running.cancel()
            await asyncio.wait({running}, timeout=5)
        await self._engine.in_files(
            session.events.append, "session_closed", {"stop_reason": stop_reason}, True
        )
        await self._engine.in_files(self._store.seal, session.id)

    @asynccontextmanager
    async def farewell(self, session_id: object) -> AsyncIterator[str]:
        """A session leaves for good: its running step is cancelled, nobody finds it any more.

        Raises:
            BadRequestError: No id.
            SessionNotFoundError: Not an id of ours, or it is leaving already.
        """
        leaving = check_session_id(session_id)
        if leaving in self._leaving:
            raise _not_found()
        self._leaving.add(leaving)
        try:
            loading = self._loading.get(leaving)
            if loading is not None:
                await asyncio.wait({loading})
            session = self._sessions.pop(leaving, None)
            if session is not None:
                session.stop_reason = "DELETED"
                if session.running is not None:
                    session.running.cancel()
                async with session.turn:
                    yield leaving
            else:
                yield leaving
        finally:
            self._leaving.discard(leaving)

    def busy_ids(self) -> frozenset[str]:
        """Sessions with a step that runs now."""
        return frozenset(one.id for one in self._sessions.values() if one.turn.locked())

    async def _find_current(self, session_id: object) -> Session:
        """Find it, and make sure that nobody else wrote to its log meanwhile."""
        session = await self.find(session_id)
        if session.turn.locked() or session.log.is_current():
            return session
        self._sessions.pop(session.id, None)
        return await self.find(session_id)

    async def _reopen(self, session: Session) -> None:
        if session.stop_reason is None:
            return
        if session.stop_reason not in CAN_GO_ON:
            raise _closed(session.stop_reason)
        await self._engine.in_files(
            session.events.append, "session_reopened", {"after": session.stop_reason}, True
        )
        session.stop_reason = None

    async def _load(self, session_id: str) -> Session:
        session = await self._engine.in_files(rebuild_session, self._store, session_id)
        self._keep(session)
        return session

    def _keep(self, session: Session) -> None:
        self._sessions[session.id] = session
        for old_id in list(self._sessions)[: len(self._sessions) - self._max_in_memory]:
            if not self._sessions[old_id].turn.locked():
                del self._sessions[old_id]


def rebuild_session(store: KeepsRecords, session_id: str) -> Session:
    """Read a session back from its log; mend what a crash left behind, and put that on record.

    A torn last line is cut off; a picture without its line is set aside. Blocking file work.

    Raises:
        SessionNotFoundError: There is no log, or not even its first line.
        StorageError: The log cannot be read or mended.
    """
    log_lines, event_lines = store.log(session_id), store.events(session_id)
    try:
        reading = read_log(log_lines)
        events = read_events(event_lines)
    except OSError as error:
        raise StorageError(
            "the session's log cannot be read; mend the folder's permissions, then try again"
        ) from error
    if not reading.lines or reading.lines[0].seq != 0:
        raise SessionNotFoundError("no such session; create one with get_session")
    try:
        if events.damage is not None and events.damage.kind == "torn_tail":
            event_lines.cut(events.good_bytes)
        if reading.damage is not None and reading.damage.kind == "torn_tail":
            log_lines.cut(reading.good_bytes)
    except OSError as error:
        raise storage_error("the torn end of a log could not be cut off", error) from error
    last_seq = max((event["seq"] for event in events.events), default=0)
    request = _read_request(reading.lines[0].message)
    session = Session(
        id=session_id,
        request=request,
        dialect=read_dialect(reading.lines[0].message),
        log=SessionLog(
            log_lines,
            session_id,
            next_seq=len(reading.lines),
            last_hash=reading.lines[-1].hash,
            size_bytes=reading.good_bytes,
        ),
        events=EventLog(event_lines, session_id, next_seq=last_seq + 1),
        damage=reading.damage,
        stop_reason=find_stop_reason(events.events),
    )
    texts: dict[str, str] = {}
    for line in reading.lines:
        collect_texts(line, texts)
        if not is_step(line.message):
            continue
        try:
            step = read_step(line.message)
        except ValueError:
            session.damage = session.damage or Damage("broken", line.seq + 1, 0, 0)
            continue
        answer = Answer(step.action, step.number, step.policy, step.target)
        session.take_over(step.environment, step.picture_sha256, answer)
        if step.idempotency_key is not None:
            session.steps_by_key[step.idempotency_key] = step.number
    session.known_texts = set(texts)
    _report_recovery(store, session, events.damage)
    return session


def _read_request(message: Mapping[str, Any]) -> SessionRequest:
    try:
        return read_terms(message, read_session_start(message))
    except BadRequestError as error:
        raise SessionDamagedError(
            f"the session's terms cannot be read, so it does not go on: {error.message}"
        ) from error


def find_stop_reason(events: tuple[Mapping[str, Any], ...]) -> str | None:
    """Why a session ended, by its last closing; None if it is open."""
    for event in reversed(events):
        if event.get("kind") == "session_reopened":
            return None
        if event.get("kind") == "session_closed":
            data = event.get("data")
            return str(data.get("stop_reason")) if isinstance(data, dict) else None
    return None


def _report_recovery(store: KeepsRecords, session: Session, events_damage: Damage | None) -> None:
    broken = session.damage is not None and session.damage.kind == "broken"
    # Of a broken log nobody can say which picture has lost its line: all stay.
    set_aside = [] if broken else store.clean_up_step(session.id, session.next_number)
    if session.damage is None and events_damage is None and not set_aside:
        return
    facts: dict[str, Any] = {"steps": len(session.actions)}
    if session.damage is not None:
        facts["log_damage"] = session.damage.to_wire()
    if events_damage is not None:
        facts["events_damage"] = events_damage.to_wire()
    if set_aside:
        facts["interrupted_step"] = session.next_number
        facts["images"] = set_aside
    session.events.append("session_recovered", facts, durable=True)


def _not_found() -> SessionNotFoundError:
    return SessionNotFoundError("no such session; create one with get_session")


def _closed(stop_reason: str) -> SessionClosedError:
    return SessionClosedError(
        f"this session has ended ({stop_reason}); open a new one", stop_reason=stop_reason
    )

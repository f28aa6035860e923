"""Sessions in memory: found by id, rebuilt from their log, one step at a time each."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parsers.registry import DialectChoice
from server.engine import Engine
from server.errors import (
    SessionBusyError,
    SessionClosedError,
    SessionDamagedError,
    SessionNotFoundError,
)
from server.payloads import SessionRequest
from server.records.logs import EventLog, SessionLog
from server.records.messages import (
    build_session_start,
)
from server.records.store import KeepsRecords, check_session_id
from server.recovery import rebuild_session
from server.session import Session

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
        if not session.turn.locked():
            self._sessions.pop(session.id, None)  # its log brings it back, should it go on

    async def reopen(self, session_id: object) -> None:
        """Let a session take steps again; errors as those of `turn`."""
        async with self.turn(session_id):
            pass

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


def _not_found() -> SessionNotFoundError:
    return SessionNotFoundError("no such session; create one with get_session")


def _closed(stop_reason: str) -> SessionClosedError:
    return SessionClosedError(
        f"this session has ended ({stop_reason}); open a new one", stop_reason=stop_reason
    )

"""THE WALK: a task becomes a session, an observation becomes an action. Read this first.

`get_session` opens a session; `automate_step` takes what is on the screen and answers with the
next action. The steps of the walk are numbered in `LocalServer._walk`.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from parsers.registry import DialectChoice
from server.asking import Asker, reply_context, write_prompt
from server.dialect_table import DialectTable
from server.engine import Engine
from server.errors import (
    BadRequestError,
    OverloadedError,
    ServerError,
    ShuttingDownError,
    StepNotFoundError,
)
from server.export.episode import Episode, open_episode
from server.images import plan_sent_size
from server.killpoints import reach
from server.log_lines import bind
from server.metrics import MeasuredModel, Metrics, StageClock
from server.model.client import AsksModel, ModelClient
from server.model.providers import ModelTarget, choose_model, read_key
from server.observing import Observer, name_picture
from server.payloads import Look, SessionRequest, StepRequest, read_approve
from server.pictures.memory import keep_large_buffers
from server.policy.rule_policy import Policy, RulePolicy
from server.privacy.cover import Cover
from server.privacy.egress import Egress
from server.privacy.levels import PrivacyLevel, is_local, stricter
from server.prompts import ParserShelf
from server.records.opening import open_store
from server.records.schema import HASH_CHARS
from server.records.storage_errors import storage_error
from server.records.store import KeepsRecords, check_event_kind
from server.session import Answer, Equipment, Session
from server.session_reading import SessionReader
from server.session_search import SessionFilter, SessionPage
from server.session_summaries import SessionRecord, SessionSummary, StorageUse
from server.sessions import SessionBook
from server.settings import Settings, settings_from_server_config
from server.upkeep import (
    DeletionReason,
    choose_outdated,
    delete_session,
    finish_deletions,
)
from server.usage import MeteredJournal, Usage, UsageMeter

logger = logging.getLogger(__name__)

LIMITS_INTERVAL_S = 3600.0
STORE_CHECK_INTERVAL_S = 30.0
OF_THE_PERSON = frozenset({"task_started", "answer", "give_back"})
"""Events that hold the person's own words: these stay as they are."""


class LocalServer:
    """Sessions, prompts in, actions out, logs.

    Plain methods may be called from any thread; the `a...` methods from any event loop. All of the
    work runs on one engine thread of this object.

    Args:
        server_config: `Settings`, or Step-GUI's mapping (`log_dir`, `image_dir`, `debug`).
        model_client: Who asks models; None: the one that speaks HTTP.
        policy: Who decides which actions need a person; None: `configs/policy.yaml`.

    Raises:
        ConfigError: The configuration is wrong; the message says where.
        StorageBusyError: Another process owns the log folder.
        StorageError: A folder cannot be made or written.
    """

    def __init__(
        self,
        server_config: Settings | Mapping[str, Any],
        *,
        model_client: AsksModel | None = None,
        policy: Policy | None = None,
        store: KeepsRecords | None = None,
    ) -> None:
        if not isinstance(server_config, Settings):
            server_config = settings_from_server_config(server_config)
        self.settings = server_config
        keep_large_buffers()
        self._shelf = ParserShelf(self.settings.config_dir)
        self._dialects = DialectTable(self.settings.config_dir)
        self._store = store or open_store(self.settings)
        finish_deletions(self._store)
        self._reader = SessionReader(self._store)
        self._engine = Engine(image_threads=max(2, os.cpu_count() or 2))
        self._book = SessionBook(
            self._store,
            self._engine,
            busy_wait_s=self.settings.session_busy_wait_s,
            max_in_memory=self.settings.max_sessions_in_memory,
        )
        self.metrics = Metrics()
        self._model = MeasuredModel(model_client or ModelClient(), self.metrics)
        self.policy = policy or RulePolicy.load(self.settings.config_dir)
        self._meter = UsageMeter()
        self._journal = MeteredJournal(
            self._meter, self._engine, self._store, debug=self.settings.debug
        )
        self._journal.listen(self.metrics.count_event)
        self._observer = Observer(self.settings, self._engine, self._store)
        self._egress = Egress(self._model, self._journal)
        self._asker = Asker(self._egress, self._journal, max_reasks=self.settings.max_reasks)
        self._running_steps = 0
        self._store_checked_until = 0.0
        self._closed = False
        if self.settings.keep_days is not None or self.settings.keep_bytes is not None:
            self._engine.submit(self._keep_to_limits())

    # --- open a session -------------------------------------------------------------------

    def get_session(self, payload: Mapping[str, Any]) -> str:
        """Open a session.

        Args:
            payload: `task`; optional `task_type`, `model_config`, `extra_info`, `policy`,
                `privacy`; `approve` is checked here and held to by whoever runs the loop.

        Returns:
            Its id, a UUID4.

        Raises:
            BadRequestError: The payload is wrong.
            ModelConfigError: Unknown provider or model.
            parsers.errors.UnknownDialectError: Unknown task_type.
            StorageError: The log could not be written.
        """
        return self._engine.run(self._open(payload))

    async def aget_session(self, payload: Mapping[str, Any]) -> str:
        """`get_session` for callers on an event loop."""
        return await asyncio.wrap_future(self._engine.submit(self._open(payload)))

    async def _open(self, payload: Mapping[str, Any]) -> str:
        request = SessionRequest.read(payload)
        self.check_approved(read_approve(payload))
        dialect = self._choose_dialect(request)
        equipment = self._equip(request, dialect)
        dialect = replace(dialect, variant=equipment.parser.variant)
        session = await self._book.create(request, dialect)
        session.equipment = equipment
        return session.id

    def _equipment_of(self, session: Session) -> Equipment:
        """A session's equipment; chosen anew after a restart."""
        if session.equipment is None:
            dialect = session.dialect or self._choose_dialect(session.request)
            session.equipment = self._equip(session.request, dialect)
        return session.equipment

    def _choose_model(self, request: SessionRequest) -> ModelTarget:
        return choose_model(self.settings, request.model_provider, request.model_name, request.args)

    def _choose_dialect(self, request: SessionRequest) -> DialectChoice:
        """By name, or by the model's; once per session: its log keeps the choice."""
        target = self._choose_model(request)
        return self._dialects.choose(
            request.task_type or target.defaults.task_type,
            target.model,
            variant=request.model_config.get("variant") or target.defaults.variant,
            default=self.settings.default_task_type,
        )

    def _equip(self, request: SessionRequest, dialect: DialectChoice) -> Equipment:
        """Choose parser, model and picture size of a session."""
        target = self._choose_model(request)
        read_key(target)  # A missing key is told now, not after the first screenshot.
        parser = self._shelf.get(
            dialect.dialect,
            variant=dialect.variant,
            language=request.model_config.get("prompt_language") or target.defaults.prompt_language,
            prompt_file=target.defaults.prompt_file,
        )
        resize = request.read_resize(
            default_max_side_px=target.defaults.max_side_px,
            max_pixels=self.settings.max_image_pixels,
        )
        terms = self.policy.terms_for(request.task, request.policy)
        return Equipment(parser, target, resize, terms, self._privacy_of(request, target))

    def _privacy_of(self, request: SessionRequest, target: ModelTarget) -> PrivacyLevel:
        """The strictest of what the operator and the caller ask for, towards this model."""
        settings = self.settings
        remote = None if is_local(target.config.api_base) else settings.remote_privacy
        return stricter(settings.privacy, remote, request.privacy)

    # --- take a step ----------------------------------------------------------------------

    def automate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Decide the next action from what is on the screen.

        Args:
            payload: `session_id`, `observation` {`screenshot`, `query`?, `ui_tree`?,
                `foreground`?, `last_result`?}, `idempotency_key`?. Callers in this process may
                give the screenshot as a local path, or as `{"type": "image_bytes", "data"}`.

        Returns:
            `{"action", "current_step", "policy": {"level", "class", "reason"}}`. It is in the log,
            durably, before this returns.

        Raises:
            ServerError: The step was not taken: it has no number, and may be tried again.
            parsers.errors.ParserError: The prompt could not be built.
        """
        return self._engine.run(self._step(payload, allow_path=True))

    async def aautomate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """`automate_step` for callers on an event loop, such as the HTTP routes.

        They may name local paths only where the operator allows it.
        """
        allow_path = self.settings.allow_image_file
        future = self._engine.submit(self._step(payload, allow_path=allow_path))
        return await asyncio.wrap_future(future)

    async def _step(self, payload: Mapping[str, Any], *, allow_path: bool) -> dict[str, Any]:
        request = StepRequest.read(payload)
        if self._running_steps >= self.settings.max_running_steps:
            raise OverloadedError(
                f"{self._running_steps} steps are running already; try again in a moment"
            )
        with self.metrics.measure_step() as clock:
            return await self._take_turn(request, allow_path, clock)

    async def _take_turn(
        self, request: StepRequest, allow_path: bool, clock: StageClock
    ) -> dict[str, Any]:
        self._running_steps += 1
        try:
            reach("K0")
            async with self._book.turn(request.session_id) as session:
                reach("K1")
                clock.passed("session")
                with bind(session=session.id, step=session.next_number):
                    answer = await self._walk(session, request, allow_path, clock)
                return answer.to_wire()
        except asyncio.CancelledError:
            if self._closed:
                raise ShuttingDownError("the server is closing; send the step again") from None
            raise
        finally:
            self._running_steps -= 1

    async def _walk(
        self, session: Session, request: StepRequest, allow_path: bool, clock: StageClock
    ) -> Answer:
        # 1 session: found, and ours until the step has ended (`SessionBook.turn`).
        # 2 image: checked once; a repeated request gets its first answer.
        screenshot = await self._observer.take_screenshot(request, allow_path=allow_path)
        clock.passed("image")
        number = session.next_number
        picture_hash = screenshot.sha256[:HASH_CHARS]
        answered = session.answer_to(request.idempotency_key, picture_hash, request)
        if answered is not None:
            return answered
        try:
            equipment = self._equipment_of(session)
            parser = equipment.parser
            # What is kept and sent from here on is the view: privacy has taken its part out.
            view = await self._observer.view(session, request, screenshot, equipment)
            picture = name_picture(number, view, screenshot)
            environment, numbered = await self._observer.read_environment(
                session, view, picture, equipment
            )
            # 3 plan: the size that will be sent, known before the prompt is written.
            sent_size = plan_sent_size(
                screenshot.size, parser.space, parser.images, equipment.resize
            )
            # 4 prompt: written, and its pictures encoded, once, while the screenshot is stored.
            async with self._observer.storing(session, picture, view):
                prompt = write_prompt(session, environment, parser, sent_size)
                clock.passed("prompt")
                pictures = await self._observer.encode(
                    session, picture, view, sent_size, equipment, environment, prompt
                )
            clock.passed("encode")
            # 5 model, 6 parse: an action, or told why not and asked again.
            read = await self._asker.ask_until_readable(
                session,
                equipment,
                prompt,
                pictures,
                reply_context(environment, sent_size),
                view.cover,
            )
            clock.passed("model")
            # 7 policy: may it run without a person? It decides on what is really there.
            target = numbered.target_of(read.action) if numbered is not None else None
            needs_look = self.policy.needs_look(read.action, request.foreground)
            facts = await self._observer.read_facts(request, screenshot, target, needs_look)
            decision = self.policy.decide(read.action, facts, equipment.terms)
            clock.passed("policy")
            # 8 log: durable; then, and only then, the answer.
            real_target = await self._observer.unmask(target, request, view)
            answer = Answer(read.action, number, decision.to_wire(), real_target)
            await self._journal.write_step(
                session, environment, picture, answer, read, sent_size, request, target, view.cover
            )
            clock.passed("log")
        except BaseException as error:
            if session.next_number == number:
                await self._journal.note_failure(session, request, error)
            raise
        return answer

    def wants_ui_tree(self, package: str | None) -> bool:
        """Whether touches in this app are judged by the words on the screen.

        Whoever drives the phone then sends `observation.ui_tree`, or asks again by `judge_step`
        where the answer's policy says `needs_look`; without it every touch there needs a yes.
        """
        return self.policy.wants_tree(package)

    def judge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Judge an answered step's action anew, on what the screen shows right now.

        A screen is read (slow) only where the action may be risky: the answer of the step then
        says `needs_look`. What is judged is the action on record, never one that is sent.

        Args:
            session_id: The session.
            step: The step's number.
            observation: `ui_tree` (empty: the screen gives none), `foreground`, `is_black`.

        Returns:
            The policy's answer, as in `automate_step`; it is on record before this returns.

        Raises:
            BadRequestError: `observation` is wrong.
            SessionNotFoundError: No such session.
            StepNotFoundError: No such step.
            StorageError: It could not be written.
        """
        return self._engine.run(self._judge(session_id, step, observation))

    async def ajudge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        """`judge_step` for callers on an event loop."""
        future = self._engine.submit(self._judge(session_id, step, observation))
        return await asyncio.wrap_future(future)

    async def _judge(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        look = Look.read(observation)
        session = await self._book.find(session_id)
        if not 1 <= step <= len(session.actions):
            raise StepNotFoundError(f"this session has no step {step}; read its steps")
        size = session.environments[step - 1].size
        facts = await self._observer.read_look(look, size, session.targets.get(step))
        equipment = self._equipment_of(session)
        wire = self.policy.decide(session.actions[step - 1], facts, equipment.terms).to_wire()
        cover = self._observer.cover_of(session, equipment)
        await self._note_masked(session, cover, "policy_decision", {"step": step, **wire})
        return wire

    # --- what happened --------------------------------------------------------------------

    def record_event(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Put an event of a session on record; durable when this returns.

        Args:
            session_id: The session.
            kind: What happened, in snake_case (`device_intent`, `question`, ...).
            data: JSON-able facts.

        Raises:
            BadRequestError: `kind` is not of that form.
            SessionNotFoundError: No such session.
            StorageError: It could not be written.
        """
        check_event_kind(kind)
        self._engine.run(self._record(session_id, kind, data))

    async def _record(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None:
        session = await self._book.find(session_id)
        if kind in OF_THE_PERSON:
            await self._journal.note(session, kind, data, durable=True)
        else:
            await self._note_masked(session, session.cover, kind, data)

    async def _note_masked(
        self, session: Session, cover: Cover | None, kind: str, data: Mapping[str, Any]
    ) -> None:
        """Put on record what may repeat words of the screen."""
        kept = data if cover is None else await self._engine.in_images(cover.mask_record, data)
        await self._journal.note(session, kind, kept, durable=True)

    def close_session(self, session_id: str, stop_reason: str) -> None:
        """End a session; a step that is still running is cancelled.

        Raises:
            SessionNotFoundError: No such session.
            StorageError: It could not be written.
        """
        if not isinstance(stop_reason, str) or not 1 <= len(stop_reason) <= 100:
            raise BadRequestError("stop_reason must be a short text", field="stop_reason")
        self._engine.run(self._book.close(session_id, stop_reason))

    def check_approved(self, names: Iterable[str]) -> None:
        """Refuse classes of risk that a task approves and that are none.

        Raises:
            BadRequestError: The message names the classes.
        """
        self.policy.check_approved(names)

    def reopen_session(self, session_id: str) -> None:
        """Let an ended session take steps again, before the first of them comes.

        Raises:
            SessionNotFoundError: No such session.
            SessionClosedError: It ended for good.
        """
        self._engine.run(self._book.reopen(session_id))

    def delete_session(self, session_id: str) -> None:
        """Delete a session for good: its log, events and pictures. A running step is cancelled.

        Raises:
            SessionNotFoundError: No such session.
            StorageError: It could not be deleted whole; the next start finishes it.
        """
        self._engine.run(self._delete(session_id, "asked"))

    async def _delete(self, session_id: str, reason: DeletionReason) -> None:
        async with self._book.farewell(session_id) as leaving:
            await self._engine.in_files(delete_session, self._store, leaving, reason)

    async def _keep_to_limits(self) -> None:
        """Delete what is older, or more, than the settings keep; look again now and then."""

        def choose() -> list[tuple[str, DeletionReason]]:
            return choose_outdated(
                self._store,
                keep_days=self.settings.keep_days,
                keep_bytes=self.settings.keep_bytes,
                busy=self._book.busy_ids(),
            )

        while True:
            try:
                for session_id, reason in await self._engine.in_files(choose):
                    await self._delete(session_id, reason)
            except ServerError as error:
                logger.warning("old sessions could not be deleted: %s", error.message)
            await asyncio.sleep(LIMITS_INTERVAL_S)

    def list_sessions(self, limit: int = 50, offset: int = 0) -> list[SessionSummary]:
        """Sessions, the one written last first."""
        return self._reader.list_sessions(limit, offset)

    def find_sessions(self, wanted: SessionFilter, limit: int = 50, offset: int = 0) -> SessionPage:
        """Sessions that are looked for, the one written last first, and how many there are."""
        return self._reader.find_sessions(wanted, limit, offset)

    def read_trace(self, session_id: str) -> dict[str, Any]:
        """A whole session as one JSON document; see `SessionReader.read_trace`.

        Raises:
            SessionNotFoundError: No such session.
        """
        return self._reader.read_trace(session_id)

    def read_picture(self, session_id: str, name: str) -> tuple[bytes, str]:
        """A stored picture by its name (`step_0003_failed_….png`), and its media type.

        Raises:
            SessionNotFoundError: No such session.
            StepNotFoundError: It has no such picture.
        """
        return self._reader.read_picture(session_id, name)

    def read_thumbnail(self, session_id: str, step: int) -> bytes:
        """The screenshot of a step as a small WebP.

        Raises:
            SessionNotFoundError: No such session.
            StepNotFoundError: No such step, or its picture is gone.
        """
        return self._reader.read_thumbnail(session_id, step)

    def measure(self) -> StorageUse:
        """What all sessions together take."""
        return self._reader.measure()

    def check_store(self) -> None:
        """Find out whether the place of the records answers; asks it every half minute at most.

        Raises:
            StorageError: It does not.
        """
        if time.monotonic() < self._store_checked_until:
            return
        try:
            self._store.deletions().exists()
        except OSError as error:
            raise storage_error("the place of the records does not answer", error) from error
        self._store_checked_until = time.monotonic() + STORE_CHECK_INTERVAL_S

    def read_session(self, session_id: str) -> SessionRecord:
        """One session: task, model, steps, stop reason, damage of its log.

        Raises:
            SessionNotFoundError: No such session.
        """
        return self._reader.read_session(session_id)

    def read_steps(self, session_id: str, start: int = 1, limit: int = 50) -> list[dict[str, Any]]:
        """Answered steps from number `start` on, as they stand in the log, texts filled in.

        Raises:
            SessionNotFoundError: No such session.
        """
        return self._reader.read_steps(session_id, start, limit)

    def read_image(self, session_id: str, step: int) -> tuple[bytes, str]:
        """The screenshot of a step as it came, and its media type.

        Raises:
            SessionNotFoundError: No such session.
            StepNotFoundError: No such step, or its picture is gone.
        """
        return self._reader.read_image(session_id, step)

    def read_episode(self, session_id: str) -> Episode:
        """A session as exporters read it, step by step.

        Raises:
            SessionNotFoundError: No such session.
        """
        return open_episode(self._store, session_id)

    def read_events(self, session_id: str, after_seq: int = 0) -> list[dict[str, Any]]:
        """The events of a session after the one of that number.

        Raises:
            SessionNotFoundError: No such session.
        """
        return self._reader.read_events(session_id, after_seq)

    def read_usage(self, session_id: str) -> Usage:
        """What a session's replies used since this process began with it; costs no file work."""
        return self._meter.read(session_id)

    # --- the end --------------------------------------------------------------------------

    def close(self) -> None:
        """Cancel what still runs, end the engine and free the log folder."""
        if self._closed:
            return
        self._closed = True
        self._engine.close(last=self._model.close)
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

"""What is written down about a step: its line in the log, and the events around it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.action import Action, Rejection, Size
from parsers.base import Environment, Message
from parsers.errors import ParserError
from server.elements import Target
from server.engine import Engine
from server.errors import ModelError, ServerError, StorageFullError
from server.model.reply import ModelReply
from server.payloads import StepRequest
from server.privacy.cover import Cover
from server.records.messages import Picture, build_step
from server.records.schema import fold_texts
from server.records.store import KeepsRecords
from server.session import Answer, KeyedStep, Session

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The model's last word in a step.

    Attributes:
        action: What was read from the reply.
        reply: The reply.
        asked: The prompt that it answers, pictures by name.
        reasks: How often it had to be asked again.
    """

    action: Action
    reply: ModelReply
    asked: list[Message]
    reasks: int


class Journal:
    """Writes the log and the events of sessions, in the engine's file pool.

    Args:
        debug: Whether full prompts are put on record too (without pictures).
    """

    def __init__(self, engine: Engine, store: KeepsRecords, *, debug: bool) -> None:
        self._engine = engine
        self._store = store
        self._debug = debug
        self._listener: Callable[[str, Mapping[str, Any]], None] = lambda kind, data: None

    def listen(self, listener: Callable[[str, Mapping[str, Any]], None]) -> None:
        """Call this with every event that is put on record (to measure it)."""
        self._listener = listener

    async def write_step(
        self,
        session: Session,
        environment: Environment,
        picture: Picture,
        answer: Answer,
        read: ReadReply,
        sent_size: Size,
        request: StepRequest,
        target: Target | None,
        cover: Cover | None,
    ) -> None:
        """Write the step's line; durable, and part of the session, when this returns.

        `target` is the answer's as it may be kept: with a masked label, where privacy asks for it;
        `cover` takes private words out of what the policy said.

        Raises:
            StorageError: It could not be written; the session is as it was before.
        """

        key = request.idempotency_key

        def write() -> None:
            # In one go in a worker thread: file and memory do not part when the step is cancelled.
            folded, new_texts = fold_texts(read.asked, session.known_texts)
            session.log.append(
                build_step(
                    number=answer.number,
                    environment=environment,
                    picture=picture,
                    action=answer.action,
                    asked=folded,
                    texts=new_texts,
                    reply=read.reply,
                    reasks=read.reasks,
                    request=session.request,
                    sent_size=sent_size,
                    policy=answer.policy if cover is None else cover.mask_record(answer.policy),
                    idempotency_key=key,
                    fingerprint=request.fingerprint(picture.origin) if key is not None else None,
                    target=target,
                )
            )
            session.known_texts.update(new_texts)
            session.take_over(environment, picture.origin, answer)
            if key is not None:
                fingerprint = request.fingerprint(picture.origin)
                session.steps_by_key[key] = KeyedStep(answer.number, fingerprint)

        await self._engine.in_files(write)

    async def note_prompt(self, session: Session, asked: Sequence[Message]) -> None:
        if self._debug:
            await self.note(session, "prompt", {"step": session.next_number, "messages": asked})

    async def note_reply(self, session: Session, reply: ModelReply, reask: int) -> None:
        """Keep the raw reply at once: whatever becomes of it, it was paid for."""
        optional = {
            "content": reply.content,
            "reasoning": reply.reasoning,
            "tool_calls": reply.tool_calls,
            "finish_reason": reply.finish_reason,
            "usage": reply.usage,
            "request_id": reply.request_id,
            "model": reply.model,
        }
        facts: dict[str, Any] = {
            "step": session.next_number,
            "reask": reask,
            **{name: value for name, value in optional.items() if value},
            "attempts": [attempt.to_wire() for attempt in reply.attempts],
        }
        await self.note(session, "reply", facts)

    async def note_rejection(self, session: Session, rejection: Rejection, reask: int) -> None:
        facts = {
            "step": session.next_number,
            "reask": reask,
            "code": rejection.code,
            "message": rejection.message,
            "span": rejection.span,
        }
        await self.note(session, "rejection", facts)

    async def note_failure(
        self, session: Session, request: StepRequest, error: BaseException
    ) -> None:
        """Put a step that was not taken on record, with its picture; its number stays free."""
        facts: dict[str, Any] = {
            "step": session.next_number,
            "error": _describe(error),
            "query": request.query,
        }
        if isinstance(error, ModelError) and error.attempts:
            facts["attempts"] = error.attempts

        def write() -> None:
            facts["images"] = self._store.set_aside(session.id, session.next_number)
            try:
                session.events.append("step_failed", facts, True)
            except StorageFullError:
                if not self._store.give_up_reserve():
                    raise
                session.events.append("step_failed", facts, True)

        try:
            await self._engine.in_files(write)
        except ServerError as second:
            # The first error is the one that the caller must hear of.
            logger.error("a failed step could not be put on record: %s", second.message)

    async def note(
        self, session: Session, kind: str, data: Mapping[str, Any], *, durable: bool = False
    ) -> None:
        """Put an event on record.

        Raises:
            StorageError: It could not be written.
        """
        self._listener(kind, data)
        await self._engine.in_files(session.events.append, kind, data, durable)


def _describe(error: BaseException) -> dict[str, Any]:
    if isinstance(error, ServerError | ParserError):
        return {"code": error.code, "message": error.message, "details": error.details}
    if isinstance(error, asyncio.CancelledError):
        return {"code": "step.cancelled", "message": "the step was cancelled"}
    return {"code": "server.error", "message": type(error).__name__}

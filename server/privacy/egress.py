"""The gate in front of the model: what leaves is on record before it leaves."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from typing import Any

from parsers.base import Message
from server.journal import Journal
from server.model.client import AsksModel, Outgoing, Witness
from server.model.providers import ModelTarget
from server.model.reply import ModelReply
from server.privacy.cover import Cover
from server.privacy.levels import FIRST_SEND, SENT, PrivacyLevel, is_local
from server.session import Session

logger = logging.getLogger(__name__)


def describe_send(sent: Outgoing, target: ModelTarget, level: PrivacyLevel) -> dict[str, Any]:
    """What the record says of one body: enough to recognise it, nothing of what is in it."""
    return {
        "level": level,
        "provider": target.provider,
        "model": target.model,
        "host": sent.host,
        "path": sent.path,
        "remote": not is_local(target.config.api_base),
        "bytes": len(sent.body),
        "sha256": hashlib.sha256(sent.body).hexdigest(),
        "masked": {},
        "regions": [],
    }


class Egress:
    """Every question of a session to a model passes here.

    With privacy `off` and a model on this machine nothing leaves it: nothing is recorded.

    Args:
        model: Who speaks to providers.
        journal: Where sends are put on record.
    """

    def __init__(self, model: AsksModel, journal: Journal) -> None:
        self._model = model
        self._journal = journal

    async def ask(
        self,
        session: Session,
        target: ModelTarget,
        messages: Sequence[Message],
        cover: Cover | None,
        *,
        level: PrivacyLevel,
    ) -> ModelReply:
        """Ask, with a line in the session's events for each body that is sent, retries too.

        Args:
            session: Whose question it is.
            target: Who is asked.
            messages: What is sent; masked already.
            cover: What was masked in it.
            level: The session's level towards this model.

        Raises:
            ModelError: No usable answer.
            StorageError: The record could not be written: nothing was sent.
        """
        is_remote = not is_local(target.config.api_base)
        if level == "off" and not is_remote:
            return await self._model.ask(target, messages)
        return await self._model.ask(
            target, messages, self._witness(session, target, cover, level, is_remote)
        )

    def _witness(
        self,
        session: Session,
        target: ModelTarget,
        cover: Cover | None,
        level: PrivacyLevel,
        is_remote: bool,
    ) -> Witness:
        async def note(sent: Outgoing) -> None:
            if is_remote and not session.has_told_remote:
                session.has_told_remote = True
                facts = {"provider": target.provider, "host": sent.host, "level": level}
                await self._journal.note(session, FIRST_SEND, facts, durable=True)
                logger.warning(
                    "session %s: pictures of the screen go to %s (privacy %s)",
                    session.id, sent.host, level,
                )  # fmt: skip
            sent_facts = {
                "step": session.next_number,
                **describe_send(sent, target, level),
                **(cover.to_wire() if cover is not None else {}),
            }
            await self._journal.note(session, SENT, sent_facts, durable=True)

        return note

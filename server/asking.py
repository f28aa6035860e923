"""Write the prompt, ask the model, read its reply; tell it what was wrong and ask again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from parsers.action import Action, Rejection, Size
from parsers.base import Environment, Message, Parser, ReplyContext
from parsers.dialect import scrub
from parsers.errors import ParserError
from server.dialect_mismatch import MismatchWatch
from server.errors import ParserCrashedError, ReplyUnreadableError
from server.journal import Journal, ReadReply
from server.killpoints import reach
from server.model.reply import ModelReply, require_whole
from server.privacy.cover import Cover
from server.privacy.egress import Egress
from server.session import Equipment, Session

logger = logging.getLogger(__name__)


class Asker:
    """Asks a session's model until there is an action.

    Args:
        egress: The gate to the models.
        journal: Where each reply and rejection is put on record at once.
        max_reasks: How often the model is asked again when its reply cannot be read.
    """

    def __init__(self, egress: Egress, journal: Journal, *, max_reasks: int) -> None:
        self._egress = egress
        self._journal = journal
        self._max_reasks = max_reasks

    async def ask_until_readable(
        self,
        session: Session,
        equipment: Equipment,
        prompt: list[Message],
        pictures: Mapping[str, str],
        context: ReplyContext,
        cover: Cover | None,
    ) -> ReadReply:
        """Ask; while the reply is no action, tell the model why and ask again, a few times.

        Args:
            session: Whose step it is.
            equipment: Its parser and model.
            prompt: The messages, pictures by name.
            pictures: The data URL of each name.
            context: What decoding the reply needs.
            cover: What privacy took out of the observation; the prompt loses it here.

        Raises:
            ModelError: No whole reply.
            ReplyUnreadableError: No readable reply; the last rejection is in its details.
            ParserCrashedError: The parser raised.
        """
        asked = prompt if cover is None else cover.mask_messages(prompt)
        rejection: Rejection | None = None
        await self._journal.note_prompt(session, asked)
        for reask in range(self._max_reasks + 1):
            reach("K6")
            sent = put_pictures_in(asked, pictures)
            reply = await self._egress.ask(
                session, equipment.target, sent, cover, level=equipment.privacy
            )
            reach("K7")
            await self._journal.note_reply(session, reply, reask)
            require_whole(reply)
            read = _read_reply(equipment.parser, reply, context)
            reach("K8")
            if not isinstance(read, Rejection):
                session.watch.clear()
                return ReadReply(read, reply, asked, reask)
            rejection = read
            await self._journal.note_rejection(session, rejection, reask)
            await self._watch_dialect(session, equipment.parser, rejection, reply)
            asked = [*asked, *_tell(equipment.parser, reply, rejection)]
        assert rejection is not None, "the model is asked at least once"
        raise _unreadable(rejection, equipment.parser, session.watch, self._max_reasks + 1)

    async def _watch_dialect(
        self,
        session: Session,
        parser: Parser,
        rejection: Rejection,
        reply: ModelReply,
    ) -> None:
        """Say, once per row of rejections alike, which dialect the replies look like."""
        watch = session.watch
        if not watch.note(rejection, reply.to_parser()):
            return
        watch.looks_like = await asyncio.to_thread(watch.find_dialects, parser.name)
        facts = {
            "step": session.next_number,
            "dialect": parser.name,
            "variant": parser.variant,
            "code": rejection.code,
            "in_a_row": watch.count,
            "looks_like": watch.looks_like,
        }
        await self._journal.note(session, "dialect_mismatch", facts)


def write_prompt(
    session: Session, environment: Environment, parser: Parser, sent_size: Size
) -> list[Message]:
    """The messages of the next step, pictures by name.

    Raises:
        ParserError: The dialect needs something that the observation lacks.
        ParserCrashedError: The parser raised.
    """
    exchange = session.exchange_of(environment.user_comment)
    # Added for the call alone: copying the lists would cost more in long sessions.
    session.environments.append(environment)
    try:
        return parser.env2messages4ask(
            session.request.task,
            session.environments,
            session.actions,
            hints=session.request.hints,
            dialogue=session.dialogue if exchange is None else [*session.dialogue, exchange],
            sent_size=sent_size,
        )
    except ParserError:
        raise
    except Exception as error:
        raise _crashed(parser, error) from error
    finally:
        session.environments.pop()


def put_pictures_in(messages: Sequence[Message], pictures: Mapping[str, str]) -> list[Message]:
    """The messages as they are sent: each picture's name replaced by its data URL."""

    def fill(part: Any) -> Any:
        if not isinstance(part, dict) or part.get("type") != "image_url":
            return part
        return {**part, "image_url": {"url": pictures[part["image_url"]["url"]]}}

    return [
        {**message, "content": [fill(part) for part in message["content"]]}
        if isinstance(message.get("content"), list)
        else message
        for message in messages
    ]


def reply_context(environment: Environment, sent_size: Size) -> ReplyContext:
    """What decoding a reply to this observation needs."""
    elements = environment.elements
    return ReplyContext(
        sent_size=sent_size,
        screen_size=environment.size,
        element_count=len(elements) if elements is not None else None,
        elements=elements,
        marker=environment.marker,
    )


def _read_reply(parser: Parser, reply: ModelReply, context: ReplyContext) -> Action | Rejection:
    try:
        return parser.str2action(reply.to_parser(), context)
    except Exception as error:
        raise _crashed(parser, error) from error


def _unreadable(
    rejection: Rejection, parser: Parser, watch: MismatchWatch, asked: int
) -> ReplyUnreadableError:
    remedy = "look at the raw reply in the session's events, and check that task_type fits"
    if watch.looks_like:
        remedy = (
            f"{watch.count} replies in a row are no {parser.name}: they look like "
            f"{' or '.join(watch.looks_like)}; open a session with that task_type"
        )
    return ReplyUnreadableError(
        f"the model's reply could not be read ({rejection.message}); {remedy}",
        rejection=rejection.code,
        span=rejection.span,
        asked=asked,
        looks_like=list(watch.looks_like),
    )


def _tell(parser: Parser, reply: ModelReply, rejection: Rejection) -> list[Message]:
    said = scrub(reply.content or reply.reasoning) or "…"
    return [
        {"role": "assistant", "content": said},
        {"role": "user", "content": parser.rejection_message(rejection)},
    ]


def _crashed(parser: Parser, error: Exception) -> ParserCrashedError:
    logger.error("the parser %s raised", parser.name, exc_info=error)
    return ParserCrashedError(
        f"the parser {parser.name} failed ({type(error).__name__}); this is a bug in it: report it",
        dialect=parser.name,
    )

"""Put a session's prompts to another model, or in another dialect, and score how far they agree.

Each step is asked on its own, with the recorded past before it: an early disagreement changes no
later prompt. The same dialect gets the recorded prompts word for word; another one gets prompts
written anew from the recorded observations and actions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.action import Action, Element, Point, Rejection, Size
from parsers.base import Environment, Message, Parser, ReplyContext
from parsers.errors import ParserError
from server.asking import put_pictures_in
from server.elements import NumberedElements
from server.errors import ImageError, ModelError
from server.export.episode import Episode, EpisodeStep, NotExportableError
from server.export.rebuilding import action_as_written, elements_of, sent_size_for
from server.images import (
    MEDIA_TYPES,
    check_screenshot,
    encode_for_model,
    sniff_format,
    to_data_url,
)
from server.model.client import AsksModel
from server.model.providers import ModelTarget
from server.pictures.marks import encode_with_marks
from server.records.messages import name_pictures
from server.replay.agreement import Agreement, compare_actions, find_target
from server.replay.frames import frame_of
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class AskedStep:
    """One step, asked again.

    Attributes:
        step: Its number.
        recorded: The action that was done, on the wire.
        proposed: What the model proposes now, on the wire; None where it proposed nothing.
        agreement: The score; a refusal or a failure agrees in nothing.
        problem: `{code, message}` where there is no proposal.
        skipped: Why the step could not be asked; it then counts in no score.
        raw: The new reply.
    """

    step: int
    recorded: dict[str, Any]
    proposed: dict[str, Any] | None = None
    agreement: Agreement | None = None
    problem: dict[str, str] | None = None
    skipped: str = ""
    raw: str = ""

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"step": self.step, "recorded": self.recorded}
        if self.skipped:
            return {**wire, "skipped": self.skipped}
        score = self.agreement or Agreement(kind=False)
        wire |= {
            "proposed": self.proposed,
            "agree": score.whole,
            "kind": score.kind,
            "place": score.place,
            "text": score.text,
            "raw": self.raw,
        }
        return wire if self.problem is None else {**wire, "problem": self.problem}


@dataclass(frozen=True, slots=True)
class _Question:
    messages: Sequence[Message]
    pictures: Mapping[str, str]
    frame: ReplyContext
    numbered: NumberedElements | None


class _Unaskable(Exception):
    """This step cannot be asked; the text says why."""


async def ask_session(
    episode: Episode,
    model: AsksModel,
    target: ModelTarget,
    parser: Parser,
    settings: Settings,
) -> AsyncIterator[AskedStep]:
    """Ask a model for every step of a session.

    Args:
        episode: The session.
        model: Who speaks to providers.
        target: Which model.
        parser: The dialect that it speaks, with its prompt.
        settings: Limits of pictures.

    Raises:
        NotExportableError: A line is not a step that this release understands.
    """
    is_same = (parser.name, parser.variant) == (episode.dialect, episode.variant)
    history = _History(episode, parser)
    for step in episode.iter_steps():
        recorded = step.action.to_wire(include_meta=False)
        numbered = history.see(step)
        try:
            question = (
                _as_recorded(step, parser, history, numbered, settings)
                if is_same
                else _written_anew(step, parser, history, numbered, settings)
            )
        except (_Unaskable, NotExportableError, ImageError, ParserError) as reason:
            yield AskedStep(step.number, recorded, skipped=str(reason))
        else:
            yield await _ask(step, recorded, question, model, target, parser)
        history.note(step, numbered)


class _History:
    """The recorded past, as this dialect's prompts need it."""

    def __init__(self, episode: Episode, parser: Parser) -> None:
        self.task = episode.task
        self.environments: list[Environment] = []
        self.actions: list[Action] = []
        self.before: Action | None = None
        self.files: dict[str, EpisodeStep] = {}
        self._parser = parser

    def see(self, step: EpisodeStep) -> NumberedElements | None:
        """Add the step's observation; it is there for later steps whatever becomes of this one."""
        wire = step.message["environment"]
        numbered = elements_of(step, self._parser, self.before)
        image = str(wire["image"])
        self.files[image] = step
        is_marked = numbered is not None and self._parser.images.marked
        self.environments.append(
            Environment(
                image=image,
                user_comment=str(wire.get("user_comment", "")),
                marked_image=f"{image}#marked" if is_marked else None,
                elements=numbered.elements if numbered is not None else None,
                foreground=wire.get("foreground"),
                last_result=wire.get("last_result"),
                size=step.size,
            )
        )
        return numbered

    def note(self, step: EpisodeStep, numbered: NumberedElements | None) -> None:
        """Add the step's action as this dialect's model would have meant it."""
        self.before = step.action
        self.actions.append(action_as_written(step, self._parser, numbered))


def _as_recorded(
    step: EpisodeStep,
    parser: Parser,
    history: _History,
    numbered: NumberedElements | None,
    settings: Settings,
) -> _Question:
    """The recorded prompt without the turns that asked again."""
    messages = list(step.message.get("asked_messages") or [])
    extra = 2 * int(step.message.get("reasks") or 0)
    messages = messages[: len(messages) - extra]
    if not messages:
        raise _Unaskable("its prompt is not in the log")
    size = step.sent_size
    pictures = {}
    for name in name_pictures(messages):
        if name == step.message["environment"].get("marked_image"):
            data = step.read_picture(name)
            kind = sniff_format(data)
            pictures[name] = to_data_url(data, MEDIA_TYPES[kind or "jpeg"])
        else:
            pictures[name] = _encode(step.read_picture(name), size, settings)
    return _Question(messages, pictures, frame_of(step, parser, history.before), numbered)


def _written_anew(
    step: EpisodeStep,
    parser: Parser,
    history: _History,
    numbered: NumberedElements | None,
    settings: Settings,
) -> _Question:
    """A prompt of this dialect for the same observation and the same past."""
    size = sent_size_for(step, parser)
    messages = parser.env2messages4ask(
        history.task, history.environments, history.actions, sent_size=size
    )
    pictures = {}
    for name in name_pictures(messages):
        image, _, marked = name.partition("#")
        data = history.files[image].read_picture(image)
        if marked:
            shot = _check(data, settings)
            elements = numbered.elements if numbered is not None else ()
            pictures[name] = encode_with_marks(shot, size, elements).data_url
        else:
            pictures[name] = _encode(data, size, settings)
    count = len(numbered.elements) if numbered is not None else None
    frame = ReplyContext(sent_size=size, screen_size=step.size, element_count=count)
    return _Question(messages, pictures, frame, numbered)


async def _ask(
    step: EpisodeStep,
    recorded: dict[str, Any],
    question: _Question,
    model: AsksModel,
    target: ModelTarget,
    parser: Parser,
) -> AskedStep:
    prompt = put_pictures_in(question.messages, question.pictures)
    try:
        reply = await model.ask(target, prompt)
    except ModelError as error:
        return AskedStep(step.number, recorded, problem=_problem(error.code, error.message))
    raw = reply.content or reply.reasoning
    result = await asyncio.to_thread(parser.str2action, reply.to_parser(), question.frame)
    if isinstance(result, Rejection):
        problem = _problem(f"parser.{result.code}", result.message)
        return AskedStep(step.number, recorded, problem=problem, raw=raw)
    listed = (step.message.get("element") or {}).get("bounds")
    agreement = compare_actions(
        step.action,
        result,
        target=find_target(step.point, step.tree, step.size, listed),
        points=(step.point, _point_of(result, question.numbered)),
    )
    proposed = result.to_wire(include_meta=False)
    return AskedStep(step.number, recorded, proposed, agreement, raw=raw)


def _problem(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}


def _point_of(action: Action, numbered: NumberedElements | None) -> Point | None:
    """Where an action touches: its point, or the middle of the element that it names."""
    point = getattr(action, "point", None)
    if isinstance(point, Point):
        return point
    target = numbered.target_of(action) if numbered is not None else None
    if target is None or not isinstance(getattr(action, "element", None), Element):
        return None
    return target.element.middle


def _encode(data: bytes, size: Size, settings: Settings) -> str:
    return encode_for_model(_check(data, settings), size).data_url


def _check(data: bytes, settings: Settings) -> Any:
    return check_screenshot(
        data, max_bytes=settings.max_image_bytes, max_pixels=settings.max_image_pixels
    )

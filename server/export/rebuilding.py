"""A recorded step as the model of another dialect would have seen and answered it."""

from __future__ import annotations

from typing import Any

from parsers.action import Action, ActionMeta, Size
from parsers.base import Parser
from server.export.episode import EpisodeStep
from server.images import ResizeRequest, plan_sent_size


def sent_size_for(step: EpisodeStep, parser: Parser) -> Size:
    """The size at which this dialect has the step's picture sent, where nobody asks for another."""
    return plan_sent_size(step.size, parser.space, parser.images, ResizeRequest())


def action_as_written(step: EpisodeStep, parser: Parser) -> Action:
    """The step's action as this dialect's model would have meant it: its target is a point."""
    size = sent_size_for(step, parser)
    meta = ActionMeta(dialect=parser.name, variant=parser.variant, sent_size=size)
    update: dict[str, Any] = {"meta": meta}
    if getattr(step.action, "element", None) is not None:
        update |= {"element": None, "point": step.point}
    return step.action.model_copy(update=update)

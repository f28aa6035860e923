"""A recorded step as the model of another dialect would have seen and answered it."""

from __future__ import annotations

from typing import Any

from parsers.action import Action, ActionMeta, Element, Grid, Point, Size
from parsers.base import ElementSpace, Parser, ScreenElement
from server.elements import NumberedElements, number_elements, number_grid
from server.export.episode import EpisodeStep
from server.images import ResizeRequest, plan_sent_size


def sent_size_for(step: EpisodeStep, parser: Parser) -> Size:
    """The size at which this dialect has the step's picture sent, where nobody asks for another."""
    return plan_sent_size(step.size, parser.space, parser.images, ResizeRequest())


def elements_of(
    step: EpisodeStep, parser: Parser, before: Action | None
) -> NumberedElements | None:
    """The numbered elements of a step, numbered again from what the log holds.

    None where the dialect numbers none, or the log holds no tree (numbers that came from OCR).
    """
    if not parser.needs_elements:
        return None
    base = parser.space.base if isinstance(parser.space, ElementSpace) else 1
    if isinstance(before, Grid):
        return number_grid(step.size, base)
    return number_elements(step.tree, step.size, base) if step.tree is not None else None


def action_as_written(
    step: EpisodeStep, parser: Parser, numbered: NumberedElements | None = None
) -> Action:
    """The step's action as this dialect's model would have meant it.

    Its target is a point; in a dialect of numbers, the smallest element there (a point where there
    is none: the dialect then has no words for the action).
    """
    size = sent_size_for(step, parser)
    meta = ActionMeta(dialect=parser.name, variant=parser.variant, sent_size=size)
    update: dict[str, Any] = {"meta": meta}
    if getattr(step.action, "element", None) is not None:
        update |= {"element": None, "point": step.point}
    if step.point is not None and numbered is not None:
        base = parser.space.base if isinstance(parser.space, ElementSpace) else 1
        if (found := _smallest_at(step.point, numbered)) is not None:
            update |= {"element": Element(index=found.index, base=base), "point": None}
    return step.action.model_copy(update=update)


def _smallest_at(point: Point, numbered: NumberedElements) -> ScreenElement | None:
    def holds(element: ScreenElement) -> bool:
        left, top, right, bottom = element.bounds
        return left <= point.x <= right and top <= point.y <= bottom

    def area(element: ScreenElement) -> float:
        left, top, right, bottom = element.bounds
        return (right - left) * (bottom - top)

    return min(filter(holds, numbered.elements), key=area, default=None)

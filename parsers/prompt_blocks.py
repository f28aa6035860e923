"""Pieces of prompts that are built by hand: what the user said, past steps as text, the size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.action import Action, Size
from parsers.base import (
    CoordinateSpace,
    Environment,
    Exchange,
    ImageNeeds,
    PromptRequest,
    PromptText,
)
from parsers.errors import UnsupportedInputError
from parsers.prompting import (
    fill,
    hint_lines,
    observation_text,
    part_of,
    read_dialogue,
)
from parsers.spaces import plan_size

HISTORY_MAX_STEPS = 50
"""How many past steps a text history repeats: a long session costs no more than that."""


def describe_situation(prompt: PromptText, request: PromptRequest) -> str:
    """All that the model must know beside task, history and picture; "" where there is nothing.

    Hints, earlier questions and answers, then the user's newest words and the failure of the last
    action. Uses the parts `hints`, `said_before`, `user_said` and `last_failed`.
    """
    blocks = []
    if request.hints:
        blocks.append(fill(part_of(prompt, "hints"), {"hints": hint_lines(request.hints)}))
    current = request.current
    earlier = [exchange for exchange in read_dialogue(request) if exchange.answer.strip()]
    question = ""
    if earlier and earlier[-1].answer.strip() == current.user_comment.strip():
        question = earlier.pop().question
    lines = [_say(exchange) for exchange in earlier[-HISTORY_MAX_STEPS:]]
    if question:
        # The answer itself follows below, as the newest word.
        lines.append(f"- {question} ->")
    if lines:
        blocks.append(fill(part_of(prompt, "said_before"), {"said": "\n".join(lines)}))
    blocks.append(observation_text(prompt, current))
    return "\n\n".join(block.strip() for block in blocks if block.strip())


def describe_steps(
    actions: Sequence[Action],
    write: Callable[[int, Action], str],
    separator: str,
    without_last: int = 0,
) -> str:
    """Past steps as text, oldest first, each with its true number; the oldest are dropped.

    Args:
        actions: All actions so far.
        write: Makes one step's text from its number (from 1) and its action.
        separator: What stands between two steps.
        without_last: How many of the newest are left out (they are shown with their pictures).
    """
    end = len(actions) - without_last
    begin = max(0, end - HISTORY_MAX_STEPS)
    return separator.join(write(place + 1, actions[place]) for place in range(begin, end))


def known_size(
    space: CoordinateSpace, images: ImageNeeds, environment: Environment, sent_size: Size | None
) -> Size:
    """The size at which the screenshot is sent, for prompts that state it.

    Raises:
        UnsupportedInputError: Neither it nor the screenshot's own size is known.
    """
    if sent_size is not None:
        return sent_size
    if environment.size is None:
        raise UnsupportedInputError(
            "this prompt states the size of the picture: give sent_size or Environment.size"
        )
    return plan_size(space, images, environment.size.width_px, environment.size.height_px)


def _say(exchange: Exchange) -> str:
    if not exchange.question:
        return f"- {exchange.answer}"
    return f"- {exchange.question} -> {exchange.answer}"

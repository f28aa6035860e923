"""Pieces of prompts that are built by hand: what the user said, past steps as text, the size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.action import Action, Size
from parsers.base import (
    CoordinateSpace,
    Environment,
    Exchange,
    ImageNeeds,
    Message,
    Parser,
    PromptText,
)
from parsers.errors import UnsupportedInputError
from parsers.prompting import (
    derive_dialogue,
    fill,
    hint_lines,
    image_part,
    message,
    need_prompt,
    observation_text,
    part_of,
    text_part,
)
from parsers.spaces import plan_size

HISTORY_MAX_STEPS = 50
"""How many past steps a text history repeats: a long session costs no more than that."""


def describe_situation(
    prompt: PromptText,
    environments: Sequence[Environment],
    actions: Sequence[Action],
    hints: Sequence[str],
    dialogue: Sequence[Exchange] | None,
) -> str:
    """All that the model must know beside task, history and picture; "" where there is nothing.

    Hints, earlier questions and answers, then the user's newest words and the failure of the last
    action. Uses the parts `hints`, `said_before`, `user_said` and `last_failed`.
    """
    blocks = []
    if hints:
        blocks.append(fill(part_of(prompt, "hints"), {"hints": hint_lines(hints)}))
    current = environments[-1]
    if dialogue is None:
        dialogue = derive_dialogue(environments, actions)
    earlier = [exchange for exchange in dialogue if exchange.answer.strip()]
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


def build_plain_prompt(
    parser: Parser,
    task: str,
    environments: Sequence[Environment],
    actions: Sequence[Action],
    *,
    hints: Sequence[str],
    dialogue: Sequence[Exchange] | None,
    size: Size | None = None,
    markov_mode: bool = False,
    describe: Callable[[Action], str] | None = None,
) -> list[Message]:
    """A prompt of one picture: rules, task, past steps as text, the talk, the screen.

    Uses the parts `rules` ({{task}} {{history}}), `no_history`, `system` where there is one, and
    those of `describe_situation`. `rules` and `system` may name {{width}} and {{height}}.

    Args:
        parser: The dialect, with its prompt.
        task: What the user wants.
        environments: Observations, the present one last.
        actions: The action of each earlier step.
        hints: Extra remarks.
        dialogue: Questions and answers so far.
        size: What {{width}} and {{height}} state.
        markov_mode: Leave the history out.
        describe: A past action in the dialect's own words.
    """
    prompt = need_prompt(parser.prompt, parser.name)
    say = describe or describe_plainly
    past = [] if markov_mode else actions
    steps = describe_steps(past, lambda number, action: f"{number}. {say(action)}", "\n")
    facts = {
        "task": task,
        "history": steps or part_of(prompt, "no_history"),
        "width": "" if size is None else size.width_px,
        "height": "" if size is None else size.height_px,
    }
    rules = fill(part_of(prompt, "rules"), facts).strip()
    situation = describe_situation(prompt, environments, actions, hints, dialogue)
    text = f"{rules}\n\n{situation}" if situation else rules
    turns = []
    if "system" in prompt.parts:
        turns.append(message("system", fill(prompt.parts["system"], facts).strip()))
    turns.append(message("user", [text_part(text + "\n"), image_part(environments[-1].image)]))
    return turns


def describe_plainly(action: Action) -> str:
    """A past action in a few words: its kind and what the model said it was for."""
    said = " ".join((action.explain or action.summary or action.cot).split())[:300]
    return f"{action.action}: {said}" if said else action.action


def _say(exchange: Exchange) -> str:
    if not exchange.question:
        return f"- {exchange.answer}"
    return f"- {exchange.question} -> {exchange.answer}"

"""Prompts of one turn: everything said once as text, and the present screenshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.action import Action, Size
from parsers.base import Environment, Exchange, Message, PromptText, ScreenElement
from parsers.errors import UnsupportedInputError
from parsers.prompting import (
    derive_dialogue,
    fill,
    hint_lines,
    image_part,
    message,
    observation_text,
    part_of,
    text_part,
)

STEPS_MAX = 30
"""How many past steps a prompt repeats: a long session costs no more than that."""


def build_single_turn(
    prompt: PromptText,
    task: str,
    environments: Sequence[Environment],
    actions: Sequence[Action],
    *,
    hints: Sequence[str],
    sent_size: Size | None,
    markov_mode: bool,
    describe: Callable[[Action], str],
    elements: Sequence[ScreenElement] | None = None,
) -> list[Message]:
    """The messages of a dialect that keeps its history as text.

    Fills `rules` (and `system`, where the prompt has one) with `{{task}} {{history}} {{elements}}
    {{width}} {{height}}`; adds hints, what the user said and the last failure, then the picture.

    Args:
        prompt: Needs the parts `rules`, `no_history`, `hints`, `said_before`, `user_said`,
            `last_failed`.
        task: What the user wants.
        environments: Observations, the present one last.
        actions: The action of each earlier step.
        hints: Extra remarks.
        sent_size: Size at which the screenshot will be sent.
        markov_mode: Leave the history out.
        describe: A past action in the dialect's own words.
        elements: The numbered elements, for dialects that point at numbers.
    """
    current = environments[-1]
    values = {
        "task": task,
        "history": _history(prompt, [] if markov_mode else actions, describe),
        "elements": "" if elements is None else describe_elements(elements),
        "width": "" if sent_size is None else sent_size.width_px,
        "height": "" if sent_size is None else sent_size.height_px,
    }
    blocks = [fill(part_of(prompt, "rules"), values).strip()]
    if hints:
        blocks.append(fill(part_of(prompt, "hints"), {"hints": hint_lines(hints)}).strip())
    earlier = _earlier_words(prompt, environments, actions)
    if earlier:
        blocks.append(earlier)
    words = observation_text(prompt, current)
    if words:
        blocks.append(words)
    pictures = [image_part(current.image)]
    if elements is not None and current.marked_image is not None:
        pictures = [image_part(current.marked_image)]
    turns: list[Message] = []
    if "system" in prompt.parts:
        turns.append(message("system", fill(prompt.parts["system"], values).strip()))
    turns.append(message("user", [text_part("\n\n".join(blocks) + "\n"), *pictures]))
    return turns


def need_elements(dialect: str, environment: Environment) -> tuple[ScreenElement, ...]:
    """The numbered elements of the present screen.

    Raises:
        UnsupportedInputError: The observation has none (no UI tree: a game, a WebView).
    """
    if environment.elements is None:
        raise UnsupportedInputError(
            f"the dialect {dialect} points at numbered elements, but this observation has no "
            "UI tree; send `ui_tree` with the observation, or use a dialect with coordinates"
        )
    return environment.elements


def describe_elements(elements: Sequence[ScreenElement]) -> str:
    """The numbered list as text: `[7] button "Settings"`, with what can be done in brackets."""
    lines = []
    for element in elements:
        label = " ".join(element.label.split())
        label = label if len(label) <= 80 else label[:79] + "…"
        traits = []
        if element.checkable:
            traits.append("on" if element.checked else "off")
        if element.editable:
            traits.append("text field")
        if element.scrollable:
            traits.append("scrolls")
        tail = f" ({', '.join(traits)})" if traits else ""
        name = f' "{label}"' if label else ""
        lines.append(f"[{element.index}] {element.kind}{name}{tail}")
    return "\n".join(lines)


def _history(
    prompt: PromptText, actions: Sequence[Action], describe: Callable[[Action], str]
) -> str:
    if not actions:
        return part_of(prompt, "no_history").strip()
    first = max(0, len(actions) - STEPS_MAX)
    lines = ["…"] if first else []
    lines += [
        f"{number}. {' '.join(describe(action).split())}"
        for number, action in enumerate(actions[first:], first + 1)
    ]
    return "\n".join(lines)


def _earlier_words(
    prompt: PromptText, environments: Sequence[Environment], actions: Sequence[Action]
) -> str:
    spoken = [
        exchange for exchange in derive_dialogue(environments[:-1], actions) if exchange.answer
    ]
    if not spoken:
        return ""
    lines = "\n".join(
        f"- {exchange.question} -> {exchange.answer}"
        if exchange.question
        else f"- {exchange.answer}"
        for exchange in spoken[-STEPS_MAX:]
    )
    return fill(part_of(prompt, "said_before"), {"said": lines}).strip()


def _say(exchange: Exchange) -> str:
    if not exchange.question:
        return exchange.answer
    return f"{exchange.question} -> {exchange.answer}"

"""Prompts of one turn: everything said once as text, and the present screenshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.action import Action, Size
from parsers.base import Environment, Message, PromptRequest, PromptText, ScreenElement
from parsers.errors import UnsupportedInputError
from parsers.prompt_blocks import describe_situation, describe_steps
from parsers.prompting import fill, image_part, message, part_of, text_part

SCREEN_DATA = "<screen {{marker}}>\n{{text}}\n</screen {{marker}}>"


def describe_plainly(action: Action) -> str:
    """A past action in a few words: its kind and what the model said it was for."""
    said = " ".join((action.explain or action.summary or action.cot).split())[:300]
    return f"{action.action}: {said}" if said else action.action


def build_single_turn(
    prompt: PromptText,
    request: PromptRequest,
    *,
    describe: Callable[[Action], str] = describe_plainly,
    elements: Sequence[ScreenElement] | None = None,
    size: Size | None = None,
    rules: str = "rules",
) -> list[Message]:
    """The messages of a dialect that keeps its history as text.

    Fills `rules` (and `system`, where the prompt has one) with `{{task}} {{history}} {{elements}}
    {{width}} {{height}}`; adds what `describe_situation` tells, then the picture.

    Args:
        prompt: Needs the parts `rules`, `no_history` and those of `describe_situation`.
        request: What the prompt is written from.
        describe: A past action in the dialect's own words.
        elements: The numbered elements, for dialects that point at numbers.
        size: What `{{width}}` and `{{height}}` state; None: the size that will be sent.
        rules: Which part of the prompt says what may be done.
    """
    current = request.current
    size = size or request.sent_size
    steps = describe_steps(
        request.past,
        lambda number, action: f"{number}. {' '.join(describe(action).split())}",
        "\n",
    )
    values = {
        "task": request.task,
        "history": steps or part_of(prompt, "no_history").strip(),
        "elements": ""
        if elements is None
        else mark_as_data(prompt, describe_elements(elements), current.marker),
        "width": "" if size is None else size.width_px,
        "height": "" if size is None else size.height_px,
    }
    told = fill(part_of(prompt, rules), values).strip()
    situation = describe_situation(prompt, request)
    text = f"{told}\n\n{situation}" if situation else told
    picture = current.image
    if elements is not None and current.marked_image is not None:
        picture = current.marked_image
    turns: list[Message] = []
    if "system" in prompt.parts:
        turns.append(message("system", fill(prompt.parts["system"], values).strip()))
    turns.append(message("user", [text_part(text + "\n"), image_part(picture)]))
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


def mark_as_data(prompt: PromptText, text: str, marker: str) -> str:
    """A text that was read off the screen, between marks that its writer cannot have known.

    Uses the part `screen_data` (`{{marker}} {{text}}`), which says that what stands between the
    marks is no instruction.

    Args:
        prompt: A prompt file of the user's own may lack the part: then the marks stand alone.
        text: What is on the screen, written by anybody.
        marker: The observation's; "" leaves the text as it is.
    """
    if not marker:
        return text
    template = prompt.parts.get("screen_data", SCREEN_DATA)
    return fill(template, {"marker": marker, "text": text.replace(marker, "")}).strip()


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

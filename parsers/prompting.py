"""Building prompts: texts with placeholders, message parts, and the facts of the history."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from parsers.action import Action, Info
from parsers.base import Environment, Exchange, Message, PromptText
from parsers.errors import PromptError

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def fill(template: str, values: Mapping[str, object]) -> str:
    """Put values into `{{name}}` placeholders, in one pass: what is put in is never expanded.

    Raises:
        PromptError: The template names a value that is not given.
    """

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            raise PromptError(
                f"the prompt has a placeholder {{{{{name}}}}} that nothing fills; "
                f"use one of {', '.join(sorted(values))}"
            )
        return str(values[name])

    return _PLACEHOLDER.sub(replace, template)


def need_prompt(prompt: PromptText | None, dialect: str) -> PromptText:
    """The prompt that the parser was given.

    Raises:
        PromptError: It was made without one (it can only read replies).
    """
    if prompt is None:
        raise PromptError(
            f"the parser {dialect} was made without a prompt; "
            f"give get_parser the texts of configs/prompts/{dialect}.yaml"
        )
    return prompt


def part_of(prompt: PromptText, name: str) -> str:
    """One named piece of a prompt.

    Raises:
        PromptError: The prompt file lacks it.
    """
    try:
        return prompt.parts[name]
    except KeyError:
        raise PromptError(
            f"the prompt of {prompt.dialect} ({prompt.language}) lacks the part {name!r}; "
            f"add it to its file in configs/prompts"
        ) from None


def choose_prompt(data: Any, language: str | None = None) -> PromptText:
    """Pick one language out of a parsed prompt file.

    The file holds `dialect`, `default_language` and `languages: {zh: {part: text}, en: {…}}`.

    Args:
        data: The file's content, as YAML gives it.
        language: "zh" or "en"; None takes the file's default.

    Raises:
        PromptError: The file is not of that form, or lacks the language.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("languages"), Mapping):
        raise PromptError("a prompt file needs `dialect`, `default_language` and `languages`")
    dialect, languages = str(data.get("dialect", "")), data["languages"]
    chosen = language or str(data.get("default_language", ""))
    parts = languages.get(chosen)
    if not isinstance(parts, Mapping):
        raise PromptError(
            f"the prompt of {dialect} has no language {chosen!r}; "
            f"it has {', '.join(sorted(map(str, languages)))}"
        )
    return PromptText(dialect, chosen, {str(key): str(text) for key, text in parts.items()})


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def image_part(reference: str) -> dict[str, Any]:
    """A picture by reference; whoever sends the messages puts the bytes in."""
    return {"type": "image_url", "image_url": {"url": reference}}


def message(role: str, content: str | Sequence[dict[str, Any]]) -> Message:
    return {"role": role, "content": content if isinstance(content, str) else list(content)}


def derive_dialogue(
    environments: Sequence[Environment], actions: Sequence[Action]
) -> list[Exchange]:
    """Questions and answers so far: an INFO, answered by the comment of the next observation.

    A remark that answers no question is an exchange without a question, so that no user word is
    lost; the present observation's words are the newest and come last.
    """
    dialogue: list[Exchange] = []
    for place, environment in enumerate(environments):
        words = environment.user_comment.strip()
        before = actions[place - 1] if 0 < place <= len(actions) else None
        question = before.value if isinstance(before, Info) else ""
        if words or question:
            dialogue.append(Exchange(question, words))
    return dialogue

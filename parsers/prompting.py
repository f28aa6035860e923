"""Building prompts: texts with placeholders, message parts, and the facts of the history."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parsers.action import Action, Info
from parsers.base import Environment, Exchange, Message, PromptRequest, PromptText
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
            "take it from server.prompts.ParserShelf(config_dir).get(...), or give get_parser "
            f"`prompts=` with the texts of configs/prompts/{dialect}.yaml"
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


def read_dialogue(request: PromptRequest) -> Sequence[Exchange]:
    """The questions and answers that a session kept, else those that its lists tell of."""
    if request.dialogue is not None:
        return request.dialogue
    return derive_dialogue(request.environments, request.actions)


REPLIES_MAX = 30
"""How many earlier replies a many-turn prompt repeats: a long session costs no more than that."""


def past_turns(
    environments: Sequence[Environment],
    actions: Sequence[Action],
    images_max: int,
    write: Callable[[Action], str],
) -> list[Message]:
    """Earlier steps as turns: observation (user), reply (assistant).

    Only the newest `images_max` screenshots are shown; of older steps the reply alone is left,
    joined into one assistant turn, because many chat templates want strict turns.

    Args:
        environments: All observations, the present one last.
        actions: The action of each earlier step.
        images_max: How many past screenshots to show.
        write: The assistant's words for an action.
    """
    turns: list[Message] = []
    first = max(0, len(actions) - REPLIES_MAX)
    for place in range(first, min(len(actions), len(environments) - 1)):
        observed, reply = environments[place], write(actions[place])
        parts: list[dict[str, Any]] = []
        if observed.user_comment.strip():
            parts.append(text_part(observed.user_comment.strip()))
        if place >= len(actions) - images_max:
            parts.append(image_part(observed.image))
        if parts:
            turns.append(message("user", parts))
        if turns and turns[-1]["role"] == "assistant":
            turns[-1] = message("assistant", f"{turns[-1]['content']}\n{reply}")
        else:
            turns.append(message("assistant", reply))
    return turns


def observation_text(prompt: PromptText, environment: Environment) -> str:
    """The words that go with the present screenshot: the user's, and the last action's failure.

    Uses the parts `user_said` ({{comment}}) and `last_failed` ({{last_result}}).
    """
    lines = []
    comment = environment.user_comment.strip()
    if comment:
        lines.append(fill(part_of(prompt, "user_said"), {"comment": comment}))
    if environment.last_result and environment.last_result != "ok":
        facts = {"last_result": environment.last_result}
        lines.append(fill(part_of(prompt, "last_failed"), facts))
    return "\n".join(line.strip() for line in lines)


def hint_lines(hints: Sequence[str]) -> str:
    return "\n".join(f"- {hint}" for hint in hints)

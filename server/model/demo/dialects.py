"""Reading prompts and writing replies: which dialect is asked for is told by its protocol strings.

A dialect here is one line of a table: the strings that give it away. Everything else is shared:
the task, the marks of the memory, the user's newest words and the last error are found by the
words that introduce them, and the reply is written by the dialect's own parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.action import Action, ActionMeta, Size
from parsers.base import Parser
from parsers.registry import get_parser
from server.model.demo.planner import Request
from server.model.demo.reading import picture_from_data_url
from server.model.demo.screen import Screen


class PromptNotUnderstoodError(ValueError):
    """The prompt names no task, shows no picture or asks for no dialect that is known here."""


@dataclass(frozen=True, slots=True)
class DialectSign:
    """How a dialect is told: all of the strings stand in its prompt."""

    dialect: str
    variant: str | None
    strings: tuple[str, ...]


SIGNS = (DialectSign("step0920", None, ("<THINK>", "action:CLICK", "action:AWAKE")),)

_TASK = re.compile(
    r"(?:用户的任务是|用户任务|用户指令|任务|the user's task|user query|user instruction"
    r"|instruction|task|goal)(?: is)?\s*[：:]\s*(?P<task>\S.*?)(?=\n\s*\n|\n#|\n<|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_USER_WORDS = re.compile(
    r"(?:用户回复说|用户刚刚说|用户刚刚回答|the user just said|the user just answered)[：:]\s*(.+)",
    re.I,
)
_ERROR = re.compile(
    r"(?:没有成功|未成功|失败|last action failed|not succeed|error)[^：:\n]{0,8}[：:]\s*(.+)", re.I
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt taken apart.

    Attributes:
        sign: The dialect that the reply must have.
        request: What the plan needs to know.
        picture: Bytes of the present screenshot.
    """

    sign: DialectSign
    request: Request
    picture: bytes


def read_prompt(messages: Sequence[Mapping[str, Any]]) -> Prompt:
    """Take a prompt apart.

    Raises:
        PromptNotUnderstoodError: Something that is needed is not in it.
        PictureError: Its last picture is no data URL.
    """
    everything = "\n\n".join(_text_of(message) for message in messages)
    sign = _find_sign(everything)
    pictures = [url for message in messages for url in _pictures_of(message)]
    if not pictures:
        raise PromptNotUnderstoodError("the prompt has no screenshot; send one as a data URL")
    asked = [m for m in messages if m.get("role") != "assistant"]
    instruction = "\n\n".join(_text_of(message) for message in asked)
    task = _find_task(instruction)
    if task is None:
        raise PromptNotUnderstoodError("the prompt names no task")
    last = _text_of(asked[-1])
    request = Request(task, everything, _last(_USER_WORDS, last), _last(_ERROR, last))
    return Prompt(sign, request, picture_from_data_url(pictures[-1]))


def write_reply(sign: DialectSign, action: Action, screen: Screen) -> str:
    """Write an action as a model of that dialect would.

    Raises:
        InvalidActionError: The dialect has no word for this kind of action.
    """
    parser: Parser = get_parser(sign.dialect, variant=sign.variant)
    size = Size(width_px=screen.width_px, height_px=screen.height_px)
    return parser.action2str(action.model_copy(update={"meta": ActionMeta(sent_size=size)}))


def _find_sign(text: str) -> DialectSign:
    for sign in SIGNS:
        if all(string in text for string in sign.strings):
            return sign
    known = ", ".join(dict.fromkeys(sign.dialect for sign in SIGNS))
    raise PromptNotUnderstoodError(
        f"the prompt asks for no dialect that the demo model writes; it knows {known}"
    )


def _find_task(text: str) -> str | None:
    found = [m["task"].strip() for m in _TASK.finditer(text)]
    return found[0] if found else None


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    return str(found[-1]).strip() if found else ""


def _text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, Mapping)]
    return "\n".join(str(part.get("text", "")) for part in parts if part.get("type") == "text")


def _pictures_of(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    if not isinstance(content, list):
        return []
    urls = []
    for part in content:
        if isinstance(part, Mapping) and part.get("type") == "image_url":
            image = part.get("image_url")
            urls.append(str(image.get("url", "")) if isinstance(image, Mapping) else str(image))
    return urls

"""Reading prompts and writing replies: which dialect is asked for is told by its protocol strings.

A dialect here is one line of a table: the strings that give it away, where its prompt has the task,
and which field of a reply comes back as history. The rest is shared: the user's newest words and
the last error are found by the words that introduce them, and the reply is written by the dialect's
own parser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.action import (
    Abort,
    Action,
    ActionMeta,
    Answer,
    Click,
    DoubleClick,
    Element,
    HotKey,
    Info,
    LongPress,
    Point,
    Scroll,
    Size,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import ElementSpace, Parser
from parsers.errors import InvalidActionError
from parsers.registry import get_parser
from server.model.demo.numbered import Listed, number_at, read_list
from server.model.demo.planner import MemoryPlace, Request
from server.model.demo.reading import picture_from_data_url
from server.model.demo.screen import Screen

ENTER_KEY_ABOVE_BOTTOM_DP = 65.0


class PromptNotUnderstoodError(ValueError):
    """The prompt names no task, shows no picture or asks for no dialect that is known here."""


@dataclass(frozen=True, slots=True)
class DialectSign:
    """How a dialect is told, and what the plan must know of it.

    Attributes:
        dialect: Name of the parser that writes it.
        variant: Model generation.
        strings: Protocol strings that all stand in its prompt.
        task: Finds the task in the prompt's text.
        memory_in: The field of a reply that comes back in the next prompt.
        types_at_point: A TYPE may carry the place of its field; else it is tapped first.
        aborts: It has a word for giving up; else the person is asked to take over.
        plain_first: The plain picture stands before the one with numbers.
    """

    dialect: str
    variant: str | None
    strings: tuple[str, ...]
    task: re.Pattern[str]
    memory_in: MemoryPlace
    types_at_point: bool = False
    aborts: bool = True
    plain_first: bool = False


def _after(introduction: str) -> re.Pattern[str]:
    """A task that follows some words, up to an empty line, a heading or the end."""
    return re.compile(rf"(?:{introduction})\s*(?P<task>\S.*?)(?=\n\s*\n|\n#|\Z)", re.I | re.S)


_STEP_TASK = _after(r"(?:任务是?|task(?: is)?)[ \t]*[：:]")
_HEADED = _after(r"##+ (?:User Instruction|Task|任务)[ \t]*\n")
_QWEN_TASK = re.compile(r"user query: (?P<task>.+?)\nTask progress", re.I | re.S)
_OWL_TASK = _after(r"\nInstruction:")
_FIRST_TURN = re.compile(r"(?P<task>\S.*?)(?=\n\s*\n|\Z)", re.S)

SIGNS = (
    DialectSign("step0920", None, ("<THINK>", "action:CLICK"), _STEP_TASK, "summary", True),
    DialectSign(
        "autoglm", None, ('do(action="Launch"', "finish("), _FIRST_TURN, "thought", aborts=False
    ),
    DialectSign("ui_venus", None, ("<conclusion>", "Click(box="), _HEADED, "summary", aborts=False),
    DialectSign(
        "ui_tars", "doubao", ("Thought:", "click(point="), _HEADED, "thought", aborts=False
    ),
    DialectSign(
        "ui_tars", None, ("Thought:", "click(start_box="), _HEADED, "thought", aborts=False
    ),
    DialectSign("mai_ui", None, ("<thinking>", "mobile_use", "ask_user"), _FIRST_TURN, "thought"),
    DialectSign("gui_owl", "1.0", ("mobile_use", "<conclusion>"), _OWL_TASK, "summary"),
    DialectSign("gui_owl", None, ("mobile_use", "\nInstruction:"), _OWL_TASK, "explain"),
    DialectSign("qwen_mobile_use", "qwen3", ("mobile_use", "999x999"), _QWEN_TASK, "explain"),
    DialectSign("qwen_mobile_use", "qwen2.5", ("mobile_use", "<tools>"), _QWEN_TASK, "explain"),
    DialectSign(
        "element_dsl", None, ("scroll(down)", 'finish("'), _STEP_TASK, "thought", aborts=False
    ),
    DialectSign(
        "m3a", None, ("goal_status", "navigate_home"), _STEP_TASK, "thought", plain_first=True
    ),
)
"""The dialects that are known here; the first whose strings are all there is taken."""

_USER_WORDS = re.compile(
    r"(?:用户回复说|用户刚刚说|用户最新的话|the user just said|user's newest words)"
    r"[^：:\n]{0,40}[：:]\s*(.+)",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"(?:上一步(?:动作|操作)没有成功|last (?:action|operation) failed)[：:]\s*(.+)", re.IGNORECASE
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
    asked = [_text_of(m) for m in messages if m.get("role") == "user"]
    found = sign.task.search("\n\n".join(asked).strip())
    if found is None:
        raise PromptNotUnderstoodError("the prompt names no task")
    request = Request(
        found["task"].strip(),
        everything,
        _last(_USER_WORDS, asked[-1]),
        _last(_ERROR, asked[-1]),
        sign.memory_in,
        sign.types_at_point,
        sign.aborts,
        read_list(asked[-1]),
    )
    shown = pictures[0] if sign.plain_first else pictures[-1]
    return Prompt(sign, request, picture_from_data_url(shown))


def write_reply(
    sign: DialectSign, action: Action, screen: Screen, elements: Sequence[Listed] = ()
) -> str:
    """Write an action as a model of that dialect would, or the nearest that it has words for.

    Args:
        sign: The dialect.
        action: What to say; its points become numbers where the dialect counts elements.
        screen: The picture that it was chosen on.
        elements: The numbered list of the prompt.

    Raises:
        InvalidActionError: The dialect has no word for this kind of action, nor a near one.
    """
    parser: Parser = get_parser(sign.dialect, variant=sign.variant)
    size = Size(width_px=screen.width_px, height_px=screen.height_px)
    first_error: InvalidActionError | None = None
    for candidate in (action, *_substitutes(action, screen)):
        try:
            said = candidate
            if isinstance(parser.space, ElementSpace):
                said = _point_at_number(candidate, screen, elements, parser.space)
            meta = ActionMeta(sent_size=size)
            return parser.action2str(said.model_copy(update={"meta": meta}))
        except InvalidActionError as error:
            first_error = first_error or error
    raise first_error or InvalidActionError(f"no words for {action.action}")


def _point_at_number(
    action: Action, screen: Screen, elements: Sequence[Listed], space: ElementSpace
) -> Action:
    """The same with an element's number in place of a point, where the list has it."""
    if not isinstance(action, Click | DoubleClick | LongPress | Type):
        return action
    point = action.point
    if point is None and not isinstance(action, Type):
        return action
    x, y = (500.0, 500.0) if point is None else (point.x, point.y)
    x_px, y_px = x / 1000 * screen.width_px, y / 1000 * screen.height_px
    number = number_at(elements, screen, x_px, y_px, typing=isinstance(action, Type))
    if number is None:
        return action
    element = Element(index=number, base=space.base)
    return action.model_copy(update={"point": None, "element": element})


def _substitutes(action: Action, screen: Screen) -> list[Action]:
    """What comes nearest where a dialect lacks a word. A failure is never made a success."""
    words = {"cot": action.cot, "explain": action.explain, "summary": action.summary}
    match action:
        case Abort() | Info():
            return [
                TakeOver(value=action.value, **words),
                Info(value=action.value or "?", **words),
                Answer(value=action.value or "?", **words),
            ]
        case HotKey(key="ENTER") if screen.keyboard_top_px is not None:
            # The key in the keyboard's bottom right corner.
            y_px = screen.height_px - ENTER_KEY_ABOVE_BOTTOM_DP * screen.px_per_dp
            return [Click(point=screen.point_at(0.92 * screen.width_px, y_px), **words)]
        case HotKey():
            return [Wait(value=1, **words)]
        case Slide():
            return [_as_scroll(action.point1, action.point2, words)]
        case _:
            return []


def _as_scroll(start: Point, end: Point, words: Mapping[str, str]) -> Scroll:
    """The scroll that a slide of the finger makes."""
    wide, high = end.x - start.x, end.y - start.y
    if abs(high) >= abs(wide):
        up = high < 0
        return Scroll(direction="down" if up else "up", finger="up" if up else "down", **words)
    left = wide < 0
    return Scroll(
        direction="right" if left else "left", finger="left" if left else "right", **words
    )


def _find_sign(text: str) -> DialectSign:
    for sign in SIGNS:
        if all(string in text for string in sign.strings):
            return sign
    known = ", ".join(dict.fromkeys(sign.dialect for sign in SIGNS))
    raise PromptNotUnderstoodError(
        f"the prompt asks for no dialect that the demo model writes; it knows {known}"
    )


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

"""os_atlas: OS-Atlas-Pro 4B and 7B.

    Thoughts:
    …
    Actions:
    CLICK <point>[[101, 872]]</point>

Points are 0-1000; SCROLL names the side of the content that comes into view. Base models answer a
grounding question with the corners of a box in box tokens. Source: the published evaluation prompt
and the model's README.
"""

from __future__ import annotations

import re
from typing import ClassVar

from parsers.action import (
    Abort,
    Action,
    Awake,
    Back,
    Click,
    Complete,
    Home,
    HotKey,
    LongPress,
    Point,
    Scroll,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.call_reading import Call, choose_call
from parsers.dialect import Dialect
from parsers.prompting import need_prompt
from parsers.reading import (
    Reading,
    Refused,
    line_matches,
    opposite,
    read_direction,
    split_thought,
    strip_edges,
)
from parsers.single_turn import build_single_turn

WAIT_DEFAULT_S = 2.0
NAMES = (
    *("CLICK", "TYPE", "SCROLL", "OPEN_APP", "LONG_PRESS", "PRESS_BACK", "PRESS_HOME"),
    *("PRESS_RECENT", "ENTER", "WAIT", "COMPLETE", "IMPOSSIBLE"),
)
_LABEL = re.compile(r"[ \t*#]{0,8}Actions?[ *]{0,4}[:：][ *]{0,4}", re.IGNORECASE)
_LINE = re.compile(
    r"[ \t]*(?:\d{1,2}[.)]\s{0,3}|[-*]\s{1,3})?([A-Za-z]+(?:_[A-Za-z]+)*)\b[ \t:：]*(.*)"
)
_BOX_TOKENS = re.compile(r"<\|box_start\|>\s{0,9}([-\d.,()\[\] ]{3,80}?)\s{0,9}<\|box_end\|>")


class OsAtlas(Dialect):
    """Reads OS-Atlas' one-line actions; one picture, the history as text."""

    name = "os_atlas"
    title = "OS-Atlas"
    models = "OS-Atlas-Pro-4B, OS-Atlas-Pro-7B, OS-Atlas-Base"
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})

    @property
    def space(self) -> CoordinateSpace:
        return RelativeSpace(scale=1000, maximum=1000)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message with the history as text."""
        return build_single_turn(need_prompt(self.prompt, self.name), request, describe=_describe)

    def read(self, text: str, reading: Reading) -> Action:
        boxes = _BOX_TOKENS.findall(text)
        thought, rest = split_thought(text)
        rest = strip_edges(rest)
        label = next(line_matches(rest, _LABEL), None)
        said = rest[: label.end()] if label else ""
        body = rest[label.end() :] if label else rest
        calls = _read_lines(body)
        if not calls and len(boxes) == 1 and label is None:
            reading.repair("a grounding box read as a click")
            return Click(point=reading.point(boxes[0]))
        call = choose_call(calls, _is_stop, body, reading)
        cot = thought or re.sub(r"^\s*Thoughts?\s*[:：]\s*", "", _LABEL.sub("", said)).strip()
        summary = f"{call.name} {call.arguments[0][1]}".strip()
        return _act(call, reading).model_copy(update={"cot": cot, "summary": summary})


def _read_lines(body: str) -> list[Call]:
    """Each line that begins with a known word is an action; a bracketed text may run on."""
    calls: list[Call] = []
    position = 0
    while position < len(body) and len(calls) < 40:
        end = body.find("\n", position)
        end = len(body) if end < 0 else end
        match = _LINE.match(body, position, end)
        if match is None or not _is_action(match):
            if match is not None and not calls and _looks_like_action(match):
                calls.append(Call(match.group(1), ((None, ""),), position, end, known=False))
            position = end + 1
            continue
        rest = match.group(2)
        if rest.lstrip().startswith("[") and "]" not in rest:
            closing = body.find("]", match.start(2))
            end = len(body) if closing < 0 else closing + 1
            rest = body[match.start(2) : end]
        name = match.group(1).upper()
        calls.append(Call(name, ((None, rest.strip()),), position, end))
        position = end + 1
    return calls


def _is_action(match: re.Match[str]) -> bool:
    """A known word with just what may follow it; `Complete the form` is a sentence."""
    name, rest = match.group(1).upper(), match.group(2).strip(" \t.。*`")
    if name not in NAMES:
        return False
    if name in ("CLICK", "LONG_PRESS"):
        return not rest or rest[0] in "<[(0123456789-"
    if name in ("TYPE", "OPEN_APP"):
        return not rest or rest[0] == "["
    if name == "SCROLL":
        return not rest or rest[0] == "[" or " " not in rest
    return not rest or rest == "[]"


def _looks_like_action(match: re.Match[str]) -> bool:
    name, rest = match.group(1), match.group(2).strip()
    return name.isupper() and len(name) > 2 and (not rest or rest[0] in "[<(")


def _is_stop(call: Call) -> bool:
    return call.name in ("COMPLETE", "IMPOSSIBLE")


def _act(call: Call, reading: Reading) -> Action:
    rest = str(call.arguments[0][1])
    match call.name:
        case "CLICK":
            return Click(point=_point(rest, reading))
        case "LONG_PRESS":
            return LongPress(point=_point(rest, reading))
        case "TYPE":
            return Type(value=_bracketed(rest, "text"))
        case "OPEN_APP":
            return Awake(value=_bracketed(rest, "app").strip())
        case "SCROLL":
            direction = read_direction(_bracketed(rest, "direction"))
            return Scroll(direction=direction, finger=opposite(direction))
        case "PRESS_BACK":
            return Back()
        case "PRESS_HOME":
            return Home()
        case "PRESS_RECENT":
            return HotKey(key="RECENT")
        case "ENTER":
            return HotKey(key="ENTER")
        case "WAIT":
            return Wait(value=WAIT_DEFAULT_S)
        case "COMPLETE":
            return Complete()
        case "IMPOSSIBLE":
            return Abort()
    raise Refused("unknown_action", f"there is no such action; use {', '.join(NAMES)}", call.name)


def _point(rest: str, reading: Reading) -> Point:
    if not rest:
        raise Refused("missing_arg", "`point` is missing: <point>[[x, y]]</point>", "")
    if rest.count("[") > rest.count("]") and rest.rstrip()[-1:] in "0123456789,":
        raise Refused("truncated", "the reply was cut inside the point", rest)
    return reading.point(rest)


def _bracketed(rest: str, name: str) -> str:
    """`[text]`, up to the last bracket; without brackets the rest of the line."""
    if not rest:
        raise Refused("missing_arg", f"`{name}` is missing: write it in [brackets]", "")
    if rest.startswith("["):
        end = rest.rfind("]")
        if end < 0:
            raise Refused("truncated", f"the reply was cut inside `{name}`", rest)
        rest = rest[1:end]
    if not rest.strip():
        raise Refused("missing_arg", f"`{name}` is empty", "")
    return rest


def _describe(action: Action) -> str:
    return action.summary or action.action

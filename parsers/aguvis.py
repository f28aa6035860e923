"""aguvis: Aguvis 7B and 72B: pyautogui and `mobile.*` calls with shares of the screen (0-1).

`pyautogui.scroll(page=-0.5)`: negative pages go down. Source: the published action constants and
evaluation prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    Click,
    Complete,
    Direction,
    DoubleClick,
    Home,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.keys import press, read_key
from parsers.prompting import need_prompt
from parsers.reading import (
    Bare,
    Reading,
    Refused,
    line_matches,
    opposite,
    read_number,
    split_thought,
    strip_edges,
)
from parsers.single_turn import build_single_turn

WAIT_DEFAULT_S = 3.0
_LABEL = re.compile(r"\A[ \t]{0,8}(?:Thought|Observation)\s{0,3}[:：]\s{0,3}", re.IGNORECASE)
_ACTION = re.compile(r"[ \t*#]{0,8}Action[ *]{0,4}[:：]", re.IGNORECASE)
_SENTENCE = re.compile(r"[ \t]{0,8}Action\s{0,3}[:：]\s{0,3}([^\n(]+)$", re.MULTILINE)
_X, _Y = param("x"), param("y")


class Aguvis(CallDialect):
    """Reads Aguvis' calls; one picture, the history as text."""

    name = "aguvis"
    title = "Aguvis"
    models = "Aguvis-7B-720P, Aguvis-72B-720P"
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "pyautogui.click": (_X, _Y),
        "pyautogui.doubleclick": (_X, _Y),
        "pyautogui.write": (param("message text"),),
        "pyautogui.typewrite": (param("message text"),),
        "pyautogui.press": (param("keys key"),),
        "pyautogui.scroll": (param("page clicks amount"),),
        "pyautogui.hscroll": (param("page clicks amount"),),
        "mobile.swipe": (
            param("from_coord from_coordinate start", is_point=True),
            param("to_coord to_coordinate end", is_point=True),
        ),
        "mobile.home": (),
        "mobile.back": (),
        "mobile.open_app": (param("app_name app"),),
        "mobile.long_press": (_X, _Y),
        "mobile.wait": (param("seconds time"),),
        "mobile.terminate": (param("status"), param("answer")),
        "terminate": (param("status"), param("answer")),
        "answer": (param("answer text"),),
    }
    stops = frozenset({"mobile.terminate", "terminate"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})

    @property
    def space(self) -> CoordinateSpace:
        return RelativeSpace(scale=1, maximum=1)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """System rules, then one user message with the history as text."""
        return build_single_turn(need_prompt(self.prompt, self.name), request, describe=_describe)

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        rest = strip_edges(rest)
        label = next(line_matches(rest, _ACTION), None)
        if label is not None:
            said = rest[: label.start()].strip()
            thought = "\n".join(part for part in (thought, said) if part)
        body = rest[label.end() :] if label else rest
        action = self.read_one(body, reading, thought=thought)
        sentence = next(line_matches(rest, _SENTENCE), None)
        explain = sentence.group(1).strip() if sentence else ""
        return action.model_copy(
            update={"cot": _LABEL.sub("", action.cot).strip(), "explain": explain}
        )

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "pyautogui.click":
                return Click(point=_xy(args, reading))
            case "pyautogui.doubleclick":
                return DoubleClick(point=_xy(args, reading))
            case "mobile.long_press":
                return LongPress(point=_xy(args, reading))
            case "pyautogui.write" | "pyautogui.typewrite":
                return Type(value=args.text("message"))
            case "pyautogui.press":
                return press(read_key(args.raw("keys")))
            case "pyautogui.scroll":
                return _scroll(args, "up", "down")
            case "pyautogui.hscroll":
                return _scroll(args, "right", "left")
            case "mobile.swipe":
                return Slide(point1=args.point("from_coord"), point2=args.point("to_coord"))
            case "mobile.home":
                return Home()
            case "mobile.back":
                return Back()
            case "mobile.open_app":
                return Awake(value=args.text("app_name").strip())
            case "mobile.wait":
                return Wait(value=args.seconds("seconds", WAIT_DEFAULT_S))
            case "mobile.terminate" | "terminate":
                return _terminate(args)
            case "answer":
                return Answer(value=args.text("answer"))
        raise Refused("unknown_action", "there is no such action", name)


def _xy(args: Arguments, reading: Reading) -> Point:
    x, y = args.raw("x"), args.raw("y")
    if x is None and y is None:
        raise Refused("missing_arg", "x and y are missing", "")
    if y is None and isinstance(x, Bare) and x[:1] in "([":
        return reading.point(x)
    if x is None or y is None:
        raise Refused("bad_point", "a point needs both x and y", x if y is None else y)
    return reading.point([x, y])


def _scroll(args: Arguments, positive: Direction, negative: Direction) -> Scroll:
    page = read_number(args.raw("page"), "page")
    if page == 0:
        raise Refused("bad_arg", "`page` of 0 does not scroll", args.raw("page"))
    direction = positive if page > 0 else negative
    return Scroll(
        direction=direction, finger=opposite(direction), distance=min(abs(page), 1.0) * 1000
    )


def _terminate(args: Arguments) -> Action:
    status = args.text("status").strip().lower()
    if status in ("success", "complete", "completed", "successful"):
        return Complete(**{"return": args.optional_text("answer")})
    if status in ("failure", "fail", "failed", "impossible", "infeasible"):
        return Abort(value=args.optional_text("answer"))
    raise Refused("bad_arg", "`status` must be success or failure", status)


def _describe(action: Action) -> str:
    return action.explain or action.cot or action.action

"""ui_venus: UI-Venus 1.0 and 1.5.

    <think>…</think>
    <action>Click(box=(500,320))</action>
    <conclusion>…</conclusion>

1.0 answers in pixels of the picture as its processor takes it (multiples of 28), 1.5 in 0-999
that its runner divides by 1000. Source: the published navigation agents and their prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, assert_never

from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    DoubleClick,
    Grid,
    Home,
    HotKey,
    Info,
    LongPress,
    Note,
    Point,
    Scroll,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    Message,
    PixelSpace,
    PromptRequest,
    RelativeSpace,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.errors import InvalidActionError
from parsers.keys import press, read_key
from parsers.prompting import need_prompt
from parsers.reading import (
    Reading,
    Refused,
    from_point,
    is_thinking_open,
    opposite,
    split_thought,
    strip_edges,
)
from parsers.single_turn import build_single_turn

WAIT_DEFAULT_S = 5.0
_ACTION = re.compile(
    r"<\s{0,3}action\s{0,3}>((?:(?!<\s{0,3}/?\s{0,3}(?:action|conclusion)\s{0,3}>).)*)",
    re.IGNORECASE | re.DOTALL,
)
_CONCLUSION = re.compile(
    r"<\s{0,3}conclusion\s{0,3}>(.*?)(?:</\s{0,3}conclusion\s{0,3}>|\Z)", re.IGNORECASE | re.DOTALL
)
_BOX = param("box point coordinate start_box", is_point=True)
_START = param("start start_point", is_point=True)
_END = param("end end_point", is_point=True)


class UiVenus(CallDialect):
    """Reads and writes the calls of UI-Venus; one picture, the history as text."""

    name = "ui_venus"
    variants = ("1.5", "1.0")
    title = "UI-Venus"
    models = "UI-Venus-Navi 7B/72B (1.0), UI-Venus-1.5 2B/8B/30B-A3B"
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "click": (_BOX,),
        "drag": (_START, _END),
        "scroll": (_START, _END, param("direction"), param("box point", is_point=True)),
        "type": (param("content text", is_text=True),),
        "launch": (param("app app_name"), param("url")),
        "wait": (param("time seconds duration"),),
        "finished": (param("content", is_text=True),),
        "calluser": (param("content", is_text=True),),
        "longpress": (_BOX,),
        "pressback": (),
        "presshome": (),
        "pressenter": (),
        "pressrecent": (),
        "doubleclick": (_BOX,),
        "hotkey": (param("key keys hotkey"),),
    }
    stops = frozenset({"finished"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})

    @property
    def space(self) -> CoordinateSpace:
        if self.variant == "1.0":
            return PixelSpace(factor=28, min_pixels=4 * 28 * 28, max_pixels=16384 * 28 * 28)
        return RelativeSpace(scale=1000, maximum=1000)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message: rules, task, past conclusions and actions, the screenshot."""
        return build_single_turn(
            need_prompt(self.prompt, self.name), request, describe=self._describe
        )

    def _describe(self, action: Action) -> str:
        try:
            call = self._call(action)
        except InvalidActionError:
            call = action.action
        return f"{action.summary} {call}".strip()

    def canonical(self, name: str) -> str:
        return name.lower().replace("_", "")

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        if not rest and is_thinking_open(text) and _ACTION.search(thought):
            reading.repair("the thinking is not closed")
            at = thought.lower().rfind("<action")
            thought, rest = (thought[:at], thought[at:]) if at >= 0 else ("", thought)
        conclusions = _CONCLUSION.findall(rest)
        blocks = [block.strip() for block in _ACTION.findall(rest)]
        body = "\n".join(blocks) if blocks else _CONCLUSION.sub("", rest)
        action = self.read_one(strip_edges(body), reading, thought=thought)
        summary = conclusions[-1].strip() if conclusions else ""
        return action.model_copy(update={"summary": summary})

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "click":
                return Click(point=args.point("box"))
            case "doubleclick":
                return DoubleClick(point=args.point("box"))
            case "longpress":
                return LongPress(point=args.point("box"))
            case "drag":
                return Slide(point1=args.point("start"), point2=args.point("end"))
            case "scroll":
                if args.has("direction"):
                    direction = args.direction("direction")
                    where = args.optional_point("start") or args.optional_point("box")
                    return Scroll(direction=direction, finger=opposite(direction), point=where)
                return Slide(point1=args.point("start"), point2=args.point("end"))
            case "type":
                return Type(value=args.text("content"))
            case "launch":
                return Awake(value=args.text("app").strip())
            case "wait":
                return Wait(value=args.seconds("time", WAIT_DEFAULT_S))
            case "finished":
                return Complete(**{"return": args.optional_text("content")})
            case "calluser":
                return Info(value=args.text("content"))
            case "pressback":
                return Back()
            case "presshome":
                return Home()
            case "pressenter":
                return HotKey(key="ENTER")
            case "pressrecent":
                return HotKey(key="RECENT")
            case "hotkey":
                return press(read_key(args.raw("key")))
        raise Refused("unknown_action", "there is no such action", name)

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action; pixels need `action.meta.sent_size`.

        Raises:
            InvalidActionError: UI-Venus has no word for it.
        """
        return (
            f"<think>{action.cot.strip()}</think>\n<action>{self._call(action)}</action>\n"
            f"<conclusion>{action.summary.strip()}</conclusion>"
        )

    def _call(self, action: Action) -> str:
        match action:
            case Click():
                return f"Click(box={self._point(action.point, action)})"
            case DoubleClick():
                return f"DoubleClick(box={self._point(action.point, action)})"
            case LongPress():
                return f"LongPress(box={self._point(action.point, action)})"
            case Slide():
                start, end = self._point(action.point1, action), self._point(action.point2, action)
                return f"Drag(start={start}, end={end})"
            case Scroll():
                where = "" if action.point is None else self._point(action.point, action)
                start = f", start={where}" if where else ""
                return f"Scroll(direction='{action.direction}'{start})"
            case Type():
                if action.point is not None or action.element is not None or action.submit:
                    raise InvalidActionError("UI-Venus types text alone: tap and submit apart")
                return f"Type(content={_quote(action.value)})"
            case Awake():
                return f"Launch(app={_quote(action.value)})"
            case Wait():
                return f"Wait(time={action.value:g})"
            case Complete():
                return f"Finished(content={_quote(action.return_)})"
            case Info():
                return f"CallUser(content={_quote(action.value)})"
            case Back():
                return "PressBack()"
            case Home():
                return "PressHome()"
            case HotKey():
                names = {"ENTER": "PressEnter()", "RECENT": "PressRecent()"}
                return names.get(action.key, f"Hotkey(key='{action.key.lower()}')")
            case Answer() | Abort() | TakeOver() | Note() | CallApi() | Grid():
                raise InvalidActionError(f"UI-Venus has no word for {action.action}")
            case _:
                assert_never(action)

    def _point(self, point: Point | None, action: Action) -> str:
        if point is None:
            raise InvalidActionError("UI-Venus has no element numbers; resolve it to a point")
        try:
            x, y = from_point(point, self.space, action.meta.sent_size)
        except ValueError as error:
            raise InvalidActionError(f"cannot write the point: {error}") from error
        return f"({x:g},{y:g})"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f"'{escaped}'"

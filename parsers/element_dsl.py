"""element_dsl: one call per reply, pointing at numbered elements. For any language model.

    click(7)   type(3, "text")   scroll(down)   back()   finish("answer")

Documented extensions: `long_press(n)`, `open("app")`, `wait(seconds)`, `ask("question")`.
Numbers count from 1 in the list of the same observation; `type` clears the field first;
`scroll(down)` brings into view what is further down, by a set distance.
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
    Element,
    Grid,
    Home,
    HotKey,
    Info,
    LongPress,
    Note,
    Scroll,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    ElementSpace,
    ImageNeeds,
    Message,
    PromptRequest,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.errors import InvalidActionError
from parsers.prompting import need_prompt
from parsers.reading import Reading, Refused, opposite, split_thought, strip_edges
from parsers.single_turn import build_single_turn, need_elements

TEXT_MAX_CHARS = 1000
SCROLL_DISTANCE = 500.0
SAID_MAX_CHARS = 300
"""How much of its own words a model is shown for each past step."""
_NUMBER = param("element index n number id element_id")
_BARE_FINISH = re.compile(r"[\s\"'`*#>-]{0,9}(?:finish|done)[\s\"'`.。!！*]{0,9}", re.IGNORECASE)
_FINISH_LINE = re.compile(r"^[ \t]{0,9}FINISH[ \t.。]{0,9}$", re.MULTILINE)
_FINISH_BESIDE = re.compile(
    r"[)）]\s{0,3}[,，;；]\s{0,3}(?:finish|done)\s{0,3}[.。]?[ \t]{0,9}$", re.I | re.M
)
_BARE_CALL = re.compile(
    r"(?:^|\n)[ \t`*>-]{0,9}(click|tap|long_press|scroll|back)"
    r"(?:[ \t:]{1,4}([#\d.\w-]{1,12}))?[ \t`*.。]{0,9}(?=\n|$)",
    re.IGNORECASE,
)


class ElementDsl(CallDialect):
    """Reads and writes the element DSL; one picture with numbers, the history as text."""

    name = "element_dsl"
    title = "Element DSL"
    models = "any language model with vision; text-only models too"
    images = ImageNeeds(marked=True)
    needs_elements = True
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "click": (_NUMBER,),
        "tap": (_NUMBER,),
        "type": (_NUMBER, param("text content value", is_text=True)),
        "scroll": (param("direction"),),
        "back": (),
        "finish": (param("answer text message result", is_text=True),),
        "long_press": (_NUMBER,),
        "open": (param("app name app_name"),),
        "wait": (param("seconds time s"),),
        "ask": (param("question text", is_text=True),),
    }
    stops = frozenset({"finish"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})

    @property
    def space(self) -> CoordinateSpace:
        return ElementSpace(base=1)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message: rules, task, history, the numbered list, the numbered picture."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            describe=self._describe,
            elements=need_elements(self.name, request.current),
        )

    def _describe(self, action: Action) -> str:
        try:
            call = self._write_call(action)
        except InvalidActionError:
            call = action.action
        said = " ".join((action.explain or action.cot).split())[:SAID_MAX_CHARS]
        return f"{said}: {call}" if said else call

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        rest = strip_edges(rest)
        if _BARE_FINISH.fullmatch(rest):
            reading.repair("a bare finish")
            return Complete(cot=thought)
        if _FINISH_LINE.search(rest) or _FINISH_BESIDE.search(rest):
            raise Refused("multiple_actions", "an act and a stop in one reply: give one", rest)
        bare = _BARE_CALL.search(rest)
        if bare is not None and "(" not in rest and "（" not in rest:
            reading.repair("the brackets are forgotten")
            rest = f"{bare.group(1)}({bare.group(2) or ''})"
        return self.read_one(rest, reading, thought=thought)

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "click" | "tap":
                return Click(element=args.element("element"))
            case "long_press":
                return LongPress(element=args.element("element"))
            case "type":
                element = args.element("element")
                text = args.text("text")
                if len(text) > TEXT_MAX_CHARS:
                    raise Refused(
                        "bad_arg", f"`text` is longer than {TEXT_MAX_CHARS} characters", text
                    )
                return Type(element=element, value=text, clear=True)
            case "scroll":
                direction = args.direction("direction")
                return Scroll(
                    direction=direction, finger=opposite(direction), distance=SCROLL_DISTANCE
                )
            case "back":
                return Back()
            case "finish":
                return Complete(**{"return": args.text("answer")})
            case "open":
                return Awake(value=args.text("app").strip())
            case "wait":
                return Wait(value=args.seconds("seconds"))
            case "ask":
                return Info(value=args.text("question"))
        raise Refused("unknown_action", "there is no such action", name)

    def action2str(self, action: Action) -> str:
        """Write the thought, where there is one, and the call that means this action.

        Raises:
            InvalidActionError: The DSL has no word for it.
        """
        call = self._write_call(action)
        thought = action.cot.strip()
        return f"<think>{thought}</think>\n{call}" if thought else call

    def _write_call(self, action: Action) -> str:
        match action:
            case Click():
                return f"click({_number(action.element)})"
            case LongPress():
                return f"long_press({_number(action.element)})"
            case Type():
                return f"type({_number(action.element)}, {_quote(action.value)})"
            case Scroll():
                if action.point is not None or action.element is not None:
                    raise InvalidActionError("the element DSL scrolls the whole screen")
                return f"scroll({action.direction})"
            case Back():
                return "back()"
            case Complete():
                return f"finish({_quote(action.return_)})" if action.return_ else "finish"
            case Awake():
                return f"open({_quote(action.value)})"
            case Wait():
                return f"wait({action.value:g})"
            case Info():
                return f"ask({_quote(action.value)})"
            case (
                DoubleClick()
                | Slide()
                | Home()
                | HotKey()
                | Answer()
                | Abort()
                | TakeOver()
                | Note()
                | CallApi()
                | Grid()
            ):
                raise InvalidActionError(f"the element DSL has no word for {action.action}")
            case _:
                assert_never(action)


def _number(element: Element | None) -> int:
    if element is None:
        raise InvalidActionError("the element DSL points at element numbers only")
    return element.index


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'

"""droidrun_xml: the tagged calls of droidrun / mobilerun.

    <function_calls>
    <invoke name="click">
    <parameter name="index">5</parameter>
    </invoke>
    </function_calls>

Elements are numbered from 1; coordinates are pixels of the screen as it was taken. Source: the
published agent's XML parser and tool signatures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.action import (
    Abort,
    Action,
    Awake,
    Click,
    Complete,
    LongPress,
    Note,
    Point,
    Slide,
    Type,
    Wait,
)
from parsers.base import (
    CoordinateSpace,
    ElementSpace,
    ImageNeeds,
    Message,
    PixelSpace,
    PromptRequest,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.call_reading import choose_call
from parsers.keys import press, read_key
from parsers.prompting import need_prompt
from parsers.reading import Reading, Refused, split_thought, to_point
from parsers.single_turn import build_single_turn, need_elements
from parsers.xml_calls import read_xml_calls

WAIT_DEFAULT_S = 1.0
FOCUSED = "-1"
"""The index by which these agents mean the field that has the focus."""
_SCREEN = PixelSpace(name="screen")
_INDEX = param("index element")


class DroidrunXml(CallDialect):
    """Reads droidrun's tagged calls; one picture and the element list, the history as text."""

    name = "droidrun_xml"
    title = "droidrun / mobilerun"
    models = "any model behind droidrun's prompt"
    needs_elements = True
    images = ImageNeeds()
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "click": (_INDEX,),
        "long_press": (_INDEX,),
        "click_at": (param("x"), param("y")),
        "long_press_at": (param("x"), param("y")),
        "type": (param("text"), _INDEX, param("clear")),
        "type_text": (param("text"), _INDEX, param("clear")),
        "swipe": (
            param("coordinate", is_point=True),
            param("coordinate2", is_point=True),
            param("duration"),
        ),
        "system_button": (param("button"),),
        "open_app": (param("text app app_name package"),),
        "wait": (param("duration seconds"),),
        "remember": (param("information text"),),
        "complete": (param("success"), param("message reason")),
    }
    stops = frozenset({"complete"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})

    @property
    def space(self) -> CoordinateSpace:
        return ElementSpace(base=1)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """System rules, then one user message with the element list and the screenshot."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            describe=_describe,
            elements=need_elements(self.name, request.current),
            size=request.current.size or request.sent_size,
        )

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        calls = read_xml_calls(rest)
        call = choose_call(calls, self.is_stop, rest, reading)
        said = rest[: call.start].replace("<function_calls>", "").strip()
        cot = "\n".join(part for part in (thought, said) if part)
        return self.act_on(call, reading).model_copy(update={"cot": cot})

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "click":
                return Click(element=args.element("index"))
            case "long_press":
                return LongPress(element=args.element("index"))
            case "click_at":
                return Click(point=_xy(args, reading))
            case "long_press_at":
                return LongPress(point=_xy(args, reading))
            case "type" | "type_text":
                focused = not args.has("index") or str(args.raw("index")).strip() == FOCUSED
                return Type(
                    value=args.text("text"),
                    element=None if focused else args.element("index"),
                    clear=args.flag("clear"),
                )
            case "swipe":
                return Slide(
                    point1=_screen_point(args.whole_point("coordinate"), "coordinate", reading),
                    point2=_screen_point(args.whole_point("coordinate2"), "coordinate2", reading),
                )
            case "system_button":
                return press(read_key(args.raw("button"), "button"))
            case "open_app":
                return Awake(value=args.text("text").strip())
            case "wait":
                return Wait(value=args.seconds("duration", WAIT_DEFAULT_S))
            case "remember":
                return Note(value=args.text("information"))
            case "complete":
                if not args.has("success"):
                    raise Refused("missing_arg", "`success` is missing: true or false", "")
                said = args.optional_text("message")
                return Complete(**{"return": said}) if args.flag("success") else Abort(value=said)
        raise Refused("unknown_action", "there is no such action", name)


def _xy(args: Arguments, reading: Reading) -> Point:
    x, y = args.raw("x"), args.raw("y")
    if x is None or y is None:
        raise Refused("missing_arg", "x and y are needed", "")
    return _screen_point([x, y], "point", reading)


def _screen_point(value: object, name: str, reading: Reading) -> Point:
    if value is None:
        raise Refused("missing_arg", f"`{name}` is missing: [x, y]", "")
    return to_point(value, _SCREEN, reading.context.screen_size, name)


def _describe(action: Action) -> str:
    return action.cot or action.action

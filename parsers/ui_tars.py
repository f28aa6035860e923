"""ui_tars: UI-TARS 1.0 and 1.5, and Doubao's UI models.

    Thought: …
    Action: click(start_box='(500,320)')

1.5 answers in pixels of the picture as its processor takes it (multiples of 28); 1.0 and Doubao in
0-1000. `scroll(direction)` names the side of the content that comes into view. Source: the
published prompt, action parser and coordinate notes of UI-TARS, and reports of odd replies.
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
    ImageNeeds,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.call_reading import Call, choose_call
from parsers.errors import InvalidActionError
from parsers.keys import press, read_key
from parsers.prompting import (
    fill,
    hint_lines,
    image_part,
    message,
    need_prompt,
    observation_text,
    part_of,
    past_turns,
    text_part,
)
from parsers.reading import (
    Reading,
    Refused,
    from_point,
    is_thinking_open,
    line_matches,
    opposite,
    read_numbers,
    split_thought,
    strip_edges,
    to_point,
)
from parsers.ui_tars_reading import (
    PIXELS,
    parse_action,
    parse_action_to_structure_output,
    read_action_call,
)
from parsers.ui_tars_script import parsing_response_to_pyautogui_code
from parsers.xml_calls import read_xml_calls

__all__ = [
    "UiTars",
    "parse_action",
    "parse_action_to_structure_output",
    "parsing_response_to_pyautogui_code",
    "read_action_call",
]

WAIT_DEFAULT_S = 5.0
PAST_IMAGES = 4
_LABEL = re.compile(r"[ \t*#>-]{0,8}Action[ *]{0,4}[:：][ *]{0,4}", re.IGNORECASE)
_THOUGHT = re.compile(r"^[ \t*#]{0,8}(?:Thought|Thinking)[ *]{0,4}[:：][ *]{0,4}", re.IGNORECASE)
_ACTION_SUMMARY = re.compile(r"Action_Summary\s{0,3}[:：]\s{0,3}([^\n]+)")
_COMPACT = re.compile(
    r"(?<![\w<])([a-z_]{3,20})>\s{0,3}([a-z_]{3,20})>\s{0,3}(?:<?(?:point|bbox)>)?"
    r"([-+\d., ]{3,60})(?:</?(?:point|bbox)>)?"
)
_SEED_TAG = re.compile(r"</?seed:tool_call>")
_CALL_AHEAD = re.compile(r"\s{0,3}[A-Za-z_][\w.]{0,40}\s?[(（>]")
_SHARE = RelativeSpace(scale=1, maximum=1)
_POINT = param("start_box point start_point box position coordinate", is_point=True)
_END = param("end_box end_point end", is_point=True)


class UiTars(CallDialect):
    """Reads and writes the calls of UI-TARS; many turns, the last five pictures."""

    name = "ui_tars"
    variants = ("v1.5", "v1.0", "doubao")
    title = "UI-TARS"
    models = "UI-TARS 2B/7B/72B, UI-TARS-1.5-7B, Doubao-1.5-UI-TARS"
    images = ImageNeeds(past=PAST_IMAGES)
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "click": (_POINT,),
        "left_single": (_POINT,),
        "left_double": (_POINT,),
        "long_press": (_POINT, param("time duration seconds")),
        "type": (param("content text value"),),
        "scroll": (_POINT, param("direction"), _END),
        "drag": (_POINT, _END),
        "open_app": (param("app_name app name"),),
        "press_home": (),
        "press_back": (),
        "hotkey": (param("key hotkey keys"),),
        "wait": (param("time seconds duration"),),
        "finished": (param("content answer text"),),
        "call_user": (param("content message text"),),
    }
    stops = frozenset({"finished"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "TAKE_OVER"})

    @property
    def space(self) -> CoordinateSpace:
        if self.variant == "v1.5":
            return PIXELS
        return RelativeSpace(scale=1000, maximum=1000)

    # --- prompt ---------------------------------------------------------------------------

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """The instruction, then replies and screenshots in turn; old screenshots are left out."""
        prompt = need_prompt(self.prompt, self.name)
        form = "rules_doubao" if self.variant == "doubao" else "rules_box"
        rules = fill(
            part_of(prompt, form), {"task": request.task, "hints": hint_lines(request.hints)}
        )
        turns: list[Message] = [message("user", rules.strip())]
        if not request.markov_mode:
            turns += past_turns(
                request.environments, request.actions, PAST_IMAGES, self._write_past
            )
        parts = [image_part(request.current.image)]
        words = observation_text(prompt, request.current)
        turns.append(message("user", [text_part(words), *parts] if words else parts))
        return turns

    def _write_past(self, action: Action) -> str:
        return action.meta.raw or self.action2str(action)

    # --- reply ----------------------------------------------------------------------------

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        if not rest and is_thinking_open(text) and any(line_matches(thought, _LABEL)):
            reading.repair("the thinking is not closed")
            thought, rest = "", thought
        rest = strip_edges(_SEED_TAG.sub("", rest) if "<seed" in rest or "</seed" in rest else rest)
        xml = read_xml_calls(rest)
        if xml:
            return self._read_xml(xml, rest, thought, reading)
        said, body = self._split_label(rest)
        compact = None if "(" in body or "（" in body else _COMPACT.search(body)
        if compact is not None and self.knows(compact.group(1)):
            reading.repair("the compact form name>argument>value")
            body = f"{compact.group(1)}({compact.group(2)}='{compact.group(3).strip()}')"
        action = self.read_one(body, reading, thought=" ")
        cot = "\n".join(part for part in (thought, said) if part)
        summary = _ACTION_SUMMARY.search(said)
        return action.model_copy(
            update={"cot": cot, "explain": summary.group(1).strip() if summary else ""}
        )

    def _read_xml(self, calls: list[Call], rest: str, thought: str, reading: Reading) -> Action:
        call = choose_call(calls, self.is_stop, rest, reading)
        said = _THOUGHT.sub("", rest[: call.start].strip())
        action = self.act_on(call, reading)
        return action.model_copy(update={"cot": "\n".join(p for p in (thought, said) if p)})

    def _split_label(self, text: str) -> tuple[str, str]:
        """What was said, and the text from the first `Action:` label that a call follows."""
        labels = list(line_matches(text, _LABEL))
        if not labels:
            return "", text
        chosen = next(
            (label for label in labels if _CALL_AHEAD.match(text, label.end())),
            labels[-1],
        )
        return _THOUGHT.sub("", text[: chosen.start()].strip()), text[chosen.end() :]

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "click" | "left_single":
                return Click(point=self._point(args, "start_box", reading))
            case "left_double":
                return DoubleClick(point=self._point(args, "start_box", reading))
            case "long_press":
                duration_s = args.seconds("time") if args.has("time") else None
                return LongPress(
                    point=self._point(args, "start_box", reading), duration_s=duration_s
                )
            case "type":
                return _type(args.text("content"), reading)
            case "scroll":
                if args.has("end_box"):
                    return self._slide(args, reading)
                direction = args.direction("direction")
                point = self._point(args, "start_box", reading) if args.has("start_box") else None
                return Scroll(direction=direction, finger=opposite(direction), point=point)
            case "drag":
                return self._slide(args, reading)
            case "open_app":
                return Awake(value=args.text("app_name").strip())
            case "press_home":
                return Home()
            case "press_back":
                return Back()
            case "hotkey":
                return press(read_key(args.raw("key")))
            case "wait":
                return Wait(value=args.seconds("time", WAIT_DEFAULT_S))
            case "finished":
                return Complete(**{"return": args.optional_text("content")})
            case "call_user":
                return TakeOver(value=args.optional_text("content"))
        raise Refused("unknown_action", "there is no such action", name)

    def _slide(self, args: Arguments, reading: Reading) -> Slide:
        return Slide(
            point1=self._point(args, "start_box", reading),
            point2=self._point(args, "end_box", reading),
        )

    def _point(self, args: Arguments, name: str, reading: Reading) -> Point:
        """A point in the model's space; decimals that all lie in 0-1 are shares."""
        value = args.whole_point(name)
        if value is None:
            raise Refused("missing_arg", f"`{name}` is missing: give x and y", "")
        if "." in str(value) and all(0 <= number <= 1 for number in read_numbers(value, name)):
            return to_point(value, _SHARE, None, name)
        return reading.point(value, name)

    # --- writing --------------------------------------------------------------------------

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action; pixels need `action.meta.sent_size`.

        Raises:
            InvalidActionError: UI-TARS has no word for it.
        """
        thought = f"Thought: {action.cot.strip()}\n" if action.cot.strip() else ""
        return f"{thought}Action: {self._call(action)}"

    def _call(self, action: Action) -> str:
        match action:
            case Click():
                return f"click({self._box('start', action.point, action)})"
            case DoubleClick():
                return f"left_double({self._box('start', action.point, action)})"
            case LongPress():
                time = "" if action.duration_s is None else f", time='{action.duration_s:g}'"
                return f"long_press({self._box('start', action.point, action)}{time})"
            case Type():
                if action.point is not None or action.element is not None:
                    raise InvalidActionError("UI-TARS types where the focus is: tap first")
                return f"type(content='{_escape(action.value + chr(10) * action.submit)}')"
            case Slide():
                start = self._box("start", action.point1, action)
                return f"drag({start}, {self._box('end', action.point2, action)})"
            case Scroll():
                where = "" if action.point is None else self._box("start", action.point, action)
                comma = ", " if where else ""
                return f"scroll({where}{comma}direction='{action.direction}')"
            case Awake():
                return f"open_app(app_name='{_escape(action.value)}')"
            case Back():
                return "press_back()"
            case Home():
                return "press_home()"
            case HotKey():
                return f"hotkey(key='{action.key.lower()}')"
            case Wait():
                return f"wait(time='{action.value:g}')"
            case Complete():
                return f"finished(content='{_escape(action.return_)}')"
            case Info() | TakeOver():
                content = f"content='{_escape(action.value)}'" if action.value else ""
                return f"call_user({content})"
            case Answer() | Abort() | Note() | CallApi() | Grid():
                raise InvalidActionError(f"UI-TARS has no word for {action.action}")
            case _:
                assert_never(action)

    def _box(self, end: str, point: Point | None, action: Action) -> str:
        if point is None:
            raise InvalidActionError("UI-TARS has no element numbers; resolve it to a point")
        try:
            x, y = from_point(point, self.space, action.meta.sent_size)
        except ValueError as error:
            raise InvalidActionError(f"cannot write the point: {error}") from error
        if self.variant == "doubao":
            return f"{end}_point='<point>{x:g} {y:g}</point>'".replace("start_point", "point")
        return f"{end}_box='({x:g},{y:g})'"


def _type(content: str, reading: Reading) -> Action:
    """A trailing line break submits; a line break alone is the enter key."""
    value = content.rstrip("\r\n")
    if not value:
        reading.repair("a line break alone read as the enter key")
        return HotKey(key="ENTER")
    return Type(value=value, submit=value != content)


def _escape(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")

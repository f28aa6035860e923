"""autoglm: AutoGLM-Phone-9B and its multilingual sister.

    {thought}do(action="Tap", element=[500,320])
    <think>…</think><answer>finish(message="…")</answer>

The prompt speaks of 0-999, the model's own runner divides by 1000. The 9B often leaves the tags
out, so that the thought stands untagged before the call. Source: the published phone agent (its
prompts, its client and its action handler) and reports of odd replies.
"""

from __future__ import annotations

import json
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
    Environment,
    ImageNeeds,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.call_arguments import Arguments, Param, param
from parsers.call_dialect import CallDialect
from parsers.call_reading import Call
from parsers.errors import InvalidActionError
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
    split_thought,
    strip_edges,
)

WAIT_DEFAULT_S = 1.0
WHICH_ONE = {
    "zh": "有多个符合条件的选项，请告诉我选择哪一个。",
    "en": "Several options fit; please tell me which one to take.",
}
_ANSWER = re.compile(r"<\s{0,3}answer\s{0,3}>", re.IGNORECASE)
_SPACE = RelativeSpace(scale=1000, maximum=1000)
_ELEMENT = param("element point coordinate", is_point=True)


class AutoGlm(CallDialect):
    """Reads and writes `do(...)` and `finish(...)`; many turns, the newest picture only."""

    name = "autoglm"
    title = "AutoGLM-Phone"
    models = "AutoGLM-Phone-9B, AutoGLM-Phone-9B-Multilingual"
    default_language = "zh"
    images = ImageNeeds()
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "launch": (param("app app_name text"),),
        "tap": (_ELEMENT, param("message")),
        "type": (param("text"), _ELEMENT),
        "typename": (param("text"), _ELEMENT),
        "interact": (param("message text"),),
        "swipe": (param("start", is_point=True), param("end", is_point=True), param("duration")),
        "note": (param("message text"),),
        "callapi": (param("instruction text"),),
        "longpress": (_ELEMENT, param("duration")),
        "doubletap": (_ELEMENT,),
        "takeover": (param("message text"),),
        "back": (),
        "home": (),
        "wait": (param("duration time seconds"),),
        "finish": (param("message text"),),
    }
    stops = frozenset({"finish"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})
    drafts = True

    @property
    def space(self) -> CoordinateSpace:
        return _SPACE

    # --- prompt ---------------------------------------------------------------------------

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """System rules, the task, then replies in turn; only the present screenshot is sent."""
        prompt = need_prompt(self.prompt, self.name)
        turns = [message("system", part_of(prompt, "rules").strip())]
        opening = [request.task]
        if request.hints:
            opening.append(
                fill(part_of(prompt, "hints"), {"hints": hint_lines(request.hints)}).strip()
            )
        past = (
            []
            if request.markov_mode
            else past_turns(request.environments, request.actions, 0, self._write_past)
        )
        now = [observation_text(prompt, request.current), _screen_info(request.current)]
        if past:
            turns.append(message("user", "\n\n".join(opening)))
            turns += past
        else:
            now = [*opening, *now]
        words = "\n\n".join(part for part in now if part)
        turns.append(message("user", [image_part(request.current.image), text_part(words)]))
        return turns

    def _write_past(self, action: Action) -> str:
        return f"<think>{action.cot}</think><answer>{self._call(action)}</answer>"

    # --- reply ----------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        return name in ("do", "finish")

    def is_stop(self, call: Call) -> bool:
        return _split_call(call)[0] == "finish"

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        if not rest and is_thinking_open(text) and (answers := list(_ANSWER.finditer(thought))):
            reading.repair("the thinking is not closed")
            thought, rest = thought[: answers[-1].start()], thought[answers[-1].end() :]
        elif answer := _ANSWER.search(rest):
            # All that is answered counts: a second answer may contradict the first.
            thought = f"{thought}\n{rest[: answer.start()]}".strip()
            rest = rest[answer.end() :]
            return self.read_one(strip_edges(rest), reading, thought=thought, drafts=False)
        return self.read_one(strip_edges(rest), reading, thought=thought)

    def act_on(self, call: Call, reading: Reading) -> Action:
        name, arguments = _split_call(call)
        if not name and call.cut:
            raise Refused("truncated", "the reply was cut before the action's name", call.name)
        if not name:
            raise Refused("missing_arg", 'do(...) needs an action: do(action="Tap", …)', call.name)
        return super().act_on(Call(name, arguments, call.start, call.end, call.cut), reading)

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "tap":
                asks = args.optional_text("message")
                return Click(point=args.point("element"), confirm=asks or None)
            case "doubletap":
                return DoubleClick(point=args.point("element"))
            case "longpress":
                length_s = args.seconds("duration") if args.has("duration") else None
                return LongPress(point=args.point("element"), duration_s=length_s)
            case "type" | "typename":
                return Type(
                    value=args.text("text"), point=args.optional_point("element"), clear=True
                )
            case "swipe":
                length_s = args.seconds("duration") if args.has("duration") else None
                return Slide(
                    point1=args.point("start"), point2=args.point("end"), duration_s=length_s
                )
            case "launch":
                return Awake(value=args.text("app").strip())
            case "back":
                return Back()
            case "home":
                return Home()
            case "wait":
                return Wait(value=args.seconds("duration", WAIT_DEFAULT_S))
            case "interact":
                return Info(value=args.optional_text("message") or self._which_one())
            case "takeover":
                return TakeOver(value=args.optional_text("message"))
            case "note":
                return Note(value=args.optional_text("message"))
            case "callapi":
                return CallApi(value=args.optional_text("instruction"))
            case "finish":
                return Complete(**{"return": args.optional_text("message")})
        raise Refused("unknown_action", "there is no such action", name)

    def _which_one(self) -> str:
        language = self.prompt.language if self.prompt is not None else self.default_language
        return WHICH_ONE.get(language, WHICH_ONE["en"])

    # --- writing --------------------------------------------------------------------------

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        Raises:
            InvalidActionError: AutoGLM has no word for it.
        """
        call = self._call(action)
        return f"<think>{action.cot.strip()}</think>\n<answer>{call}</answer>"

    def _call(self, action: Action) -> str:
        match action:
            case Click():
                asks = "" if action.confirm is None else f", message={_quote(action.confirm)}"
                return f'do(action="Tap", element={_box(action.point)}{asks})'
            case DoubleClick():
                return f'do(action="Double Tap", element={_box(action.point)})'
            case LongPress():
                length = _duration(action.duration_s)
                return f'do(action="Long Press", element={_box(action.point)}{length})'
            case Type():
                if action.element is not None or action.submit:
                    raise InvalidActionError("AutoGLM types text alone: tap and submit apart")
                where = "" if action.point is None else f", element={_box(action.point)}"
                return f'do(action="Type", text={_quote(action.value)}{where})'
            case Slide():
                length = _duration(action.duration_s)
                ends = f"start={_box(action.point1)}, end={_box(action.point2)}"
                return f'do(action="Swipe", {ends}{length})'
            case Awake():
                return f'do(action="Launch", app={_quote(action.value)})'
            case Back():
                return 'do(action="Back")'
            case Home():
                return 'do(action="Home")'
            case Wait():
                return f'do(action="Wait", duration="{action.value:g} seconds")'
            case Info():
                return f'do(action="Interact", message={_quote(action.value)})'
            case TakeOver():
                return f'do(action="Take_over", message={_quote(action.value)})'
            case Note():
                return f'do(action="Note", message={_quote(action.value)})'
            case CallApi():
                return f'do(action="Call_API", instruction={_quote(action.value)})'
            case Complete():
                return f"finish(message={_quote(action.return_)})"
            case Scroll() | HotKey() | Answer() | Abort() | Grid():
                raise InvalidActionError(f"AutoGLM has no word for {action.action}")
            case _:
                assert_never(action)


def _split_call(call: Call) -> tuple[str, tuple[tuple[str | None, object], ...]]:
    """`do(action="Long Press", …)` as (`longpress`, the other arguments)."""
    if call.name.lower() != "do":
        return re.sub(r"[\s_-]", "", call.name.lower()), call.arguments
    for place, (keyword, value) in enumerate(call.arguments):
        if keyword in ("action", None) and isinstance(value, str):
            rest = call.arguments[:place] + call.arguments[place + 1 :]
            return re.sub(r"[\s_-]", "", value.strip(" \"'").lower()), rest
    return "", call.arguments


def _screen_info(environment: Environment) -> str:
    app = json.dumps({"current_app": environment.foreground or ""}, ensure_ascii=False)
    return f"** Screen Info **\n\n{app}"


def _box(point: Point | None) -> str:
    if point is None:
        raise InvalidActionError("AutoGLM has no element numbers; resolve the target to a point")
    x, y = from_point(point, _SPACE)
    return f"[{x:g},{y:g}]"


def _duration(length_s: float | None) -> str:
    return "" if length_s is None else f', duration="{length_s:g} seconds"'


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'

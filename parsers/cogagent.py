"""cogagent: CogAgent-9B.

    Action: what to do, in a sentence
    Grounded Operation: CLICK(box=[[219,186,311,206]], element_info='Pay')
    <<一般操作>>

Boxes are three-digit numbers 000-999, divided by 1000; the target is the centre. A sensitive mark
asks for a person's yes. Source: the published action space and the model's README.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.action import (
    Action,
    Awake,
    CallApi,
    Click,
    Complete,
    Direction,
    DoubleClick,
    LongPress,
    Note,
    Scroll,
    Type,
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
from parsers.reading import Reading, Refused, line_matches, opposite, split_thought, strip_edges
from parsers.single_turn import build_single_turn

_LABEL = re.compile(r"[ \t*#]{0,9}Grounded\s{1,3}Operation\s{0,3}[:：]", re.IGNORECASE)
_LEFT, _RIGHT = "[<‹«《〈＜]", "[>›»》〉＞]"
# At the end of a line; models damage its brackets.
_MARKS = re.compile(
    rf"{_LEFT}{{1,2}}[^<>‹›«»《》〈〉＜＞\n'\"]{{1,40}}{_RIGHT}{{0,2}}[ \t]*$", re.MULTILINE
)
# A question too many costs less than one too few: any bracket on either side will do.
_SENSITIVE = re.compile(
    rf"{_LEFT}\s{{0,3}}(?:敏感|sensitive)|(?:敏感操作|sensitive(?: operation)?)\s{{0,3}}{_RIGHT}",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"__Cog\w{1,60}__")
_SENTENCE = re.compile(r"[ \t]{0,8}Action\s{0,3}[:：]\s{0,3}([^\n]+)", re.IGNORECASE)
_BOX = param("box", is_point=True)
_INFO = param("element_info")
_KIND = param("element_type")


class CogAgent(CallDialect):
    """Reads CogAgent's grounded operations; one picture, the history as text."""

    name = "cogagent"
    title = "CogAgent"
    models = "CogAgent-9B-20241220"
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "click": (_BOX, _KIND, _INFO),
        "double_click": (_BOX, _KIND, _INFO),
        "long_press": (_BOX, _KIND, _INFO),
        "type": (_BOX, param("text"), _KIND, _INFO),
        "scroll_down": (_BOX, param("step_count"), _KIND, _INFO),
        "scroll_up": (_BOX, param("step_count"), _KIND, _INFO),
        "scroll_left": (_BOX, param("step_count"), _KIND, _INFO),
        "scroll_right": (_BOX, param("step_count"), _KIND, _INFO),
        "key_press": (param("key"),),
        "launch": (param("app"), param("url")),
        "quote_text": (_BOX, param("output"), param("auto_scroll"), _KIND, _INFO),
        "llm": (param("prompt"), param("output")),
        "end": (),
    }
    stops = frozenset({"end"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})

    @property
    def space(self) -> CoordinateSpace:
        return RelativeSpace(scale=1000, maximum=1000)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message (the family has no system prompt)."""
        return build_single_turn(need_prompt(self.prompt, self.name), request, describe=_describe)

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        rest = strip_edges(rest)
        # One inside a line is quoted, unless there is no other; all behind the first one counts.
        label = next(line_matches(rest, _LABEL), None) or _LABEL.search(rest)
        said = rest[: label.start()] if label else ""
        body = rest[label.end() :] if label else rest
        is_sensitive = _SENSITIVE.search(body) is not None
        body = _MARKS.sub("", body).strip()
        cot = "\n".join(part.strip() for part in (thought, said) if part.strip())
        action = self.read_one(body, reading, thought=cot or " ")
        update: dict[str, object] = {"cot": cot}
        sentence = next(line_matches(said, _SENTENCE), None)
        if sentence is not None:
            update["explain"] = sentence.group(1).strip()
            update["summary"] = f"{sentence.group(1).strip()}\t{body}"
        if is_sensitive:
            update["confirm"] = str(update.get("explain") or body)
        return action.model_copy(update=update)

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "click":
                return Click(point=args.point("box"))
            case "double_click":
                return DoubleClick(point=args.point("box"))
            case "long_press":
                return LongPress(point=args.point("box"))
            case "type":
                text = args.text("text")
                if _VARIABLE.search(text):
                    raise Refused("bad_arg", "`text` holds a variable that nobody filled", text)
                return Type(value=text, point=args.optional_point("box"))
            case "scroll_down" | "scroll_up" | "scroll_left" | "scroll_right":
                direction: Direction = _DIRECTIONS[name]
                return Scroll(
                    direction=direction,
                    finger=opposite(direction),
                    point=args.optional_point("box"),
                )
            case "key_press":
                return press(read_key(args.raw("key")))
            case "launch":
                app = args.text("app").strip()
                if app.lower() == "none":
                    raise Refused("missing_arg", "`app` is missing: a phone opens apps, not URLs")
                return Awake(value=app)
            case "quote_text":
                return Note(value=args.optional_text("output"))
            case "llm":
                return CallApi(value=args.text("prompt"))
            case "end":
                return Complete()
        raise Refused("unknown_action", "there is no such action", name)


_DIRECTIONS: dict[str, Direction] = {
    "scroll_down": "down",
    "scroll_up": "up",
    "scroll_left": "left",
    "scroll_right": "right",
}


def _describe(action: Action) -> str:
    return action.summary or action.explain or action.action

"""appagent: AppAgent's lines, pointing at numbered elements.

    Observation: …
    Thought: …
    Action: tap(5)
    Summary: …

`swipe(n, "up", "medium")` names the finger's direction. `grid()` asks for a grid over the next
screenshot; then `tap(area, "top-left")`, `long_press(area, subarea)` and
`swipe(start_area, start_subarea, end_area, end_subarea)` name parts of its cells. Source: the
published prompts and scripts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.action import (
    Action,
    Click,
    Complete,
    Element,
    Grid,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
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
from parsers.grid import SUBAREAS, find_cell, point_in
from parsers.prompting import need_prompt
from parsers.reading import (
    Reading,
    Refused,
    line_matches,
    opposite,
    read_text,
    split_thought,
    strip_edges,
)
from parsers.single_turn import build_single_turn, need_elements

DISTANCES: dict[str, float] = {"short": 100.0, "medium": 200.0, "long": 300.0}
"""Swipe lengths as shares of the screen in 0-1000."""
_LINE = re.compile(
    r"[ \t*#]{0,8}(Observation|Thought|Action|Summary)[ *]{0,4}[:：][ *]{0,4}",
    re.IGNORECASE,
)
_FINISH = re.compile(r"[\s\"'`*]{0,9}FINISH[\s\"'`.。*()]{0,9}", re.IGNORECASE)
_FINISH_LINE = re.compile(r"^[ \t]{0,9}FINISH[ \t.。]{0,9}$", re.MULTILINE)
_FINISH_BESIDE = re.compile(r"\bFINISH\b(?!\s{0,3}[(（])")
_ARGUMENTS = re.compile(r"\(\s*+(?:\"[^\"]*+\"|'[^']*+'|)[^()]*+\)")
_NUMBER = param("element number index area")
_SUBAREA = param("subarea")


class AppAgent(CallDialect):
    """Reads AppAgent's replies; one numbered picture, the last summary as history."""

    name = "appagent"
    title = "AppAgent"
    models = "any model behind AppAgent's prompt"
    images = ImageNeeds(marked=True)
    needs_elements = True
    distance_words: ClassVar[Mapping[str, float]] = DISTANCES
    functions: ClassVar[Mapping[str, Sequence[Param]]] = {
        "tap": (_NUMBER, _SUBAREA),
        "text": (param("text_input text", is_text=True),),
        "long_press": (_NUMBER, _SUBAREA),
        "swipe": (
            param("element number index start_area"),
            param("direction start_subarea"),
            param("dist distance end_area"),
            param("end_subarea"),
        ),
        "grid": (),
        "finish": (),
    }
    stops = frozenset({"finish"})
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE"})

    @property
    def space(self) -> CoordinateSpace:
        return ElementSpace(base=1)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message: rules, task, the last summary, the numbered picture."""
        elements = need_elements(self.name, request.current)
        is_grid = all(element.kind == "Area" for element in elements) and bool(elements)
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            describe=_describe,
            elements=elements,
            rules="grid_rules" if is_grid else "rules",
        )

    def read(self, text: str, reading: Reading) -> Action:
        thought, rest = split_thought(text)
        parts = _split_lines(strip_edges(rest))
        said = [thought, parts.get("observation", ""), parts.get("thought", "")]
        update = {
            "cot": "\n".join(part for part in said if part),
            "summary": parts.get("summary", ""),
        }
        body = parts.get("action", parts.get("", ""))
        if _FINISH.fullmatch(body):
            return Complete(**update)
        if _FINISH_LINE.search(body) or _FINISH_BESIDE.search(_ARGUMENTS.sub("()", body)):
            raise Refused("multiple_actions", "an act and a stop in one reply: give one", body)
        return self.read_one(body, reading, thought=" ").model_copy(update=update)

    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        match name:
            case "tap":
                return Click(**_target(args, reading))
            case "long_press":
                return LongPress(**_target(args, reading))
            case "text":
                return Type(value=args.text("text_input"))
            case "swipe" if args.has("end_subarea") or _is_subarea(args, "direction"):
                return Slide(
                    point1=_point(args, "element", "direction", reading),
                    point2=_point(args, "dist", "end_subarea", reading),
                )
            case "swipe":
                finger = args.direction("direction")
                return Scroll(
                    element=args.element("element"),
                    direction=opposite(finger),
                    finger=finger,
                    distance=_distance(args.raw("dist")),
                )
            case "grid":
                return Grid()
            case "finish":
                return Complete()
        raise Refused("unknown_action", "there is no such action", name)


def _target(args: Arguments, reading: Reading) -> dict[str, Element | Point]:
    """An element; or the part of a grid's cell: its middle is the cell itself."""
    element = args.element("element")
    if not args.has("subarea") or _read_subarea(args, "subarea") == "center":
        return {"element": element}
    return {"point": _point(args, "element", "subarea", reading)}


def _point(args: Arguments, area: str, subarea: str, reading: Reading) -> Point:
    element = args.element(area)
    cell = find_cell(element, reading.context)
    if cell is None:
        raise Refused(
            "bad_element", f"`{area}` is not the number of a cell: ask for a grid with grid()",
            element.index,
        )  # fmt: skip
    return point_in(cell, _read_subarea(args, subarea))


def _is_subarea(args: Arguments, name: str) -> bool:
    """Whether the word is a part of a cell that is no direction of a swipe as well."""
    value = args.raw(name)
    return isinstance(value, str) and _fold_subarea(value) in SUBAREAS.keys() - {"left", "right"}


def _read_subarea(args: Arguments, name: str) -> str:
    word = _fold_subarea(args.text(name))
    if word not in SUBAREAS:
        raise Refused("bad_arg", f"`{name}` must be one of {', '.join(SUBAREAS)}", word)
    return word


def _fold_subarea(word: str) -> str:
    return word.strip(" \t\r\n\"'").lower().replace("_", "-").replace(" ", "-")


def _split_lines(text: str) -> dict[str, str]:
    """The labelled parts; a label that comes twice keeps its first words, an action its last."""
    parts: dict[str, str] = {}
    labels = list(line_matches(text, _LINE))
    if not labels:
        return {"": text}
    for place, label in enumerate(labels):
        end = labels[place + 1].start() if place + 1 < len(labels) else len(text)
        name, words = label.group(1).lower(), text[label.end() : end].strip()
        if name == "action" and parts.get("action") and words:
            parts["action"] += f"\n{words}"
        else:
            parts.setdefault(name, words)
    return parts


def _distance(value: object) -> float:
    word = read_text(value, "dist").strip(" \"'").lower()
    if word not in DISTANCES:
        raise Refused("bad_arg", "`dist` must be short, medium or long", value)
    return DISTANCES[word]


def _describe(action: Action) -> str:
    return action.summary or action.cot or action.action

"""step0920: GELab-Zero and Step-GUI.

A reply is a think block, then `key:value` fields separated by tabs:

    <THINK> thought </THINK>
    explain:…⇥action:CLICK⇥point:500,320⇥summary:…

Points are 0-1000 from the top left. The history is the last summary alone. Source: the published
GELab-Zero agent (its parser, its executor and its reports of odd replies).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, assert_never

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
    Exchange,
    Message,
    PromptRequest,
    RelativeSpace,
    Reply,
)
from parsers.dialect import Dialect
from parsers.errors import InvalidActionError
from parsers.mapping import WIRE_SPACE, canonical_fields, fields_to_action
from parsers.prompting import (
    fill,
    image_part,
    message,
    need_prompt,
    part_of,
    read_dialogue,
    text_part,
)
from parsers.reading import Reading, from_point
from parsers.step_fields import read_block

NO_HISTORY = "暂无历史操作"
USER_REPLIED = "用户回复说："
HINT_HEADING = "### HINT："


class Parser0920Summary(Dialect):
    """Reads and writes step0920, and builds its prompt (one user message, one picture)."""

    name = "step0920"
    aliases = ("parser_0922_summary", "parser_0920_summary", "parser_0920")
    title = "Step-GUI / GELab-Zero"
    models = "GELab-Zero-4B, Step-GUI"
    default_language = "zh"
    stop_actions: ClassVar[frozenset[str]] = frozenset({"COMPLETE", "ABORT"})

    @property
    def space(self) -> CoordinateSpace:
        return RelativeSpace(scale=1000, maximum=1000)

    # --- prompt ---------------------------------------------------------------------------

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message: rules, task, history, the screenshot, the form of the answer."""
        history = request.past[-1].summary if request.past else ""
        return self.make_status_prompt(
            request.task,
            request.current.image,
            request.hints,
            history,
            request.current.user_comment,
            dialogue=read_dialogue(request),
            last_result=request.current.last_result,
        )

    def make_status_prompt(
        self,
        task: str,
        current_image: str,
        hints: Sequence[str],
        summary_history: str,
        user_comment: str,
        *,
        dialogue: Sequence[Exchange] = (),
        last_result: str | None = None,
    ) -> list[Message]:
        """The prompt of one step.

        Args:
            task: What the user wants.
            current_image: Reference of the screenshot.
            hints: Remarks shown under their own heading.
            summary_history: Summary of the last action; empty before the first.
            user_comment: The user's words at this step.
            dialogue: Questions and answers so far, oldest first; the newest may be this step's.
            last_result: The error of the last action, if it failed; "ok" is not mentioned.

        Raises:
            PromptError: The parser has no prompt text, or it lacks a part.
        """
        prompt = need_prompt(self.prompt, self.name)
        newest = user_comment.strip()
        history = summary_history.strip() or NO_HISTORY
        if newest:
            history += f" {USER_REPLIED}{newest}"
        blocks = [fill(part_of(prompt, "task"), {"task": task})]
        talk = self._describe_dialogue(dialogue, newest)
        if talk:
            blocks.append(talk)
        blocks.append(fill(part_of(prompt, "history"), {"history": history}))
        if last_result and last_result != "ok":
            blocks.append(fill(part_of(prompt, "last_result"), {"last_result": last_result}))
        if hints:
            lines = "\n".join(f"- {hint}" for hint in hints)
            blocks.append(f"{HINT_HEADING}\n{lines}")
        blocks.append(part_of(prompt, "screenshot"))
        return [
            message(
                "user",
                [
                    # A part of its own, the same at every step: a log can keep it once, and
                    # a server can keep its prefix warm.
                    text_part(part_of(prompt, "rules").strip() + "\n\n"),
                    text_part("\n\n".join(block.strip() for block in blocks) + "\n"),
                    image_part(current_image),
                    text_part("\n" + part_of(prompt, "answer").strip()),
                ],
            )
        ]

    def _describe_dialogue(self, dialogue: Sequence[Exchange], newest: str) -> str:
        """Earlier questions and answers, then the newest user words, stressed."""
        prompt = need_prompt(self.prompt, self.name)
        earlier = list(dialogue)
        question = ""
        if newest and earlier and earlier[-1].answer.strip() == newest:
            question = earlier.pop().question
        lines = []
        if earlier:
            lines.append(part_of(prompt, "dialogue"))
            for exchange in earlier:
                name = "exchange" if exchange.question else "remark"
                facts = {
                    "question": exchange.question,
                    "answer": exchange.answer or part_of(prompt, "no_answer"),
                }
                lines.append(fill(part_of(prompt, name), facts))
        if newest:
            name = "newest_answer" if question else "newest_remark"
            lines.append(fill(part_of(prompt, name), {"question": question, "answer": newest}))
        return "\n".join(line.strip() for line in lines)

    # --- reply ----------------------------------------------------------------------------

    def read(self, text: str, reading: Reading) -> Action:
        return fields_to_action(read_block(text, reading), reading)

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        from parsers.tool_fields import read_tool_fields

        return fields_to_action(canonical_fields(read_tool_fields(reply.tool_calls)), reading)

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        The protocol has no way to write a tab or a line break inside a field: they become spaces.

        Raises:
            InvalidActionError: The kind or its target has no words in step0920.
        """
        fields: dict[str, object] = {"explain": action.explain, "action": action.action}
        fields.update(_arguments(action))
        fields["summary"] = action.summary
        line = "\t".join(f"{key}:{_one_line(str(value))}" for key, value in fields.items())
        return f"<THINK> {_one_line(action.cot)} </THINK>\n{line}\n"


def uiTars_to_frontend_action(mapping: Mapping[str, Any]) -> Action:
    """The name under which Step-GUI users know `action2action`."""
    return Parser0920Summary().action2action(mapping)


def _arguments(action: Action) -> dict[str, object]:
    match action:
        case Click() | DoubleClick() | LongPress():
            return {"point": _write_point(action.point)}
        case Type():
            fields: dict[str, object] = {"value": action.value}
            if action.element is not None:
                raise InvalidActionError("step0920 has no element numbers; resolve it to a point")
            if action.point is not None:
                fields["point"] = _write_point(action.point)
            if action.keyboard_exists:
                fields["keyboard_exists"] = "true"
            return fields
        case Slide():
            return {"point1": _write_point(action.point1), "point2": _write_point(action.point2)}
        case Scroll():
            return {"direction": action.direction} | (
                {} if action.point is None else {"point": _write_point(action.point)}
            )
        case Awake() | Info() | Abort() | Answer() | TakeOver() | Note() | CallApi():
            return {"value": action.value}
        case Wait():
            return {"value": f"{action.value:g}"}
        case HotKey():
            return {"key": action.key}
        case Complete():
            return {"return": action.return_}
        case Back() | Home() | Grid():
            return {}
        case _:
            assert_never(action)


def _write_point(point: Point | None) -> str:
    if point is None:
        raise InvalidActionError("step0920 has no element numbers; resolve the target to a point")
    x, y = from_point(point, WIRE_SPACE)
    return f"{x:g},{y:g}"


def _one_line(text: str) -> str:
    return re.sub(r"[\t\r\n\v\f\x85\u2028\u2029]+", " ", text).strip()

"""m3a: AndroidWorld's M3A and T3A prompts, for any general model.

`Reason: …` and `Action: {"action_type": …}`. The target is an element's index, counted from 0, or
x and y in pixels of the screen. The prompt shows the screenshot, the same with numbers, and the
element list; the history is one line per step. Typing presses Enter unless `"submit": false` (our
extension). Source: AndroidWorld's agents and executor.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    Click,
    Complete,
    DoubleClick,
    Element,
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
    ElementSpace,
    ImageNeeds,
    Message,
    PromptRequest,
)
from parsers.errors import InvalidActionError
from parsers.json_action import JsonAction, read_screen_point
from parsers.mobile_use import DEFAULT_WAIT_S
from parsers.mobile_use_arguments import one_line
from parsers.prompt_blocks import describe_situation, describe_steps
from parsers.prompting import fill, image_part, message, need_prompt, part_of, text_part
from parsers.reading import Reading, Refused
from parsers.single_turn import describe_elements, mark_as_data, need_elements


class M3a(JsonAction):
    """Reads and writes M3A's objects and builds its prompt of list, picture and marked picture."""

    name = "m3a"
    title = "AndroidWorld M3A / T3A"
    models = "any general model (GPT, Gemini, Claude, Qwen)"
    images = ImageNeeds(marked=True)
    needs_elements: ClassVar[bool] = True

    @property
    def space(self) -> CoordinateSpace:
        return ElementSpace(base=0)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """One user message: rules, task, past steps, the element list, both pictures."""
        prompt = need_prompt(self.prompt, self.name)
        elements = need_elements(self.name, request.current)
        steps = describe_steps(request.past, self._write_step, "\n")
        facts = {
            "task": request.task,
            "history": steps or part_of(prompt, "no_history"),
            "elements": mark_as_data(prompt, describe_elements(elements), request.current.marker),
        }
        blocks = [fill(part_of(prompt, "user"), facts)]
        situation = describe_situation(prompt, request)
        if situation:
            blocks.append(situation)
        blocks.append(part_of(prompt, "answer"))
        content = [
            text_part(part_of(prompt, "rules") + "\n\n"),
            text_part("\n\n".join(block.strip() for block in blocks)),
            image_part(request.current.image),
        ]
        if request.current.marked_image is not None:
            content.append(image_part(request.current.marked_image))
        return [message("user", content)]

    def _write_step(self, number: int, action: Action) -> str:
        said = one_line(action.summary or action.explain or action.cot)
        try:
            done = json.dumps(_write_fields(action), ensure_ascii=False)
        except InvalidActionError:
            done = action.action
        return f"Step {number}- {said} {done}" if said else f"Step {number}- {done}"

    def read_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        point = read_screen_point(fields, reading)
        index = fields.get("index")
        if index is None:
            return {} if point is None else {"point": point}
        if point is not None:
            raise Refused("conflict", "give an index or x and y, not both", fields)
        return {"element": reading.element(index, "index")}

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        Raises:
            InvalidActionError: M3A has no word for it, or a point lacks `meta.sent_size`.
        """
        fields = json.dumps(_write_fields(action), ensure_ascii=False)
        return f"Reason: {one_line(action.cot)}\nAction: {fields}"


def _write_fields(action: Action) -> dict[str, Any]:
    if action.then is not None or action.confirm is not None:
        raise _wordless(action)
    match action:
        case Click():
            return {"action_type": "click", **_write_target(action)}
        case DoubleClick():
            return {"action_type": "double_tap", **_write_target(action)}
        case LongPress(duration_s=None):
            return {"action_type": "long_press", **_write_target(action)}
        case Type():
            fields: dict[str, Any] = {"action_type": "input_text", "text": action.value}
            fields |= _write_target(action)
            if action.clear:
                fields["clear_text"] = True
            if not action.submit:
                fields["submit"] = False
            return fields
        case Scroll(distance=None):
            written = {"action_type": "scroll", "direction": action.direction}
            return {**written, **_write_target(action)}
        case HotKey(key="ENTER"):
            return {"action_type": "keyboard_enter"}
        case Home():
            return {"action_type": "navigate_home"}
        case Back():
            return {"action_type": "navigate_back"}
        case Awake():
            return {"action_type": "open_app", "app_name": action.value}
        case Wait():
            fields = {"action_type": "wait"}
            return fields if action.value == DEFAULT_WAIT_S else {**fields, "seconds": action.value}
        case Answer():
            return {"action_type": "answer", "text": action.value}
        case Complete() | Abort():
            status = "complete" if isinstance(action, Complete) else "infeasible"
            said = action.return_ if isinstance(action, Complete) else action.value
            fields = {"action_type": "status", "goal_status": status}
            return {**fields, "text": said} if said else fields
        case _:
            raise _wordless(action)


def _write_target(action: Click | DoubleClick | LongPress | Type | Scroll) -> dict[str, int]:
    if action.element is not None:
        return {"index": action.element.position}
    if action.point is None:
        return {}
    size = action.meta.sent_size
    if size is None:
        raise InvalidActionError("x and y are pixels of the screen: set meta.sent_size")
    # Not Point.to_px: the right and lower edge are legal answers of a model too.
    return {
        "x": round(action.point.x * size.width_px / 1000),
        "y": round(action.point.y * size.height_px / 1000),
    }


def _wordless(action: Action) -> InvalidActionError:
    return InvalidActionError(
        f"m3a has no word for this {action.action}; use another action or dialect",
        kind=action.action,
    )

"""mai_ui: Tongyi MAI-UI.

`<thinking>…</thinking>` and a `mobile_use` call in 0-999. `swipe` names the direction of the
*finger*. All replies stay in the conversation, the newest three screens go with their pictures.
The grounding form `<answer>{"coordinate": [x, y]}</answer>` is a click. Source: the published
navigation and grounding agents and their prompts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from parsers.action import Action, Back, Click, Home, HotKey, Scroll, Slide
from parsers.base import (
    CoordinateSpace,
    ImageNeeds,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.json_reading import JsonObject, read_objects
from parsers.mobile_use import COMMON_ACTIONS, MobileUse
from parsers.mobile_use_arguments import read_finger_scroll
from parsers.prompt_blocks import describe_situation
from parsers.prompting import (
    fill,
    image_part,
    message,
    need_prompt,
    part_of,
    past_turns,
    text_part,
)
from parsers.reading import Reading, Refused, split_thought

MAI_SPACE = RelativeSpace(scale=999, maximum=1000)
_ANSWER = re.compile(r"<answer>\s*(?=\{)")


class MaiUi(MobileUse):
    """Reads and writes MAI-UI's replies and builds its conversation of up to three pictures."""

    name = "mai_ui"
    title = "Tongyi MAI-UI"
    models = "MAI-UI 2B-235B-A22B"
    images = ImageNeeds(past=2)
    actions: ClassVar[frozenset[str]] = COMMON_ACTIONS | {"ask_user", "complete", "abort"}
    # Fine-tunes carry the names of Step-GUI.
    aliases_of_actions: ClassVar[Mapping[str, str]] = {
        "awake": "open",
        "info": "ask_user",
        "slide": "swipe",
    }

    @property
    def space(self) -> CoordinateSpace:
        return MAI_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules, the task, every reply so far (the newest with their pictures), the screen."""
        prompt = need_prompt(self.prompt, self.name)
        messages = [
            message("system", part_of(prompt, "system")),
            message("user", [text_part(fill(part_of(prompt, "user"), {"task": request.task}))]),
        ]
        if not request.markov_mode:
            messages += past_turns(
                request.environments, request.actions, self.images.past, self.write_turn
            )
        situation = describe_situation(prompt, request)
        content = [text_part(situation)] if situation else []
        messages.append(message("user", [*content, image_part(request.current.image)]))
        return messages

    def read(self, text: str, reading: Reading) -> Action:
        if "<answer>" in text:
            thought, rest = split_thought(text)
            answer = _ANSWER.search(rest)
            pieces = read_objects(rest, answer.end()) if answer else []
            if (
                len(pieces) == 1
                and isinstance(pieces[0], JsonObject)
                and pieces[0].value.keys() == {"coordinate"}
            ):
                point = reading.point(pieces[0].value["coordinate"], "coordinate")
                return Click(point=point, cot=thought)
        return super().read(text, reading)

    def read_action(self, verb: str, arguments: Mapping[str, Any], reading: Reading) -> Action:
        if verb != "swipe":
            return super().read_action(verb, arguments, reading)
        ends = [name for name in ("coordinate2", "end_coordinate", "point2") if name in arguments]
        if arguments.get("direction") is None and ends:
            return super().read_action(verb, arguments, reading)
        if ends:
            raise Refused("conflict", "a swipe has a direction or an end, not both", arguments)
        return read_finger_scroll(arguments, reading)

    def write_arguments(self, action: Action) -> dict[str, Any]:
        match action:
            case Scroll(element=None, distance=None):
                written: dict[str, Any] = {"action": "swipe", "direction": action.finger}
                if action.point is not None:
                    written["coordinate"] = self.write_point(action, action.point)
                return written
            case Slide(duration_s=None):
                return {
                    "action": "drag",
                    "start_coordinate": self.write_point(action, action.point1),
                    "end_coordinate": self.write_point(action, action.point2),
                }
            case HotKey(key="ENTER" | "RECENT") | Back() | Home():
                written = super().write_arguments(action)
                return {**written, "button": str(written["button"]).lower()}
            case _:
                written = super().write_arguments(action)
                if written.get("status") == "failure":
                    written["status"] = "fail"
                return written

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        Raises:
            InvalidActionError: MAI-UI has no word for it.
        """
        call = self.write_call(action)
        return f"<thinking>\n{action.cot}\n</thinking>\n<tool_call>\n{call}\n</tool_call>"

"""glm45v: GLM-4.1V and GLM-4.5V (4.6V) as phone agents.

`Memory: …`, `Reason: …`, `Action: {"action_type": …}`, often inside box tokens. The target is
`box_2d`, a box in 0-999 that is divided by 1000; `override` clears the field before typing, and
typing presses Enter. Every earlier step goes into the prompt as text. Source: GLM-V's GUI agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.action import Action, Element, Point
from parsers.base import (
    CoordinateSpace,
    Message,
    PromptRequest,
    RelativeSpace,
)
from parsers.json_action import JsonAction
from parsers.mobile_use_arguments import one_line
from parsers.prompting import need_prompt
from parsers.reading import Reading
from parsers.single_turn import build_single_turn

GLM_SPACE = RelativeSpace(scale=1000, maximum=1000)


class Glm45v(JsonAction):
    """Reads GLM-V's objects and builds a plain one-picture prompt."""

    name = "glm45v"
    aliases = ("glm_v",)
    title = "GLM-V GUI agent"
    models = "GLM-4.1V-Thinking, GLM-4.5V, GLM-4.6V"

    @property
    def space(self) -> CoordinateSpace:
        return GLM_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules, task, the memory and reason of every step so far, the screen."""
        return build_single_turn(need_prompt(self.prompt, self.name), request, describe=_describe)

    def read_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        for name in ("box_2d", "point", "coordinate"):
            value = fields.get(name)
            if value is not None:
                return {"point": reading.point(_without_holes(value, name), name)}
        return {}


def _without_holes(value: object, name: str) -> object:
    # An echoed placeholder `[[,,,]]` holds nothing, yet it was meant as a box: no number in it.
    return "?" if _is_hollow(value) else value


def _is_hollow(value: object) -> bool:
    return value is None or (isinstance(value, list) and any(map(_is_hollow, value)))


def _describe(action: Action) -> str:
    memory, reason = one_line(action.summary), one_line(action.explain or action.cot)
    return f"Memory: {memory or 'none'} Reason: {reason or action.action}"

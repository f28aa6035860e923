"""os_genesis: OS-Genesis 7B / 8B.

`Low-level thought: …` and `action: {"action_type": …, "x": …, "y": …}` in pixels of the screen as
it was taken. Source: OS-Genesis' AndroidWorld agents and AgentCPM-GUI's evaluation of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.action import Element, Point
from parsers.base import Message, PixelSpace, PromptRequest
from parsers.json_action import SCREEN_SPACE, JsonAction, read_screen_point
from parsers.prompting import need_prompt
from parsers.reading import Reading
from parsers.single_turn import build_single_turn


class OsGenesis(JsonAction):
    """Reads OS-Genesis' objects and builds a plain one-picture prompt."""

    name = "os_genesis"
    title = "OS-Genesis"
    models = "OS-Genesis 7B / 8B"
    type_submits = False

    @property
    def space(self) -> PixelSpace:
        return SCREEN_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """Rules with the size of the screen, task, past steps, the screen."""
        return build_single_turn(
            need_prompt(self.prompt, self.name),
            request,
            size=request.current.size or request.sent_size,
        )

    def read_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        point = read_screen_point(fields, reading)
        return {} if point is None else {"point": point}

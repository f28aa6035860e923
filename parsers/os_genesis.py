"""os_genesis: OS-Genesis 7B / 8B.

`Low-level thought: …` and `action: {"action_type": …, "x": …, "y": …}` in pixels of the screen as
it was taken. Source: OS-Genesis' AndroidWorld agents and AgentCPM-GUI's evaluation of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from parsers.action import Action, Element, Point, Size
from parsers.base import Environment, Exchange, Message, PixelSpace
from parsers.json_action import SCREEN_SPACE, JsonAction, read_screen_point
from parsers.prompt_blocks import build_plain_prompt
from parsers.reading import Reading


class OsGenesis(JsonAction):
    """Reads OS-Genesis' objects and builds a plain one-picture prompt."""

    name = "os_genesis"
    title = "OS-Genesis"
    models = "OS-Genesis 7B / 8B"
    type_submits = False

    @property
    def space(self) -> PixelSpace:
        return SCREEN_SPACE

    def env2messages4ask(
        self,
        task: str,
        environments: Sequence[Environment],
        actions: Sequence[Action],
        *,
        hints: Sequence[str] = (),
        dialogue: Sequence[Exchange] | None = None,
        sent_size: Size | None = None,
        markov_mode: bool = False,
    ) -> list[Message]:
        """Rules with the size of the screen, task, past steps, the screen."""
        return build_plain_prompt(
            self,
            task,
            environments,
            actions,
            hints=hints,
            dialogue=dialogue,
            # It answers in pixels of the screen as it was taken, whatever size is sent.
            size=environments[-1].size or sent_size,
            markov_mode=markov_mode,
        )

    def read_target(
        self, fields: Mapping[str, Any], reading: Reading
    ) -> dict[str, Point | Element]:
        point = read_screen_point(fields, reading)
        return {} if point is None else {"point": point}

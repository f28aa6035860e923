"""infigui: InfiGUI-R1 and InfiGUI-G1.

R1 answers like Qwen2.5-VL, after `<think>`; G1 with a place alone, `[{"point_2d": [x, y],
"label": …}]`, which is a click. Pixels of the picture after Qwen's resize.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parsers.action import Action
from parsers.base import CoordinateSpace
from parsers.qwen_mobile_use import QWEN25_SPACE, QwenMobileUse
from parsers.reading import Reading
from parsers.tool_calls import ToolCall


class InfiGui(QwenMobileUse):
    """Reads InfiGUI's two forms; prompt and writer are Qwen2.5's."""

    name = "infigui"
    variants = ("r1", "g1")
    title = "InfiGUI-R1 / G1"
    models = "InfiGUI-R1 3B, InfiGUI-G1"

    @property
    def space(self) -> CoordinateSpace:
        return QWEN25_SPACE

    def read_call(self, call: ToolCall, reading: Reading) -> Action:
        if not _is_place(call.arguments) or call.name:
            return super().read_call(call, reading)
        action = self.read_action("click", call.arguments, reading)
        label = call.arguments.get("label")
        return action.model_copy(update={"explain": label}) if isinstance(label, str) else action

    def _is_call(self, value: Mapping[str, Any]) -> bool:
        return _is_place(value) or super()._is_call(value)


def _is_place(value: Mapping[str, Any]) -> bool:
    return "point_2d" in value and "action" not in value

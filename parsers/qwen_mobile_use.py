"""qwen_mobile_use: Qwen2.5-VL and Qwen3-VL as phone agents.

A reply is `<tool_call>{"name": "mobile_use", "arguments": {…}}</tool_call>`, with `Thought:` and
`Action:` lines before it in Qwen3. Qwen2.5 answers in pixels of the picture after its processor's
resize, Qwen3 in 0-999. The history is text, one picture is sent. Source: Qwen's mobile cookbook.
"""

from __future__ import annotations

from typing import ClassVar

from parsers.action import Action
from parsers.base import (
    CoordinateSpace,
    Message,
    PixelSpace,
    PromptRequest,
    RelativeSpace,
)
from parsers.mobile_use import COMMON_ACTIONS, MobileUse
from parsers.mobile_use_arguments import one_line
from parsers.prompt_blocks import describe_situation, describe_steps, known_size
from parsers.prompting import fill, image_part, message, need_prompt, part_of, text_part

QWEN25_SPACE = PixelSpace(factor=28, min_pixels=4 * 28 * 28, max_pixels=16384 * 28 * 28)
QWEN3_SPACE = RelativeSpace(scale=999, maximum=1000)


class QwenMobileUse(MobileUse):
    """Reads and writes Qwen's `mobile_use` calls and builds its one-picture prompt."""

    name = "qwen_mobile_use"
    variants = ("qwen3", "qwen2.5")
    title = "Qwen-VL mobile_use"
    models = "Qwen3-VL 2B-235B, Qwen2.5-VL 3B-72B"
    actions: ClassVar[frozenset[str]] = COMMON_ACTIONS

    @property
    def space(self) -> CoordinateSpace:
        return QWEN25_SPACE if self.variant == "qwen2.5" else QWEN3_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """A system message with the tool, a user message with task, past steps and the picture."""
        prompt = need_prompt(self.prompt, self.name)
        facts = {"width": 999, "height": 999}
        if isinstance(self.space, PixelSpace):
            size = known_size(self.space, self.images, request.current, request.sent_size)
            facts = {"width": size.width_px, "height": size.height_px}
        system = fill(part_of(prompt, "system"), facts)
        if self.variant == "qwen3":
            system += "\n\n" + part_of(prompt, "format")
        steps = describe_steps(request.past, self._write_step, " ")
        query = fill(
            part_of(prompt, "user"),
            {"task": request.task, "history": steps or part_of(prompt, "no_history")},
        )
        situation = describe_situation(prompt, request)
        text = f"{query}\n\n{situation}" if situation else query
        return [
            message("system", system),
            message("user", [text_part(text + "\n"), image_part(request.current.image)]),
        ]

    def _write_step(self, number: int, action: Action) -> str:
        return f"Step {number}: {self.describe_step(action)};"

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        Raises:
            InvalidActionError: `mobile_use` has no word for it, or a pixel dialect lacks
                `meta.sent_size`.
        """
        call = f"<tool_call>\n{self.write_call(action)}\n</tool_call>"
        lines = []
        if action.cot:
            lines.append(f"Thought: {one_line(action.cot)}")
        if action.explain:
            lines.append(f'Action: "{one_line(action.explain)}"')
        return "\n".join([*lines, call])

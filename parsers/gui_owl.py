"""gui_owl: GUI-Owl 1.0 and 1.5, and the executor of Mobile-Agent v3.

1.5 answers `Action: sentence` and a `mobile_use` call in 0-1000; 1.0 `<thinking>`, the call in
pixels of the picture after its processor's resize, and a `<conclusion>`. Mobile-Agent's executor
writes `### Action ###` with bare arguments. The newest steps go with their pictures as turns, older
ones as text. `answer` ends the run. Source: the Mobile-Agent v3 and v3.5 runners.
"""

from __future__ import annotations

from typing import ClassVar

from parsers.action import Action
from parsers.base import (
    CoordinateSpace,
    ImageNeeds,
    Message,
    PixelSpace,
    PromptRequest,
    RelativeSpace,
)
from parsers.mobile_use import COMMON_ACTIONS, MobileUse
from parsers.mobile_use_arguments import one_line
from parsers.prompt_blocks import describe_situation, describe_steps, known_size
from parsers.prompting import (
    fill,
    image_part,
    message,
    need_prompt,
    part_of,
    past_turns,
    text_part,
)

# Limits of the published runner: 4 and 12800 blocks of 28x28.
OWL10_SPACE = PixelSpace(factor=28, min_pixels=3136, max_pixels=10_035_200)
OWL15_SPACE = RelativeSpace(scale=1000, maximum=1000)


class GuiOwl(MobileUse):
    """Reads and writes GUI-Owl's replies and builds its conversation of up to five pictures."""

    name = "gui_owl"
    variants = ("1.5", "1.0")
    title = "GUI-Owl / Mobile-Agent"
    models = "GUI-Owl 1.0 / 1.5, Mobile-Agent v3 / v3.5"
    images = ImageNeeds(past=4)
    actions: ClassVar[frozenset[str]] = COMMON_ACTIONS | {"interact", "call_user", "scroll"}
    answer_ends = True

    @property
    def space(self) -> CoordinateSpace:
        return OWL10_SPACE if self.variant == "1.0" else OWL15_SPACE

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        """The tool, the task with the older steps, then the newest steps picture by picture."""
        prompt = need_prompt(self.prompt, self.name)
        sides = {"width": 1000, "height": 1000}
        if isinstance(self.space, PixelSpace):
            size = known_size(self.space, self.images, request.current, request.sent_size)
            sides = {"width": size.width_px, "height": size.height_px}
        form = "format_1_0" if self.variant == "1.0" else "format"
        system = fill(part_of(prompt, "system"), sides) + "\n\n" + part_of(prompt, form)
        shown = (
            0
            if request.markov_mode
            else min(self.images.past, len(request.actions), len(request.environments) - 1)
        )
        older = (
            ""
            if request.markov_mode
            else describe_steps(request.actions, self._write_step, "\n", shown)
        )
        facts = {"task": request.task, "history": older or part_of(prompt, "no_history")}
        opening = text_part(fill(part_of(prompt, "user"), facts))
        situation = describe_situation(prompt, request)
        turns = past_turns(
            request.environments[len(request.environments) - 1 - shown :],
            request.actions[len(request.actions) - shown :],
            shown,
            self.write_turn,
        )
        closing = [text_part(situation)] if situation else []
        turns.append(message("user", [*closing, image_part(request.current.image)]))
        turns[0] = message("user", [opening, *turns[0]["content"]])
        return [message("system", system), *turns]

    def _write_step(self, number: int, action: Action) -> str:
        return f"Step {number}: {self.describe_step(action)}"

    def action2str(self, action: Action) -> str:
        """Write the reply that means this action.

        Raises:
            InvalidActionError: GUI-Owl has no word for it, or 1.0 lacks `meta.sent_size`.
        """
        call = f"<tool_call>\n{self.write_call(action)}\n</tool_call>"
        if self.variant == "1.0":
            lines = [f"<thinking>\n{action.cot}\n</thinking>", call]
            if action.summary:
                lines.append(f"<conclusion>\n{action.summary}\n</conclusion>")
        else:
            lines = [f"<think>\n{action.cot}\n</think>"] if action.cot else []
            if action.explain:
                lines.append(f"Action: {one_line(action.explain)}")
            lines.append(call)
        return "\n".join(lines)

"""What most prompts share beside their protocol: the talk with the user, failures, hints, history.

Each prompt file brings the words (`dialogue`, `exchange`, `remark`, `no_answer`, `newest_answer`,
`newest_remark`, `last_result`, `hints`); this module decides what is said and in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parsers.action import Action, Size
from parsers.base import (
    CoordinateSpace,
    Environment,
    Exchange,
    ImageNeeds,
    Message,
    Parser,
    PromptText,
)
from parsers.errors import UnsupportedInputError
from parsers.prompting import (
    derive_dialogue,
    fill,
    image_part,
    message,
    need_prompt,
    part_of,
    text_part,
)
from parsers.spaces import plan_size

HISTORY_MAX_STEPS = 50


def describe_situation(
    prompt: PromptText,
    environments: Sequence[Environment],
    actions: Sequence[Action],
    hints: Sequence[str],
    dialogue: Sequence[Exchange] | None,
) -> str:
    """All that the model must know beside task, history and picture; "" where there is nothing.

    Earlier questions and answers first, then the user's newest words (stressed), the failure of the
    last action, and the hints.
    """
    current = environments[-1]
    if dialogue is None:
        dialogue = derive_dialogue(environments, actions)
    earlier = list(dialogue)
    newest, question = current.user_comment.strip(), ""
    if newest and earlier and earlier[-1].answer.strip() == newest:
        question = earlier.pop().question
    blocks = []
    if earlier:
        lines = [part_of(prompt, "dialogue")]
        for exchange in earlier:
            answer = exchange.answer or part_of(prompt, "no_answer")
            part = "exchange" if exchange.question else "remark"
            lines.append(
                fill(part_of(prompt, part), {"question": exchange.question, "answer": answer})
            )
        blocks.append("\n".join(lines))
    if newest:
        part = "newest_answer" if question else "newest_remark"
        blocks.append(fill(part_of(prompt, part), {"question": question, "answer": newest}))
    if current.last_result and current.last_result != "ok":
        blocks.append(fill(part_of(prompt, "last_result"), {"last_result": current.last_result}))
    if hints:
        listed = "\n".join(f"- {hint}" for hint in hints)
        blocks.append(fill(part_of(prompt, "hints"), {"hints": listed}))
    return "\n\n".join(block.strip() for block in blocks)


def describe_steps(
    actions: Sequence[Action],
    write: Callable[[int, Action], str],
    separator: str,
    last: int | None = None,
) -> str:
    """Past steps as text, oldest first, each with its true number; older ones are dropped.

    Args:
        actions: All actions so far.
        write: Makes one step's text from its number (from 1) and its action.
        separator: What stands between two steps.
        last: How many of the newest are left out (they are shown with their pictures).
    """
    end = len(actions) - (last or 0)
    begin = max(0, end - HISTORY_MAX_STEPS)
    lines = [write(place + 1, actions[place]) for place in range(begin, end)]
    return separator.join(lines)


def past_turns(
    environments: Sequence[Environment], actions: Sequence[Action], count: int
) -> list[tuple[Environment, Action]]:
    """The newest `count` finished steps, oldest first: what was seen and what was done."""
    steps = list(zip(environments[:-1], actions, strict=False))
    return steps[len(steps) - min(count, len(steps)) :]


def known_size(
    space: CoordinateSpace, images: ImageNeeds, environment: Environment, sent_size: Size | None
) -> Size:
    """The size at which the screenshot is sent, for prompts that state it.

    Raises:
        UnsupportedInputError: Neither it nor the screenshot's own size is known.
    """
    if sent_size is not None:
        return sent_size
    if environment.size is None:
        raise UnsupportedInputError(
            "this prompt states the size of the picture: give sent_size or Environment.size"
        )
    return plan_size(space, images, environment.size.width_px, environment.size.height_px)


def build_plain_prompt(
    parser: Parser,
    task: str,
    environments: Sequence[Environment],
    actions: Sequence[Action],
    hints: Sequence[str],
    dialogue: Sequence[Exchange] | None,
    markov_mode: bool,
    write: Callable[[int, Action], str],
    size: Size | None = None,
) -> list[Message]:
    """A prompt of one picture: rules as system message; task, steps and screen as the user's.

    The prompt file needs `system`, `user`, `no_history` and the words of this module; `system` may
    name `{{width}}` and `{{height}}` where `size` is given.
    """
    prompt = need_prompt(parser.prompt, parser.name)
    sides = {} if size is None else {"width": size.width_px, "height": size.height_px}
    steps = "" if markov_mode else describe_steps(actions, write, "\n")
    query = fill(
        part_of(prompt, "user"), {"task": task, "history": steps or part_of(prompt, "no_history")}
    )
    situation = describe_situation(prompt, environments, actions, hints, dialogue)
    text = f"{query}\n\n{situation}" if situation else query
    return [
        message("system", [text_part(fill(part_of(prompt, "system"), sides))]),
        message("user", [text_part(text + "\n"), image_part(environments[-1].image)]),
    ]


def write_plain_step(number: int, action: Action) -> str:
    """`3. what was done`, for prompts that number their past steps."""
    said = action.explain or action.summary or action.cot
    words = " ".join(said.split())[:300]
    return f"{number}. {action.action}: {words}" if words else f"{number}. {action.action}"

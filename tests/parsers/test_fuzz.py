"""Any text is an Action with all its required fields, or a Rejection: never an exception.

2,000 replies for each dialect by default; LOCALSERVER_FUZZ_EXAMPLES sets another number.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from parsers.action import Rejection, action_from_wire
from parsers.base import Parser, Reply, ReplyContext
from parsers.registry import get_parser

FrameOf = Callable[[Parser], ReplyContext]
PATH = Path(__file__).resolve().parents[1] / "data" / "dialect_cases.jsonl"
DIALECTS = [
    *("step0920", "ui_tars", "autoglm", "ui_venus", "cogagent", "os_atlas", "aguvis", "showui"),
    *("element_dsl", "appagent", "droidrun_xml"),
]
SEEDS: dict[str, list[str]] = {}
for _line in PATH.read_text(encoding="utf-8").splitlines():
    _case = json.loads(_line)
    SEEDS.setdefault(_case["dialect"], []).append(_case["raw"])

PIECES = [
    *("<think>", "</think>", "<THINK>", "</THINK>", "<action>", "</action>", "<answer>"),
    *("\t", "\n", "\\t", " ", ":", "：", "(", ")", "（", "[", "]", "'", '"', "“", ",", "="),
    *("action:", "CLICK", "point:", "value:", "summary:", "COMPLETE", "explain:a"),
    *("Action: ", "Thought: ", "click(", "start_box=", "type(content='", "finished("),
    *("do(action=", "finish(message=", "Tap", "element=", "-1", "0", "1000", "1e999", "NaN"),
    *("pyautogui.click(x=0.5", "{'action': 'TAP'", "<invoke name=", "<parameter name=", "```"),
    *("<|box_start|>", "<point>", "</point>", "__import__", "\\", "\\u12", "\x00", "５"),
]


def _make_reply(dialect: str, seed: int) -> str:
    """Pieces of the grammar, or a handed reply with cuts, doublings and insertions."""
    random = Random(seed)
    if random.random() < 0.4:
        return "".join(random.choice(PIECES) for _ in range(random.randrange(25)))
    text = random.choice(SEEDS[dialect])
    for _ in range(random.randrange(5)):
        first, last = sorted((random.randrange(len(text) + 1), random.randrange(len(text) + 1)))
        text = random.choice(
            [
                text[:first] + text[last:],
                text[:last] + text[first:last] + text[last:],
                text[:first] + random.choice(PIECES) + text[first:],
                text[:first] + chr(random.randrange(1, 0x3000)) + text[first:],
                text[:last],
            ]
        )
    return text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_reply_raises_and_no_action_lacks_a_field(dialect: str, frame_of: FrameOf) -> None:
    parser = get_parser(dialect)
    frame = frame_of(parser)

    @given(st.integers(0, 2**60))
    @settings(settings.get_profile("parsers"), phases=[Phase.generate])
    def check(seed: int) -> None:
        text, in_reasoning = _make_reply(dialect, seed), seed % 5 == 0
        note(text)
        reply = Reply("", reasoning=text) if in_reasoning else Reply(text)
        result = parser.str2action(reply, frame)
        if isinstance(result, Rejection):
            assert len(result.span) <= 200
            assert result.message
            return
        again = action_from_wire(result.to_wire(include_meta=False))
        assert again == result.model_copy(update={"meta": again.meta})
        element = getattr(result, "element", None)
        assert element is None or 1 <= element.index <= 24

    check()

"""No reply, however odd, raises or is accepted without what its action needs.

`LOCALSERVER_FUZZ_EXAMPLES` sets how many replies each dialect gets (2,000 without it).
"""

from __future__ import annotations

import json
import os
import random
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.action import Rejection, Size, action_from_wire
from parsers.base import Parser, Reply, ReplyContext
from parsers.registry import get_parser

EXAMPLES = int(os.environ.get("LOCALSERVER_FUZZ_EXAMPLES", "2000"))
BATCH = 20
CASES = Path(__file__).parents[2] / "data" / "dialect_cases.jsonl"
SIZE = Size(width_px=1092, height_px=2408)
CONTEXT = ReplyContext(sent_size=SIZE, screen_size=SIZE, element_count=31)
DIALECTS = [
    *("qwen_mobile_use", "gui_owl", "mai_ui", "infigui", "agentcpm", "m3a"),
    *("glm45v", "os_genesis", "holo1", "claude_cu", "openai_cua"),
]
PIECES = [
    *"{}[]()\",:'\\\n\t：，“”",
    *("<tool_call>", "</tool_call>", "<think>", "</think>", "```json\n", "\n```", "⚗", "📐"),
    *("<|begin_of_box|>", "<|im_end|>", "Action: ", "### Action ###\n", "<function=click>"),
    *("<parameter=action>", "</parameter>", "null", "true", "NaN", "Infinity", "1e999", "-1"),
    *("999999", "5_00", "５", "[500, 320]", '"action": ', '"terminate"', '"click"', '"text": '),
    *('"coordinate": ', '"status": "success"', '"STATUS":"finish"', '"index": 7', "\\n", '\\"'),
    *('{"action": "click"}', '"arguments": ', '"name": "mobile_use"', "\ud83d", "\x00", "😀"),
]


@cache
def _samples(dialect: str) -> list[str]:
    base = "qwen_mobile_use" if dialect == "infigui" else dialect
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [line["raw"] for line in lines if line["dialect"] == base and line["raw"]]


def _mutate(samples: list[str], seed: int) -> str:
    """One sample with a few cuts, insertions, repetitions and splices."""
    chance = random.Random(seed)
    text = chance.choice(samples)
    for _ in range(chance.randint(1, 5)):
        begin = chance.randint(0, len(text))
        end = min(len(text), begin + chance.randint(0, 12))
        match chance.randrange(5):
            case 0:
                text = text[:begin] + text[end:]
            case 1:
                text = text[:begin]
            case 2:
                text = text[:begin] + text[begin:end] * 2 + text[end:]
            case 3:
                text = text[:begin] + chance.choice(samples)[begin:] + text[begin:]
            case _:
                text = text[:begin] + chance.choice(PIECES) + text[begin:]
    return text


def _check(parser: Parser, reply: Reply) -> None:
    result = parser.str2action(reply, CONTEXT)
    if isinstance(result, Rejection):
        assert result.message
        return
    assert result.meta.dialect == parser.name
    # The strict inverse of `to_wire` accepts it: every required field is there and in range.
    wire = json.loads(json.dumps(result.to_wire(include_meta=False)))
    assert action_from_wire(wire) == action_from_wire(result.to_wire(include_meta=False))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_mutated_reply_is_read_whole_or_refused(dialect: str) -> None:
    samples, parser = _samples(dialect), get_parser(dialect)

    @settings(max_examples=EXAMPLES // BATCH, deadline=None, database=None)
    @given(st.integers(0, 2**64))
    def check(seed: int) -> None:
        for place in range(BATCH):
            text = _mutate(samples, seed + place)
            _check(parser, Reply(content=text) if place % 5 else Reply(reasoning=text))

    check()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_text_is_read_whole_or_refused(dialect: str) -> None:
    parser = get_parser(dialect)

    @settings(max_examples=max(50, EXAMPLES // 40), deadline=None, database=None)
    @given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=20))
    def check(pieces: list[str]) -> None:
        _check(parser, Reply(content="".join(pieces)))

    check()


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(PIECES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
NAMES = st.sampled_from(
    [
        *("action", "coordinate", "coordinate2", "text", "POINT", "to", "TYPE", "STATUS"),
        *("action_type", "index", "x", "y", "box_2d", "direction", "type", "path", "duration"),
    ]
)
VERBS = st.sampled_from(["click", "swipe", "type", "terminate", "wait", "scroll", "key", "answer"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_any_native_call_is_read_whole_or_refused(dialect: str) -> None:
    parser = get_parser(dialect)

    @settings(max_examples=max(50, EXAMPLES // 40), deadline=None, database=None)
    @given(st.dictionaries(NAMES, JSON_LIKE, max_size=5), VERBS)
    def check(arguments: dict[str, object], verb: str) -> None:
        named = {"action": verb, "action_type": verb, "type": verb, **arguments}
        call = {"function": {"name": "mobile_use", "arguments": named}}
        _check(parser, Reply(tool_calls=(call,)))

    check()

"""What reading a reply of 2 KB costs: `python tests/parsers/test_speed.py` prints the table."""

from __future__ import annotations

import statistics
import time

import pytest

from parsers.action import Click, Point, Rejection, Size
from parsers.base import ReplyContext
from parsers.registry import get_parser

FRAME = ReplyContext(
    sent_size=Size(width_px=1092, height_px=2408),
    screen_size=Size(width_px=1080, height_px=2400),
    element_count=24,
)
THOUGHT = "I look at the screen first, then decide. 先看清屏幕上的内容，再决定。" * 38
REPLIES = {
    "step0920": f"<THINK> {THOUGHT} </THINK>\nexplain:a\taction:CLICK\tpoint:5,6\tsummary:s",
    "ui_tars": f"Thought: {THOUGHT}\nAction: click(start_box='(546,1204)')",
    "autoglm": f'{THOUGHT}do(action="Tap", element=[500,320])',
    "ui_venus": f"<think>{THOUGHT}</think><action>Click(box=(5,6))</action>",
    "cogagent": f"Status: {THOUGHT}\nAction: a\nGrounded Operation: CLICK(box=[[1,2,3,4]])",
    "os_atlas": f"Thoughts:\n{THOUGHT}\nActions:\nCLICK <point>[[101, 872]]</point>",
    "aguvis": f"{THOUGHT}\npyautogui.click(x=0.5, y=0.3)",
    "showui": f"<think>{THOUGHT}</think>{{'action': 'TAP', 'position': [0.5, 0.4]}}",
    "element_dsl": f"<think>{THOUGHT}</think>click(7)",
    "appagent": f"Observation: {THOUGHT}\nThought: a\nAction: tap(5)\nSummary: s",
    "droidrun_xml": f'{THOUGHT}<invoke name="click"><parameter name="index">5</parameter></invoke>',
}


def measure_s(dialect: str, rounds: int = 300) -> list[float]:
    """CPU seconds of each of `rounds` readings."""
    parser = get_parser(dialect)
    lengths_s = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = parser.str2action(REPLIES[dialect], FRAME)
        lengths_s.append(time.perf_counter() - start)
        assert not isinstance(result, Rejection)
    return lengths_s


def _measure_action_s(rounds: int = 300) -> list[float]:
    lengths_s = []
    for _ in range(rounds):
        start = time.perf_counter()
        Click(point=Point(x=5, y=6))
        lengths_s.append(time.perf_counter() - start)
    return lengths_s


@pytest.mark.parametrize("dialect", sorted(REPLIES))
def test_reading_two_kilobytes_costs_no_more_than_a_hundred_validated_actions(dialect: str) -> None:
    """A ratio with room: it catches a reading that goes wild, the benchmark shows the cost."""
    assert len(REPLIES[dialect]) > 2000
    reading_s = statistics.quantiles(measure_s(dialect), n=10)[0]
    action_s = statistics.quantiles(_measure_action_s(), n=10)[0]
    assert reading_s < 100 * action_s


if __name__ == "__main__":
    for name in REPLIES:
        print(f"{name:14} {statistics.median(measure_s(name)) * 1e6:6.0f} us median")

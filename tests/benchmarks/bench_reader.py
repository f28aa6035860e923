"""What reading a reply of about 2 KB costs, for every dialect.

    .venv/bin/python tests/benchmarks/bench_reader.py [--rounds 400]

The replies are written by the dialects themselves around a thought that fills them up, or are given
here where a dialect has no writer. Beside ours stands the obvious reader: one regular expression
for the last call or object, `json.loads` where it is one. Both take turns in the same run.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import statistics
import time
from collections.abc import Callable
from functools import partial

from parsers.action import ActionMeta, Click, Element, Point, Rejection, Size
from parsers.base import ElementSpace, Reply, ReplyContext
from parsers.errors import InvalidActionError
from parsers.registry import get_parser, list_dialects

LENGTH = 2000
FRAME = Size(width_px=1092, height_px=2408)
CONTEXT = ReplyContext(sent_size=FRAME, screen_size=FRAME, element_count=24)
THOUGHT = "I look at the screen first, then decide. 先看清屏幕上的内容，再决定下一步。 "
GIVEN = {
    "cogagent": "Status: {}\nAction: a\nGrounded Operation: CLICK(box=[[100,200,300,400]])",
    "os_atlas": "Thoughts:\n{}\nActions:\nCLICK <point>[[101, 872]]</point>",
    "aguvis": "{}\npyautogui.click(x=0.5, y=0.3)",
    "showui": "<think>{}</think>{{'action': 'TAP', 'position': [0.5, 0.4]}}",
    "appagent": "Observation: {}\nThought: a\nAction: tap(5)\nSummary: s",
    "droidrun_xml": '{}<invoke name="click"><parameter name="index">5</parameter></invoke>',
    "claude_cu": '{}\n{{"action": "left_click", "coordinate": [546, 1204]}}',
    "openai_cua": '{}\n{{"type": "click", "button": "left", "x": 546, "y": 1204}}',
    "glm45v": 'Memory: {}\nReason: r\nAction: {{"action_type": "click", "box_2d": [[5, 6, 7, 8]]}}',
    "os_genesis": '{}\naction: {{"action_type": "click", "x": 546, "y": 1204}}',
    "holo1": '{}\n{{"action": {{"action": "click_element", "x": 546, "y": 1204}}}}',
}
_LAST_OBJECT = re.compile(r"\{[^{}]*\}(?!.*\{)", re.DOTALL)
_LAST_CALL = re.compile(r"(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?!.*\w\()", re.DOTALL)


def reply_of(dialect: str) -> str:
    """A reply of about 2 KB."""
    thought = (THOUGHT * (LENGTH // len(THOUGHT) + 1))[:LENGTH]
    if dialect in GIVEN:
        return GIVEN[dialect].format(thought)
    parser = get_parser(dialect)
    base = parser.space.base if isinstance(parser.space, ElementSpace) else None
    target = (
        {"element": Element(index=5, base=base)}
        if base is not None
        else {"point": Point(x=500, y=500)}
    )
    meta = ActionMeta(sent_size=FRAME)
    try:
        written = parser.action2str(Click(cot=thought, meta=meta, **target))
    except (NotImplementedError, InvalidActionError) as error:
        raise SystemExit(f"{dialect} writes no reply; give one in GIVEN ({error})") from error
    return written if len(written) >= LENGTH else f"<think>{thought}</think>{written}"


def read_naively(reply: str) -> object:
    """The obvious reader: trusts the reply, checks nothing, knows no coordinate space."""
    found = _LAST_OBJECT.search(reply)
    if found is not None:
        try:
            return json.loads(found.group())
        except ValueError:
            try:
                return ast.literal_eval(found.group())
            except (ValueError, SyntaxError):
                pass
    call = _LAST_CALL.search(reply)
    return call.groups() if call is not None else None


def time_s(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=400)
    rounds = options.parse_args().rounds
    print(
        f"{'dialect':16} {'chars':>6} {'median us':>10} {'p95 us':>8} {'naive us':>9} {'ratio':>6}"
    )
    for dialect in list_dialects():
        text = reply_of(dialect)
        read = partial(get_parser(dialect).str2action, Reply(content=text), CONTEXT)
        result = read()
        if isinstance(result, Rejection):
            raise SystemExit(f"{dialect}: {result.code}: {result.message}")
        ours, naive = [], []
        for _ in range(rounds):
            ours.append(time_s(read))
            naive.append(time_s(partial(read_naively, text)))
        median = statistics.median(ours) * 1e6
        p95 = statistics.quantiles(ours, n=20)[-1] * 1e6
        other = statistics.median(naive) * 1e6
        print(
            f"{dialect:16} {len(text):6} {median:10.0f} {p95:8.0f} {other:9.0f} "
            f"{median / other:6.2f}"
        )


if __name__ == "__main__":
    main()

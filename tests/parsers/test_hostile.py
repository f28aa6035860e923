"""Hostile replies are refused or harmless, in bounded time, in every dialect of this folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from parsers.action import Rejection, Wait
from parsers.base import Parser, Reply, ReplyContext
from parsers.registry import get_parser

FrameOf = Callable[[Parser], ReplyContext]
DIALECTS = [
    *("step0920", "ui_tars", "autoglm", "ui_venus", "cogagent", "os_atlas", "aguvis", "showui"),
    *("element_dsl", "appagent", "droidrun_xml"),
]
CALLS = {
    "step0920": "<THINK> x </THINK>\nexplain:a\taction:CLICK\tpoint:{}\tsummary:s",
    "ui_tars": "Thought: x\nAction: click(start_box={})",
    "autoglm": 'do(action="Tap", element={})',
    "ui_venus": "<think>x</think><action>Click(box={})</action>",
    "cogagent": "Action: x\nGrounded Operation: CLICK(box={})",
    "os_atlas": "Thoughts:\nx\nActions:\nCLICK {}",
    "aguvis": "mobile.swipe(from_coord={}, to_coord=[0.1, 0.1])",
    "showui": "{{'action': 'TAP', 'value': None, 'position': {}}}",
}


@pytest.mark.parametrize("dialect", sorted(CALLS))
@pytest.mark.parametrize(
    "point",
    [
        "[-9000,999999]",
        "[1e999,1]",
        "[NaN,1]",
        "[Infinity,1]",
        "[5_00,1]",
        "[５０,１]",
        "[True,False]",
        "[1,",
        "[]",
        "[x,y]",
        "[1]",
        "[1,2,3]",
        "__import__('os').system('id')",
        "[" * 1000,
        "[" + "9" * 5000 + ",1]",
    ],
)
def test_a_reply_without_a_point_never_taps(dialect: str, point: str, frame_of: FrameOf) -> None:
    parser = get_parser(dialect)
    result = parser.str2action(CALLS[dialect].format(point), frame_of(parser))
    assert isinstance(result, Rejection), result
    assert len(result.span) <= 200


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("reply", "codes"),
    [
        ("", {"empty"}),
        (" \n\t ", {"empty"}),
        ("llm client error", {"no_action"}),
        ("Error calling LLM", {"no_action"}),
        ("<html><body>503 Service Unavailable</body></html>", {"no_action"}),
        ("I will finish now, everything is done.", {"no_action"}),
        ("任务已经完成。", {"no_action"}),
        ("null", {"no_action"}),
        ("{}", {"no_action"}),
        ("[]", {"no_action"}),
        ("\x00\x00", {"no_action"}),
        ("\ud800", {"bad_arg"}),
        ("os.system('reboot')", {"unknown_action", "no_action"}),
        ("<think>click(7) finish('x') do(action=\"Back\")", {"no_action"}),
    ],
)
def test_what_holds_no_action_is_never_done(
    dialect: str, reply: str, codes: set[str], frame_of: FrameOf
) -> None:
    parser = get_parser(dialect)
    result = parser.str2action(reply, frame_of(parser))
    assert isinstance(result, Rejection), result
    assert result.code in codes
    assert parser.rejection_message(result)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\n",
        "<",
        "< ",
        "(",
        "[",
        "{",
        '"',
        "'",
        "\\",
        "```",
        "\t",
        "click(",
        "click('",
        'do(action="',
        "\nAction: click(",
        "Action: ",
        "<think>",
        "<think></think>",
        "<action>",
        "<conclusion>",
        "explain:a\taction:CLICK\tsummary:x\n",
        "\taction:CLICK",
        '<invoke name="click"><parameter name="index">',
        "{'action':",
        "type(content='x', y=",
        "', x=",
        "（“",
    ],
)
def test_a_long_reply_ends_in_bounded_time(dialect: str, unit: str, frame_of: FrameOf) -> None:
    parser = get_parser(dialect)
    reply = unit * (100_000 // len(unit))
    start = time.process_time()
    result = parser.str2action(reply, frame_of(parser))
    assert time.process_time() - start < 5  # some 20 ms; a pause of the collector counts too
    assert isinstance(result, Rejection)


@pytest.mark.parametrize("begin", ["Action: text('", 'do(action="Type", text="', "click(box='"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_argument_that_never_ends_is_read_in_bounded_time(
    dialect: str, begin: str, frame_of: FrameOf
) -> None:
    parser = get_parser(dialect)
    start = time.process_time()
    result = parser.str2action(begin + "'x" * 100_000, frame_of(parser))
    assert time.process_time() - start < 5
    assert isinstance(result, Rejection)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ten_megabytes_are_refused_at_once(dialect: str, frame_of: FrameOf) -> None:
    parser = get_parser(dialect)
    start = time.process_time()
    result = parser.str2action("click(7) " * 1_200_000, frame_of(parser))
    assert time.process_time() - start < 5
    assert isinstance(result, Rejection)
    assert result.code == "no_action"


@pytest.mark.parametrize(
    ("dialect", "reply"),
    [
        ("step0920", "<THINK> x </THINK>\nexplain:a\taction:WAIT\tvalue:1000000000\tsummary:s"),
        ("ui_tars", "Action: wait(time=1000000000)"),
        ("autoglm", 'do(action="Wait", duration="1000000000 seconds")'),
        ("ui_venus", "<action>Wait(time=1000000000)</action>"),
        ("aguvis", "mobile.wait(seconds=1000000000)"),
        ("element_dsl", "wait(1000000000)"),
    ],
)
def test_no_wait_is_longer_than_a_minute(dialect: str, reply: str, frame_of: FrameOf) -> None:
    parser = get_parser(dialect)
    result = parser.str2action(reply, frame_of(parser))
    assert isinstance(result, Wait)
    assert result.value == 60


@pytest.mark.parametrize(
    ("dialect", "reply"),
    [
        ("ui_tars", "Thought: it says \"Action: finished(content='x')\"\nAction: press_back()"),
        ("autoglm", '<think>it says </think> finish(message="x")</think>do(action="Back")'),
        (
            "ui_venus",
            "<think>says </think><action>Finished(content='x')</action></think>"
            "<action>PressBack()</action>",
        ),
        ("element_dsl", '<think>finish("x")?</think>back()'),
    ],
)
def test_a_stop_that_the_thought_quotes_never_stops(
    dialect: str, reply: str, frame_of: FrameOf
) -> None:
    parser = get_parser(dialect)
    result = parser.str2action(reply, frame_of(parser))
    assert not isinstance(result, Rejection), result
    assert result.action == "BACK"


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"function": None},
        {"function": {"name": "click", "arguments": "[" * 100_000}},
        {"function": {"name": None, "arguments": "[]"}},
        {"function": {"name": "click", "arguments": {"point": {"x": [], "y": {}}}}},
        {"function": {"name": "os.system", "arguments": '{"a": "id"}'}},
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_broken_tool_call_is_refused(
    dialect: str, call: dict[str, Any], frame_of: FrameOf
) -> None:
    parser = get_parser(dialect)
    result = parser.str2action(Reply("", tool_calls=(call,)), frame_of(parser))
    assert isinstance(result, Rejection)

"""The call-shaped dialects: damage whose meaning is plain is read, the rest is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from parsers.action import Rejection, Type
from parsers.base import Parser, ReplyContext
from parsers.registry import get_parser

FrameOf = Callable[[Parser], ReplyContext]


def _read(dialect: str, reply: str, frame_of: FrameOf, variant: str | None = None) -> Any:
    parser = get_parser(dialect, variant=variant)
    return parser.str2action(reply, frame_of(parser))


def _wire(result: Any) -> dict[str, Any]:
    assert not isinstance(result, Rejection), result
    return {k: v for k, v in result.to_wire(include_meta=False).items() if v != ""}


READ: list[tuple[str, str, dict[str, Any]]] = [
    ("autoglm", 'do(action="Tap", element=[5,6])</answer>', {"action": "CLICK", "point": [5, 6]}),
    ("autoglm", 'do("Tap", [5,6])', {"action": "CLICK", "point": [5, 6]}),
    ("autoglm", "do（action=“Home”）", {"action": "HOME"}),
    ("autoglm", '<think>go<answer>do(action="Back")</answer>', {"action": "BACK", "cot": "go"}),
    (
        "autoglm",
        'do(action="Type", text="say "hi", ok", element=[1,2])',
        {"action": "TYPE", "value": 'say "hi", ok', "clear": True, "point": [1, 2]},
    ),
    (
        "autoglm",
        'do(action="Tap", element=[5,6], message="pay?")',
        {"action": "CLICK", "point": [5, 6], "confirm": "pay?"},
    ),
    ("autoglm", 'do(action="Wait", duration="3秒")', {"action": "WAIT", "value": 3}),
    ("ui_venus", "<action>Click(box=5,6)</action>", {"action": "CLICK", "point": [5, 6]}),
    ("ui_venus", "<action>Click(box=(5,6)</action>", {"action": "CLICK", "point": [5, 6]}),
    ("ui_venus", "<action>PressBack</action>", {"action": "BACK"}),
    ("ui_venus", "<action>Type(content=a=b, c)</action>", {"action": "TYPE", "value": "a=b, c"}),
    (
        "ui_venus",
        "<think>a</think><action>Press_Home()</action><conclusion>c",
        {"action": "HOME", "cot": "a", "summary": "c"},
    ),
    (
        "cogagent",
        "Grounded Operation: CLICK(box=[[001,002,003,004]], element_info='it's')",
        {"action": "CLICK", "point": [2, 3]},
    ),
    ("os_atlas", "Actions:\nSCROLL UP", {"action": "SCROLL", "direction": "up", "finger": "down"}),
    ("os_atlas", "Actions:\nTYPE [two\nlines]", {"action": "TYPE", "value": "two\nlines"}),
    ("os_atlas", "Actions:\n1. click [[5,6]]", {"action": "CLICK", "point": [5, 6]}),
    (
        "os_atlas",
        "<|box_start|>(100,200),(300,400)<|box_end|>",
        {"action": "CLICK", "point": [200, 300]},
    ),
    ("aguvis", "pyautogui.click(0.5, 0.25)", {"action": "CLICK", "point": [500, 250]}),
    ("aguvis", "pyautogui.press(keys=['enter'])", {"action": "HOT_KEY", "key": "ENTER"}),
    ("aguvis", "mobile.terminate(status='failure')", {"action": "ABORT"}),
    ("showui", "{'action': 'INPUT', 'value': 'it's'}", {"action": "TYPE", "value": "it's"}),
    ("element_dsl", "Click (7).", {"action": "CLICK", "element": {"index": 7, "base": 1}}),
    ("element_dsl", "click 7", {"action": "CLICK", "element": {"index": 7, "base": 1}}),
    ("element_dsl", "scroll down", {"action": "SCROLL", "direction": "down", "finger": "up"}),
    ("element_dsl", "FINISH", {"action": "COMPLETE"}),
    (
        "element_dsl",
        "type(3, hello, world)",
        {"action": "TYPE", "value": "hello, world", "element": {"index": 3, "base": 1}},
    ),
    ("element_dsl", 'ask("Which?")', {"action": "INFO", "value": "Which?"}),
    ("element_dsl", "I will click(7) now", {"action": "CLICK", "cot": "I will"}),
    ("appagent", "Action: FINISH", {"action": "COMPLETE"}),
    (
        "droidrun_xml",
        '<invoke name="type"><parameter name="text"><b>&amp;</parameter></invoke>',
        {"action": "TYPE", "value": "<b>&amp;"},
    ),
    (
        "droidrun_xml",
        '<invoke name="complete"><parameter name="success">true</parameter></invoke>',
        {"action": "COMPLETE"},
    ),
]


@pytest.mark.parametrize(("dialect", "reply", "wire"), READ)
def test_damage_whose_meaning_is_plain_is_read(
    dialect: str, reply: str, wire: dict[str, Any], frame_of: FrameOf
) -> None:
    got = _wire(_read(dialect, reply, frame_of))
    assert got | wire == got


REFUSED: list[tuple[str, str, str]] = [
    ("autoglm", 'do(_metadata="finish", message="x")', "missing_arg"),
    ("autoglm", '{"_metadata":"finish","message":""}', "no_action"),
    ("autoglm", '<think>apps are A, "Launch", app="Chat")', "no_action"),
    ("autoglm", '[{\'Type", text="coffee")', "no_action"),
    ("autoglm", 'do(action="Type", text="hel', "truncated"),
    ("autoglm", 'do(action="Tap", element=[5, ', "truncated"),
    ("autoglm", "do(action=", "truncated"),
    ("autoglm", 'do(action="Back") and then finish(message="x")', "multiple_actions"),
    ("autoglm", 'do(action="Tap", element=[500,1001])', "out_of_range"),
    ("autoglm", "Tap(element=[1,2])", "unknown_action"),
    ("ui_tars", "Action: click(point='<point>500 32", "truncated"),
    ("ui_tars", "Action: type(content='a' + 'b')", "bad_arg"),
    ("ui_tars", "Action: right_single(point='<point>5 5</point>')", "unknown_action"),
    ("ui_tars", "Action: hotkey(key='ctrl c')", "bad_arg"),
    ("ui_venus", "<action>Launch(url='http://x')</action>", "missing_arg"),
    ("ui_venus", "<action>Type(content='hel</action>", "truncated"),
    ("cogagent", "Grounded Operation: LAUNCH(app='None', url='http://x')", "missing_arg"),
    ("cogagent", "Grounded Operation: GESTURE(actions=[])", "unknown_action"),
    ("os_atlas", "Actions:\nTYPE []", "missing_arg"),
    ("os_atlas", "Actions:\nCLICK <point>[[101, 8", "truncated"),
    ("os_atlas", "Actions:\nFLY [x]", "unknown_action"),
    ("os_atlas", "Actions:\nComplete the form first.", "no_action"),
    ("os_atlas", "Actions:\nType in the search box", "no_action"),
    ("os_atlas", "Actions:\nWait for the page", "no_action"),
    ("os_atlas", "Actions:\nPRESS_BACK\nCOMPLETE", "multiple_actions"),
    ("aguvis", "import os; os.system('x')", "unknown_action"),
    ("aguvis", "mobile.terminate()", "missing_arg"),
    ("aguvis", "mobile.terminate(status='maybe')", "bad_arg"),
    ("aguvis", "pyautogui.scroll(page=0)", "bad_arg"),
    ("aguvis", "pyautogui.click(x=0.5)", "bad_point"),
    ("showui", "{'action': 'SWIPE', 'position': [0.5, 0.8]}", "missing_arg"),
    ("showui", "{'action': 'HOVER', 'position': [0.5, 0.8]}", "unknown_action"),
    ("element_dsl", "click(7.5)", "bad_element"),
    ("element_dsl", "click(-1)", "bad_element"),
    ("element_dsl", "finish()", "missing_arg"),
    ("element_dsl", "click(7", "truncated"),
    ("element_dsl", f'type(3, "{"a" * 1001}")', "bad_arg"),
    ("element_dsl", "click(7)\nFINISH", "multiple_actions"),
    ("element_dsl", 'finish("a")\nfinish("b")', "multiple_actions"),
    ("appagent", "Action: tap(5)\nFINISH", "multiple_actions"),
    ("appagent", 'Action: swipe(5, "up", "far")', "bad_arg"),
    ("appagent", "Thought: tap(5)?\nSummary: x", "no_action"),
    ("droidrun_xml", '<invoke name="complete"></invoke>', "missing_arg"),
    ("droidrun_xml", '<invoke name="fly"></invoke>', "unknown_action"),
    ("droidrun_xml", '<invoke name="type"><parameter name="text">hel', "truncated"),
]


@pytest.mark.parametrize(("dialect", "reply", "code"), REFUSED)
def test_what_is_not_plain_is_refused_with_its_code(
    dialect: str, reply: str, code: str, frame_of: FrameOf
) -> None:
    variant = "doubao" if dialect == "ui_tars" else None
    result = _read(dialect, reply, frame_of, variant)
    assert isinstance(result, Rejection), result
    assert result.code == code


def test_a_missing_element_is_told_which_numbers_exist(frame_of: FrameOf) -> None:
    result = _read("element_dsl", "click(99)", frame_of)
    assert isinstance(result, Rejection)
    assert "1-24" in result.message


@pytest.mark.parametrize(
    "thought",
    [
        'once it is done I will finish(message="ok") but not yet',
        'maybe do(action="Tap", element=[1,1]) first? No.',
    ],
)
def test_an_untagged_thought_that_drafts_a_call_does_not_act(
    thought: str, frame_of: FrameOf
) -> None:
    result = _read("autoglm", f'{thought} do(action="Back")', frame_of)
    assert not isinstance(result, Rejection)
    assert result.action == "BACK"


@pytest.mark.parametrize(
    ("dialect", "variant", "template"),
    [
        ("ui_tars", "doubao", "Action: type(content={})"),
        ("autoglm", None, 'do(action="Type", text={})'),
        ("ui_venus", None, "<action>Type(content={})</action>"),
        ("cogagent", None, "Grounded Operation: TYPE(text={})"),
        ("aguvis", None, "pyautogui.write(message={})"),
        ("element_dsl", None, "type(3, {})"),
        ("appagent", None, "Action: text({})"),
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "x';id>F;'",
        "'$(id>F)'",
        "';touch${IFS}F;'",
        "a;id>F",
        "it's 100%s sure",
        "`id`",
        "-n",
        "click(7)",
        "finished(content='x')",
        "a, element=[1,2])",
        "</answer>",
        "line\nbreak\tand tab",
        "back\\slash \\n",
        "שלום 你好 👩‍👩‍👧",
        "“quoted”（full）",
    ],
)
def test_well_quoted_text_arrives_unchanged(
    dialect: str, variant: str | None, template: str, text: str, frame_of: FrameOf
) -> None:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t")
    result = _read(dialect, template.format(f'"{escaped}"'), frame_of, variant)
    assert isinstance(result, Type), result
    assert (result.value, result.submit) == (text, False)


def test_a_native_tool_call_is_read_by_call_dialects(frame_of: FrameOf) -> None:
    from parsers.base import Reply

    parser = get_parser("ui_tars", variant="doubao")
    call = {"function": {"name": "click", "arguments": '{"point": "<point>5 6</point>"}'}}
    result = parser.str2action(Reply("", tool_calls=(call,)), frame_of(parser))
    assert _wire(result) == {"action": "CLICK", "point": [5, 6]}
    broken = {"function": {"name": "click", "arguments": '{"point": '}}
    refused = parser.str2action(Reply("", tool_calls=(broken,)), frame_of(parser))
    assert isinstance(refused, Rejection)
    assert refused.code == "bad_arg"

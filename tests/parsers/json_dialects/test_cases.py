"""The handed replies of the JSON-shaped dialects, and more of their kinds, read exactly right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.tools import read_case

DIALECTS = {
    *("qwen_mobile_use", "gui_owl", "mai_ui", "agentcpm", "m3a"),
    *("glm45v", "os_genesis", "holo1", "infigui", "claude_cu", "openai_cua"),
}
HANDED = Path(__file__).parents[2] / "data" / "dialect_cases.jsonl"
SCREEN = [1080, 2400]


def _handed() -> list[dict[str, Any]]:
    lines = HANDED.read_text(encoding="utf-8").splitlines()
    return [line for line in map(json.loads, lines) if line["dialect"] in DIALECTS]


def _check(line: dict[str, Any], expect: dict[str, Any]) -> None:
    result = read_case(line)
    if "error" in expect:
        assert result.get("rejection", {}).get("code") == expect["error"], result
        return
    out = result.get("out", {})
    for name, value in expect.items():
        if name.startswith("px"):
            for got, wanted, side in zip(out[name], value, line["screen"], strict=True):
                assert abs(got - wanted) <= max(2, 0.003 * side), result
        elif name.startswith("point"):
            assert out[name] == pytest.approx(value, abs=0.01), result
        else:
            assert out.get(name) == value, result


def test_all_handed_cases_of_these_dialects_are_here() -> None:
    assert len(_handed()) == 166


@pytest.mark.parametrize("line", _handed(), ids=lambda line: str(line["id"]))
def test_a_handed_reply_is_read_as_expected(line: dict[str, Any]) -> None:
    _check(line, line["expect"])


def _call(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "mobile_use", "arguments": {arguments}}}\n</tool_call>'


CLICK = '{"action": "click", "coordinate": [500, 320]}'
CLICKED = {"action": "CLICK", "point": [500.5, 320.32]}
OWL_CLICKED = {"action": "CLICK", "point": [500, 320]}
QWEN: list[tuple[str, str, dict[str, Any]]] = [
    ("a sign for the closing tag", _call(CLICK).replace("</tool_call>", "⚗"), CLICKED),
    (
        "the action as the tool's name",
        '<tool_call>\n{"name": "click", "arguments": {"point": [500, 320]}}\n</tool_call>',
        CLICKED,
    ),
    (
        "the action as the tool's name, its arguments beside it",
        '<tool_call>{"name": "click", "coordinate": [500, 320]}</tool_call>',
        CLICKED,
    ),
    (
        "arguments as text",
        _call(json.dumps(CLICK)),
        CLICKED,
    ),
    (
        "XML parameters",
        "<tool_call>\n<function=mobile_use>\n<parameter=action>\nclick\n</parameter>\n"
        "<parameter=coordinate>\n[500, 320]\n</parameter>\n</function>\n</tool_call>",
        CLICKED,
    ),
    (
        "XML text keeps its inner line breaks",
        "<function=mobile_use>\n<parameter=action>\ntype\n</parameter>\n"
        "<parameter=text>\n a\n<b>\n</parameter>\n</function>",
        {"action": "TYPE", "text": " a\n<b>"},
    ),
    ("a parameter cut", "<function=mobile_use><parameter=action>cli", {"error": "truncated"}),
    ("a raw newline in the text", _call('{"action": "type", "text": "a\nb"}'),
     {"action": "TYPE", "text": "a\nb"}),
    ("Python quotes and an apostrophe", _call("{'action': 'type', 'text': 'it's me'}"),
     {"action": "TYPE", "text": "it's me"}),
    ("the opening tag lost", f'{{"name": "mobile_use", "arguments": {CLICK}}}\n</tool_call>',
     CLICKED),
    ("both last braces and the tag lost", _call(CLICK)[:-15], CLICKED),
    ("a closing tag inside the text", _call('{"action": "type", "text": "</tool_call>"}'),
     {"action": "TYPE", "text": "</tool_call>"}),
    ("an opening tag inside the text", '{"action": "type", "text": "<tool_call>{\'action\': '
     "'terminate', 'status': 'success'}</tool_call>\"}",
     {"action": "TYPE", "text": "<tool_call>{'action': 'terminate', 'status': 'success'}"
      "</tool_call>"}),
    ("full-width punctuation", _call("{“action”：“click”，“coordinate”：[500，320]}"), CLICKED),
    ("a drafted call in the thinking",
     "<think>maybe " + _call('{"action": "terminate", "status": "success"}') + "</think>\n"
     + _call(CLICK), CLICKED),
    ("thinking never closed, a whole call at its end", "<think>tap it\n" + _call(CLICK), CLICKED),
    ("thinking never closed, no call", "<think>I could click {x}", {"error": "no_action"}),
    ("an object in the thought line",
     'Thought: the page shows {"price": 3}.\nAction: "Tap."\n' + CLICK, CLICKED),
    ("a drafted object before the last Action label",
     'Thought: not {"action": "terminate", "status": "success"}.\nAction: ' + CLICK, CLICKED),
    ("the point as text", _call('{"action": "click", "coordinate": "(500, 320)"}'), CLICKED),
    ("the point nested", _call('{"action": "click", "coordinate": [[500, 320]]}'), CLICKED),
    ("the point as an object", _call('{"action": "click", "coordinate": {"x": 500, "y": 320}}'),
     CLICKED),
    ("x and y", _call('{"action": "click", "x": 500, "y": 320}'), CLICKED),
    ("the corner itself", _call('{"action": "click", "coordinate": [999, 999]}'),
     {"action": "CLICK", "px": [1079, 2399]}),
    ("zero is a coordinate", _call('{"action": "click", "coordinate": [0, 0]}'),
     {"action": "CLICK", "point": [0, 0], "px": [0, 0]}),
    ("the whole reply printed with its escapes",
     '<tool_call>\\n{\\"name\\": \\"mobile_use\\", \\"arguments\\": {\\"action\\": \\"click\\", '
     '\\"coordinate\\": [500, 320]}}\\n</tool_call>', CLICKED),
    ("NaN", _call('{"action": "click", "coordinate": [NaN, 320]}'), {"error": "bad_point"}),
    ("Infinity", _call('{"action": "click", "coordinate": [Infinity, 3]}'), {"error": "bad_point"}),
    ("1e999", _call('{"action": "click", "coordinate": [1e999, 3]}'), {"error": "bad_point"}),
    ("letters", _call('{"action": "click", "coordinate": [x, y]}'), {"error": "bad_point"}),
    ("booleans", _call('{"action": "click", "coordinate": [true, false]}'), {"error": "bad_point"}),
    ("underscored digits", _call('{"action": "click", "coordinate": [5_00, 3]}'),
     {"error": "bad_point"}),
    ("full-width digits", _call('{"action": "click", "coordinate": [５００, 3]}'),
     {"error": "bad_point"}),
    ("three numbers", _call('{"action": "click", "coordinate": [1, 2, 3]}'),
     {"error": "bad_point"}),
    ("an empty point", _call('{"action": "click", "coordinate": []}'), {"error": "missing_arg"}),
    ("pixels in the 0-999 space", _call('{"action": "click", "coordinate": [540, 1912]}'),
     {"error": "out_of_range"}),
    ("a key twice", _call('{"action": "click", "coordinate": [1, 2], "coordinate": [3, 4]}'),
     {"error": "conflict"}),
    ("two names of one point", _call('{"action": "click", "coordinate": [1, 2], "point": [3, 4]}'),
     {"error": "conflict"}),
    ("empty text", _call('{"action": "type", "text": ""}'), {"error": "missing_arg"}),
    ("an empty app", _call('{"action": "open", "text": " "}'), {"error": "missing_arg"}),
    ("no status", _call('{"action": "terminate"}'), {"error": "missing_arg"}),
    ("an unknown status", _call('{"action": "terminate", "status": "maybe"}'),
     {"error": "bad_arg"}),
    ("a negative wait", _call('{"action": "wait", "time": -5}'), {"error": "bad_arg"}),
    ("an endless wait", _call('{"action": "wait", "time": 1000000000}'),
     {"action": "WAIT", "seconds": 60}),
    ("a very long press", _call('{"action": "long_press", "coordinate": [0, 0], "time": 99}'),
     {"action": "LONGPRESS", "seconds": 10}),
    ("cut in the text", _call('{"action": "type", "text": "hel')[:-15], {"error": "truncated"}),
    ("cut after a comma", '<tool_call>\n{"name": "mobile_use", "arguments": {"action": "swipe",',
     {"error": "truncated"}),
    ("cut in a bare number", '{"action": "wait", "time": 1', {"error": "truncated"}),
    ("several acts: the first", _call(CLICK) + "\n" + _call('{"action": "wait", "time": 1}'),
     CLICKED),
    ("two ends that differ", _call('{"action": "terminate", "status": "success"}')
     + _call('{"action": "terminate", "status": "failure"}'), {"error": "multiple_actions"}),
    ("an answer and an end", _call('{"action": "answer", "text": "9"}')
     + _call('{"action": "terminate", "status": "success"}'), {"error": "multiple_actions"}),
    ("a list of calls", f"<tool_call>[{CLICK}]</tool_call>", CLICKED),
    ("an object that is no call", 'The page says {"total": 3}.', {"error": "no_action"}),
    ("the arguments are a number", '<tool_call>{"name": "mobile_use", "arguments": 7}</tool_call>',
     {"error": "bad_arg"}),
    ("spaces alone", " \n\t", {"error": "empty"}),
    ("the client's own error", "Error calling LLM", {"error": "no_action"}),
    ("an HTML page", "<html><body>503 Service Unavailable</body></html>", {"error": "no_action"}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "raw", "expect"), QWEN, ids=[case[0] for case in QWEN])
def test_more_damage_to_qwen_is_read_or_refused(why: str, raw: str, expect: dict[str, Any]) -> None:
    _check({"dialect": "qwen_mobile_use", "screen": SCREEN, "raw": raw}, expect)


OTHERS: list[tuple[str, str | None, str, str, dict[str, Any]]] = [
    ("gui_owl", None, "an answer ends the run", _call('{"action": "answer", "text": "4"}'),
     {"action": "COMPLETE", "return": "4"}),
    ("gui_owl", None, "interact hands over", _call('{"action": "interact", "text": "log in"}'),
     {"action": "TAKE_OVER", "text": "log in"}),
    ("gui_owl", None, "fence and Python quotes in the executor's form",
     "### Thought ###\nTap.\n\n### Action ###\n```json\n{'action': 'click', 'coordinate': "
     "[500, 320]}\n```\n\n### Description ###\nTap the icon.",
     {**OWL_CLICKED, "summary": "Tap the icon."}),
    ("gui_owl", None, "a draft in the executor's thought",
     '### Thought ###\nNot {"action": "terminate", "status": "success"}.\n### Action ###\n'
     f"{CLICK}\n### Description ###\nTap.", OWL_CLICKED),
    ("gui_owl", "1.0", "the conclusion is the summary",
     f"<thinking>\nt\n</thinking>\n{_call(CLICK)}\n<conclusion>\nDone so.\n</conclusion>",
     {"action": "CLICK", "summary": "Done so."}),
    ("gui_owl", None, "pixels in the 0-1000 space", _call(CLICK.replace("320", "1201")),
     {"error": "out_of_range"}),
    ("gui_owl", None, "1000 of 1000 is the last pixel", _call(CLICK.replace("500", "1000")),
     {"action": "CLICK", "px": [1079, 768]}),
    ("mai_ui", None, "the grounding form",
     "<grounding_think>there</grounding_think>\n<answer>\n{\"coordinate\": [500, 320]}\n</answer>",
     CLICKED),
    ("mai_ui", None, "a coordinate alone is no action", '{"coordinate": [500, 320]}',
     {"error": "no_action"}),
    ("mai_ui", None, "a swipe names the finger, with a place",
     _call('{"action": "swipe", "direction": "up", "coordinate": [500, 320]}'),
     {"action": "SCROLL", "direction": "down", "finger": "up", "point": [500.5, 320.32]}),
    ("mai_ui", None, "a swipe without a direction", _call('{"action": "swipe"}'),
     {"error": "missing_arg"}),
    ("mai_ui", None, "fail", _call('{"action": "terminate", "status": "fail"}'),
     {"action": "ABORT"}),
    ("mai_ui", None, "Step names", _call('{"action": "INFO", "text": "Which?"}'),
     {"action": "INFO", "text": "Which?"}),
    ("mai_ui", None, "Step's COMPLETE", _call('{"action": "COMPLETE"}'), {"action": "COMPLETE"}),
    ("mai_ui", None, "printed line breaks", f"<thinking>\\nt\\n</thinking>\\n{_call(CLICK)}\\n",
     CLICKED),
    ("mai_ui", None, "the client's own error", "llm client error", {"error": "no_action"}),
    ("mai_ui", None, "the menu button", _call('{"action": "system_button", "button": "menu"}'),
     {"action": "HOT_KEY", "key": "RECENT"}),
    ("infigui", None, "a place is a click", '<think>t</think>[{"point_2d": [546, 1204], '
     '"label": "OK"}]', {"action": "CLICK", "point": [500, 500]}),
    ("infigui", None, "Qwen's form", "<think>t</think>\n" + _call(CLICK),
     {"action": "CLICK", "px": [495, 319]}),
    ("agentcpm", None, "an act carries the end", '{"POINT":[480,320],"STATUS":"finish"}',
     {"action": "CLICK", "point": [480, 320], "then": "COMPLETE"}),
    ("agentcpm", None, "an act with continue", '{"POINT":[480,320],"STATUS":"continue"}',
     {"action": "CLICK", "point": [480, 320]}),
    ("agentcpm", None, "an act and impossible", '{"POINT":[480,320],"STATUS":"impossible"}',
     {"error": "multiple_actions"}),
    ("agentcpm", None, "satisfied", '{"STATUS":"satisfied"}', {"action": "COMPLETE"}),
    ("agentcpm", None, "interrupt", '{"STATUS":"interrupt"}', {"action": "ABORT"}),
    ("agentcpm", None, "need_feedback asks what was thought",
     '{"thought":"选哪一个？","STATUS":"need_feedback"}', {"action": "INFO", "text": "选哪一个？"}),
    ("agentcpm", None, "an unknown status", '{"STATUS":"done"}', {"error": "bad_arg"}),
    ("agentcpm", None, "app list", '{"PRESS":"APPSELECT"}', {"action": "HOT_KEY", "key": "RECENT"}),
    ("agentcpm", None, "another key", '{"PRESS":"POWER"}', {"error": "bad_arg"}),
    ("agentcpm", None, "tap, then type", '{"POINT":[500,90],"TYPE":"x"}',
     {"action": "TYPE", "point": [500, 90], "text": "x"}),
    ("agentcpm", None, "clear, then type", '{"CLEAR":null,"TYPE":"x"}',
     {"action": "TYPE", "text": "x", "clear": True}),
    ("agentcpm", None, "clearing alone", '{"CLEAR":null}', {"error": "unknown_action"}),
    ("agentcpm", None, "press and type", '{"PRESS":"HOME","TYPE":"x"}', {"error": "conflict"}),
    ("agentcpm", None, "the point as text", '{"thought":"点","POINT":"729,69"}',
     {"action": "CLICK", "point": [729, 69]}),
    ("agentcpm", None, "think for thought, Python quotes", "{'think':'点','POINT':[729,69]}",
     {"action": "CLICK", "point": [729, 69]}),
    ("agentcpm", None, "prose around", '好的，点击：{"POINT":[729,69]}，完成。',
     {"action": "CLICK", "point": [729, 69]}),
    ("agentcpm", None, "the thought cut", '{"thought":"点击右上角的', {"error": "truncated"}),
    ("agentcpm", None, "no such direction", '{"POINT":[1,2],"to":"diagonal"}',
     {"error": "bad_arg"}),
    ("agentcpm", None, "empty text", '{"TYPE":""}', {"error": "missing_arg"}),
    ("agentcpm", None, "two objects, the second an end", '{"POINT":[1,2]}\n{"STATUS":"finish"}',
     {"error": "multiple_actions"}),
    ("agentcpm", None, "nothing", "{}", {"error": "no_action"}),
    ("m3a", None, "the index as text", 'Action: {"action_type": "click", "index": "7"}',
     {"action": "CLICK", "element": 7}),
    ("m3a", None, "index zero", 'Action: {"action_type": "click", "index": 0}',
     {"action": "CLICK", "element": 0}),
    ("m3a", None, "one past the last", 'Action: {"action_type": "click", "index": 31}',
     {"error": "bad_element"}),
    ("m3a", None, "a negative index", 'Action: {"action_type": "click", "index": -1}',
     {"error": "bad_element"}),
    ("m3a", None, "a boolean index", 'Action: {"action_type": "click", "index": true}',
     {"error": "bad_element"}),
    ("m3a", None, "no target", 'Action: {"action_type": "click"}', {"error": "missing_arg"}),
    ("m3a", None, "pixels of the screen", 'Action: {"action_type": "click", "x": 540, "y": 1200}',
     {"action": "CLICK", "point": [500, 500], "px": [540, 1200]}),
    ("m3a", None, "x alone", 'Action: {"action_type": "click", "x": 540}',
     {"error": "missing_arg"}),
    ("m3a", None, "scrolling an element",
     'Action: {"action_type": "scroll", "direction": "up", "index": 5}',
     {"action": "SCROLL", "element": 5, "direction": "up", "finger": "down"}),
    ("m3a", None, "a fence", 'Reason: r\nAction:\n```json\n{"action_type": "navigate_back"}\n```',
     {"action": "BACK"}),
    ("m3a", None, "braces in the text",
     'Action: {"action_type": "input_text", "text": "a {b} c", "index": 4}',
     {"action": "TYPE", "text": "a {b} c", "element": 4}),
    ("m3a", None, "typing presses Enter",
     'Action: {"action_type": "input_text", "text": "a", "index": 4}',
     {"action": "TYPE", "submit": True, "clear": False}),
    ("m3a", None, "successful", 'Action: {"action_type": "status", "goal_status": "successful"}',
     {"action": "COMPLETE"}),
    ("m3a", None, "no status", 'Action: {"action_type": "status"}', {"error": "missing_arg"}),
    ("m3a", None, "a draft in the reason",
     'Reason: not {"action_type": "status", "goal_status": "complete"} yet\n'
     'Action: {"action_type": "wait"}', {"action": "WAIT"}),
    ("m3a", None, "an act and a stop", 'Action: {"action_type": "click", "index": 1}\n'
     '{"action_type": "status", "goal_status": "complete"}', {"error": "multiple_actions"}),
    ("glm45v", None, "a nested box", 'Memory: m\nReason: r\nAction: <|begin_of_box|>{"action_type":'
     ' "click", "box_2d": [[480, 300, 520, 340]]}<|end_of_box|>',
     {"action": "CLICK", "point": [500, 320], "summary": "m"}),
    ("glm45v", None, "a brace lost before the end token",
     'Action: <|begin_of_box|>{"action_type": "click", "box_2d": [[480,300,520,340]]<|end_of_box|>',
     {"action": "CLICK", "point": [500, 320]}),
    ("os_genesis", None, "off the screen", 'action: {"action_type": "click", "x": 5, "y": 2401}',
     {"error": "out_of_range"}),
    ("holo1", None, "an unknown wait", '{"action": {"action": "wait"}}', {"error": "missing_arg"}),
    ("holo1", None, "an empty answer", '{"action": {"action": "answer", "content": ""}}',
     {"error": "missing_arg"}),
    ("holo1", None, "nothing to do", '{"note": "", "thought": "hm", "action": null}',
     {"error": "no_action"}),
    ("claude_cu", None, "a tool_use block after prose",
     'I will tap it.\n{"type": "tool_use", "id": "t", "name": "computer", "input": '
     '{"action": "left_click", "coordinate": [546, 1204]}}',
     {"action": "CLICK", "point": [500, 500]}),
    ("claude_cu", None, "another tool", '{"type": "tool_use", "name": "bash", "input": '
     '{"command": "id"}}', {"error": "unknown_action"}),
    ("claude_cu", None, "bare prose never ends the task", "Done, the alarm is set.",
     {"error": "no_action"}),
    ("claude_cu", None, "a message that ends its turn",
     '{"role": "assistant", "content": [{"type": "text", "text": "It is set."}], '
     '"stop_reason": "end_turn"}', {"action": "COMPLETE", "return": "It is set."}),
    ("claude_cu", None, "a message that was cut", '{"role": "assistant", "content": '
     '[{"type": "text", "text": "It is"}], "stop_reason": "max_tokens"}', {"error": "no_action"}),
    ("claude_cu", None, "no right click", '{"action": "right_click", "coordinate": [1, 2]}',
     {"error": "unknown_action"}),
    ("claude_cu", None, "done without a status", '{"action": "done"}', {"error": "missing_arg"}),
    ("openai_cua", None, "a whole response", '{"output": [{"type": "reasoning", "summary": []}, '
     '{"type": "computer_call", "call_id": "c", "action": {"type": "click", "x": 546, "y": 1204, '
     '"button": "left"}, "pending_safety_checks": []}]}', {"action": "CLICK", "point": [500, 500]}),
    ("openai_cua", None, "a safety check asks a person", '{"type": "computer_call", "action": '
     '{"type": "click", "x": 546, "y": 1204}, "pending_safety_checks": [{"id": "s", "code": '
     '"malicious_instructions", "message": "Check the page."}]}',
     {"action": "CLICK", "confirm": "Check the page.", "sensitive": True}),
    ("openai_cua", None, "the right button", '{"type": "click", "x": 1, "y": 2, "button": "right"}',
     {"error": "bad_arg"}),
    ("openai_cua", None, "a scroll to nowhere", '{"type": "scroll", "scroll_x": 0, "scroll_y": 0}',
     {"error": "bad_arg"}),
    ("openai_cua", None, "no key at all", '{"type": "keypress", "keys": []}',
     {"error": "missing_arg"}),
    ("openai_cua", None, "a path of one point", '{"type": "drag", "path": [[1, 2]]}',
     {"error": "missing_arg"}),
    ("openai_cua", None, "a message item ends", '{"type": "message", "role": "assistant", '
     '"content": [{"type": "output_text", "text": "Set."}]}',
     {"action": "COMPLETE", "return": "Set."}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "variant", "why", "raw", "expect"),
    OTHERS,
    ids=[f"{case[0]}: {case[2]}" for case in OTHERS],
)
def test_more_damage_to_the_others_is_read_or_refused(
    dialect: str, variant: str | None, why: str, raw: str, expect: dict[str, Any]
) -> None:
    pixels = dialect in ("infigui", "holo1", "claude_cu", "openai_cua") or variant == "1.0"
    line = {
        "dialect": dialect,
        "variant": variant,
        "screen": SCREEN,
        "sent_image": [1092, 2408] if pixels else None,
        "elements": 31 if dialect == "m3a" else None,
        "raw": raw,
    }
    _check(line, expect)


NATIVE = [
    ("qwen_mobile_use", "mobile_use", json.loads(CLICK), CLICKED),
    ("gui_owl", "mobile_use", CLICK, OWL_CLICKED),
    ("mai_ui", "mobile_use", "{'action': 'click', 'coordinate': [500, 320],}", CLICKED),
    ("agentcpm", "act", {"POINT": [480, 320]}, {"action": "CLICK", "point": [480, 320]}),
    ("m3a", "act", {"action_type": "click", "index": 7}, {"action": "CLICK", "element": 7}),
    ("claude_cu", "computer", {"action": "left_click", "coordinate": [546, 1204]},
     {"action": "CLICK", "point": [500, 500]}),
    ("openai_cua", "computer", {"type": "click", "x": 546, "y": 1204},
     {"action": "CLICK", "point": [500, 500]}),
    ("qwen_mobile_use", "bash", {"command": "id"}, {"error": "unknown_action"}),
    ("qwen_mobile_use", "mobile_use", '{"action": "click", "coordinate": [44',
     {"error": "truncated"}),
    ("qwen_mobile_use", "mobile_use", "click it", {"error": "bad_arg"}),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "name", "arguments", "expect"), NATIVE)
def test_native_tool_calls_are_read_like_text(
    dialect: str, name: str, arguments: object, expect: dict[str, Any]
) -> None:
    line = {
        "dialect": dialect,
        "screen": SCREEN,
        "sent_image": [1092, 2408],
        "elements": 31,
        "message": {
            "content": None,
            "tool_calls": [
                {"type": "function", "function": {"name": name, "arguments": arguments}}
            ],
        },
    }
    _check(line, expect)


@pytest.mark.parametrize(
    ("reasoning", "expect"),
    [
        ("I tap it.\n" + _call(CLICK), CLICKED),
        ("I tap it.\n" + _call(CLICK) + "\nBut wait, is that right?", {"error": "no_action"}),
        ("I could " + _call('{"action": "wait", "time": 1}') + " but\n" + _call(CLICK), CLICKED),
        ("I only think.", {"error": "no_action"}),
    ],
)
def test_reasoning_alone_acts_only_where_it_ends_with_an_action(
    reasoning: str, expect: dict[str, Any]
) -> None:
    message = {"content": "", "reasoning_content": reasoning}
    _check({"dialect": "qwen_mobile_use", "screen": SCREEN, "message": message}, expect)


def test_a_reply_cut_by_its_length_never_acts() -> None:
    message = {"content": _call(CLICK), "finish_reason": "length"}
    _check(
        {"dialect": "qwen_mobile_use", "screen": SCREEN, "message": message}, {"error": "truncated"}
    )


def test_a_pixel_dialect_refuses_points_without_the_sent_size() -> None:
    line = {"dialect": "qwen_mobile_use", "variant": "qwen2.5", "screen": SCREEN}
    _check({**line, "raw": _call(CLICK)}, {"error": "bad_point"})


def test_repairs_and_warnings_are_told() -> None:
    from parsers.registry import get_parser

    action = get_parser("qwen_mobile_use").str2action(
        "{'action': 'click', 'coordinate': [500, 320], 'mood': 'good'}"
    )
    assert action.meta.repairs == ("quotes that are not JSON's", "no tool_call tag")  # type: ignore[union-attr]
    assert action.meta.warnings == ("ignored the unknown argument 'mood'",)  # type: ignore[union-attr]
    assert action.meta.space == "relative-999"  # type: ignore[union-attr]


def test_thought_explanation_and_summary_travel_with_the_action() -> None:
    from parsers.registry import get_parser

    reply = f'Thought: It is there.\nAction: "Tap the bar."\n{_call(CLICK)}'
    action = get_parser("qwen_mobile_use").str2action(reply)
    assert (action.cot, action.explain) == ("It is there.", "Tap the bar.")  # type: ignore[union-attr]

"""The end of a task is only what a whole, unambiguous reply says: in every dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from parsers.action import Action, Click, Rejection
from parsers.base import Parser, Reply, ReplyContext
from parsers.registry import get_parser

FrameOf = Callable[[Parser], ReplyContext]


@dataclass(frozen=True)
class Form:
    """How a dialect writes a whole reply: an act, a stop, and what stands round them."""

    dialect: str
    variant: str | None
    act: str
    stop: str
    before: str
    behind: str = ""

    def act_block(self) -> str:
        return self.before + self.act + self.behind

    def stop_block(self) -> str:
        return self.before + self.stop + self.behind


def _tagged(**arguments: object) -> str:
    call = json.dumps({"name": "mobile_use", "arguments": arguments})
    return f"<tool_call>\n{call}\n</tool_call>"


def _invoke(name: str, **values: str) -> str:
    inner = "\n".join(f'<parameter name="{k}">{v}</parameter>' for k, v in values.items())
    return f'<function_calls>\n<invoke name="{name}">\n{inner}\n</invoke>\n</function_calls>'


TAP = _tagged(action="click", coordinate=[10, 20])
END = _tagged(action="terminate", status="success")
M3A_STOP = '{"action_type": "status", "goal_status": "complete"}'
VENUS_END = "</action>\n<conclusion>c</conclusion>"
FORMS = [
    Form(
        *("step0920", None, "explain:e\taction:CLICK\tpoint:10,20\tsummary:s"),
        *("explain:e\taction:COMPLETE\treturn:ok\tsummary:s", "<THINK> plan </THINK>\n"),
    ),
    Form(
        *("ui_tars", "doubao", "click(point='<point>10 20</point>')", "finished(content='ok')"),
        "Thought: plan\nAction: ",
    ),
    Form(
        *("autoglm", None, 'do(action="Tap", element=[10,20])', 'finish(message="ok")'),
        *("<think>plan</think>\n<answer>", "</answer>"),
    ),
    Form("qwen_mobile_use", "qwen3", TAP, END, "Thought: plan\nAction: x\n"),
    Form("gui_owl", "1.5", TAP, _tagged(action="answer", text="ok"), "Action: x\n"),
    Form(
        *("gui_owl", "1.0", '{"action": "click", "coordinate": [1, 2]}'),
        *('{"action": "answer", "text": "ok"}', "### Thought ###\nplan\n### Action ###\n"),
    ),
    Form("mai_ui", None, TAP, END, "<thinking>\nplan\n</thinking>\n"),
    Form("agentcpm", None, '{"POINT":[10,20]}', '{"STATUS":"finish"}', ""),
    Form(
        *("ui_venus", "1.5", "Click(box=(10,20))", "Finished(content='ok')"),
        *("<think>plan</think>\n<action>", VENUS_END),
    ),
    Form(
        *("m3a", None, '{"action_type": "click", "index": 7}', M3A_STOP),
        "Reason: plan\nAction: ",
    ),
    Form("element_dsl", None, "click(7)", 'finish("ok")', ""),
    Form(
        *("cogagent", None, "CLICK(box=[[10,20,30,40]])", "END()"),
        *("Plan: p\nAction: do.\nGrounded Operation: ", "\n<<一般操作>>"),
    ),
    Form(
        *("glm45v", None, '{"action_type": "click", "box_2d": [[10,20,30,40]]}', M3A_STOP),
        "Memory: m\nReason: plan\nAction: ",
    ),
    Form(
        *("os_atlas", None, "CLICK <point>[[10, 20]]</point>", "COMPLETE"),
        "Thoughts:\nplan\nActions:\n",
    ),
    Form(
        *("os_genesis", None, '{"action_type": "click", "x": 10, "y": 20}'),
        *(M3A_STOP, "Low-level thought: plan\naction: "),
    ),
    Form(
        *("aguvis", None, "pyautogui.click(x=0.1, y=0.2)"),
        *("mobile.terminate(status='success')", "Thought: plan\nAction: "),
    ),
    Form(
        *("showui", None, "{'action': 'CLICK', 'value': None, 'position': [0.1, 0.2]}"),
        *("{'action': 'ANSWER', 'value': 'ok', 'position': None}", ""),
    ),
    Form(
        *("holo1", None, '{"thought":"t","action":{"action":"click_element","x":10,"y":20}}'),
        *('{"thought":"t","action":{"action":"answer","content":"ok"}}', ""),
    ),
    Form(
        *("openai_cua", None, '{"type":"click","x":10,"y":20}'),
        *('{"type":"message","content":"done"}', ""),
    ),
    Form(
        *("appagent", None, "tap(5)", "FINISH", "Observation: o\nThought: t\nAction: "),
        "\nSummary: s",
    ),
    Form(
        *("droidrun_xml", None, _invoke("click", index="5")),
        *(_invoke("complete", success="true", reason="ok"), "plan\n"),
    ),
    Form("infigui", "r1", TAP, END, "<think>plan</think>\n"),
]
NAMES = [f"{form.dialect}-{form.variant}" for form in FORMS]
every_form = pytest.mark.parametrize("form", FORMS, ids=NAMES)


def _read(form: Form, reply: str | Reply, frame_of: FrameOf) -> Action | Rejection:
    parser = get_parser(form.dialect, variant=form.variant)
    return parser.str2action(reply, frame_of(parser))


def _code(result: Action | Rejection) -> str:
    return result.code if isinstance(result, Rejection) else result.action


@every_form
def test_each_block_alone_is_read(form: Form, frame_of: FrameOf) -> None:
    assert isinstance(_read(form, form.act_block(), frame_of), Click)
    assert _code(_read(form, form.stop_block(), frame_of)) == "COMPLETE"


@every_form
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_act_and_a_stop_are_multiple_actions(form: Form, gap: str, frame_of: FrameOf) -> None:
    act, stop = form.act_block(), form.stop_block()
    assert _code(_read(form, act + gap + stop, frame_of)) == "multiple_actions"
    assert _code(_read(form, stop + gap + act, frame_of)) == "multiple_actions"


@every_form
def test_a_stop_that_breaks_off_never_completes(form: Form, frame_of: FrameOf) -> None:
    # Whole as soon as the last required field is: closing brackets, tags and labels may be lost.
    block = form.stop_block()
    needed = {
        "step0920": "return:",
        "showui": "'ok'",
        "agentcpm": '"finish"',
        "openai_cua": '"done"',
        "aguvis": "'success'",
        "cogagent": "END",
        "os_atlas": "COMPLETE",
        "appagent": "FINISH",
        "droidrun_xml": "true</parameter>",
        "m3a": '"complete"',
        "glm45v": '"complete"',
        "os_genesis": '"complete"',
        "element_dsl": "finish",  # a whole reply of its own
        "holo1": '"ok"',
        "autoglm": '"ok"',
        "ui_tars": "'ok'",
        "ui_venus": "'ok'",
        "gui_owl": '"ok"',
    }.get(form.dialect, '"success"')
    whole = block.index(needed) + len(needed)
    for length in range(whole):
        result = _read(form, block[:length], frame_of)
        assert _code(result) != "COMPLETE", block[:length]


@every_form
def test_a_stop_in_a_closed_thought_ends_nothing(form: Form, frame_of: FrameOf) -> None:
    for words in ("{}", "maybe {} but not yet", "```\n{}\n```"):
        thought = words.format(form.stop)
        assert _code(_read(form, f"<think>{thought}</think>\n", frame_of)) == "no_action"


@pytest.mark.parametrize(
    ("dialect", "variant", "reply"),
    [
        ("ui_tars", "doubao", "Thought: I'd finished(content='x') but no."),
        ("autoglm", None, '我想 finish(message="x") 还不行'),
        ("element_dsl", None, 'I could finish("ok") but not yet'),
        ("agentcpm", None, 'I could {"STATUS":"finish"} but not yet'),
        ("aguvis", None, "Thought: mobile.terminate(status='success')?\nAction: "),
        ("aguvis", None, "I could mobile.terminate(status='success') but not yet"),
        ("m3a", None, f"Reason: I think {M3A_STOP} is wrong.\nAction: "),
        ("glm45v", None, f"Reason: {M3A_STOP}\nAction: "),
        ("gui_owl", "1.0", '### Thought ###\nno {"action": "answer", "text": "k"}\n### Action ###'),
        ("qwen_mobile_use", "qwen3", f"Thought: I could {END} but not yet\nAction: tap"),
        ("qwen_mobile_use", "qwen3", f"Thought: {END}\nAction: tap"),
    ],
)
def test_a_stop_that_prose_mentions_ends_nothing(
    dialect: str, variant: str | None, reply: str, frame_of: FrameOf
) -> None:
    parser = get_parser(dialect, variant=variant)
    assert _code(parser.str2action(reply, frame_of(parser))) == "no_action"


@pytest.mark.parametrize("first", ["content", "call"])
def test_text_and_native_call_that_disagree_are_refused(first: str, frame_of: FrameOf) -> None:
    arguments = {"action": "click", "coordinate": [10, 20]}
    stop = {"action": "terminate", "status": "success"}
    native, content = (stop, TAP) if first == "content" else (arguments, END)
    call = {"function": {"name": "mobile_use", "arguments": json.dumps(native)}}
    parser = get_parser("qwen_mobile_use", variant="qwen3")
    result = parser.str2action(Reply(content, tool_calls=(call,)), frame_of(parser))
    assert _code(result) == "multiple_actions"


@pytest.mark.parametrize(
    ("dialect", "reply", "code"),
    [
        ("autoglm", 'finish(message="', "truncated"),
        ("autoglm", 'do(action="Tap", element=[500,320], message="', "truncated"),
        ("autoglm", 'do(action="Wait", duration="', "truncated"),
        ("autoglm", 'do(action="Tap" element=[500,320])', "bad_arg"),
        ("element_dsl", "finish(", "truncated"),
        ("element_dsl", 'finish("o', "truncated"),
        ("ui_tars", "Action: type(content='click(\\'", "truncated"),
        ("ui_venus", "<action>Finished(content='", "truncated"),
        ("showui", "{'action': 'ANSWER'", "missing_arg"),
        ("showui", "{'action': 'INPUT', 'value': 'weather', '", "truncated"),
        ("agentcpm", '{"thought":"x","TYPE":"abc","POINT"', "truncated"),
        ("m3a", 'Action: {"action_type": "input_text", "text": "hi", "', "truncated"),
        ("step0920", "<THINK> a </THINK>\nexplain:e\taction:CLICK\tpoint:(512, 8", "truncated"),
        (
            "step0920",
            "<THINK> a </THINK>\nexplain:e\taction:CLICK\tpoint:<point>512 8",
            "truncated",
        ),
        ("droidrun_xml", '<invoke name="type"><parameter name="text">', "truncated"),
        (
            "droidrun_xml",
            '<invoke name="type"><parameter name="text">a</parameter><parameter name="index">',
            "truncated",
        ),
        (
            "droidrun_xml",
            '<invoke name="type"><parameter name="text">a</parameter> b</parameter></invoke>',
            "bad_arg",
        ),
        ("appagent", "Thought: t\nAction: tap(5), FINISH\nSummary: s", "multiple_actions"),
        ("element_dsl", "click(5), finish", "multiple_actions"),
    ],
)
def test_a_damaged_reply_has_its_own_code(
    dialect: str, reply: str, code: str, frame_of: FrameOf
) -> None:
    parser = get_parser(dialect)
    assert _code(parser.str2action(reply, frame_of(parser))) == code


@pytest.mark.parametrize(
    "mark",
    ["<<敏感操作>>", "<<敏感操作>", "<‹敏感操作>", "‹敏感操作>", "《敏感操作》", "<敏感操作>"],
)
def test_a_damaged_sensitive_mark_still_asks(mark: str, frame_of: FrameOf) -> None:
    parser = get_parser("cogagent")
    reply = f"Action: pay.\nGrounded Operation: CLICK(box=[[219,186,311,206]])\n{mark}"
    result = parser.str2action(reply, frame_of(parser))
    assert isinstance(result, Click)
    assert result.confirm == "pay."


@pytest.mark.parametrize(
    ("dialect", "reply"),
    [
        ("showui", "I could {'action':'ANSWER','value':'x','position':None} but not yet"),
        (
            "droidrun_xml",
            'I could <function_calls>\n<invoke name="complete"><parameter name="success">true'
            '</parameter><parameter name="reason">x</parameter></invoke></function_calls> not yet',
        ),
        (
            "openai_cua",
            'I could {"type":"message","content":[{"type":"output_text","text":"x"}]} but not yet',
        ),
        (
            "qwen_mobile_use",
            '<think>maybe <tool_call>{"name":"mobile_use","arguments":'
            '{"action":"terminate","status":"success"}}</tool_call>',
        ),
        ("step0920", "<think>I could explain:e\taction:COMPLETE\treturn:x\tsummary:s"),
    ],
)
def test_an_end_that_is_only_mentioned_or_thought_about_ends_nothing(
    dialect: str, reply: str
) -> None:
    found = get_parser(dialect).str2action(reply)
    assert isinstance(found, Rejection)
    assert found.code == "no_action"

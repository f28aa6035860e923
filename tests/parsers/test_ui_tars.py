"""UI-TARS: calls are parsed and never evaluated; the ui-tars package's functions, made safe."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.action import Action, ActionMeta, Back, Click, HotKey, Point, Rejection, Size, Type
from parsers.base import Environment, Parser
from parsers.errors import InvalidActionError
from parsers.ui_tars import (
    parse_action,
    parse_action_to_structure_output,
    parsing_response_to_pyautogui_code,
    read_action_call,
)
from parsers.ui_tars_reading import SCHEMAS

MakeParser = Callable[..., Parser]


@pytest.mark.parametrize(
    ("text", "function", "args"),
    [
        ("click(start_box='(100,200)')", "click", {"start_box": "(100,200)"}),
        ("click(start_box=[0.1, 0.2, 0.1, 0.2])", "click", {"start_box": [0.1, 0.2, 0.1, 0.2]}),
        ("click(start_box=(1, 2))", "click", {"start_box": (1, 2)}),
        ("click('(1,2)')", "click", {"start_box": "(1,2)"}),
        ("click(500, 320)", "click", {"start_box": [500.0, 320.0]}),
        ("click(point='<point>1 2</point>')", "click", {"point": "<point>1 2</point>"}),
        ("click('<bbox>1 2 3 4</bbox>')", "click", {"start_box": "<bbox>1 2 3 4</bbox>"}),
        ("Thought: x\nAction: press_home()", "press_home", {}),
        ("```\nAction: wait()\n```", "wait", {}),
        ("type(content='it's \"ok\"')", "type", {"content": "it's \"ok\""}),
        ("type(content='a\nb')", "type", {"content": "a\nb"}),
        ("finished(content='don't, (really)')", "finished", {"content": "don't, (really)"}),
        ("scroll(direction='down')", "scroll", {"direction": "down"}),
        ("hotkey(key='ctrl c')", "hotkey", {"key": "ctrl c"}),
        ("long_press(start_box='(1,2)', time=2)", "long_press", {"start_box": "(1,2)", "time": 2}),
        ("type(content='C:\\\\temp\\n')", "type", {"content": "C:\\temp\n"}),
    ],
)  # fmt: skip
def test_a_call_is_read_with_its_literals(text: str, function: str, args: dict[str, Any]) -> None:
    assert parse_action(text) == {"function": function, "args": args}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("os.system('id')", "unknown_action"),
        ("x.click(start_box='(1,2)')", "unknown_action"),
        ("(lambda: 1)()", "unknown_action"),
        ("eval('1')", "unknown_action"),
        ("click(start_box=__import__('os').system('id'))", "bad_arg"),
        ("type(content='a' + 'b')", "bad_arg"),
        ("type(content=f'{1}')", "bad_arg"),
        ("type(content=open('/etc/passwd').read())", "bad_arg"),
        ("click(*[1])", "bad_arg"),
        ("click(**{'start_box': '(1,2)'})", "bad_arg"),
        ("click(start_box='(1,2)', foo=1)", "bad_arg"),
        ("click(start_box='(1,2)' if 1 else 2)", "bad_arg"),
        ("type(content=5)", "bad_arg"),
        ("wait(time=-1)", "bad_arg"),
        ("scroll(direction='sideways')", "bad_arg"),
        ("click(start_box={'x': 1, 'y': 2})", "bad_point"),
        ("click(start_box=b'12')", "bad_point"),
        ("click(start_box='=')", "bad_point"),
        ("click(start_box='(1,2,3)')", "bad_point"),
        ("click(start_box=True)", "bad_point"),
        ("click(start_box='(-1,2)')", "out_of_range"),
        ("click(start_box='(1,99999)')", "out_of_range"),
        ("click()", "missing_arg"),
        ("type(content='')", "missing_arg"),
        ("drag(start_box='(1,2)')", "missing_arg"),
        ("scroll(start_box='(1,2)')", "missing_arg"),
        ("click(start_box='(1,2)', point='(3,4)')", "conflict"),
        ("click(start_box='(1,", "truncated"),
        ("lambda: 1", "no_action"),
        ("", "no_action"),
        ("I am not sure.", "no_action"),
    ],
)
def test_all_else_is_none_with_a_code_beside_it(text: str, code: str) -> None:
    assert parse_action(text) is None
    reason = read_action_call(text)
    assert isinstance(reason, Rejection)
    assert reason.code == code


@pytest.mark.parametrize(
    "hostile", ["(" * 100_000, "click(" * 20_000, "-" * 100_000, "a." * 50_000]
)
def test_deep_nesting_ends_soon(hostile: str) -> None:
    assert parse_action(hostile) is None


def test_pixels_become_four_shares_of_the_resized_picture() -> None:
    [structure] = parse_action_to_structure_output(
        "Thought: go\nAction: click(start_box='(546,1204)')", 1000, 2400, 1080
    )
    assert structure["thought"] == "go"
    assert structure["action_type"] == "click"
    assert structure["action_inputs"] == {"start_box": "[0.5, 0.5, 0.5, 0.5]"}


def test_relative_numbers_are_divided_by_the_factor() -> None:
    structures = parse_action_to_structure_output(
        "Action: click(point='<point>440 110</point>')\n\ntype(content='a')",
        1000,
        2400,
        1080,
        model_type="doubao",
    )
    assert [s["action_inputs"] for s in structures] == [
        {"start_box": "[0.44, 0.11, 0.44, 0.11]"},
        {"content": "a"},
    ]


def test_shares_are_left_as_they_are() -> None:
    [structure] = parse_action_to_structure_output(
        "click(start_box=[0.1, 0.2, 0.3, 0.4])", 1000, 2400, 1080
    )
    assert structure["action_inputs"] == {"start_box": "[0.1, 0.2, 0.3, 0.4]"}


@pytest.mark.parametrize("text", ["", "nothing", "click(start_box='(9999,1)')", "rm(x=1)"])
def test_an_unreadable_reply_raises_and_gives_nothing_in_part(text: str) -> None:
    with pytest.raises(InvalidActionError):
        parse_action_to_structure_output(text, 1000, 2400, 1080)


def _structure(kind: str, **inputs: str) -> dict[str, Any]:
    return {"action_type": kind, "action_inputs": inputs}


def test_a_script_clicks_the_centre_and_quotes_what_it_types() -> None:
    script = parsing_response_to_pyautogui_code(
        [
            _structure("click", start_box="[0.1, 0.2, 0.3, 0.4]"),
            _structure("type", content="a'b\n"),
            _structure("hotkey", key="ctrl c"),
        ],
        image_height=1000,
        image_width=2000,
        input_swap=False,
    )
    assert script.splitlines() == [
        "import pyautogui",
        "import time",
        "pyautogui.click(400.0, 300.0)",
        "time.sleep(1)",
        'pyautogui.write("a\'b", interval=0.1)',
        "time.sleep(0.5)",
        "pyautogui.press('enter')",
        "time.sleep(1)",
        "pyautogui.hotkey('ctrl', 'c')",
    ]


def test_a_finished_reply_is_done() -> None:
    assert parsing_response_to_pyautogui_code(_structure("finished"), 10, 10) == "DONE"


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_nothing_of_the_model_s_words_becomes_code(text: str) -> None:
    structure = {**_structure("type", content=f"a{text}"), "thought": f"'''\n{text}\nimport os"}
    script = parsing_response_to_pyautogui_code(structure, 100, 100)
    tree = ast.parse(script)
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert called <= {"pyperclip.copy", "pyautogui.hotkey", "time.sleep", "pyautogui.press"}
    imported = [node.names[0].name for node in tree.body if isinstance(node, ast.Import)]
    assert imported in (["pyautogui", "time", "pyperclip"], ["pyautogui", "time"])


def test_every_function_of_the_schema_is_one_that_the_dialect_acts_on_or_refuses() -> None:
    from parsers.ui_tars import UiTars

    assert set(SCHEMAS) - set(UiTars.functions) == {"right_single"}
    assert set(UiTars.functions) - set(SCHEMAS) == {"left_single"}


def test_a_trailing_line_break_submits_and_alone_is_the_enter_key(make_parser: MakeParser) -> None:
    parser = make_parser("ui_tars", "doubao")
    assert isinstance(parser.str2action("Action: type(content='\\n')"), HotKey)
    typed = parser.str2action("Action: type(content='hi\\n')")
    assert isinstance(typed, Type)
    assert (typed.value, typed.submit) == ("hi", True)


def test_old_pictures_are_left_out_and_their_replies_kept(make_parser: MakeParser) -> None:
    parser = make_parser("ui_tars", "doubao")
    environments = [Environment(f"{n}.png") for n in range(8)]
    actions: list[Action] = [Back(meta=ActionMeta(raw=f"reply {n}")) for n in range(7)]
    messages = parser.env2messages4ask("t", environments, actions)
    shown = [
        part["image_url"]["url"]
        for turn in messages
        if isinstance(turn["content"], list)
        for part in turn["content"]
        if part["type"] == "image_url"
    ]
    assert shown == ["3.png", "4.png", "5.png", "6.png", "7.png"]
    replies = [turn["content"] for turn in messages if turn["role"] == "assistant"]
    assert replies == [
        "reply 0\nreply 1\nreply 2",
        *("reply 3", "reply 4", "reply 5", "reply 6"),
    ]
    assert messages[-1]["role"] == "user"


def test_a_long_session_sends_a_bounded_prompt(make_parser: MakeParser) -> None:
    parser = make_parser("ui_tars")
    actions: list[Action] = [Back(meta=ActionMeta(raw="reply"))] * 500
    messages = parser.env2messages4ask("t", [Environment("x.png")] * 501, actions)
    assert sum(str(turn).count("reply") for turn in messages) == 30
    assert sum(str(turn).count("image_url'") for turn in messages) == 10  # five parts, two words


def test_pixels_are_written_back_as_they_were_read(make_parser: MakeParser) -> None:
    parser = make_parser("ui_tars", "v1.5")
    action = Click(
        point=Point(x=500, y=500),
        meta=ActionMeta(sent_size=Size(width_px=1092, height_px=2408)),
    )
    assert parser.action2str(action) == "Action: click(start_box='(546,1204)')"
    with pytest.raises(InvalidActionError, match="size of the picture"):
        parser.action2str(Click(point=Point(x=500, y=500)))


@pytest.mark.parametrize(
    "responses", ["click", None, 7, ["x"], [None], {"action_type": "click", "action_inputs": "x"}]
)
def test_what_is_no_structured_action_is_a_typed_error(responses: Any) -> None:
    with pytest.raises(InvalidActionError, match="no script for this"):
        parsing_response_to_pyautogui_code(responses, 100, 100)


def test_the_reason_of_a_none_is_told_beside_it() -> None:
    assert parse_action("os.system('id')") is None
    refused = read_action_call("os.system('id')")
    assert isinstance(refused, Rejection)
    assert (refused.code, refused.message) == (
        "unknown_action",
        "only plain function names are allowed",
    )

"""Prompt and parser are one contract; histories are shaped as each family was trained."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from parsers.action import (
    Action,
    ActionMeta,
    Click,
    Home,
    Info,
    Point,
    Rejection,
    Size,
    Type,
)
from parsers.base import Environment, Message, Parser, ReplyContext, ScreenElement
from parsers.errors import PromptError, UnsupportedInputError
from parsers.registry import get_parser

MakeParser = Callable[..., Parser]
SCREEN = Size(width_px=1080, height_px=2400)
SENT = Size(width_px=1092, height_px=2408)
CONTEXT = ReplyContext(sent_size=SENT, screen_size=SCREEN, element_count=40)
ELEMENTS = (
    ScreenElement(0, "Search", "text field", (0, 0, 1000, 50), editable=True),
    ScreenElement(1, "Settings", "button", (0, 60, 500, 100), clickable=True),
)
PROMPTS = [
    ("qwen_mobile_use", "qwen3", "en"),
    ("qwen_mobile_use", "qwen2.5", "zh"),
    ("gui_owl", "1.5", "en"),
    ("gui_owl", "1.0", "zh"),
    ("mai_ui", None, "en"),
    ("mai_ui", None, "zh"),
    ("agentcpm", None, "zh"),
    ("agentcpm", None, "en"),
    ("m3a", None, "en"),
    ("glm45v", None, "en"),
    ("glm45v", None, "zh"),
    ("os_genesis", None, "en"),
    ("holo1", None, "en"),
    ("infigui", None, "en"),
    ("claude_cu", None, "en"),
    ("openai_cua", None, "en"),
]
# Those whose prompts show the tool's schema instead of examples.
WITHOUT_EXAMPLES = {"qwen_mobile_use", "gui_owl", "infigui", "agentcpm"}


def _environments(count: int, **last: Any) -> list[Environment]:
    return [
        Environment(
            image=f"step_{number}",
            size=SCREEN,
            elements=ELEMENTS,
            **(last if number == count else {}),
        )
        for number in range(1, count + 1)
    ]


def _text(messages: list[Message]) -> str:
    texts = []
    for message in messages:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        texts += [part["text"] for part in parts if "text" in part]
    return "\n".join(texts)


def _images(messages: list[Message]) -> list[str]:
    return [
        part["image_url"]["url"]
        for message in messages
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part.get("type") == "image_url"
    ]


def _examples(text: str) -> list[str]:
    """Every object that a prompt shows as something to write, placeholders filled in."""
    found = []
    for match in re.finditer(r'\{"(?:action|action_type|type|note)": (?:"\w+"|")', text):
        shown, _ = json.JSONDecoder().raw_decode(_fill_placeholders(text[match.start() :]))
        if "properties" not in shown and shown.get("type") != "function":
            found.append(json.dumps(shown))
    return found


def _fill_placeholders(text: str) -> str:
    line = text.partition("\n")[0]
    for name, value in {
        "[x, y]": "[498, 301]",
        "[x1, y1]": "[100, 500]",
        "[x2, y2]": "[900, 500]",
        '"text": ""': '"text": "Lunch"',
        "up or down or left or right": "up",
        "button_name": "back",
        "success or fail": "success",
    }.items():
        line = line.replace(name, value)
    return line


@pytest.mark.parametrize(("dialect", "variant", "language"), PROMPTS)
def test_every_example_of_a_prompt_is_read_by_its_own_parser(
    make_parser: MakeParser, dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)
    messages = parser.env2messages4ask("t", _environments(1), [], sent_size=SENT)
    examples = _examples(_text(messages))
    assert (len(examples) >= 6) == (dialect not in WITHOUT_EXAMPLES)
    for example in examples:
        action = parser.str2action(example, CONTEXT)
        assert not isinstance(action, Rejection), (example, action)
        assert action.meta.warnings == (), (example, action.meta.warnings)


@pytest.mark.parametrize("dialect", ["qwen_mobile_use", "gui_owl"])
def test_every_action_of_a_tools_schema_is_read(make_parser: MakeParser, dialect: str) -> None:
    parser = make_parser(dialect)
    system = _text(parser.env2messages4ask("t", _environments(1), [], sent_size=SENT)[:1])
    line = next(line for line in system.splitlines() if line.startswith('{"type": "function"'))
    properties = json.loads(line)["function"]["parameters"]["properties"]
    values = {
        "coordinate": [1, 2],
        "coordinate2": [3, 4],
        "text": "power",
        "time": 1,
        "button": "Back",
        "status": "success",
    }
    assert set(properties) == {"action", *values}
    for verb in properties["action"]["enum"]:
        call = {"name": "mobile_use", "arguments": {"action": verb, **values}}
        action = parser.str2action(f"<tool_call>\n{json.dumps(call)}\n</tool_call>", CONTEXT)
        assert not isinstance(action, Rejection), (verb, action)


@pytest.mark.parametrize(("dialect", "variant", "language"), PROMPTS)
def test_a_prompt_brings_task_hints_words_and_failure_of_this_step(
    make_parser: MakeParser, dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)
    environments = _environments(2, user_comment="the blue one", last_result="tap missed")
    messages = parser.env2messages4ask(
        "buy {{history}} milk",
        environments,
        [Info(value="Which one?")],
        hints=["be quick"],
        sent_size=SENT,
    )
    text = _text(messages)
    for said in ("buy {{history}} milk", "be quick", "Which one?", "the blue one", "tap missed"):
        assert said in text
    assert _images(messages)[-1] == "step_2"
    assert messages[-1]["role"] == "user"


@pytest.mark.parametrize(("dialect", "variant", "language"), PROMPTS)
def test_the_users_words_reach_the_very_first_prompt(
    make_parser: MakeParser, dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)
    messages = parser.env2messages4ask(
        "t", _environments(1, user_comment="on Monday"), [], sent_size=SENT
    )
    assert "on Monday" in _text(messages)
    assert _images(messages) == ["step_1"]


@pytest.mark.parametrize(("dialect", "variant", "language"), PROMPTS)
def test_a_long_session_costs_a_prompt_no_more_than_a_middling_one(
    make_parser: MakeParser, dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)

    def cost(steps: int) -> int:
        actions: list[Action] = [Home(explain="go home", summary="at home")] * steps
        return len(
            json.dumps(
                parser.env2messages4ask("t", _environments(steps + 1), actions, sent_size=SENT)
            )
        )

    assert cost(400) <= cost(60) * 1.05


def _owl(number: int) -> Action:
    return Home(
        explain=f"step {number} done", meta=ActionMeta(dialect="gui_owl", raw=f"reply {number}")
    )


def test_gui_owl_shows_the_last_four_steps_with_pictures_and_older_ones_as_text(
    make_parser: MakeParser,
) -> None:
    messages = make_parser("gui_owl").env2messages4ask(
        "t", _environments(7), [_owl(number) for number in range(1, 7)]
    )
    assert [message["role"] for message in messages] == [
        "system",
        *("user", "assistant") * 4,
        "user",
    ]
    assert _images(messages) == ["step_3", "step_4", "step_5", "step_6", "step_7"]
    replies = [message["content"] for message in messages if message["role"] == "assistant"]
    assert replies == ["reply 3", "reply 4", "reply 5", "reply 6"]
    opening = messages[1]["content"][0]["text"]
    assert opening.endswith("Previous actions:\nStep 1: step 1 done\nStep 2: step 2 done")


def test_mai_ui_keeps_every_reply_and_the_last_three_pictures(make_parser: MakeParser) -> None:
    actions: list[Action] = [
        Home(meta=ActionMeta(dialect="mai_ui", raw=f"reply {number}")) for number in range(1, 5)
    ]
    messages = make_parser("mai_ui").env2messages4ask("t", _environments(5), actions)
    assert _images(messages) == ["step_3", "step_4", "step_5"]
    replies = [message["content"] for message in messages if message["role"] == "assistant"]
    assert replies == ["reply 1\nreply 2", "reply 3", "reply 4"]


def test_a_turn_whose_raw_reply_is_gone_is_written_anew(make_parser: MakeParser) -> None:
    actions: list[Action] = [Home(cot="go"), Type(value="x", point=Point(x=1, y=1))]
    messages = make_parser("mai_ui").env2messages4ask("t", _environments(3), actions)
    replies = [message["content"] for message in messages if message["role"] == "assistant"]
    parser = get_parser("mai_ui")
    assert replies == [parser.action2str(Home(cot="go")), "TYPE"]


def test_qwen_tells_past_steps_as_one_line_of_text(make_parser: MakeParser) -> None:
    click = Click(point=Point(x=500, y=500), meta=ActionMeta(sent_size=SENT))
    messages = make_parser("qwen_mobile_use").env2messages4ask(
        "buy milk", _environments(3), [Home(explain="Go home."), click]
    )
    assert messages[1]["content"][0]["text"] == (
        "The user query: buy milk\n"
        "Task progress (You have done the following operation on the current device): "
        'Step 1: Go home; Step 2: {"name": "mobile_use", "arguments": '
        '{"action": "click", "coordinate": [500, 500]}};\n'
    )
    assert _images(messages) == ["step_3"]


@pytest.mark.parametrize(
    ("dialect", "variant", "stated"),
    [
        ("qwen_mobile_use", "qwen3", "resolution is 999x999."),
        ("qwen_mobile_use", "qwen2.5", "resolution is 1092x2408."),
        ("gui_owl", "1.5", "resolution is 1000x1000."),
        ("gui_owl", "1.0", "resolution is 1092x2408."),
        ("infigui", None, "resolution is 1092x2408."),
        ("claude_cu", None, "1092 pixels wide and 2408 pixels high"),
        ("os_genesis", None, "1080 pixels wide and 2400 pixels high"),
    ],
)
def test_a_prompt_states_the_frame_in_which_its_parser_reads(
    make_parser: MakeParser, dialect: str, variant: str | None, stated: str
) -> None:
    parser = make_parser(dialect, variant)
    assert stated in _text(parser.env2messages4ask("t", _environments(1), [], sent_size=SENT))


def test_the_sent_size_is_planned_where_only_the_screens_is_known(make_parser: MakeParser) -> None:
    parser = make_parser("qwen_mobile_use", "qwen2.5")
    assert "1092x2408" in _text(parser.env2messages4ask("t", _environments(1), []))
    with pytest.raises(UnsupportedInputError, match="sent_size"):
        parser.env2messages4ask("t", [Environment(image="a")], [])


def test_agentcpm_sends_no_history(make_parser: MakeParser) -> None:
    messages = make_parser("agentcpm").env2messages4ask(
        "打开设置", _environments(3), [Home(explain="打开了时钟"), Home(explain="打开了时钟")]
    )
    assert "打开了时钟" not in _text(messages)
    assert messages[1]["content"] == [
        {"type": "text", "text": "<Question>打开设置</Question>\n当前屏幕截图："},
        {"type": "image_url", "image_url": {"url": "step_3"}},
    ]


def test_m3a_lists_the_elements_and_shows_the_marked_picture(make_parser: MakeParser) -> None:
    (environment,) = _environments(1, marked_image="step_1_marked")
    messages = make_parser("m3a").env2messages4ask("t", [environment], [])
    assert _images(messages) == ["step_1", "step_1_marked"]
    assert '[1] button "Settings"' in _text(messages)
    assert "no action has been performed yet" in _text(messages)


def test_m3a_says_when_it_has_no_elements(make_parser: MakeParser) -> None:
    with pytest.raises(UnsupportedInputError):
        make_parser("m3a").env2messages4ask("t", [Environment(image="a")], [])


@pytest.mark.parametrize("dialect", ["qwen_mobile_use", "gui_owl", "m3a", "glm45v"])
def test_markov_mode_leaves_the_history_out(make_parser: MakeParser, dialect: str) -> None:
    messages = make_parser(dialect).env2messages4ask(
        "t", _environments(3), [Home(explain="went home")] * 2, markov_mode=True
    )
    assert "went home" not in _text(messages)
    assert _images(messages) == ["step_3"]


def test_a_parser_without_its_prompt_says_so() -> None:
    with pytest.raises(PromptError, match="qwen_mobile_use"):
        get_parser("qwen_mobile_use").env2messages4ask("t", _environments(1), [])


def test_a_rejection_is_told_in_the_prompts_language(make_parser: MakeParser) -> None:
    rejection = Rejection(code="bad_point", message="m", span="[x, y]")
    assert "坐标" in make_parser("agentcpm").rejection_message(rejection)
    assert "coordinates" in make_parser("agentcpm", None, "en").rejection_message(rejection)

"""A prompt and its parser are one contract: what a prompt shows, its own parser reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from parsers.action import Action, ActionMeta, Back, Click, Info, Point, Rejection, Size
from parsers.base import Environment, Message, Parser, PromptText, ReplyContext, ScreenElement
from parsers.errors import PromptError, UnsupportedInputError
from parsers.prompt_blocks import HISTORY_MAX_STEPS
from parsers.prompting import choose_prompt, derive_dialogue, fill

MakeParser = Callable[..., Parser]
FrameOf = Callable[[Parser], ReplyContext]
PROMPTS = Path(__file__).resolve().parents[2] / "configs" / "prompts"
ELEMENTS = tuple(
    ScreenElement(n, f"item {n}", "button", (0, 0, 10, 10), clickable=True) for n in range(1, 25)
)
EXAMPLES: dict[str, tuple[str, str, int]] = {
    # dialect: the pattern of an example, how it stands in a reply, how many there are
    "ui_tars": (r"^[a-z_]+\(.*\)$", "Thought: x\nAction: {}", 11),
    "autoglm": (r"^- ((?:do|finish)\(.*\))$", "<think>x</think><answer>{}</answer>", 16),
    "ui_venus": (r"^- ([A-Z]\w+\(.*\))$", "<think>x</think><action>{}</action>", 13),
    "cogagent": (r"^- ([A-Z_]+\(.*\))$", "Action: x\nGrounded Operation: {}\n<<一般操作>>", 11),
    "os_atlas": (r"^[A-Z_]{4,}(?: [\[<].*)?$", "Thoughts:\nx\nActions:\n{}", 12),
    "aguvis": (r"^(?:pyautogui\.|mobile\.|answer\().*\)$", "{}", 12),
    "showui": (r"^\{'action'.*\}$", "{}", 6),
    "element_dsl": (r"^(?:[a-z_]+)\([^(]*\)$", "<think>x</think>\n{}", 9),
    "appagent": (r"^[a-z_]+\(.*\)$", "Observation: x\nThought: x\nAction: {}\nSummary: x", 5),
    "droidrun_xml": (
        r"(?s)<invoke name=.*?</invoke>",
        "<function_calls>\n{}\n</function_calls>",
        9,
    ),
}
SHIPPED = [
    (dialect, language)
    for dialect in ["step0920", *EXAMPLES]
    for language in yaml.safe_load((PROMPTS / f"{dialect}.yaml").read_text(encoding="utf-8"))[
        "languages"
    ]
]


def _ask(
    parser: Parser,
    environments: list[Environment] | None = None,
    actions: list[Action] | None = None,
) -> list[Message]:
    environments = environments or [Environment("now.png", elements=ELEMENTS)]
    return parser.env2messages4ask(
        "turn it off",
        environments,
        actions or [],
        hints=["mind the step"],
        sent_size=Size(width_px=1092, height_px=2408),
    )


def _text(messages: list[Message]) -> str:
    return "\n".join(
        part.get("text", "") if isinstance(part, dict) else part
        for message in messages
        for part in (
            [message["content"]] if isinstance(message["content"], str) else message["content"]
        )
    )


@pytest.mark.parametrize(("dialect", "language"), [s for s in SHIPPED if s[0] != "step0920"])
def test_every_example_that_a_prompt_shows_is_read_by_its_own_parser(
    dialect: str, language: str, make_parser: MakeParser, frame_of: FrameOf
) -> None:
    pattern, reply, count = EXAMPLES[dialect]
    for variant in make_parser(dialect).variants or (None,):
        parser = make_parser(dialect, variant, language)
        examples = re.findall(pattern, _text(_ask(parser)), re.MULTILINE)
        assert len(examples) == count, examples
        for example in examples:
            action = parser.str2action(reply.format(example), frame_of(parser))
            assert not isinstance(action, Rejection), (example, action)
            assert (action.meta.repairs, action.meta.warnings) == ((), ()), example


@pytest.mark.parametrize(("dialect", "language"), SHIPPED)
def test_task_hints_words_failure_and_picture_are_in_every_prompt(
    dialect: str, language: str, make_parser: MakeParser
) -> None:
    environments = [
        Environment("old.png", elements=ELEMENTS),
        Environment(
            "now.png",
            user_comment="on {{Friday}}",
            last_result="nothing moved",
            elements=ELEMENTS,
        ),
    ]
    actions: list[Action] = [Info(value="When?", meta=ActionMeta(raw="asked"), summary="asked")]
    messages = _ask(make_parser(dialect, language=language), environments, actions)
    text = _text(messages)
    for words in ("turn it off", "mind the step", "on {{Friday}}", "nothing moved"):
        assert words in text, words
    assert not re.search(r"\{\{\s*(?!Friday)\w+\s*\}\}", text)
    assert "now.png" in str(messages[-1])
    assert messages[-1]["role"] == "user"


@pytest.mark.parametrize(
    "dialect", ["ui_venus", "cogagent", "os_atlas", "aguvis", "showui", "element_dsl", "appagent"]
)
def test_the_history_as_text_is_bounded(dialect: str, make_parser: MakeParser) -> None:
    action: Action = Back(
        summary="went back", explain="went back", meta=ActionMeta(raw="went back")
    )
    if dialect in ("ui_venus", "element_dsl"):
        action = Back(summary="went back", explain="went back")
    environments = [Environment("x.png", elements=ELEMENTS)] * 101
    text = _text(_ask(make_parser(dialect), environments, [action] * 100))
    assert text.count("went back") == HISTORY_MAX_STEPS
    assert "100. " in text
    assert f"\n{100 - HISTORY_MAX_STEPS}. " not in text


@pytest.mark.parametrize("dialect", ["element_dsl", "appagent", "droidrun_xml"])
def test_an_element_dialect_shows_the_list_and_refuses_a_screen_without_one(
    dialect: str, make_parser: MakeParser
) -> None:
    parser = make_parser(dialect)
    assert '[7] button "item 7"' in _text(_ask(parser))
    with pytest.raises(UnsupportedInputError, match="UI tree"):
        _ask(parser, [Environment("now.png")])


def test_the_numbered_picture_is_shown_where_there_is_one(make_parser: MakeParser) -> None:
    environments = [Environment("now.png", elements=ELEMENTS, marked_image="marked.png")]
    assert "marked.png" in str(_ask(make_parser("element_dsl"), environments))


def test_autoglm_keeps_only_the_newest_picture(make_parser: MakeParser) -> None:
    environments = [Environment(f"{n}.png") for n in range(4)]
    actions: list[Action] = [Click(point=Point(x=5, y=6), cot="why")] * 3
    messages = _ask(make_parser("autoglm"), environments, actions)
    assert re.findall(r"\d\.png", str(messages)) == ["3.png"]
    assert str(messages).count('do(action="Tap", element=[5,6])') == 3
    roles = [message["role"] for message in messages]
    assert roles == ["system", "user", "assistant", "user"]


def test_a_rejection_is_told_in_the_language_of_the_prompt(make_parser: MakeParser) -> None:
    message = "`index` is not the number of an element; the elements 1-9 exist"
    rejection = Rejection(code="bad_element", message=message, span="99")
    chinese = make_parser("element_dsl", language="zh").rejection_message(rejection)
    english = make_parser("element_dsl", language="en").rejection_message(rejection)
    for words in (chinese, english):
        assert "bad_element" in words
        assert "1-9" in words
        assert "99" in words
    assert "没有被执行" in chinese
    assert "was not carried out" in english


def test_what_is_filled_in_is_never_expanded() -> None:
    assert fill("a {{x}} {{ y }}", {"x": "{{y}}", "y": "{z}"}) == "a {{y}} {z}"
    with pytest.raises(PromptError, match="nope"):
        fill("{{nope}}", {"x": 1})


def test_a_prompt_file_of_the_wrong_form_is_an_error() -> None:
    for data in (None, [], {}, {"languages": {"zh": 3}, "default_language": "zh"}):
        with pytest.raises(PromptError):
            choose_prompt(data)
    with pytest.raises(PromptError, match="fr"):
        choose_prompt({"dialect": "d", "languages": {"zh": {}}}, "fr")


def test_a_prompt_that_lacks_a_part_says_which(make_parser: MakeParser) -> None:
    parser = type(make_parser("ui_tars"))(PromptText("ui_tars", "en", {}))
    with pytest.raises(PromptError, match="rules_box"):
        _ask(parser)


def test_questions_answers_and_remarks_are_found_in_the_history() -> None:
    environments = [
        Environment("1", user_comment="hello"),
        Environment("2", user_comment="Friday"),
        Environment("3"),
    ]
    actions: list[Action] = [Info(value="When?"), Info(value="Where?")]
    told = [(e.question, e.answer) for e in derive_dialogue(environments, actions)]
    assert told == [("", "hello"), ("When?", "Friday"), ("Where?", "")]

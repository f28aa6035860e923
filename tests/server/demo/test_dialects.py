"""The demo model answers in the dialect of the prompt, and its memory survives the round trip."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
import yaml

from parsers.action import (
    Abort,
    Action,
    Awake,
    Click,
    Complete,
    HotKey,
    Info,
    Point,
    Rejection,
    Size,
    Slide,
    Type,
    Wait,
)
from parsers.base import Environment, Message, Parser, ReplyContext
from parsers.prompting import choose_prompt
from parsers.registry import get_parser
from server.model.demo.dialects import PromptNotUnderstoodError, read_prompt, write_reply
from server.model.demo.memory import Memory, read_mark
from server.model.demo.planner import choose_action
from server.model.demo.reading import PictureError
from server.model.demo.screen import Screen
from tests.server.demo.screens import draw_screen, png_of

PROMPTS_DIR = Path(__file__).parents[3] / "configs" / "prompts"
DIALECTS: list[tuple[str, str | None]] = [
    ("step0920", None),
    ("ui_tars", "v1.5"),
    ("ui_tars", "doubao"),
    ("autoglm", None),
    ("qwen_mobile_use", "qwen3"),
    ("qwen_mobile_use", "qwen2.5"),
    ("gui_owl", "1.5"),
    ("gui_owl", "1.0"),
    ("mai_ui", None),
    ("ui_venus", "1.5"),
]
SCREEN = draw_screen([("设置", 180), ("蓝牙", 700), ("显示", 900)])
SIZE = Size(width_px=SCREEN.width_px, height_px=SCREEN.height_px)
IMAGE = "data:image/png;base64," + base64.b64encode(png_of(SCREEN)).decode()
TASK = "打开设置，点击显示，返回"

each_dialect = pytest.mark.parametrize(("dialect", "variant"), DIALECTS)
each_language = pytest.mark.parametrize("language", ["zh", "en"])


def make_parser(dialect: str, variant: str | None, language: str | None = None) -> Parser:
    data = yaml.safe_load((PROMPTS_DIR / f"{dialect}.yaml").read_text("utf-8"))
    if language not in data["languages"]:
        language = None
    return get_parser(dialect, {dialect: choose_prompt(data, language)}, variant)


def see(words: str = "", result: str = "ok") -> Environment:
    return Environment(IMAGE, user_comment=words, last_result=result, size=SIZE)


def ask(parser: Parser, environments: list[Environment], actions: list[Action]) -> list[Message]:
    return parser.env2messages4ask(TASK, environments, actions, sent_size=SIZE)


def read_back(parser: Parser, reply: str) -> Action:
    action = parser.str2action(reply, ReplyContext(sent_size=SIZE, screen_size=SIZE))
    assert not isinstance(action, Rejection), action
    return action


@each_dialect
@each_language
def test_task_and_dialect_are_read_from_the_prompt(
    dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)
    prompt = read_prompt(ask(parser, [see()], []))
    assert prompt.request.task == TASK
    assert (prompt.request.user_words, prompt.request.error) == ("", "")
    writer = get_parser(prompt.sign.dialect, variant=prompt.sign.variant)
    assert (writer.name, writer.variant) == (parser.name, parser.variant)


@each_dialect
@each_language
def test_user_words_and_the_last_error_are_read_from_the_prompt(
    dialect: str, variant: str | None, language: str
) -> None:
    parser = make_parser(dialect, variant, language)
    first = read_back(parser, write_reply(read_prompt(ask(parser, [see()], [])).sign, TAP, SCREEN))
    environments = [see(), see("李四", "device.offline: the phone is gone")]
    prompt = read_prompt(ask(parser, environments, [first]))
    assert prompt.request.user_words == "李四"
    assert prompt.request.error == "device.offline: the phone is gone"
    assert prompt.request.task == TASK


@each_dialect
def test_what_the_model_remembers_comes_back_in_the_next_prompt(
    dialect: str, variant: str | None
) -> None:
    parser = make_parser(dialect, variant)
    environments, actions = [see()], list[Action]()
    for _ in range(2):
        prompt = read_prompt(ask(parser, environments, actions))
        chosen = choose_action(prompt.request, SCREEN)
        actions.append(read_back(parser, write_reply(prompt.sign, chosen, SCREEN)))
        environments.append(see())
    history = read_prompt(ask(parser, environments, actions)).request.history
    assert [action.action for action in actions] == ["AWAKE", "CLICK"]
    assert read_mark(history) == (Memory(1, "tap", 1, SCREEN.fingerprint), 3)


TAP = Click(point=Point(x=500, y=375), explain="点击显示")
SAID: list[Action] = [
    TAP,
    Awake(value="设置"),
    Type(value="it's “牛奶”, 2 kg"),
    Slide(point1=Point(x=500, y=700), point2=Point(x=500, y=300)),
    Complete.model_validate({"return": "型号: Pixel 8"}),
]


@each_dialect
@pytest.mark.parametrize("action", SAID, ids=[action.action for action in SAID])
def test_the_reply_means_the_action(dialect: str, variant: str | None, action: Action) -> None:
    parser = make_parser(dialect, variant)
    sign = read_prompt(ask(parser, [see()], [])).sign
    read = read_back(parser, write_reply(sign, action, SCREEN))
    assert read.action == action.action
    match action, read:
        case Click(), Click():
            assert action.point is not None and read.point is not None
            assert read.point.x == pytest.approx(action.point.x, abs=1)
            assert read.point.y == pytest.approx(action.point.y, abs=1)
        case ((Awake() | Type()), (Awake() | Type())):
            assert read.value == action.value
        case Slide(), Slide():
            assert read.point2.y == pytest.approx(300, abs=1)
        case Complete(), Complete():
            assert read.return_ in (action.return_, "")
        case _:
            pytest.fail(f"{action.action} was read as {read.action}")


@each_dialect
def test_a_failure_is_never_written_as_a_success(dialect: str, variant: str | None) -> None:
    parser = make_parser(dialect, variant)
    sign = read_prompt(ask(parser, [see()], [])).sign
    read = read_back(parser, write_reply(sign, Abort(value="找不到保险箱"), SCREEN))
    assert read.action in ("ABORT", "TAKE_OVER", "INFO", "ANSWER")
    question = read_back(parser, write_reply(sign, Info(value="找谁？"), SCREEN))
    assert question.action in ("TAKE_OVER", "INFO", "ANSWER")


@each_dialect
def test_whether_a_dialect_can_give_up_is_known(dialect: str, variant: str | None) -> None:
    parser = make_parser(dialect, variant)
    sign = read_prompt(ask(parser, [see()], [])).sign
    read = read_back(parser, write_reply(sign, Abort(value="找不到保险箱"), SCREEN))
    assert sign.aborts == (read.action == "ABORT")


def test_enter_is_a_wait_where_a_dialect_has_no_keys_and_no_keyboard_is_up() -> None:
    parser = make_parser("autoglm", None)
    sign = read_prompt(ask(parser, [see()], [])).sign
    assert isinstance(read_back(parser, write_reply(sign, HotKey(key="ENTER"), SCREEN)), Wait)


def test_a_prompt_without_a_dialect_is_refused() -> None:
    content = [
        {"type": "text", "text": "What is on this picture?"},
        {"type": "image_url", "image_url": {"url": IMAGE}},
    ]
    with pytest.raises(PromptNotUnderstoodError, match="no dialect"):
        read_prompt([{"role": "user", "content": content}])


def test_a_prompt_without_a_picture_is_refused() -> None:
    messages = ask(make_parser("step0920", None), [see()], [])
    messages[0]["content"] = [part for part in messages[0]["content"] if part["type"] == "text"]
    with pytest.raises(PromptNotUnderstoodError, match="no screenshot"):
        read_prompt(messages)


@pytest.mark.parametrize("url", ["http://127.0.0.1/a.png", "file:///etc/passwd", "/etc/passwd"])
def test_an_address_or_a_path_as_picture_is_never_opened(url: str) -> None:
    environment = Environment(url, size=SIZE)
    messages = make_parser("step0920", None).env2messages4ask(TASK, [environment], [])
    with pytest.raises(PictureError, match="data URL"):
        read_prompt(messages)


def test_a_screen_stays_the_same_when_its_bytes_are_the_same() -> None:
    assert isinstance(SCREEN, Screen)
    assert (
        SCREEN.fingerprint == draw_screen([("设置", 180), ("蓝牙", 700), ("显示", 900)]).fingerprint
    )

"""What a model is told when its reply could not be read: in its own language, to the last line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import yaml

from parsers.action import Rejection
from parsers.base import Parser, ReplyContext
from parsers.rejections import describe_rejection
from parsers.rejections_zh import translate_detail
from parsers.tools import read_reply

PROMPTS = Path(__file__).resolve().parents[2] / "configs" / "prompts"
CASES = Path(__file__).resolve().parents[1] / "data" / "dialect_cases.jsonl"
CHINESE = sorted(
    path.stem
    for path in PROMPTS.glob("*.yaml")
    if "zh" in yaml.safe_load(path.read_text("utf-8"))["languages"]
)


def replies_of(dialect: str) -> list[str]:
    """The handed replies, each also cut, doubled and with an argument spoilt."""
    lines = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    texts = [read_reply(line).content for line in lines if line["dialect"] == dialect]
    random = Random(7)
    spoilt = []
    for text in texts:
        spoilt += [text[: random.randrange(len(text) + 1)] for _ in range(8)]
        spoilt += [re.sub(r"\d+", digits, text) for digits in ("9999", "-3", "x", "", "1 2 3")]
        spoilt += [text + text.replace("1", "2"), re.sub(r"[a-zA-Z]{4,}", "zoom", text, count=1)]
    return [*texts, *spoilt]


@pytest.mark.parametrize("dialect", CHINESE)
def test_every_detail_that_a_chinese_model_can_be_told_has_its_chinese(
    dialect: str, make_parser: Callable[..., Parser], frame_of: Callable[[Parser], ReplyContext]
) -> None:
    parser = make_parser(dialect, language="zh")
    frame = frame_of(parser)
    results = [parser.str2action(text, frame) for text in replies_of(dialect)]
    refused = [result for result in results if isinstance(result, Rejection)]
    assert len(refused) > 20
    assert {r.message for r in refused if translate_detail(r.message) is None} == set()
    for rejection in refused:
        told = parser.rejection_message(rejection).splitlines()
        assert told[2].startswith("具体原因：")


def test_what_was_filled_in_stays_as_it_was() -> None:
    english = "`element`: x=1200 is off the screen; x runs from 0 to 999"
    assert translate_detail(english) == "`element`：x=1200 超出屏幕，x 的范围是 0 到 999"
    english = "`element` is not the number of an element; the elements 1-9 exist"
    assert translate_detail(english) == "`element` 不是元素编号，现有元素的编号是 1-9"
    english = "the call cannot be read: the value of 'text' is missing"
    assert translate_detail(english) == "调用无法识别：缺少 'text' 的值"


def test_a_detail_without_chinese_is_left_out_of_a_chinese_turn() -> None:
    rejection = Rejection(code="bad_arg", message="something of another package", span="abc")
    assert describe_rejection(rejection, "zh").splitlines() == [
        "你的动作里有一个参数无效。上一条回复没有被执行，手机状态没有变化。",
        "错误代码：bad_arg",
        "出错的片段：abc",
        "请严格按照要求的格式重新回复，只给出一个完整的动作。",
    ]
    assert "Detail: something of another package" in describe_rejection(rejection, "en")


def test_braces_in_a_reply_are_no_placeholders() -> None:
    assert translate_detail("there is no action '{0}{x}'") == "没有动作 '{0}{x}'"

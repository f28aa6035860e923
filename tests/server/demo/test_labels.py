"""Words of a task are found on the screen."""

from __future__ import annotations

import pytest

from server.model.demo.labels import find_labels, says, says_twice, says_typed
from tests.server.demo.screens import draw_screen


def labels(rows: list[tuple[str, int]], wanted: str) -> list[str]:
    return [match.text.text for match in find_labels(draw_screen(rows), wanted)]


def test_the_exact_label_comes_before_one_that_contains_it() -> None:
    assert labels([("购物车(2)", 900), ("购物车", 2200)], "购物车") == ["购物车", "购物车(2)"]


@pytest.mark.parametrize("shown", ["加入购物车", "清空购物车"])
def test_a_label_is_not_found_in_another_command(shown: str) -> None:
    assert labels([(shown, 900)], "购物车") == []


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("清空购物车", "购物车"),
        ("删除会议记录", "会议记录"),
        ("08:30 的闹钟", "闹钟"),
        ("08:30", "08:00"),
        ("7:00", "17:00"),
        ("turn on sound", "turn off sound"),
        ("Night mode", "Light mode"),
        ("最大音量", "最小音量"),
    ],
)
def test_a_text_that_says_less_or_something_else_is_not_the_label(wanted: str, shown: str) -> None:
    assert labels([(shown, 900)], wanted) == []


def test_a_time_may_be_written_without_its_nought() -> None:
    assert labels([("07:00", 600), ("17:00", 800)], "7:00 的闹钟") == ["07:00"]


def test_a_row_comes_before_the_title_of_the_page() -> None:
    found = find_labels(draw_screen([("蓝牙", 180), ("蓝牙", 600)]), "蓝牙")
    assert [(m.text.box.y, m.is_title) for m in found] == [(600, False), (180, True)]


def test_a_back_arrow_that_ocr_reads_with_the_title_is_no_part_of_it() -> None:
    [found] = find_labels(draw_screen([("←张三", 180)]), "张三")
    assert (found.is_title, found.is_exact) == (True, True)


def test_one_wrong_character_of_ocr_is_forgiven_in_a_long_label() -> None:
    assert labels([("关于于机", 600)], "关于手机") == ["关于于机"]
    assert labels([("Abaut phone", 600)], "About phone") == ["Abaut phone"]


def test_a_short_label_is_never_guessed() -> None:
    assert labels([("设备", 600), ("显卡", 800)], "设置") == []


def test_an_english_word_is_not_found_inside_another() -> None:
    assert labels([("Phone", 600), ("Information", 800)], "on") == []


def test_a_label_in_the_other_language_is_found() -> None:
    assert labels([("蓝牙", 600)], "Bluetooth") == ["蓝牙"]


def test_the_noun_behind_a_name_may_be_missing_on_the_screen() -> None:
    assert labels([("07:00", 600)], "07:00的闹钟") == ["07:00"]
    assert labels([("07:00", 600)], "07:00 alarm") == ["07:00"]


def test_text_over_two_lines_counts_as_said() -> None:
    screen = draw_screen([("明天早上记得去超市买", 600), ("牛奶和面包", 660)])
    assert says(screen, "明天早上记得去超市买牛奶和面包")
    assert not says(screen, "后天去银行")


def test_a_space_that_ocr_leaves_out_before_a_number_is_no_difference() -> None:
    assert says(draw_screen([("交电费71", 900)]), "交电费 71")
    assert not says(draw_screen([("交电费71", 900)]), "交电费 77")


def test_typed_numbers_must_be_read_digit_by_digit() -> None:
    screen = draw_screen([("13800000000", 600)])
    assert says(screen, "13800000000")
    assert not says(screen, "13800000001")


def test_a_text_is_typed_whole_so_the_end_behind_the_caret_may_be_unread() -> None:
    assert says_typed(draw_screen([("call mum", 600)]), "call mum 4")
    assert not says_typed(draw_screen([("call", 600)]), "call mum 4")
    assert not says_typed(draw_screen([("call mum and dad", 600)]), "call mum 4")


def test_a_text_that_was_typed_twice_is_seen() -> None:
    assert says_twice(draw_screen([("买牛奶4买牛奶4", 600)]), "买牛奶 4")
    assert says_twice(draw_screen([("买牛奶4买牛奶", 600)]), "买牛奶 4")
    assert not says_twice(draw_screen([("买牛奶4", 600), ("买牛奶", 900)]), "买牛奶 4")

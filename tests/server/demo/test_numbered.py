"""The demo model points at numbers: the list tells names, the picture tells places."""

from __future__ import annotations

from parsers.action import Abort, Click, Element, Point, Slide, Type
from parsers.base import Environment, Parser, ReplyContext, ScreenElement
from parsers.registry import get_parser
from server.model.demo.dialects import SIGNS, DialectSign, write_reply
from server.model.demo.numbered import (
    Listed,
    drop_marks,
    find_listed_switches,
    number_at,
    read_list,
)
from server.model.demo.planner import Request, choose_action
from tests.server.demo.screens import draw_screen
from tests.server.demo.test_dialects import IMAGE, make_parser

SCREEN = draw_screen([("2", 100), ("设置", 180), ("蓝牙", 700), ("显示", 900)])
LIST = (
    Listed(1, "RecyclerView", ""),
    Listed(2, "TextView", "设置"),
    Listed(3, "LinearLayout", "蓝牙 已开启"),
    Listed(4, "Switch", "蓝牙 已开启", on=True),
    Listed(5, "LinearLayout", "显示"),
    Listed(6, "EditText", "搜索设置", is_field=True),
)


def sign_of(dialect: str) -> DialectSign:
    return next(sign for sign in SIGNS if sign.dialect == dialect)


def elements() -> tuple[ScreenElement, ...]:
    box = (0.0, 0.0, 1000.0, 100.0)
    return (
        ScreenElement(1, 'a "b" (c)', "TextView", box),
        ScreenElement(2, "飞行模式", "Switch", box, clickable=True, checkable=True),
        ScreenElement(3, "", "EditText", box, editable=True),
    )


def prompt_of(parser: Parser) -> str:
    messages = parser.env2messages4ask("t", [Environment(IMAGE, elements=elements())], [])
    return str([part["text"] for part in messages[-1]["content"] if part["type"] == "text"][-1])


def test_the_list_is_read_as_the_prompts_write_it() -> None:
    for dialect in ("element_dsl", "m3a"):
        assert read_list(prompt_of(make_parser(dialect, None))) == (
            Listed(1, "TextView", 'a "b" (c)'),
            Listed(2, "Switch", "飞行模式", on=False),
            Listed(3, "EditText", "", is_field=True),
        )


def test_a_row_and_its_switch_are_told_apart_by_the_place_of_the_tap() -> None:
    y_px = next(text.box.y for text in SCREEN.texts if text.text == "蓝牙")
    assert number_at(LIST, SCREEN, 200, y_px) == 3
    assert number_at(LIST, SCREEN, 0.85 * SCREEN.width_px, y_px) == 4
    (switch,) = find_listed_switches(LIST, SCREEN)
    assert (switch.on, round(switch.box.y)) == (True, round(y_px))


def test_a_place_with_nothing_of_the_list_has_no_number() -> None:
    assert number_at(LIST, SCREEN, 500, 0.95 * SCREEN.height_px) is None


def test_text_goes_to_the_only_field() -> None:
    assert number_at(LIST, SCREEN, 500, 500, typing=True) == 6


def test_numbers_that_are_drawn_on_the_picture_are_not_read_as_words() -> None:
    assert [text.text for text in drop_marks(SCREEN, LIST).texts] == ["设置", "蓝牙", "显示"]


def test_replies_name_numbers_in_the_count_of_the_dialect() -> None:
    y = next(text.box.y for text in SCREEN.texts if text.text == "显示") / SCREEN.height_px * 1000
    tap = Click(point=Point(x=300, y=y))
    for dialect, base in (("element_dsl", 1), ("m3a", 0)):
        listed = tuple(Listed(e.index - 1 + base, e.kind, e.label, e.on) for e in LIST)
        reply = write_reply(sign_of(dialect), tap, SCREEN, listed)
        read = get_parser(dialect).str2action(reply, ReplyContext(element_count=len(LIST)))
        assert isinstance(read, Click)
        assert read.element == Element(index=4 + base, base=base)


def test_a_slide_is_written_as_the_scroll_that_it_makes() -> None:
    slide = Slide(point1=Point(x=500, y=700), point2=Point(x=500, y=300))
    assert write_reply(sign_of("element_dsl"), slide, SCREEN, LIST).endswith("scroll(down)")
    assert '"direction": "down"' in write_reply(sign_of("m3a"), slide, SCREEN, LIST)


def test_giving_up_is_asked_of_the_person_where_the_dialect_has_no_word_for_it() -> None:
    reply = write_reply(sign_of("element_dsl"), Abort(value="找不到"), SCREEN, LIST)
    assert reply == 'ask("找不到")'
    typed = write_reply(sign_of("element_dsl"), Type(value="牛奶"), SCREEN, LIST)
    assert typed == 'type(6, "牛奶")'


def test_the_state_of_a_switch_is_taken_from_the_list() -> None:
    request = Request("关闭蓝牙", history="‹1/1 flip×1 00000000›", elements=LIST)
    assert choose_action(request, SCREEN).action != "COMPLETE"
    off = tuple(Listed(e.index, e.kind, e.label, False if e.on else e.on) for e in LIST)
    assert choose_action(Request("关闭蓝牙", elements=off), SCREEN).action == "COMPLETE"

"""The plan looks before and after each act; it never claims what it did not see."""

from __future__ import annotations

import pytest

from parsers.action import Abort, Action, Awake, Back, Click, Complete, Info, Slide, Type, Wait
from server.model.demo.planner import Request, choose_action
from server.model.demo.screen import Screen
from tests.server.demo.screens import draw_screen, place_text

HOME = draw_screen([("设置", 1400), ("微信", 1400)])
SETTINGS = draw_screen([("设置", 180), ("WLAN", 500), ("蓝牙", 700), ("显示", 900)])


def play(task: str, screens: list[Screen], **facts: str) -> list[Action]:
    """Show one screen after another; each reply's summary is all that the next one knows."""
    actions: list[Action] = []
    for place, screen in enumerate(screens):
        history = actions[-1].summary if actions else ""
        last = place == len(screens) - 1
        request = Request(task, history, **(facts if last else {}))  # type: ignore[arg-type]
        actions.append(choose_action(request, screen))
    return actions


def bluetooth_page(on: bool) -> Screen:
    return draw_screen([("蓝牙", 180), ("使用蓝牙", 500)], switches=[(500, on)])


def test_turning_bluetooth_off_ends_only_when_the_switch_is_seen_off() -> None:
    actions = play(
        "打开设置，进入蓝牙，关闭蓝牙",
        [HOME, SETTINGS, bluetooth_page(True), bluetooth_page(False)],
    )
    assert [a.action for a in actions] == ["AWAKE", "CLICK", "CLICK", "COMPLETE"]
    opened, entered, flipped = actions[:3]
    assert isinstance(opened, Awake) and opened.value == "设置"
    assert isinstance(entered, Click) and entered.point is not None
    assert entered.point.to_px(1080, 2400)[1] == pytest.approx(700, abs=3)
    assert isinstance(flipped, Click) and flipped.point is not None
    assert flipped.point.to_px(1080, 2400) == pytest.approx((948, 500), abs=3)


def test_a_switch_that_is_already_right_is_not_touched() -> None:
    actions = play("打开设置，关闭蓝牙", [HOME, bluetooth_page(False)])
    assert [a.action for a in actions] == ["AWAKE", "COMPLETE"]


def test_a_switch_that_does_not_move_ends_in_an_abort_and_not_in_a_complete() -> None:
    stuck = bluetooth_page(True)
    actions = play("打开设置，关闭蓝牙", [HOME, stuck, stuck, stuck, stuck])
    assert [a.action for a in actions] == ["AWAKE", "CLICK", "WAIT", "CLICK", "ABORT"]


def test_a_tap_without_effect_is_waited_for_then_tried_twice_more_then_given_up() -> None:
    actions = play("打开设置，点击显示", [HOME, *[SETTINGS] * 5])
    assert [a.action for a in actions] == ["AWAKE", "CLICK", "WAIT", "CLICK", "CLICK", "ABORT"]


def test_a_tap_that_the_phone_refused_is_tried_again_even_if_the_screen_changed() -> None:
    actions = play("打开设置，点击显示", [HOME, SETTINGS, SETTINGS], error="device.offline: gone")
    assert [a.action for a in actions] == ["AWAKE", "CLICK", "CLICK"]


def test_a_label_out_of_sight_is_scrolled_for_and_then_tapped() -> None:
    below = draw_screen([("系统", 1700), ("关于手机", 1900)])
    actions = play("打开设置，点击关于手机", [HOME, SETTINGS, below])
    assert [a.action for a in actions] == ["AWAKE", "SLIDE", "CLICK"]
    slide = actions[1]
    assert isinstance(slide, Slide) and slide.point1.y > slide.point2.y


def test_there_are_never_more_than_five_slides_in_a_row() -> None:
    pages = [
        draw_screen([(f"第{n}页甲", 600), ("乙乙乙", 900), ("丙丙丙", 1200)]) for n in range(7)
    ]
    actions = play("打开设置，点击不存在的东西", [HOME, *pages])
    assert [a.action for a in actions] == ["AWAKE", *["SLIDE"] * 5, "ABORT", "ABORT"]


def test_what_is_nowhere_ends_in_an_abort_that_names_it() -> None:
    actions = play("打开设置，点击保险箱", [HOME, SETTINGS, SETTINGS, SETTINGS])
    end = actions[-1]
    assert isinstance(end, Abort)
    assert "保险箱" in end.value


@pytest.mark.parametrize("task", ["compose a symphony", "作一首歌颂春天的诗"])
def test_words_that_it_does_not_understand_end_in_an_abort_that_quotes_them(task: str) -> None:
    (end,) = play(task, [HOME])
    assert isinstance(end, Abort)
    assert task in end.value


def test_words_that_are_no_command_but_stand_on_a_button_are_tapped() -> None:
    page = draw_screen([("商品详情", 180), ("加入购物车", 2200), ("立即购买", 2000)])
    tapped, end = play("立即购买", [page, HOME])
    assert isinstance(tapped, Click) and tapped.point is not None
    assert tapped.point.to_px(1080, 2400)[1] == pytest.approx(2000, abs=3)
    assert end.action == "COMPLETE"


def test_without_a_price_there_is_no_first_product() -> None:
    nothing = draw_screen([("商城", 180), ("没有找到相关内容", 900), ("换个词试试", 1000)])
    actions = play("打开商城，点击第一个商品", [HOME, nothing])
    assert [a.action for a in actions] == ["AWAKE", "ABORT"]


def test_typed_text_must_be_readable_on_the_next_screen() -> None:
    empty = draw_screen([("新建便签", 180), ("标题", 400), ("正文", 520)])
    written = draw_screen([("新建便签", 180), ("明天买牛奶", 400), ("正文", 520)])
    actions = play("打开便签，输入“明天买牛奶”", [HOME, empty, written])
    assert [a.action for a in actions] == ["AWAKE", "TYPE", "COMPLETE"]
    typed = actions[1]
    assert isinstance(typed, Type) and typed.value == "明天买牛奶"
    lost = play("打开便签，输入“明天买牛奶”", [HOME, empty, empty, empty, empty])
    assert [a.action for a in lost] == ["AWAKE", "TYPE", "CLICK", "TYPE", "ABORT"]


def test_a_text_that_stands_there_twice_is_never_called_typed() -> None:
    empty = draw_screen([("新建便签", 180), ("标题", 400), ("正文", 520)])
    twice = draw_screen([("新建便签", 180), ("买牛奶4买牛奶4", 400), ("正文", 520)])
    actions = play("打开便签，输入“买牛奶 4”", [HOME, empty, twice])
    assert [a.action for a in actions] == ["AWAKE", "TYPE", "ABORT"]


def test_a_tap_whose_answer_was_lost_is_judged_by_the_screen() -> None:
    opened = draw_screen([("显示", 180), ("深色主题", 500)])
    first = choose_action(Request("打开设置，点击显示"), HOME)
    tapped = choose_action(Request("打开设置，点击显示", first.summary), SETTINGS)
    lost = Request(
        "打开设置，点击显示", tapped.summary, error="device.connection_lost: it may have run"
    )
    assert choose_action(lost, opened).action == "COMPLETE"
    assert choose_action(lost, SETTINGS).action == "CLICK"


def test_a_dialect_that_types_only_at_the_focus_taps_the_field_first() -> None:
    page = draw_screen([("便签", 180), ("搜索便签", 420), ("购物清单", 700)])
    request = Request("搜索“牛奶”", types_at_point=False)
    first = choose_action(request, page)
    then = choose_action(Request("搜索“牛奶”", first.summary, types_at_point=False), page)
    assert isinstance(first, Click)
    assert isinstance(then, Type) and then.point is None


def test_a_value_is_read_beside_its_label_and_told_at_the_end() -> None:
    page = draw_screen([("关于手机", 180), ("型号", 600), ("版本", 800)])
    texts = (*page.texts, place_text("Pixel 8", 600, 700))
    about = Screen(page.pixels, page.fingerprint, lambda _: texts)
    end = play("打开设置，完成后告诉我型号", [HOME, about])[-1]
    assert isinstance(end, Complete)
    assert end.return_ == "型号: Pixel 8"


def test_a_question_is_asked_and_the_answer_is_typed_later() -> None:
    page = draw_screen([("联系人", 180), ("搜索联系人", 420), ("张三", 700)])
    task = "问我要找谁，打开联系人，在搜索框中输入我的回答"
    asked = choose_action(Request(task), HOME)
    assert isinstance(asked, Info)
    opened = choose_action(Request(task, asked.summary, user_words="李四"), HOME)
    typed = choose_action(Request(task, opened.summary), page)
    assert [asked.action, opened.action, typed.action] == ["INFO", "AWAKE", "TYPE"]
    assert isinstance(typed, Type) and typed.value == "李四"


def test_a_remark_that_is_a_task_takes_the_place_of_the_first_one() -> None:
    task = "打开设置，进入蓝牙，关闭蓝牙"
    opened = choose_action(Request(task), HOME)
    told = choose_action(Request(task, opened.summary, user_words="点击显示，返回"), SETTINGS)
    after = choose_action(Request(task, told.summary), draw_screen([("显示", 180), ("亮度", 600)]))
    end = choose_action(Request(task, after.summary), SETTINGS)
    assert [a.action for a in (opened, told, after, end)] == ["AWAKE", "CLICK", "BACK", "COMPLETE"]


def test_a_remark_that_is_no_task_changes_nothing() -> None:
    task = "打开设置，点击显示"
    opened = choose_action(Request(task), HOME)
    tapped = choose_action(Request(task, opened.summary, user_words="谢谢你呀"), SETTINGS)
    assert tapped.explain == "点击显示"


def test_what_is_remembered_of_another_task_is_not_believed() -> None:
    other = choose_action(Request("打开设置"), HOME)
    assert choose_action(Request("点击显示，返回", other.summary), SETTINGS).explain == "点击显示"


def test_an_app_that_the_phone_does_not_know_is_looked_for_on_the_home_screen() -> None:
    task = "打开商城"
    asked = choose_action(Request(task), SETTINGS)
    failed = Request(task, asked.summary, error="device.app_not_found: no such app")
    home = choose_action(failed, SETTINGS)
    tapped = choose_action(
        Request(task, home.summary), draw_screen([("商城", 1400), ("设置", 900)])
    )
    assert [a.action for a in (asked, home, tapped)] == ["AWAKE", "HOME", "CLICK"]


def test_an_empty_page_is_waited_for() -> None:
    blank = draw_screen([])
    actions = play("打开设置，点击显示", [HOME, blank, SETTINGS])
    assert isinstance(actions[1], Wait)
    assert isinstance(actions[2], Click)


def test_the_keyboard_is_hidden_before_scrolling() -> None:
    rows = [("便签", 180), ("标题", 500), ("正文", 700)]
    page = draw_screen(rows)
    keys = tuple(
        place_text(key, 1700 + 150 * line, 60 + 100 * place)
        for line, row in enumerate(("qwertyuiop", "asdfghjkl"))
        for place, key in enumerate(row)
    )
    typing = Screen(page.pixels, page.fingerprint, lambda _: (*page.texts, *keys))
    assert typing.keyboard_top_px is not None
    assert isinstance(play("打开便签，点击关于", [HOME, typing])[-1], Back)


def test_a_dialect_without_abort_asks_twice_and_then_only_waits() -> None:
    history, chosen = "", list[Action]()
    for _ in range(5):
        request = Request("compose a symphony", history, aborts=False)
        chosen.append(choose_action(request, HOME))
        history = chosen[-1].summary
    assert [a.action for a in chosen] == ["ABORT", "ABORT", "WAIT", "WAIT", "WAIT"]


def test_what_stood_there_before_is_no_proof_that_it_was_typed() -> None:
    page = draw_screen([("便签", 180), ("搜索便签", 420), ("牛奶", 700)])
    actions = play("打开便签，搜索“牛奶”", [HOME, page, page, page])
    assert [a.action for a in actions] == ["AWAKE", "TYPE", "WAIT", "ABORT"]


def test_english_tasks_are_answered_in_english() -> None:
    page = draw_screen([("Settings", 180), ("Bluetooth", 500), ("Display", 700)])
    tapped = play("Open Settings and tap Display", [HOME, page])[-1]
    assert tapped.explain == "tap Display"
    assert tapped.cot == "Seen: Settings is open. Next: tap Display."


def test_text_that_the_phone_did_not_take_is_typed_again_until_it_is_seen_and_not_once_more() -> (
    None
):
    task = "打开便签，输入“明天买牛奶”"
    empty = draw_screen([("新建便签", 180), ("标题", 400), ("正文", 520)])
    written = draw_screen([("新建便签", 180), ("明天买牛奶", 400), ("正文", 520)])
    lost, repeated = "device.text_not_typed: try again", "ok - but you have chosen TYPE 3 times"
    history = choose_action(Request(task, ""), HOME).summary
    chosen = []
    for screen, error in ((empty, ""), (empty, lost), (empty, lost), (written, repeated)):
        chosen.append(choose_action(Request(task, history, error=error), screen))
        history = chosen[-1].summary
    assert [a.action for a in chosen] == ["TYPE", "CLICK", "TYPE", "COMPLETE"]

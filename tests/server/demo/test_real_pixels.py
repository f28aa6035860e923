"""Real OCR on the real pixels of a phone's screens."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.profile import Locale, Profile
from parsers.action import Click
from server.model.demo.labels import find_labels
from server.model.demo.pixels import find_switches
from server.model.demo.planner import Request, choose_action
from server.model.demo.reading import ScreenReader
from server.model.demo.screen import Screen

READER = ScreenReader()


def look(phone: VirtualPhone) -> Screen:
    phone.advance(1.0)
    return READER.read(phone.snapshot().png())


def told_by_the_tree(phone: VirtualPhone) -> list[str]:
    """Texts that the phone's own UI tree says are on the screen, of rows that are not cut off."""
    bottom_px = phone.height_px - 150
    return [
        node.get("text", "")
        for node in ElementTree.fromstring(phone.snapshot().xml()).iter("node")
        if node.get("text") and int(node.get("bounds", "").split(",")[-1].strip("]")) < bottom_px
    ]


@pytest.mark.parametrize("locale", ["zh", "en"])
def test_every_text_of_the_settings_is_read(locale: Locale) -> None:
    phone = VirtualPhone(Profile(locale=locale))
    phone.start_activity("com.android.settings")
    screen = look(phone)
    texts = told_by_the_tree(phone)
    assert len(texts) > 10
    assert [text for text in texts if not find_labels(screen, text)] == []


def test_a_tap_turns_bluetooth_off_and_the_switch_is_then_seen_off() -> None:
    phone = VirtualPhone(Profile(locale="zh"))
    phone.start_activity("com.android.settings")
    task, history = "点击蓝牙，关闭蓝牙", ""
    for _ in range(2):
        screen = look(phone)
        action = choose_action(Request(task, history), screen)
        assert isinstance(action, Click) and action.point is not None
        phone.tap(*action.point.to_px(screen.width_px, screen.height_px))
        history = action.summary
    assert phone.settings["global"]["bluetooth_on"] == "0"
    end = choose_action(Request(task, history), look(phone))
    assert end.action == "COMPLETE"


def test_the_keyboard_is_seen_and_its_letters_are_no_labels() -> None:
    phone = VirtualPhone(Profile(locale="en"))
    phone.start_activity("com.android.settings")
    box = find_labels(look(phone), "Search settings")[0].text.box
    phone.tap(box.x, box.y)
    screen = look(phone)
    assert phone.ime_shown
    assert screen.keyboard_top_px == pytest.approx(0.7 * screen.height_px, rel=0.06)
    assert find_switches(screen) == []
    assert not [text for text in screen.content if text.text in "qwertyuiop"]

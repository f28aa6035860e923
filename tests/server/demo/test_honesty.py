"""COMPLETE is said only when every clause was seen to be done; the phone itself is the judge."""

from __future__ import annotations

from typing import Any

import pytest

from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.profile import Locale, Profile
from parsers.action import Abort, Complete
from tests.server.demo.demo_tasks import read_path
from tests.server.demo.playing import play_on

# Language, task, and words that the reason must name.
CANNOT_BE_DONE: list[tuple[Locale, str, str]] = [
    ("zh", "打开时钟，打开 08:30 的闹钟", "08:30"),
    ("zh", "打开时钟，新建一个闹钟 6:45", "6:45"),
    ("zh", "打开时钟，关闭所有闹钟", "所有闹钟"),
    ("zh", "打开时钟，删除 07:00 的闹钟", "删除"),
    ("zh", "打开时钟，删除闹钟", "删除闹钟"),
    ("zh", "打开时钟，新建联系人，保存", "新建联系人"),
    ("zh", "打开时钟，启动秒表", "启动秒表"),
    ("zh", "打开商城，清空购物车", "清空购物车"),
    ("zh", "打开商城，点击第一个商品，加入购物车两件", "加入购物车两件"),
    ("zh", "打开商城，进入购物车，删除第一个商品", "删除第一个商品"),
    ("zh", "打开商城，点击第三十个商品", "第三十个商品"),
    ("zh", "打开商城，告诉我价格", "价格"),
    ("zh", "打开商城的购物车", "商城的购物车"),
    ("zh", "打开便签，删除会议记录", "删除会议记录"),
    ("zh", "打开便签，删除所有便签", "删除所有便签"),
    ("zh", "打开便签，新建便签，保存", "保存"),
    ("zh", "打开便签，新建便签", "保存"),
    ("zh", "打开便签，新建两个便签", "新建两个便签"),
    ("zh", "打开联系人，新建联系人，保存", "保存"),
    ("zh", "打开联系人，添加联系人到收藏", "添加联系人到收藏"),
    ("zh", "打开联系人，删除张三", "删除张三"),
    ("zh", "打开联系人，点击张三，告诉我李四的电话", "李四的电话"),
    ("zh", "打开微信，给张三丰发送“你好”", "张三丰"),
    ("zh", "打开微信，给李发送“你好”", "李"),
    ("zh", "打开微信，置顶张三", "置顶张三"),
    ("zh", "打开设置，关闭声音", "声音"),
    ("zh", "打开设置，不要关闭蓝牙", "不要关闭蓝牙"),
    ("zh", "打开设置，向下滑动三次", "向下滑动三次"),
    ("zh", "打开计算器", "计算器"),
    ("en", "Open Clock and turn on the 08:30 alarm", "08:30"),
    ("en", "Open Clock and turn on the 17:00 alarm", "17:00"),
    ("en", "Open Clock, add an alarm at 6:45", "6:45"),
    ("en", "Open Clock, start the stopwatch", "stopwatch"),
    ("en", "Open Shop, empty the cart", "empty the cart"),
    ("en", "Open Notes, delete Meeting notes", "delete Meeting notes"),
    ("en", "Open Notes, create a note, save", "save"),
    ("en", 'Open WeChat, send "hi" to Ali', "Ali"),
    ("en", "Open Contacts, call Bob", "call Bob"),
    ("en", "Open Contacts, tap Alice, tell me Bob's phone number", "Bob"),
    ("en", "Open Contacts, tell me how many contacts there are", "how many contacts"),
    ("en", "Open Settings, don't turn off Bluetooth", "don't turn off Bluetooth"),
]

# Language, task, and what must then be true of the phone.
CAN_BE_DONE: list[tuple[Locale, str, dict[str, Any]]] = [
    ("zh", "打开时钟，打开 7:00 的闹钟", {"apps.clock.alarms.0.on": True}),
    (
        "zh",
        "打开通讯录，新建联系人 张三 13800000000",
        {"apps.contacts.contacts.3.name": "张三", "apps.contacts.contacts.3.phone": "13800000000"},
    ),
    (
        "zh",
        "打开便签，新建一个标题是购物清单的便签",
        {"apps.notes.notes.0.title": "购物清单", "apps.notes.notes.0.number": 3, "page": ["home"]},
    ),
    ("zh", "打开便签，新建便签 周末去爬山", {"apps.notes.notes.0.title": "周末去爬山"}),
    ("zh", "打开便签，长按购物清单，删除", {"apps.notes.notes.0.title": "会议记录"}),
    ("zh", "打开设置，打开飞行模式", {"settings.global.airplane_mode_on": "1"}),
    (
        "en",
        "Open Contacts, create a contact named Zoe with phone number 13800000000",
        {"apps.contacts.contacts.3.name": "Zoe", "apps.contacts.contacts.3.phone": "13800000000"},
    ),
    ("en", 'Open Contacts, search for "Bob", tap Bob', {"page": ["detail", "2"]}),
    (
        "en",
        'Open Notes, create a note titled "Shopping"',
        {"apps.notes.notes.0.title": "Shopping", "page": ["home"]},
    ),
]

SIZES_PX = [(800, 1280), (1080, 1920), (1440, 3200), (1812, 2176), (2400, 1080)]


@pytest.mark.parametrize(
    ("locale", "task", "named"), CANNOT_BE_DONE, ids=[task for _, task, _ in CANNOT_BE_DONE]
)
def test_what_cannot_be_done_ends_in_an_abort_that_names_it_and_changes_nothing(
    locale: Locale, task: str, named: str
) -> None:
    phone = VirtualPhone(Profile(locale=locale))
    before = phone.truth()["apps"]
    end = play_on(phone, task)[-1]
    assert isinstance(end, Abort)
    assert named in end.value
    assert phone.truth()["apps"] == before


@pytest.mark.parametrize(
    ("locale", "task", "truth"), CAN_BE_DONE, ids=[task for _, task, _ in CAN_BE_DONE]
)
def test_what_is_told_as_done_is_true_of_the_phone(
    locale: Locale, task: str, truth: dict[str, Any]
) -> None:
    phone = VirtualPhone(Profile(locale=locale))
    end = play_on(phone, task)[-1]
    assert isinstance(end, Complete), end
    assert {path: read_path(phone.truth(), path) for path in truth} == truth


@pytest.mark.parametrize(
    ("locale", "task"),
    [
        ("zh", "打开设置，进入蓝牙，关闭蓝牙开关"),
        ("en", "Open Settings, go to Bluetooth, turn off the Bluetooth switch"),
    ],
)
@pytest.mark.parametrize("size_px", SIZES_PX, ids=str)
def test_a_switch_is_read_and_turned_on_screens_of_every_size(
    size_px: tuple[int, int], locale: Locale, task: str
) -> None:
    width_px, height_px = size_px
    phone = VirtualPhone(Profile(locale=locale, width_px=width_px, height_px=height_px))
    end = play_on(phone, task)[-1]
    assert isinstance(end, Complete), end
    assert phone.settings["global"]["bluetooth_on"] == "0"

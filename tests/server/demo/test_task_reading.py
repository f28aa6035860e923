"""A task in plain words becomes a list of clauses."""

from __future__ import annotations

import pytest

from server.model.demo.clauses import (
    Ask,
    Clause,
    Enter,
    Fill,
    Flip,
    GoBack,
    GoHome,
    Open,
    Pause,
    Scroll,
    ScrollTo,
    Submit,
    Tap,
    Tell,
    Unknown,
)
from server.model.demo.task_reading import language_of, read_task

TASKS: list[tuple[str, list[Clause]]] = [
    ("打开设置，进入蓝牙，关闭蓝牙", [Open("设置"), Enter("蓝牙"), Flip("蓝牙", False)]),
    ("Open Settings, turn off WLAN", [Open("Settings"), Flip("WLAN", False)]),
    (
        "打开便签，新建便签，输入“明天买牛奶”，保存",
        [Open("便签"), Tap("新建便签"), Fill("明天买牛奶"), Tap("保存")],
    ),
    ("Open Clock and turn on the 07:00 alarm", [Open("Clock"), Flip("07:00 alarm", True)]),
    (
        "打开商城，搜索“耳机”，点击第一个商品，加入购物车",
        [Open("商城"), Fill("耳机", "search"), Submit(), Tap("商品", 1), Tap("加入购物车")],
    ),
    (
        "打开微信，给张三发送“晚上好”",
        [Open("微信"), Tap("张三", exact=True), Fill("晚上好", "message"), Tap("发送")],
    ),
    (
        'Open WeChat then send "see you, then" to Alice',
        [Open("WeChat"), Tap("Alice", exact=True), Fill("see you, then", "message"), Tap("Send")],
    ),
    (
        "打开设置，滑动到关于手机，点击关于手机，完成后告诉我型号是什么？",
        [Open("设置"), ScrollTo("关于手机"), Tap("关于手机"), Tell("型号")],
    ),
    (
        "Please open Settings, scroll to About phone, tap it and then tell me the model",
        [Open("Settings"), ScrollTo("About phone"), Tap("it"), Tell("model")],
    ),
    ("把蓝牙关掉", [Flip("蓝牙", False)]),
    ("将深色模式打开", [Flip("深色模式", True)]),
    ("打开蓝牙开关", [Flip("蓝牙", True)]),
    ("关闭蓝牙和WLAN", [Flip("蓝牙", False), Flip("WLAN", False)]),
    ("turn Bluetooth on", [Flip("Bluetooth", True)]),
    ("请帮我打开设置，然后再进入显示页面", [Open("设置"), Enter("显示")]),
    ("在设置中关闭蓝牙", [Open("设置"), Flip("蓝牙", False)]),
    ("在搜索框中输入“蓝牙”", [Fill("蓝牙", "search")]),
    ("在姓名栏里填写“赵六”", [Fill("赵六", "named", "姓名")]),
    ('type "Zoe" in the name field', [Fill("Zoe", "named", "name")]),
    ("等待3秒，返回，回到桌面", [Pause(3.0), GoBack(), GoHome()]),
    ("wait 2 seconds, go back, go home", [Pause(2.0), GoBack(), GoHome()]),
    ("问我要买什么，输入我的回答", [Ask("要买什么"), Fill(None)]),
    ("ask me for the name, type my answer", [Ask("the name"), Fill(None)]),
    ("向下滑动，滑动到底部", [Scroll("down"), Scroll("down", to_end=True)]),
    ("scroll up, scroll to the bottom", [Scroll("up"), Scroll("down", to_end=True)]),
    ("长按第二个会话", [Tap("会话", 2, "long")]),
    ("double tap the picture", [Tap("picture", how="double")]),
    ("点击“打开，然后再说”按钮", [Tap("打开，然后再说")]),
    ("save it", [Tap("save")]),
    (
        "新建联系人 张三 13800000000",
        [
            Tap("新建联系人"),
            Fill("张三", "named", "姓名"),
            Fill("13800000000", "named", "电话"),
            Tap("保存"),
        ],
    ),
    (
        'create a note titled "Milk, bread", go back',
        [Tap("create note"), Fill("Milk, bread", "named", "Title"), Tap("Save"), GoBack()],
    ),
    ("新建一个闹钟 6:45", [Unknown("新建一个闹钟 6:45")]),
    ("添加到购物车", [Tap("添加到购物车")]),
    ("start the stopwatch", [Unknown("start the stopwatch")]),
    ("做一个蛋糕", [Unknown("做一个蛋糕")]),
    ("Open Notes, compose a symphony", [Open("Notes"), Unknown("compose a symphony")]),
]


@pytest.mark.parametrize(("task", "clauses"), TASKS, ids=[task for task, _ in TASKS])
def test_a_task_is_read_into_its_clauses(task: str, clauses: list[Clause]) -> None:
    assert read_task(task) == clauses


def test_commands_inside_quotes_are_text_and_no_commands() -> None:
    assert read_task("输入“先打开设置，然后返回”") == [Fill("先打开设置，然后返回")]


def test_a_task_of_nothing_but_commas_has_no_clauses() -> None:
    assert read_task("，，。") == []


def test_the_language_is_that_of_the_words_outside_quotes() -> None:
    assert language_of("Type “你好” in the box") == "en"
    assert language_of('输入"hello"') == "zh"

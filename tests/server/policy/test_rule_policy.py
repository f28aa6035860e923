"""The built-in rules, on facts that the model cannot set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from device.ui_tree import parse_ui_tree
from parsers.action import (
    Action,
    Awake,
    Back,
    Click,
    Home,
    HotKey,
    LongPress,
    Point,
    Scroll,
    Slide,
    Type,
    Wait,
)
from server.policy.rule_policy import AllowAll, Facts, RulePolicy
from server.policy.screen import ScreenView
from server.tasks.terms import TaskPolicy

CONFIGS = Path(__file__).resolve().parents[3] / "configs"
WIDTH, HEIGHT = 1000, 2000
Node = dict[str, Any]


@pytest.fixture(scope="module")
def policy() -> RulePolicy:
    return RulePolicy.load(CONFIGS)


def node(
    text: str = "",
    box: tuple[int, int, int, int] = (100, 1000, 900, 1100),
    kind: str = "TextView",
    **more: Any,
) -> Node:
    return {"text": text, "box": box, "kind": kind, **more}


def button(text: str, box: tuple[int, int, int, int] = (100, 1000, 900, 1100)) -> Node:
    return node(text, box, "Button", clickable=True)


def screen(*nodes: Node) -> ScreenView:
    """A page with these nodes, side by side under the root."""
    parts = [f'<node class="android.widget.FrameLayout" bounds="[0,0][{WIDTH},{HEIGHT}]">']
    for item in nodes:
        left, top, right, bottom = item["box"]
        flags = " ".join(
            f'{name}="true"' for name in ("clickable", "password", "focused") if item.get(name)
        )
        parts.append(
            f'<node class="android.widget.{item["kind"]}" text="{item["text"]}" '
            f'content-desc="{item.get("desc", "")}" resource-id="{item.get("id", "")}" {flags} '
            f'bounds="[{left},{top}][{right},{bottom}]"/>'
        )
    xml = f'<hierarchy rotation="0">{"".join(parts)}</node></hierarchy>'
    return ScreenView(parse_ui_tree(xml), WIDTH, HEIGHT)


def tap(item: Node) -> Click:
    left, top, right, bottom = item["box"]
    return Click(point=Point(x=(left + right) / 2, y=(top + bottom) / 4))


def judge(
    policy: RulePolicy,
    action: Action,
    *nodes: Node,
    package: str | None = "com.example.app",
    task: str = "",
    own: TaskPolicy | None = None,
) -> tuple[str, str]:
    facts = Facts(package, screen(*nodes) if nodes else None, was_looked=True)
    decision = policy.decide(action, facts, policy.terms_for(task, own))
    return decision.level, decision.risk


@pytest.mark.parametrize(
    ("label", "level", "risk"),
    [
        ("立即支付 ¥99", "confirm", "pay"),
        ("Pay now", "confirm", "pay"),
        ("支 付", "confirm", "pay"),
        ("Ｐａｙ　ｎｏｗ", "confirm", "pay"),
        ("P&#x200b;ay", "confirm", "pay"),
        ("Рау", "confirm", "pay"),
        ("確認轉帳", "confirm", "transfer"),
        ("Place order", "confirm", "order"),
        ("提交订单", "confirm", "order"),
        ("De1ete", "confirm", "delete"),
        ("永久刪除", "confirm", "delete"),
        ("Install", "deny", "install"),
        ("While using the app", "deny", "permission"),
        ("发送", "confirm", "send"),
        ("Call back", "confirm", "send"),
        ("登录", "hand_over", "sign_in"),
        ("取消", "allow", "none"),
        ("Not now", "allow", "none"),
        ("加入购物车", "allow", "none"),
        ("Payment methods", "allow", "none"),
        ("查看详情", "allow", "none"),
    ],
)
def test_a_buttons_own_words_decide(policy: RulePolicy, label: str, level: str, risk: str) -> None:
    target = button(label)
    assert judge(policy, tap(target), node("A page", (0, 80, 500, 180)), target) == (level, risk)


@pytest.mark.parametrize(
    ("question", "risk"),
    [
        ("Delete 14 files permanently?", "delete"),
        ("确定要清空聊天记录吗？", "delete"),
        ("确认向李雷转账", "transfer"),
        ("Your order total is $12.50", "pay"),
        ("D e l e t e  a l l ?", "delete"),
    ],
)
@pytest.mark.parametrize("yes", ["OK", "确定", "Continue", "✓ Yes"])
def test_a_yes_means_what_the_question_says(
    policy: RulePolicy, question: str, risk: str, yes: str
) -> None:
    target = button(yes, (520, 1000, 900, 1100))
    asked = (node(question, (100, 800, 900, 900)), button("Cancel", (100, 1000, 500, 1100)), target)
    assert judge(policy, tap(target), *asked) == ("confirm", risk)
    assert judge(policy, tap(asked[1]), *asked) == ("allow", "none")


def test_words_in_a_text_that_one_writes_or_reads_ask_nothing(policy: RulePolicy) -> None:
    field = node("Delete the old photos, pay rent", (0, 300, 1000, 900), "EditText", clickable=True)
    heading = node("Pay", (0, 80, 500, 180))
    done = button("查看", (700, 1800, 980, 1900))
    assert judge(policy, tap(field), heading, field, done) == ("allow", "none")
    assert judge(policy, tap(heading), heading, field, done) == ("allow", "none")
    assert judge(policy, tap(done), heading, field, done) == ("allow", "none")


def test_a_row_of_a_list_that_speaks_of_paying_is_only_opened(policy: RulePolicy) -> None:
    rows = [
        node(text, (0, 300 + 200 * i, 1000, 500 + 200 * i), "LinearLayout", clickable=True)
        for i, text in enumerate(("Pay rent", "Delete old mails", "Call the bank about the loan"))
    ]
    for row in rows:
        assert judge(policy, tap(row), *rows, package="com.google.android.keep") == (
            "allow",
            "none",
        )


def test_a_label_away_from_its_button_is_found(policy: RulePolicy) -> None:
    icon = node("", (450, 900, 550, 1000), "ImageView", clickable=True)
    caption = node("删除", (450, 1010, 550, 1050))
    assert judge(policy, tap(icon), node("相册", (0, 80, 500, 180)), icon, caption) == (
        "confirm",
        "delete",
    )


def test_the_icon_beside_a_written_message_sends_it(policy: RulePolicy) -> None:
    chat = (
        node("张三", (200, 80, 500, 180)),
        node("晚上好", (0, 1850, 800, 1950), "EditText", clickable=True, focused=True),
        node("", (830, 1850, 980, 1950), "ImageButton", clickable=True),
    )
    ask = {"package": "com.tencent.mm"}
    assert judge(policy, tap(chat[2]), *chat, **ask) == ("confirm", "send")
    named = "打开微信，给张三发送“晚上好”"
    assert judge(policy, tap(chat[2]), *chat, task=named, **ask) == ("notify", "send")
    other_text = "打开微信，给张三发送“早上好”"
    assert judge(policy, tap(chat[2]), *chat, task=other_text, **ask) == ("confirm", "send")
    other_person = "打开微信，给李四发送“晚上好”"
    assert judge(policy, tap(chat[2]), *chat, task=other_person, **ask) == ("confirm", "send")


def test_a_yes_to_a_recipient_is_remembered_by_their_name(policy: RulePolicy) -> None:
    send = button("Send", (830, 1850, 980, 1950))
    chat = screen(
        node("Alice (3)", (200, 80, 500, 180)),
        node("hi", (0, 1850, 800, 1950), "EditText", clickable=True),
        send,
    )
    decision = policy.decide(tap(send), Facts("com.whatsapp", chat, was_looked=True))
    assert decision.once_for == "send:Alice"
    assert decision.facts == {"label": "Send", "recipient": "Alice"}
    assert decision.bounds_px == (830, 1850, 980, 1950)


def test_the_person_is_shown_amount_and_payee(policy: RulePolicy) -> None:
    pay = button("确认支付")
    seen = screen(
        node("收款方：小店", (0, 300, 900, 400)), node("¥ 38.50", (0, 500, 900, 600)), pay
    )
    decision = policy.decide(tap(pay), Facts("com.example.shop", seen, was_looked=True))
    assert decision.facts == {"label": "确认支付", "amount": "¥ 38.50", "payee": "小店"}


@pytest.mark.parametrize(
    ("hint", "text", "level", "risk"),
    [
        ("请输入密码", "hunter2", "hand_over", "sign_in"),
        ("Password", "hunter2", "hand_over", "sign_in"),
        ("请输入6位验证码", "482913", "hand_over", "sign_in"),
        ("支付密码", "123456", "hand_over", "pay"),
        ("CVV", "123", "hand_over", "pay"),
        ("Card number", "4111111111111111", "confirm", "pay"),
        ("搜索", "如何支付", "allow", "none"),
        ("备注", "delete everything", "allow", "none"),
    ],
)
def test_secrets_are_typed_by_the_person(
    policy: RulePolicy, hint: str, text: str, level: str, risk: str
) -> None:
    field = node("", (100, 600, 900, 700), "EditText", clickable=True, focused=True, desc=hint)
    page = node("A page", (0, 80, 500, 180))
    assert judge(policy, Type(value=text), page, field) == (level, risk)


def test_a_pin_pad_is_the_persons(policy: RulePolicy) -> None:
    keys = [button(str(digit), (100 * digit, 1500, 100 * digit + 90, 1600)) for digit in range(10)]
    title = node("请输入支付密码", (100, 800, 900, 900))
    assert judge(policy, tap(keys[4]), title, *keys) == ("hand_over", "pay")
    assert judge(policy, tap(keys[4]), node("计算", (100, 800, 900, 900)), *keys) == (
        "allow",
        "none",
    )


def test_enter_does_what_the_button_does(policy: RulePolicy) -> None:
    field = node("hello", (0, 1800, 800, 1900), "EditText", clickable=True, focused=True)
    send = button("Send", (820, 1800, 980, 1900))
    chat = (node("Bob", (200, 80, 500, 180)), field, send)
    assert judge(policy, HotKey(key="ENTER"), *chat) == ("confirm", "send")
    assert judge(policy, Type(value="hello", submit=True), *chat) == ("confirm", "send")
    assert judge(policy, Type(value="hello\n"), *chat) == ("confirm", "send")
    assert judge(policy, Type(value="hello"), *chat) == ("allow", "none")
    search = node("", (0, 80, 900, 180), "EditText", clickable=True, focused=True, desc="Search")
    assert judge(policy, HotKey(key="ENTER"), search, node("Results")) == ("allow", "none")


def test_a_slider_that_pays_is_a_payment_and_a_swipe_is_not(policy: RulePolicy) -> None:
    slider = node("", (100, 1500, 900, 1600), "SeekBar")
    words = node("Slide to pay $20", (300, 1520, 700, 1580))
    page = node("Checkout", (0, 80, 500, 180))
    slide = Slide(point1=Point(x=120, y=775), point2=Point(x=880, y=775))
    assert judge(policy, slide, page, slider, words) == ("confirm", "pay")
    up = Slide(point1=Point(x=500, y=700), point2=Point(x=500, y=200))
    assert judge(policy, up, page, slider, words) == ("allow", "none")


@pytest.mark.parametrize(
    ("title", "row", "level"),
    [
        ("开发者选项", "USB 调试", "deny"),
        ("Accessibility", "TalkBack", "deny"),
        ("Accessibility", "Font size", "allow"),
        ("Settings", "Bluetooth", "allow"),
        ("设置", "显示", "allow"),
        ("System", "Developer options", "deny"),
        ("Device admin apps", "Find My Device", "deny"),
    ],
)
def test_security_pages_are_denied_and_settings_as_a_whole_are_not(
    policy: RulePolicy, title: str, row: str, level: str
) -> None:
    rows = [
        node(text, (0, 300 + 200 * i, 1000, 500 + 200 * i), "LinearLayout", clickable=True)
        for i, text in enumerate((row, "Something", "Another thing"))
    ]
    seen = (node(title, (150, 80, 600, 180)), *rows)
    assert judge(policy, tap(rows[0]), *seen, package="com.android.settings")[0] == level


def test_a_row_that_was_scrolled_to_the_top_is_no_title() -> None:
    def page(scrollable: str) -> ScreenView:
        rows = "".join(
            f'<node class="android.widget.LinearLayout" clickable="true" bounds="[0,{top}][1000,'
            f'{top + 100}]"><node class="android.widget.TextView" text="{text}" '
            f'bounds="[100,{top}][600,{top + 60}]"/></node>'
            for text, top in (("密码与安全", 110), ("关于手机", 900))
        )
        return ScreenView(
            parse_ui_tree(
                '<hierarchy rotation="0"><node class="androidx.recyclerview.widget.RecyclerView" '
                f'scrollable="{scrollable}" bounds="[0,100][1000,2000]">{rows}</node></hierarchy>'
            ),
            WIDTH,
            HEIGHT,
        )

    assert page("true").title == ""
    assert page("false").title == "密码与安全"


def test_a_system_dialog_over_an_app_is_judged_by_its_own_package(policy: RulePolicy) -> None:
    def answer(words: str) -> tuple[str, str]:
        target = button(words)
        asks = node("Allow Maps to access this device's location?", (100, 800, 900, 900))
        return judge(
            policy, tap(target), asks, target, package="com.google.android.permissioncontroller"
        )

    assert answer("Allow") == ("deny", "permission")
    assert answer("仅在使用中允许") == ("deny", "permission")
    assert answer("Don’t allow") == ("allow", "none")
    assert answer("拒绝") == ("allow", "none")


def test_what_cannot_be_read_asks_and_a_blind_tap_is_denied(policy: RulePolicy) -> None:
    click = Click(point=Point(x=500, y=500))
    terms = policy.terms_for("")

    def level(facts: Facts, action: Action = click) -> tuple[str, str, bool]:
        decision = policy.decide(action, facts, terms)
        return decision.level, decision.risk, decision.needs_look

    assert level(Facts("com.example.app")) == ("confirm", "unknown", True)
    assert level(Facts("com.example.app", was_looked=True)) == ("confirm", "unknown", False)
    assert level(Facts("com.example.app", was_looked=True, is_black=True))[0] == "deny"
    assert level(Facts("com.example.app"), Back()) == ("allow", "none", False)
    assert level(Facts("com.miui.calculator")) == ("allow", "none", False)


@pytest.mark.parametrize(
    "action",
    [Back(), Home(), Wait(value=5), Scroll(direction="down", finger="up"), HotKey(key="MENU")],
)
def test_looking_around_is_free(policy: RulePolicy, action: Action) -> None:
    assert not policy.needs_look(action, "com.icbc")
    assert judge(policy, action, button("Pay now")) == ("allow", "none")


def test_a_screen_is_read_only_where_an_action_may_be_risky(policy: RulePolicy) -> None:
    click = Click(point=Point(x=5, y=5))
    assert policy.needs_look(click, "com.icbc")
    assert policy.needs_look(click, None)
    assert policy.needs_look(LongPress(point=Point(x=5, y=5)), "com.android.settings")
    assert not policy.needs_look(click, "com.google.android.calculator")


def test_denied_apps_are_neither_opened_nor_touched(policy: RulePolicy) -> None:
    for app in ("com.x8bit.bitwarden", "com.azure.authenticator"):
        assert judge(policy, Awake(value=app)) == ("deny", "app")
        assert judge(policy, Click(point=Point(x=5, y=5)), package=app)[0] == "deny"
    assert judge(policy, Back(), package="com.x8bit.bitwarden") == ("allow", "none")


def test_leaving_the_apps_that_a_task_names_asks(policy: RulePolicy) -> None:
    task = "打开设置，关闭蓝牙"
    assert judge(policy, Awake(value="设置"), task=task) == ("allow", "none")
    assert judge(policy, Awake(value="微信"), task=task) == ("confirm", "scope")
    assert judge(policy, Awake(value="微信"), task="关闭蓝牙") == ("allow", "none")
    off = TaskPolicy(scope="off")
    assert judge(policy, Awake(value="微信"), task=task, own=off) == ("allow", "none")
    look = button("查看")
    assert judge(policy, tap(look), look, package="com.tencent.mm", task=task) == (
        "confirm",
        "scope",
    )
    home = "com.android.launcher3"
    assert judge(policy, tap(look), look, package=home, task=task) == ("allow", "none")


def test_the_model_can_raise_the_level_but_not_lower_it(policy: RulePolicy) -> None:
    look, pay = button("查看"), button("Install")
    asks = tap(look).model_copy(update={"confirm": "really?"})
    assert judge(policy, asks, look) == ("confirm", "model_asks")
    raises = tap(pay).model_copy(update={"confirm": "it is harmless, say yes"})
    assert judge(policy, raises, pay)[0] == "deny"
    assert AllowAll().decide(asks, Facts()).level == "confirm"


def test_a_wait_beyond_the_budget_asks(policy: RulePolicy) -> None:
    own = TaskPolicy.model_validate({"budget": {"max_wait_s": 10}})
    assert judge(policy, Wait(value=30), own=own) == ("confirm", "budget")
    assert judge(policy, Wait(value=5), own=own) == ("allow", "none")


def test_all_rules_that_hold_are_told_the_deciding_one_first(policy: RulePolicy) -> None:
    pay = button("Pay $5")
    facts = Facts("com.tencent.mm", screen(pay), was_looked=True)
    decision = policy.decide(tap(pay), facts, policy.terms_for("打开设置"))
    assert [candidate.to_wire()["rule"] for candidate in decision.candidates] == [
        "label",
        "task_scope",
    ]
    assert decision.candidates[0].to_wire() == {
        "class": "pay",
        "rule": "label",
        "level": "confirm",
        "level_from": "policy.yaml",
        "why": "“Pay $5” is touched",
    }

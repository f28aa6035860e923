"""The first rule set, on facts that the model cannot set."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.action import Action, Awake, Back, Click, Point, Scroll, Type
from parsers.base import Environment, ScreenElement
from server.errors import ConfigError
from server.policy import AllowAll, RulePolicy

CONFIGS = Path(__file__).resolve().parents[3] / "configs"
MIDDLE = Point(x=500, y=500)


@pytest.fixture(scope="module")
def policy() -> RulePolicy:
    return RulePolicy.load(CONFIGS)


def screen(package: str | None, *labels: str, readable: bool = True) -> Environment:
    """A screen whose boxes lie one inside the other, the last one innermost."""
    elements = tuple(
        ScreenElement(number, label, "Button", (10.0 * number, 10.0 * number, 1000 - 10.0 * number,
                      1000 - 10.0 * number))
        for number, label in enumerate(labels, start=1)
    )  # fmt: skip
    return Environment(image="", foreground=package, elements=elements if readable else None)


@pytest.mark.parametrize(
    ("package", "label", "level", "risk"),
    [
        ("com.example.shop", "提交订单 ¥99", "confirm", "pay"),
        ("com.example.shop", "Place order", "confirm", "pay"),
        ("com.example.shop", "加入购物车", "allow", "none"),
        ("com.example.shop", "Payment methods", "allow", "none"),
        ("com.tencent.mm", "转账", "confirm", "pay"),
        ("com.tencent.mm", "发送", "notify", "send"),
        ("com.tencent.mm", "张三", "allow", "none"),
        ("com.android.notes", "删除", "confirm", "delete"),
        ("com.android.packageinstaller", "Install", "deny", "install"),
        ("com.google.android.permissioncontroller", "Allow", "deny", "permission"),
        ("com.android.settings", "蓝牙", "allow", "none"),
        (None, "提交订单", "allow", "none"),
    ],
)
def test_the_words_under_the_finger_decide(
    policy: RulePolicy, package: str | None, label: str, level: str, risk: str
) -> None:
    decision = policy.decide(Click(point=MIDDLE), screen(package, "the whole page", label))
    assert (decision.level, decision.risk) == (level, risk)
    assert level == "allow" or label in decision.reason


def test_only_the_innermost_element_counts(policy: RulePolicy) -> None:
    seen = screen("com.example.shop", "提交订单", "返回")
    assert policy.decide(Click(point=MIDDLE), seen).level == "allow"


def test_what_cannot_be_read_is_not_harmless(policy: RulePolicy) -> None:
    unread = screen("com.example.shop", readable=False)
    assert policy.decide(Click(point=MIDDLE), unread).level == "confirm"
    assert policy.decide(Click(point=MIDDLE), screen("com.android.settings")).level == "allow"


@pytest.mark.parametrize(
    "action",
    [Back(), Scroll(direction="down", finger="up"), Awake(value="商城"), Type(value="耳机")],
)
def test_looking_around_is_free(policy: RulePolicy, action: Action) -> None:
    assert policy.decide(action, screen("com.example.shop", "提交订单")).level == "allow"


def test_a_password_manager_is_not_opened(policy: RulePolicy) -> None:
    decision = policy.decide(Awake(value="com.x8bit.bitwarden"), screen(None))
    assert (decision.level, decision.risk) == ("deny", "credentials")


def test_the_model_can_raise_the_level_but_not_lower_it(policy: RulePolicy) -> None:
    asks = Click(point=MIDDLE, confirm="really?")
    assert policy.decide(asks, screen("com.android.settings", "x")).level == "confirm"
    deny = screen("com.android.packageinstaller", "Install")
    assert policy.decide(asks, deny).level == "deny"
    assert AllowAll().decide(asks, deny).level == "confirm"


def test_the_screen_is_read_only_where_words_matter(policy: RulePolicy) -> None:
    wanted = {package: policy.wants_tree(package) for package in
              ("com.example.shop", "com.tencent.mm", "com.android.settings", None)}  # fmt: skip
    assert list(wanted.values()) == [True, True, False, False]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("rules: {}", "rules"),
        ("rule: []", "rules"),
        ("rules:\n  - class: x\n    level: maybe", "rules.0"),
        ("rules:\n  - class: x\n    level: deny\n    word: [a]", "rules.0"),
        ("rules:\n  - class: x\n    level: deny\n    words: a", "rules.0.words"),
    ],
)
def test_a_wrong_rule_is_told_with_its_place(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        RulePolicy.load(tmp_path)
    assert place in error.value.message

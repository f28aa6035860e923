"""The policy's file and a task's own policy: what they may say, and what is told of mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.apps import AliasTable
from parsers.action import Awake, Click, Point
from server.errors import BadRequestError, ConfigError
from server.policy.config import PolicyConfig, read_policy_config
from server.policy.decision import DEFAULT_LEVELS
from server.policy.rule_policy import Facts, RulePolicy
from server.policy.terms import make_terms
from server.tasks.terms import TaskPolicy, read_policy

CONFIGS = Path(__file__).resolve().parents[3] / "configs"


def test_the_shipped_file_says_what_holds_without_it(tmp_path: Path) -> None:
    shipped, default = read_policy_config(CONFIGS), read_policy_config(tmp_path)
    assert shipped.levels == DEFAULT_LEVELS
    assert shipped.model_copy(update={"levels": {}}) == default == PolicyConfig()


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        ("levels: {pays: deny}", "levels.pays", "'pay', 'transfer'"),
        ("levels: {pay: maybe}", "levels.pay", "'allow', 'notify'"),
        ("level: {}", "level", "not permitted"),
        ("apps: {deny: [alipay]}", "apps.deny.0", "com.eg.android.AlipayGphone"),
        ("apps: {deny: [com.eg.android.alipaygphone]}", "apps.deny", "AlipayGphone"),
        ("apps: {confirm: ['com.bank.*']}", "apps.confirm.0", "exact package"),
        ("budget: {max_steps: 0}", "budget.max_steps", "greater"),
        ("rules: {}", "rules", "list"),
        ("rules:\n  - class: x\n    level: maybe", "rules.0", "level"),
        ("rules:\n  - class: x\n    level: deny\n    word: [a]", "rules.0", "words"),
        ("rules:\n  - class: x\n    level: deny\n    words: a", "rules.0.words", "list"),
    ],
)
def test_a_wrong_line_is_told_with_its_place(
    tmp_path: Path, text: str, place: str, remedy: str
) -> None:
    (tmp_path / "policy.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        RulePolicy.load(tmp_path)
    assert place in error.value.message
    assert remedy in error.value.message


def test_a_rule_of_ones_own_holds_beside_the_built_in_ones(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "rules:\n"
        "  - {class: heating, level: deny, packages: [com.example.*], reason: costs 2 kW}\n"
        "  - {class: secrets, level: deny, opens: [com.example.vault]}\n",
        "utf-8",
    )
    policy = RulePolicy.load(tmp_path)
    decision = policy.decide(
        Click(point=Point(x=1, y=1)), Facts("com.example.home", was_looked=True)
    )
    assert (decision.level, decision.risk) == ("deny", "heating")
    assert policy.decide(Awake(value="com.example.vault"), Facts()).risk == "secrets"


def test_a_task_may_be_stricter_or_milder_but_lowers_no_deny() -> None:
    config = PolicyConfig()
    own = read_policy({"levels": {"delete": "deny", "pay": "allow"}, "approve": ["send"]})
    terms = make_terms(config, AliasTable(), "", own)
    assert terms.levels["delete"] == ("deny", "the task's policy")
    assert terms.levels["pay"] == ("allow", "the task's policy")
    assert terms.levels["order"] == ("confirm", "default")
    with pytest.raises(BadRequestError) as error:
        make_terms(config, AliasTable(), "", TaskPolicy(levels={"install": "allow"}))
    assert error.value.details == {"field": "policy.levels.install"}
    assert "configs/policy.yaml" in error.value.message


@pytest.mark.parametrize(
    ("policy", "field"),
    [
        ({"levels": {"fun": "deny"}}, "policy.levels"),
        ({"approve": ["fun"]}, "policy.approve"),
        ({"levels": {"pay": "maybe"}}, "policy.levels.pay"),
        ({"apps": {"deny": ["alipay"]}}, "policy.apps.deny.0"),
    ],
)
def test_a_wrong_policy_of_a_task_is_refused(policy: object, field: str) -> None:
    with pytest.raises(BadRequestError) as error:
        make_terms(PolicyConfig(), AliasTable(), "", read_policy(policy))
    assert error.value.details["field"] == field


def test_an_approved_class_runs_and_is_told() -> None:
    policy = RulePolicy()
    facts = Facts("com.example.app", was_looked=True)
    click = Click(point=Point(x=1, y=1))
    approved = policy.terms_for("", TaskPolicy(approve=("unknown",)))
    assert policy.decide(click, facts, approved).level == "notify"
    assert policy.decide(click, facts, policy.terms_for("")).level == "confirm"


def test_a_tasks_lists_of_apps_narrow_the_servers() -> None:
    policy = RulePolicy()
    own = TaskPolicy.model_validate(
        {"apps": {"allow": ["com.android.settings"], "deny": ["com.tencent.mm"]}}
    )
    terms = policy.terms_for("", own)
    levels = [
        policy.decide(Awake(value=app), Facts(), terms).level
        for app in ("com.android.settings", "com.tencent.mm", "com.example.app")
    ]
    assert levels == ["allow", "deny", "deny"]

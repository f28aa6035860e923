"""What holds for one task: the server's policy with the task's own on top of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from device.apps import AliasTable
from server.errors import BadRequestError
from server.policy.app_names import TaskScope, read_scope
from server.policy.config import PolicyConfig
from server.policy.decision import (
    DEFAULT_LEVELS,
    RISK_CLASSES,
    Level,
    RiskClass,
)
from server.policy.own_rules import OwnRule
from server.policy.wording import joined
from server.tasks.terms import TaskPolicy


@dataclass(frozen=True)
class Terms:
    """The policy of one task, ready to decide by.

    Attributes:
        levels: What each class needs, and who says so.
        allow, deny, confirm, trust: Apps by exact package.
        scope: The apps that the task names; None: it may go anywhere.
        max_wait_s: Longest wait.
        approved: Classes to which whoever started the task said yes.
        rules: The operator's own.
        task: The task's words, plain: what the user said, the one text that may approve.
    """

    levels: Mapping[RiskClass, tuple[Level, str]]
    allow: frozenset[str]
    deny: frozenset[str]
    confirm: frozenset[str]
    trust: frozenset[str]
    scope: TaskScope | None
    max_wait_s: float
    approved: frozenset[str]
    rules: tuple[OwnRule, ...]
    task: str


def make_terms(
    config: PolicyConfig, names: AliasTable, task: str = "", own: TaskPolicy | None = None
) -> Terms:
    """The terms of a task.

    A task's own levels may be stricter than the server's; they may be milder too, but what the
    server denies stays denied.

    Raises:
        BadRequestError: The task's policy asks for what it may not have.
    """
    own = own or TaskPolicy()
    levels = {
        risk: (
            config.levels.get(risk, DEFAULT_LEVELS[risk]),
            "policy.yaml" if risk in config.levels else "default",
        )
        for risk in RISK_CLASSES
    }
    for name, level in own.levels.items():
        risk = check_class(name, "policy.levels")
        if levels[risk][0] == "deny" and level != "deny":
            raise BadRequestError(
                f"policy.levels.{risk}: this server denies {risk}, and a task cannot lower that; "
                f"change `levels.{risk}` in configs/policy.yaml",
                field=f"policy.levels.{risk}",
            )
        levels[risk] = (level, "the task's policy")
    check_approved(own.approve, config, "policy.approve")
    scope = read_scope(task, names) if (own.scope or config.scope) == "apps" else None
    allow = frozenset(config.apps.allow)
    if own.apps.allow:
        allow = allow & set(own.apps.allow) if allow else frozenset(own.apps.allow)
    if scope is not None and allow:
        scope = TaskScope(scope.packages | allow, scope.task)
    return Terms(
        levels=levels,
        allow=allow,
        deny=frozenset(config.apps.deny) | set(own.apps.deny),
        confirm=frozenset(config.apps.confirm) | set(own.apps.confirm),
        trust=frozenset(config.apps.trust) - set(own.apps.confirm) - set(own.apps.deny),
        scope=scope,
        max_wait_s=min(config.budget.max_wait_s, own.budget.max_wait_s or config.budget.max_wait_s),
        approved=frozenset(own.approve),
        rules=config.rules,
        task=joined(task),
    )


def check_class(name: str, field: str) -> RiskClass:
    """The built-in class of that name.

    Raises:
        BadRequestError: There is none; the message names them.
    """
    for risk in RISK_CLASSES:
        if risk == name:
            return risk
    raise _unknown_class(name, field, RISK_CLASSES)


def check_approved(names: Iterable[str], config: PolicyConfig, field: str = "approve") -> None:
    """Whether the classes that a task approves are built in, or those of the operator's rules.

    Raises:
        BadRequestError: One is not; the message names all.
    """
    known = dict.fromkeys((*RISK_CLASSES, *(rule.risk for rule in config.rules)))
    for name in names:
        if name not in known:
            raise _unknown_class(name, field, known)


def _unknown_class(name: str, field: str, known: Iterable[str]) -> BadRequestError:
    return BadRequestError(
        f"{field}: there is no class {name!r}; use one of {', '.join(known)}", field=field
    )

"""The terms under which one task runs: what needs a person, what it may use up, what stays private.

Whoever starts the task sets them; neither the model nor the screen can.
"""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from server.errors import BadRequestError
from server.policy.decision import Level
from server.policy.packages import PackageName
from server.privacy.levels import PrivacyLevel

Scope = Literal["apps", "off"]
ClassName = str

T = TypeVar("T")


class _Terms(BaseModel):
    """A mistyped field is told, not dropped: a rule that is not applied would protect nobody."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class PolicyApps(_Terms):
    """Apps by exact package: those that may be used, never be used, or be used after a yes."""

    allow: tuple[PackageName, ...] = Field(default=(), max_length=200)
    deny: tuple[PackageName, ...] = Field(default=(), max_length=200)
    confirm: tuple[PackageName, ...] = Field(default=(), max_length=200)


class PolicyBudget(_Terms):
    """What the task may use up; reaching one ends it."""

    max_steps: int | None = Field(default=None, ge=1, le=400)
    max_wait_s: float | None = Field(default=None, gt=0, le=3_600)
    max_total_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0)


class TaskPolicy(_Terms):
    """The policy of one task, on top of `configs/policy.yaml`.

    Attributes:
        levels: What an action of a class needs: `{"delete": "deny"}`.
        apps: Lists of apps by exact package.
        scope: `apps`: leaving the apps that the task names needs a yes; `off`: it does not.
        approve: Classes of risk to which the starter says yes beforehand.
        budget: What it may use up.
    """

    levels: dict[ClassName, Level] = Field(default_factory=dict, max_length=50)
    apps: PolicyApps = PolicyApps()
    scope: Scope | None = None
    approve: tuple[ClassName, ...] = Field(default=(), max_length=20)
    budget: PolicyBudget = PolicyBudget()


def read_policy(value: object) -> TaskPolicy | None:
    """A task's policy as callers send it, or as the log keeps it; None stays None.

    Raises:
        BadRequestError: It is not of that form; `details.field` says where.
    """
    return None if value is None else _read(TypeAdapter(TaskPolicy), value, "policy")


def read_privacy(value: object) -> PrivacyLevel | None:
    """A task's level of privacy; None: the server's.

    Raises:
        BadRequestError: There is no such level.
    """
    if value is None:
        return None
    return _read(TypeAdapter(PrivacyLevel), value, "privacy")


def _read(kind: TypeAdapter[T], value: object, name: str) -> T:
    if isinstance(value, BaseModel):
        value = value.model_dump()
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        first: Any = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in (name, *first["loc"]))
        raise BadRequestError(f"{field}: {first['msg']}; correct it", field=field) from error

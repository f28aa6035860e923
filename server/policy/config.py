"""`configs/policy.yaml`: levels of the classes, lists of apps, scope, budget, own rules."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from server.config_files import ConfigFile, read_config_file
from server.policy.app_kinds import BANKS, CREDENTIALS, TRUSTED, WALLETS
from server.policy.decision import Level, RiskClass
from server.policy.own_rules import OwnRule, read_rules
from server.policy.packages import PackageName

POLICY_FILE = "policy.yaml"
Scope = Literal["apps", "off"]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AppLists(_Strict):
    """Apps by exact package.

    Attributes:
        allow: Only these may be used; empty: all but the denied.
        deny: Never opened, never touched.
        confirm: What is touched there and is not clearly harmless needs a yes.
        trust: No screen of these is read and no touch asked about.
    """

    allow: tuple[PackageName, ...] = ()
    deny: tuple[PackageName, ...] = tuple(CREDENTIALS.split())
    confirm: tuple[PackageName, ...] = tuple((BANKS + " " + WALLETS).split())
    trust: tuple[PackageName, ...] = tuple(TRUSTED.split())


class Budget(_Strict):
    """What any task may use up; a task may set less."""

    max_steps: int = Field(default=100, ge=1, le=400)
    max_wait_s: float = Field(default=60, gt=0, le=60)
    max_total_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0)


class PolicyConfig(_Strict):
    """The policy of this server. Without a file the defaults hold."""

    levels: dict[RiskClass, Level] = Field(default_factory=dict)
    apps: AppLists = AppLists()
    scope: Scope = "apps"
    budget: Budget = Budget()
    rules: tuple[OwnRule, ...] = ()


def read_policy_config(config_dir: Path) -> PolicyConfig:
    """The policy of a folder of configuration.

    Raises:
        ConfigError: The file is wrong; the message says where.
    """
    path = config_dir / POLICY_FILE
    if not path.exists():
        return PolicyConfig()
    file = read_config_file(path)
    values = dict(file.data)
    rules = read_rules(file, values.pop("rules", None) or [])
    if "rules" in file.data and not isinstance(file.data["rules"], list):
        raise file.error(("rules",), "must be a list")
    try:
        return PolicyConfig.model_validate({**_filled(values), "rules": rules})
    except ValidationError as error:
        raise _place(file, error) from error


def _filled(values: dict[str, object]) -> dict[str, object]:
    """Keys that are left empty stand for their default."""
    return {
        key: {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
        for key, value in values.items()
        if value is not None
    }


def _place(file: ConfigFile, error: ValidationError) -> Exception:
    first = error.errors(include_url=False, include_input=False)[0]
    where = tuple(part for part in first["loc"] if part != "[key]")
    return file.error(where, first["msg"].removeprefix("Value error, "))

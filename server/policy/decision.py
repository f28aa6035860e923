"""What the policy can say of an action: a class of risk, a level, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Level = Literal["allow", "notify", "confirm", "hand_over", "deny"]
"""What an action needs, from nothing to never. `hand_over`: the person does it, not the agent."""
LEVELS: tuple[Level, ...] = get_args(Level)

RiskClass = Literal[
    "pay",
    "transfer",
    "order",
    "delete",
    "install",
    "permission",
    "send",
    "sign_in",
    "security",
    "unknown",
    "app",
    "scope",
    "budget",
]
RISK_CLASSES: tuple[RiskClass, ...] = get_args(RiskClass)
DEFAULT_LEVELS: Mapping[RiskClass, Level] = {
    "pay": "confirm",
    "transfer": "confirm",
    "order": "confirm",
    "delete": "confirm",
    "install": "deny",
    "permission": "deny",
    "send": "confirm",
    "sign_in": "hand_over",
    "security": "deny",
    "unknown": "confirm",
    "app": "deny",
    "scope": "confirm",
    "budget": "confirm",
}
MEANINGS: Mapping[RiskClass, str] = {
    "pay": "this may spend money",
    "transfer": "this may move money",
    "order": "this may place an order",
    "delete": "this may delete something for good",
    "install": "installing and updating apps is not the agent's to do",
    "permission": "granting permissions is not the agent's to do",
    "send": "this reaches other people",
    "sign_in": "signing in is the person's to do",
    "security": "security settings are not the agent's to change",
    "unknown": "what this does cannot be read",
    "app": "this app is not to be used",
    "scope": "this leaves the apps that the task names",
    "budget": "this is more than the task may use up",
}


def stricter(one: Level, other: Level) -> Level:
    return max(one, other, key=LEVELS.index)


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that holds for an action.

    Attributes:
        risk: The class of risk.
        rule: The rule's name, as `policy explain` shows it.
        why: What it saw, in words.
        least: The level that holds at least, whatever the class's is: a payment PIN is never typed.
    """

    risk: RiskClass | str
    rule: str
    why: str
    least: Level = "allow"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A finding with the level that it came to, and why that one."""

    finding: Finding
    level: Level
    level_from: str

    def to_wire(self) -> dict[str, str]:
        return {
            "class": self.finding.risk,
            "rule": self.finding.rule,
            "level": self.level,
            "level_from": self.level_from,
            "why": self.finding.why,
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What must happen before an action runs.

    Attributes:
        level: `allow`: nothing; `notify`: tell the person; `confirm`: ask; `hand_over`: the person
            does it; `deny`: it never runs.
        risk: The class of risk that was seen; "none" without one.
        reason: Why, in plain words.
        once_for: A yes to this holds for the rest of the task: `send` to this recipient; "": each
            time anew.
        needs_look: Only because the screen was not read: with its UI tree, decide again.
        facts: What a person who is asked should see: label, amount, recipient.
        bounds_px: The box of what is touched, in pixels of the screenshot.
        candidates: All rules that held, the deciding one first.
    """

    level: Level = "allow"
    risk: str = "none"
    reason: str = ""
    once_for: str = ""
    needs_look: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    bounds_px: tuple[int, int, int, int] | None = None
    candidates: tuple[Candidate, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """As callers get it. Those that know no `hand_over` read a `deny`, which is as safe."""
        is_hand_over = self.level == "hand_over"
        wire: dict[str, Any] = {
            "level": "deny" if is_hand_over else self.level,
            "class": self.risk,
            "reason": self.reason,
        }
        if is_hand_over:
            wire["hand_over"] = True
        if self.needs_look:
            wire["needs_look"] = True
        if self.once_for:
            wire["once_for"] = self.once_for
        if self.facts:
            wire["facts"] = dict(self.facts)
        if self.bounds_px is not None:
            wire["bounds_px"] = list(self.bounds_px)
        return wire

"""May an action run without a person?

This first rule set allows everything and says so; the walk asks it for every action, and the
answer is logged and sent along, so that stricter rules need no change elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from parsers.action import Action
from parsers.base import Environment

Level = Literal["allow", "notify", "confirm", "deny"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What must happen before an action runs.

    Attributes:
        level: `allow`: nothing; `notify`: tell the person; `confirm`: ask; `deny`: it never runs.
        risk: The class of risk that was seen; "none" without one.
        reason: Why, in plain words.
    """

    level: Level = "allow"
    risk: str = "none"
    reason: str = ""

    def to_wire(self) -> dict[str, str]:
        return {"level": self.level, "class": self.risk, "reason": self.reason}


class Policy(Protocol):
    """Decides on facts that the model cannot set."""

    def decide(self, action: Action, environment: Environment) -> Decision: ...


class AllowAll:
    """The first rule set: nothing needs a person, except what the model itself asks to confirm."""

    def decide(self, action: Action, environment: Environment) -> Decision:
        if action.confirm is not None:
            return Decision("confirm", "model_asks", action.confirm)
        return Decision()

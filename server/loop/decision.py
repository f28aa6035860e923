"""What the loop has to do next, and the question that binds a person's yes to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parsers.action import Action, action_from_wire
from server.elements import Target
from server.tasks.states import Asked


@dataclass(frozen=True, slots=True)
class Decision:
    """An action as it was decided on.

    Attributes:
        action: What to do.
        policy: What the policy says of it: level, class, reason.
        screen: Fingerprint of the screen that it was chosen on.
        step: Its number in the session.
        took_s: Time until it was there.
        target: Where its numbered element was.
    """

    action: Action
    policy: dict[str, Any]
    screen: bytes
    step: int
    took_s: float
    target: Target | None = None

    @classmethod
    def of_question(cls, asked: Asked) -> Decision:
        """The decision that a person was asked about, as the question keeps it."""
        facts = asked.facts
        return cls(
            action=action_from_wire(facts["action"]),
            policy={
                "level": "confirm",
                "class": facts["class"],
                "reason": asked.text,
                "once_for": facts.get("once_for", ""),
            },
            screen=bytes.fromhex(facts["screen"]),
            step=int(facts["step"]),
            took_s=0.0,
            target=Target.from_wire(facts["element"]) if facts.get("element") else None,
        )

    def to_question(self) -> dict[str, Any]:
        """What binds a question to this one action on this one screen."""
        return {
            "step": self.step,
            "action": self.action.to_wire(include_meta=False),
            "screen": self.screen.hex(),
            "element": self.target.to_wire() if self.target is not None else None,
        }

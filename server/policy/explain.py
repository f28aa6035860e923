"""Why the policy decides as it does: every rule that holds, for an action on a screen."""

from __future__ import annotations

from typing import Any

from device.errors import DeviceError
from device.ui_tree import parse_ui_tree
from parsers.action import Action, Size
from server.errors import BadRequestError
from server.policy.rule_policy import Facts, Policy
from server.policy.screen import ScreenView
from server.tasks.terms import TaskPolicy


def explain(
    policy: Policy,
    action: Action,
    *,
    package: str | None = None,
    ui_tree: str | None = None,
    size: Size | None = None,
    task: str = "",
    own: TaskPolicy | None = None,
) -> dict[str, Any]:
    """What the policy says of an action on a screen, and all that it considered.

    Args:
        policy: Which.
        action: What would be done.
        package: The app in front.
        ui_tree: The screen's dump; "": it gives none; None: it was not read.
        size: Of the screenshot in pixels; None: as large as the dump's outermost box.
        task: The user's words.
        own: The task's own policy.

    Returns:
        `decision` (as in `automate_step`), `needs_screen`, `touched` (kind and words), `candidates`
        (class, rule, level, level_from, why), the deciding one first.

    Raises:
        BadRequestError: The dump cannot be read, or the task's policy is wrong.
    """
    screen = _read_screen(ui_tree, size) if ui_tree else None
    facts = Facts(package, screen, was_looked=ui_tree is not None)
    decision = policy.decide(action, facts, policy.terms_for(task, own))
    return {
        "decision": decision.to_wire(),
        "needs_screen": policy.needs_look(action, package),
        "touched": decision.facts.get("label", ""),
        "title": screen.title if screen is not None else "",
        "candidates": [candidate.to_wire() for candidate in decision.candidates],
    }


def _read_screen(ui_tree: str, size: Size | None) -> ScreenView:
    try:
        tree = parse_ui_tree(ui_tree)
    except DeviceError as error:
        raise BadRequestError(
            f"the screen cannot be read: {error.message}", field="screen"
        ) from error
    if size is None:
        boxes = [node.bounds for node in tree.nodes()]
        width_px = max((box.right for box in boxes), default=1)
        size = Size(width_px=max(1, width_px), height_px=max(1, *(box.bottom for box in boxes), 1))
    return ScreenView(tree, size.width_px, size.height_px)


def describe(explained: dict[str, Any]) -> str:
    """The explanation in lines for a person."""
    decision = explained["decision"]
    level = "hand_over" if decision.get("hand_over") else decision["level"]
    lines = [f"{level}: {decision['reason'] or 'no rule holds'}"]
    lines += [
        f"  {rule['level']:<9} {rule['class']:<10} {rule['rule']}: {rule['why']} "
        f"[{rule['level_from']}]"
        for rule in explained["candidates"]
    ]
    if decision.get("needs_look"):
        lines.append("  With the screen's UI tree it would be decided anew: give --screen.")
    return "\n".join(lines)

"""Repeat a session's actions on a phone, each once the screen is like the recorded one.

What is on the screen decides: the first screen that stays different ends the repetition, and no
further input goes to the phone. The policy decides as it does for a model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from device.errors import DeviceError
from device.protocol import App, Device, Screenshot, UiTree
from parsers.action import Size
from server.act import ElementNotFoundError, Observation, act_on_device
from server.elements import Target, find_again, number_elements
from server.export.episode import Episode, EpisodeStep
from server.observe import check_visible
from server.observing import centre_px
from server.policy.rule_policy import Facts, Policy
from server.policy.screen import ScreenView
from server.replay.likeness import Likeness, compare_pictures, compare_trees

LIKENESS_LEAST = 0.75
"""From which score on two screens count as the same step of the same task."""
WAIT_FOR_SCREEN_S = 10.0
PAUSE_S = 0.25
Verdict = Literal["done", "nothing_to_do", "not_done_then", "differs", "withheld", "failed"]
ENDS: frozenset[Verdict] = frozenset({"differs", "withheld", "failed"})


@dataclass(frozen=True, slots=True)
class RepeatedStep:
    """What became of one step.

    Attributes:
        step: Its number.
        action: Its kind.
        verdict: `done`; `nothing_to_do`: it has no effect on a phone; `not_done_then`: it was
            withheld or failed when it was recorded, and is not done now either; `differs`: the
            screen is another one; `withheld`: the policy wants a person; `failed`: the phone said
            so. The last three end the repetition.
        likeness: How alike the screens were; None where nobody looked.
        message: What went wrong.
    """

    step: int
    action: str
    verdict: Verdict
    likeness: Likeness | None = None
    message: str = ""

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"step": self.step, "action": self.action, "verdict": self.verdict}
        if self.likeness is not None:
            wire["image"] = round(self.likeness.image, 3)
            wire["tree"] = None if self.likeness.tree is None else round(self.likeness.tree, 3)
        return wire | ({"message": self.message} if self.message else {})


@dataclass(frozen=True, slots=True)
class RepeatOptions:
    """How to repeat.

    Attributes:
        likeness_least: Score from which on a screen is like the recorded one.
        wait_s: How long to wait for it.
        may_confirm: Actions that need a person's yes have it.
    """

    likeness_least: float = LIKENESS_LEAST
    wait_s: float = WAIT_FOR_SCREEN_S
    may_confirm: bool = False


def repeat_session(
    episode: Episode,
    device: Device,
    policy: Policy,
    options: RepeatOptions,
    *,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[RepeatedStep]:
    """Repeat a session step by step; ends behind the first step that cannot be repeated.

    Args:
        episode: The session.
        device: The phone; what is borrowed from it is given back at the end.
        policy: What may run without a person.
        options: How.
        sleep: How to wait.
    """
    device.wake()
    device.prepare()
    try:
        for step in episode.iter_steps():
            done = _repeat(step, device, policy, options, sleep)
            yield done
            if done.verdict in ENDS:
                return
    finally:
        device.restore()


def _repeat(
    step: EpisodeStep,
    device: Device,
    policy: Policy,
    options: RepeatOptions,
    sleep: Callable[[float], None],
) -> RepeatedStep:
    kind = step.action.action
    try:
        seen, likeness = _wait_for_screen(step, device, options, sleep)
    except DeviceError as error:
        return RepeatedStep(step.number, kind, "failed", message=error.message)
    if likeness.score < options.likeness_least:
        message = "the screen is not like the recorded one; look at both pictures"
        return RepeatedStep(step.number, kind, "differs", likeness, message)
    then = (step.outcome or {}).get("status")
    if then in ("withheld", "failed"):
        message = f"{then} when it was recorded"
        return RepeatedStep(step.number, kind, "not_done_then", likeness, message)
    if getattr(step.action, "element", None) is not None and seen.target is None:
        message = "the element that was named is not on the screen, or was never on record"
        return RepeatedStep(step.number, kind, "failed", likeness, message)
    decision = policy.decide(step.action, _facts(seen), policy.terms_for(""))
    if decision.level in ("deny", "hand_over") or (
        decision.level == "confirm" and not options.may_confirm
    ):
        message = f"{decision.risk}: {decision.reason or 'the policy wants a person'}"
        return RepeatedStep(step.number, kind, "withheld", likeness, message)
    try:
        outcome = act_on_device(step.action, device, seen, sleep=sleep)
    except (DeviceError, ElementNotFoundError) as error:
        return RepeatedStep(step.number, kind, "failed", likeness, error.message)
    verdict: Verdict = "done" if outcome.status == "ok" else "nothing_to_do"
    return RepeatedStep(step.number, kind, verdict, likeness)


def _wait_for_screen(
    step: EpisodeStep, device: Device, options: RepeatOptions, sleep: Callable[[float], None]
) -> tuple[Observation, Likeness]:
    """Look until the screen is like the recorded one, or the time is over; the last look counts."""
    ends = time.monotonic() + options.wait_s
    last: Screenshot | None = None
    while True:
        shot = device.screenshot()
        check_visible(shot)
        is_over = time.monotonic() >= ends
        if last is None or shot.data != last.data or is_over:
            seen, likeness = _look_closely(step, device, shot)
            if likeness.score >= options.likeness_least or is_over:
                return seen, likeness
        last = shot
        sleep(PAUSE_S)


def _look_closely(
    step: EpisodeStep, device: Device, shot: Screenshot
) -> tuple[Observation, Likeness]:
    tree = device.ui_tree()
    likeness = Likeness(
        compare_pictures(step.picture, shot.data),
        compare_trees(step.tree, tree),
        (step.size.width_px, step.size.height_px) == (shot.width_px, shot.height_px),
    )
    wire = step.message.get("element")
    target = Target.from_wire(wire) if wire else None
    if target is not None and target.source == "tree":
        target = _find_target(target, tree, shot)
    front: App | None = device.foreground()
    return Observation(shot, tree, front, target), likeness


def _find_target(recorded: Target, tree: UiTree | None, shot: Screenshot) -> Target | None:
    """The recorded element on the screen as it is now; None: it is not there."""
    if tree is None:
        return None
    size = Size(width_px=shot.width_px, height_px=shot.height_px)
    now = number_elements(tree, size, base=1)
    found = find_again(recorded, now)
    return None if found is None else Target(found, "tree", len(now.elements))


def _facts(seen: Observation) -> Facts:
    """What the policy decides by."""
    shot, tree = seen.screenshot, seen.ui_tree
    return Facts(
        package=seen.foreground.package if seen.foreground else None,
        screen=ScreenView(tree, shot.width_px, shot.height_px) if tree else None,
        was_looked=True,
        is_black=shot.black is not None,
        point_px=centre_px(seen.target, Size(width_px=shot.width_px, height_px=shot.height_px)),
    )

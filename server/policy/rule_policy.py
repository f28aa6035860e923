"""May an action run without a person? The built-in rules, the lists of apps, the task's terms.

Decided on facts that the model cannot set: the app in front, the words of what is touched and of
what stands around it, the text that is typed, the user's own task. The model can only raise the
level (`confirm` in its action).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from device.apps import AliasTable
from device.protocol import UiNode
from parsers.action import (
    Action,
    Awake,
    Click,
    DoubleClick,
    HotKey,
    LongPress,
    Slide,
    Type,
    Wait,
)
from server.policy.app_kinds import AppKind, kind_of
from server.policy.app_names import packages_of
from server.policy.config import Budget, PolicyConfig, read_policy_config
from server.policy.decision import (
    LEVELS,
    MEANINGS,
    Candidate,
    Decision,
    Finding,
    Level,
    stricter,
)
from server.policy.input_rules import find_in_enter, find_in_slide, find_in_typing, point_px
from server.policy.own_rules import OwnRule
from server.policy.screen import ScreenView, Touched
from server.policy.sending import facts_for_person, is_named_by_task, recipient_of
from server.policy.terms import Terms, check_approved, make_terms
from server.policy.touch import Touch
from server.policy.touch_rules import find_in_touch
from server.tasks.terms import TaskPolicy

APPS_FILE = "apps.yaml"
_RISKY_KEYS = frozenset({"ENTER", "PASTE"})
_CAREFUL_KINDS: frozenset[AppKind] = frozenset({"bank", "wallet", "credentials"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known when an action is judged.

    Attributes:
        package: The app in front, where known.
        screen: The screen's words; None: it was not read, or cannot be.
        was_looked: Whether the screen was read (or tried to be).
        is_black: The picture shows nothing either: a tap there would be blind.
        point_px: Where a numbered element that the action names is touched.
    """

    package: str | None = None
    screen: ScreenView | None = None
    was_looked: bool = False
    is_black: bool = False
    point_px: tuple[float, float] | None = None


class Policy(Protocol):
    """Decides on facts that the model cannot set."""

    @property
    def budget(self) -> Budget:
        """The most that any task may use up."""

    def terms_for(self, task: str, own: TaskPolicy | None = None) -> Terms:
        """The policy of one task."""

    def check_approved(self, names: Iterable[str]) -> None:
        """Refuse names that are no class of risk."""

    def decide(self, action: Action, facts: Facts, terms: Terms) -> Decision: ...

    def needs_look(self, action: Action, package: str | None) -> bool:
        """Whether the screen must be read before this action is judged."""

    def wants_tree(self, package: str | None) -> bool:
        """Whether touches in this app are judged by the words on the screen."""


class RulePolicy:
    """The built-in rules under a configuration.

    Args:
        config: Levels, lists of apps, scope, budget, own rules.
        names: What people call apps.
    """

    def __init__(self, config: PolicyConfig | None = None, names: AliasTable | None = None) -> None:
        self.config = config or PolicyConfig()
        self._names = names or AliasTable()
        self._plain_terms = make_terms(self.config, self._names)

    @classmethod
    def load(cls, config_dir: Path) -> RulePolicy:
        """The policy of `configs/policy.yaml`; the defaults without the file.

        Raises:
            ConfigError: The file is wrong; the message says where.
            AliasTableError: The table of apps cannot be read.
        """
        names = config_dir / APPS_FILE
        return cls(
            read_policy_config(config_dir), AliasTable.load(names) if names.exists() else None
        )

    @property
    def budget(self) -> Budget:
        """The most that any task may use up."""
        return self.config.budget

    def terms_for(self, task: str, own: TaskPolicy | None = None) -> Terms:
        """The policy of one task.

        Raises:
            BadRequestError: The task's policy asks for what it may not have.
        """
        return make_terms(self.config, self._names, task, own)

    def check_approved(self, names: Iterable[str]) -> None:
        """Refuse an approval that would approve nothing.

        Raises:
            BadRequestError: A name is no class of risk; the message names them.
        """
        check_approved(names, self.config)

    def wants_tree(self, package: str | None) -> bool:
        return package not in self._plain_terms.trust

    def needs_look(self, action: Action, package: str | None) -> bool:
        return _reads_screen(action) and self.wants_tree(package)

    def decide(self, action: Action, facts: Facts, terms: Terms | None = None) -> Decision:
        """What must happen before the action runs; the strictest rule that holds decides."""
        terms = terms or self._plain_terms
        found: list[Candidate] = []
        if action.confirm is not None:
            asked = Finding("model_asks", "model_asks", action.confirm)
            found.append(Candidate(asked, "confirm", "the model asks for a yes"))
        found += [
            self._rate(finding, terms) for finding in self._find_outside(action, facts, terms)
        ]
        touch = _touch_of(action, facts, terms)
        recipient = recipient_of(facts.screen) if facts.screen is not None else ""
        for finding in _find_on_screen(action, facts, terms, touch):
            rated = self._rate(finding, terms)
            is_sent = finding.risk == "send" and touch is not None and rated.level == "confirm"
            if is_sent and touch is not None and is_named_by_task(touch, recipient, terms.task):
                said = "the task itself names it and for whom"
                rated = replace(rated, level="notify", level_from=said)
            found.append(rated)
        found.sort(key=_rank)
        if not found:
            return Decision()
        first = found[0]
        return Decision(
            level=first.level,
            risk=first.finding.risk,
            reason=_reason(first.finding, facts.package),
            once_for=_once_for(first.finding, recipient, facts.package),
            needs_look=first.finding.rule == "not_read",
            facts=facts_for_person(touch, recipient if first.finding.risk == "send" else "")
            if touch is not None
            else {},
            bounds_px=_bounds(touch),
            candidates=tuple(found),
        )

    def _rate(self, finding: Finding, terms: Terms) -> Candidate:
        level, source = _level_of(finding, terms)
        if finding.risk in terms.approved and level == "confirm":
            level, source = "notify", "approved by whoever started the task"
        if stricter(level, finding.least) != level:
            level, source = finding.least, "always so"
        return Candidate(finding, level, source)

    def _find_outside(self, action: Action, facts: Facts, terms: Terms) -> Iterator[Finding]:
        """What needs no look at the screen: the app, the task's scope, the budget, own rules."""
        if isinstance(action, Wait) and action.value > terms.max_wait_s:
            yield Finding(
                "budget", "wait", f"{action.value:g} s is more than {terms.max_wait_s:g} s"
            )
        if isinstance(action, Awake):
            apps = packages_of(action.value, self._names)
            yield from _find_app(apps, action.value, terms)
            if terms.scope is not None and not (
                any(map(terms.scope.holds, apps)) or action.value.lower() in terms.scope.task
            ):
                yield Finding("scope", "task_scope", f"the task does not name “{action.value}”")
        elif _reads_screen(action) and facts.package:
            yield from _find_app(frozenset({facts.package}), facts.package, terms)
            if terms.scope is not None and not terms.scope.holds(facts.package):
                yield Finding("scope", "task_scope", f"the task does not name {facts.package}")


def _rank(candidate: Candidate) -> tuple[int, bool]:
    """The strictest first; of equals what the action does before where it is."""
    return -LEVELS.index(candidate.level), candidate.finding.risk in ("scope", "budget")


def _level_of(finding: Finding, terms: Terms) -> tuple[Level, str]:
    for risk, (level, source) in terms.levels.items():
        if risk == finding.risk:
            return level, source
    return finding.least, "the rule in policy.yaml"


def _find_app(apps: frozenset[str], name: str, terms: Terms) -> Iterator[Finding]:
    if apps & terms.deny:
        yield Finding("app", "apps.deny", f"{name} is on the list of denied apps", "deny")
    elif (
        terms.allow
        and not apps & terms.allow
        and kind_of(name) not in ("launcher", "permission", "installer")
    ):
        yield Finding("app", "apps.allow", f"{name} is not on the list of allowed apps", "deny")


def _reads_screen(action: Action) -> bool:
    """Whether an action's effect depends on what is on the screen."""
    if isinstance(action, HotKey):
        return action.key in _RISKY_KEYS
    return isinstance(action, Click | DoubleClick | LongPress | Type | Slide)


def _is_careful(package: str | None, terms: Terms) -> bool:
    return package in terms.confirm or kind_of(package) in _CAREFUL_KINDS


def _touch_of(action: Action, facts: Facts, terms: Terms) -> Touch | None:
    """The touch that an action is, where it is one on a screen that was read."""
    screen = facts.screen
    if screen is None or not screen.is_readable or facts.package in terms.trust:
        return None
    if isinstance(action, Click | DoubleClick | LongPress):
        point = facts.point_px
        if action.point is not None:
            point = point_px(action.point, screen)
        if point is None:
            return None
        touched = screen.touched(*point)
        return Touch(
            screen,
            touched,
            kind_of(_package_at(touched, facts.package)),
            _is_careful(facts.package, terms),
            isinstance(action, LongPress),
        )
    return None


def _package_at(touched: Touched, package: str | None) -> str | None:
    """A system dialog lies over the app in front: its own package says more."""
    own = touched.node.package if touched.node is not None else ""
    return own if kind_of(own) in ("permission", "installer") else package or own


def _find_on_screen(
    action: Action, facts: Facts, terms: Terms, touch: Touch | None
) -> Iterator[Finding]:
    if facts.package in terms.trust and facts.package:
        return
    screen = facts.screen
    for rule in terms.rules:
        yield from _by_own_rule(rule, action, facts, touch)
    if not _reads_screen(action):
        return
    if screen is None or not screen.is_readable:
        yield _unread(facts)
        return
    kind = kind_of(facts.package)
    match action:
        case Click() | DoubleClick() | LongPress():
            if touch is None:
                yield Finding("unknown", "no_target", "what it touches is not known")
            elif touch.touched.kind == "nothing" and touch.touched.node is not None:
                yield Finding("unknown", "canvas", "a part of the screen that has no words")
            else:
                yield from find_in_touch(touch)
        case Type():
            field = _field_of(action, facts, screen)
            yield from find_in_typing(screen, kind, action.value, field)
            if action.submit or action.value.endswith("\n"):
                yield from find_in_enter(screen, kind, field)
        case HotKey():
            field = screen.focused_field()
            if action.key == "ENTER":
                yield from find_in_enter(screen, kind, field)
            else:
                yield from find_in_typing(screen, kind, "", field)
        case Slide():
            start, end = point_px(action.point1, screen), point_px(action.point2, screen)
            yield from find_in_slide(screen, kind, _is_careful(facts.package, terms), start, end)
        case _:
            return


def _unread(facts: Facts) -> Finding:
    if not facts.was_looked:
        return Finding("unknown", "not_read", "the screen was not read")
    least: Level = "deny" if facts.is_black else "allow"
    why = (
        "the screen shows nothing and cannot be read"
        if facts.is_black
        else "the screen cannot be read"
    )
    return Finding("unknown", "unreadable", why, least)


def _field_of(action: Type, facts: Facts, screen: ScreenView) -> UiNode | None:
    point = facts.point_px
    if action.point is not None:
        point = point_px(action.point, screen)
    return (screen.field_at(*point) if point is not None else None) or screen.focused_field()


def _by_own_rule(
    rule: OwnRule, action: Action, facts: Facts, touch: Touch | None
) -> Iterator[Finding]:
    """A rule of the operator; with words it holds for every touch where none can be read."""
    why = rule.reason or rule.risk
    if rule.opens:
        if isinstance(action, Awake) and rule.fits_launch(action.value):
            yield Finding(rule.risk, "own_rule", why, rule.level)
        return
    is_touch = isinstance(action, Click | DoubleClick | LongPress | Type)
    if not is_touch or not rule.fits_app(facts.package):
        return
    if rule.words and facts.screen is None:
        if rule.packages and facts.was_looked:
            yield Finding(rule.risk, "own_rule", f"{why} (the screen is unreadable)", rule.level)
        return
    if rule.words and (touch is None or not rule.fits_label(touch.touched.name)):
        return
    yield Finding(rule.risk, "own_rule", why, rule.level)


def _once_for(finding: Finding, recipient: str, package: str | None) -> str:
    if finding.risk == "send" and recipient:
        return f"send:{recipient}"
    return f"scope:{package}" if finding.rule == "task_scope" and package else ""


def _bounds(touch: Touch | None) -> tuple[int, int, int, int] | None:
    node = touch.touched.node if touch is not None else None
    if node is None:
        return None
    box = node.bounds
    return box.left, box.top, box.right, box.bottom


def _reason(finding: Finding, package: str | None) -> str:
    meaning = next((text for risk, text in MEANINGS.items() if risk == finding.risk), "")
    place = f" in {package}" if package else ""
    return f"{meaning}: {finding.why}{place}" if meaning else finding.why


class AllowAll:
    """Nothing needs a person, except what the model itself asks to confirm."""

    budget = Budget()

    def terms_for(self, task: str, own: TaskPolicy | None = None) -> Terms:
        return make_terms(PolicyConfig(), AliasTable(), task, own)

    def check_approved(self, names: Iterable[str]) -> None:
        check_approved(names, PolicyConfig())

    def decide(self, action: Action, facts: Facts, terms: Terms | None = None) -> Decision:
        if action.confirm is not None:
            return Decision("confirm", "model_asks", action.confirm)
        return Decision()

    def needs_look(self, action: Action, package: str | None) -> bool:
        return False

    def wants_tree(self, package: str | None) -> bool:
        return False

"""May an action run without a person?

Decided on facts that the model cannot set: the app in front, the words at the place that is
touched, the text that is typed. The model can only raise the level (`confirm` in its action). The
rules are `configs/policy.yaml`; without the file nothing needs a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

from parsers.action import Action, Awake, Click, DoubleClick, LongPress, Point, Type
from parsers.base import Environment, ScreenElement
from server.config_files import ConfigFile, read_config_file

Level = Literal["allow", "notify", "confirm", "deny"]
LEVELS: tuple[Level, ...] = get_args(Level)
POLICY_FILE = "policy.yaml"


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

    def wants_tree(self, package: str | None) -> bool:
        """Whether the words on the screen matter while this app is in front."""


class AllowAll:
    """Nothing needs a person, except what the model itself asks to confirm."""

    def decide(self, action: Action, environment: Environment) -> Decision:
        if action.confirm is not None:
            return Decision("confirm", "model_asks", action.confirm)
        return Decision()

    def wants_tree(self, package: str | None) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of the rules; all that it names must hold.

    Attributes:
        risk: The class: `pay`, `delete`, `send`, ...
        level: What such an action needs.
        packages: Patterns (`*`) of the app in front; empty: any.
        words: Whole labels at the touched place, lower case; empty: any place.
        opens: Patterns of apps: launching one of these is what the rule is about.
        reason: What the person is told.
    """

    risk: str
    level: Level
    packages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    reason: str = ""
    pattern: re.Pattern[str] | None = field(default=None, repr=False)

    def fits_app(self, package: str | None) -> bool:
        if not self.packages:
            return True
        return any(fnmatchcase(package or "", pattern) for pattern in self.packages)


class RulePolicy:
    """The first rule set: by the app in front, and the words under the finger.

    Where a rule with words is for the app in front, but the screen gives no words, the rule holds
    for every touch: what cannot be read is not harmless.

    Args:
        rules: Looked through from the top; the strictest that holds decides.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    @classmethod
    def load(cls, config_dir: Path) -> RulePolicy:
        """The rules of `configs/policy.yaml`; none without the file.

        Raises:
            ConfigError: The file is wrong; the message says where.
        """
        path = config_dir / POLICY_FILE
        if not path.exists():
            return cls(())
        file = read_config_file(path)
        entries = file.data.get("rules")
        if not isinstance(entries, list) or set(file.data) != {"rules"}:
            raise file.error(("rules",), "the file must have a list `rules` and nothing else")
        return cls([_read_rule(file, number, entry) for number, entry in enumerate(entries)])

    def wants_tree(self, package: str | None) -> bool:
        return any(rule.words and rule.packages and rule.fits_app(package) for rule in self._rules)

    def decide(self, action: Action, environment: Environment) -> Decision:
        found = Decision("confirm", "model_asks", action.confirm) if action.confirm else Decision()
        for rule in self._rules:
            if LEVELS.index(rule.level) > LEVELS.index(found.level) and _holds(
                rule, action, environment
            ):
                found = Decision(rule.level, rule.risk, _explain(rule, action, environment))
        return found


def _holds(rule: Rule, action: Action, environment: Environment) -> bool:
    if rule.opens:
        return isinstance(action, Awake) and any(
            fnmatchcase(action.value.strip().lower(), pattern) for pattern in rule.opens
        )
    if not isinstance(action, Click | DoubleClick | LongPress | Type):
        return False  # looking around, waiting and going back change nothing
    if not rule.fits_app(environment.foreground):
        return False
    if not rule.words:
        return True
    if environment.elements is None:
        return bool(rule.packages)
    label = _label_at(action, environment.elements)
    if isinstance(action, Type) and not action.submit:
        return False
    return label is not None and rule.pattern is not None and bool(rule.pattern.search(label))


def _label_at(action: Any, elements: Sequence[ScreenElement]) -> str | None:
    """The words of the smallest element that is touched."""
    if action.element is not None:
        position = action.element.position
        return elements[position].label if 0 <= position < len(elements) else None
    point: Point | None = action.point
    if point is None:
        return None
    touched = [element for element in elements if _contains(element, point)]
    if not touched:
        return None
    return min(touched, key=_area).label


def _contains(element: ScreenElement, point: Point) -> bool:
    left, top, right, bottom = element.bounds
    return left <= point.x <= right and top <= point.y <= bottom


def _area(element: ScreenElement) -> float:
    left, top, right, bottom = element.bounds
    return (right - left) * (bottom - top)


def _explain(rule: Rule, action: Action, environment: Environment) -> str:
    place = f" in {environment.foreground}" if environment.foreground else ""
    label = (
        _label_at(action, environment.elements)
        if environment.elements and isinstance(action, Click | DoubleClick | LongPress | Type)
        else None
    )
    at = f" on “{label}”" if label else ""
    return f"{rule.reason or rule.risk}: {action.action}{at}{place}"


_KEYS = {"class", "level", "packages", "words", "opens", "reason"}


def _read_rule(file: ConfigFile, number: int, entry: object) -> Rule:
    place = ("rules", number)
    if not isinstance(entry, dict) or not set(entry) <= _KEYS:
        raise file.error(place, f"a rule has the keys {', '.join(sorted(_KEYS))}")
    if entry.get("level") not in LEVELS or not isinstance(entry.get("class"), str):
        raise file.error(place, f"a rule needs `class` and a `level` of {', '.join(LEVELS)}")
    texts: dict[str, tuple[str, ...]] = {}
    for name in ("packages", "words", "opens"):
        value = entry.get(name, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise file.error((*place, name), "must be a list of texts")
        texts[name] = tuple(text.lower() for text in value)
    words = texts["words"]
    return Rule(
        risk=entry["class"],
        level=entry["level"],
        packages=texts["packages"],
        words=words,
        opens=texts["opens"],
        reason=str(entry.get("reason", "")),
        pattern=_pattern(words) if words else None,
    )


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Words as a label has them: ASCII ones as whole words, others anywhere in it."""
    parts = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words]
    return re.compile("|".join(parts), re.IGNORECASE)

"""Rules that an operator writes into `configs/policy.yaml`, beside the built-in ones."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import get_args

from server.config_files import ConfigFile
from server.policy.decision import LEVELS, Level
from server.policy.wording import joined

_KEYS = {"class", "level", "packages", "words", "opens", "reason"}


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One rule; all that it names must hold.

    Attributes:
        risk: The class: one of the built-in ones or a name of one's own.
        level: What such an action needs.
        packages: Patterns (`*`) of the app in front; empty: any.
        words: Parts of the label at the touched place; empty: any place.
        opens: Patterns of apps: launching one of these is what the rule is about.
        reason: What the person is told.
    """

    risk: str
    level: Level
    packages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    reason: str = ""

    def fits_app(self, package: str | None) -> bool:
        name = (package or "").lower()
        return not self.packages or any(fnmatchcase(name, pattern) for pattern in self.packages)

    def fits_launch(self, app: str) -> bool:
        return any(fnmatchcase(app.strip().lower(), pattern) for pattern in self.opens)

    def fits_label(self, label: str) -> bool:
        return not self.words or bool(_pattern(self.words).search(joined(label)))


def read_rules(file: ConfigFile, entries: object) -> list[OwnRule]:
    """The list `rules` of the file.

    Raises:
        ConfigError: A rule is wrong; the message says which and how.
    """
    if not isinstance(entries, list):
        raise file.error(("rules",), "must be a list")
    return [_read_rule(file, number, entry) for number, entry in enumerate(entries)]


def _read_rule(file: ConfigFile, number: int, entry: object) -> OwnRule:
    place = ("rules", number)
    if not isinstance(entry, dict) or not set(entry) <= _KEYS:
        raise file.error(place, f"a rule has the keys {', '.join(sorted(_KEYS))}")
    if entry.get("level") not in get_args(Level) or not isinstance(entry.get("class"), str):
        raise file.error(place, f"a rule needs `class` and a `level` of {', '.join(LEVELS)}")
    texts: dict[str, tuple[str, ...]] = {}
    for name in ("packages", "words", "opens"):
        value = entry.get(name, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise file.error((*place, name), "must be a list of texts")
        texts[name] = tuple(text.lower() for text in value)
    return OwnRule(
        risk=entry["class"],
        level=entry["level"],
        packages=texts["packages"],
        words=tuple(map(joined, texts["words"])),
        opens=texts["opens"],
        reason=str(entry.get("reason", "")),
    )


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Words as a label has them: ASCII ones as whole words, others anywhere in it."""
    parts = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in words]
    return re.compile("|".join(parts), re.IGNORECASE)

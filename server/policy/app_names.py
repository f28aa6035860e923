"""Apps that a task names in its words: the scope that it may not leave without a yes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from device.apps import AliasTable
from server.policy.app_kinds import kind_of
from server.policy.wording import joined

_OPENS_EN = (
    r"\b(?:open|launch|start|use|using|in|via|from|enter|inside|visit|go to|switch to)(?: up)?"
    r"(?: the| my)?"
)
_OPENS_ZH = r"(?:打开|进入|启动|用|使用|去|到|上|在|从|通过|回到|切到|切换到|进)"
_COMMON_PARTS = frozenset(
    {
        "android",
        "mobile",
        "client",
        "google",
        "main",
        "phone",
        "view",
        "apps",
        "example",
        "launcher",
    }
)
_SYSTEM = re.compile(
    r"android|com\.android\.(?:systemui|intentresolver|server\..*)|.*\.documentsui"
    r"|.*input(?:method)?.*"
    r"|.*keyboard.*|com\.google\.android\.gms"
)
_SYSTEM_KINDS = frozenset({"launcher", "permission", "installer"})


@dataclass(frozen=True, slots=True)
class TaskScope:
    """The apps that a task names.

    Attributes:
        packages: All packages that the names may stand for.
        task: The task's words, plain.
    """

    packages: frozenset[str]
    task: str

    def holds(self, package: str) -> bool:
        """Whether an app belongs to the task; the phone's own dialogs and home belong to each."""
        if package in self.packages or _SYSTEM.fullmatch(package):
            return True
        kind = kind_of(package)
        if kind in _SYSTEM_KINDS or (kind != "other" and kind in map(kind_of, self.packages)):
            return True  # the same kind from another maker: its own clock, its own settings
        parts = {part.lower() for part in package.split(".")} - _COMMON_PARTS
        return any(len(part) >= 4 and part in self.task for part in parts)


def read_scope(task: str, names: AliasTable) -> TaskScope | None:
    """The apps that a task names, or None where it names none: then it has no bounds.

    At least one must be named as a place (`open X`, `在X里`); then every name in the task counts.
    """
    text = joined(task)
    places: set[str] = set()
    mentioned: set[str] = set()
    for labels, packages in names.entries:
        for label in labels:
            word = joined(label)
            if word not in text:
                continue
            pattern = re.escape(word)
            if word.isascii():
                if not re.search(rf"\b{pattern}\b", text):
                    continue
                is_place = re.search(rf"{_OPENS_EN} {pattern}\b", text)
            else:
                is_place = re.search(rf"{_OPENS_ZH}\W?{pattern}", text)
            mentioned.update(packages)
            if is_place:
                places.update(packages)
    return TaskScope(frozenset(mentioned), text) if places else None


def packages_of(app: str, names: AliasTable) -> frozenset[str]:
    """The packages that an AWAKE's value may stand for, itself included."""
    return frozenset({app.strip(), *(p for entry in names.packages(app) for p in entry)})

"""The demo tasks and what must be true of the phone after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

DEMO_TASKS_PATH = Path(__file__).parents[2] / "e2e" / "demo_tasks.yaml"


@dataclass(frozen=True, slots=True)
class DemoTask:
    """One line of `tests/e2e/demo_tasks.yaml`."""

    task: str
    locale: str
    steps: int
    truth: dict[str, Any]
    says: str = ""
    answers: list[str] = field(default_factory=list)

    def differences(self, truth: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
        """Paths whose value is not as it must be: `path -> (wanted, found)`."""
        found = {path: read_path(truth, path) for path in self.truth}
        return {
            path: (wanted, found[path])
            for path, wanted in self.truth.items()
            if found[path] != wanted
        }


def load_demo_tasks() -> list[DemoTask]:
    """All demo tasks, in the order of the file."""
    return [DemoTask(**line) for line in yaml.safe_load(DEMO_TASKS_PATH.read_text("utf-8"))]


def read_path(truth: Any, path: str) -> Any:
    """The value at a dotted path; list items by number. None where there is nothing."""
    value = truth
    for name in path.split("."):
        try:
            value = value[int(name)] if isinstance(value, list | tuple) else value[name]
        except (KeyError, IndexError, TypeError):
            return None
    return list(value) if isinstance(value, tuple) else value

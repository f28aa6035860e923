"""The labelled screens of tests/data/safety: reading them, and the dump that a phone would give.

Their format is in tests/data/safety/README.md.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

SAFETY_DIR = Path(__file__).resolve().parent.parent / "data" / "safety"
Corpus = Literal["dev", "harmless", "dev3", "harmless3", "dev4", "harmless4", "heldout", "private"]
_CONTAINERS = ("Layout", "ViewGroup", "WebView", "android.view.View", "Button")


@dataclass(frozen=True, slots=True)
class Node:
    """One node as a dump would show it; `bounds` are left, top, right, bottom in pixels."""

    text: str
    desc: str
    id: str
    class_name: str
    bounds: tuple[int, int, int, int]
    clickable: bool
    checkable: bool
    checked: bool
    password: bool
    focused: bool
    enabled: bool

    def contains(self, other: Node) -> bool:
        left, top, right, bottom = self.bounds
        x1, y1, x2, y2 = other.bounds
        return left <= x1 and top <= y1 and x2 <= right and y2 <= bottom


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen in the order in which it is drawn."""

    width_px: int
    height_px: int
    nodes: tuple[Node, ...]

    def words(self) -> str:
        """All that can be read on it or is described in it, a line each."""
        return "\n".join(words for node in self.nodes for words in (node.text, node.desc) if words)


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that must not leave the machine in strict mode."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a corpus.

    Attributes:
        action: As it is in the file: points in pixels of the screen.
        screen: None where the phone gives no tree.
        irreversible: The label; None in the private corpus.
        risk: Class of the label; "none" for a harmless step.
        task_names_it: Whether the user's own words ask for just this step.
        secrets, public: Only in the private corpus.
    """

    id: str
    lang: str
    app_package: str
    app_kind: str
    task: str
    screen: Screen | None
    action: dict[str, Any]
    irreversible: bool | None
    risk: str
    task_names_it: bool
    note: str
    secrets: tuple[Secret, ...]
    public: tuple[str, ...]


@functools.cache
def read_cases(corpus: Corpus) -> tuple[Case, ...]:
    """All cases of one corpus, file by file in the order of their names."""
    return tuple(
        _read_case(json.loads(line))
        for path in sorted((SAFETY_DIR / corpus).glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line
    )


def write_dump(screen: Screen, package: str) -> str:
    """The uiautomator document of a screen.

    A node is put into the last container before it that holds its whole area, as views are nested.
    """
    parts = ["<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"]
    area = (0, 0, screen.width_px, screen.height_px)
    root = Node("", "", "", "android.widget.FrameLayout", area, *(False,) * 5, True)
    parts.append(_open_tag(root, package))
    open_nodes = [root]
    for node in screen.nodes:
        while len(open_nodes) > 1 and not (
            open_nodes[-1].class_name.endswith(_CONTAINERS) and open_nodes[-1].contains(node)
        ):
            open_nodes.pop()
            parts.append("</node>")
        parts.append(_open_tag(node, package))
        open_nodes.append(node)
    parts.append("</node>" * len(open_nodes) + "</hierarchy>")
    return "".join(parts)


def _open_tag(node: Node, package: str) -> str:
    left, top, right, bottom = node.bounds
    owner = node.id.partition(":")[0] if ":id/" in node.id else ""
    attributes = {
        "text": node.text,
        "resource-id": node.id,
        "class": node.class_name,
        "package": owner if owner == "com.android.systemui" else package,
        "content-desc": node.desc,
        "checkable": node.checkable,
        "checked": node.checked,
        "clickable": node.clickable,
        "enabled": node.enabled,
        "focusable": node.clickable or node.focused,
        "focused": node.focused,
        "scrollable": False,
        "long-clickable": False,
        "password": node.password,
        "selected": False,
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }
    return "<node " + " ".join(f"{name}={_quote(v)}" for name, v in attributes.items()) + ">"


def _quote(value: str | bool) -> str:
    words = str(value).lower() if isinstance(value, bool) else value
    return quoteattr(words, {"\n": "&#10;"})


def _read_case(line: dict[str, Any]) -> Case:
    label = line.get("label", {})
    return Case(
        id=line["id"],
        lang=line["lang"],
        app_package=line["app_package"],
        app_kind=line["app_kind"],
        task=line["task"],
        screen=None if line["screen"] is None else _read_screen(line["screen"]),
        action=line.get("action", {}),
        irreversible=label.get("irreversible"),
        risk=label.get("class", "none"),
        task_names_it=line.get("task_names_it", False),
        note=line.get("note", ""),
        secrets=tuple(Secret(**secret) for secret in line.get("secrets", ())),
        public=tuple(line.get("public", ())),
    )


def _read_screen(screen: dict[str, Any]) -> Screen:
    return Screen(
        screen["width"],
        screen["height"],
        tuple(
            Node(
                text=node["text"],
                desc=node["desc"],
                id=node["id"],
                class_name=node["class"],
                bounds=tuple(node["bounds"]),
                clickable=node["clickable"],
                checkable=node["checkable"],
                checked=node.get("checked", False),
                password=node["password"],
                focused=node["focused"],
                enabled=node["enabled"],
            )
            for node in screen["nodes"]
        ),
    )

"""Finding nodes of the UI tree as Android's `UiSelector` does, in the JSON that clients send."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from xml.etree import ElementTree

#: Attribute of a node for each string field of a selector.
_TEXTS: Final[Mapping[str, str]] = {
    "text": "text",
    "description": "content-desc",
    "className": "class",
    "packageName": "package",
    "resourceId": "resource-id",
}
_FLAGS: Final[Mapping[str, str]] = {
    "checkable": "checkable",
    "checked": "checked",
    "clickable": "clickable",
    "longClickable": "long-clickable",
    "scrollable": "scrollable",
    "enabled": "enabled",
    "focusable": "focusable",
    "focused": "focused",
    "selected": "selected",
}
_WAYS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "": lambda wanted, found: wanted == found,
    "Contains": lambda wanted, found: wanted.lower() in found.lower(),
    "StartsWith": lambda wanted, found: found.lower().startswith(wanted.lower()),
    "Matches": lambda wanted, found: re.fullmatch(wanted, found, re.DOTALL) is not None,
}
_BOUNDS: Final = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")

Node = ElementTree.Element
Selector = Mapping[str, Any]


class SelectorError(ValueError):
    """A selector that can't be read."""


def find_nodes(xml: str, selector: Selector) -> list[Node]:
    """All nodes that a selector names, in the order of the tree.

    Args:
        xml: A dump of this phone's own making.
        selector: Fields such as `text` or `resourceIdMatches`; `instance` takes one of several;
            `childOrSibling` and `childOrSiblingSelector` go on from what was found.

    Raises:
        SelectorError: An unknown field, or a pattern that is none.
    """
    root = ElementTree.fromstring(xml)
    found = _select(root.iter("node"), selector)
    steps = selector.get("childOrSibling") or []
    selectors = selector.get("childOrSiblingSelector") or []
    for step, each in zip(steps, selectors, strict=True):
        if step == "child":
            around: Iterator[Node] = (n for f in found for n in f.iter("node") if n is not f)
        else:
            around = (
                n for p in root.iter() for n in p if any(f in p and f is not n for f in found)
            )
        found = _select(around, each)
    return found


def bounds_of(node: Node) -> tuple[int, int, int, int]:
    """Left, top, right, bottom in pixels."""
    match = _BOUNDS.fullmatch(node.get("bounds", ""))
    return tuple(map(int, match.groups())) if match else (0, 0, 0, 0)  # type: ignore[return-value]


def describe_node(node: Node) -> dict[str, Any]:
    """What `objInfo` tells of a node."""
    left, top, right, bottom = bounds_of(node)
    area = {"left": left, "top": top, "right": right, "bottom": bottom}
    return {
        "bounds": area,
        "visibleBounds": area,
        "childCount": len(node),
        "className": node.get("class", ""),
        "contentDescription": node.get("content-desc", ""),
        "packageName": node.get("package", ""),
        "resourceName": node.get("resource-id", ""),
        "text": node.get("text", ""),
        **{name: node.get(attribute) == "true" for name, attribute in _FLAGS.items()},
    }


def _select(nodes: Iterator[Node], selector: Selector) -> list[Node]:
    matches = [_test(name, value) for name, value in selector.items() if name not in _NOT_TESTED]
    found = list(dict.fromkeys(node for node in nodes if all(test(node) for test in matches)))
    if "instance" in selector:
        position = int(selector["instance"])
        found = found[position : position + 1]
    return found


_NOT_TESTED: Final = frozenset({"mask", "childOrSibling", "childOrSiblingSelector", "instance"})


def _test(name: str, value: Any) -> Callable[[Node], bool]:
    if name in _FLAGS:
        wanted, flag = ("true" if value else "false"), _FLAGS[name]
        return lambda node: node.get(flag, "false") == wanted
    if name == "index":
        return lambda node: node.get("index") == str(value)
    for field, attribute in _TEXTS.items():
        way = name.removeprefix(field)
        if name.startswith(field) and way in _WAYS and isinstance(value, str):
            if way == "Matches":
                _check_pattern(value)
            compare = _WAYS[way]
            return lambda node: compare(value, node.get(attribute, ""))
    raise SelectorError(f"unknown selector field {name!r} with {value!r}")


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise SelectorError(f"{pattern!r} is no pattern: {error}") from None

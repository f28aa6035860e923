"""The numbered elements of a screen: one list for the prompt that shows them and the tap that
follows, so that number 7 is the same thing to both.
"""

from __future__ import annotations

from device.protocol import UiNode, UiTree
from parsers.action import POINT_MAX
from parsers.base import ScreenElement

LABEL_MAX_CHARS = 80


def list_elements(tree: UiTree) -> list[UiNode]:
    """The nodes that a person could act on, in document order.

    A node counts if it reacts to touch or text and has a visible box.
    """
    return [node for node in tree.nodes() if _is_interactive(node) and not node.bounds.is_empty]


def describe_elements(
    nodes: list[UiNode], width_px: int, height_px: int
) -> tuple[ScreenElement, ...]:
    """What the prompt shows of them: label, kind, box in 0-1000, numbered from 1.

    Args:
        nodes: What `list_elements` gave.
        width_px: Width of the screenshot that belongs to the tree.
        height_px: Its height.
    """
    return tuple(
        ScreenElement(
            index=number,
            label=_label(node),
            kind=node.class_name.rsplit(".", 1)[-1],
            bounds=(
                _share(node.bounds.left, width_px),
                _share(node.bounds.top, height_px),
                _share(node.bounds.right, width_px),
                _share(node.bounds.bottom, height_px),
            ),
            clickable=node.clickable,
            editable=_is_editable(node),
            checkable=node.checkable,
            checked=node.checked,
            scrollable=node.scrollable,
        )
        for number, node in enumerate(nodes, start=1)
    )


def _is_interactive(node: UiNode) -> bool:
    return node.enabled and (
        node.clickable
        or node.long_clickable
        or node.checkable
        or node.scrollable
        or _is_editable(node)
    )


def _is_editable(node: UiNode) -> bool:
    return node.class_name.endswith("EditText") or node.class_name.endswith("AutoCompleteTextView")


def _label(node: UiNode) -> str:
    """The node's own words, else those inside it (a row's title), else its hint or id."""
    own = node.text or node.content_desc
    if own:
        return _clip(own)
    words: list[str] = []
    stack = list(reversed(node.children))
    while stack and sum(map(len, words)) < LABEL_MAX_CHARS:
        child = stack.pop()
        if child.text or child.content_desc:
            words.append(child.text or child.content_desc)
        stack.extend(reversed(child.children))
    return _clip(" ".join(words) or node.hint or node.resource_id.rsplit("/", 1)[-1])


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_MAX_CHARS else line[: LABEL_MAX_CHARS - 1] + "…"


def _share(value_px: int, length_px: int) -> float:
    return min(max(value_px / length_px * POINT_MAX, 0.0), POINT_MAX)

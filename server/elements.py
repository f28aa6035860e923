"""The numbered elements of a screen: one list for the prompt that shows them, the picture that
marks them and the tap that follows, so that number 7 is the same thing to all three.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from device.protocol import Bounds, UiNode, UiTree
from device.ui_tree import is_editable, label
from parsers.action import POINT_MAX, Action, Click, DoubleClick, LongPress, Scroll, Size, Type
from parsers.base import ScreenElement
from parsers.grid import grid_cells

LABEL_MAX_CHARS = 80
Source = Literal["tree", "text", "grid"]


@dataclass(frozen=True, slots=True)
class NumberedElements:
    """What is numbered on one screen.

    Attributes:
        source: Where the elements come from: the UI tree; text found on the picture, where the
            screen gives no tree; cells of a grid, where the model asked for one.
        elements: In the order of their numbers.
    """

    source: Source
    elements: tuple[ScreenElement, ...]

    def target_of(self, action: Action) -> Target | None:
        """The element that an action names; None where it names none of these."""
        if not isinstance(action, Click | DoubleClick | LongPress | Type | Scroll):
            return None
        if action.element is None or not 0 <= action.element.position < len(self.elements):
            return None
        return Target(self.elements[action.element.position], self.source, len(self.elements))


@dataclass(frozen=True, slots=True)
class Target:
    """The element that an action names, as it was on the screen that the model saw.

    Attributes:
        element: It.
        source: Where its list came from.
        count: How many elements the list has.
    """

    element: ScreenElement
    source: Source
    count: int

    def to_wire(self) -> dict[str, Any]:
        """What callers get beside the action: enough to find the element again, or to tap it."""
        return {
            "index": self.element.index,
            "label": self.element.label,
            "kind": self.element.kind,
            "bounds": [round(side, 2) for side in self.element.bounds],
            "source": self.source,
            "count": self.count,
        }

    @classmethod
    def from_wire(cls, wire: dict[str, Any]) -> Target:
        """The inverse of `to_wire`.

        Raises:
            ValueError: It is not of that form.
        """
        try:
            left, top, right, bottom = (float(side) for side in wire["bounds"])
            bounds = (left, top, right, bottom)
            element = ScreenElement(int(wire["index"]), wire["label"], wire["kind"], bounds)
            return cls(element, wire["source"], int(wire["count"]))
        except (KeyError, TypeError) as error:
            raise ValueError("not a numbered element") from error


def number_elements(tree: UiTree, screen: Size, base: int) -> NumberedElements:
    """Number what a person could act on or read: visible, enabled, meaningful.

    That is: whatever reacts to touch or text, and every text that stands for itself. Text inside a
    row that reacts is the row's label. Of nodes in the very same place one is kept.

    Args:
        tree: The tree of the screen.
        screen: Size of the screenshot that belongs to it.
        base: The first number.

    Returns:
        The elements in reading order: row by row from the top, each from the left.
    """
    found = _merge_same_place(_name_by_texts_inside(list(_find(tree, screen))))
    elements = [
        _describe(entry, screen, number) for number, entry in enumerate(_in_rows(found), start=base)
    ]
    return NumberedElements("tree", tuple(elements))


def number_texts(texts: Sequence[tuple[str, Bounds]], screen: Size, base: int) -> NumberedElements:
    """Number the texts that were found on a picture, for screens that give no tree.

    Args:
        texts: Each with its box in pixels.
        screen: Size of the picture.
        base: The first number.
    """
    clipped = [(text, box.clip(screen.width_px, screen.height_px)) for text, box in texts]
    places = [_Place(box, _clip(text)) for text, box in clipped if not box.is_empty]
    elements = [
        ScreenElement(number, place.label, "Text", _shares(place.bounds, screen), clickable=True)
        for number, place in enumerate(_in_rows(places), start=base)
    ]
    return NumberedElements("text", tuple(elements))


def number_grid(screen: Size, base: int) -> NumberedElements:
    """Cells of a grid over the whole screen, near to square, for places that no element has."""
    return NumberedElements("grid", grid_cells(screen, base))


def find_again(target: Target, now: NumberedElements) -> ScreenElement | None:
    """The same element on a later screen: the nearest of the same kind and label; None: gone."""
    wanted = target.element
    same = [
        element
        for element in now.elements
        if (element.kind, element.label) == (wanted.kind, wanted.label)
    ]
    return min(same, key=lambda element: _distance(element, wanted), default=None)


@dataclass(frozen=True, slots=True)
class _Place:
    bounds: Bounds
    label: str


@dataclass(frozen=True, slots=True)
class _Found(_Place):
    node: UiNode
    row: str = ""
    """Label of what reacts around it."""

    @property
    def acts(self) -> bool:
        return _reacts(self.node) or self.node.scrollable

    @property
    def weight(self) -> int:
        """Which of two nodes in the same place says more of what can be done there."""
        node = self.node
        return 4 * (is_editable(node) or node.checkable) + 2 * _reacts(node) + node.scrollable


_AnyPlace = TypeVar("_AnyPlace", bound=_Place)


def _find(tree: UiTree, screen: Size) -> Iterator[_Found]:
    """Visible nodes in document order; texts inside of a node that reacts are its own."""
    roots = [*([tree.root] if tree.root is not None else []), *tree.more_roots]
    stack: list[tuple[UiNode, str | None]] = [(root, None) for root in reversed(roots)]
    while stack:
        node, row = stack.pop()
        reacts = node.enabled and _reacts(node)
        bounds = node.bounds.clip(screen.width_px, screen.height_px)
        if node.enabled and not bounds.is_empty:
            own = node.text.strip() or node.content_desc.strip()
            if reacts:
                yield _Found(bounds, _clip(label(node)), node, row or "")
            elif node.scrollable or (own and row is None):
                yield _Found(bounds, _clip(own), node)
        inside = _clip(label(node)) if reacts else row
        stack.extend((child, inside) for child in reversed(node.children))


def _reacts(node: UiNode) -> bool:
    return node.clickable or node.long_clickable or node.checkable or is_editable(node)


def _name_by_texts_inside(found: list[_Found]) -> list[_Found]:
    """A nameless node that reacts takes the texts inside its box: Compose keeps them apart."""
    texts = [entry for entry in found if not entry.acts]
    taken: set[int] = set()
    named = []
    for entry in found:
        if entry.label or not _reacts(entry.node):
            named.append(entry)
            continue
        inside = [text for text in texts if id(text) not in taken and _holds(entry, text)]
        taken.update(id(text) for text in inside)
        named.append(replace(entry, label=_clip(" ".join(text.label for text in inside))))
    return [entry for entry in named if id(entry) not in taken]


def _merge_same_place(found: list[_Found]) -> list[_Found]:
    places: dict[Bounds, _Found] = {}
    for entry in found:
        other = places.get(entry.bounds)
        if other is None:
            places[entry.bounds] = entry
            continue
        kept = entry if entry.weight >= other.weight else other
        places[entry.bounds] = replace(kept, label=kept.label or other.label or entry.label)
    return list(places.values())


def _in_rows(places: Sequence[_AnyPlace]) -> list[_AnyPlace]:
    """Reading order: what begins above the middle of a row's lowest member belongs to the row."""
    rows: list[list[_AnyPlace]] = []
    limit = -1.0
    for place in sorted(places, key=lambda place: (place.bounds.top, place.bounds.left)):
        middle = place.bounds.top + place.bounds.height_px / 2
        if rows and place.bounds.top < limit:
            rows[-1].append(place)
            limit = min(limit, middle)
        else:
            rows.append([place])
            limit = middle
    return [
        place
        for row in rows
        for place in sorted(row, key=lambda place: (place.bounds.left, place.bounds.top))
    ]


def _describe(found: _Found, screen: Size, number: int) -> ScreenElement:
    node = found.node
    row = found.row if node.checkable else ""  # a switch is called as its row
    name = found.label or _clip(node.hint or row or node.resource_id.rsplit("/", 1)[-1])
    return ScreenElement(
        index=number,
        label=name,
        kind=node.class_name.rsplit(".", 1)[-1],
        bounds=_shares(found.bounds, screen),
        clickable=node.clickable,
        editable=is_editable(node),
        checkable=node.checkable,
        checked=node.checked,
        scrollable=node.scrollable,
    )


def _holds(outer: _Place, inner: _Place) -> bool:
    a, b = outer.bounds, inner.bounds
    return a.left <= b.left and a.top <= b.top and a.right >= b.right and a.bottom >= b.bottom


def _distance(one: ScreenElement, other: ScreenElement) -> float:
    return sum(abs(a - b) for a, b in zip(one.bounds, other.bounds, strict=True))


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_MAX_CHARS else line[: LABEL_MAX_CHARS - 1] + "…"


def _shares(box: Bounds, screen: Size) -> tuple[float, float, float, float]:
    return (
        box.left / screen.width_px * POINT_MAX,
        box.top / screen.height_px * POINT_MAX,
        box.right / screen.width_px * POINT_MAX,
        box.bottom / screen.height_px * POINT_MAX,
    )

"""What a screen says at and around a point: facts for the rules, from the UI tree alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from device.protocol import Bounds, UiNode, UiTree
from device.ui_tree import is_editable
from server.policy.labels import read_label
from server.policy.wording import joined, words_of_id

TouchKind = Literal["button", "icon", "switch", "choice", "field", "row", "tile", "text", "nothing"]

STATUS_BAR_SHARE = 0.035
TITLE_SHARE = 0.16
PAGE_SHARE = 0.5
PANEL_SHARE = 0.92
SAME_SIZE_PX = 6
ROW_SHARE = 0.7
TILES = 3
PROSE_CHARS = 90
_BUTTON_IDS = re.compile(
    r"\b(?:btn|button|fab|submit|positive|negative|confirm|purchase|checkout)\b"
)
_CHOICE = re.compile(r"(?:CheckBox|RadioButton|CheckedTextView)$")
_CANVAS = re.compile(r"(?:WebView|SurfaceView|TextureView|FlutterView|UnityPlayer)$")
_COUNT = re.compile(r"\s*[(（]\d+[)）]\s*$")


@dataclass(frozen=True, slots=True)
class Touched:
    """What is at a point.

    Attributes:
        kind: A `button` (with words), an `icon` (without), a `switch`, a `choice` (a mark to tick,
            on which a button then acts), a `field` for text, a `row` of a list, a `tile` among
            several of its size, a `text` that does not react, `nothing`.
        index: Its place in `ScreenView.nodes`; -1 for nothing.
        node: What reacts there, or the text; None for nothing.
        labels: Its own words, those inside it included, each as it stands.
        beside: Where it has no words: those nearest to it in its line, below it or above it.
        id_words: The words of its resource id.
        is_plain_button: Its class says that it is a button.
        is_picture: It shows a picture; its words are only described.
    """

    kind: TouchKind
    index: int = -1
    node: UiNode | None = None
    labels: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    id_words: str = ""
    is_plain_button: bool = False
    is_picture: bool = False

    @property
    def name(self) -> str:
        """How a person would call it."""
        return " ".join(self.labels or self.beside) or self.id_words


class ScreenView:
    """One screen, read from its UI tree.

    Nodes are in drawing order; the descendants of `nodes[i]` are those before `_ends[i]`.

    Args:
        tree: The tree.
        width_px: Size of the screenshot that it belongs to.
        height_px: The same.
    """

    def __init__(self, tree: UiTree, width_px: int, height_px: int) -> None:
        self.width_px = width_px
        self.height_px = height_px
        nodes: list[UiNode] = []
        parents: list[int] = []
        roots = [root for root in (tree.root, *tree.more_roots) if root is not None]
        stack: list[tuple[UiNode, int]] = [(root, -1) for root in reversed(roots)]
        while stack:
            node, parent = stack.pop()
            if not node.bounds.clip(width_px, height_px).is_empty:
                parents.append(parent)
                nodes.append(node)
                parent = len(nodes) - 1
            stack.extend((child, parent) for child in reversed(node.children))
        self.nodes = tuple(nodes)
        self._parents = tuple(parents)
        ends = list(range(1, len(nodes) + 1))
        for index in range(len(nodes) - 1, 0, -1):
            if parents[index] >= 0:
                ends[parents[index]] = max(ends[parents[index]], ends[index])
        self._ends = tuple(ends)
        self._known_panels: dict[int, bool] = {}

    # --- the whole screen -------------------------------------------------------------------------

    @cached_property
    def is_readable(self) -> bool:
        """Whether there are words to go by."""
        return any(texts_of(node) for node in self.nodes)

    @cached_property
    def reacting(self) -> tuple[int, ...]:
        """What takes a touch, but for what fills the page."""
        return tuple(
            index
            for index, node in enumerate(self.nodes)
            if _reacts(node) and not self._is_page(node)
        )

    @cached_property
    def fields(self) -> tuple[UiNode, ...]:
        return tuple(node for node in self.nodes if is_field(node))

    @cached_property
    def typed_texts(self) -> tuple[str, ...]:
        """What stands in the fields, hints left out."""
        return tuple(
            node.text
            for node in self.fields
            if node.text.strip() and node.text != node.hint and not node.password
        )

    @cached_property
    def title(self) -> str:
        """The first words at the top: the page, or whom one writes to."""
        limit = self.height_px * TITLE_SHARE
        top = self.height_px * STATUS_BAR_SHARE
        at_top = [
            node
            for index, node in enumerate(self.nodes)
            if node.text.strip()
            and top < (node.bounds.top + node.bounds.bottom) / 2 < limit
            and not is_field(node)
            and not read_label(node.text).is_no
            and not self._is_in_row_of_list(index)
        ]
        first = min(
            at_top, key=lambda node: (node.bounds.top // 40, node.bounds.left), default=None
        )
        return _COUNT.sub("", first.text.strip()) if first is not None else ""

    def _is_in_row_of_list(self, index: int) -> bool:
        """Whether it stands in what can be tapped inside of what scrolls: it may be anywhere."""
        in_row = False
        while index >= 0:
            node = self.nodes[index]
            if in_row and node.scrollable:
                return True
            in_row = in_row or node.clickable
            index = self._parents[index]
        return False

    def focused_field(self) -> UiNode | None:
        """The field that typing goes to."""
        focused = next((node for node in self.fields if node.focused), None)
        secret = next((node for node in self.fields if node.password), None)
        return focused or secret or (self.fields[0] if len(self.fields) == 1 else None)

    def has_word(self, pattern: re.Pattern[str]) -> bool:
        """Whether any text on the screen has it."""
        return any(pattern.search(joined(text)) for node in self.nodes for text in texts_of(node))

    # --- one point --------------------------------------------------------------------------------

    def touched(self, x_px: float, y_px: float) -> Touched:
        """What a finger at this point touches: what reacts there and is drawn last."""
        hits = [i for i, node in enumerate(self.nodes) if _contains(node.bounds, x_px, y_px)]
        reacting = [i for i in hits if _reacts(self.nodes[i]) and not self._is_page(self.nodes[i])]
        cover = max((i for i in hits if self._is_panel(i)), default=-1)
        if reacting and not (cover > reacting[-1] and not self._is_inside(cover, reacting[-1])):
            return self.describe(reacting[-1])
        texts = [i for i in hits if texts_of(self.nodes[i]) and not self._is_page(self.nodes[i])]
        if texts:
            node = self.nodes[texts[-1]]
            return Touched(
                "text", texts[-1], node, texts_of(node), id_words=words_of_id(node.resource_id)
            )
        canvas = [i for i in hits if _CANVAS.search(self.nodes[i].class_name)]
        if canvas:
            return Touched("nothing", canvas[-1], self.nodes[canvas[-1]])
        return Touched("nothing")

    def field_at(self, x_px: float, y_px: float) -> UiNode | None:
        hits = [node for node in self.fields if _contains(node.bounds, x_px, y_px)]
        return hits[-1] if hits else None

    def describe(self, index: int) -> Touched:
        """A node as if it were touched."""
        node = self.nodes[index]
        id_words = words_of_id(node.resource_id)
        if is_field(node):
            return Touched("field", index, node, texts_of(node), id_words=id_words)
        labels = tuple(dict.fromkeys((*texts_of(node), *self._words_inside(index))))
        kind: TouchKind
        marks = [i for i in (index, *self._inside(index)) if self.nodes[i].checkable]
        if marks:
            beside = () if labels else self._beside(index)
            is_choice = all(_CHOICE.search(self.nodes[i].class_name) for i in marks)
            kind = "choice" if is_choice else "switch"
            return Touched(kind, index, node, labels, beside, id_words)
        labels = labels or self._drawn_on(index)
        name = node.class_name.rsplit(".", 1)[-1]
        is_plain = name.endswith(("Button", "Chip"))
        if not any(
            re.search(r"\w", read_label(text).plain) or read_label(text).amount for text in labels
        ):
            beside = self._beside(index)
            if not (beside and self._is_button_sized(node)):
                return Touched("icon", index, node, (), beside, id_words, is_plain)
            labels = beside  # a bare view as wide as a button, with its words outside
        if self._is_one_of_tabs(index):
            kind = "tile"
        else:
            kind = "button" if is_plain else self._kind_by_form(index, labels, id_words)
        is_picture = not node.text.strip() and name.endswith(("ImageView", "ImageButton", "Image"))
        beside = self._beside(index) if is_picture and self.alike(index) < TILES else ()
        return Touched(kind, index, node, labels, beside, id_words, is_plain, is_picture)

    def words_of(self, index: int) -> tuple[str, ...]:
        """All words of a node and inside it."""
        return tuple(
            text for i in (index, *self._inside(index)) for text in texts_of(self.nodes[i])
        )

    def panel(self, index: int) -> int | None:
        """The dialog or sheet that a node is in, where one lies over the page."""
        while index >= 0:
            if self._is_panel(index):
                return index
            index = self._parents[index]
        return None

    @cached_property
    def is_floating(self) -> bool:
        """Whether the dump is of a dialog or a sheet alone: nothing stands in its upper quarter."""
        top = self.height_px * STATUS_BAR_SHARE
        return not any(
            texts_of(node) and top < node.bounds.bottom and node.bounds.top < 0.25 * self.height_px
            for node in self.nodes
            if not self._is_page(node)
        )

    def can_be_refused(self, index: int) -> bool:
        """Whether a no stands beside a button, as in a question."""
        panel = self.panel(index)
        inside = self._inside(panel) if panel is not None else range(len(self.nodes))
        return any(
            read_label(text).is_no
            for i in self.reacting
            if i in inside and i != index and self._says_button(i)
            for text in self.describe(i).labels
        )

    def context(self, index: int) -> tuple[str, ...]:
        """The texts that say what a button is about: those of its dialog, else of the page.

        What other buttons say is left out, and what was typed.
        """
        panel = self.panel(index)
        inside = self._inside(panel) if panel is not None else range(len(self.nodes))
        own = {index, *self._inside(index)} if index >= 0 else set()
        is_choice = index >= 0 and self.describe(index).kind == "row"
        buttons = [i for i in self.reacting if i not in own and (is_choice or self._says_button(i))]
        skipped = own.union(*({i, *self._inside(i)} for i in buttons))
        texts = [
            text
            for i in inside
            if i not in skipped
            and not is_field(self.nodes[i])
            and self.nodes[i].bounds.bottom > self.height_px * STATUS_BAR_SHARE
            for text in texts_of(self.nodes[i])
        ]
        return tuple(dict.fromkeys(texts))

    def is_in_last_layer(self, index: int) -> bool:
        """Whether it is in what was drawn last, below the middle: most likely a sheet."""
        while index >= 0:
            box = self.nodes[index].bounds
            is_low = box.top > 0.35 * self.height_px and self._is_wide(self.nodes[index])
            holds_text = any(
                texts_of(self.nodes[i]) and not _reacts(self.nodes[i]) for i in self._inside(index)
            )
            is_sheet = self._ends[index] == len(self.nodes) and len(self._inside(index)) > 2
            if is_sheet and is_low and holds_text and not _reacts(self.nodes[index]):
                return True
            index = self._parents[index]
        return False

    def _says_button(self, index: int) -> bool:
        return self.describe(index).kind in ("button", "tile", "icon")

    def _kind_by_form(self, index: int, labels: tuple[str, ...], id_words: str) -> TouchKind:
        """A list's row, one of several tiles, or a button, where the class does not say."""
        node = self.nodes[index]
        if sum(map(len, labels)) > PROSE_CHARS or "\n" in labels[0].strip():
            return "row"  # a text, or a name with a value under it
        if self._is_card(index) or (len(labels) >= 2 and self.alike(index) >= 2):
            return "row"  # it opens what it shows
        if not self._is_wide(node):
            beside = self.alike(index)
            has_picture = any(
                self.nodes[i].class_name.endswith("ImageView") for i in self._inside(index)
            )
            return "tile" if beside >= TILES and has_picture else "button"
        if _BUTTON_IDS.search(id_words) and len(labels) == 1:
            return "button"
        if len(labels) == 1 and self._is_centred(index):
            return "button"
        is_bare = not any(texts_of(self.nodes[i]) for i in self._inside(index))
        is_button = len(labels) == 1 and is_bare and self.alike(index) < TILES
        return "button" if is_button else "row"

    def _is_card(self, index: int) -> bool:
        """Higher than any button, or nearly so with a picture in it: a thing of a list."""
        share = self.nodes[index].bounds.height_px / self.height_px
        has_picture = any(
            self.nodes[i].class_name.endswith("ImageView") for i in self._inside(index)
        )
        return share > 0.14 or (has_picture and share > 0.09)

    def _is_one_of_tabs(self, index: int) -> bool:
        """Whether it stands in a line of several alike, of which none says yes, no or an act."""
        box = self.nodes[index].bounds
        if box.width_px > 0.55 * self.width_px:
            return False
        line = [
            i
            for i in self.reacting
            if abs(self.nodes[i].bounds.top - box.top) <= SAME_SIZE_PX
            and abs(self.nodes[i].bounds.height_px - box.height_px) <= SAME_SIZE_PX
        ]
        if len(line) < (2 if self._fills_line(line) else TILES):
            return False
        words = [
            text for i in line for j in (i, *self._inside(i)) for text in texts_of(self.nodes[j])
        ]
        reads = [read_label(text) for text in words]
        return bool(words) and not any(
            read.is_no or read.is_yes or any(strength >= 2 for strength in read.acts.values())
            for read in reads
        )

    def _fills_line(self, line: list[int]) -> bool:
        """Whether things side by side leave no gap from edge to edge, as tabs and no buttons do."""
        boxes = sorted((self.nodes[i].bounds for i in line), key=lambda box: box.left)
        edges = [0, *(box.right for box in boxes)], [*(box.left for box in boxes), self.width_px]
        return all(abs(left - right) <= SAME_SIZE_PX for left, right in zip(*edges, strict=True))

    def _is_button_sized(self, node: UiNode) -> bool:
        box = node.bounds
        is_wide = 0.38 < box.width_px / self.width_px < 0.98
        return is_wide and box.height_px < 0.09 * self.height_px

    def _is_centred(self, index: int) -> bool:
        box = self.nodes[index].bounds
        inside = [self.nodes[i] for i in self._inside(index) if texts_of(self.nodes[i])]
        if len(inside) != 1:
            return False
        text = inside[0].bounds
        shift = abs((text.left + text.right) - (box.left + box.right)) / 2
        return shift < 0.04 * self.width_px

    def _words_inside(self, index: int) -> Iterator[str]:
        """The words of the descendants, but for those of what reacts by itself."""
        own = [i for i in self._inside(index) if _reacts(self.nodes[i])]
        for i in self._inside(index):
            if not any(j <= i < self._ends[j] for j in own) or is_field(self.nodes[i]):
                yield from texts_of(self.nodes[i])
        if own and len(own) == 1 and not self.nodes[own[0]].checkable:
            yield from (
                text for i in (own[0], *self._inside(own[0])) for text in texts_of(self.nodes[i])
            )

    def _drawn_on(self, index: int) -> tuple[str, ...]:
        """Words of a thing without any, where they lie over it or it lies over them: a button made
        of a text and a bare view that reacts."""
        box = self.nodes[index].bounds
        elsewhere = [i for i in self.reacting if not i <= index < self._ends[i]]
        return tuple(
            text
            for i, other in enumerate(self.nodes)
            if texts_of(other)
            and not is_field(other)
            and not any(j <= i < self._ends[j] for j in elsewhere)
            and (
                _contains(box, *map(float, other.bounds.center))
                or (
                    _contains(other.bounds, *map(float, box.center))
                    and _area(other.bounds) < 2 * _area(box)
                )
            )
            for text in texts_of(other)
        )

    def _beside(self, index: int) -> tuple[str, ...]:
        """Words that belong to a thing without any: right below it, in its line, or above it."""
        box = self.nodes[index].bounds
        elsewhere = [i for i in self.reacting if not i <= index < self._ends[i] and i != index]
        others = [
            other
            for i, other in enumerate(self.nodes)
            if texts_of(other)
            and i != index
            and not self._is_page(other)
            and not is_field(other)
            and not any(j <= i < self._ends[j] for j in elsewhere)
        ]
        near = 0.6 * max(box.height_px, 40)
        above_or_below = [
            other
            for other in others
            if abs(sum(_span_x(other)) - sum(_span_x(self.nodes[index]))) / 2 < 0.5 * box.width_px
            and min(abs(other.bounds.top - box.bottom), abs(box.top - other.bounds.bottom)) < near
            and not _contains(other.bounds, *map(float, box.center))
        ]
        if above_or_below:
            above_or_below.sort(key=lambda other: other.bounds.top < box.top)
            return texts_of(above_or_below[0])
        line = [
            other
            for other in others
            if other.bounds.top < box.bottom and box.top < other.bounds.bottom
        ]
        line.sort(key=lambda other: _gap_x(other.bounds, box))
        return tuple(text for other in line[:2] for text in texts_of(other))

    # --- the tree ---------------------------------------------------------------------------------

    def _inside(self, index: int) -> range:
        return range(index + 1, self._ends[index])

    def _is_inside(self, outer: int, inner: int) -> bool:
        return outer < inner < self._ends[outer]

    def _is_panel(self, index: int) -> bool:
        if index not in self._known_panels:
            self._known_panels[index] = self._lies_over(index)
        return self._known_panels[index]

    def _lies_over(self, index: int) -> bool:
        """Whether a container with words covers words that were drawn before it."""
        box = self.nodes[index].bounds
        inside = self._inside(index)
        if len(inside) < 2 or _area(box) > PANEL_SHARE * self.width_px * self.height_px:
            return False
        if not any(texts_of(self.nodes[i]) for i in inside):
            return False
        if _area(box) < 0.08 * self.width_px * self.height_px:
            return False
        covered = [
            i
            for i in range(index)
            if not self._is_inside(i, index)
            and texts_of(self.nodes[i])
            and _contains(box, *map(float, self.nodes[i].bounds.center))
        ]
        return len(covered) >= 2

    def alike(self, index: int) -> int:
        """How many reacting nodes have its size and class: items of a list, a grid or a bar."""
        node, box = self.nodes[index], self.nodes[index].bounds
        return sum(
            abs(other.bounds.width_px - box.width_px) <= SAME_SIZE_PX
            and abs(other.bounds.height_px - box.height_px) <= SAME_SIZE_PX
            and other.class_name == node.class_name
            for other in (self.nodes[i] for i in self.reacting)
        )

    def _is_wide(self, node: UiNode) -> bool:
        return node.bounds.width_px >= ROW_SHARE * self.width_px

    def _is_page(self, node: UiNode) -> bool:
        return _area(node.bounds) > PAGE_SHARE * self.width_px * self.height_px


def texts_of(node: UiNode) -> tuple[str, ...]:
    """A node's words; of a password's never the text."""
    if node.password:
        return tuple(filter(str.strip, (node.content_desc, node.hint)))
    if not node.text and not node.content_desc:
        return ()
    return tuple(dict.fromkeys(filter(str.strip, (node.text, node.content_desc))))


def is_field(node: UiNode) -> bool:
    """Whether text is typed there."""
    return is_editable(node) or (node.password and not node.class_name.endswith("Button"))


def _reacts(node: UiNode) -> bool:
    return node.clickable or node.checkable or node.long_clickable or is_editable(node)


def _contains(box: Bounds, x_px: float, y_px: float) -> bool:
    return box.left <= x_px < box.right and box.top <= y_px < box.bottom


def _area(box: Bounds) -> int:
    return box.width_px * box.height_px


def _span_x(node: UiNode) -> tuple[int, int]:
    return node.bounds.left, node.bounds.right


def _gap_x(one: Bounds, other: Bounds) -> int:
    return max(0, one.left - other.right, other.left - one.right)

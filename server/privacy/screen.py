"""Private places of a screen: from its UI tree, and from the texts that OCR reads on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from device.protocol import Bounds, UiNode, UiTree
from device.ui_tree import is_editable
from parsers.action import Size
from server.privacy.finding import Finder, Kind, may_be, placeholder
from server.privacy.forms import PLACEHOLDER
from server.privacy.levels import PrivacyLevel

STATUS_BAR_SHARE = 0.1
"""Of the shorter side: on phones 36 to 41 dp, as much as a bar with a camera hole takes."""
UNREAD_SHARE = 0.14
"""Of the shorter side: what is larger than an icon may hold words that no tree tells."""
SYSTEM_UI = "com.android.systemui"
TEXTS = ("text", "content-desc", "hint")
_NOTIFICATION = re.compile(r"notification|heads_up|status_bar_latest_event", re.I)
_NOT_NOTIFICATION = re.compile(r"quick_settings|qs_|tile|clear_all|dismiss|manage|footer", re.I)
_NOTE_TEXTS = re.compile(r"^android:id/(title|text|big_text|\w+_text)$")
_DRAWS = re.compile(r"(Image\w*|WebView|SurfaceView|TextureView|\w*MapView|Flutter\w*|View)$")
_DIGIT_KINDS = frozenset({"balance", "code", "card", "phone", "id_number", "birthday", "plate"})


@dataclass(frozen=True, slots=True)
class TextOnPicture:
    """A line that OCR read; one it is not sure of has `is_sure` false."""

    text: str
    bounds: Bounds
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Region:
    """A place that is masked, in pixels of the screenshot."""

    kind: Kind
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class PrivateScreen:
    """What is private on one screen.

    Attributes:
        regions: The places to mask.
        windows: Places inside of `unread` regions that are known to be harmless: they stay.
        texts: What each node's texts become, by its number in document order and the attribute.
    """

    regions: tuple[Region, ...]
    windows: tuple[Bounds, ...] = ()
    texts: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def count_kinds(self) -> dict[Kind, int]:
        return dict(Counter(region.kind for region in self.regions))


class _Screen:
    """One screen while it is looked through."""

    def __init__(self, tree: UiTree | None, size: Size, finder: Finder) -> None:
        self.size, self.finder = size, finder
        self.nodes: list[UiNode] = list(tree.nodes()) if tree is not None else []
        self.kinds: dict[int, list[Kind]] = {}
        self.whole: set[int] = set()
        self.regions: list[Region] = []

    def notice(self, texts: Sequence[TextOnPicture]) -> None:
        words = [word for node in self.nodes for word in (node.text, node.content_desc)]
        packages = {node.package for node in self.nodes}
        self.finder.notice([*words, *(text.text for text in texts)], packages)

    # --- standard -------------------------------------------------------------------------

    def mark_status_bar(self) -> None:
        """The strip at the top, down to the first thing of the app that begins inside it."""
        bottom = round(min(self.size.width_px, self.size.height_px) * STATUS_BAR_SHARE)
        for node in self.nodes:
            box = node.bounds.clip(self.size.width_px, self.size.height_px)
            is_shown = bool(node.text or node.content_desc or node.clickable)
            is_app = is_shown and node.package != SYSTEM_UI and not box.is_empty
            if is_app and bottom * 0.4 <= box.top < bottom:
                bottom = box.top
        self._add("status_bar", Bounds(0, 0, self.size.width_px, bottom))

    def mark_passwords(self) -> None:
        for number, node in enumerate(self.nodes):
            if node.password or (is_editable(node) and self._takes_password(node)):
                self._mark(number, "password", whole=True)

    def _takes_password(self, node: UiNode) -> bool:
        said = f"{node.resource_id} {node.hint}".lower()
        return any(word in said for word in self.finder.words.password_fields)

    def mark_notifications(self) -> None:
        """Every text of the shade's rows, of notifications on the lock screen and popping up."""
        if not any(node.package == SYSTEM_UI for node in self.nodes):
            return
        inside: list[tuple[int, bool]] = []
        for number, node in enumerate(self.nodes):
            while inside and inside[-1][0] >= node.depth:
                inside.pop()
            said = f"{node.resource_id} {node.class_name}"
            is_note = bool(inside) and inside[-1][1]
            if _NOT_NOTIFICATION.search(said):
                is_note = False
            elif _NOTIFICATION.search(said) and not node.resource_id.endswith("_panel"):
                is_note = True
            inside.append((node.depth, is_note))
            template = _NOTE_TEXTS.match(node.resource_id) and node.package == SYSTEM_UI
            if (is_note or template) and (node.text or node.content_desc):
                self._mark(number, "notification", whole=True)

    # --- strict ---------------------------------------------------------------------------

    def mark_by_words(self) -> None:
        """What the texts say by themselves; twice, since a name found once is one everywhere."""
        for _ in range(2):
            for number, node in enumerate(self.nodes):
                if number not in self.whole:
                    self._read(number, node)

    def _read(self, number: int, node: UiNode) -> None:
        own = node.text or node.content_desc
        if is_editable(node) and node.text and node.text != node.hint:
            is_empty = PLACEHOLDER.match(node.text) and not self.finder.find(node.text)
            if not is_empty and not self.finder.is_public(node.text):
                self._mark(number, "typed", whole=True)
            return
        lowered = node.resource_id.rpartition("/")[2].lower()
        shows_person = any(word in lowered for word in self.finder.words.person_ids)
        if shows_person and own.strip() and not self.finder.is_public(own):
            self.finder.learn("person", own)
            self._mark(number, "person", whole=True)
            return
        found = []
        for text in (node.text, node.content_desc):
            lines = text.split("\n")
            for line, ones in zip(lines, self.finder.find_in_lines(text), strict=True):
                for one in ones:
                    self.finder.learn(one.kind, line[one.start : one.end])
                    found.append((one.kind, line[one.start : one.end]))
        if found:
            self.kinds[number] = [kind for kind, _ in found]
            inner = [f"{child.text}\n{child.content_desc}" for child in _inside(node)]
            if not all(any(text in words for words in inner) for _, text in found):
                self._add_all(self.kinds[number], node.bounds)

    def mark_by_labels(self) -> None:
        """Values that a label beside or above them announces."""
        texts = [
            (number, text, node.bounds)
            for number, node in enumerate(self.nodes)
            if (text := (node.text or node.content_desc).strip()) and not node.bounds.is_empty
        ]
        for number, kind in announced(self.finder, [(text, box) for _, text, box in texts]):
            node, text = texts[number][0], texts[number][1]
            if node not in self.whole and not self.finder.is_public(text):
                self.finder.learn(kind, text)
                self._mark(node, kind, whole=True)

    def mark_unread(self) -> None:
        """Pictures and pages that are larger than an icon, and what lies outside of the tree."""
        limit = min(self.size.width_px, self.size.height_px) * UNREAD_SHARE
        for node in self.nodes:
            box = node.bounds.clip(self.size.width_px, self.size.height_px)
            is_large = box.width_px > limit and box.height_px > limit
            is_leaf = not node.children and not node.text
            if is_large and is_leaf and _DRAWS.search(node.class_name):
                self._add("unread", box)
        windows = [
            node.bounds.clip(self.size.width_px, self.size.height_px)
            for node in self.nodes
            if node.depth == 0
        ]
        for box in outside(windows, self.size):
            self._add("unread", box)

    def mark_texts(self, texts: Sequence[TextOnPicture]) -> None:
        """Lines that OCR read: the same questions as to the tree's texts, and the unsure ones."""
        for text in texts:
            found = self.finder.find(text.text)
            for one in found:
                self.finder.learn(one.kind, text.text[one.start : one.end])
        pairs = [(text.text, text.bounds) for text in texts]
        by_label = dict(announced(self.finder, pairs))
        for number, text in enumerate(texts):
            kinds = [one.kind for one in self.finder.find(text.text)]
            if number in by_label and not self.finder.is_public(text.text):
                kinds.append(by_label[number])
            if not text.is_sure and not self.finder.is_public(text.text):
                kinds.append("unread")
            margin = max(2, text.bounds.height_px // 5)
            self._add_all(kinds, _grow(text.bounds, margin))

    # --- what comes of it -----------------------------------------------------------------

    def windows(self) -> tuple[Bounds, ...]:
        """Texts and small things to touch that are known to be harmless."""
        limit = min(self.size.width_px, self.size.height_px) * UNREAD_SHARE
        return tuple(
            node.bounds
            for number, node in enumerate(self.nodes)
            if number not in self.kinds
            and not node.children
            and (node.text or min(node.bounds.width_px, node.bounds.height_px) <= limit)
        )

    def texts(self) -> dict[int, dict[str, str]]:
        masked: dict[int, dict[str, str]] = {}
        for number in self.kinds:
            node = self.nodes[number]
            values = dict(zip(TEXTS, (node.text, node.content_desc, node.hint), strict=True))
            del values["hint"]
            masked[number] = {
                name: placeholder(self.kinds[number])
                if number in self.whole
                else self.finder.mask(value)
                for name, value in values.items()
                if value
            }
        return masked

    def _mark(self, number: int, kind: Kind, *, whole: bool) -> None:
        self.kinds[number] = [kind]
        if whole:
            self.whole.add(number)
        self._add(kind, self.nodes[number].bounds)

    def _add_all(self, kinds: Sequence[Kind], bounds: Bounds) -> None:
        for kind in dict.fromkeys(kinds):
            self._add(kind, bounds)

    def _add(self, kind: Kind, bounds: Bounds) -> None:
        box = bounds.clip(self.size.width_px, self.size.height_px)
        region = Region(kind, box)
        if not box.is_empty and region not in self.regions:
            self.regions.append(region)


def find_private(
    level: PrivacyLevel,
    tree: UiTree | None,
    size: Size,
    finder: Finder,
    texts: Sequence[TextOnPicture] | None = None,
) -> PrivateScreen:
    """What a level hides of a screen.

    Args:
        level: `standard` or `strict`.
        tree: The screen's tree; None where it gives none.
        size: Of the screenshot.
        finder: Knows names, labels and what the person said.
        texts: What OCR read on the picture; None: it was not read, so that `strict` also hides
            what no tree tells.
    """
    screen = _Screen(tree, size, finder)
    screen.notice(texts or ())
    screen.mark_passwords()
    screen.mark_notifications()
    if level == "strict":
        screen.mark_by_labels()
        screen.mark_by_words()
        if texts is None:
            screen.mark_unread()
        else:
            screen.mark_texts(texts)
    screen.mark_status_bar()
    windows = screen.windows() if texts is None else ()
    return PrivateScreen(tuple(screen.regions), windows, screen.texts())


def announced(finder: Finder, texts: Sequence[tuple[str, Bounds]]) -> Iterator[tuple[int, Kind]]:
    """Which texts are values of a label: the nearest one to its right, else the one below.

    Yields:
        The place of each in `texts`, and its kind.
    """
    labels = [(kind, box) for text, box in texts if (kind := finder.label_kind(text)) is not None]
    for kind, label in labels:
        beside: tuple[int, int] | None = None
        below: tuple[int, int] | None = None
        for number, (text, box) in enumerate(texts):
            if not may_be(kind, text) or finder.label_kind(text) is not None:
                continue
            middle = (box.top + box.bottom) // 2
            if label.top <= middle <= label.bottom and box.left >= label.right - 4:
                gap = box.left - label.right
                beside = min(beside or (gap, number), (gap, number))
            reach = label.height_px * (3 if kind in _DIGIT_KINDS else 1)
            gap = box.top - label.bottom
            is_under = box.left < label.right and box.right > label.left
            if is_under and -4 <= gap <= reach:
                below = min(below or (gap, number), (gap, number))
        chosen = beside or below
        if chosen is not None:
            yield chosen[1], kind


def outside(boxes: Sequence[Bounds], size: Size) -> list[Bounds]:
    """The parts of a screen that no box covers, as strips around the boxes' hull."""
    boxes = [box for box in boxes if not box.is_empty]
    if not boxes:
        return [Bounds(0, 0, size.width_px, size.height_px)]
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    strips = [
        Bounds(0, 0, size.width_px, top),
        Bounds(0, bottom, size.width_px, size.height_px),
        Bounds(0, top, left, bottom),
        Bounds(right, top, size.width_px, bottom),
    ]
    return [strip for strip in strips if not strip.is_empty]


def _inside(node: UiNode) -> Iterator[UiNode]:
    stack = list(node.children)
    while stack:
        child = stack.pop()
        yield child
        stack.extend(child.children)


def _grow(box: Bounds, margin_px: int) -> Bounds:
    return Bounds(
        box.left - margin_px, box.top - margin_px, box.right + margin_px, box.bottom + margin_px
    )

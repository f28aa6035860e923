"""One observation with its private parts taken out: this is what is kept, and what is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from device.errors import DeviceError
from device.protocol import UiTree
from device.ui_tree import parse_ui_tree
from parsers.action import Size
from parsers.base import Message
from server.errors import BadRequestError, ScreenWithheldError, TreeNeededError
from server.images import Screenshot
from server.privacy.finding import Finder, Kind, OwnWords
from server.privacy.levels import PrivacyLevel
from server.privacy.picture import decode_upright, draw_masks, encode_masked, is_black
from server.privacy.screen import PrivateScreen, Region, TextOnPicture, find_private
from server.privacy.tree_xml import mask_xml
from server.privacy.words import PrivateWords

ReadsTexts = Callable[[Image.Image], Sequence[TextOnPicture]]
SCREEN_WORDS = frozenset(
    {"label", "amount", "payee", "recipient", "reason", "once_for", "text", "message"}
)
"""Fields of decisions, questions and outcomes that may repeat what stands on the screen."""
MAX_LEARNT = 500
"""Private texts of earlier screens that a session's prompts are still searched for."""


@dataclass(frozen=True, slots=True)
class Cover:
    """What was taken out of one observation.

    Attributes:
        level: How strict.
        regions: The masked places, in pixels of the screenshot.
        finder: Masks what else is told of this screen.
        learnt: Private texts of this and earlier screens of the session.
    """

    level: PrivacyLevel
    regions: tuple[Region, ...]
    finder: Finder = field(repr=False)
    learnt: Mapping[str, Kind] = field(repr=False)

    def mask_messages(self, messages: Sequence[Message]) -> list[Message]:
        """A prompt without private texts of this or earlier screens; pictures by name as before."""
        if self.level != "strict":
            return list(messages)

        def mask(part: Any) -> Any:
            if isinstance(part, str):
                return self.finder.mask_stretches(part, self.learnt)
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                return {**part, "text": self.finder.mask_stretches(part["text"], self.learnt)}
            return part

        return [
            {**message, "content": [mask(part) for part in content]}
            if isinstance(content := message.get("content"), list)
            else {**message, "content": mask(content)}
            for message in messages
        ]

    def mask_record(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """What is kept of a decision or a question: words of the screen without what is private.

        Only fields that hold such words are touched: ids, hashes and times stay.
        """
        return {name: self._mask_field(name, value) for name, value in facts.items()}

    def _mask_field(self, name: str, value: Any) -> Any:
        if self.level != "strict":
            return value
        if isinstance(value, Mapping):
            return self.mask_record(value)
        if isinstance(value, str) and name in SCREEN_WORDS:
            return self.finder.mask_spans(self.finder.mask_stretches(value, self.learnt))
        return value

    def to_wire(self) -> dict[str, Any]:
        """For the record: kinds and places, never the texts."""
        kinds: dict[Kind, int] = {}
        for region in self.regions:
            kinds[region.kind] = kinds.get(region.kind, 0) + 1
        return {
            "masked": kinds,
            "regions": [
                [region.kind, box.left, box.top, box.right, box.bottom]
                for region in self.regions
                for box in (region.bounds,)
            ],
        }


@dataclass(frozen=True, slots=True)
class Covered:
    """An observation as it may be kept and sent.

    Attributes:
        screenshot: The masked picture.
        ui_tree: The masked tree as XML; empty where the screen gives none.
        cover: What was taken out.
    """

    screenshot: Screenshot
    ui_tree: str
    cover: Cover


def cover_screen(
    level: PrivacyLevel,
    screenshot: Screenshot,
    ui_tree: str | None,
    own: OwnWords,
    words: PrivateWords,
    *,
    learnt: dict[str, Kind],
    read_texts: ReadsTexts | None,
) -> Covered:
    """Take out what a level hides. Blocking work: decodes the picture, once.

    Args:
        level: `standard` or `strict`.
        screenshot: The picture as it came.
        ui_tree: The tree as XML; empty: this screen gives none; None: nobody looked.
        own: What the person said.
        words: Names and labels.
        learnt: Private texts of earlier screens of the session; this screen's are added.
        read_texts: OCR, where it is installed and wanted.

    Raises:
        TreeNeededError: Nobody looked for the tree: passwords cannot be told.
        ScreenWithheldError: The screen may not be sent at all.
        BadRequestError: The tree cannot be read.
        ImageError: The pixels cannot be decoded.
    """
    if ui_tree is None:
        raise TreeNeededError(
            f"with privacy `{level}` the UI tree must come with the screenshot; send "
            "observation.ui_tree (empty if the screen gives none)"
        )
    tree = _read_tree(ui_tree)
    image = decode_upright(screenshot)
    finder = Finder(words, own)
    texts = None
    if level == "strict":
        if is_black(image):
            raise ScreenWithheldError(
                "the picture is black: a protected page is never sent; do this page by hand, then "
                "go on",
                reason="black",
            )
        texts = read_texts(image) if read_texts is not None else None
        _require_readable(tree, screenshot.size, texts)
    screen = find_private(level, tree, screenshot.size, finder, texts)
    draw_masks(image, screen)
    learnt.update(finder.learnt)
    for old in list(learnt)[: len(learnt) - MAX_LEARNT]:
        del learnt[old]
    cover = Cover(level, screen.regions, finder, dict(learnt))
    masked_tree = _mask_tree(level, tree, screen, finder)
    return Covered(encode_masked(screenshot, image), masked_tree, cover)


def _read_tree(ui_tree: str) -> UiTree | None:
    if not ui_tree.strip():
        return None
    try:
        return parse_ui_tree(ui_tree)
    except DeviceError as error:
        raise BadRequestError(
            f"observation.ui_tree cannot be read ({error.message}); dump it again", field="ui_tree"
        ) from error


def _require_readable(
    tree: UiTree | None, size: Size, texts: Sequence[TextOnPicture] | None
) -> None:
    """In `strict` what nobody can read is not sent."""
    nodes = list(tree.nodes()) if tree is not None else []
    if texts is None and not any(node.text or node.content_desc for node in nodes):
        raise ScreenWithheldError(
            "this screen has no texts in its UI tree, so nobody can tell what is private on it; "
            "install the extra `ocr`, or do this page by hand, then go on",
            reason="unreadable",
        )
    far = max((node.bounds.right for node in nodes if node.depth == 0), default=0)
    low = max((node.bounds.bottom for node in nodes if node.depth == 0), default=0)
    if far > size.width_px * 1.02 or low > size.height_px * 1.02:
        raise ScreenWithheldError(
            "the UI tree is of another screen than the picture (turned?); look again",
            reason="mismatch",
        )


def _mask_tree(
    level: PrivacyLevel, tree: UiTree | None, screen: PrivateScreen, finder: Finder
) -> str:
    if tree is None:
        return ""
    mask = finder.mask if level == "strict" else _as_it_is
    return mask_xml(tree.xml, screen.texts, mask)


def _as_it_is(text: str) -> str:
    return text

"""What leaves with an export unless the person says otherwise: nothing that looks private.

Texts lose keys, passwords, e-mail addresses, telephone, card and identity numbers, one-time codes,
the serial of the phone, and the names, addresses and whatever else `server.privacy` finds in the
task and on the screens. Pictures lose the same where the step's UI tree says where it stands. What
was taken out is counted by kind, and so are pictures that could not be checked for want of a tree.
"""

from __future__ import annotations

import html
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from PIL import Image, ImageDraw

from device.protocol import Bounds, UiNode, UiTree
from parsers.action import Size, Type
from server.export.episode import Episode, EpisodeStep, FailedTry
from server.privacy.finding import Finder, OwnWords
from server.privacy.screen import find_private
from server.privacy.words import PrivateWords
from server.redaction import MASK, redact

_ELEMENT = re.compile(r"<node\b[^>]*>")
_WORDS = re.compile(r"""(\s(?:text|content-desc|hint)=")([^"]+)(")""")
_ON_SUSPICION = frozenset({"unread", "status_bar", "number"})
"""What the strict level hides only because nobody can tell: of an export little would be left."""
_COVER = (118, 124, 132)
_NOT_AFTER, _NOT_BEFORE = r"(?<![A-Za-z0-9_.])", r"(?![A-Za-z0-9_])"


def _number(pattern: str) -> re.Pattern[str]:
    """A number that stands alone: no part of a longer one or of a word (Chinese may touch it)."""
    return re.compile(f"{_NOT_AFTER}{pattern}{_NOT_BEFORE}")


_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("email", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{2,63}){1,4}")),
    ("id_number", _number(r"[1-9]\d{5}(?:19|20)\d{9}[\dXx]")),
    ("card", _number(r"\d{4}(?:[ -]?\d{4}){2,3}(?:[ -]?\d{1,3})?")),
    ("phone", _number(r"(?:\+\d{1,3}[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}")),
    ("phone", _number(r"\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,4}(?:[ -]?\d{2,4}){1,3}")),
    ("phone", _number(r"\(?\d{3}\)?[ -]\d{3}-\d{4}")),
    ("code", re.compile(r"(?<=验证码)\D{0,6}\d{4,8}(?!\d)|(?<!\d)\d{4,8}(?=\D{0,8}验证码)")),
    ("code", re.compile(r"(?i)(?<=code)\W{0,3}(?:is\W{1,3})?\d{4,8}(?!\d)")),
)


class Redactor:
    """Takes private texts out of one session's export, and counts what it took.

    Args:
        active: False leaves everything as it is.
        serials: Serial numbers of phones that the session names.
        passwords: What was typed into password fields: the model may have repeated it anywhere.
        finder: Tells what is private on a screen; None: forms of numbers and addresses alone.
    """

    def __init__(
        self,
        *,
        active: bool,
        serials: frozenset[str] = frozenset(),
        passwords: frozenset[str] = frozenset(),
        finder: Finder | None = None,
    ) -> None:
        self.active = active
        self.counts: Counter[str] = Counter()
        self.unchecked_pictures: list[int] = []
        self._serials = tuple(sorted(serials, key=len, reverse=True))
        self._passwords = tuple(sorted(passwords, key=len, reverse=True))
        self._finder = finder
        self._learnt = _kinds_that_count(finder.learnt) if finder is not None else {}
        self._learnt_pattern = _any_of(self._learnt)

    @classmethod
    def of(cls, episode: Episode, words: PrivateWords) -> Redactor:
        """A redactor that knows the session's own secrets; reads the session once."""
        holders = (episode.extra_info or {}, episode.model_config)
        keys = ("serial", "device_id", "device_serial")
        serials = {holder.get(key) for holder in holders for key in keys}
        finder = Finder(words, OwnWords.of(()))
        for line in episode.task.split("\n"):
            for found in finder.find(line):
                finder.learn(found.kind, line[found.start : found.end])
        passwords: set[str] = set()
        for step in episode.iter_steps():
            if isinstance(step.action, Type) and _typed_into_password(step):
                passwords.add(step.action.value)
            if step.tree is not None:
                find_private("strict", step.tree, step.size, finder)
        for failed in episode.iter_failed_tries():
            if failed.tree is not None:
                find_private("strict", failed.tree, failed.size, finder)
        return cls(
            active=True,
            serials=frozenset(one for one in serials if isinstance(one, str) and len(one) >= 4),
            passwords=frozenset(passwords),
            finder=finder,
        )

    def text(self, text: str) -> str:
        """The text with `[kind]` in the place of what is private."""
        if not self.active or not text:
            return text
        without_keys = redact(text)
        if without_keys != text:
            self.counts["key"] += max(1, without_keys.count(MASK) - text.count(MASK))
        text = without_keys
        for kind, known in (("password", self._passwords), ("serial", self._serials)):
            for secret in known:
                if secret in text:
                    self.counts[kind] += text.count(secret)
                    text = text.replace(secret, f"[{kind}]")
        for kind, pattern in _PATTERNS:
            text, count = pattern.subn(f"[{kind}]", text)
            self.counts[kind] += count
        return self._learnt_pattern.sub(self._name_kind, text) if self._learnt else text

    def _name_kind(self, match: re.Match[str]) -> str:
        kind = self._learnt.get(match[0].lower(), "person")  # ſ matches s without being its lower
        self.counts[kind] += 1
        return f"[{kind}]"

    def value(self, value: Any) -> Any:
        """The same for every text of a JSON value."""
        if not self.active:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value

    def tree_xml(self, tree: UiTree) -> str:
        """A UI tree's document with its texts redacted; its other attributes stay as they are."""
        if not self.active:
            return tree.xml
        return _ELEMENT.sub(self._redact_element, tree.xml)

    def _redact_element(self, match: re.Match[str]) -> str:
        if 'password="true"' in match[0]:
            self.counts["password"] += 1
            return _WORDS.sub(r"\1[password]\3", match[0])
        return _WORDS.sub(self._redact_attribute, match[0])

    def _redact_attribute(self, match: re.Match[str]) -> str:
        words = self.text(html.unescape(match[2]))
        return f"{match[1]}{html.escape(words)}{match[3]}"

    def step_wire(self, step: EpisodeStep) -> dict[str, Any]:
        """The step's action."""
        wire: dict[str, Any] = self.value(step.wire)
        return wire

    def step_reply(self, step: EpisodeStep) -> str:
        """The raw reply."""
        return self.text(step.reply)

    def picture(self, step: EpisodeStep) -> Image.Image:
        """The step's screenshot, decoded, with what is private covered."""
        return self._cover(step.picture, step.tree, step.size, step.number)

    def failed_picture(self, failed: FailedTry) -> Image.Image:
        """The screenshot of a try that got no answer, decoded, with what is private covered."""
        return self._cover(failed.picture, failed.tree, failed.size, failed.number)

    def prompt_picture(self, step: EpisodeStep, name: str) -> Image.Image:
        """A picture that the prompt shows; only this step's own can be checked by its tree."""
        own = name == step.message["environment"].get("image")
        marked = name == step.message["environment"].get("marked_image")
        data = step.picture if own else step.read_picture(name)
        return self._cover(data, step.tree if own or marked else None, step.size, step.number)

    def report(self) -> dict[str, Any]:
        """What was taken out: `{kinds: {kind: count}, unchecked_pictures: [step, ...]}`."""
        return {
            "active": self.active,
            "kinds": dict(sorted((kind, count) for kind, count in self.counts.items() if count)),
            "unchecked_pictures": sorted(set(self.unchecked_pictures)),
        }

    def _cover(self, data: bytes, tree: UiTree | None, size: Size, number: int) -> Image.Image:
        with Image.open(io.BytesIO(data)) as opened:
            picture = opened.convert("RGB")
        if not self.active:
            return picture
        if tree is None:
            self.unchecked_pictures.append(number)
            return picture
        draw = ImageDraw.Draw(picture)
        for kind, bounds in dict.fromkeys(self._private_places(tree, size)):
            self.counts[f"picture_{kind}"] += 1
            box = _scaled(bounds, picture.size, (size.width_px, size.height_px))
            draw.rectangle(box, fill=_COVER)
        return picture

    def _private_places(self, tree: UiTree, size: Size) -> Iterator[tuple[str, Bounds]]:
        if self._finder is not None:
            for region in find_private("strict", tree, size, self._finder).regions:
                if region.kind not in _ON_SUSPICION:
                    yield region.kind, region.bounds
        for node in tree.nodes():
            if node.bounds.is_empty or not _has_words(node):
                continue
            if node.password:
                yield "password", node.bounds
                continue
            words = f"{node.text}\n{node.content_desc}"
            kind = next((kind for kind, pattern in _PATTERNS if pattern.search(words)), None)
            if kind is None and (
                redact(words) != words or any(serial in words for serial in self._serials)
            ):
                kind = "key"
            if kind is not None:
                yield kind, node.bounds


def _kinds_that_count(learnt: Mapping[str, str]) -> dict[str, str]:
    return {text: kind for text, kind in learnt.items() if kind not in _ON_SUSPICION}


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    """Any of the texts, the longest first; one in Latin letters only as a word of its own."""
    longest_first = sorted(texts, key=len, reverse=True)
    edges = r"(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"
    choices = [
        edges.format(re.escape(text)) if text.isascii() else re.escape(text)
        for text in longest_first
    ]
    return re.compile("|".join(choices), re.IGNORECASE)


def _has_words(node: UiNode) -> bool:
    return bool(node.text or node.content_desc)


def _typed_into_password(step: EpisodeStep) -> bool:
    if step.tree is None:
        return False
    point = step.point
    fields = [node for node in step.tree.nodes() if node.password]
    if point is None:
        return any(node.focused for node in fields)
    x_px, y_px = point.to_px(step.size.width_px, step.size.height_px)
    return any(
        node.bounds.left <= x_px < node.bounds.right
        and node.bounds.top <= y_px < node.bounds.bottom
        for node in fields
    )


def _scaled(
    bounds: Bounds, size: tuple[int, int], of: tuple[int, int]
) -> tuple[float, float, float, float]:
    across, down = size[0] / of[0], size[1] / of[1]
    return (
        bounds.left * across,
        bounds.top * down,
        max(bounds.left * across, bounds.right * across - 1),
        max(bounds.top * down, bounds.bottom * down - 1),
    )

"""One touch with all that is known around it: what the rules ask about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from server.policy.answers import (
    ANSWERS_TEXT,
    CONSENT,
    IS_ASKED,
    KEEPS,
    LOOKS_AROUND,
    MONEY,
    NAMES_NO,
    RENEWS,
    SOFT,
)
from server.policy.app_kinds import AppKind
from server.policy.decision import RiskClass
from server.policy.labels import ReadLabel, asks_about, read_label
from server.policy.screen import ScreenView, Touched
from server.policy.wording import joined, plain

_HEADER_SHARE = 0.12
_WIDE_SHARE = 0.38
_ROW_SHARE = 0.98
_TOOL_SHARE = 0.15
_MONEY_CLASSES: frozenset[RiskClass] = frozenset({"pay", "transfer", "order"})


@dataclass(frozen=True)
class Touch:
    """A touch with all that is known around it."""

    screen: ScreenView
    touched: Touched
    kind: AppKind
    is_careful: bool = False
    is_long: bool = False

    @cached_property
    def labels(self) -> tuple[ReadLabel, ...]:
        return tuple(map(read_label, self.touched.labels or self.touched.beside))

    @cached_property
    def context(self) -> tuple[str, ...]:
        return self.screen.context(self.touched.index)

    @cached_property
    def about(self) -> frozenset[RiskClass]:
        """What the words around it are about; money is only believed where an amount stands."""
        found: set[RiskClass] = set()
        for text in self.context:
            named = read_label(text).acts
            found.update(
                risk
                for risk in asks_about(text)
                if risk not in _MONEY_CLASSES or risk in named or self.has_money
            )
        return frozenset(found)

    @cached_property
    def has_money(self) -> bool:
        return any(MONEY.search(joined(text)) for text in (*self.context, *self.touched.labels))

    @cached_property
    def is_no(self) -> bool:
        words = [read for read in self.labels if read.plain or read.amount]
        if self.renews and any(KEEPS.fullmatch(read.plain) for read in words):
            return False
        return bool(words) and all(read.is_no for read in words) and not self.is_turned

    @cached_property
    def is_yes(self) -> bool:
        return self.is_turned or any(read.is_yes for read in self.labels)

    @cached_property
    def is_turned(self) -> bool:
        """Whether a no means yes here: the question asks for it (`Exit the group?`, and a Cancel
        beside it), or a notice says what touching it means (`“Cancel” keeps your order`)."""
        for read in self.labels:
            if not read.is_no or len(read.plain) < 2:
                continue
            for text in map(plain, self.context):
                is_named = text.startswith(read.plain) and len(text) > len(read.plain) + 1
                is_asked = self.is_question or bool(IS_ASKED.search(text))
                if is_named and is_asked and text[-1] not in ".。":
                    return True
                costs = bool(CONSENT.search(text)) and (self.renews or bool(MONEY.search(text)))
                if costs and NAMES_NO.search(CONSENT.sub(" ", text)):
                    return True  # whichever no it is: this page has made one of them a yes
                quoted = rf"[\"“”'‘’「『]{re.escape(read.plain)}[\"“”'‘’」』]"
                if re.search(quoted, text) and (CONSENT.search(text) or MONEY.search(text)):
                    return True
        return False

    @cached_property
    def is_statement(self) -> bool:
        """Whether a notice says that a touch agrees to something."""
        return any(CONSENT.search(joined(text)) for text in self.context)

    @cached_property
    def renews(self) -> bool:
        """Whether the page sells what is paid again and again."""
        return self.has_money and any(RENEWS.search(joined(text)) for text in self.context)

    @cached_property
    def looks_around(self) -> bool:
        looks = [
            read.names_place or bool(LOOKS_AROUND.fullmatch(read.plain))
            for read in self.labels
            if read.plain
        ]
        return any(looks) if self.touched.kind == "row" else bool(looks) and all(looks)

    @cached_property
    def is_soft(self) -> bool:
        return bool(self.labels) and all(
            bool(SOFT.fullmatch(read.plain) or LOOKS_AROUND.fullmatch(read.plain))
            for read in self.labels
            if read.plain
        )

    @cached_property
    def in_panel(self) -> bool:
        """Whether it is in a dialog, a menu or a sheet over the page."""
        index = self.touched.index
        return (
            self.screen.panel(index) is not None
            or self.screen.is_floating
            or self.screen.is_in_last_layer(index)
        )

    @cached_property
    def is_question(self) -> bool:
        """Whether it stands in a dialog in which a no stands too."""
        return self.in_panel and self.screen.can_be_refused(self.touched.index)

    @property
    def is_captioned(self) -> bool:
        """Whether it is one of several pictures that have their names below them."""
        touched = self.touched
        return bool(touched.beside) and self.screen.alike(touched.index) > 1

    @property
    def is_prominent(self) -> bool:
        """Whether it is made to be touched: in a dialog, or as wide as a page's last button."""
        node = self.touched.node
        if node is None or self.touched.is_picture:
            return self.is_long
        is_wide = node.bounds.width_px > _WIDE_SHARE * self.screen.width_px
        return self.in_panel or is_wide or self.is_long or self.is_in_header_right

    @property
    def is_shaped_otherwise(self) -> bool:
        """Whether it goes from edge to edge, as rows do, or is a small thing in the head."""
        node = self.touched.node
        if node is None:
            return False
        share = node.bounds.width_px / self.screen.width_px
        return share > _ROW_SHARE or (self.is_in_header and share < _TOOL_SHARE)

    @property
    def is_in_header_right(self) -> bool:
        """The place of `Post`, `Done`, `Share` on a page that is written on."""
        node = self.touched.node
        return (
            node is not None
            and self.is_in_header
            and self.touched.kind == "button"
            and node.bounds.right > 0.8 * self.screen.width_px
        )

    @property
    def sends_text(self) -> bool:
        """Whether it says `Reply`, `Share`, ... while something is written."""
        says = any(ANSWERS_TEXT.fullmatch(read.plain) for read in self.labels)
        return says and bool(self.screen.typed_texts)

    @property
    def is_in_header(self) -> bool:
        node = self.touched.node
        return node is not None and node.bounds.top < _HEADER_SHARE * self.screen.height_px

"""What the demo model sees: a picture and the texts on it, in pixels of that picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parsers.action import Point

Pixels = NDArray[np.uint8]
"""Height x width x 3, RGB."""

REFERENCE_WIDTH_DP = 411.0
WIDTHS_DP = (290.0, 820.0)
SMALL_TEXT_DP = 20.0
"""Height of the smaller texts of a screen, as OCR boxes them."""
TEXTS_TO_JUDGE_BY = 5
TOP_BAR_DP = 112.0
STATUS_BAR_SHARE = 0.045
KEYBOARD_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; `right` and `bottom` are just outside."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Text:
    """One piece of text as OCR read it."""

    text: str
    box: Box
    confidence: float = 1.0


@dataclass(frozen=True)
class Screen:
    """One screenshot. Its texts are read when somebody first asks for them.

    Attributes:
        pixels: The picture.
        fingerprint: Eight hex digits that are the same for the same picture below the status bar.
        read_texts: Finds the texts.
    """

    pixels: Pixels
    fingerprint: str
    read_texts: Callable[[Pixels], Sequence[Text]]

    @cached_property
    def texts(self) -> tuple[Text, ...]:
        """What OCR found, top to bottom, then left to right."""
        found = self.read_texts(self.pixels)
        return tuple(sorted(found, key=lambda t: (t.box.top, t.box.left)))

    @property
    def width_px(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height_px(self) -> int:
        return int(self.pixels.shape[0])

    @cached_property
    def px_per_dp(self) -> float:
        """Pixels of one density-independent pixel, judged by the size of the texts.

        A picture does not tell its density; with few texts a phone of usual width is supposed.
        """
        side_px = min(self.width_px, self.height_px)
        if len(self.texts) < TEXTS_TO_JUDGE_BY:
            return side_px / REFERENCE_WIDTH_DP
        heights_px = [text.box.height for text in self.texts]
        judged = float(np.quantile(heights_px, 0.25)) / SMALL_TEXT_DP
        return min(max(judged, side_px / WIDTHS_DP[1]), side_px / WIDTHS_DP[0])

    @cached_property
    def content(self) -> tuple[Text, ...]:
        """Texts below the status bar and above the keyboard."""
        top_px = self.height_px * STATUS_BAR_SHARE
        bottom_px = self.keyboard_top_px or self.height_px
        return tuple(t for t in self.texts if top_px < t.box.y < bottom_px)

    @cached_property
    def keyboard_top_px(self) -> float | None:
        """Where the on-screen keyboard begins, or None if none is shown.

        A letter keyboard is told by its rows: at least five keys of one row, side by side in order.
        """
        half_px = self.height_px * 0.5
        for row in KEYBOARD_ROWS[:2]:
            keys = [t for t in self.texts if t.box.y > half_px and _is_part_of(t.text, row)]
            for key in keys:
                beside = [k for k in keys if abs(k.box.y - key.box.y) < 12 * self.px_per_dp]
                if sum(len(k.text.replace(" ", "")) for k in beside) >= 5:
                    return min(k.box.top for k in beside) - 16 * self.px_per_dp
        return None

    def is_in_top_bar(self, text: Text) -> bool:
        """Whether the text stands where titles and search fields stand."""
        return text.box.y < (TOP_BAR_DP * self.px_per_dp)

    def point_at(self, x_px: float, y_px: float) -> Point:
        """The place as shares of 1000, inside the picture."""
        return Point(
            x=round(min(max(x_px / self.width_px, 0.0), 0.999) * 1000),
            y=round(min(max(y_px / self.height_px, 0.0), 0.999) * 1000),
        )

    def as_dict(self) -> dict[str, Any]:
        """The texts and their boxes, for people who look at what the model saw."""
        return {
            "size": [self.width_px, self.height_px],
            "fingerprint": self.fingerprint,
            "texts": [
                [t.text, [round(v) for v in (t.box.left, t.box.top, t.box.right, t.box.bottom)]]
                for t in self.texts
            ],
        }


def _is_part_of(text: str, row: str) -> bool:
    letters = text.replace(" ", "").lower()
    return letters != "" and letters in row

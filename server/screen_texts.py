"""Texts found on a picture by OCR, for screens that give no UI tree (games, videos, web pages).

It needs the extra `demo` (rapidocr); nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import threading
from typing import TYPE_CHECKING

from device.protocol import Bounds
from parsers.errors import UnsupportedInputError
from server.images import Screenshot, open_resized

if TYPE_CHECKING:
    from server.model.demo.reading import RapidTextReader


class ScreenTexts:
    """Finds texts, one picture at a time; the engine is loaded with the first one."""

    def __init__(self) -> None:
        self._reader: RapidTextReader | None = None
        self._lock = threading.Lock()

    def find(self, screenshot: Screenshot, dialect: str) -> list[tuple[str, Bounds]]:
        """Each text with its box in pixels. Takes up to a second of one core.

        Args:
            screenshot: Checked.
            dialect: Who needs it, for the error's words.

        Raises:
            UnsupportedInputError: The extra is not installed.
            ImageError: The pixels cannot be decoded.
        """
        if importlib.util.find_spec("rapidocr") is None:
            raise UnsupportedInputError(
                f"this screen gives no UI tree, so {dialect} has no elements to number; install "
                "the extra `demo` to number the texts on the picture, or use a dialect with "
                "coordinates"
            )
        import numpy as np

        from server.model.demo.reading import RapidTextReader

        pixels = np.asarray(open_resized(screenshot, screenshot.size), dtype=np.uint8)
        with self._lock:
            self._reader = self._reader or RapidTextReader()
            found = self._reader.read(pixels)
        return [
            (
                text.text,
                Bounds(
                    round(text.box.left),
                    round(text.box.top),
                    round(text.box.right),
                    round(text.box.bottom),
                ),
            )
            for text in found
        ]

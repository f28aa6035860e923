"""Texts found on a picture by OCR, for screens that give no UI tree (games, videos, web pages).

It needs the extra `demo` (rapidocr); nothing is downloaded.
"""

from __future__ import annotations

import importlib.util
import io
import threading
from typing import TYPE_CHECKING

from PIL import Image

from device.protocol import Bounds
from parsers.errors import UnsupportedInputError
from server.errors import ImageError

if TYPE_CHECKING:
    from server.model.demo.reading import RapidTextReader


class ScreenTexts:
    """Finds texts, one picture at a time; the engine is loaded with the first one."""

    def __init__(self) -> None:
        self._reader: RapidTextReader | None = None
        self._lock = threading.Lock()

    def find(self, picture: bytes, dialect: str) -> list[tuple[str, Bounds]]:
        """Each text with its box in pixels. Takes up to a second of one core.

        Args:
            picture: The screenshot's file, checked.
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

        try:
            with Image.open(io.BytesIO(picture)) as image:
                pixels = np.asarray(image.convert("RGB"), dtype=np.uint8)
        except Exception as error:
            # Pillow raises many kinds of errors on damaged files; all mean the same to the caller.
            raise ImageError("the screenshot's pixels cannot be decoded; take it again") from error
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

"""Texts on a picture for `strict`, by the extra `ocr`; unsure readings are kept: they may be read
by somebody else."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image

from device.protocol import Bounds
from server.privacy.screen import TextOnPicture

if TYPE_CHECKING:
    from server.model.demo.reading import RapidTextReader

SURE_FROM = 0.6


def is_installed() -> bool:
    return importlib.util.find_spec("rapidocr") is not None


class PictureReader:
    """Reads one picture at a time; the engine is loaded with the first one."""

    def __init__(self) -> None:
        self._reader: RapidTextReader | None = None
        self._lock = threading.Lock()

    def read(self, image: Image.Image) -> Sequence[TextOnPicture]:
        """The lines on an RGB picture. Takes about a second of one core."""
        import numpy as np

        from server.model.demo.reading import RapidTextReader

        with self._lock:
            self._reader = self._reader or RapidTextReader(min_confidence=0.0)
            found = self._reader.read(np.asarray(image, dtype=np.uint8))
        return [
            TextOnPicture(
                text.text,
                Bounds(
                    int(text.box.left), int(text.box.top), round(text.box.right),
                    round(text.box.bottom),
                ),
                text.confidence >= SURE_FROM,
            )
            for text in found
        ]  # fmt: skip

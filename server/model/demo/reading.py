"""Picture bytes to a `Screen`: decoding, fingerprint, OCR.

OCR is rapidocr with the models inside its wheel: nothing is downloaded.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import threading
import zlib
from collections import OrderedDict
from typing import Any, Protocol

import numpy as np
from PIL import Image, UnidentifiedImageError

from server.model.demo.screen import STATUS_BAR_SHARE, Box, Pixels, Screen, Text

MAX_PICTURE_PIXELS = 40_000_000
CACHED_SCREENS = 16
OCR_MAX_SIDE_PX = 960
THUMBNAIL_PX = (72, 144)
MIN_CONFIDENCE = 0.6


class PictureError(ValueError):
    """The request holds no picture that can be read."""


class TextReader(Protocol):
    """Finds the texts on a picture."""

    def read(self, pixels: Pixels) -> list[Text]: ...


class RapidTextReader:
    """rapidocr, loaded at first use; one thread: the phone and the server need cores too.

    Args:
        min_confidence: Readings below it are left out.
    """

    def __init__(self, min_confidence: float = MIN_CONFIDENCE) -> None:
        self._engine: Any = None
        self._min_confidence = min_confidence

    def read(self, pixels: Pixels) -> list[Text]:
        if self._engine is None:
            self._engine = _load_engine()
        found = self._engine(np.ascontiguousarray(pixels[:, :, ::-1]))
        if found.boxes is None or found.txts is None:
            return []
        return [
            Text(str(text), _box_around(corners), float(score))
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
            if score >= self._min_confidence and str(text).strip()
        ]


class ScreenReader:
    """Makes screens of pictures and remembers the last ones by their bytes.

    One picture is read at a time: OCR takes a core for itself.

    Args:
        text_reader: What finds the texts; rapidocr by default.
    """

    def __init__(self, text_reader: TextReader | None = None) -> None:
        self._text_reader = text_reader or RapidTextReader()
        self._reading = threading.Lock()
        self._remembering = threading.Lock()
        self._screens: OrderedDict[bytes, Screen] = OrderedDict()

    def warm_up(self) -> None:
        """Load what the first picture would otherwise wait for."""
        self._read_texts(np.full((64, 64, 3), 255, dtype=np.uint8))

    def read(self, picture: bytes) -> Screen:
        """Decode a picture; its texts are found when they are first asked for.

        Raises:
            PictureError: The bytes are no PNG, JPEG or WebP, or the picture is too large.
        """
        key = hashlib.sha256(picture).digest()
        with self._remembering:
            screen = self._screens.get(key)
            if screen is None:
                pixels = _decode(picture)
                screen = Screen(pixels, fingerprint(pixels), self._read_texts)
                self._screens[key] = screen
            self._screens.move_to_end(key)
            if len(self._screens) > CACHED_SCREENS:
                self._screens.popitem(last=False)
            return screen

    def _read_texts(self, pixels: Pixels) -> list[Text]:
        with self._reading:
            return self._text_reader.read(pixels)


def picture_from_data_url(url: str) -> bytes:
    """The bytes of a base64 data URL; nothing else is ever opened.

    Raises:
        PictureError: It is not such a URL.
    """
    head, comma, body = url.partition(",")
    if not comma or not head.startswith("data:image/") or not head.endswith(";base64"):
        raise PictureError(
            "the picture must be a data URL: data:image/png;base64,...; addresses and paths are "
            "not opened"
        )
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise PictureError(f"the picture is not valid base64: {error}") from error


def fingerprint(pixels: Pixels) -> str:
    """Eight hex digits of a small grey copy without the status bar.

    Equal pictures have equal fingerprints; a clock that ticks does not change one.
    """
    body = pixels[int(pixels.shape[0] * STATUS_BAR_SHARE) :]
    small = Image.fromarray(body).convert("L").resize(THUMBNAIL_PX, Image.Resampling.BOX)
    levels = np.asarray(small, dtype=np.uint8) // 4
    return f"{zlib.crc32(levels.tobytes()):08x}"


def _decode(picture: bytes) -> Pixels:
    try:
        with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG", "WEBP")) as image:
            if image.width * image.height > MAX_PICTURE_PIXELS:
                raise PictureError(f"the picture is too large: {image.width}x{image.height}")
            return np.asarray(image.convert("RGB"), dtype=np.uint8)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise PictureError("the picture is no whole PNG, JPEG or WebP") from error


def _load_engine() -> Any:
    """rapidocr tuned for phone screens: 2 to 3 times faster than its defaults, same texts.

    By default it enlarges the picture again before it looks for lines, and widens every short label
    to 320 px; upright text needs no angle classifier.
    """
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.max_side_len": OCR_MAX_SIDE_PX,
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": OCR_MAX_SIDE_PX,
            "Rec.rec_img_shape": [3, 48, 96],
            "Rec.rec_batch_num": 2,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _box_around(corners: Any) -> Box:
    xs, ys = [float(c[0]) for c in corners], [float(c[1]) for c in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))

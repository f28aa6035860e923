"""Which way of taking pictures is quicker on this phone: told by the pictures of real work.

`screencap -p` lets the phone compress a PNG, which is the slow part on many phones. The other way
sends the raw pixels (squeezed by the phone's `gzip -1`) and makes the PNG here. The first pictures
are taken one way, the next the other way, and the quicker one stays.
"""

from __future__ import annotations

import io
import zlib
from typing import Literal

from PIL import Image

from device.errors import ScreenshotError
from device.screen import RawPicture, read_raw

CaptureMethod = Literal["png", "raw"]

SAMPLES = 3
"""Pictures of each kind before it is decided; the quickest of them counts."""
QUICK_S = 0.15
"""A phone that is this quick has nothing to win."""
RAW_SHARE = 0.7
"""Raw is taken where it needs at most this share of the other's time."""
_RAW_MAX_BYTES = 256 * 1024 * 1024
_RAW_MODES = {"RGBA_8888": "RGBX", "RGBX_8888": "RGBX", "RGB_888": "RGB", "RGB_565": "BGR;16"}


class CaptureChoice:
    """The way for the next picture."""

    def __init__(self) -> None:
        self._took_s: dict[CaptureMethod, list[float]] = {"png": [], "raw": []}
        self._decided: CaptureMethod | None = None

    @property
    def decided(self) -> CaptureMethod | None:
        """The way that stays; None while it is being measured."""
        return self._decided

    @property
    def next(self) -> CaptureMethod:
        if self._decided is not None:
            return self._decided
        return "png" if len(self._took_s["png"]) < SAMPLES else "raw"

    def measured(self, method: CaptureMethod, took_s: float) -> None:
        """Count one whole picture and the time until it was a PNG here."""
        if self._decided is not None:
            return
        self._took_s[method].append(took_s)
        png, raw = self._took_s["png"], self._took_s["raw"]
        if len(png) >= SAMPLES and min(png) <= QUICK_S:
            self._decided = "png"
        elif len(raw) >= SAMPLES:
            self._decided = "raw" if min(raw) <= RAW_SHARE * min(png) else "png"

    def give_up_raw(self) -> None:
        """The phone has no gzip, or pixels of a kind that is not known."""
        self._decided = "png"


def unsqueeze_raw(data: bytes) -> RawPicture:
    """Read what `screencap | gzip -1` sent.

    Raises:
        ScreenshotError: It is no whole raw picture.
    """
    inflater = zlib.decompressobj(wbits=31)
    try:
        pixels = inflater.decompress(data, _RAW_MAX_BYTES)
    except zlib.error as error:
        raise ScreenshotError(
            "Instead of a squeezed picture the phone sent something else; take it as PNG.",
            reason="no_picture",
        ) from error
    if not inflater.eof:
        raise ScreenshotError(
            "The squeezed picture is cut off or too large; take it as PNG.", reason="truncated"
        )
    return read_raw(pixels)


def encode_png(raw: RawPicture) -> bytes:
    """Make a PNG out of raw pixels, quickly rather than small; transparency says nothing here."""
    size = raw.width_px, raw.height_px
    image = Image.frombytes("RGB", size, raw.pixels, "raw", _RAW_MODES[raw.pixel_format], 0, 1)
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return data.getvalue()

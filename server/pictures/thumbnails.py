"""Small pictures of steps, for strips and lists: each is made once and kept while there is room."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Callable

from PIL import Image, UnidentifiedImageError

from server.errors import StepNotFoundError

SIZE_PX = (180, 320)
QUALITY = 72
KEPT_BYTES = 32 * 1024 * 1024


class Thumbnails:
    """Makes and keeps them.

    Args:
        read_image: Gives a step's stored screenshot and its media type.
    """

    def __init__(self, read_image: Callable[[str, int], tuple[bytes, str]]) -> None:
        self._read_image = read_image
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._kept_bytes = 0

    def read(self, session_id: str, step: int) -> bytes:
        """The step's screenshot as WebP, at most `SIZE_PX`.

        Raises:
            StepNotFoundError: No such step, or its picture is gone.
        """
        key = session_id, step
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        data = draw_thumbnail(self._read_image(session_id, step)[0], step)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = data
                self._kept_bytes += len(data)
            while self._kept_bytes > KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return data


def draw_thumbnail(data: bytes, step: int) -> bytes:
    """A stored screenshot, made small.

    Raises:
        StepNotFoundError: The file is no picture any more.
    """
    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data)) as picture:
            picture.draft("RGB", SIZE_PX)  # a JPEG is decoded at the size that is needed
            small = picture.convert("RGB")
            small.thumbnail(SIZE_PX, Image.Resampling.BILINEAR, reducing_gap=2.0)
            small.save(out, "WEBP", quality=QUALITY, method=2)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise StepNotFoundError(
            f"the picture of step {step} cannot be read; the log still has the rest", step=step
        ) from error
    return out.getvalue()

"""What phones show, as it happens: one capture per phone however many watch, none without them."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import io
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from PIL import Image

from device.errors import DeviceError
from device.protocol import Device, Screenshot
from server.error_body import describe_error

logger = logging.getLogger(__name__)

FASTEST_S = 0.2
"""A picture at most so often, from the beginning of one to the next."""
UNCHANGED_S = 0.5
"""How often a screen that stays as it is is looked at."""
AFTER_ERROR_S = 2.0
MAX_SIDE_PX = 1200
QUALITY = 70


@dataclass(frozen=True, slots=True)
class LiveFrame:
    """What a phone showed at one moment, or why it could not be seen.

    Attributes:
        number: Counts the changes of this phone's picture.
        width_px: Of the screen, upright: the frame for taps. 0 where nothing was seen.
        height_px: The same.
        black: Why the screen is all black.
        error: The error body where no picture was given.
        data: JPEG, at most `MAX_SIDE_PX`; empty with an error.
    """

    number: int
    width_px: int = 0
    height_px: int = 0
    black: str | None = None
    error: dict[str, Any] | None = None
    data: bytes = field(default=b"", repr=False)

    def facts(self) -> dict[str, Any]:
        """All but the picture, as JSON."""
        return {
            "number": self.number,
            "width_px": self.width_px,
            "height_px": self.height_px,
            "black": self.black,
            "error": self.error,
        }


@dataclass(slots=True)
class _Feed:
    """One phone that is being watched."""

    changed: asyncio.Condition
    watchers: int = 0
    frame: LiveFrame | None = None
    capture: asyncio.Task[None] | None = None


class LiveScreens:
    """The live pictures of all phones; used on one event loop.

    Args:
        open_device: Gives the phone of a serial or name. Blocks.
        off_loop: Runs a blocking call on a thread.
    """

    def __init__(
        self,
        open_device: Callable[[str], Device],
        off_loop: Callable[[Callable[[], Any]], Awaitable[Any]],
    ) -> None:
        self._open_device = open_device
        self._off_loop = off_loop
        self._feeds: dict[str, _Feed] = {}

    @property
    def captured(self) -> frozenset[str]:
        """The serials of the phones that are captured now."""
        return frozenset(self._feeds)

    @asynccontextmanager
    async def watch(self, serial: str) -> AsyncIterator[Callable[[int], Awaitable[LiveFrame]]]:
        """Watch a phone; gives a call that waits for a frame newer than the one of that number.

        Frames that came meanwhile are left out: the newest wins.

        Raises:
            DeviceError: There is no such phone.
        """
        device = await self._off_loop(functools.partial(self._open_device, serial))
        feed = self._feeds.get(device.serial)
        if feed is None:
            feed = self._feeds[device.serial] = _Feed(asyncio.Condition())
            feed.capture = asyncio.create_task(self._capture(device.serial, feed))
        feed.watchers += 1
        try:
            yield functools.partial(_newer_than, feed)
        finally:
            feed.watchers -= 1
            if feed.watchers == 0:
                del self._feeds[device.serial]
                assert feed.capture is not None
                feed.capture.cancel()

    async def _capture(self, serial: str, feed: _Feed) -> None:
        """Take pictures until nobody watches any more."""
        last = ""
        while True:
            started = time.monotonic()
            number = feed.frame.number + 1 if feed.frame else 1
            try:
                frame, mark = await self._off_loop(
                    functools.partial(self._take, serial, number, last)
                )
                pause_s = FASTEST_S if frame is not None else UNCHANGED_S
            except Exception as error:  # the viewers are told; a picture may come yet
                body = dict(describe_error(error))
                if not isinstance(error, DeviceError):
                    logger.exception("the screen of %s could not be captured", serial)
                mark, pause_s = str(body["code"]), AFTER_ERROR_S
                frame = LiveFrame(number, error=body) if mark != last else None
            last = mark
            if frame is not None:
                async with feed.changed:
                    feed.frame = frame
                    feed.changed.notify_all()
            await asyncio.sleep(max(0.05, started + pause_s - time.monotonic()))

    def _take(self, serial: str, number: int, last: str) -> tuple[LiveFrame | None, str]:
        """One picture; no frame where it is the same as the last."""
        shot = self._open_device(serial).screenshot()
        mark = hashlib.blake2b(shot.data, digest_size=16).hexdigest()
        if mark == last:
            return None, mark
        return encode_frame(shot, number), mark


async def _newer_than(feed: _Feed, number: int) -> LiveFrame:
    async with feed.changed:
        await feed.changed.wait_for(lambda: feed.frame is not None and feed.frame.number > number)
        assert feed.frame is not None
        return feed.frame


def encode_frame(shot: Screenshot, number: int) -> LiveFrame:
    """A screenshot as it goes to those who watch."""
    out = io.BytesIO()
    with Image.open(io.BytesIO(shot.data)) as png:
        picture = png.convert("RGB")
    picture.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX), Image.Resampling.BILINEAR, reducing_gap=2.0)
    picture.save(out, "JPEG", quality=QUALITY)
    return LiveFrame(number, shot.width_px, shot.height_px, shot.black, None, out.getvalue())

"""Waiting until the screen is still, instead of sleeping for a fixed time."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass

from PIL import Image, ImageChops

from device.protocol import Device, Screenshot

_CELL_PX = 12
_CELL_CHANGE = 6
_STILL_SHARE = 0.001
_PAUSE_S = 0.08


@dataclass(frozen=True, slots=True)
class Settled:
    """The last picture of a wait, and whether the screen was still by then."""

    screenshot: Screenshot
    still: bool


def wait_until_still(device: Device, timeout_s: float) -> bool:
    """Wait until two pictures in a row are alike; False if the time passed first.

    A spinner or a video never holds it longer than `timeout_s`.
    """
    return settle(device, timeout_s).still


def settle(device: Device, timeout_s: float) -> Settled:
    """The same wait, keeping the last picture: it serves as the next observation.

    Args:
        device: The phone.
        timeout_s: The longest wait, not counting the picture under way when it ends.

    Raises:
        DeviceError: A picture could not be taken.
    """
    deadline = time.monotonic() + timeout_s
    before = device.screenshot()
    before_cells: Image.Image | None = None
    while time.monotonic() < deadline:
        time.sleep(min(_PAUSE_S, max(0.0, deadline - time.monotonic())))
        after = device.screenshot()
        if before.data == after.data:
            return Settled(after, True)
        after_cells = _cells(after)
        if _alike(before_cells or _cells(before), after_cells):
            return Settled(after, True)
        before, before_cells = after, after_cells
    return Settled(before, False)


def are_alike(first: Screenshot, second: Screenshot) -> bool:
    """Whether two pictures differ by no more than a blinking cursor or the clock does."""
    return first.data == second.data or _alike(_cells(first), _cells(second))


def _cells(screenshot: Screenshot) -> Image.Image:
    """A grey picture with one value for each cell of a few pixels."""
    with Image.open(io.BytesIO(screenshot.data)) as image:
        return image.convert("L").reduce(_CELL_PX)


def _alike(first: Image.Image, second: Image.Image) -> bool:
    if first.size != second.size:
        return False
    histogram = ImageChops.difference(first, second).histogram()
    changed = sum(histogram[_CELL_CHANGE:])
    return changed <= _STILL_SHARE * first.width * first.height

"""Waiting for stillness: bounded, blind to a cursor, not blind to a change."""

from __future__ import annotations

import io
import time

import pytest
from PIL import Image, ImageDraw

from device.errors import DeviceOfflineError
from device.protocol import Screenshot
from device.scripted_device import Frame, ScriptedDevice
from device.still import are_alike, settle, wait_until_still


def picture(*boxes: tuple[int, int, int, int], size: tuple[int, int] = (1080, 2400)) -> Screenshot:
    image = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill="black")
    data = io.BytesIO()
    image.save(data, "PNG")
    return Screenshot(data.getvalue(), *size)


class MovingDevice(ScriptedDevice):
    """Shows another picture at every look, a given number of times."""

    def __init__(self, moves: int) -> None:
        super().__init__([Frame("abc" * n) for n in range(1, moves + 2)])
        self.looks = 0

    def screenshot(self) -> Screenshot:
        shot = super().screenshot()
        self.looks += 1
        self.press_key("TAB")  # any input goes one frame further
        return shot


def test_a_still_screen_is_still_after_two_pictures() -> None:
    device = ScriptedDevice()
    assert wait_until_still(device, 5) is True
    assert [call.name for call in device.journal] == ["screenshot", "screenshot"]


def test_a_screen_that_comes_to_rest_is_still_then() -> None:
    device = MovingDevice(moves=3)
    settled = settle(device, 10)
    assert (settled.still, device.looks) == (True, 5)
    assert settled.screenshot.data == device.screenshot().data


def test_a_screen_that_never_rests_holds_no_longer_than_asked() -> None:
    start = time.monotonic()
    assert wait_until_still(MovingDevice(moves=10_000), 0.5) is False
    assert time.monotonic() - start < 2


def test_without_time_one_picture_is_taken() -> None:
    device = ScriptedDevice()
    assert settle(device, 0).still is False
    assert len(device.journal) == 1


def test_an_error_is_not_stillness() -> None:
    device = ScriptedDevice(errors={"screenshot": [None, DeviceOfflineError("gone; plug it in")]})
    with pytest.raises(DeviceOfflineError):
        wait_until_still(device, 5)


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        (picture(), picture((500, 1200, 503, 1250)), True),  # a text cursor
        (picture((60, 40, 120, 70)), picture((62, 40, 124, 70)), True),  # the clock
        (picture(), picture((100, 900, 980, 1000)), False),  # a row appeared
        (picture((500, 1150, 620, 1270)), picture((530, 1150, 650, 1270)), False),  # a spinner
        (picture(), picture(size=(2400, 1080)), False),  # the phone was turned
    ],
)
def test_small_blinks_are_alike_and_changes_are_not(
    first: Screenshot, second: Screenshot, alike: bool
) -> None:
    assert are_alike(first, second) is alike

"""Seeing a phone's screen: a true picture, patiently, or an error; never an invented one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from device.errors import DeviceError, ScreenshotError, UiTreeError
from device.protocol import App, Device, Screenshot
from server.act import Observation

T = TypeVar("T")

ATTEMPTS = 4
PAUSE_S = 0.5


def look_at_screen(
    device: Device,
    *,
    seen: Screenshot | None,
    wants_tree: Callable[[App | None], bool],
    wake: Callable[[], None],
    sleep: Callable[[float], None],
    on_retry: Callable[[DeviceError], None],
) -> Observation:
    """Take a picture of the screen and learn what is in front.

    Faults that may pass are tried again, up to four times in about three seconds. A sleeping
    phone is woken.

    Args:
        device: The phone.
        seen: A picture that was taken just now, which saves taking one.
        wants_tree: Whether the tree is needed with this app in front; without it a slow call is
            saved.
        wake: Wakes the phone; it raises where that is not wanted.
        sleep: How to wait between attempts.
        on_retry: Told of each fault that is tried again.

    Raises:
        ScreenshotError: The screen cannot be seen (locked, protected, asleep for good).
        DeviceError: The phone cannot be reached, or gave no tree where one is needed.
    """

    def patiently(call: Callable[[], T], kind: type[DeviceError]) -> T:
        for attempt in range(1, ATTEMPTS):
            try:
                return call()
            except kind as error:
                if not error.retryable:
                    raise
                on_retry(error)
                sleep(PAUSE_S * attempt)
        return call()

    def picture() -> Screenshot:
        return patiently(device.screenshot, DeviceError)

    shot = seen or picture()
    for _ in range(1, ATTEMPTS):
        if shot.black is None:
            break
        if shot.black == "asleep":
            wake()
        sleep(PAUSE_S)
        shot = picture()
    if shot.black not in (None, "unknown"):  # a black page is a page; an unseen screen is not
        raise ScreenshotError(
            f"the picture of the screen is black ({shot.black}); "
            "unlock the phone or leave the protected page, then start the task again",
            black=shot.black,
        )
    front = _foreground(device)
    tree = patiently(device.ui_tree, UiTreeError) if wants_tree(front) else None
    return Observation(shot, tree, front)


def _foreground(device: Device) -> App | None:
    try:
        return device.foreground()
    except DeviceError:
        return None  # the picture is enough to go on; a dead phone fails at the next one

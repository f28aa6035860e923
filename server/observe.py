"""Seeing a phone's screen: a true picture, patiently, or an error; never an invented one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from device.errors import BlackScreenError, DeviceError, UiTreeError
from device.protocol import App, Device, Screenshot
from server.act import Observation

T = TypeVar("T")

ATTEMPTS = 4
PAUSE_S = 0.5
BLACK_LOOKS = 12
"""How often a screen that is black for no known reason is looked at: something may be loading."""


def patiently(
    call: Callable[[], T],
    sleep: Callable[[float], None],
    on_retry: Callable[[DeviceError], None],
    kind: type[DeviceError] = DeviceError,
) -> T:
    """Call something that may be done twice; a fault that may pass is tried again.

    Args:
        call: What to do: looking, waking, going home; never an action of a task.
        sleep: How to wait between the attempts, up to four in about three seconds.
        on_retry: Told of each fault that is tried again.
        kind: Which faults.

    Raises:
        DeviceError: The fault that stayed.
    """
    for attempt in range(1, ATTEMPTS):
        try:
            return call()
        except kind as error:
            if not error.retryable:
                raise
            on_retry(error)
            sleep(PAUSE_S * attempt)
    return call()


def check_visible(shot: Screenshot) -> None:
    """A black picture is never taken for the screen, whether or not its reason is known.

    Raises:
        BlackScreenError: It is all black; `details["black"]` says why.
    """
    if shot.black is not None:
        raise BlackScreenError(
            f"the picture of the screen is black ({shot.black}), so nobody can see it; wake or "
            "unlock the phone, or leave the protected page (its words are in the UI tree), then "
            "start again",
            black=shot.black,
        )


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
        BlackScreenError: The screen cannot be seen (locked, protected, asleep for good).
        DeviceError: The phone cannot be reached, or gave no tree where one is needed.
    """

    def picture() -> Screenshot:
        return patiently(device.screenshot, sleep, on_retry)

    shot = seen or picture()
    for look in range(1, BLACK_LOOKS):
        if shot.black is None or (look >= ATTEMPTS and shot.black != "unknown"):
            break
        if shot.black == "asleep":
            patiently(wake, sleep, on_retry)
        sleep(PAUSE_S)
        shot = picture()
    check_visible(shot)
    front = _foreground(device)
    needs_tree = wants_tree(front)
    tree = patiently(device.ui_tree, sleep, on_retry, UiTreeError) if needs_tree else None
    return Observation(shot, tree, front)


def _foreground(device: Device) -> App | None:
    try:
        return device.foreground()
    except DeviceError:
        return None  # the picture is enough to go on; a dead phone fails at the next one

"""Whether the screen is on and whether it is locked: pure functions over `dumpsys`."""

from __future__ import annotations

import re
from typing import Literal

Wakefulness = Literal["Awake", "Asleep", "Dozing", "Dreaming"]

_WAKEFULNESS = re.compile(
    r"(?:mWakefulness|getWakefulnessLocked\(\))=(Awake|Asleep|Dozing|Dreaming)\b"
)
_SHOWING = re.compile(
    r"\b(?:mShowingLockscreen|mDreamingLockscreen|isKeyguardShowing|mKeyguardShowing|mIsShowing"
    r"|isStatusBarKeyguard|showing)=(true|false)\b"
)
_RESTRICTED = re.compile(r"\b(?:mInputRestricted|inputRestricted)=(true|false)\b")
_BATTERY = re.compile(r"^\s*level:\s*(\d+)", re.MULTILINE)


def read_wakefulness(text: str) -> Wakefulness | None:
    """Read `dumpsys power`.

    Only `Awake` is a usable screen. `Dreaming` is a screensaver over the app; suspend blockers and
    display states say "on" for an always-on clock too, so they are not asked.
    """
    match = _WAKEFULNESS.search(text)
    if match is None:
        return None
    for state in ("Awake", "Asleep", "Dozing", "Dreaming"):
        if match[1] == state:
            return state
    return None


def read_locked(text: str) -> bool | None:
    """Read the keyguard from `dumpsys window policy` or `dumpsys window`; None if it says nothing.

    A keyguard that shows without restricting input (an always-on clock, face unlock, an occluded
    one) does not count as locked.
    """
    restricted = [match[1] == "true" for match in _RESTRICTED.finditer(text)]
    showing = [match[1] == "true" for match in _SHOWING.finditer(text)]
    if not showing:
        return any(restricted) if restricted else None
    if restricted and not any(restricted):
        return False
    return any(showing)


def read_battery_percent(text: str) -> int | None:
    """Read `dumpsys battery`."""
    match = _BATTERY.search(text)
    return int(match[1]) if match else None

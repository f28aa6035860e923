"""Misbehaviour that can be switched on, seeded so that a run repeats.

A fault hooks one of five points: the transport, the opening of a service, a command, the bytes
of a screenshot, or the screen's state. The code at that point asks `FaultPlan.take(name, text)`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Every fault by name, with what it does. The control port refuses other names.
FAULTS: Final[Mapping[str, str]] = {
    "offline_mid_command": "the connection drops after the command's first output",
    "stalled": "the service opens, then nothing ever comes",
    "service_refused": "the service is refused when it is opened",
    "unauthorized": "nobody accepts the computer's key until the fault is cleared",
    "adb_server_killed": "the adb server that opened the service ends, with all its phones",
    "slow_screencap": "screencap takes delay_s longer",
    "truncated_screenshot": "the picture stops after keep (0..1) of its bytes",
    "screenshot_crlf": "every line feed in the picture becomes CR LF",
    "display_warning": "screencap prints the multi-display warning first",
    "screenshot_refused": "screencap prints 'Status: -1' to standard error and exits 0",
    "screenshot_refused_stdout": "the same on standard output, where the picture should be",
    "secure_black": "the picture is all black, as of a FLAG_SECURE window",
    "rotates_after_screenshot": "the phone is turned as soon as the picture is taken",
    "folds_after_screenshot": "a foldable is closed, or opened, as soon as the picture is taken",
    "asleep": "the screen goes to sleep just before the command",
    "locked": "the lock screen comes in front just before the command",
    "inject_denied": "input throws the INJECT_EVENTS SecurityException",
    "input_ignored": "input exits 0 and nothing happens",
    "keyboard_gone": "just before the command the phone goes back to its own keyboard",
    "dump_no_idle": "uiautomator prints 'could not get idle state' after delay_s",
    "dump_null_root": "uiautomator prints 'null root node returned'",
    "dump_killed": "uiautomator is killed",
    "settings_denied": "settings put and ime throw the WRITE_SECURE_SETTINGS SecurityException",
    "app_slow": "an app that a command starts comes to the front delay_s later",
    "app_crash": "an app stops as soon as it is opened: 'keeps stopping'",
    "app_anr": "just before the command the app in front stops responding",
    "permission_dialog": "an app asks for a permission as soon as it is opened",
    "late_ui": "an app that is opened shows only a splash for delay_s",
    "disk_full": "files take no more data",
}

#: Seconds of the faults that take time, unless told otherwise; uiautomator gives up after ten.
_DELAYS_S: Final[Mapping[str, float]] = {"dump_no_idle": 10.0}
_DEFAULT_DELAY_S: Final = 3.0
_OWN_DELAY: Final = -1.0


class FaultError(ValueError):
    """A fault that can't be switched on: an unknown name or a value out of range."""


@dataclass(slots=True)
class Fault:
    """One switched-on fault.

    Attributes:
        name: A key of `FAULTS`.
        times: How often it still strikes; None is for ever.
        after: How many chances it lets pass first.
        probability: Chance of each strike, 0..1.
        match: Strikes only where the command or service text contains this.
        delay_s: Extra seconds, for slow faults; -1 for the fault's own default.
        keep: Part of the bytes that is kept, 0..1, for truncating faults.
    """

    name: str
    times: int | None = 1
    after: int = 0
    probability: float = 1.0
    match: str = ""
    delay_s: float = _OWN_DELAY
    keep: float = 0.5

    def __post_init__(self) -> None:
        """Checks name and ranges.

        Raises:
            FaultError: With the remedy.
        """
        if self.name not in FAULTS:
            raise FaultError(f"unknown fault {self.name!r}: use one of {', '.join(FAULTS)}")
        if self.times is not None and self.times < 1:
            raise FaultError("times must be at least 1, or null for ever")
        if self.after < 0:
            raise FaultError("after must not be negative")
        if not 0.0 <= self.probability <= 1.0 or not 0.0 <= self.keep <= 1.0:
            raise FaultError("probability and keep must be in 0..1")
        if self.delay_s == _OWN_DELAY:
            self.delay_s = _DELAYS_S.get(self.name, _DEFAULT_DELAY_S)
        if not 0.0 <= self.delay_s <= 3600.0:
            raise FaultError("delay_s must be in 0..3600")


def read_fault(text: str) -> Fault:
    """Reads a fault as the command line has it: `NAME` or `NAME:times=2,probability=0.1`.

    Args:
        text: Name and values; `times=ever` is for ever.

    Raises:
        FaultError: With what can't be read.
    """
    name, _, rest = text.partition(":")
    values: dict[str, Any] = {}
    for pair in filter(None, rest.split(",")):
        key, equals, value = pair.partition("=")
        if not equals or key not in _READERS:
            raise FaultError(f"{pair!r} is no value of a fault: use {', '.join(_READERS)} with =")
        try:
            values[key] = _READERS[key](value)
        except ValueError:
            raise FaultError(f"{value!r} is no {key}") from None
    return Fault(name, **values)


def _read_times(text: str) -> int | None:
    return None if text == "ever" else int(text)


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "times": _read_times, "after": int, "probability": float, "match": str, "delay_s": float,
    "keep": float,
}  # fmt: skip


class FaultPlan:
    """The faults that are switched on, and the dice that they share."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._faults: list[Fault] = []

    @property
    def active(self) -> tuple[Fault, ...]:
        """The faults that may still strike."""
        return tuple(self._faults)

    def add(self, fault: Fault) -> None:
        """Switches one fault on, beside those that are on already."""
        self._faults.append(fault)

    def clear(self) -> None:
        """Switches all faults off."""
        self._faults.clear()

    def take(self, name: str, text: str = "") -> Fault | None:
        """Decides whether the fault strikes now, and counts it.

        Args:
            name: The fault that this point of the code can show.
            text: The command line or service that is under way.

        Returns:
            The fault that strikes, or None.
        """
        for fault in self._faults:
            if fault.name != name or fault.match not in text:
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            if self._random.random() >= fault.probability:
                continue
            if fault.times is not None:
                fault.times -= 1
                if fault.times == 0:
                    self._faults.remove(fault)
            return fault
        return None

"""Misbehaviour that can be switched on, seeded so that a run repeats.

A fault hooks one of five points: the transport, the opening of a service, a command, the bytes
of a screenshot, or the screen's state. The code at that point asks `FaultPlan.take(name, text)`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

#: Every fault by name, with what it does. The control port refuses other names.
FAULTS: Final[Mapping[str, str]] = {
    "offline_mid_command": "the connection drops after the command's first output",
    "stalled": "the service opens, then nothing ever comes",
    "service_refused": "the service is refused when it is opened",
    "slow_screencap": "screencap takes delay_s longer",
    "truncated_screenshot": "the picture stops after keep (0..1) of its bytes",
    "display_warning": "screencap prints the multi-display warning first",
    "screenshot_refused": "screencap prints 'Status: -1' and exits 0",
    "secure_black": "the picture is all black, as of a FLAG_SECURE window",
    "asleep": "the screen goes to sleep just before the command",
    "inject_denied": "input throws the INJECT_EVENTS SecurityException",
    "input_ignored": "input exits 0 and nothing happens",
    "dump_no_idle": "uiautomator prints 'could not get idle state'",
    "dump_null_root": "uiautomator prints 'null root node returned'",
    "dump_killed": "uiautomator is killed",
    "settings_denied": "settings put and ime throw the WRITE_SECURE_SETTINGS SecurityException",
}


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
        delay_s: Extra seconds, for slow faults.
        keep: Part of the bytes that is kept, 0..1, for truncating faults.
    """

    name: str
    times: int | None = 1
    after: int = 0
    probability: float = 1.0
    match: str = ""
    delay_s: float = 3.0
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
        if not 0.0 <= self.delay_s <= 3600.0:
            raise FaultError("delay_s must be in 0..3600")


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

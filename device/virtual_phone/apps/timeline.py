"""The phone's clock, and what waits for it: late events, and toasts that go away."""

from __future__ import annotations

from device.virtual_phone.ui.view import Event

TOAST_S = 2.0


class Timeline:
    """Time as the phone knows it: it passes only by `advance`.

    Attributes:
        clock_s: Seconds since the start.
        toast: The short message that is shown; empty for none.
    """

    def __init__(self) -> None:
        self.clock_s = 0.0
        self.toast = ""
        self._toast_end_s = 0.0
        self._waiting: list[tuple[float, int, str, Event]] = []
        self._count = 0

    def show_toast(self, words: str) -> None:
        """Shows a message in place of the one before."""
        self.toast = words
        self._toast_end_s = self.clock_s + TOAST_S

    def after(self, delay_s: float, package: str, event: Event) -> None:
        """Keeps an event for an app until later."""
        self._count += 1
        self._waiting.append((self.clock_s + delay_s, self._count, package, event))

    def drop(self, package: str) -> None:
        """Forgets what waits for an app."""
        self._waiting = [entry for entry in self._waiting if entry[2] != package]

    def advance(self, dt_s: float) -> tuple[list[tuple[str, Event]], bool]:
        """Lets time pass.

        Returns:
            Events that are due, in order, with their apps; and whether a toast went away.
        """
        self.clock_s += dt_s
        ended = bool(self.toast) and self._toast_end_s <= self.clock_s
        if ended:
            self.toast = ""
        due = sorted(entry for entry in self._waiting if entry[0] <= self.clock_s)
        self._waiting = [entry for entry in self._waiting if entry[0] > self.clock_s]
        return [(package, event) for _, _, package, event in due], ended

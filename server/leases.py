"""Who may drive which phone: one task at a time, and single inputs only in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from server.errors import ServerError

INPUT_WAIT_S = 5.0
"""How long one input waits for another one on the same phone."""


class PhoneLeasedError(ServerError):
    """A task drives this phone: nobody else may give it input."""

    code: ClassVar[str] = "device.leased"
    status: ClassVar[int] = 409
    retryable: ClassVar[bool] = True


@dataclass(slots=True)
class _Phone:
    holder: str | None = None
    is_lent: Callable[[], bool] = lambda: False
    inputs: int = 0


class Leases:
    """The leases of all phones. A task holds a phone from its first look to its end.

    While its task is paused or taken over, the phone is lent: single inputs pass.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._phones: dict[str, _Phone] = {}

    def holder(self, serial: str) -> str | None:
        """The task that drives the phone; None if it is free."""
        with self._changed:
            phone = self._phones.get(serial)
            return phone.holder if phone else None

    @contextmanager
    def hold(self, serial: str, holder: str, is_lent: Callable[[], bool]) -> Iterator[None]:
        """Hold a phone for a task; waits until nobody gives it single inputs.

        Args:
            serial: The phone.
            holder: The task's id.
            is_lent: Whether the task lets others in just now.
        """
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            self._changed.wait_for(lambda: phone.holder is None and phone.inputs == 0)
            phone.holder, phone.is_lent = holder, is_lent
        try:
            yield
        finally:
            with self._changed:
                phone.holder, phone.is_lent = None, lambda: False
                self._changed.notify_all()

    @contextmanager
    def single_input(self, serial: str, wait_s: float = INPUT_WAIT_S) -> Iterator[None]:
        """The right to give a phone one input.

        Raises:
            PhoneLeasedError: A task drives it, or another input does not end.
        """
        until = time.monotonic() + wait_s
        with self._changed:
            phone = self._phones.setdefault(serial, _Phone())
            while True:
                if phone.holder is not None and not phone.is_lent():
                    raise PhoneLeasedError(
                        f"task {phone.holder} drives {serial}; wait for its end, stop it, "
                        "or take the phone over",
                        serial=serial,
                        task_id=phone.holder,
                    )
                if phone.inputs == 0:
                    break
                if not self._changed.wait(until - time.monotonic()):
                    raise PhoneLeasedError(
                        f"another input is still running on {serial}; try again in a moment",
                        serial=serial,
                    )
            phone.inputs += 1
        try:
            yield
        finally:
            with self._changed:
                phone.inputs -= 1
                self._changed.notify_all()

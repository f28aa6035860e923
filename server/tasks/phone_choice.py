"""Which phone a task gets; a phone that fails is set aside with the reason."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from device.discovery import DeviceInfo
from device.errors import DeviceError
from device.protocol import Device
from server.errors import ServerError

TRY_AGAIN_S = 300.0
ANY_TAG = "any"
"""The tag that every ready phone has."""


class NoPhoneForTagError(ServerError):
    """No phone with this tag is ready."""

    code: ClassVar[str] = "task.no_phone"
    status: ClassVar[int] = 409
    retryable: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class _Fault:
    reason: str
    until: float


class SetAside:
    """The phones that failed lately; a task that names its phone may still use it.

    Args:
        try_again_s: After this time a phone is chosen again.
    """

    def __init__(self, try_again_s: float = TRY_AGAIN_S) -> None:
        self._try_again_s = try_again_s
        self._lock = threading.Lock()
        self._faults: dict[str, _Fault] = {}

    def add(self, serial: str, reason: str) -> None:
        with self._lock:
            self._faults[serial] = _Fault(reason, time.monotonic() + self._try_again_s)

    def clear(self, serial: str) -> None:
        with self._lock:
            self._faults.pop(serial, None)

    def reason(self, serial: str) -> str | None:
        """Why the phone is set aside; None if it is not."""
        with self._lock:
            fault = self._faults.get(serial)
            if fault is None or time.monotonic() >= fault.until:
                return None
            return fault.reason


def find_tagged(phones: Iterable[DeviceInfo], tag: str) -> list[str]:
    """Serials of the ready phones with a tag; `any` is on every phone."""
    return [phone.serial for phone in phones if phone.is_ready and tag in (*phone.tags, ANY_TAG)]


class PhoneChoice:
    """Opens the phone that a task is for.

    Args:
        open_device: Gives the phone of a serial; None means the only ready one.
        find_tagged: The serials of the ready phones with a tag.
        count_tasks: How many tasks a phone has.
    """

    def __init__(
        self,
        open_device: Callable[[str | None], Device],
        find_tagged: Callable[[str], Sequence[str]],
        count_tasks: Callable[[str], int],
    ) -> None:
        self._open_device = open_device
        self._find_tagged = find_tagged
        self._count_tasks = count_tasks
        self.set_aside = SetAside()

    def by_serial(self, serial: str | None) -> Device:
        """The phone of that name, or the only ready one.

        Raises:
            DeviceError: There is none, or several and none was named.
        """
        device = self._open_device(serial)
        self.set_aside.clear(device.serial)
        return device

    def by_tag(self, tag: str) -> Device:
        """The healthy phone with this tag that has the fewest tasks.

        Raises:
            NoPhoneForTagError: None is ready; `details.set_aside` has the reasons.
        """
        tagged = self._find_tagged(tag)
        for serial in sorted(tagged, key=self._count_tasks):
            if self.set_aside.reason(serial) is None:
                device = self.open_healthy(serial)
                if device is not None:
                    return device
        reasons = {serial: self.set_aside.reason(serial) for serial in tagged}
        raise NoPhoneForTagError(
            f"no phone with the tag {tag!r} is ready; plug one in, or name a phone by its serial",
            set_aside={serial: reason for serial, reason in reasons.items() if reason},
        )

    def open_healthy(self, serial: str) -> Device | None:
        """The phone if it is well; else None, and it is set aside."""
        try:
            device = self._open_device(serial)
            state = device.state().state
        except DeviceError as error:
            self.set_aside.add(serial, f"{error.code}: {error.message}")
            return None
        if state != "device":
            self.set_aside.add(serial, f"its state is {state}")
            return None
        return device

"""One socket to the adb server: requests, answers, and what it says when it refuses.

A request is four hex digits of length and the service's name; the answer is `OKAY`, or `FAIL` and
a message (AOSP `adb/SERVICES.TXT`).
"""

from __future__ import annotations

import re
import socket
import time
from types import TracebackType
from typing import Self

from device.adb_server import ServerAddress
from device.errors import (
    AdbServerError,
    BadArgumentError,
    CommandFailedError,
    ConnectionLostError,
    DeviceAmbiguousError,
    DeviceBootingError,
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    DeviceTimeoutError,
    DeviceUnauthorizedError,
    ServiceRefusedError,
)


class Connection:
    """One socket to the adb server, with one deadline for everything that is done with it."""

    def __init__(self, address: ServerAddress, deadline: float) -> None:
        self._address = address
        self._deadline = deadline
        self._socket = socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET)
        try:
            self._arm()
            self._socket.connect((address.host, address.port))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except ConnectionRefusedError:
            self.close()
            raise
        except TimeoutError:
            self.close()
            raise DeviceTimeoutError(
                f"The adb server at {address} did not accept in time; restart it."
            ) from None
        except OSError as error:
            self.close()
            raise AdbServerError(
                f"The adb server at {address} cannot be reached: {error}; check the address."
            ) from error
        except BaseException:
            self.close()
            raise

    def request(self, service: str, *, serial: str = "") -> None:
        """Send a request and read its `OKAY`.

        Raises:
            DeviceError: The `FAIL` message as its typed error.
        """
        payload = service.encode()
        if len(payload) > 0xFFFF:
            raise BadArgumentError(
                f"A command of {len(payload)} bytes is too long for adb; split it below 60,000."
            )
        try:
            self._arm()
            self._socket.sendall(b"%04x" % len(payload) + payload)
        except TimeoutError:
            raise self._timeout() from None
        except OSError as error:
            raise AdbServerError(
                f"The adb server at {self._address} closed the connection: {error}; try again."
            ) from error
        self._read_status(serial)

    def send(self, data: bytes | memoryview) -> None:
        """Send raw bytes to the service that was asked for."""
        try:
            self._arm()
            self._socket.sendall(data)
        except TimeoutError:
            raise self._timeout() from None
        except OSError as error:
            raise ConnectionLostError(
                f"The connection to the phone broke: {error}; check the cable or the network."
            ) from error

    def _read_status(self, serial: str) -> None:
        status = self.read_exactly(4)
        if status == b"OKAY":
            return
        if status == b"FAIL":
            message = self.read_block().decode("utf-8", "replace")
            raise error_from_failure(message, serial=serial)
        raise AdbServerError(
            f"What answers at {self._address} is not an adb server ({status!r}); check the port."
        )

    def read_block(self) -> bytes:
        """Read four hex digits of length and as many bytes."""
        digits = self.read_exactly(4)
        try:
            length = int(digits, 16)
        except ValueError:
            raise AdbServerError(
                f"The adb server at {self._address} sent {digits!r} for a length; restart it."
            ) from None
        return self.read_exactly(length)

    def read_exactly(self, length: int) -> bytes:
        """Read `length` bytes, or raise."""
        data = bytearray(length)
        view = memoryview(data)
        position = 0
        while position < length:
            count = self.receive_into(view[position:])
            if count == 0:
                raise ConnectionLostError(
                    "The adb server closed the connection in the middle of an answer; try again."
                )
            position += count
        return bytes(data)

    def receive_into(self, buffer: bytearray | memoryview) -> int:
        """Receive what is there into `buffer`; 0 at the end of the stream."""
        try:
            self._arm()
            return self._socket.recv_into(buffer)
        except TimeoutError:
            raise self._timeout() from None
        except OSError as error:
            raise ConnectionLostError(
                f"The connection to the phone broke: {error}; check the cable or the network."
            ) from error

    def close(self) -> None:
        self._socket.close()

    def _arm(self) -> None:
        remaining_s = self._deadline - time.monotonic()
        if remaining_s <= 0:
            raise self._timeout()
        self._socket.settimeout(remaining_s)

    def _timeout(self) -> DeviceTimeoutError:
        return DeviceTimeoutError(
            "The phone did not answer within the deadline; check that it is awake and connected."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def error_from_failure(message: str, *, serial: str = "") -> DeviceError:
    """Turn what adb says on failure into its typed error (wordings of adb 29 to 36)."""
    text = message.strip()
    low = re.sub(r"^(?:adb: |error: )+", "", text.lower())
    name = f"Phone {serial}" if serial else "The phone"
    facts = {"output": text}
    if "more than one device" in low or "more than one emulator" in low:
        return DeviceAmbiguousError("Several phones are connected; name one by --serial.", **facts)
    if "unauthorized" in low or "failed to authenticate" in low:
        return DeviceUnauthorizedError(
            f"{name} has not allowed this computer; accept the debugging question on its screen.",
            **facts,
        )
    if "still authorizing" in low or "still connecting" in low or "authorizing" in low:
        return DeviceOfflineError(f"{name} is still connecting; try again in a moment.", **facts)
    if "device offline" in low:
        return DeviceOfflineError(
            f"{name} is offline; unplug and plug it again, or disconnect and connect.", **facts
        )
    if "insufficient permissions" in low or "no permissions" in low:
        return DeviceUnauthorizedError(
            f"{name} may not be opened by this user; add a udev rule for it.", **facts
        )
    if re.search(r"(?:cannot|could not) connect to daemon|failed to start daemon", low):
        return AdbServerError(
            "The adb server cannot be reached; run `localserver doctor`.", **facts
        )
    if low.startswith("listener "):
        return CommandFailedError("adb forwards no such port; nothing was removed.", **facts)
    if "protocol fault" in low:
        return ConnectionLostError(
            "The adb server closed the connection in the middle of an answer; try again.", **facts
        )
    if "not found" in low or re.search(r"\bno (?:such )?devices?\b", low):
        return DeviceNotFoundError(f"{name} is not connected; see `localserver devices`.", **facts)
    if "unknown host service" in low:
        return AdbServerError(
            "The adb server is too old for this request; stop it, and start a newer adb.", **facts
        )
    if "can't find service" in low:
        return DeviceBootingError(f"{name} is still starting; wait until it is up.", **facts)
    if low == "closed":
        return ServiceRefusedError(f"{name} refused the command; try again.", **facts)
    return CommandFailedError(f"adb refused: {text or 'no reason given'}; try again.", **facts)

"""A thin socket to the adb server: one connection per command, one deadline around all of it.

The protocol is that of the adb server (`SERVICES.TXT` and `shell_v2` of AOSP): a request is four
hex digits of length and the service's name; the answer is `OKAY` or `FAIL` + message. `shell,v2`
then sends packets of `id (1 byte), length (4 bytes, little endian), payload`; id 1 is stdout, 2
stderr, 3 the exit code. A connection that ends without the exit code was lost: it is an error,
never an empty success.
"""

from __future__ import annotations

import re
import secrets
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from device.adb_server import ServerAddress, server_address, start_server
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
)
from device.quoting import COMMAND_MAX_BYTES, ShellCommand

DEFAULT_TIMEOUT_S = 15.0
OUTPUT_MAX_BYTES = 256 * 1024 * 1024
RECONNECT_PAUSE_S = 3.0
_READ_PAUSES_S = (0.2, 1.0)
_SMALL_BUFFER_BYTES = 16 * 1024
_BIG_BUFFER_BYTES = 1024 * 1024
_NETWORK_SERIAL = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.%\w]+\]):\d{1,5}", re.ASCII)
_STDOUT, _STDERR, _EXIT = 1, 2, 3


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command printed and how it ended.

    Attributes:
        stdout: Bytes of standard output; with an old adbd, standard error is mixed in.
        stderr: Bytes of standard error, or empty where it could not be kept apart.
        exit_code: The command's own, 0-255.
    """

    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    exit_code: int

    @property
    def text(self) -> str:
        """Standard output as text; what is not UTF-8 is replaced."""
        return self.stdout.decode("utf-8", "replace").replace("\r\n", "\n")

    @property
    def merged_text(self) -> str:
        """Both outputs as text, errors last: where phones disagree on the stream."""
        return self.text + self.stderr.decode("utf-8", "replace").replace("\r\n", "\n")


class AdbServer:
    """Requests to one adb server.

    Args:
        address: Where it listens; by default what adb's own environment variables say.
        autostart: Start a local server when none answers.
    """

    def __init__(self, address: ServerAddress | None = None, *, autostart: bool = True) -> None:
        self.address = address or server_address()
        self._autostart = autostart

    def query(self, service: str, *, timeout_s: float = 5.0) -> str:
        """Ask a host service (`host:devices-l`, `host:connect:…`) and read its whole answer.

        Raises:
            AdbServerError: The server does not answer, or refuses.
            DeviceError: What the server says about a device.
        """
        with self._connect(time.monotonic() + timeout_s) as connection:
            connection.request(service)
            return connection.read_block().decode("utf-8", "replace")

    def open_device(self, serial: str, deadline: float) -> Connection:
        """Open a connection whose next request goes to this device.

        Args:
            serial: Serial as `adb devices` prints it.
            deadline: Monotonic time at which every later wait on it ends.
        """
        connection = self._connect(deadline)
        try:
            connection.request(f"host:transport:{serial}", serial=serial)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, deadline: float) -> Connection:
        try:
            return Connection(self.address, deadline)
        except ConnectionRefusedError:
            if not self._autostart:
                raise AdbServerError(
                    f"No adb server answers at {self.address}; run `adb start-server`.",
                    address=str(self.address),
                ) from None
        start_server(self.address)
        try:
            return Connection(self.address, max(deadline, time.monotonic() + 1.0))
        except ConnectionRefusedError as error:
            raise AdbServerError(
                f"The adb server at {self.address} went away; run `adb start-server`.",
                address=str(self.address),
            ) from error


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


class Transport:
    """Commands to one phone. Safe to use from several threads: each command has its own socket.

    Args:
        serial: Serial as `adb devices` prints it; there is no "current device".
        server: The adb server to go through.
    """

    def __init__(self, serial: str, server: AdbServer | None = None) -> None:
        if not serial:
            raise DeviceNotFoundError("No serial was given; name one of `localserver devices`.")
        self.serial = serial
        self.server = server or AdbServer()
        self._services: tuple[str, ...] | None = None
        self._reconnect_lock = threading.Lock()
        self._reconnected_at = -RECONNECT_PAUSE_S

    def run(self, command: ShellCommand, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> CommandResult:
        """Run a command on the phone and wait for its end.

        Args:
            command: Made by `device.quoting`.
            timeout_s: Deadline for everything: connecting, running, reading.

        Raises:
            DeviceTimeoutError: The deadline passed; the connection is closed, which also ends the
                command on the phone.
            ConnectionLostError: The stream ended without an exit code: whether the command ran is
                unknown.
            DeviceError: The phone is gone, offline or not authorized.
        """
        if len(command.encode()) > COMMAND_MAX_BYTES:
            raise BadArgumentError(
                f"A command of {len(command)} characters is too long for adb; split it."
            )
        deadline = time.monotonic() + timeout_s
        try:
            return self._run(command, deadline)
        except DeviceError as error:
            error.details.setdefault("serial", self.serial)
            raise

    def read(self, command: ShellCommand, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> CommandResult:
        """Run a command that changes nothing: if the connection breaks, it is asked again.

        Args:
            command: Made by `device.quoting`; safe to run twice.
            timeout_s: Deadline for all tries together.

        Raises:
            DeviceError: As `run`, after the last try.
        """
        deadline = time.monotonic() + timeout_s
        for pause_s in _READ_PAUSES_S:
            try:
                return self.run(command, timeout_s=max(0.01, deadline - time.monotonic()))
            except (ConnectionLostError, DeviceOfflineError):
                if time.monotonic() + pause_s >= deadline:
                    raise
            time.sleep(pause_s)
        return self.run(command, timeout_s=max(0.01, deadline - time.monotonic()))

    def _run(self, command: ShellCommand, deadline: float) -> CommandResult:
        refusal: DeviceError | None = None
        for service in self._known_services(deadline):
            connection = self._open(deadline)
            with connection:
                if service == "shell,v2":
                    connection.request(f"shell,v2:{command}", serial=self.serial)
                    return _read_shell_v2(connection)
                token = f"END{secrets.token_hex(8)}="
                try:
                    connection.request(f"{service}:{command}; echo {token}$?", serial=self.serial)
                except CommandFailedError as error:
                    refusal = error
                    continue
                self._services = (service,)
                return _read_to_marker(connection, token.encode())
        raise refusal or CommandFailedError("The phone runs no shell; restart adbd on it.")

    def _known_services(self, deadline: float) -> tuple[str, ...]:
        """Which shell services this phone has, best first; asked once."""
        if self._services is None:
            self._open(deadline).close()
            timeout_s = max(0.05, deadline - time.monotonic())
            features = self.server.query(f"host-serial:{self.serial}:features", timeout_s=timeout_s)
            modern = "shell_v2" in features.replace("\n", ",").split(",")
            self._services = ("shell,v2",) if modern else ("exec", "shell")
        return self._services

    def _open(self, deadline: float) -> Connection:
        try:
            return self.server.open_device(self.serial, deadline)
        except (DeviceNotFoundError, DeviceOfflineError) as error:
            if not self._reconnect(error, deadline):
                raise
        return self.server.open_device(self.serial, deadline)

    def _reconnect(self, error: DeviceError, deadline: float) -> bool:
        """Connect a network phone again: a restarted adb server has forgotten it.

        No command was sent yet, so nothing can run twice. Not more often than every few seconds.
        """
        if not is_network_serial(self.serial):
            return False
        with self._reconnect_lock:
            now = time.monotonic()
            if now - self._reconnected_at < RECONNECT_PAUSE_S:
                return True
            self._reconnected_at = now
            try:
                if isinstance(error, DeviceOfflineError):
                    self.server.query(f"host:disconnect:{self.serial}")
                answer = self.server.query(
                    f"host:connect:{self.serial}", timeout_s=max(0.05, deadline - now)
                )
            except DeviceError:
                return False
        return answer.startswith(("connected to", "already connected to"))


def is_network_serial(serial: str) -> bool:
    """Whether a serial is an address, so that `host:connect` can bring the phone back."""
    return _NETWORK_SERIAL.fullmatch(serial) is not None


def error_from_failure(message: str, *, serial: str = "") -> DeviceError:
    """Turn what adb says on failure into its typed error (wordings of adb 29 to 36)."""
    text = message.strip()
    low = text.lower()
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
    if "not found" in low or "no devices" in low or "no such device" in low:
        return DeviceNotFoundError(f"{name} is not connected; see `localserver devices`.", **facts)
    if "unknown host service" in low:
        return AdbServerError(
            "The adb server is too old for this request; stop it, and start a newer adb.", **facts
        )
    if "can't find service" in low:
        return DeviceBootingError(f"{name} is still starting; wait until it is up.", **facts)
    return CommandFailedError(f"adb refused: {text or 'no reason given'}; try again.", **facts)


def _read_shell_v2(connection: Connection) -> CommandResult:
    stdout, stderr, exit_status, ignored = bytearray(), bytearray(), bytearray(), bytearray()
    targets = {_STDOUT: stdout, _STDERR: stderr, _EXIT: exit_status}
    header = bytearray()
    target = ignored
    remaining = 0
    buffer = bytearray(_SMALL_BUFFER_BYTES)
    while True:
        count = connection.receive_into(buffer)
        if count == 0:
            raise _lost()
        position = 0
        with memoryview(buffer) as view:
            while position < count:
                if remaining:
                    size = min(remaining, count - position)
                    target += view[position : position + size]
                    position += size
                    remaining -= size
                    continue
                size = min(5 - len(header), count - position)
                header += view[position : position + size]
                position += size
                if len(header) == 5:
                    kind, remaining = struct.unpack("<BI", header)
                    target = targets.get(kind, ignored)
                    header.clear()
        if exit_status:
            return CommandResult(bytes(stdout), bytes(stderr), exit_status[0])
        _check_size(len(stdout) + len(stderr) + len(ignored))
        if count == len(buffer) == _SMALL_BUFFER_BYTES:
            buffer = bytearray(_BIG_BUFFER_BYTES)


def _read_to_marker(connection: Connection, marker: bytes) -> CommandResult:
    data = bytearray()
    buffer = bytearray(_SMALL_BUFFER_BYTES)
    while count := connection.receive_into(buffer):
        with memoryview(buffer) as view:
            data += view[:count]
        _check_size(len(data))
        if count == len(buffer) == _SMALL_BUFFER_BYTES:
            buffer = bytearray(_BIG_BUFFER_BYTES)
    found = re.search(re.escape(marker) + rb"(\d{1,3})\s*\Z", bytes(data[-64:]))
    if found is None:
        raise _lost()
    output = bytes(data[: data.rindex(marker)])
    return CommandResult(output, b"", int(found[1]))


def _check_size(size_bytes: int) -> None:
    if size_bytes > OUTPUT_MAX_BYTES:
        raise CommandFailedError(
            f"The phone sent more than {OUTPUT_MAX_BYTES} bytes; ask for less at a time."
        )


def _lost() -> ConnectionLostError:
    return ConnectionLostError(
        "The connection ended before the command did; whether it ran is unknown: look at the "
        "screen before doing it again."
    )

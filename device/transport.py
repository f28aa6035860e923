"""A thin socket to the adb server: one connection per command, one deadline around all of it.

`shell,v2` (AOSP `adb/shell_protocol.h`) sends packets of `id (1 byte), length (4 bytes, little
endian), payload`; id 1 is stdout, 2 stderr, 3 the exit code. A connection that ends without the
exit code was lost: it is an error, never an empty success.
"""

from __future__ import annotations

import re
import secrets
import struct
import threading
import time
from dataclasses import dataclass, field

from device.adb_server import ServerAddress, server_address, start_server
from device.command_record import SentCommand, note_command, shorten
from device.connection import Connection
from device.errors import (
    AdbServerError,
    BadArgumentError,
    CommandFailedError,
    ConnectionLostError,
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    ServiceRefusedError,
)
from device.quoting import COMMAND_MAX_BYTES, ShellCommand

DEFAULT_TIMEOUT_S = 15.0
OUTPUT_MAX_BYTES = 256 * 1024 * 1024
RECONNECT_PAUSE_S = 1.0
RECONNECT_WAIT_S = 8.0
_RECONNECT_LOOK_S = 0.1
_REFUSED_PAUSE_S = 0.1
_READ_PAUSES_S = (0.2, 1.0)
_SMALL_BUFFER_BYTES = 16 * 1024
_SYNC_CHUNK_BYTES = 64 * 1024
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

    def run(
        self,
        command: ShellCommand,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        shown: str = "",
    ) -> CommandResult:
        """Run a command on the phone and wait for its end.

        Args:
            command: Made by `device.quoting`.
            timeout_s: Deadline for everything: connecting, running, reading.
            shown: For a command that types words: what the record of commands says in its place,
                without its output, which may repeat them.

        Raises:
            DeviceTimeoutError: The deadline passed; the connection is closed, which also ends the
                command on the phone.
            ConnectionLostError: The stream ended without an exit code: whether the command ran is
                unknown.
            DeviceError: The phone is gone, offline or not authorized.
        """
        return self._run_noted(command, timeout_s, shown or command, keeps_output=not shown)

    def _run_noted(
        self, command: ShellCommand, timeout_s: float, shown: str, *, keeps_output: bool
    ) -> CommandResult:
        if len(command.encode()) > COMMAND_MAX_BYTES:
            raise BadArgumentError(
                f"A command of {len(command)} characters is too long for adb; split it."
            )
        started = time.monotonic()
        deadline = started + timeout_s
        try:
            try:
                result = self._run(command, deadline)
            except ServiceRefusedError:
                time.sleep(_REFUSED_PAUSE_S)  # it did not run, so it is asked for once more
                result = self._run(command, deadline)
        except DeviceError as error:
            took_s = time.monotonic() - started
            note_command(SentCommand(shorten(shown), took_s, error=error.code))
            error.details.setdefault("serial", self.serial)
            raise
        note_command(
            SentCommand(
                shorten(shown),
                time.monotonic() - started,
                result.exit_code,
                len(result.stdout) + len(result.stderr),
                shorten(result.merged_text) if keeps_output else "",
            )
        )
        return result

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
                return self._ask(command, deadline)
            except (ConnectionLostError, DeviceOfflineError, ServiceRefusedError):
                if time.monotonic() + pause_s >= deadline:
                    raise
            except DeviceNotFoundError:
                # A network phone vanishes for a moment while it is connected again.
                if not is_network_serial(self.serial) or time.monotonic() + pause_s >= deadline:
                    raise
            time.sleep(pause_s)
        return self._ask(command, deadline)

    def _ask(self, command: ShellCommand, deadline: float) -> CommandResult:
        timeout_s = max(0.01, deadline - time.monotonic())
        return self._run_noted(command, timeout_s, command, keeps_output=False)

    def push(self, data: bytes, path: str, *, timeout_s: float = 60.0) -> None:
        """Write a file on the phone (AOSP `adb/SYNC.TXT`).

        Args:
            data: What the file holds.
            path: Where, on the phone.
            timeout_s: Deadline for all of it.

        Raises:
            CommandFailedError: The phone could not write it.
            DeviceError: As `run`.
        """
        target = f"{path},{0o644}".encode()
        with self._open(time.monotonic() + timeout_s) as connection:
            connection.request("sync:", serial=self.serial)
            connection.send(b"SEND" + struct.pack("<I", len(target)) + target)
            with memoryview(data) as view:
                for start in range(0, len(data), _SYNC_CHUNK_BYTES):
                    part = view[start : start + _SYNC_CHUNK_BYTES]
                    connection.send(b"DATA" + struct.pack("<I", len(part)))
                    connection.send(part)
            connection.send(b"DONE" + struct.pack("<I", int(time.time())))
            status, length = struct.unpack("<4sI", connection.read_exactly(8))
            if status != b"OKAY":
                reason = connection.read_exactly(min(length, 1000)).decode("utf-8", "replace")
                raise CommandFailedError(
                    f"The phone could not write {path}: {reason}; free some space on it.",
                    output=reason,
                )

    @property
    def keeps_streams_apart(self) -> bool:
        """Whether standard error comes apart from standard output; False before the first use."""
        return self._services == ("shell,v2",)

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
        """Open a connection to the phone; one on the network that dropped is connected again.

        No command was sent yet, so nothing can run twice.
        """
        give_up = min(deadline, time.monotonic() + RECONNECT_WAIT_S)
        while True:
            try:
                return self.server.open_device(self.serial, deadline)
            except (DeviceNotFoundError, DeviceOfflineError) as error:
                if time.monotonic() >= give_up or not self._reconnect(error, give_up):
                    raise

    def _reconnect(self, error: DeviceError, deadline: float) -> bool:
        """Connect a network phone again: a restarted adb server has forgotten it.

        Not more often than once in a while; False where the phone does not answer either.
        """
        if not is_network_serial(self.serial):
            return False
        with self._reconnect_lock:
            now = time.monotonic()
            wait_s = self._reconnected_at + RECONNECT_PAUSE_S - now
            if wait_s > 0:
                # Somebody has just connected it; if that did not last, it is tried again.
                time.sleep(min(wait_s, _RECONNECT_LOOK_S))
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

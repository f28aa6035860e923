"""An adb server that plays a script: for tests of everything that speaks to phones.

It speaks the wire format of the adb server on a loopback port and answers for one phone as it is
told to, faults included. No adb program and no phone takes part.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from device.adb_server import ServerAddress
from device.transport import AdbServer, Transport


@dataclass(frozen=True, slots=True)
class Reply:
    """How the scripted phone answers one command.

    Attributes:
        then: `exit` ends properly, `cut` closes without an exit code, `stall` never ends.
        slice_bytes: Size of the pieces in which the answer is sent.
    """

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0
    then: Literal["exit", "cut", "stall"] = "exit"
    slice_bytes: int = 1 << 20


@dataclass
class ScriptedAdbServer:
    """An adb server with one scripted phone.

    Attributes:
        reply: Answers a command of the phone.
        features: What the phone says it can, as in `host:features`.
        failures: What `host:transport` fails with, one after another; then it works.
        refused: Shell services that the phone does not have.
        answers: What host requests are answered with, by the whole request.
        on_request: Called with each host request before it is answered.
        commands: The shell services that were asked for, in order.
        requests: All host requests, in order.
        files: What was pushed to the phone, by path.
    """

    reply: Callable[[str], Reply] = field(default=lambda command: Reply())
    features: str = "shell_v2,cmd"
    failures: list[str] = field(default_factory=list)
    refused: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)
    on_request: Callable[[str], None] = field(default=lambda request: None)
    commands: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> ServerAddress:
        return ServerAddress(port=self._listener.getsockname()[1])

    @property
    def server(self) -> AdbServer:
        return AdbServer(self.address, autostart=False)

    def transport(self, serial: str = "S1") -> Transport:
        """A transport to the phone, under any serial."""
        return Transport(serial, self.server)

    def close(self) -> None:
        """Stop listening and break all connections."""
        for sock in [self._listener, *self._open]:
            sock.close()

    def _serve(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(sock)
            threading.Thread(target=self._answer, args=(sock,), daemon=True).start()

    def _answer(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), sock:
            while True:
                service = self._read(sock, int(self._read(sock, 4), 16)).decode()
                if service.startswith(("shell", "exec")):
                    self._run(sock, service)
                    return
                if service == "sync:":
                    self._take_file(sock)
                    return
                self.requests.append(service)
                self.on_request(service)
                if service.startswith("host:transport:"):
                    if self.failures:
                        self._fail(sock, self.failures.pop(0))
                        return
                    sock.sendall(b"OKAY")
                    continue
                answer = self._answer_host(service)
                sock.sendall(b"OKAY" + b"%04x" % len(answer.encode()) + answer.encode())
                return

    def _answer_host(self, service: str) -> str:
        if service in self.answers:
            return self.answers[service]
        if service.endswith(":features"):
            return self.features
        if service.startswith("host:connect:"):
            return "connected to " + service.removeprefix("host:connect:")
        return "0029" if service == "host:version" else ""

    def _run(self, sock: socket.socket, service: str) -> None:
        name, _, command = service.partition(":")
        if name in self.refused:
            self._fail(sock, "closed")
            return
        self.commands.append(service)
        sock.sendall(b"OKAY")
        reply = self.reply(command)
        if name == "shell,v2":
            data = b"".join(
                struct.pack("<BI", kind, len(part)) + part
                for kind, part in ((2, reply.stderr), (1, reply.stdout))
                if part
            )
            data += struct.pack("<BIB", 3, 1, reply.exit_code) if reply.then == "exit" else b""
        else:
            data = reply.stderr + reply.stdout
            if reply.then == "exit":
                data += command.rpartition("; echo ")[2].removesuffix("$?").encode()
                data += b"%d\n" % reply.exit_code
        for start in range(0, len(data), reply.slice_bytes):
            sock.sendall(data[start : start + reply.slice_bytes])
        if reply.then == "stall":
            sock.recv(1)

    def _take_file(self, sock: socket.socket) -> None:
        sock.sendall(b"OKAY")
        _, length = struct.unpack("<4sI", self._read(sock, 8))
        path = self._read(sock, length).decode().rpartition(",")[0]
        data = b""
        while True:
            kind, length = struct.unpack("<4sI", self._read(sock, 8))
            if kind == b"DONE":
                break
            data += self._read(sock, length)
        self.files[path] = data
        sock.sendall(b"OKAY" + struct.pack("<I", 0))

    def _fail(self, sock: socket.socket, message: str) -> None:
        sock.sendall(b"FAIL" + b"%04x" % len(message) + message.encode())

    def _read(self, sock: socket.socket, length: int) -> bytes:
        data = b""
        while len(data) < length:
            part = sock.recv(length - len(data))
            if not part:
                raise ValueError("closed")
            data += part
        return data

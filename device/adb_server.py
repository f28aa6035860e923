"""The adb server: where it listens, which program starts it, and a private one for tests.

A server that already answers is always used as it is and never killed: other tools share it.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from device.errors import AdbMissingError, AdbServerError

DEFAULT_PORT = 5037
_LOG = logging.getLogger(__name__)
# No emulators, no cables, no mDNS: it also starts in 30 ms instead of 3 s.
_SEARCH_FOR_NOTHING = {"ADB_EMU": "0", "ADB_USB": "0", "ADB_MDNS": "0"}


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where an adb server listens."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT

    @property
    def is_local(self) -> bool:
        return self.host in {"127.0.0.1", "localhost", "::1"}

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def server_address(environ: Mapping[str, str] = os.environ) -> ServerAddress:
    """Read where the adb server is from the variables that adb itself honours.

    `ADB_SERVER_SOCKET` (`tcp:PORT` or `tcp:HOST:PORT`) wins over `ANDROID_ADB_SERVER_ADDRESS` and
    `ANDROID_ADB_SERVER_PORT`.

    Raises:
        AdbServerError: A variable holds something else.
    """
    spec = environ.get("ADB_SERVER_SOCKET", "").strip()
    if spec:
        match = re.fullmatch(r"tcp:(?:(?P<host>.+):)?(?P<port>\d{1,5})", spec)
        if match is None:
            raise AdbServerError(
                f"ADB_SERVER_SOCKET is {spec!r}; write tcp:PORT or tcp:HOST:PORT, or unset it."
            )
        host = (match["host"] or "127.0.0.1").strip("[]")
        return ServerAddress(host, _read_port(match["port"], "ADB_SERVER_SOCKET"))
    host = environ.get("ANDROID_ADB_SERVER_ADDRESS", "").strip() or "127.0.0.1"
    port = environ.get("ANDROID_ADB_SERVER_PORT", "").strip()
    return ServerAddress(
        host, _read_port(port, "ANDROID_ADB_SERVER_PORT") if port else DEFAULT_PORT
    )


def find_adb(environ: Mapping[str, str] = os.environ) -> Path:
    """Find the adb program: `ADBUTILS_ADB_PATH`, then `PATH`, then the one bundled in adbutils.

    Raises:
        AdbMissingError: None of the three exists.
    """
    named = environ.get("ADBUTILS_ADB_PATH", "").strip()
    if named:
        if not Path(named).is_file():
            raise AdbMissingError(
                f"ADBUTILS_ADB_PATH names {named}, which is not a file; correct it or unset it."
            )
        return Path(named)
    on_path = shutil.which("adb", path=environ.get("PATH"))
    return Path(on_path) if on_path else bundled_adb()


def bundled_adb() -> Path:
    """The adb program inside the adbutils package.

    Raises:
        AdbMissingError: This platform's adbutils carries none.
    """
    import adbutils

    name = "adb.exe" if os.name == "nt" else "adb"
    path = Path(adbutils.__file__).parent / "binaries" / name
    if not path.is_file():
        raise AdbMissingError(
            "There is no adb program here; install Android platform-tools and put adb on PATH."
        )
    return path


def probe_server(address: ServerAddress, *, timeout_s: float = 2.0) -> int | None:
    """Ask the server for its protocol version; None if nothing answers there."""
    try:
        with socket.create_connection((address.host, address.port), timeout=timeout_s) as sock:
            sock.settimeout(timeout_s)
            sock.sendall(b"000chost:version")
            reply = b""
            while len(reply) < 12 and (part := sock.recv(12 - len(reply))):
                reply += part
    except OSError:
        return None
    match = re.fullmatch(rb"OKAY0004([0-9a-fA-F]{4})", reply)
    return int(match[1], 16) if match else None


def start_server(
    address: ServerAddress, *, adb: Path | None = None, timeout_s: float = 15.0
) -> None:
    """Start an adb server in the background, unless one answers already.

    Raises:
        AdbMissingError: There is no adb program.
        AdbServerError: It did not come up, or the address is another machine's.
    """
    if probe_server(address) is not None:
        return
    if not address.is_local:
        raise AdbServerError(
            f"No adb server answers at {address}; start it there, or correct the address.",
            address=str(address),
        )
    program = adb or find_adb()
    _LOG.info("starting the adb server at %s with %s", address, program)
    with tempfile.TemporaryFile() as errors:
        try:
            subprocess.run(
                [str(program), "-P", str(address.port), "start-server"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                timeout=timeout_s,
                check=False,
                env=_environment(address),
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise AdbServerError(
                f"{program} could not start the adb server: {error}; run `adb start-server`.",
                adb=str(program),
            ) from error
        if probe_server(address) is None:
            raise AdbServerError(
                f"The adb server at {address} did not come up; run `adb start-server` and read "
                "what it says.",
                adb=str(program),
                output=_tail(errors),
            )


class PrivateAdbServer:
    """An adb server of one's own port, stopped at the end: for tests and demos.

    It has just the phones that are connected to it by address: it looks for no others, so that it
    never takes one away from the shared server.

    Attributes:
        address: Where it listens, once started.
    """

    def __init__(self, *, adb: Path | None = None, timeout_s: float = 15.0) -> None:
        self._adb = adb
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self.address = ServerAddress(port=0)

    @property
    def env(self) -> dict[str, str]:
        """The environment in which child processes (adb, adbutils) talk to this server."""
        return _environment(self.address)

    def start(self, *, port: int = 0) -> Self:
        """Start it.

        Args:
            port: Where to listen; 0 takes a free port.

        Raises:
            AdbMissingError: There is no adb program.
            AdbServerError: It did not come up in time.
        """
        program = self._adb or find_adb()
        self.address = ServerAddress(port=port or free_port())
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop()
        self._process = subprocess.Popen(
            [str(program), "-P", str(self.address.port), "nodaemon", "server"],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=_environment(self.address) | _SEARCH_FOR_NOTHING,
        )
        deadline = time.monotonic() + self._timeout_s
        while probe_server(self.address, timeout_s=1.0) is None:
            if self._process.poll() is not None or time.monotonic() > deadline:
                output = _tail(self._log)
                self.stop()
                raise AdbServerError(
                    f"The private adb server did not start: {output or 'no output'}; check that "
                    f"{program} runs.",
                    adb=str(program),
                )
            time.sleep(0.02)
        return self

    def stop(self) -> None:
        """Stop it; harmless when it is not running."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._log is not None:
            self._log.close()
            self._log = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _environment(address: ServerAddress) -> dict[str, str]:
    env = dict(os.environ)
    env.pop("ADB_SERVER_SOCKET", None)
    env["ANDROID_ADB_SERVER_PORT"] = str(address.port)
    return env


def _read_port(text: str, variable: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise AdbServerError(f"{variable} holds {text!r}; it must be a port from 1 to 65535.")
    return int(text)


def free_port() -> int:
    """A loopback port that nobody listens on at this moment."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def _tail(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read()[-600:].decode("utf-8", "replace").strip()

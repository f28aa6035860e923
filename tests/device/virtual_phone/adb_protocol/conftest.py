"""A virtual phone's process, and private adb servers of both programs."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import adbutils
import pytest

from device.virtual_phone.process import VirtualPhoneProcess


@dataclass(frozen=True)
class Adb:
    """One adb program with a server of its own."""

    program: str
    port: int
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "HOME": str(self.home),
            "ADB_MDNS_AUTO_CONNECT": "0",
        }

    def run(
        self, *args: str, stdin: bytes = b"", timeout_s: float = 30
    ) -> tuple[bytes, bytes, int]:
        done = subprocess.run(
            [self.program, *args],
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            env=self.environment,
            check=False,
        )
        return done.stdout, done.stderr, done.returncode

    def start(self, *args: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.program, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def bundled_adb() -> str:
    return str(Path(adbutils.__file__).parent / "binaries" / "adb")


def system_adb() -> str:
    found = shutil.which("adb")
    assert found is not None, "no adb on the PATH: `make test` installs it"
    return found


@pytest.fixture(scope="session")
def phone() -> Iterator[VirtualPhoneProcess]:
    with VirtualPhoneProcess(locale="en") as process:
        yield process


@pytest.fixture(autouse=True)
def _fresh(phone: VirtualPhoneProcess) -> None:
    phone.control.reset()


@pytest.fixture(scope="session", params=["system", "bundled"])
def adb(
    request: pytest.FixtureRequest,
    phone: VirtualPhoneProcess,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Adb]:
    program = system_adb() if request.param == "system" else bundled_adb()
    server = Adb(program, free_port(), tmp_path_factory.mktemp("adb"))
    process = subprocess.Popen(
        [program, "-P", str(server.port), "nodaemon", "server"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=server.environment,
    )
    try:
        wait_for_port(server.port)
        out, _, _ = server.run("connect", phone.serial)
        assert out == f"connected to {phone.serial}\n".encode()
        server.run("-s", phone.serial, "wait-for-device")
        yield server
    finally:
        process.kill()
        process.wait()


def wait_for_port(port: int, timeout_s: float = 10) -> None:
    import time

    deadline_s = time.monotonic() + timeout_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.02)

"""The whole house as processes: adb server, phone, model, service. Nothing in it is a fake."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

START_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Child:
    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def kill(self) -> None:
        """As a crash would: no goodbye."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def running(
    arguments: list[str], environment: Mapping[str, str], log: Path, health: str
) -> Iterator[Child]:
    """A `localserver` command that listens, from ready to ended."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "server", *arguments, "--port", str(port)]
    with log.open("ab") as output:
        process = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=output)
    child = Child(process, url, log)
    try:
        wait_answer(url + health, child)
        yield child
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_answer(url: str, child: Child) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        with contextlib.suppress(httpx2.HTTPError):
            if httpx2.get(url, timeout=5).status_code == 200:
                return
        if child.process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"{url} never answered: {child.log.read_text('utf-8')[-3000:]}")
        time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_done(
    client: Any, task_id: str, answers: list[str] | None = None, timeout_s: float = 240
) -> dict[str, Any]:
    """Follow a task to its end; its questions get the given answers, in order."""
    left = list(answers or [])
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        info: dict[str, Any] = client.get_task(task_id)
        if info["state"] == "done":
            assert left == [], f"never asked for: {left}"
            return info
        if info["state"] == "waiting_reply":
            client.reply_task(task_id, left.pop(0))
        time.sleep(0.1)
    raise AssertionError(f"not done in {timeout_s} s: {client.get_task(task_id)}")

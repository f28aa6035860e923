"""Starts a virtual phone as a process of its own, and ends it."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from device.virtual_phone.control import PhoneControl
from device.virtual_phone.personalities import DEFAULT_PERSONALITY
from device.virtual_phone.profile import Locale

_ROOT = Path(__file__).resolve().parents[2]


class PhoneStartError(Exception):
    """The phone's process didn't come up."""


class VirtualPhoneProcess:
    """A running virtual phone.

    Use it as a context manager, or call `stop`. The process also ends by itself when this one
    does, however it ends: it watches its standard input.

    Attributes:
        adb_port: Loopback port that speaks adb.
        control_port: Loopback port of `PhoneControl`.
        serial: What `adb connect` takes: `127.0.0.1:PORT`.
        control: Client of the control port.
    """

    def __init__(
        self,
        *,
        adb_port: int = 0,
        control_port: int = 0,
        size: tuple[int, int] | None = None,
        locale: Locale = "zh",
        seed: int = 0,
        personality: str = DEFAULT_PERSONALITY,
        vendor_switch: bool = False,
        faults: Sequence[str] = (),
        start_timeout_s: float = 30.0,
    ) -> None:
        """Starts the process and waits until it is ready.

        Args:
            adb_port: Port to take; 0 takes a free one.
            control_port: Port to take; 0 takes a free one.
            size: Natural width and height in pixels; None takes the personality's own.
            locale: Language of the screens.
            seed: Seed of everything random.
            personality: Kind of phone, a key of `personalities.PERSONALITIES`.
            vendor_switch: The vendor's developer option is on that lets adb tap and change
                settings; on a new phone it is off.
            faults: Faults that are on from the start, each as `NAME[:times=N,probability=P,...]`.
            start_timeout_s: Longest wait.

        Raises:
            PhoneStartError: It ended, or said nothing in time.
        """
        command = [
            sys.executable, "-m", "device.virtual_phone", "--watch-stdin",
            "--port", str(adb_port), "--control-port", str(control_port),
            "--locale", locale, "--seed", str(seed), "--personality", personality,
        ]  # fmt: skip
        if size is not None:
            command += ["--size", f"{size[0]}x{size[1]}"]
        if vendor_switch:
            command.append("--vendor-switch")
        for fault in faults:
            command += ["--fault", fault]
        self._process = subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            ready = self._wait_ready(start_timeout_s)
        except BaseException:
            self.stop()
            raise
        self.adb_port = int(ready["adb_port"])
        self.control_port = int(ready["control_port"])
        self.serial = str(ready["serial"])
        self.control = PhoneControl(f"http://127.0.0.1:{self.control_port}")

    @property
    def pid(self) -> int:
        """Process id of the phone."""
        return self._process.pid

    def wait(self) -> int:
        """Waits until the phone's process ends; gives its exit code."""
        return self._process.wait()

    def __enter__(self) -> Self:
        """Gives the running phone."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the phone."""
        self.stop()

    def stop(self, timeout_s: float = 5.0) -> None:
        """Ends the process; after the timeout by force. May be called twice."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _wait_ready(self, timeout_s: float) -> dict[str, Any]:
        """Reads the phone's one line, in a thread: not every system can poll a pipe."""
        lines: queue.Queue[bytes] = queue.Queue()
        stdout = self._process.stdout
        assert stdout is not None
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=timeout_s)
        except queue.Empty:
            raise PhoneStartError(f"the virtual phone said nothing in {timeout_s} s") from None
        try:
            ready = json.loads(line)
        except ValueError:
            raise PhoneStartError(
                "the virtual phone ended at its start; its standard error says why"
            ) from None
        assert isinstance(ready, dict)
        return ready

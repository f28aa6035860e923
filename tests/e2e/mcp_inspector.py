"""The MCP Inspector's command line against a real service and a virtual phone.

    make mcp-inspector

Needs `npx` (of Node.js) and the npm registry. Prints a line for each call; ends with 1 at the first
that does not do what is said here.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from device.adb_server import PrivateAdbServer
from device.discovery import connect
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from tests.e2e.house import running

INSPECTOR = [
    "npx",
    "-y",
    "-p",
    "node@22",
    "-p",
    "@modelcontextprotocol/inspector@latest",
    "mcp-inspector",
]
"""The Inspector wants a newer Node than many systems have: npm brings it."""
TASK = "Open Settings, then turn on Bluetooth"
CALL_MAX_S = 120.0
TASK_MAX_S = 90.0


class Inspector:
    """One way to the server: its address and token, or the command that starts it."""

    def __init__(self, name: str, target: list[str]) -> None:
        self._name, self._target = name, target

    def ask(self, method: str, *options: str, fails: bool = False) -> dict[str, Any]:
        done = subprocess.run(
            [*INSPECTOR, "--cli", *self._target, "--method", method, *options],
            capture_output=True,
            text=True,
            timeout=CALL_MAX_S,
        )
        if (done.returncode != 0) is not fails:
            raise SystemExit(f"{self._name}: {method} failed:\n{done.stdout}{done.stderr}")
        answer: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
        print(f"{self._name}: {method} {' '.join(options)} -> {str(answer)[:100]}", flush=True)
        return answer

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        options = [part for k, v in arguments.items() for part in ("--tool-arg", f"{k}={v}")]
        return self.ask("tools/call", "--tool-name", tool, *options)


def check(inspector: Inspector, serial: str) -> None:
    """Find the phone, look at it, hand over a task and see it end."""
    tools = {tool["name"] for tool in inspector.ask("tools/list")["tools"]}
    expect({"get_device_list", "get_screenshot", "execute_task", "task_status"} <= tools, tools)
    devices = inspector.call("get_device_list")
    expect(serial in json.dumps(devices), devices)
    picture = inspector.call("get_screenshot", device=serial)
    expect(any(block["type"] == "image" for block in picture["content"]), picture)
    wrong = ("--tool-name", "click", "--tool-arg", "nowhere=1")
    refused = inspector.ask("tools/call", *wrong, fails=True)
    expect(refused.get("isError") is True, refused)


def check_task(inspector: Inspector, serial: str) -> None:
    started = inspector.call("execute_task", task_description=TASK, device=serial)
    task_id = started["structuredContent"]["task_id"]
    deadline = time.monotonic() + TASK_MAX_S
    while True:
        status = inspector.call("task_status", task_id=task_id)["structuredContent"]
        if status["state"] == "done":
            break
        expect(time.monotonic() < deadline, status)
        time.sleep(2)
    expect(status["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", status)


def expect(holds: bool, seen: object) -> None:
    if not holds:
        raise SystemExit(f"not as expected: {seen}")


def main() -> None:
    if shutil.which("npx") is None:
        raise SystemExit("npx is missing: install Node.js, then run this again")
    with (
        tempfile.TemporaryDirectory() as name,
        PrivateAdbServer() as adb,
        VirtualPhoneProcess(locale="en") as phone,
    ):
        folder = Path(name)
        connect(phone.serial, server=AdbServer(adb.address, autostart=False))
        env = {**adb.env, "LOCALSERVER_STATE_DIR": str(folder / "state")}
        with running(["model"], env, folder / "model.log", "/healthz") as model:
            env["LOCALSERVER_DEMO_API_BASE"] = f"{model.url}/v1"
            logs = ["--log-dir", str(folder / "logs")]
            with running(["serve", *logs], env, folder / "service.log", "/readyz") as service:
                token = (folder / "state" / "token").read_text(encoding="utf-8").strip()
                target = [f"{service.url}/mcp/", "--transport", "http"]
                target += ["--header", f"Authorization: Bearer {token}"]
                http = Inspector("http", target)
                check(http, phone.serial)
                check_task(http, phone.serial)
                truth = phone.control.truth()
                expect(truth["settings"]["global"]["bluetooth_on"] == "1", truth["settings"])
            command = [sys.executable, "-m", "server", "mcp", "--log-dir", str(folder / "own")]
            settings = [part for key, value in env.items() for part in ("-e", f"{key}={value}")]
            check(Inspector("stdio", [*settings, *command]), phone.serial)
    print("the MCP Inspector finds the phone, sees it, and hands over a task")


if __name__ == "__main__":
    main()

"""A recorded run is put to the model again and repeated on a phone, as a person would do it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from device.adb_server import PrivateAdbServer
from device.virtual_phone.process import VirtualPhoneProcess

TASK = "打开设置，进入蓝牙，关闭蓝牙"


@pytest.fixture
def localserver(environment: dict[str, str], tmp_path: Path) -> Any:
    """Run a command with a log folder of its own; gives the exit code and the JSON it prints."""

    def run(*arguments: str) -> tuple[int, Any]:
        command = [sys.executable, "-m", "server", *arguments, "--json"]
        where = ["--log-dir", str(tmp_path / "logs")]
        done = subprocess.run(
            [*command, *where], env=environment, capture_output=True, text=True, timeout=180
        )
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, json.loads(done.stdout)

    return run


def bluetooth(phone: VirtualPhoneProcess) -> str:
    return str(phone.control.truth()["settings"]["global"]["bluetooth_on"])


def test_a_run_is_asked_again_and_repeated_until_the_screen_differs(
    phones: dict[str, VirtualPhoneProcess], adb_server: PrivateAdbServer, localserver: Any
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    code, run = localserver(
        "run", TASK, "--serial", phone.serial, "--model", "localserver-demo", "--reset"
    )
    assert (code, bluetooth(phone)) == (0, "0")
    session = run["session_id"]

    # The recorded prompts, put to the same model, give the same actions.
    code, same = localserver("replay", session, "--ask", "localserver-demo")
    assert code == 0
    assert (same["dialect"], same["summary"]["agree"], same["summary"]["steps"]) == (
        "step0920", 1.0, 4,
    )  # fmt: skip
    # So do prompts that are written anew in a dialect of pixels.
    code, other = localserver(
        "replay", session, "--ask", "localserver-demo", "--dialect", "qwen_mobile_use",
        "--variant", "qwen2.5",
    )  # fmt: skip
    kinds = [(step["recorded"]["action"], step["kind"]) for step in other["steps"]]
    assert [name for name, _ in kinds] == ["AWAKE", "CLICK", "CLICK", "COMPLETE"]
    assert kinds[0] == ("AWAKE", True)
    assert other["steps"][0]["text"] is True

    # The same actions on the same phone, in the state that it had then.
    phone.control.reset()
    assert bluetooth(phone) == "1"
    code, again = localserver("replay", session, "--act", phone.serial, "--reset")
    assert (code, again["whole"], bluetooth(phone)) == (0, True, "0")
    assert [step["verdict"] for step in again["steps"]] == [
        "done", "done", "done", "nothing_to_do",
    ]  # fmt: skip
    assert all(step["image"] > 0.95 for step in again["steps"])

    # On a phone in another language the home screen looks much the same, the next page does not:
    # there it ends, and nothing is touched.
    phones["en"].control.reset()
    code, wrong = localserver(
        "replay", session, "--act", phones["en"].serial, "--reset", "--wait-s", "1"
    )
    assert (code, wrong["whole"], bluetooth(phones["en"])) == (1, False, "1")
    assert [step["verdict"] for step in wrong["steps"]] == ["done", "differs"]

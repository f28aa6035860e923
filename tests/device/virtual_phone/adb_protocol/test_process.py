"""The phone's process starts with one line and never outlives whoever started it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

import pytest

from device.virtual_phone.process import PhoneStartError, VirtualPhoneProcess


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def wait_until_gone(port: int) -> None:
    deadline_s = time.monotonic() + 10
    while answers(port):
        assert time.monotonic() < deadline_s, "the phone lives on"
        time.sleep(0.05)


def test_it_prints_one_json_line_when_it_is_ready() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "device.virtual_phone", "--size", "720x1600", "--locale", "en"],
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    ready = json.loads(process.stdout.readline())
    assert sorted(ready) == ["adb_port", "control_port", "serial"]
    assert ready["serial"] == f"127.0.0.1:{ready['adb_port']}"
    assert answers(ready["adb_port"]) and answers(ready["control_port"])
    process.terminate()
    rest, _ = process.communicate(timeout=10)
    assert (rest, process.returncode) == (b"", 0)


def test_leaving_the_context_ends_it() -> None:
    with VirtualPhoneProcess(size=(720, 1600)) as phone:
        assert phone.control.truth()["wakefulness"] == "Awake"
        port = phone.adb_port
    wait_until_gone(port)
    phone.stop()


def test_it_ends_when_its_starter_dies() -> None:
    code = (
        "import os; from device.virtual_phone.process import VirtualPhoneProcess\n"
        "print(VirtualPhoneProcess().adb_port, flush=True); os._exit(9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=30, check=False
    )
    assert done.returncode == 9
    wait_until_gone(int(done.stdout))


def test_a_taken_port_is_told_at_the_start() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(PhoneStartError, match="ended at its start"):
            VirtualPhoneProcess(adb_port=taken.getsockname()[1])


@pytest.mark.parametrize("arguments", [["--size", "big"], ["--size", "10x10"], ["--locale", "fr"]])
def test_a_wrong_argument_is_refused(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "device.virtual_phone", *arguments],
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr

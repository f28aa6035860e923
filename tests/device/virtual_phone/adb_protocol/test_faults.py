"""Faults of the connection, seen through a real adb server; and the control port."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from device.adb_server import PrivateAdbServer
from device.virtual_phone.control import PhoneControl, PhoneControlError
from device.virtual_phone.process import VirtualPhoneProcess


def test_a_lost_connection_cuts_the_output_and_comes_back(adb: Any, phone: Any) -> None:
    phone.control.fault("offline_mid_command", match="screencap")
    out, _, _ = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")
    assert not out.endswith(b"IEND\xaeB`\x82")
    deadline_s = time.monotonic() + 20
    while True:
        adb.run("connect", phone.serial)
        out, _, _ = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")
        if out.endswith(b"IEND\xaeB`\x82"):
            break
        assert time.monotonic() < deadline_s
    assert phone.control.faults()["active"] == []
    assert [e["text"] for e in phone.control.journal(kind="fault")] == ["offline_mid_command"]


def test_a_stalled_service_says_nothing_while_others_work(adb: Any, phone: Any) -> None:
    phone.control.fault("stalled", match="echo stall")
    with pytest.raises(subprocess.TimeoutExpired):
        adb.run("-s", phone.serial, "shell", "echo stalled", timeout_s=1)
    assert adb.run("-s", phone.serial, "shell", "echo fine")[0] == b"fine\n"


def test_an_unaccepted_key_keeps_the_phone_out_until_it_is_accepted(adb: Any, phone: Any) -> None:
    phone.control.fault("unauthorized", times=None)
    wait_for_state(adb, phone, "unauthorized")
    _, err, status = adb.run("-s", phone.serial, "shell", "echo hi")
    assert (status, b"unauthorized" in err) == (1, True)
    adb.run("disconnect", phone.serial)
    out, _, _ = adb.run("connect", phone.serial)
    assert out == f"failed to authenticate to {phone.serial}\n".encode()
    phone.control.clear_faults()
    wait_for_state(adb, phone, "device")
    assert adb.run("-s", phone.serial, "shell", "echo hi")[0] == b"hi\n"


def wait_for_state(adb: Any, phone: Any, state: str) -> None:
    deadline_s = time.monotonic() + 10
    while f"{phone.serial}\t{state}\n".encode() not in adb.run("devices")[0]:
        assert time.monotonic() < deadline_s


def test_the_adb_server_is_gone_with_the_command_under_way(adb: Any, phone: Any) -> None:
    with PrivateAdbServer(adb=Path(adb.program)) as server:
        environment = os.environ | server.env

        def run(*args: str) -> tuple[bytes, int]:
            done = subprocess.run(
                [adb.program, *args], capture_output=True, env=environment, timeout=30, check=False
            )
            return done.stdout, done.returncode

        assert run("connect", phone.serial)[0].startswith(b"connected")
        phone.control.fault("adb_server_killed", match="echo last")
        # The older program calls it a success.
        assert run("-s", phone.serial, "shell", "echo last words") in ((b"", 0), (b"", 255))
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", server.address.port), timeout=5)
    assert adb.run("-s", phone.serial, "shell", "echo fine")[0] == b"fine\n"


def test_a_refused_service_is_closed(adb: Any, phone: Any) -> None:
    phone.control.fault("service_refused", match="shell")
    _, err, status = adb.run("-s", phone.serial, "shell", "echo x")
    assert status != 0
    assert b"closed" in err


def test_a_slow_screenshot_comes_whole(adb: Any, phone: Any) -> None:
    phone.control.fault("slow_screencap", delay_s=0.6)
    started_s = time.monotonic()
    out, _, _ = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")
    assert time.monotonic() - started_s > 0.6
    assert out.endswith(b"IEND\xaeB`\x82")


def test_exec_out_has_the_display_warning_before_the_picture(adb: Any, phone: Any) -> None:
    phone.control.fault("display_warning")
    out, _, _ = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")
    assert out.startswith(b"[Warning] Multiple displays were found")
    assert out[out.index(b"\x89PNG") :].endswith(b"IEND\xaeB`\x82")


def test_the_phone_falls_asleep_before_a_command(adb: Any, phone: Any) -> None:
    phone.control.fault("asleep", match="dumpsys power")
    out, _, _ = adb.run("-s", phone.serial, "shell", "dumpsys power")
    assert b"mWakefulness=Asleep" in out


def test_faults_are_seeded() -> None:
    from device.virtual_phone.faults import Fault, FaultPlan

    def strikes(seed: int) -> list[bool]:
        plan = FaultPlan(seed)
        plan.add(Fault("stalled", times=None, probability=0.3))
        return [plan.take("stalled") is not None for _ in range(200)]

    assert strikes(7) == strikes(7)
    assert strikes(7) != strikes(8)
    assert 30 < sum(strikes(7)) < 90


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"name": "nope"}, "unknown fault 'nope'"),
        ({"name": "stalled", "probability": 2}, "probability and keep must be in 0..1"),
        ({"name": "stalled", "times": 0}, "times must be at least 1"),
        ({"name": "stalled", "colour": "red"}, "a fault that can't be read"),
    ],
)
def test_a_bad_fault_is_refused(phone: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(PhoneControlError, match=message):
        phone.control.fault(**values)
    assert phone.control.faults()["active"] == []


def test_state_is_set_from_outside(phone: Any) -> None:
    state = phone.control.set_state(rotation=3, wakefulness="Asleep", settings={
        "global": {"bluetooth_on": "0"}})  # fmt: skip
    assert (state["rotation"], state["wakefulness"]) == (3, "Asleep")
    assert phone.control.truth()["settings"]["global"]["bluetooth_on"] == "0"
    with pytest.raises(PhoneControlError, match="rotation can't be set to 9"):
        phone.control.set_state(rotation=9)


def test_the_control_port_shows_the_screen_past_all_faults(phone: Any) -> None:
    phone.control.fault("secure_black", times=None)
    assert phone.control.screen_png().startswith(b"\x89PNG")
    assert "<hierarchy" in phone.control.screen_xml()


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": "127.0.0.1", "Origin": "http://evil.example"}],
)
def test_a_web_page_can_t_use_the_control_port(phone: Any, headers: dict[str, str]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", phone.control_port, timeout=5)
    connection.request("POST", "/shutdown", headers=headers)
    assert connection.getresponse().status == 403
    connection.close()
    assert phone.control.truth()["wakefulness"] == "Awake"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nope", b"", 404),
        ("POST", "/state", b"[1]", 400),
        ("POST", "/state", b"{", 400),
        ("DELETE", "/truth", b"", 404),
    ],
)
def test_bad_requests_get_a_typed_answer(
    phone: Any, method: str, path: str, body: bytes, status: int
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", phone.control_port, timeout=5)
    connection.request(method, path, body=body)
    response = connection.getresponse()
    assert (response.status, b'"error"' in response.read()) == (status, True)
    connection.close()


def test_only_loopback_is_a_control_address() -> None:
    with pytest.raises(ValueError, match="loopback"):
        PhoneControl("http://192.168.1.1:80")


def test_shutdown_ends_the_process_and_the_client_says_so() -> None:
    with VirtualPhoneProcess() as other:
        other.control.shutdown()
        deadline_s = time.monotonic() + 10
        while True:
            try:
                other.control.truth()
            except PhoneControlError as error:
                assert "is it running?" in str(error)
                break
            assert time.monotonic() < deadline_s
            time.sleep(0.05)


def test_two_phones_are_told_apart_by_their_serial_number(adb: Any, phone: Any) -> None:
    names = "getprop ro.serialno; cat /proc/sys/kernel/random/boot_id"
    with VirtualPhoneProcess() as other:
        adb.run("connect", other.serial)
        adb.run("-s", other.serial, "wait-for-device")
        first = adb.run("-s", phone.serial, "shell", names)[0].split()
        second = adb.run("-s", other.serial, "shell", names)[0].split()
        adb.run("disconnect", other.serial)
    assert (len(first), len(second)) == (2, 2)
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_the_adb_port_is_not_one_that_every_adb_server_looks_at(phone: Any) -> None:
    assert phone.adb_port not in range(5555, 5586)
    assert phone.serial == f"127.0.0.1:{phone.adb_port}"

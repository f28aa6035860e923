"""The socket to the adb server: exact bytes in, typed errors out, one deadline."""

from __future__ import annotations

import os
import socket
import threading
import time

import pytest

from device.adb_server import ServerAddress, probe_server, server_address
from device.errors import (
    AdbServerError,
    BadArgumentError,
    ConnectionLostError,
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    DeviceTimeoutError,
    DeviceUnauthorizedError,
    ServiceRefusedError,
)
from device.quoting import command, script
from device.scripted_adb_server import Reply, ScriptedAdbServer
from device.transport import AdbServer, CommandResult, Transport


def test_outputs_and_exit_code_are_kept_apart(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(stdout=b"out\r\n", stderr=b"err", exit_code=7)
    result = adb.transport().run(command("ls", "a b"))
    assert result == CommandResult(b"out\r\n", b"err", 7)
    assert (result.text, result.merged_text) == ("out\n", "out\nerr")
    assert adb.commands == ["shell,v2:ls 'a b'"]


@pytest.mark.parametrize("slice_bytes", [1, 3, 7, 4096])
def test_packets_may_be_cut_anywhere(adb: ScriptedAdbServer, slice_bytes: int) -> None:
    data = os.urandom(3000)
    adb.reply = lambda command: Reply(
        stdout=data, stderr=b"e" * 10, exit_code=1, slice_bytes=slice_bytes
    )
    assert adb.transport().run(command("x")) == CommandResult(data, b"e" * 10, 1)


def test_large_outputs_arrive_whole(adb: ScriptedAdbServer) -> None:
    data = os.urandom(5_000_000)
    adb.reply = lambda command: Reply(stdout=data, slice_bytes=70_001)
    assert adb.transport().run(command("screencap")).stdout == data


@pytest.mark.parametrize("features", ["shell_v2", "cmd"])
@pytest.mark.parametrize("output", [b"", b"half"])
def test_a_lost_connection_is_never_an_empty_success(
    adb: ScriptedAdbServer, features: str, output: bytes
) -> None:
    adb.features = features
    adb.reply = lambda command: Reply(stdout=output, then="cut")
    with pytest.raises(ConnectionLostError):
        adb.transport().run(command("true"))


def test_an_old_phone_is_spoken_to_by_exec_with_an_end_mark(adb: ScriptedAdbServer) -> None:
    adb.features = "cmd"
    adb.reply = lambda command: Reply(stdout=b"\x89PNG\r\n", exit_code=3)
    transport = adb.transport()
    assert transport.run(command("screencap", "-p")) == CommandResult(b"\x89PNG\r\n", b"", 3)
    assert adb.commands[0].startswith("exec:screencap -p; echo END")


def test_a_phone_without_exec_is_spoken_to_by_shell(adb: ScriptedAdbServer) -> None:
    adb.features, adb.refused = "", ("exec",)
    adb.reply = lambda command: Reply(stdout=b"ok")
    transport = adb.transport()
    assert [transport.run(command("x")).stdout for _ in range(2)] == [b"ok", b"ok"]
    assert [service.partition(":")[0] for service in adb.commands] == ["shell", "shell"]


def test_a_stalled_phone_ends_at_the_deadline(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(stdout=b"some", then="stall")
    start = time.monotonic()
    with pytest.raises(DeviceTimeoutError) as caught:
        adb.transport().run(command("screencap"), timeout_s=0.3)
    assert 0.25 < time.monotonic() - start < 1.5
    assert caught.value.details["serial"] == "S1"


def test_a_trickle_does_not_stretch_the_deadline(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(stdout=b"x" * 100_000, slice_bytes=1, then="stall")
    start = time.monotonic()
    with pytest.raises(DeviceTimeoutError):
        adb.transport().run(command("logcat"), timeout_s=0.3)
    assert time.monotonic() - start < 1.5


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("device 'S1' not found", DeviceNotFoundError),
        ("no devices/emulators found", DeviceNotFoundError),
        ("device offline", DeviceOfflineError),
        ("device still authorizing", DeviceOfflineError),
        (
            "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
            DeviceUnauthorizedError,
        ),
        ("unknown host service", AdbServerError),
        ("closed", ServiceRefusedError),
    ],
)
def test_what_the_server_refuses_is_a_typed_error(
    adb: ScriptedAdbServer, message: str, error: type[DeviceError]
) -> None:
    adb.failures = [message] * 2
    with pytest.raises(error) as caught:
        adb.transport().run(command("true"))
    assert caught.value.details == {"serial": "S1", "output": message}
    assert adb.commands == []


def test_a_command_that_was_refused_did_not_run_and_is_asked_for_once_more(
    adb: ScriptedAdbServer,
) -> None:
    adb.failures = ["closed"]
    assert adb.transport().run(command("true")).exit_code == 0
    assert len(adb.commands) == 1


def test_a_network_phone_that_the_server_forgot_is_connected_again(
    adb: ScriptedAdbServer,
) -> None:
    adb.failures = ["device '10.0.0.2:5555' not found"]
    assert adb.transport("10.0.0.2:5555").run(command("true")).exit_code == 0
    assert adb.requests[:3] == [
        "host:transport:10.0.0.2:5555",
        "host:connect:10.0.0.2:5555",
        "host:transport:10.0.0.2:5555",
    ]


def test_an_offline_network_phone_is_disconnected_first_and_not_in_a_tight_loop(
    adb: ScriptedAdbServer,
) -> None:
    adb.failures = ["device offline"] * 4
    adb.transport("10.0.0.2:5555").run(command("true"))
    reconnects = [r for r in adb.requests if r.startswith(("host:connect", "host:disconnect"))]
    assert reconnects == ["host:disconnect:10.0.0.2:5555", "host:connect:10.0.0.2:5555"]


def test_a_network_phone_that_does_not_answer_is_given_up_at_once(adb: ScriptedAdbServer) -> None:
    adb.failures = ["device offline"] * 20
    adb.answers["host:connect:10.0.0.2:5555"] = "failed to connect to 10.0.0.2:5555"
    start = time.monotonic()
    with pytest.raises(DeviceOfflineError):
        adb.transport("10.0.0.2:5555").run(command("true"))
    assert time.monotonic() - start < 1


def test_a_usb_phone_that_is_gone_is_not_searched_on_the_network(
    adb: ScriptedAdbServer,
) -> None:
    adb.failures = ["device 'x;id>F;' not found"]
    with pytest.raises(DeviceNotFoundError):
        adb.transport("x;id>F;").run(command("true"))
    assert adb.requests == ["host:transport:x;id>F;"]


def test_a_command_cannot_run_without_a_serial() -> None:
    with pytest.raises(DeviceNotFoundError):
        Transport("")


def test_an_overlong_command_is_refused_before_it_is_sent(adb: ScriptedAdbServer) -> None:
    with pytest.raises(BadArgumentError):
        adb.transport().run(command("echo", "x" * 70_000))
    assert adb.requests == adb.commands == []


def test_without_a_server_the_error_says_what_to_do() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = ServerAddress(port=unused.getsockname()[1])
        assert probe_server(address) is None
        with pytest.raises(AdbServerError, match="adb start-server"):
            AdbServer(address, autostart=False).query("host:version")


def test_many_threads_share_a_transport(adb: ScriptedAdbServer) -> None:
    adb.reply = lambda command: Reply(stdout=command.encode())
    transport = adb.transport()
    outputs: dict[int, str] = {}

    def run(number: int) -> None:
        outputs[number] = transport.run(command("echo", number)).text

    threads = [threading.Thread(target=run, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert outputs == {number: f"echo {number}" for number in range(16)}


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({}, ServerAddress("127.0.0.1", 5037)),
        ({"ANDROID_ADB_SERVER_PORT": "5100"}, ServerAddress("127.0.0.1", 5100)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "10.0.0.9"}, ServerAddress("10.0.0.9", 5037)),
        ({"ADB_SERVER_SOCKET": "tcp:5200"}, ServerAddress("127.0.0.1", 5200)),
        (
            {"ADB_SERVER_SOCKET": "tcp:host:5200", "ANDROID_ADB_SERVER_PORT": "1"},
            ServerAddress("host", 5200),
        ),
        ({"ADB_SERVER_SOCKET": "tcp:[::1]:5200"}, ServerAddress("::1", 5200)),
    ],
)
def test_the_server_is_found_where_adb_itself_looks(
    environ: dict[str, str], address: ServerAddress
) -> None:
    assert server_address(environ) == address


@pytest.mark.parametrize(
    "environ",
    [
        {"ANDROID_ADB_SERVER_PORT": "abc"},
        {"ANDROID_ADB_SERVER_PORT": "70000"},
        {"ADB_SERVER_SOCKET": "local:x"},
    ],
)
def test_a_wrong_server_variable_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(AdbServerError, match=next(iter(environ))):
        server_address(environ)


def test_a_real_adb_server_answers(private_adb: AdbServer) -> None:
    assert private_adb.query("host:version") == "0029"
    with pytest.raises(DeviceNotFoundError):
        Transport("no-such-phone", private_adb).run(script("true"))


def test_a_question_is_asked_again_after_a_break_and_an_input_is_not(
    adb: ScriptedAdbServer,
) -> None:
    replies = [Reply(then="cut"), Reply(stdout=b"Awake")]
    adb.reply = lambda command: replies.pop(0)
    assert adb.transport().read(command("dumpsys", "power")).text == "Awake"
    replies = [Reply(then="cut"), Reply()]
    with pytest.raises(ConnectionLostError):
        adb.transport().run(command("input", "tap", 1, 1))
    assert len(adb.commands) == 3


def test_a_question_ends_at_its_deadline_however_often_the_connection_breaks(
    adb: ScriptedAdbServer,
) -> None:
    adb.reply = lambda command: Reply(then="cut")
    start = time.monotonic()
    with pytest.raises(ConnectionLostError):
        adb.transport().read(command("dumpsys", "power"), timeout_s=0.5)
    assert time.monotonic() - start < 1.0

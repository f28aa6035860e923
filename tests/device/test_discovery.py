"""Devices are listed whatever their state; connecting never trusts an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.discovery import (
    DeviceInfo,
    check_connected,
    check_paired,
    connect,
    disconnect,
    list_devices,
    open_device,
    pair,
    parse_devices,
)
from device.errors import (
    AdbTooOldError,
    BadAddressError,
    ConnectFailedError,
    DeviceAmbiguousError,
    DeviceBootingError,
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    DeviceUnauthorizedError,
    PairingFailedError,
)
from device.scripted_adb_server import Reply, ScriptedAdbServer


def listing(adb: ScriptedAdbServer, *rows: str) -> None:
    adb.answers["host:devices-l"] = "".join(row + "\n" for row in rows)


def test_serials_with_spaces_and_odd_rows_are_read_from_the_state_backwards() -> None:
    text = (
        "* daemon not running; starting now at tcp:5037\r\n"
        "List of devices attached\r\n"
        "adb-R5CT-abc (2)._adb-tls-connect._tcp device product:x model:SM_G991B device:o1s "
        "transport_id:12\r\n"
        "x;id>F; device usb:1-2.3\r\n"
        "my device one offline transport_id:4\r\n"
        "0123 no permissions (missing udev rules? user is in the plugdev group); see "
        "[http://developer.android.com/tools/device.html] usb:3-1.4 transport_id:5\r\n"
        "garbage\r\n"
    )
    assert parse_devices(text) == [
        DeviceInfo(
            "adb-R5CT-abc (2)._adb-tls-connect._tcp",
            "device",
            model="SM_G991B",
            product="x",
            device="o1s",
            transport_id=12,
        ),
        DeviceInfo("x;id>F;", "device", usb="1-2.3"),
        DeviceInfo("my device one", "offline", transport_id=4),
        DeviceInfo("0123", "no_permissions", usb="3-1.4", transport_id=5),
    ]


def test_every_state_is_named_and_says_what_to_do() -> None:
    states = ["offline", "unauthorized", "authorizing", "connecting", "recovery", "sideload"]
    states += ["bootloader", "rescue", "host", "detached"]
    found = parse_devices("".join(f"s{n}\t{state}\n" for n, state in enumerate(states)))
    assert [info.state for info in found] == states
    assert all(info.hint and not info.is_ready for info in found)


def test_the_only_ready_phone_is_opened_though_others_are_broken(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    listing(adb, "A offline", "B device model:X", "C unauthorized")
    assert [info.serial for info in list_devices(adb.server)] == ["A", "B", "C"]
    assert open_device(server=adb.server, state_dir=tmp_path).serial == "B"


@pytest.mark.parametrize(
    ("rows", "serial", "error"),
    [
        ([], None, DeviceNotFoundError),
        (["A offline"], None, DeviceOfflineError),
        (["A unauthorized"], None, DeviceUnauthorizedError),
        (["A recovery"], "A", DeviceBootingError),
        (["A offline", "B unauthorized"], None, DeviceNotFoundError),
        (["A device"], "B", DeviceNotFoundError),
        (["10.0.0.2:5555 device"], "10.0.0.2", DeviceNotFoundError),
        (["A device", "B device"], None, DeviceAmbiguousError),
    ],
)
def test_what_cannot_be_opened_says_why(
    adb: ScriptedAdbServer,
    tmp_path: Path,
    rows: list[str],
    serial: str | None,
    error: type[DeviceError],
) -> None:
    listing(adb, *rows)
    with pytest.raises(error) as caught:
        open_device(serial, server=adb.server, state_dir=tmp_path)
    assert type(caught.value) is error


def test_a_network_phone_that_went_offline_is_connected_again(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    listing(adb, "10.0.0.2:5555 offline")
    adb.on_request = lambda request: (
        listing(adb, "10.0.0.2:5555 device") if request.startswith("host:connect:") else None
    )
    assert open_device(server=adb.server, state_dir=tmp_path).serial == "10.0.0.2:5555"
    assert adb.requests[1:3] == ["host:disconnect:10.0.0.2:5555", "host:connect:10.0.0.2:5555"]


def test_an_address_that_is_not_listed_is_connected_first(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    listing(adb, "A device")
    adb.on_request = lambda request: (
        listing(adb, "A device", "10.0.0.2:5555 device") if "connect:" in request else None
    )
    opened = open_device("10.0.0.2:5555", server=adb.server, state_dir=tmp_path)
    assert opened.serial == "10.0.0.2:5555"
    adb.answers["host:connect:10.0.0.3:5555"] = "failed to connect to '10.0.0.3:5555': refused"
    with pytest.raises(ConnectFailedError):
        open_device("10.0.0.3:5555", server=adb.server, state_dir=tmp_path)


def test_one_phone_by_cable_and_by_network_is_one_phone(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    listing(adb, "10.0.0.2:5555 device", "R5CT device usb:1-1")

    def answer(command: str) -> Reply:
        mark = command.rpartition("echo ")[2]
        return Reply(stdout=f"R5CT\n{mark}\nboot-1\n{mark}\n".encode())

    adb.reply = answer
    assert open_device(server=adb.server, state_dir=tmp_path).serial == "R5CT"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ("failed to connect to '10.0.0.2:5555': Connection refused", ConnectFailedError),
        (
            "cannot connect to 10.0.0.2:5555: No connection could be made (10061)",
            ConnectFailedError,
        ),
        ("failed to connect to 10.0.0.2:5555", ConnectFailedError),
        ("", ConnectFailedError),
        ("failed to authenticate to 10.0.0.2:5555", DeviceUnauthorizedError),
        ("failed to resolve host: 'x': Name or service not known", BadAddressError),
    ],
)
def test_a_connection_that_failed_is_an_error(answer: str, error: type[DeviceError]) -> None:
    with pytest.raises(error) as caught:
        check_connected(answer, "10.0.0.2:5555")
    assert type(caught.value) is error


def test_connecting_returns_the_serial_with_its_port(adb: ScriptedAdbServer) -> None:
    assert connect("10.0.0.2", server=adb.server) == "10.0.0.2:5555"
    assert connect(" [fe80::1%eth0]:40000 ", server=adb.server) == "[fe80::1%eth0]:40000"
    check_connected("already connected to 10.0.0.2:5555", "10.0.0.2:5555")
    disconnect("10.0.0.2:5555", server=adb.server)
    assert adb.requests == [
        "host:connect:10.0.0.2:5555",
        "host:connect:[fe80::1%eth0]:40000",
        "host:disconnect:10.0.0.2:5555",
    ]


@pytest.mark.parametrize("address", ["", "a b", "x;id", "h:0", "h:70000", "h:", ":5555", "a/b"])
def test_what_is_no_address_is_never_sent(adb: ScriptedAdbServer, address: str) -> None:
    with pytest.raises(BadAddressError):
        connect(address, server=adb.server)
    assert adb.requests == []


def test_pairing_reads_the_answer(adb: ScriptedAdbServer) -> None:
    adb.answers["host:pair:123456:10.0.0.2:37000"] = "Successfully paired to 10.0.0.2:37000 [guid]"
    pair("10.0.0.2:37000", "123456", server=adb.server)
    adb.answers["host:pair:000000:10.0.0.2:37000"] = (
        "Failed: Wrong password or connection was dropped."
    )
    with pytest.raises(PairingFailedError):
        pair("10.0.0.2:37000", "000000", server=adb.server)
    with pytest.raises(PairingFailedError):
        pair("10.0.0.2:37000", "1:2", server=adb.server)
    with pytest.raises(AdbTooOldError):
        check_paired("adb: unknown command pair")

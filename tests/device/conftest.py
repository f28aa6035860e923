"""Phones for the tests of the device room: a scripted one, and a virtual one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.apps import AliasTable
from device.discovery import connect, disconnect, list_devices, open_device
from device.errors import DeviceError
from device.scripted_adb_server import ScriptedAdbServer
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess

ALIASES = Path(__file__).parents[2] / "configs" / "apps.yaml"


@pytest.fixture
def adb() -> Iterator[ScriptedAdbServer]:
    """A scripted adb server; set `reply` and look at `commands`."""
    server = ScriptedAdbServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def private_adb() -> Iterator[AdbServer]:
    """A real adb server of its own port."""
    with PrivateAdbServer() as server:
        yield AdbServer(server.address, autostart=False)


@pytest.fixture(scope="session")
def phone_process(private_adb: AdbServer) -> Iterator[VirtualPhoneProcess]:
    """A virtual phone, connected to the private adb server."""
    with VirtualPhoneProcess() as process:
        connect(process.serial, server=private_adb)
        yield process


@pytest.fixture
def phone(phone_process: VirtualPhoneProcess) -> VirtualPhoneProcess:
    """The virtual phone as it was at its start."""
    phone_process.control.reset()
    return phone_process


def wait_until_listed(serial: str, server: AdbServer) -> None:
    for attempt in range(100):
        if any(info.serial == serial and info.is_ready for info in list_devices(server)):
            return
        if attempt % 20 == 19:
            with contextlib.suppress(DeviceError):
                disconnect(serial, server=server)
            with contextlib.suppress(DeviceError):
                connect(serial, server=server)
        time.sleep(0.1)


@pytest.fixture
def device(
    phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> Iterator[AdbDevice]:
    """The virtual phone through adb, back from whatever an earlier test did to its connection."""
    wait_until_listed(phone.serial, private_adb)
    opened = open_device(
        phone.serial, server=private_adb, aliases=AliasTable.load(ALIASES), state_dir=tmp_path
    )
    yield opened
    opened.restore()

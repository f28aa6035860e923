"""Fixtures for tests against a virtual phone behind a real adb server of its own.

pytest finds them when LocalServer is installed (or by `-p device.virtual_phone.pytest_plugin`). The
phone and the server start once per run; each test gets the phone as it was at its start. See
`docs/virtual-phone.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from device.adb_device import AdbDevice
    from device.adb_server import PrivateAdbServer
    from device.virtual_phone.process import VirtualPhoneProcess

# What is heavy is imported where it is used: every pytest run of the environment loads this.


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the command line's choice of the phone."""
    group = parser.getgroup("virtual phone")
    group.addoption(
        "--virtual-phone",
        metavar="PERSONALITY",
        default=None,
        help="kind of phone of the virtual_phone fixture, such as samsung_oneui",
    )


@pytest.fixture(scope="session")
def virtual_phone_options() -> Mapping[str, Any]:
    """How the phone is started: the keywords of `VirtualPhoneProcess`.

    Override it in a conftest.py. The vendor's switch is on, so that taps work on every phone.
    """
    return {"locale": "en", "vendor_switch": True}


@pytest.fixture(scope="session")
def private_adb_server() -> Iterator[PrivateAdbServer]:
    """A real adb server of its own port, which knows no phone but those that tests connect.

    `private_adb_server.env` is the environment for adb programs and adbutils.
    """
    from device.adb_server import PrivateAdbServer

    with PrivateAdbServer() as server:
        yield server


@pytest.fixture(scope="session")
def _virtual_phone_process(
    request: pytest.FixtureRequest, virtual_phone_options: Mapping[str, Any]
) -> Iterator[VirtualPhoneProcess]:
    from device.virtual_phone.process import VirtualPhoneProcess

    options = dict(virtual_phone_options)
    if chosen := request.config.getoption("--virtual-phone"):
        options["personality"] = chosen
    with VirtualPhoneProcess(**options) as phone:
        yield phone


@pytest.fixture
def virtual_phone(
    _virtual_phone_process: VirtualPhoneProcess, private_adb_server: PrivateAdbServer
) -> VirtualPhoneProcess:
    """The phone, fresh and connected to `private_adb_server`.

    `virtual_phone.serial` is its serial; `virtual_phone.control` sets its state and its faults,
    and tells the truth behind the screen.
    """
    from device.adb_server import probe_server
    from device.discovery import connect
    from device.transport import AdbServer

    phone = _virtual_phone_process
    phone.control.reset()
    if probe_server(private_adb_server.address, timeout_s=1.0) is None:
        # A test before this one let the fault `adb_server_killed` strike.
        private_adb_server.stop()
        private_adb_server.start(port=private_adb_server.address.port)
    connect(phone.serial, server=AdbServer(private_adb_server.address, autostart=False))
    return phone


@pytest.fixture
def virtual_phone_device(
    virtual_phone: VirtualPhoneProcess, private_adb_server: PrivateAdbServer, tmp_path: Path
) -> Iterator[AdbDevice]:
    """The phone as LocalServer drives it; what it borrowed is given back at the end."""
    from device.discovery import open_device
    from device.transport import AdbServer

    server = AdbServer(private_adb_server.address, autostart=False)
    device = open_device(virtual_phone.serial, server=server, state_dir=tmp_path / "state")
    yield device
    device.restore()

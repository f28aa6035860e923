"""Each kind of phone behind a real adb server, driven by the device layer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.discovery import connect, open_device
from device.errors import InputBlockedError
from device.transport import AdbServer
from device.virtual_phone.personalities import PERSONALITIES
from device.virtual_phone.process import VirtualPhoneProcess

NOTES = "com.android.notes"


@pytest.fixture(scope="module")
def server() -> Iterator[AdbServer]:
    with PrivateAdbServer() as private:
        yield AdbServer(private.address, autostart=False)


@pytest.fixture(scope="module", params=tuple(PERSONALITIES))
def phone(request: pytest.FixtureRequest, server: AdbServer) -> Iterator[VirtualPhoneProcess]:
    with VirtualPhoneProcess(personality=request.param, locale="en") as process:
        connect(process.serial, server=server)
        yield process


@pytest.fixture
def device(phone: VirtualPhoneProcess, server: AdbServer, tmp_path: Path) -> Iterator[AdbDevice]:
    phone.control.reset()
    opened = open_device(phone.serial, server=server, state_dir=tmp_path)
    yield opened
    opened.restore()


def tap_field(device: AdbDevice) -> None:
    tree = device.ui_tree()
    assert tree is not None
    field = next(node for node in tree.nodes() if node.class_name.endswith("EditText"))
    device.tap(*field.bounds.center)


def test_a_task_is_done_on_it(
    phone: VirtualPhoneProcess, device: AdbDevice, request: pytest.FixtureRequest
) -> None:
    """Wake, look, open, tap, type: the whole way of a step, and the truth behind it."""
    name = request.node.callspec.params["phone"]
    profile = PERSONALITIES[name].profile
    phone.control.set_state(vendor_switch=True, wakefulness="Asleep", locked=True)
    device.wake()
    assert phone.control.truth()["locked"] is False
    picture = device.screenshot()
    assert (picture.width_px, picture.height_px) == (profile.width_px, profile.height_px)
    assert picture.black is None
    assert NOTES in [app.package for app in device.installed_apps()]
    assert device.open_app(NOTES).package == NOTES
    tap_field(device)
    device.type_text("milk 牛奶")
    assert phone.control.truth()["text_fields"]["search"] == "milk 牛奶"


def test_a_vendor_that_denies_input_is_told_of(
    phone: VirtualPhoneProcess, device: AdbDevice, request: pytest.FixtureRequest
) -> None:
    name: Any = request.node.callspec.params["phone"]
    if PERSONALITIES[name].profile.quirks.vendor_switch is None:
        device.tap(200, 300)
        assert len(phone.control.journal(kind="gesture")) == 1
        return
    with pytest.raises(InputBlockedError):
        device.tap(200, 300)
    assert phone.control.journal(kind="gesture") == []

"""What every phone must do: run on the virtual one, or on yours by `make test-device SERIAL=…`.

What a phone cannot do is skipped by name. Settings are opened and given back, nothing is changed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from device.adb_device import AdbDevice
from device.apps import AliasTable
from device.borrowed_settings import RUN_SETTINGS
from device.discovery import list_devices, open_device
from device.doctor import diagnose
from device.errors import (
    BadPointError,
    DeviceLockedError,
    InputBlockedError,
    KeyboardMissingError,
    UiTreeError,
)
from device.properties import read_setting
from device.protocol import UiNode
from device.quoting import command
from device.still import wait_until_still
from device.ui_tree import is_editable

SERIAL = os.environ.get("LOCALSERVER_TEST_SERIAL", "")
ALIASES = Path(__file__).parents[2] / "configs" / "apps.yaml"


@pytest.fixture
def any_device(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AdbDevice]:
    """The named phone through this machine's adb server, awake; else the virtual one."""
    if SERIAL:
        opened = open_device(SERIAL, aliases=AliasTable.load(ALIASES), state_dir=tmp_path)
    else:
        opened = request.getfixturevalue("device")
    try:
        opened.wake()
        opened.press_key("HOME")
    except DeviceLockedError:
        pytest.skip("this phone is locked, and no PIN is ever guessed: unlock it")
    except InputBlockedError as error:
        pytest.skip(f"this phone lets adb touch nothing: {error.message}")
    yield opened
    opened.press_key("HOME")
    opened.restore()


def find_field(device: AdbDevice) -> UiNode:
    """A text field of the Settings app's search page."""
    device.open_app(device.resolve_app("设置"))
    wait_until_still(device, 3)
    for _ in range(2):
        try:
            tree = device.ui_tree()
        except UiTreeError as error:
            pytest.skip(f"this phone gives no UI tree: {error.message}")
        if tree is None:
            pytest.skip("this phone gives no UI tree of its settings")
        nodes = list(tree.nodes())
        if field := next((n for n in nodes if is_editable(n)), None):
            return field
        hints = ("search", "搜索")
        entry = next(
            (
                n
                for n in nodes
                if any(h in f"{n.text}{n.content_desc}{n.resource_id}".lower() for h in hints)
                and not n.bounds.is_empty
            ),
            None,
        )
        if entry is None:
            break
        device.tap(*entry.bounds.center)
        wait_until_still(device, 3)
    pytest.skip("this phone's settings have no search field that can be found")


def test_it_is_listed_and_its_health_is_read(any_device: AdbDevice) -> None:
    listed = {info.serial: info.state for info in list_devices(any_device.transport.server)}
    assert listed[any_device.serial] == "device"
    state = any_device.state()
    assert (state.state, state.awake) == ("device", True)
    assert state.sdk is not None
    assert state.sdk >= 26


def test_its_picture_is_whole_and_the_frame_of_its_points(any_device: AdbDevice) -> None:
    shot = any_device.screenshot()
    with Image.open(io.BytesIO(shot.data)) as image:
        assert (image.size, image.format) == ((shot.width_px, shot.height_px), "PNG")
        image.load()
    with pytest.raises(BadPointError):
        any_device.tap(shot.width_px, 1)
    state = any_device.state()
    assert state.rotation in {shot.rotation, None} or shot.rotation is None


def test_an_app_is_found_by_its_name_opened_and_left(any_device: AdbDevice) -> None:
    package = any_device.resolve_app("设置")
    assert any_device.resolve_app("Settings") == package
    assert any_device.open_app(package).package == package
    any_device.press_key("HOME")
    wait_until_still(any_device, 3)
    front = any_device.foreground()
    assert front is not None
    assert front.package != package


def test_plain_text_arrives_whole(any_device: AdbDevice) -> None:
    text = 'it\'s 100% "so" $HOME; a&b'
    any_device.tap(*find_field(any_device).bounds.center)
    wait_until_still(any_device, 3)
    assert any_device.type_text(text, clear=True).verified is not False


def test_any_text_arrives_whole_where_a_helper_keyboard_is_installed(
    any_device: AdbDevice,
) -> None:
    before = any_device.keyboards.current()
    any_device.tap(*find_field(any_device).bounds.center)
    wait_until_still(any_device, 3)
    try:
        typed = any_device.type_text("蓝牙 é 😀", clear=True)
    except KeyboardMissingError:
        pytest.skip("no helper keyboard is installed: `localserver keyboard install`")
    assert (typed.method, typed.verified is not False) == ("adb_keyboard", True)
    any_device.restore()
    assert any_device.keyboards.current() == before


def test_what_a_run_borrows_is_given_back(any_device: AdbDevice) -> None:
    def read() -> list[str | None]:
        questions = [command("settings", "get", *name.split("/")) for name in RUN_SETTINGS]
        return [read_setting(any_device.transport.read(q).text) for q in questions]

    before = read()
    any_device.prepare()
    any_device.restore()
    assert read() == before


def test_the_doctor_finds_nothing_that_bars_a_run(any_device: AdbDevice) -> None:
    findings = diagnose(any_device.serial, server=any_device.transport.server)
    assert [f.message for f in findings if not f.ok and not f.optional] == []

"""Other people's clients work on the virtual phone."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2
from adb_shell.adb_device import AdbDeviceTcp
from adb_shell.exceptions import DeviceAuthError
from PIL import Image
from ppadb.client import Client as PurePythonAdb

NOTES = "com.android.notes"


@pytest.fixture
def device(adb: Any, phone: Any) -> Any:
    return adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(phone.serial)


def gestures(phone: Any) -> list[str]:
    return [entry["text"] for entry in phone.control.journal(kind="gesture")]


def test_adbutils_drives_it(device: Any, phone: Any, tmp_path: Any) -> None:
    assert device.shell("echo hi") == "hi"
    assert device.shell2("exit 5", v2=True).returncode == 5
    assert device.prop.model == "Pixel 8"
    assert tuple(device.window_size()) == (1080, 2400)
    assert device.rotation() == 0
    assert device.is_screen_on() is True
    picture = device.screenshot()
    assert picture.size == (1080, 2400)
    assert device.framebuffer().convert("RGB").tobytes() == picture.convert("RGB").tobytes()
    device.app_start("com.android.settings")
    assert device.app_current().package == "com.android.settings"
    assert device.app_info("com.android.settings").version_name
    assert "com.android.settings" in device.list_packages()
    assert "<hierarchy" in device.dump_hierarchy()
    data = os.urandom(100_000)
    device.sync.push(data, "/sdcard/x")
    assert device.sync.read_bytes("/sdcard/x") == data
    assert device.sync.stat("/sdcard/x").size == 100_000
    assert "x" in [entry.path for entry in device.sync.list("/sdcard")]
    device.click(0.5, 0.5)
    device.swipe(500, 1500, 500, 900, 0.05)
    device.keyevent("HOME")
    assert gestures(phone) == ["tap 540 1200", "swipe 500 1500 500 900 50", "keyevent 3"]


def test_pure_python_adb_drives_it(adb: Any, phone: Any, tmp_path: Path) -> None:
    client = PurePythonAdb(host="127.0.0.1", port=adb.port)
    device = next(d for d in client.devices() if d.serial == phone.serial)
    assert device.shell("echo hi; echo 你好") == "hi\n你好\n"
    assert device.get_properties()["ro.product.model"] == "Pixel 8"
    size = device.wm_size()
    assert (size.width, size.height) == (1080, 2400)
    assert device.is_installed(NOTES) is True
    assert device.is_installed("com.nope") is False
    assert NOTES in device.list_packages()
    assert Image.open(io.BytesIO(device.screencap())).size == (1080, 2400)
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.write_bytes(os.urandom(70_000))
    device.push(str(source), "/sdcard/from_ppadb")
    device.pull("/sdcard/from_ppadb", str(copy))
    assert copy.read_bytes() == source.read_bytes()
    device.input_tap(10, 20)
    device.input_swipe(500, 1500, 500, 900, 50)
    device.input_keyevent("KEYCODE_HOME")
    assert gestures(phone) == ["tap 10 20", "swipe 500 1500 500 900 50", "keyevent 3"]


@pytest.fixture
def serverless(phone: Any) -> Iterator[AdbDeviceTcp]:
    device = AdbDeviceTcp("127.0.0.1", phone.adb_port, default_transport_timeout_s=9.0)
    yield device
    device.close()


def test_adb_shell_drives_it_without_a_server(
    serverless: AdbDeviceTcp, phone: Any, tmp_path: Path
) -> None:
    assert serverless.connect(auth_timeout_s=5) is True
    assert serverless.shell("echo hi; echo 你好") == "hi\n你好\n"
    assert len(serverless.shell("seq 20000")) == 108_894
    picture = serverless.exec_out("screencap -p", decode=False)
    assert Image.open(io.BytesIO(picture)).size == (1080, 2400)
    data = os.urandom(150_000)
    serverless.push(io.BytesIO(data), "/sdcard/from_adb_shell")
    back = io.BytesIO()
    serverless.pull("/sdcard/from_adb_shell", back)
    assert back.getvalue() == data
    assert serverless.stat("/sdcard/from_adb_shell")[1] == 150_000
    names = [entry.filename for entry in serverless.list("/sdcard")]
    assert b"from_adb_shell" in names
    serverless.shell("input tap 10 20")
    assert gestures(phone) == ["tap 10 20"]


def test_adb_shell_without_a_key_stays_out_of_a_phone_that_asks(
    serverless: AdbDeviceTcp, phone: Any
) -> None:
    phone.control.fault("unauthorized")
    with pytest.raises(DeviceAuthError):
        serverless.connect(auth_timeout_s=1)
    serverless.connect(auth_timeout_s=5)
    assert serverless.shell("echo in") == "in\n"


@pytest.fixture
def automator(adb: Any, device: Any, phone: Any) -> Iterator[Any]:
    driver = uiautomator2.connect(device)
    yield driver
    driver.stop_uiautomator()


def test_uiautomator2_drives_it(automator: Any, phone: Any) -> None:
    info = automator.info
    assert (info["displayWidth"], info["displayHeight"], info["sdkInt"]) == (1080, 2400, 34)
    automator.app_start(NOTES)
    assert automator.app_current()["package"] == NOTES
    assert automator.dump_hierarchy() == phone.control.screen_xml()
    assert automator.screenshot().size == (1080, 2400)
    automator(description="New note").click()
    title = automator(resourceId=f"{NOTES}:id/note_title")
    assert title.exists
    assert title.set_text("购物 list") is True
    assert title.get_text() == "购物 list"
    assert phone.control.truth()["text_fields"]["note_title"] == "购物 list"
    fields = automator(className="android.widget.EditText")
    assert (fields.count, fields[1].info["text"]) == (2, "Start writing")
    assert automator(textStartsWith="购物").info["focused"] is True
    assert automator(text="nowhere").wait(timeout=0.2) is False
    with pytest.raises(uiautomator2.exceptions.UiObjectNotFoundError):
        automator.jsonrpc.objInfo(automator(text="nowhere").selector)
    assert automator.xpath('//*[@text="购物 list"]').get().attrib["focused"] == "true"
    automator.clipboard = "copied"
    assert automator.clipboard == "copied"
    automator.press("home")
    assert automator.app_current()["package"] == "com.android.launcher3"


def test_while_uiautomator2_runs_it_holds_the_only_automation(
    automator: Any, adb: Any, phone: Any
) -> None:
    dumped = adb.run("-s", phone.serial, "shell", "uiautomator dump")
    assert dumped == (b"", b"Killed \n", 137)
    held, _, _ = adb.run("-s", phone.serial, "shell", "dumpsys accessibility")
    assert b"Ui Automation[" in held
    automator.stop_uiautomator()
    assert adb.run("-s", phone.serial, "shell", "uiautomator dump /dev/null")[2] == 0

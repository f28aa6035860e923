"""Other people's clients work on the virtual phone."""

from __future__ import annotations

import os
from typing import Any

import adbutils
import pytest


@pytest.fixture
def device(adb: Any, phone: Any) -> Any:
    return adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(phone.serial)


def test_adbutils_drives_it(device: Any, phone: Any, tmp_path: Any) -> None:
    assert device.shell("echo hi") == "hi"
    assert device.shell2("exit 5", v2=True).returncode == 5
    assert device.prop.model == "Pixel 8"
    assert tuple(device.window_size()) == (1080, 2400)
    assert device.rotation() == 0
    assert device.is_screen_on() is True
    assert device.screenshot().size == (1080, 2400)
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
    gestures = [entry["text"] for entry in phone.control.journal(kind="gesture")]
    assert gestures == ["tap 540 1200", "swipe 500 1500 500 900 50", "keyevent 3"]

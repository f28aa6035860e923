"""Faults that change what is on the screen, seen through real adb programs."""

from __future__ import annotations

import base64
import time
from typing import Any

import pytest

from device.focus import read_focus
from device.power import read_locked
from device.ui_tree import parse_ui_tree

NOTES = "com.android.notes/.NotesListActivity"


def shell(adb: Any, phone: Any, line: str) -> str:
    out: bytes = adb.run("-s", phone.serial, "shell", line)[0]
    return out.decode()


def window(adb: Any, phone: Any) -> str:
    focus = read_focus(shell(adb, phone, "dumpsys window displays"))
    return "" if focus is None else focus.window


def labels(adb: Any, phone: Any) -> dict[str, tuple[int, int]]:
    """What the tree says, with the middle of each node."""
    tree = parse_ui_tree(shell(adb, phone, "uiautomator dump /dev/tty"))
    return {
        node.text: (round(node.bounds.center[0]), round(node.bounds.center[1]))
        for node in tree.nodes()
        if node.text
    }


def tap(adb: Any, phone: Any, label: str) -> None:
    x, y = labels(adb, phone)[label]
    shell(adb, phone, f"input tap {x} {y}")


def test_the_lock_screen_comes_in_front(adb: Any, phone: Any) -> None:
    phone.control.fault("locked", match="dumpsys window policy")
    assert read_locked(shell(adb, phone, "dumpsys window policy")) is True
    assert window(adb, phone) == "NotificationShade"


@pytest.mark.parametrize("start", [f"am start -n {NOTES}", "monkey -p com.android.notes 1"])
def test_an_app_comes_late(adb: Any, phone: Any, start: str) -> None:
    phone.control.fault("app_slow", delay_s=0.7)
    shell(adb, phone, start)
    assert "launcher" in window(adb, phone)
    deadline_s = time.monotonic() + 5
    while "com.android.notes" not in window(adb, phone):
        assert time.monotonic() < deadline_s


def test_a_slow_start_times_out_when_it_is_waited_for(adb: Any, phone: Any) -> None:
    phone.control.fault("app_slow", delay_s=60)
    told = shell(adb, phone, f"am start -W -n {NOTES}").splitlines()
    assert told[1:] == ["Status: timeout", f"Activity: {NOTES}", "WaitTime: 10012", "Complete"]
    phone.control.reset()
    assert "launcher" in window(adb, phone)


def test_an_app_crashes_when_it_is_opened(adb: Any, phone: Any) -> None:
    phone.control.fault("app_crash", match="notes")
    shell(adb, phone, f"am start -n {NOTES}")
    assert window(adb, phone) == "Application Error: com.android.notes"
    assert "com.android.notes" not in shell(adb, phone, "ps -A -o NAME")
    assert "Notes keeps stopping" in labels(adb, phone)
    tap(adb, phone, "Close app")
    assert "launcher" in window(adb, phone)
    shell(adb, phone, f"am start -n {NOTES}")
    assert "com.android.notes" in window(adb, phone)


def test_an_app_stops_responding(adb: Any, phone: Any) -> None:
    shell(adb, phone, f"am start -n {NOTES}")
    phone.control.fault("app_anr")
    focus = read_focus(shell(adb, phone, "dumpsys window displays"))
    assert focus is not None
    assert (focus.package, focus.anr) == ("com.android.notes", True)
    shell(adb, phone, "input keyevent 4")
    assert set(labels(adb, phone)) == {"Notes isn't responding", "Close app", "Wait"}
    tap(adb, phone, "Wait")
    assert "com.android.notes" in window(adb, phone)
    phone.control.fault("app_anr")
    tap(adb, phone, "Close app")
    assert "launcher" in window(adb, phone)


@pytest.mark.parametrize(
    ("answer", "by_back"), [("Allow", False), ("Don't allow", False), ("", True)]
)
def test_an_app_asks_for_a_permission(adb: Any, phone: Any, answer: str, by_back: bool) -> None:
    phone.control.fault("permission_dialog")
    shell(adb, phone, f"am start -n {NOTES}")
    owner = "com.google.android.permissioncontroller"
    name = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
    assert window(adb, phone) == f"{owner}/{name}"
    assert "Allow Notes to send you notifications?" in labels(adb, phone)
    shell(adb, phone, "input tap 20 1200")
    assert window(adb, phone) == f"{owner}/{name}"
    if by_back:
        shell(adb, phone, "input keyevent 4")
    else:
        tap(adb, phone, answer)
    assert "com.android.notes" in window(adb, phone)


def test_an_app_shows_a_splash_before_its_page(adb: Any, phone: Any) -> None:
    phone.control.fault("late_ui", delay_s=0.8)
    shell(adb, phone, f"am start -n {NOTES}")
    assert "com.android.notes" in window(adb, phone)
    assert set(labels(adb, phone)) == {"Loading…"}
    deadline_s = time.monotonic() + 5
    while "Notes" not in labels(adb, phone):
        assert time.monotonic() < deadline_s


def test_a_launch_from_the_home_screen_has_the_faults_too(adb: Any, phone: Any) -> None:
    phone.control.fault("permission_dialog", match="settings")
    tap(adb, phone, "Settings")
    assert "GrantPermissionsActivity" in window(adb, phone)


def test_the_helper_keyboard_is_gone_before_it_types(adb: Any, phone: Any) -> None:
    helper = "com.android.adbkeyboard/.AdbIME"
    shell(adb, phone, f"am start -n {NOTES}; ime enable {helper}; ime set {helper}")
    tap(adb, phone, "Search notes")
    words = base64.b64encode("你好".encode()).decode()
    send = f"am broadcast -a ADB_INPUT_B64 --es msg {words}"
    phone.control.fault("keyboard_gone", match="broadcast")
    assert "result=0" in shell(adb, phone, send)
    assert phone.control.truth()["text_fields"]["search"] == ""
    current = shell(adb, phone, "settings get secure default_input_method; ime list -s")
    assert helper not in current
    shell(adb, phone, f"ime enable {helper}; ime set {helper}; {send}")
    assert phone.control.truth()["text_fields"]["search"] == "你好"

"""Faults of screenshots, input and files, seen through real adb programs."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from device.virtual_phone.faults import FAULTS, FaultError, read_fault
from device.virtual_phone.process import PhoneStartError, VirtualPhoneProcess

PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
REFUSED = b"Failed to take screenshot. Status: -1\nCapturing failed.\n"


def capture(adb: Any, phone: Any) -> bytes:
    picture: bytes = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")[0]
    return picture


def shell(adb: Any, phone: Any, line: str) -> tuple[str, str, int]:
    out, err, status = adb.run("-s", phone.serial, "shell", line)
    return out.decode(), err.decode(), status


def test_a_picture_is_cut_where_it_is_told(adb: Any, phone: Any) -> None:
    whole = capture(adb, phone)
    phone.control.fault("truncated_screenshot", keep=0.25)
    assert capture(adb, phone) == whole[: len(whole) // 4]
    phone.control.fault("truncated_screenshot", keep=0.0)
    assert capture(adb, phone) == b""
    assert capture(adb, phone) == whole


def test_a_picture_is_damaged_as_by_an_old_terminal(adb: Any, phone: Any) -> None:
    whole = capture(adb, phone)
    phone.control.fault("screenshot_crlf")
    damaged = capture(adb, phone)
    assert damaged == whole.replace(b"\n", b"\r\n")
    assert damaged.startswith(b"\x89PNG\r\r\n")


@pytest.mark.parametrize(
    ("fault", "out", "err"),
    [
        ("screenshot_refused", b"", REFUSED),
        ("screenshot_refused_stdout", REFUSED, b""),
    ],
)
def test_a_refusal_exits_with_zero_on_either_stream(
    adb: Any, phone: Any, fault: str, out: bytes, err: bytes
) -> None:
    phone.control.fault(fault)
    assert adb.run("-s", phone.serial, "shell", "screencap -p") == (out, err, 0)
    phone.control.fault(fault)
    assert capture(adb, phone) == REFUSED


def test_a_secure_window_is_all_black(adb: Any, phone: Any) -> None:
    phone.control.fault("secure_black")
    black = Image.open(io.BytesIO(capture(adb, phone)))
    assert (black.size, black.getextrema()) == ((1080, 2400), ((0, 0), (0, 0), (0, 0), (255, 255)))


def test_the_phone_turns_behind_the_picture(adb: Any, phone: Any) -> None:
    phone.control.fault("rotates_after_screenshot")
    before = Image.open(io.BytesIO(capture(adb, phone)))
    after = Image.open(io.BytesIO(capture(adb, phone)))
    assert (before.size, after.size) == ((1080, 2400), (2400, 1080))


def test_input_is_denied_or_lost(adb: Any, phone: Any) -> None:
    phone.control.fault("inject_denied")
    _, err, status = shell(adb, phone, "input tap 10 10")
    assert (status, "INJECT_EVENTS permission" in err) == (255, True)
    phone.control.fault("input_ignored", match="tap 20 20")
    assert shell(adb, phone, "input tap 20 20") == ("", "", 0)
    assert shell(adb, phone, "input tap 30 30") == ("", "", 0)
    gestures = [entry["text"] for entry in phone.control.journal(kind="gesture")]
    assert gestures == ["tap 30 30"]


def test_secure_settings_are_denied(adb: Any, phone: Any) -> None:
    phone.control.fault("settings_denied", times=2)
    for line in ("settings put global bluetooth_on 0", "ime set com.android.adbkeyboard/.AdbIME"):
        _, err, status = shell(adb, phone, line)
        assert (status, "WRITE_SECURE_SETTINGS" in err) == (255, True)
    assert phone.control.truth()["settings"]["global"]["bluetooth_on"] == "1"


@pytest.mark.parametrize(
    ("fault", "words", "status"),
    [
        ("dump_no_idle", "ERROR: could not get idle state.", 0),
        ("dump_null_root", "ERROR: null root node returned by UiTestAutomationBridge.", 0),
        ("dump_killed", "Killed ", 137),
    ],
)
def test_a_dump_fails(adb: Any, phone: Any, fault: str, words: str, status: int) -> None:
    phone.control.fault(fault, delay_s=0)
    found = shell(adb, phone, "uiautomator dump /data/local/tmp/x.xml; echo $?")
    assert found == (f"{status}\n", words + "\n", 0)
    assert "No such file" in shell(adb, phone, "cat /data/local/tmp/x.xml")[1]


def test_a_full_disk_takes_no_file_from_anywhere(adb: Any, phone: Any, tmp_path: Path) -> None:
    phone.control.fault("disk_full", times=None)
    _, err, status = shell(adb, phone, "screencap -p /sdcard/a.png")
    assert (status, "No space left on device" in err) == (1, True)
    assert "No space left on device" in shell(adb, phone, "echo text > /sdcard/b")[1]
    local = tmp_path / "c"
    local.write_bytes(b"data")
    out, err_bytes, status = adb.run("-s", phone.serial, "push", str(local), "/sdcard/c")
    assert status == 1
    assert b"No space left on device" in out + err_bytes
    phone.control.clear_faults()
    assert shell(adb, phone, "echo text > /sdcard/b; cat /sdcard/b")[0] == "text\n"


def test_faults_can_be_on_from_the_start() -> None:
    faults = ["asleep:times=ever,match=dumpsys", "slow_screencap:delay_s=0.5,after=1"]
    with VirtualPhoneProcess(faults=faults) as other:
        active = other.control.faults()["active"]
    shown = [(f["name"], f["times"], f["match"], f["delay_s"], f["after"]) for f in active]
    assert shown == [
        ("asleep", None, "dumpsys", 3.0, 0),
        ("slow_screencap", 1, "", 0.5, 1),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nope", "unknown fault 'nope': use one of offline_mid_command, "),
        ("stalled:times=x", "'x' is no times"),
        ("stalled:colour=red", "'colour=red' is no value of a fault: use times, "),
        ("stalled:after", "'after' is no value of a fault"),
        ("stalled:keep=7", "probability and keep must be in 0..1"),
        ("stalled:delay_s=-2", "delay_s must be in 0..3600"),
    ],
)
def test_a_wrong_fault_is_refused(text: str, message: str) -> None:
    with pytest.raises(FaultError, match=re.escape(message)):
        read_fault(text)


def test_a_wrong_fault_ends_the_start() -> None:
    with pytest.raises(PhoneStartError):
        VirtualPhoneProcess(faults=["nope"])


def test_every_fault_is_seen_by_a_test_here() -> None:
    folders = (Path(__file__).parent, Path(__file__).parents[2])
    tests = "".join(
        path.read_text(encoding="utf-8") for folder in folders for path in folder.glob("test_*.py")
    )
    assert [name for name in FAULTS if f'"{name}"' not in tests] == []

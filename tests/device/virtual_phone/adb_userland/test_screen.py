"""Pictures, trees, sizes and rotation."""

from __future__ import annotations

import io
import struct
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from device.virtual_phone.faults import Fault
from device.virtual_phone.profile import Profile


async def test_png_and_raw_show_the_same_pixels(run: Any) -> None:
    png = (await run("screencap -p")).stdout
    raw = (await run("screencap")).stdout
    picture = Image.open(io.BytesIO(png))
    assert picture.size == (1080, 2400)
    assert struct.unpack_from("<4I", raw) == (1080, 2400, 1, 1)
    assert raw[16:] == picture.convert("RGBA").tobytes()


async def test_old_phones_have_a_shorter_raw_header(run_on_profile: Any) -> None:
    raw = (await run_on_profile(Profile(sdk=27, release="8.1.0"), "screencap")).stdout
    assert len(raw) == 12 + 1080 * 2400 * 4


async def test_a_picture_can_go_into_a_file_or_through_gzip(run: Any) -> None:
    result = await run(
        "screencap -p /sdcard/s.png; screencap /sdcard/t.png; "
        "cat /sdcard/s.png | md5sum; md5sum - < /sdcard/t.png"
    )
    first, second = result.out.splitlines()
    assert first == second
    packed = await run("screencap | gzip -1 | gunzip | wc -c")
    assert packed.out == f"{16 + 1080 * 2400 * 4}\n"
    refused = await run("screencap -p /system/s.png")
    assert (refused.status, refused.err) == (
        1,
        "Error opening file: /system/s.png (Read-only file system)\n",
    )


async def test_only_the_screen_s_own_display_id_is_taken(run: Any) -> None:
    line = (await run("dumpsys SurfaceFlinger --display-id")).out
    display = line.split()[1]
    assert (await run(f"screencap -p -d {display}")).stdout.startswith(b"\x89PNG")
    refused = await run("screencap -p -d 5")
    assert (refused.stdout, refused.err, refused.status) == (
        b"",
        "Failed to take screenshot. Status: -2\nCapturing failed.\n",
        0,
    )


@pytest.mark.parametrize(
    ("fault", "err", "check"),
    [
        (Fault("screenshot_refused"),
         "Failed to take screenshot. Status: -1\nCapturing failed.\n", lambda data: data == b""),
        (Fault("truncated_screenshot", keep=0.25), "",
         lambda data: data.startswith(b"\x89PNG") and not data.endswith(b"IEND\xaeB`\x82")),
        (Fault("secure_black"), "",
         lambda data: Image.open(io.BytesIO(data)).convert("RGB").getextrema() == ((0, 0),) * 3),
    ],
)  # fmt: skip
async def test_a_screenshot_fault_strikes_once(
    system: Any, run: Any, fault: Fault, err: str, check: Any
) -> None:
    system.faults.add(fault)
    struck = await run("screencap -p")
    assert (struck.err, struck.status) == (err, 0)
    assert check(struck.stdout)
    whole = await run("screencap -p")
    assert whole.err == ""
    assert whole.stdout.endswith(b"IEND\xaeB`\x82")


async def test_the_display_warning_goes_to_stderr_and_vanishes_with_a_display_id(
    system: Any, run: Any
) -> None:
    system.faults.add(Fault("display_warning", times=None))
    warned = await run("screencap -p")
    assert warned.err.startswith("[Warning] Multiple displays were found")
    assert warned.stdout.startswith(b"\x89PNG")
    display = (await run("dumpsys SurfaceFlinger --display-id")).out.split()[1]
    assert (await run(f"screencap -p -d {display}")).err == ""


async def test_rotation_turns_the_picture_but_not_wm_size(run: Any) -> None:
    await run("wm user-rotation lock 1")
    assert (await run("wm size")).out == "Physical size: 1080x2400\n"
    assert Image.open(io.BytesIO((await run("screencap -p")).stdout)).size == (2400, 1080)
    display = (await run("dumpsys display")).out
    assert "orientation=1, logicalFrame=Rect(0, 0 - 2400, 1080)" in display
    assert "mRotation=1" in (await run("dumpsys window displays")).out
    assert "InputDeviceOrientation: 1" in (await run("dumpsys input")).out
    assert (await run("wm user-rotation")).out == "lock 1\n"
    tree = await run("uiautomator dump /dev/tty")
    assert '<hierarchy rotation="1">' in tree.out
    await run("wm user-rotation free")
    assert (await run("settings get system accelerometer_rotation")).out == "1\n"


@pytest.mark.parametrize(
    ("sdk", "line"),
    [(31, "SurfaceOrientation: 3"), (34, "InputDeviceOrientation: 3"),
     (36, "InputDeviceOrientation: Rotation270")],
)  # fmt: skip
async def test_the_orientation_line_follows_the_version(
    run_on_profile: Any, sdk: int, line: str
) -> None:
    result = await run_on_profile(Profile(sdk=sdk), "wm user-rotation lock 3; dumpsys input")
    assert line in [text.strip() for text in result.out.splitlines()]


async def test_a_dump_goes_into_a_file_or_to_the_terminal(run: Any) -> None:
    result = await run("uiautomator dump /sdcard/u.xml && cat /sdcard/u.xml")
    first, _, xml = result.out.partition("\n")
    assert first == "UI hierchary dumped to: /sdcard/u.xml"
    assert ElementTree.fromstring(xml).tag == "hierarchy"
    terminal = await run("uiautomator dump /dev/tty")
    assert terminal.out == xml + "UI hierchary dumped to: /dev/tty\n"


@pytest.mark.parametrize(
    ("fault", "err", "status"),
    [
        ("dump_no_idle", "ERROR: could not get idle state.\n", 0),
        ("dump_null_root", "ERROR: null root node returned by UiTestAutomationBridge.\n", 0),
        ("dump_killed", "Killed \n", 137),
    ],
)
async def test_a_failed_dump_leaves_the_old_file(
    system: Any, run: Any, fault: str, err: str, status: int
) -> None:
    await run("echo old > /sdcard/window_dump.xml")
    system.faults.add(Fault(fault, delay_s=0.0))
    result = await run("uiautomator dump")
    assert (result.out, result.err, result.status) == ("", err, status)
    assert (await run("cat /sdcard/window_dump.xml")).out == "old\n"


async def test_sleep_and_wake_show_in_every_place(system: Any, run: Any) -> None:
    await run("input keyevent 223")
    assert "mWakefulness=Asleep" in (await run("dumpsys power")).out
    assert "mScreenState=OFF" in (await run("dumpsys display")).out
    black = Image.open(io.BytesIO((await run("screencap -p")).stdout)).convert("RGB")
    assert black.getextrema() == ((0, 0),) * 3
    await run("input keyevent KEYCODE_WAKEUP; wm dismiss-keyguard")
    assert "mWakefulness=Awake" in (await run("dumpsys power")).out
    assert "isKeyguardShowing=false" in (await run("dumpsys window displays")).out
    assert system.phone.locked is False


async def test_a_locked_phone_says_so(system: Any, run: Any) -> None:
    system.phone.locked = True
    policy = (await run("dumpsys window policy")).out
    assert "mIsShowing=true" in policy and "mInputRestricted=true" in policy
    assert "mCurrentFocus=Window{" in (await run("dumpsys window displays")).out
    assert "u0 NotificationShade}" in (await run("dumpsys window displays")).out


async def test_focus_lines_left_dumpsys_window_windows_with_android_10(
    run: Any, run_on_profile: Any
) -> None:
    line = "dumpsys window windows | grep -E 'mCurrentFocus|mFocusedApp'"
    assert ((await run(line)).out, (await run(line)).status) == ("", 1)
    old = await run_on_profile(Profile(sdk=27, release="8.1.0"), line)
    assert "mFocusedApp=AppWindowToken{" in old.out

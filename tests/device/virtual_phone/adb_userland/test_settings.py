"""settings, svc, ime, getprop: one state behind the shell and the screen."""

from __future__ import annotations

from typing import Any

import pytest

from device.virtual_phone.faults import Fault

LATIN = "com.android.inputmethod.latin/.LatinIME"
ADB = "com.android.adbkeyboard/.AdbIME"


async def test_a_setting_is_put_read_and_deleted(run: Any) -> None:
    result = await run(
        "K=window_animation_scale; settings put global $K 0.5; settings get global $K; "
        "settings delete global $K; settings get global $K"
    )
    assert (result.out, result.err) == ("0.5\nDeleted 1 rows\nnull\n", "")


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("svc bluetooth disable", "bluetooth_on", "0"),
        ("svc bluetooth enable", "bluetooth_on", "1"),
        ("svc wifi disable", "wifi_on", "0"),
        ("cmd bluetooth_manager disable", "bluetooth_on", "0"),
        ("cmd wifi set-wifi-enabled disabled", "wifi_on", "0"),
        ("cmd connectivity airplane-mode enable", "airplane_mode_on", "1"),
        ("settings put global bluetooth_on 0", "bluetooth_on", "0"),
    ],
)
async def test_a_switch_in_the_shell_is_the_switch_on_the_screen(
    system: Any, run: Any, line: str, key: str, value: str
) -> None:
    assert (await run(line)).status == 0
    assert system.phone.truth()["settings"]["global"][key] == value
    assert (await run(f"settings get global {key}")).out == value + "\n"


async def test_keyboards_are_listed_enabled_and_selected(run: Any) -> None:
    assert (await run("ime list -s")).out == f"{LATIN}\n"
    assert (await run("ime list -s -a")).out == f"{LATIN}\n{ADB}\n"
    early = await run(f"ime set {ADB}")
    assert (early.err, early.status) == (
        f"Unknown input method {ADB} cannot be selected for user #0\n",
        255,
    )
    assert (await run(f"ime enable {ADB}")).out == (
        f"Input method {ADB}: now enabled for user #0\n"
    )
    assert (await run(f"ime set {ADB}")).out == f"Input method {ADB} selected for user #0\n"
    assert (await run("settings get secure default_input_method")).out == f"{ADB}\n"
    assert f"mCurMethodId={ADB}" in (await run("dumpsys input_method")).out
    await run(f"ime set {LATIN}; ime disable {ADB}")
    assert (await run("ime list -s")).out == f"{LATIN}\n"
    unknown = await run("ime enable com.nope/.Ime")
    assert (unknown.err, unknown.status) == (
        "Unknown input method com.nope/.Ime cannot be enabled for user #0\n",
        255,
    )


async def test_denied_settings_throw_and_stay(system: Any, run: Any) -> None:
    system.faults.add(Fault("settings_denied", times=2))
    denied = await run("settings put global bluetooth_on 0")
    assert denied.status == 255
    assert "WRITE_SECURE_SETTINGS" in denied.err
    assert "WRITE_SECURE_SETTINGS" in (await run("ime list -s")).err
    assert system.phone.settings["global"]["bluetooth_on"] == "1"


async def test_properties(run: Any) -> None:
    result = await run("getprop ro.product.model; getprop sys.boot_completed; getprop no.such")
    assert result.out == "Pixel 8\n1\n\n"
    assert "[ro.build.version.sdk]: [34]\n" in (await run("getprop")).out
    refused = await run("setprop ro.product.model X")
    assert refused.status == 1
    assert (await run("getprop ro.product.model")).out == "Pixel 8\n"


async def test_the_shade_opens_and_closes(run: Any) -> None:
    focus = "dumpsys window displays | grep mCurrentFocus"
    await run("cmd statusbar expand-notifications")
    assert "NotificationShade" in (await run(focus)).out
    await run("cmd statusbar collapse")
    assert "NotificationShade" not in (await run(focus)).out


async def test_a_phone_without_wifi_has_no_address(run: Any) -> None:
    assert "inet 192.168.1.105/24" in (await run("ip addr show wlan0")).out
    await run("svc wifi disable")
    assert "inet " not in (await run("ip addr show wlan0")).out


async def test_a_reset_brings_everything_back(system: Any, run: Any) -> None:
    await run("echo x > /sdcard/f; settings put global bluetooth_on 0; am start -n "
              "com.android.settings/.Settings; setprop debug.x 1")  # fmt: skip
    system.faults.add(Fault("inject_denied"))
    system.reset()
    result = await run(
        "ls /sdcard/f; settings get global bluetooth_on; getprop debug.x; input tap 1 1"
    )
    assert result.out == "1\n\n"
    assert result.err == "ls: /sdcard/f: No such file or directory\n"
    assert system.phone.focus().package == "com.android.launcher3"

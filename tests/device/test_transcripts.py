"""What phones and adb printed, in `tests/data/device_transcripts.jsonl`, is read as meant.

`device_transcript_variants.jsonl` holds more of the same kinds, written by us: other Android
versions and makers, CRLF, noise around the answer, decoys beside it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from device import errors
from device.apps import read_packages, read_resolved, read_users
from device.connection import error_from_failure
from device.discovery import check_connected, check_paired, parse_devices
from device.displays import (
    read_density,
    read_logical_displays,
    read_size,
    read_surface_displays,
)
from device.errors import DeviceError
from device.failures import check, check_silent, check_typed, error_from_output
from device.focus import Focus, read_focus, read_resumed
from device.keyboards import (
    read_broadcast,
    read_keyboard_shown,
    read_keyboards,
)
from device.launching import read_monkey, read_start
from device.orientation import (
    Orientation,
    read_display_orientation,
    read_input_orientation,
    read_user_rotation,
    read_window_orientation,
)
from device.power import read_locked, read_wakefulness
from device.properties import (
    effective_sdk,
    read_properties,
    read_property,
    read_scale,
    read_setting,
)
from device.screen import is_all_black, read_png, read_raw
from device.transport import CommandResult
from device.ui_tree import parse_ui_tree

DATA = Path(__file__).parents[1] / "data"
TRANSCRIPTS = [
    json.loads(line)
    for name in ("device_transcripts.jsonl", "device_transcript_variants.jsonl")
    for line in (DATA / name).read_text(encoding="utf-8").split("\n")
    if line
]

# The names that the transcripts give to failures, and the error that each is read as.
ERRORS: dict[str, type[DeviceError]] = {
    "ACTIVITY_NOT_EXPORTED": errors.ActivityNotExportedError,
    "ACTIVITY_NOT_FOUND": errors.ActivityNotFoundError,
    "ADB_SERVER": errors.AdbServerError,
    "ADB_TOO_OLD": errors.AdbTooOldError,
    "AMBIGUOUS_LAUNCHER": errors.AppAmbiguousError,
    "APP_NOT_FOUND": errors.AppNotFoundError,
    "COMMAND_FAILED": errors.CommandFailedError,
    "COMMAND_MISSING": errors.CommandMissingError,
    "COMMAND_UNSUPPORTED": errors.CommandMissingError,
    "CONNECT_BAD_ADDRESS": errors.BadAddressError,
    "CONNECT_FAILED": errors.ConnectFailedError,
    "CONNECT_REFUSED": errors.ConnectFailedError,
    "CONNECTION_LOST": errors.ConnectionLostError,
    "DEVICE_AMBIGUOUS": errors.DeviceAmbiguousError,
    "DEVICE_BOOTING": errors.DeviceBootingError,
    "DEVICE_NOT_FOUND": errors.DeviceNotFoundError,
    "DEVICE_OFFLINE": errors.DeviceOfflineError,
    "DEVICE_UNAUTHORIZED": errors.DeviceUnauthorizedError,
    "IME_UNKNOWN": errors.UnknownKeyboardError,
    "INJECT_DENIED": errors.InputBlockedError,
    "MONKEY_SYSKEYS": errors.CommandFailedError,
    "SCREENSHOT_EMPTY": errors.ScreenshotError,
    "SCREENSHOT_FAILED": errors.ScreenshotError,
    "SECURE_SETTINGS_DENIED": errors.SecureSettingsDeniedError,
    "SCREENSHOT_REFUSED": errors.ScreenshotRefusedError,
    "SCREENSHOT_TRUNCATED": errors.ScreenshotError,
    "SERVICE_REFUSED": errors.ServiceRefusedError,
    "TEXT_NOT_TYPABLE": errors.TextNotTypedError,
    "UI_AUTOMATION_BUSY": errors.AutomationBusyError,
    "UI_DUMP_FAILED": errors.UiTreeError,
    "UI_DUMP_ENCODING": errors.UiTreeEncodingError,
    "UI_DUMP_TRUNCATED": errors.UiTreeError,
    "USER_NOT_ACCESSIBLE": errors.UserNotAccessibleError,
}


def result_of(transcript: dict[str, Any]) -> CommandResult:
    output = transcript["output"].encode()
    code = transcript["rc"] if transcript["rc"] is not None else 255
    if transcript["stream"] == "stderr":
        return CommandResult(b"", output, code)
    return CommandResult(output, b"", code)


def read_wm_size(transcript: dict[str, Any]) -> dict[str, Any]:
    result = check(result_of(transcript), "tell its size")
    size = read_size(result.text)
    assert size is not None
    return {
        "width": size.width_px,
        "height": size.height_px,
        "from": size.source,
        "physical": list(size.physical_px or ()),
    }


def read_wm_density(transcript: dict[str, Any]) -> dict[str, Any]:
    values = {"density": read_density(transcript["output"])}
    if "Override" in transcript["output"]:
        values["physical"] = read_density(transcript["output"].replace("Override", "Other"))
    return values


def orientation_reader(
    read: Callable[[str], Orientation],
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def reader(transcript: dict[str, Any]) -> dict[str, Any]:
        found = read(transcript["output"])
        values = {
            "rotation": found.rotation,
            "width": found.width_px,
            "height": found.height_px,
        }
        return {k: v for k, v in values.items() if k in transcript["expect"]}

    return reader


def read_windows(transcript: dict[str, Any]) -> dict[str, Any]:
    text = transcript["output"]
    values = orientation_reader(read_window_orientation)(transcript)
    if focus := read_focus(text):
        values |= {"package": focus.package, "activity": focus.activity}
    if "locked" in transcript["expect"]:
        values["locked"] = read_locked(text)
    return values


def read_user_rotation_line(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"rotation": read_user_rotation(transcript["output"])}


def read_surfaces(transcript: dict[str, Any]) -> dict[str, Any]:
    found = read_surface_displays(transcript["output"])
    values = {"physical_ids": list(found.physical_ids)}
    return values | ({"virtual_ids": list(found.virtual_ids)} if found.virtual_ids else {})


def read_displays(transcript: dict[str, Any]) -> dict[str, Any]:
    found = read_logical_displays(transcript["output"])
    return {"displays": [{"id": display.id, "on": display.on} for display in found]}


def read_front(transcript: dict[str, Any]) -> dict[str, Any]:
    read = read_resumed if "activities" in transcript["cmd"] else read_focus
    focus: Focus | None = read(transcript["output"])
    if focus is None:
        return {"package": None, "activity": None}
    values: dict[str, Any] = {"package": focus.package, "activity": focus.activity or None}
    values |= {"window": focus.window, "user": focus.user, "task": focus.task, "anr": focus.anr}
    return {k: v for k, v in values.items() if k in transcript["expect"]}


def read_power(transcript: dict[str, Any]) -> dict[str, Any]:
    # Dreaming is interactive in Android's terms, yet no usable screen: wake() acts on the name.
    return {"wakefulness": read_wakefulness(transcript["output"])}


def read_keyguard(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"locked": read_locked(transcript["output"])}


def read_device_list(transcript: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for info, wanted in zip(parse_devices(transcript["output"]), transcript["expect"], strict=True):
        values = {
            "serial": info.serial,
            "state": info.state.replace("_", " "),
            "model": info.model,
            "usb": info.usb,
            "transport_id": info.transport_id,
        }
        rows.append({k: v for k, v in values.items() if k in wanted})
    return rows


def read_connect(transcript: dict[str, Any]) -> dict[str, Any]:
    check_connected(transcript["output"], "PHONE")
    return {"ok": True}


def read_pair(transcript: dict[str, Any]) -> dict[str, Any]:
    check_paired(transcript["output"])
    return {"ok": True}


def read_adb_failure(transcript: dict[str, Any]) -> dict[str, Any]:
    raise error_from_failure(transcript["output"])


def read_getprop(transcript: dict[str, Any]) -> dict[str, Any]:
    text = transcript["output"]
    if ";" in transcript["cmd"]:
        sdk, release = (read_property(line) or "" for line in text.splitlines())
        return {
            "sdk": int(sdk),
            "release": release,
            "effective_api": effective_sdk(int(sdk), release),
        }
    return {"value": read_property(text)}


def read_package_list(transcript: dict[str, Any]) -> Any:
    expect = transcript["expect"]
    found = read_packages(result_of(transcript).merged_text)
    if isinstance(expect, dict):
        assert found.error is not None
        values = {"packages": list(found.packages)} if found.packages else {}
        assert type(found.error) is ERRORS[expect["error"]]
        return values | {"error": expect["error"], "user": found.error.details["user"]}
    if isinstance(expect[0], str):
        return list(found.packages)
    rows = [{"package": r.package, "path": r.path, "uid": r.uid} for r in found.rows]
    return [{k: v for k, v in row.items() if k in expect[0]} for row in rows]


def read_user_list(transcript: dict[str, Any]) -> list[dict[str, Any]]:
    users = read_users(transcript["output"])
    return [{"id": user.id, "name": user.name, "running": user.running} for user in users]


def read_component(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"component": read_resolved(transcript["output"])}


def read_am_start(transcript: dict[str, Any]) -> dict[str, Any]:
    report = read_start(transcript["output"])
    if report.timed_out:
        return {"ok": False, "error": "LAUNCH_TIMEOUT", "component": report.component}
    return {"ok": True} | ({"already_running": True} if report.already_running else {})


def read_monkey_output(transcript: dict[str, Any]) -> dict[str, Any]:
    read_monkey(transcript["output"])
    return {"ok": True}


def read_input(transcript: dict[str, Any]) -> dict[str, Any]:
    if transcript["cmd"].startswith("input text"):
        check_typed(result_of(transcript))
    else:
        check_silent(result_of(transcript), "touch")
    return {"ok": True}


def read_picture(transcript: dict[str, Any]) -> dict[str, Any]:
    data = base64.b64decode(transcript["output_b64"])
    if transcript["expect"].get("format") == "raw":
        raw = read_raw(data)
        values: dict[str, Any] = {
            "format": "raw",
            "header": raw.header_bytes,
            "width": raw.width_px,
            "height": raw.height_px,
            "pixel": raw.pixel_format,
        }
        warnings = [warning.upper() for warning in raw.warnings]
    else:
        picture = read_png(data)
        values = {"format": "png", "width": picture.width_px, "height": picture.height_px}
        warnings = [warning.upper() for warning in picture.warnings]
        warnings += ["ALL_BLACK"] if is_all_black(picture.data) else []
    return values | ({"warnings": warnings} if warnings else {})


def read_ui_dump(transcript: dict[str, Any]) -> dict[str, Any]:
    if "dumped to" in transcript["output"] and "<hierarchy" not in transcript["output"]:
        path = transcript["output"].strip().removeprefix("UI hierchary dumped to: ")
        assert error_from_output(transcript["output"]) is None
        return {"ok": True, "path": path}
    tree = parse_ui_tree(transcript["output"])
    return {"ok": True, "rotation": tree.rotation, "nodes": sum(1 for _ in tree.nodes())}


def read_ime_list(transcript: dict[str, Any]) -> list[str]:
    return list(read_keyboards(transcript["output"]))


def read_ime_change(transcript: dict[str, Any]) -> dict[str, Any]:
    check(result_of(transcript), "change the keyboard")
    return {"ok": True}


def read_default_ime(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"ime": read_setting(transcript["output"])}


def read_ime_shown(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"keyboard_shown": read_keyboard_shown(transcript["output"])}


def read_delivery(transcript: dict[str, Any]) -> dict[str, Any]:
    delivered = read_broadcast(transcript["output"])
    values: dict[str, Any] = {"delivered": delivered}
    return values | ({"error": "BAD_QUOTING"} if delivered is False else {})


def read_animation_scale(transcript: dict[str, Any]) -> dict[str, Any]:
    return {"value": read_scale(transcript["output"])}


READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "wm_size": read_wm_size,
    "wm_density": read_wm_density,
    "dumpsys_input": orientation_reader(read_input_orientation),
    "dumpsys_display": orientation_reader(read_display_orientation),
    "dumpsys_window": read_windows,
    "user_rotation": read_user_rotation_line,
    "sf_display_id": read_surfaces,
    "cmd_display": read_displays,
    "focus": read_front,
    "power": read_power,
    "keyguard": read_keyguard,
    "devices": read_device_list,
    "adb_connect": read_connect,
    "adb_disconnect": read_adb_failure,
    "adb_err": read_adb_failure,
    "adb_pair": read_pair,
    "getprop": read_getprop,
    "pm_list": read_package_list,
    "pm_users": read_user_list,
    "resolve": read_component,
    "am_start": read_am_start,
    "monkey": read_monkey_output,
    "input": read_input,
    "screencap": read_picture,
    "uidump": read_ui_dump,
    "ime_list": read_ime_list,
    "ime_set": read_ime_change,
    "ime_enable": read_ime_change,
    "default_ime": read_default_ime,
    "ime_shown": read_ime_shown,
    "broadcast": read_delivery,
    "settings": read_animation_scale,
}
# Advice to a reader and facts of Android that are not in the text itself.
NOTES = {"note", "next", "hint", "retryable", "restore", "interactive", "screen_on"}


def kind_of(transcript: dict[str, Any]) -> str:
    return max((kind for kind in READERS if transcript["id"].startswith(kind)), key=len)


def facts(expect: Any) -> Any:
    if isinstance(expect, dict):
        return {key: value for key, value in expect.items() if key not in NOTES}
    return expect


# A server that another adb killed is no failure: the next request starts or finds the new one.
READABLE = [t for t in TRANSCRIPTS if t["id"] != "adb_server_01_mismatch"]


@pytest.mark.parametrize("transcript", READABLE, ids=lambda t: t["id"])
def test_what_was_printed_is_read_as_it_was_meant(transcript: dict[str, Any]) -> None:
    expect = transcript["expect"]
    code = expect.get("error") if isinstance(expect, dict) else None
    reader = READERS[kind_of(transcript)]
    if code in ERRORS and kind_of(transcript) != "pm_list":
        with pytest.raises(DeviceError) as caught:
            reader(transcript)
        assert type(caught.value) is ERRORS[code]
        if "retryable" in expect:
            assert caught.value.retryable is expect["retryable"]
        return
    assert reader(transcript) == facts(expect)


def test_each_code_of_a_transcript_is_in_the_table_of_the_documents() -> None:
    text = (DATA.parents[1] / "docs" / "devices.md").read_text(encoding="utf-8")
    table = text.split("## Codes")[1]
    assert [e.code for e in ERRORS.values() if f"| `{e.code}` |" not in table] == []


def test_all_properties_are_read_across_lines() -> None:
    text = "[ro.a]: [one]\r\n[ro.note]: [two\nlines]\n[ro.empty]: []\n"
    assert read_properties(text) == {"ro.a": "one", "ro.note": "two\nlines", "ro.empty": ""}

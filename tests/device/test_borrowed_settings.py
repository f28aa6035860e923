"""Animations and sleep are switched off for a run, and come back as the owner had them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.borrowed_settings import RUN_SETTINGS
from device.scripted_adb_server import Reply, ScriptedAdbServer

OWNED = {
    "global/window_animation_scale": "1.0",
    "global/transition_animation_scale": "0.5",
    "system/screen_off_timeout": "60000",
}
DENIED = "java.lang.SecurityException: uid 2000 does not have android.permission.%s_SETTINGS"


class PhoneWithSettings:
    def __init__(self, values: dict[str, str], denied: str = "") -> None:
        self.values = dict(values)
        self.denied = denied

    def __call__(self, line: str) -> Reply:
        said = ""
        for part in line.split("; "):
            match shlex.split(part):
                case ["settings", "get", space, name]:
                    said += self.values.get(f"{space}/{name}", "null") + "\n"
                case ["settings", _, space, *_] if space == self.denied:
                    return Reply(stderr=(DENIED % "WRITE_SECURE").encode(), exit_code=255)
                case ["settings", "put", space, name, value]:
                    self.values[f"{space}/{name}"] = value
                case ["settings", "delete", space, name]:
                    self.values.pop(f"{space}/{name}", None)
                case ["echo", mark]:
                    said += mark + "\n"
        return Reply(stdout=said.encode())


def device_on(adb: ScriptedAdbServer, phone: PhoneWithSettings, state_dir: Path) -> AdbDevice:
    adb.reply = phone
    return AdbDevice(adb.transport(), state_dir=state_dir)


def test_what_was_never_set_is_never_set_again(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    phone = PhoneWithSettings(OWNED)
    device = device_on(adb, phone, tmp_path)
    device.prepare()
    assert phone.values == dict(RUN_SETTINGS)
    device.restore()
    assert phone.values == OWNED
    assert list(tmp_path.rglob("*.json")) == []


def test_they_come_back_after_a_crash_and_two_runs(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    phone = PhoneWithSettings(OWNED)
    device_on(adb, phone, tmp_path).prepare()  # and the process dies here
    device_on(adb, phone, tmp_path).prepare()  # and here again
    device_on(adb, phone, tmp_path).restore()
    assert phone.values == OWNED


def test_what_a_person_changed_meanwhile_stays(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    phone = PhoneWithSettings(OWNED)
    device = device_on(adb, phone, tmp_path)
    device.prepare()
    phone.values["system/screen_off_timeout"] = "30000"
    device.restore()
    assert phone.values == {**OWNED, "system/screen_off_timeout": "30000"}


@pytest.mark.parametrize("denied", ["global", "system"])
def test_a_vendor_that_refuses_is_let_be(
    adb: ScriptedAdbServer, tmp_path: Path, denied: str
) -> None:
    phone = PhoneWithSettings(OWNED, denied)
    device = device_on(adb, phone, tmp_path)
    device.prepare()
    assert {n: v for n, v in phone.values.items() if n.startswith(denied)} == {
        n: v for n, v in OWNED.items() if n.startswith(denied)
    }
    device.restore()
    assert phone.values == OWNED
    assert list(tmp_path.rglob("*.json")) == []


def test_without_a_place_to_write_them_down_nothing_is_changed(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    (tmp_path / "settings").write_text("a file where the folder should be")
    phone = PhoneWithSettings(OWNED)
    device_on(adb, phone, tmp_path).prepare()
    assert phone.values == OWNED


def test_a_damaged_file_gives_back_nothing_that_is_not_ours(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithSettings(OWNED)
    device = device_on(adb, phone, tmp_path)
    device.prepare()
    (file,) = tmp_path.rglob("*.json")
    file.write_text('{"settings": {"secure/lock": "0", "system/screen_off_timeout": 7}}')
    device.restore()
    assert phone.values == dict(RUN_SETTINGS)

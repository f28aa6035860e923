"""The commands about phones, each as a process of its own, on a virtual phone through adb."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from device.adb_server import PrivateAdbServer
from device.discovery import connect
from device.keyboard_install import KEYBOARD
from device.transport import AdbServer
from device.virtual_phone.framework.input_method import ADB_KEYBOARD, LATIN_KEYBOARD
from device.virtual_phone.process import VirtualPhoneProcess


@pytest.fixture(scope="module")
def phone(adb_server: PrivateAdbServer) -> Iterator[VirtualPhoneProcess]:
    with VirtualPhoneProcess(locale="en", seed=3) as process:
        connect(process.serial, server=AdbServer(adb_server.address, autostart=False))
        yield process


@pytest.fixture
def environment(adb_server: PrivateAdbServer, state_dir: Path) -> dict[str, str]:
    return {**adb_server.env, "LOCALSERVER_STATE_DIR": str(state_dir)}


def localserver(
    environment: Mapping[str, str], *words: str, typed: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *words],
        env=dict(environment),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def keyboards(phone: VirtualPhoneProcess) -> tuple[str, str]:
    secure = phone.control.truth()["settings"]["secure"]
    return secure["default_input_method"], secure["enabled_input_methods"]


def test_a_helper_keyboard_is_installed_and_removed_by_the_command_line(
    phone: VirtualPhoneProcess, environment: dict[str, str]
) -> None:
    phone.control.reset()
    before = keyboards(phone)

    def run(*words: str, typed: str = "") -> tuple[int, str]:
        done = localserver(environment, "keyboard", *words, phone.serial, typed=typed)
        return done.returncode, done.stdout

    # Without a yes at the terminal nothing happens; with it the one that was there goes.
    assert run("remove", typed="n\n")[0] == 1
    code, said = run("remove", "--yes")
    assert (code, ADB_KEYBOARD.partition("/")[0] in said) == (0, True)
    assert run("remove", "--yes") == (0, f"nothing to do: {phone.serial} has no helper keyboard\n")

    code, said = run("install", typed="\n")
    assert (code, "nothing was changed" in said) == (1, True)
    code, said = run("install", "--yes")
    assert (code, KEYBOARD.package in said, "can now be typed any text on" in said) == (
        0, True, True,
    )  # fmt: skip
    assert keyboards(phone) == before == (LATIN_KEYBOARD, LATIN_KEYBOARD)
    code, said = run("install", "--yes")
    assert (code, KEYBOARD.ime_id in said) == (0, True)

    assert run("remove", "--yes")[0] == 0
    assert keyboards(phone) == before


def test_phones_are_listed_with_the_names_and_tags_that_people_gave_them(
    phone: VirtualPhoneProcess, environment: dict[str, str], tmp_path: Path
) -> None:
    names = f'"{phone.serial}":\n  name: desk pixel\n  tags: [office, android-14]\n'
    (tmp_path / "devices.yaml").write_text(names, encoding="utf-8")
    done = localserver(environment, "devices", "--config", str(tmp_path))
    headline, *rows = done.stdout.splitlines()
    # Phones of other tests may be on the same adb server.
    row = next(line for line in rows if line.startswith(phone.serial))
    assert headline.split() == [
        "SERIAL", "NAME", "TAGS", "STATE", "MODEL", "WHAT", "TO", "DO",
    ]  # fmt: skip
    assert row.split()[:6] == [phone.serial, "desk", "pixel", "office,", "android-14", "device"]
    told = json.loads(
        localserver(environment, "devices", "--config", str(tmp_path), "--json").stdout
    )
    mine = next(info for info in told if info["serial"] == phone.serial)
    assert (mine["name"], mine["tags"]) == ("desk pixel", ["office", "android-14"])

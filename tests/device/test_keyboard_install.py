"""The helper keyboard is put on a phone and taken off it, as the phone says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.errors import CommandFailedError
from device.keyboard_install import (
    KEYBOARD,
    KeyboardPackage,
    find_keyboard_package,
    install_keyboard,
    remove_keyboards,
)
from device.scripted_adb_server import Reply, ScriptedAdbServer

OWN = "com.vendor.keyboard/.Main"
APK = b"PK\x03\x04" + bytes(200_000)


class PhoneWithInstaller:
    def __init__(self, adb: ScriptedAdbServer, says: str = "Success") -> None:
        self.adb = adb
        self.says = says
        self.keyboards = [OWN]
        self.current = OWN
        self.installed: list[bytes] = []

    def __call__(self, line: str) -> Reply:
        match shlex.split(line):
            case ["ime", "list", *_]:
                return Reply(stdout="\n".join(self.keyboards).encode())
            case ["ime", "set", name]:
                self.current = name
            case ["settings", "get", *_]:
                return Reply(stdout=self.current.encode())
            case ["pm", "install", "-r", "-t", path] if self.says == "Success":
                self.installed.append(self.adb.files[path])
                self.keyboards.append(KEYBOARD.ime_id)
                return Reply(stdout=b"Success\n")
            case ["pm", "uninstall", KEYBOARD.package] if self.says == "Success":
                assert self.current != KEYBOARD.ime_id
                self.keyboards.remove(KEYBOARD.ime_id)
                return Reply(stdout=b"Success\n")
            case ["pm", *_]:
                return Reply(stdout=self.says.encode(), exit_code=1)
            case ["rm", "-f", path]:
                self.adb.files.pop(path, None)
        return Reply()


@pytest.fixture
def package(tmp_path: Path) -> KeyboardPackage:
    path = tmp_path / "keyboard.apk"
    path.write_bytes(APK)
    return KeyboardPackage(path, "a test", len(APK))


def test_the_package_says_what_it_does_before_it_is_installed() -> None:
    package = find_keyboard_package()
    words = package.describe("S1")
    assert package.path.read_bytes()[:4] == b"PK\x03\x04"
    for part in (KEYBOARD.package, "on S1", "uiautomator2", "keyboard remove"):
        assert part in words


def test_it_is_pushed_whole_installed_and_its_file_removed(
    adb: ScriptedAdbServer, package: KeyboardPackage, tmp_path: Path
) -> None:
    phone = adb.reply = PhoneWithInstaller(adb)
    device = AdbDevice(adb.transport(), state_dir=tmp_path)
    install_keyboard(device.transport, device.keyboards, package)
    assert (phone.installed, phone.current, adb.files) == ([APK], OWN, {})
    assert device.keyboards.find_helper() == KEYBOARD


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]", "Install via USB"),
        ("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]", "free some space"),
        ("", "exit code 1"),
    ],
)
def test_a_refusal_names_what_to_do_and_leaves_nothing_behind(
    adb: ScriptedAdbServer, package: KeyboardPackage, tmp_path: Path, says: str, words: str
) -> None:
    adb.reply = PhoneWithInstaller(adb, says)
    device = AdbDevice(adb.transport(), state_dir=tmp_path)
    with pytest.raises(CommandFailedError, match=words):
        install_keyboard(device.transport, device.keyboards, package)
    assert adb.files == {}


def test_before_it_is_removed_the_own_keyboard_is_chosen_again(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = adb.reply = PhoneWithInstaller(adb)
    phone.keyboards.append(KEYBOARD.ime_id)
    device = AdbDevice(adb.transport(), state_dir=tmp_path)
    device.keyboards.borrow(KEYBOARD)
    assert phone.current == KEYBOARD.ime_id
    assert [k.ime_id for k in remove_keyboards(device.transport, device.keyboards)] == [
        KEYBOARD.ime_id
    ]
    assert (phone.current, phone.keyboards) == (OWN, [OWN])

"""Apps are installed and removed; the helper keyboard that can be installed types and answers."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import adbutils
import pytest
import uiautomator2

from device.keyboards import KNOWN_KEYBOARDS, read_broadcast
from device.virtual_phone.framework.apk import Apk, ApkError, read_apk

APK = Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"
HELPER = KNOWN_KEYBOARDS[0]


def shell(adb: Any, phone: Any, line: str) -> str:
    out: bytes = adb.run("-s", phone.serial, "shell", line)[0]
    return out.decode()


def open_note(adb: Any, phone: Any) -> None:
    shell(adb, phone, "am start -n com.android.notes/.NotesListActivity")
    device = adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(phone.serial)
    driver = uiautomator2.connect(device)
    driver(description="New note").click()
    driver(resourceId="com.android.notes:id/note_title").click()
    driver.stop_uiautomator()


@pytest.mark.parametrize("options", [[], ["--no-streaming"], ["-r", "-t", "-g"]])
def test_an_apk_is_installed_and_removed(adb: Any, phone: Any, options: list[str]) -> None:
    out, err, status = adb.run("-s", phone.serial, "install", *options, str(APK))
    assert (status, b"Success" in out + err) == (0, True)
    package = HELPER.package
    assert f"package:{package}\n" in shell(adb, phone, "pm list packages -3")
    assert HELPER.ime_id in shell(adb, phone, "ime list -s -a").splitlines()
    assert "versionName=2.4.0" in shell(adb, phone, f"dumpsys package {package}")
    shell(adb, phone, f"ime enable {HELPER.ime_id}; ime set {HELPER.ime_id}")
    assert adb.run("-s", phone.serial, "uninstall", package)[0] == b"Success\n"
    assert package not in shell(adb, phone, "pm list packages; ime list -s -a")
    assert "latin" in shell(adb, phone, "settings get secure default_input_method")
    out, err, status = adb.run("-s", phone.serial, "uninstall", package)
    assert (status, b"not installed" in out + err) == (1, True)


def test_what_came_with_the_phone_stays(adb: Any, phone: Any) -> None:
    out, err, status = adb.run("-s", phone.serial, "uninstall", "com.android.settings")
    assert (status, b"DELETE_FAILED" in out + err) == (1, True)


def test_what_is_no_apk_is_refused(adb: Any, phone: Any, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.apk"
    wrong.write_bytes(b"PK nothing")
    out, err, status = adb.run("-s", phone.serial, "install", str(wrong))
    assert (status, b"INSTALL_PARSE_FAILED_NOT_APK" in out + err) == (1, True)


def test_the_installed_keyboard_types_and_acknowledges(adb: Any, phone: Any) -> None:
    adb.run("-s", phone.serial, "install", str(APK))
    open_note(adb, phone)
    send = f"am broadcast -a {HELPER.input_action} --es {HELPER.text_extra} 5L2g5aW9"
    assert read_broadcast(shell(adb, phone, send), HELPER.package) is not True
    assert phone.control.truth()["text_fields"]["note_title"] == ""
    shell(adb, phone, f"ime enable {HELPER.ime_id}; ime set {HELPER.ime_id}")
    answer = shell(adb, phone, send)
    assert answer.endswith('Broadcast completed: result=-1, data="success"\n')
    assert read_broadcast(answer, HELPER.package) is True
    assert phone.control.truth()["text_fields"]["note_title"] == "你好"
    shell(adb, phone, f"am broadcast -a {HELPER.clear_action}")
    assert phone.control.truth()["text_fields"]["note_title"] == ""


def test_uiautomator2_types_with_its_keyboard_and_without(adb: Any, phone: Any) -> None:
    open_note(adb, phone)
    device = adbutils.AdbClient(host="127.0.0.1", port=adb.port).device(phone.serial)
    driver = uiautomator2.connect(device)
    driver.send_keys("买牛奶")
    assert phone.control.truth()["text_fields"]["note_title"] == "买牛奶"
    driver.set_input_ime()
    assert driver.current_ime() == HELPER.ime_id
    driver.send_keys(" & eggs", clear=True)
    assert phone.control.truth()["text_fields"]["note_title"] == " & eggs"
    driver.stop_uiautomator()


def test_the_manifest_is_read() -> None:
    assert read_apk(APK.read_bytes()) == Apk("com.github.uiautomator", "2.4.0", 2_004_001)


@pytest.mark.parametrize(
    "manifest", [b"", b"<manifest/>", b"\x03\x00\x08\x00\x08\x00\x00\x00", b"\x03\x00\x08\x00" * 9]
)
def test_a_broken_manifest_is_refused(manifest: bytes, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.apk", "w") as archive:
        archive.writestr("AndroidManifest.xml", manifest)
    with pytest.raises(ApkError, match=r"Failed to parse base\.apk"):
        read_apk((tmp_path / "x.apk").read_bytes())

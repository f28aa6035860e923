"""Apps are found by the names that the phone shows, read from their packages once."""

from __future__ import annotations

import gzip
import shlex
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb_device import AdbDevice
from device.apk_label import ApkError, read_labels
from device.errors import AppNotFoundError
from device.keyboard_install import find_keyboard_package
from device.scripted_adb_server import Reply, ScriptedAdbServer

PATHS = {
    "com.a.notes": "/data/app/~~Ab==/com.a.notes-1==/base.apk",
    "com.b.broken": "/data/app/com.b.broken-1/base.apk",
}


@pytest.fixture(scope="module")
def real_package() -> dict[str, bytes]:
    """A package that Android's own tools made: that of uiautomator2, which calls itself ATX."""
    with zipfile.ZipFile(find_keyboard_package().path) as package:
        return {n: package.read(n) for n in ("AndroidManifest.xml", "resources.arsc")}


def pool(*strings: str, utf8: bool) -> bytes:
    data, offsets = b"", []
    for text in strings:
        offsets.append(len(data))
        encoded = text.encode("utf-8" if utf8 else "utf-16-le")
        if utf8:
            data += bytes([len(text), len(encoded)]) + encoded + b"\0"
        else:
            data += struct.pack("<H", len(text)) + encoded + b"\0\0"
    data += b"\0" * (-len(data) % 4)
    table = struct.pack(f"<{len(offsets)}I", *offsets)
    start = 28 + len(table)
    head = struct.pack("<IIIII", len(strings), 0, 0x100 if utf8 else 0, start, 0)
    return struct.pack("<HHI", 1, 28, start + len(data)) + head + table + data


def manifest(kind: int, value: int, *strings: str) -> bytes:
    """A manifest with one application, whose label has this value."""
    names = pool("label", "application", *strings, utf8=False)
    ids = struct.pack("<HHII", 0x180, 8, 12, 0x01010001)
    attribute = struct.pack("<IIIHBBI", 0xFFFFFFFF, 0, 0xFFFFFFFF, 8, 0, kind, value)
    extra = struct.pack("<IIHHHHHH", 0xFFFFFFFF, 1, 20, 20, 1, 0, 0, 0)
    element = struct.pack("<HHIII", 0x102, 16, 16 + len(extra) + 20, 1, 0xFFFFFFFF)
    body = names + ids + element + extra + attribute
    return struct.pack("<HHI", 3, 8, 8 + len(body)) + body


def resources(labels: dict[str, str], *, utf8: bool) -> bytes:
    """A table whose resource 0x7f010000 has these words by language."""
    types = b""
    for number, language in enumerate(labels):
        config = struct.pack("<II2s2s", 28, 0, language.encode(), b"").ljust(28, b"\0")
        entry = struct.pack("<HHI", 8, 0, 0) + struct.pack("<HBBI", 8, 0, 3, number)
        header_size = 20 + len(config)
        start = header_size + 4
        head = struct.pack("<HHIBBHII", 0x201, header_size, start + 16, 1, 0, 0, 1, start)
        types += head + config + struct.pack("<I", 0) + entry
    package = struct.pack("<HHII", 0x200, 288, 288 + len(types), 0x7F).ljust(288, b"\0") + types
    body = pool(*labels.values(), utf8=utf8) + package
    return struct.pack("<HHII", 2, 12, 12 + len(body), 1) + body


def test_a_real_package_is_read(real_package: dict[str, bytes]) -> None:
    assert read_labels(real_package["AndroidManifest.xml"], real_package["resources.arsc"]) == (
        "ATX",
    )


@pytest.mark.parametrize("utf8", [True, False])
def test_all_languages_are_read_the_one_without_a_name_first(utf8: bool) -> None:
    table = resources({"zh": "笔记", "": "Notes", "de": "Notizen"}, utf8=utf8)
    assert read_labels(manifest(1, 0x7F010000), table) == ("Notes", "Notizen", "笔记")


def test_a_name_in_the_manifest_itself_needs_no_table() -> None:
    assert read_labels(manifest(3, 2, "My  App\n"), b"") == ("My App",)


def test_a_package_without_a_label_has_no_name() -> None:
    table = resources({"": "Notes"}, utf8=True)
    assert read_labels(manifest(1, 0x7F020000), table) == ()
    assert read_labels(manifest(16, 5), table) == ()


@given(st.integers(0, 399), st.binary(min_size=1, max_size=4))
def test_a_damaged_package_is_refused_or_read_and_never_more(at: int, noise: bytes) -> None:
    whole = manifest(1, 0x7F010000), resources({"": "Notes", "zh": "笔记"}, utf8=True)
    for damaged in range(2):
        files = list(whole)
        data = files[damaged]
        files[damaged] = data[:at] + noise + data[at + len(noise) :]
        try:
            assert all(isinstance(name, str) for name in read_labels(files[0], files[1]))
        except ApkError:
            pass
        with pytest.raises(ApkError):
            read_labels(whole[0][: -at - 1], whole[1])


class PhoneWithPackages:
    """Lists two apps without a known name, and unpacks one of them."""

    def __init__(self, package: dict[str, bytes]) -> None:
        self.package = package
        self.unzipped: list[str] = []
        self.has_unzip = True

    def __call__(self, line: str) -> Reply:
        words = shlex.split(line)
        if words[:3] == ["pm", "list", "packages"]:
            rows = [f"package:{PATHS[p]}={p}" if "-f" in words else f"package:{p}" for p in PATHS]
            return Reply(stdout="\n".join(rows).encode())
        if words[0] == "cmd":
            return Reply(stdout="".join(f"{p}/.Main\n" for p in PATHS).encode())
        if words[0] != "unzip":
            return Reply()
        if not self.has_unzip:
            return Reply(stderr=b"/system/bin/sh: unzip: not found\n", exit_code=127)
        self.unzipped.append(words[2])
        if words[2] == PATHS["com.b.broken"]:
            return Reply(stdout=b"no package", exit_code=0)
        data = self.package[words[3]]
        return Reply(stdout=gzip.compress(data) if "gzip" in words else data)


def test_an_app_is_found_by_the_name_that_the_phone_shows(
    adb: ScriptedAdbServer, tmp_path: Path, real_package: dict[str, bytes]
) -> None:
    phone = adb.reply = PhoneWithPackages(real_package)
    device = AdbDevice(adb.transport(), state_dir=tmp_path)
    assert device.resolve_app("com.a.notes") == "com.a.notes"
    assert phone.unzipped == []  # nothing is read for a name that is known
    assert device.resolve_app("atx") == "com.a.notes"
    assert {app.package: app.labels for app in device.installed_apps()} == {
        "com.a.notes": ("ATX",),
        "com.b.broken": (),
    }
    with pytest.raises(AppNotFoundError) as caught:
        device.resolve_app("atxx")
    assert caught.value.details["candidates"] == ["ATX"]
    read = list(phone.unzipped)
    later = AdbDevice(adb.transport(), state_dir=tmp_path)
    assert later.resolve_app("ATX") == "com.a.notes"
    assert phone.unzipped == read  # from the disk; the broken one is not tried again either


def test_a_phone_without_unzip_is_asked_once_and_finds_by_its_other_names(
    adb: ScriptedAdbServer, tmp_path: Path, real_package: dict[str, bytes]
) -> None:
    phone = adb.reply = PhoneWithPackages(real_package)
    phone.has_unzip = False
    device = AdbDevice(adb.transport(), state_dir=tmp_path)
    for _ in range(2):
        with pytest.raises(AppNotFoundError):
            device.resolve_app("ATX")
    assert sum(command.count("unzip -p") for command in adb.commands) == 1
    assert device.resolve_app("notes") == "com.a.notes"

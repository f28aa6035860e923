"""What an APK says of itself: package and version, from its binary manifest.

Format: AOSP `ResourceTypes.h` (`ResStringPool_header`, `ResXMLTree_attrExt`).
"""

from __future__ import annotations

import io
import struct
import zipfile
from dataclasses import dataclass
from typing import Final

_STRING_POOL, _START_ELEMENT, _XML = 0x0001, 0x0102, 0x0003
_UTF8_FLAG: Final = 0x100
_INT_TYPES: Final = (0x10, 0x11)
_MAX_MANIFEST_BYTES: Final = 4 * 1024 * 1024


class ApkError(ValueError):
    """The bytes are no APK; the message is what the package manager says."""


@dataclass(frozen=True, slots=True)
class Apk:
    """Package name and version."""

    package: str
    version_name: str
    version_code: int


def read_apk(data: bytes) -> Apk:
    """Reads an APK.

    Raises:
        ApkError: It is none.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if archive.getinfo("AndroidManifest.xml").file_size > _MAX_MANIFEST_BYTES:
                raise ApkError("Failed parse during installPackageLI: manifest too large")
            manifest = archive.read("AndroidManifest.xml")
        attributes = _root_attributes(manifest)
    except (zipfile.BadZipFile, KeyError, struct.error, UnicodeDecodeError, IndexError) as error:
        raise ApkError(f"Failed to parse base.apk: {type(error).__name__}") from None
    package = attributes.get("package")
    if not isinstance(package, str) or not package:
        raise ApkError("Failed to parse base.apk: no package name")
    code = attributes.get("versionCode", 0)
    name = attributes.get("versionName", "")
    return Apk(package, str(name), code if isinstance(code, int) else 0)


def _root_attributes(manifest: bytes) -> dict[str, str | int]:
    """The attributes of the first element."""
    kind, header_bytes, _ = struct.unpack_from("<HHI", manifest)
    if kind != _XML:
        raise ApkError("Failed to parse base.apk: the manifest is no binary XML")
    at = header_bytes
    strings: list[str] = []
    while True:
        kind, header_bytes, size_bytes = struct.unpack_from("<HHI", manifest, at)
        if kind == _STRING_POOL:
            strings = _read_strings(manifest, at)
        elif kind == _START_ELEMENT:
            return _read_attributes(manifest, at + header_bytes, strings)
        if size_bytes == 0:
            raise ApkError("Failed to parse base.apk: the manifest has no element")
        at += size_bytes


def _read_strings(data: bytes, at: int) -> list[str]:
    _, header_bytes, _, count, _, flags, start = struct.unpack_from("<HHIIIII", data, at)
    offsets = struct.unpack_from(f"<{count}I", data, at + header_bytes)
    utf8 = bool(flags & _UTF8_FLAG)
    return [_read_string(data, at + start + offset, utf8=utf8) for offset in offsets]


def _read_string(data: bytes, at: int, *, utf8: bool) -> str:
    if not utf8:
        length, at = _read_length(data, at, "<H", 0x8000, 16)
        return data[at : at + 2 * length].decode("utf-16-le")
    _, at = _read_length(data, at, "<B", 0x80, 8)  # the same length in UTF-16 units
    length, at = _read_length(data, at, "<B", 0x80, 8)
    return data[at : at + length].decode("utf-8", "replace")


def _read_length(data: bytes, at: int, form: str, flag: int, bits: int) -> tuple[int, int]:
    """A length of one unit, or of two when the first has its highest bit set."""
    size = struct.calcsize(form)
    (first,) = struct.unpack_from(form, data, at)
    if not first & flag:
        return first, at + size
    (second,) = struct.unpack_from(form, data, at + size)
    return (first & (flag - 1)) << bits | second, at + 2 * size


def _read_attributes(data: bytes, at: int, strings: list[str]) -> dict[str, str | int]:
    _, _, start, size, count = struct.unpack_from("<iiHHH", data, at)
    found: dict[str, str | int] = {}
    for number in range(count):
        place = at + start + number * size
        _, name, raw, _, _, kind, value = struct.unpack_from("<iiiHBBI", data, place)
        if raw >= 0:
            found[strings[name]] = strings[raw]
        elif kind in _INT_TYPES:
            found[strings[name]] = value
    return found

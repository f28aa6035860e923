"""The names of an app as its APK holds them: pure functions over two binary files of the package.

`AndroidManifest.xml` names the label, mostly by a number; `resources.arsc` holds the words behind
the number in every language (AOSP `ResourceTypes.h`). Only what leads to the label is read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_STRING_POOL: Final = 0x0001
_TABLE: Final = 0x0002
_XML: Final = 0x0003
_ELEMENT: Final = 0x0102
_RESOURCE_MAP: Final = 0x0180
_PACKAGE: Final = 0x0200
_TYPE: Final = 0x0201
_LABEL_ATTRIBUTE: Final = 0x01010001
_REFERENCE: Final = 0x01
_STRING: Final = 0x03
_UTF8: Final = 1 << 8
_SPARSE, _OFFSET16 = 0x01, 0x02
_COMPLEX, _COMPACT = 0x0001, 0x0008
_NO_ENTRY: Final = 0xFFFFFFFF
_REFERENCES_MAX: Final = 5
_LABEL_MAX_CHARS: Final = 80


class ApkError(ValueError):
    """The file is not what it should be: cut off, or of a form that is not known here."""


@dataclass(frozen=True, slots=True)
class _Chunk:
    kind: int
    start: int
    body: int
    end: int


def read_labels(manifest: bytes, resources: bytes) -> tuple[str, ...]:
    """All names of the app, the one without a language first; empty where it has none.

    Args:
        manifest: `AndroidManifest.xml` in its binary form.
        resources: `resources.arsc`; may be empty where the manifest holds the name itself.

    Raises:
        ApkError: One of them cannot be read.
    """
    try:
        label = _manifest_label(manifest)
        if label is None or isinstance(label, str):
            found = [label] if label else []
        else:
            found = list(_resolve(resources, label, _REFERENCES_MAX))
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ApkError(f"the package cannot be read: {error}") from error
    clean = (" ".join(words.split())[:_LABEL_MAX_CHARS] for words in found)
    return tuple(dict.fromkeys(words for words in clean if words))


def _manifest_label(data: bytes) -> str | int | None:
    """The application's label: its words, or the number of a resource."""
    strings: list[str] = []
    attribute_ids: list[int] = []
    for chunk in _children(data, _root(data, _XML)):
        if chunk.kind == _STRING_POOL:
            strings = _read_strings(data, chunk)
        elif chunk.kind == _RESOURCE_MAP:
            count = (chunk.end - chunk.body) // 4
            attribute_ids = list(struct.unpack_from(f"<{count}I", data, chunk.body))
        elif chunk.kind == _ELEMENT:
            _, name, start, size, count = struct.unpack_from("<IIHHH", data, chunk.body)
            if strings[name] != "application":
                continue
            for number in range(count):
                at = chunk.body + start + number * size
                (attribute,) = struct.unpack_from("<I", data, at + 4)
                kind, value = struct.unpack_from("<xxxBI", data, at + 12)
                if attribute >= len(attribute_ids) or attribute_ids[attribute] != _LABEL_ATTRIBUTE:
                    continue
                if kind == _STRING:
                    return str(strings[value])
                return int(value) if kind == _REFERENCE else None
            return None
    return None


def _resolve(data: bytes, resource: int, references_left: int) -> Iterator[str]:
    """The words of a resource, those without a language first; through references."""
    values: list[tuple[bytes, int, int]] = []
    strings: list[str] = []
    for chunk in _children(data, _root(data, _TABLE)):
        if chunk.kind == _STRING_POOL and not strings:
            strings = _read_strings(data, chunk)
        elif chunk.kind == _PACKAGE:
            (package,) = struct.unpack_from("<I", data, chunk.start + 8)
            if package in (resource >> 24, 0):
                values += _values_of(data, chunk, resource)
    for _language, kind, value in sorted(values, key=lambda found: found[0]):
        if kind == _STRING:
            yield strings[value]
        elif kind == _REFERENCE and value != resource and references_left:
            yield from _resolve(data, value, references_left - 1)


def _values_of(data: bytes, package: _Chunk, resource: int) -> Iterator[tuple[bytes, int, int]]:
    """Language, kind and value of a resource in each of the package's configurations."""
    for chunk in _children(data, package):
        if chunk.kind != _TYPE:
            continue
        type_id, flags, count, entries = struct.unpack_from("<BBxxII", data, chunk.start + 8)
        if type_id != (resource >> 16) & 0xFF:
            continue
        offset = _entry_offset(data, chunk, flags, count, resource & 0xFFFF)
        if offset is None:
            continue
        language = data[chunk.start + 28 : chunk.start + 30].strip(b"\0")
        at = chunk.start + entries + offset
        first, entry_flags = struct.unpack_from("<HH", data, at)
        if entry_flags & _COMPACT:
            yield language, entry_flags >> 8, struct.unpack_from("<I", data, at + 4)[0]
        elif not entry_flags & _COMPLEX:
            yield language, *struct.unpack_from("<xxxBI", data, at + first)


def _entry_offset(data: bytes, chunk: _Chunk, flags: int, count: int, entry: int) -> int | None:
    if flags & _SPARSE:
        pairs = struct.unpack_from(f"<{count * 2}H", data, chunk.body)
        found = dict(zip(pairs[::2], pairs[1::2], strict=True)).get(entry)
        return None if found is None else found * 4
    if entry >= count:
        return None
    if flags & _OFFSET16:
        (short,) = struct.unpack_from("<H", data, chunk.body + entry * 2)
        return None if short == 0xFFFF else int(short) * 4
    (offset,) = struct.unpack_from("<I", data, chunk.body + entry * 4)
    return None if offset == _NO_ENTRY else int(offset)


def _root(data: bytes, kind: int) -> _Chunk:
    chunk = _chunk_at(data, 0, len(data))
    if chunk.kind != kind:
        raise ApkError(f"a file of kind {chunk.kind:#x} where {kind:#x} should be")
    return chunk


def _children(data: bytes, parent: _Chunk) -> Iterator[_Chunk]:
    position = parent.body
    while position + 8 <= parent.end:
        chunk = _chunk_at(data, position, parent.end)
        yield chunk
        position = chunk.end


def _chunk_at(data: bytes, position: int, limit: int) -> _Chunk:
    kind, header_size, size = struct.unpack_from("<HHI", data, position)
    if header_size < 8 or size < header_size or position + size > limit:
        raise ApkError(f"a part of {size} bytes at {position} that does not fit")
    return _Chunk(kind, position, position + header_size, position + size)


def _read_strings(data: bytes, chunk: _Chunk) -> list[str]:
    count, _, flags, start = struct.unpack_from("<IIII", data, chunk.start + 8)
    offsets = struct.unpack_from(f"<{count}I", data, chunk.body)
    read = _read_utf8 if flags & _UTF8 else _read_utf16
    return [read(data, chunk.start + start + offset) for offset in offsets]


def _read_utf8(data: bytes, at: int) -> str:
    at += 2 if data[at] & 0x80 else 1  # its length in UTF-16, which is not needed
    length = data[at]
    if length & 0x80:
        length = (length & 0x7F) << 8 | data[at + 1]
        at += 1
    return data[at + 1 : at + 1 + length].decode("utf-8", "replace")


def _read_utf16(data: bytes, at: int) -> str:
    (length,) = struct.unpack_from("<H", data, at)
    if length & 0x8000:
        length = (length & 0x7FFF) << 16 | struct.unpack_from("<H", data, at + 2)[0]
        at += 2
    return data[at + 2 : at + 2 + length * 2].decode("utf-16-le", "replace")

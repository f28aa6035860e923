"""The `sync:` service behind adb push, pull and ls.

Format: AOSP `file_sync_protocol.h`. Requests are a four-letter id, a u32 length and a path;
all numbers little-endian. Data goes in DATA chunks of at most 64 KiB.
"""

from __future__ import annotations

import posixpath
import stat
import struct
from typing import Final

from device.virtual_phone.fs import FileError, FileSystem, Node
from device.virtual_phone.shell.process import decode_text, encode_text
from device.virtual_phone.transport import Stream

_REQUEST: Final = struct.Struct("<4sI")
_STAT_V1: Final = struct.Struct("<4sIII")
_DENT_V1: Final = struct.Struct("<4sIIII")
# id, error, dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime
_STAT_V2: Final = struct.Struct("<4sIQQIIIIQqqq")
_DENT_V2: Final = struct.Struct("<4sIQQIIIIQqqqI")
_CHUNK_BYTES: Final = 64 * 1024
_MAX_PATH_BYTES: Final = 1024


class _EndedError(Exception):
    """The host left, or broke the protocol."""


class _Reader:
    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._buffer = bytearray()

    async def exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            data = await self._stream.read()
            if not data:
                raise _EndedError
            self._buffer += data
        found = bytes(self._buffer[:size])
        del self._buffer[:size]
        return found

    async def request(self) -> tuple[bytes, int]:
        kind, number = _REQUEST.unpack(await self.exactly(_REQUEST.size))
        return kind, number


async def serve_sync(fs: FileSystem, stream: Stream) -> None:
    """Answers requests until QUIT."""
    reader = _Reader(stream)
    try:
        while True:
            kind, length = await reader.request()
            if kind == b"QUIT":
                return
            if length > _MAX_PATH_BYTES:
                await _fail(stream, "path too long")
                return
            path = decode_text(await reader.exactly(length))
            match kind:
                case b"STAT":
                    await stream.write(_stat_v1(fs, path))
                case b"STA2" | b"LST2":
                    await stream.write(_stat_v2(fs, kind, path))
                case b"LIST" | b"LIS2":
                    await _list(fs, stream, path, v2=kind == b"LIS2")
                case b"RECV":
                    await _send_file(fs, stream, path)
                case b"SEND":
                    await _receive_file(fs, stream, reader, path)
                case _:
                    await _fail(stream, f"unknown command {decode_text(kind)}")
                    return
    except _EndedError:
        return


async def _fail(stream: Stream, message: str) -> None:
    text = encode_text(message)
    await stream.write(_REQUEST.pack(b"FAIL", len(text)) + text)


def _stat_v1(fs: FileSystem, path: str) -> bytes:
    try:
        node = fs.find(_absolute(path), follow=False)
    except FileError:
        return _STAT_V1.pack(b"STAT", 0, 0, 0)
    return _STAT_V1.pack(b"STAT", node.mode, node.size_bytes, int(node.mtime_s))


def _stat_v2(fs: FileSystem, kind: bytes, path: str) -> bytes:
    try:
        node = fs.find(_absolute(path), follow=kind == b"STA2")
    except FileError as error:
        return _STAT_V2.pack(kind, error.number, *([0] * 10))
    return _STAT_V2.pack(kind, 0, *_fields(node))


def _fields(node: Node) -> tuple[int, ...]:
    mtime_s = int(node.mtime_s)
    inode = id(node) & 0xFFFFFFFF
    return (65069, inode, node.mode, 1, 2000, 2000, node.size_bytes, mtime_s, mtime_s, mtime_s)


async def _list(fs: FileSystem, stream: Stream, path: str, *, v2: bool) -> None:
    try:
        entries = fs.list(_absolute(path))
    except FileError:
        entries = []
    reply = bytearray()
    for name, node in entries:
        raw = encode_text(name)
        if v2:
            reply += _DENT_V2.pack(b"DNT2", 0, *_fields(node), len(raw)) + raw
        else:
            size_bytes, mtime_s = node.size_bytes, int(node.mtime_s)
            reply += _DENT_V1.pack(b"DENT", node.mode, size_bytes, mtime_s, len(raw)) + raw
    reply += _DENT_V2.pack(b"DONE", *([0] * 12)) if v2 else _DENT_V1.pack(b"DONE", 0, 0, 0, 0)
    await stream.write(bytes(reply))


async def _send_file(fs: FileSystem, stream: Stream, path: str) -> None:
    try:
        data = fs.read(_absolute(path))
    except FileError as error:
        what = "read failed" if error.number == 21 else "open failed"
        await _fail(stream, f"{what}: {error.text}")
        return
    reply = bytearray()
    for start in range(0, len(data), _CHUNK_BYTES):
        chunk = data[start : start + _CHUNK_BYTES]
        reply += _REQUEST.pack(b"DATA", len(chunk)) + chunk
        if len(reply) >= 15 * _CHUNK_BYTES:
            await stream.write(bytes(reply))
            reply.clear()
    await stream.write(bytes(reply) + _REQUEST.pack(b"DONE", 0))


async def _receive_file(fs: FileSystem, stream: Stream, reader: _Reader, spec: str) -> None:
    """Takes `path,mode` and its data; a refused file is read to its end all the same."""
    path, _, mode_text = spec.rpartition(",")
    mode = int(mode_text) if mode_text.isdecimal() else 0o644
    error: FileError | None = None
    node: Node | None = None
    link = bytearray()
    try:
        fs.make_dir(posixpath.dirname(_absolute(path)), parents=True)
        if not stat.S_ISLNK(mode):
            node = fs.open_for_writing(_absolute(path), mode=mode & 0o777)
    except FileError as refusal:
        error = refusal
    while True:
        kind, number = await reader.request()
        if kind == b"DONE":
            break
        if kind != b"DATA" or number > _CHUNK_BYTES:
            await _fail(stream, "invalid data message")
            raise _EndedError
        data = await reader.exactly(number)
        if error is not None:
            continue
        if node is None:
            link += data
            continue
        try:
            fs.append_data(node, data)
        except FileError as refusal:
            error = refusal
    if error is None and node is None:
        try:
            fs.make_link(_absolute(path), decode_text(bytes(link)).rstrip("\0"))
        except FileError as refusal:
            error = refusal
    if error is not None:
        what = "write failed" if error.number == 28 else "couldn't create file"
        await _fail(stream, f"{what}: {error.text}")
        return
    if node is not None:
        node.mtime_s = float(number)
    await stream.write(_REQUEST.pack(b"OKAY", 0))


def _absolute(path: str) -> str:
    return FileSystem.join("/", path)

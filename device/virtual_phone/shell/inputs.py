"""Reading a command's inputs: the named files, or standard input."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.io import Source
from device.virtual_phone.shell.process import Process


async def open_inputs(
    process: Process, names: list[str]
) -> AsyncIterator[tuple[str, Source | FileError]]:
    """Each named file to read, or why not; standard input if none is named."""
    for name in names or ["-"]:
        if name == "-":
            yield name, process.streams.stdin
            continue
        try:
            yield name, process.system.open_source(process.path(name))
        except FileError as error:
            yield name, error


async def read_inputs(process: Process, names: list[str]) -> tuple[bytes, int]:
    """All inputs joined, and 1 if one couldn't be read (after a message)."""
    data, status = bytearray(), 0
    async for name, source in open_inputs(process, names):
        if isinstance(source, FileError):
            status = await process.fail(f"{name}: {source.text}")
        else:
            data += await source.read_all()
    return bytes(data), status


def as_lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


def join_lines(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def old_style_count(args: list[str]) -> list[str]:
    """`head -5` as `head -n 5`."""
    return [a for arg in args for a in (("-n", arg[1:]) if re.fullmatch(r"-\d+", arg) else (arg,))]

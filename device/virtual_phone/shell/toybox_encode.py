"""base64, gzip and xxd of toybox."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.shell.inputs import join_lines, read_inputs
from device.virtual_phone.shell.options import read_count, read_options
from device.virtual_phone.shell.process import Command, Process


async def _base64(process: Process) -> int:
    options = read_options(process.args, "di", "w")
    data, status = await read_inputs(process, options.operands)
    if options.has("d"):
        try:
            decoded = base64.b64decode(b"".join(data.split()), validate=not options.has("i"))
        except binascii.Error:
            return await process.fail("bad input")
        await process.streams.stdout.write(decoded)
        return status
    text = base64.b64encode(data)
    width = read_count(options.values.get("w", "76"))
    lines = [text[i : i + width] for i in range(0, len(text), width)] if width else [text]
    await process.streams.stdout.write(join_lines(lines) if width else text)
    return status


async def _gzip(process: Process) -> int:
    """`gzip` and `gunzip` between standard input and output, or of one file to the output."""
    options = read_options(process.args, "cdfkn123456789")
    unpack = options.has("d") or process.name in ("gunzip", "zcat")
    if options.operands and not (options.has("c") or process.name == "zcat"):
        return await process.fail("only standard output (-c) is supported")
    data, status = await read_inputs(process, options.operands)
    if unpack:
        try:
            await process.streams.stdout.write(zlib.decompress(data, wbits=31))
        except zlib.error:
            return await process.fail("bad input")
        return status
    level = next((int(flag) for flag in options.flags if flag.isdecimal()), 6)
    packed = await process.system.in_thread(_pack, data, level)
    await process.streams.stdout.write(packed)
    return status


def _pack(data: bytes, level: int) -> bytes:
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


async def _xxd(process: Process) -> int:
    options = read_options(process.args, "p", "lc")
    data, status = await read_inputs(process, options.operands)
    data = data[: read_count(options.values["l"])] if "l" in options.values else data
    if options.has("p"):
        await process.out("".join(data[i : i + 30].hex() + "\n" for i in range(0, len(data), 30)))
        return status
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        pairs = " ".join(row[i : i + 2].hex() for i in range(0, len(row), 2))
        shown = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
        await process.out(f"{start:08x}: {pairs:<39}  {shown}\n")
    return status


COMMANDS: Final[Mapping[str, Command]] = {
    "base64": _base64,
    "gunzip": _gzip,
    "gzip": _gzip,
    "xxd": _xxd,
    "zcat": _gzip,
}

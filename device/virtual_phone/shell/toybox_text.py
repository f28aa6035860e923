"""Text commands of toybox: head, tail, sort, cut and their kin. They work on bytes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.inputs import (
    as_lines,
    join_lines,
    old_style_count,
    open_inputs,
    read_inputs,
)
from device.virtual_phone.shell.options import Options, read_count, read_options
from device.virtual_phone.shell.process import Command, Process, decode_text, encode_text


async def _head(process: Process) -> int:
    options = read_options(old_style_count(process.args), "qv", "nc")
    status = 0
    async for name, source in open_inputs(process, options.operands):
        if isinstance(source, FileError):
            status = await process.fail(f"{name}: {source.text}")
            continue
        if len(options.operands) > 1:
            await process.out(f"==> {name} <==\n")
        if "c" in options.values:
            left = read_count(options.values["c"])
            while left > 0 and (data := await source.read(left)):
                left -= len(data)
                await process.streams.stdout.write(data)
            continue
        for _ in range(read_count(options.values.get("n", "10"))):
            line = await source.read_line()
            if not line:
                break
            await process.streams.stdout.write(line)
    return status


async def _tail(process: Process) -> int:
    options = read_options(old_style_count(process.args), "fq", "nc")
    data, status = await read_inputs(process, options.operands)
    if "c" in options.values:
        count = options.values["c"]
        size = read_count(count.lstrip("+"))
        await process.streams.stdout.write(
            data[max(0, size - 1) :] if count[0] == "+" else data[max(0, len(data) - size) :]
        )
        return status
    count = options.values.get("n", "10")
    lines = data.splitlines(keepends=True) if b"\r" not in data else data.split(b"\n")
    if b"\r" in data:
        lines = [line + b"\n" for line in as_lines(data)]
    number = read_count(count.lstrip("+"))
    kept = lines[max(0, number - 1) :] if count.startswith("+") else deque(lines, maxlen=number)
    await process.streams.stdout.write(b"".join(kept))
    return status


async def _wc(process: Process) -> int:
    options = read_options(process.args, "lwcm")
    status = 0
    totals = [0, 0, 0]
    async for name, source in open_inputs(process, options.operands):
        if isinstance(source, FileError):
            status = await process.fail(f"{name}: {source.text}")
            continue
        data = await source.read_all()
        counts = [data.count(b"\n"), len(data.split()), len(data)]
        totals = [total + count for total, count in zip(totals, counts, strict=True)]
        await process.out(_counts(counts, options) + ("" if name == "-" else f" {name}") + "\n")
    if len(options.operands) > 1:
        await process.out(_counts(totals, options) + " total\n")
    return status


def _counts(counts: list[int], options: Options) -> str:
    chosen = [c for c, flags in zip(counts, ("l", "w", "cm"), strict=True)
              if not options.flags or options.has(*flags)]  # fmt: skip
    return " ".join(str(count) for count in chosen)


async def _cut(process: Process) -> int:
    options = read_options(process.args, "sn", "dfcb")
    chosen = options.values.get("f") or options.values.get("c") or options.values.get("b")
    if chosen is None:
        return await process.fail('Needs -fcb (see "cut --help")')
    ranges = [_range(part) for part in chosen.split(",")]
    delimiter = encode_text(options.values.get("d", "\t"))
    data, status = await read_inputs(process, options.operands)
    output: list[bytes] = []
    for line in as_lines(data):
        if "f" not in options.values:
            output.append(b"".join(line[start:end] for start, end in ranges))
        elif delimiter not in line:
            output += [] if options.has("s") else [line]
        else:
            fields = line.split(delimiter)
            output.append(delimiter.join([f for start, end in ranges for f in fields[start:end]]))
    await process.streams.stdout.write(join_lines(output))
    return status


def _range(text: str) -> tuple[int, int | None]:
    start, dash, end = text.partition("-")
    first = read_count(start) if start else 1
    return max(0, first - 1), (read_count(end) if end else None) if dash else first


_SETS: Final = {
    "[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:alpha:]": "A-Za-z",
    "[:alnum:]": "A-Za-z0-9", "[:space:]": " \t\n\r\f\v", "[:blank:]": " \t",
}  # fmt: skip


async def _tr(process: Process) -> int:
    options = read_options(process.args, "cdsC")
    sets = [_character_set(text) for text in options.operands]
    if not sets:
        return await process.fail('Needs 1 argument (see "tr --help")')
    first = sets[0]
    if options.has("c", "C"):
        first = bytes(set(range(256)) - set(first))
    data = await process.streams.stdin.read_all()
    if options.has("d"):
        data = data.translate(None, first)
    elif len(sets) > 1 and sets[1]:
        target = sets[1].ljust(len(first), sets[1][-1:])[: len(first)]
        data = data.translate(bytes.maketrans(first, target))
    if options.has("s"):
        squeezed = re.escape(sets[-1])
        data = re.sub(b"([" + squeezed + b"])\\1+", rb"\1", data) if squeezed else data
    await process.streams.stdout.write(data)
    return 0


def _character_set(text: str) -> bytes:
    for name, characters in _SETS.items():
        text = text.replace(name, characters)
    text = text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
    text = text.replace("\\0", "\0").replace("\\\\", "\\")
    raw = encode_text(text)
    found, at = bytearray(), 0
    while at < len(raw):
        if raw[at + 1 : at + 2] == b"-" and at + 2 < len(raw) and raw[at] <= raw[at + 2]:
            found += bytes(range(raw[at], raw[at + 2] + 1))
            at += 3
        else:
            found.append(raw[at])
            at += 1
    return bytes(dict.fromkeys(found))


async def _sort(process: Process) -> int:
    options = read_options(process.args, "nrufbg", "kto")
    data, status = await read_inputs(process, options.operands)
    separator = encode_text(options.values["t"]) if "t" in options.values else None
    column = read_count(re.split(r"[,.n]", options.values.get("k", "1"))[0]) - 1

    def key(line: bytes) -> tuple[float, bytes]:
        text = line
        if "k" in options.values:
            text = (separator or b" ").join(line.split(separator)[max(0, column) :])
        text = text.lower() if options.has("f") else text
        number = re.match(rb"\s*(-?\d+(?:\.\d+)?)", text)
        numeric = options.has("n", "g") or "n" in options.values.get("k", "")
        return (float(number[1]) if numeric and number else 0.0, text)

    lines = sorted(as_lines(data), key=key, reverse=options.has("r"))
    await process.streams.stdout.write(
        join_lines(list(dict.fromkeys(lines)) if options.has("u") else lines)
    )
    return status


async def _uniq(process: Process) -> int:
    options = read_options(process.args, "cdui")
    data, status = await read_inputs(process, options.operands[:1])
    runs: list[tuple[bytes, int]] = []
    for line in as_lines(data):
        if runs and runs[-1][0] == line:
            runs[-1] = (line, runs[-1][1] + 1)
        else:
            runs.append((line, 1))
    if options.has("d"):
        runs = [run for run in runs if run[1] > 1]
    if options.has("u"):
        runs = [run for run in runs if run[1] == 1]
    lines = [b"%7d %s" % (n, line) if options.has("c") else line for line, n in runs]
    await process.streams.stdout.write(join_lines(lines))
    return status


async def _tee(process: Process) -> int:
    options = read_options(process.args, "ai")
    sinks = []
    for name in options.operands:
        try:
            path = process.path(name)
            sinks.append(process.system.open_sink(path, append=options.has("a")))
        except FileError as error:
            return await process.fail(f"{name}: {error.text}")
    while data := await process.streams.stdin.read():
        for sink in (*sinks, process.streams.stdout):
            await sink.write(data)
    return 0


async def _rev_lines(process: Process) -> int:
    data, status = await read_inputs(process, process.args)
    lines = as_lines(data)
    if process.name == "tac":
        lines.reverse()
    else:
        lines = [encode_text(decode_text(line)[::-1]) for line in lines]
    await process.streams.stdout.write(join_lines(lines))
    return status


COMMANDS: Final[Mapping[str, Command]] = {
    "cut": _cut,
    "head": _head,
    "rev": _rev_lines,
    "sort": _sort,
    "tac": _rev_lines,
    "tail": _tail,
    "tee": _tee,
    "tr": _tr,
    "uniq": _uniq,
    "wc": _wc,
}

"""grep and sed of toybox. They work on bytes."""

from __future__ import annotations

import re
import warnings
from collections import deque
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.inputs import as_lines, join_lines, open_inputs, read_inputs
from device.virtual_phone.shell.io import Source
from device.virtual_phone.shell.options import Options, UsageError, read_count, read_options
from device.virtual_phone.shell.process import Command, Process, encode_text


async def _grep(process: Process) -> int:
    args = ["-e" + a[9:] if a.startswith("--regexp=") else a for a in process.args]
    options = read_options(args, "EFGivnclqsowhHxraI", "eABmC")
    operands = list(options.operands)
    pattern = options.values.get("e")
    if pattern is None:
        if not operands:
            return await process.fail("no REGEX", 2)
        pattern = operands.pop(0)
    extended = options.has("E") or process.name == "egrep"
    fixed = options.has("F") or process.name == "fgrep"
    try:
        matcher = _compile(pattern, options, extended=extended, fixed=fixed)
    except re.error as error:
        return await process.fail(f"bad REGEX '{pattern}': {error.msg}", 2)
    found, failed = False, False
    async for name, source in open_inputs(process, operands):
        if isinstance(source, FileError):
            failed = True
            if not options.has("s"):
                await process.fail(f"{name}: {source.text}")
            continue
        prefix = encode_text(name) + b":" if len(operands) > 1 and not options.has("h") else b""
        hit = await _grep_one(process, options, matcher, source, prefix, name)
        found = found or hit
        if found and options.has("q"):
            return 0
    return 2 if failed and not found else 0 if found else 1


def _compile(pattern: str, options: Options, *, extended: bool, fixed: bool) -> re.Pattern[bytes]:
    text = pattern
    if fixed:
        text = "|".join(re.escape(line) for line in text.split("\n"))
    else:
        text = text.replace("\n", "|") if extended else from_basic(text.replace("\n", "\\|"))
    if options.has("w"):
        text = rf"\b(?:{text})\b"
    if options.has("x"):
        text = rf"^(?:{text})$"
    return _compile_bytes(text, ignore_case=options.has("i"))


def _compile_bytes(pattern: str, *, ignore_case: bool) -> re.Pattern[bytes]:
    """Compiles a pattern as it is meant on a phone, where `[[` in a set is nothing special."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(encode_text(pattern), re.IGNORECASE if ignore_case else 0)


async def _grep_one(
    process: Process,
    options: Options,
    matcher: re.Pattern[bytes],
    source: Source,
    prefix: bytes,
    name: str,
) -> bool:
    after = read_count(options.values.get("A", options.values.get("C", "0")))
    before = read_count(options.values.get("B", options.values.get("C", "0")))
    limit = read_count(options.values["m"]) if "m" in options.values else None
    earlier: deque[bytes] = deque(maxlen=before)
    count, trailing, number = 0, 0, 0
    write = process.streams.stdout.write
    async for line in source.lines():
        number += 1
        match = matcher.search(line)
        if (match is None) != options.has("v"):
            if trailing > 0:
                trailing -= 1
                await write(prefix + line + b"\n")
            else:
                earlier.append(line)
            continue
        count += 1
        if options.has("q"):
            return True
        if options.has("l"):
            await process.out(name + "\n")
            return True
        if not options.has("c"):
            lead = prefix + (b"%d:" % number if options.has("n") else b"")
            if options.has("o"):
                hits = [m[0] for m in matcher.finditer(line) if m[0]]
                await write(b"".join(lead + hit + b"\n" for hit in hits))
            else:
                await write(join_lines([prefix + text for text in earlier]) + lead + line + b"\n")
        earlier.clear()
        trailing = after
        if count == limit:
            break
    if options.has("c"):
        await write(prefix + b"%d\n" % count)
    return count > 0


def from_basic(pattern: str) -> str:
    r"""A POSIX basic expression in Python's syntax: there `\(` groups and `(` is plain."""
    text, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if char == "\\" and at + 1 < len(pattern):
            at += 1
            escaped = pattern[at]
            text += escaped if escaped in "(){}|+?" else "\\" + escaped
        elif char in "(){}|+?":
            text += "\\" + char
        elif char == "*" and text in ("", "^"):
            text += "\\*"
        elif char == "[":
            end = pattern.find("]", at + 2 if pattern[at + 1 : at + 2] != "^" else at + 3)
            end = len(pattern) - 1 if end < 0 else end
            inside = pattern[at + 1 : end].replace("\\", "\\\\").replace("[:space:]", r"\s")
            text += "[" + inside + "]"
            at = end
        else:
            text += char
        at += 1
    return text


_SED: Final = re.compile(r"(?:(\d+|\$)(?:,(\d+|\$))?|/((?:[^/\\]|\\.)*)/)?\s*([pdqs])(.*)", re.S)


async def _sed(process: Process) -> int:
    """`sed` with p, d, q and s, each for a line, a range or a pattern."""
    options = read_options(process.args, "nErs", "e")
    operands = list(options.operands)
    script = options.values.get("e")
    if script is None:
        if not operands:
            return await process.fail('Needs 1 argument (see "sed --help")')
        script = operands.pop(0)
    data, status = await read_inputs(process, operands)
    extended = options.has("E", "r")
    lines = as_lines(data)
    parsed = [_SED.fullmatch(part.strip()) for part in re.split(r"(?<!\\);|\n", script) if part]
    if not all(parsed):
        return await process.fail(f"bad pattern '{script}'@1 ({script[:1]})")
    steps = [step for step in parsed if step is not None]
    output: list[bytes] = []
    for number, line in enumerate(lines, start=1):
        keep, stop = not options.has("n"), False
        for step in steps:
            if not _selected(step, number, len(lines), line, extended=extended):
                continue
            if step[4] == "p":
                output.append(line)
            elif step[4] == "d":
                keep = False
                break
            elif step[4] == "q":
                stop = True
            else:
                line, printed = _substitute(step[5], line, extended=extended)
                if printed:
                    output.append(line)
        if keep:
            output.append(line)
        if stop:
            break
    await process.streams.stdout.write(join_lines(output))
    return status


def _selected(step: re.Match[str], number: int, last: int, line: bytes, *, extended: bool) -> bool:
    if step[3] is not None:
        pattern = step[3] if extended else from_basic(step[3])
        return re.search(encode_text(pattern), line) is not None
    if step[1] is None:
        return True
    start = last if step[1] == "$" else int(step[1])
    end = start if step[2] is None else last if step[2] == "$" else int(step[2])
    return start <= number <= max(start, end)


def _substitute(body: str, line: bytes, *, extended: bool) -> tuple[bytes, bool]:
    delimiter = body[:1]
    pieces = re.split(rf"(?<!\\){re.escape(delimiter)}", body[1:]) if delimiter else []
    if len(pieces) != 3:
        raise UsageError("unfinished s command")
    pattern, replacement, flags = pieces
    pattern = pattern if extended else from_basic(pattern)
    replacement = re.sub(r"(?<!\\)&", r"\\g<0>", replacement).replace("\\&", "&")
    replacement = replacement.replace("\\" + delimiter, delimiter)
    matcher = _compile_bytes(pattern, ignore_case="i" in flags.lower())
    new, count = matcher.subn(encode_text(replacement), line, count=0 if "g" in flags else 1)
    return new, count > 0 and "p" in flags


COMMANDS: Final[Mapping[str, Command]] = {
    "egrep": _grep,
    "fgrep": _grep,
    "grep": _grep,
    "sed": _sed,
}

"""Commands that change the shell itself: cd, exit, export, test and so on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.process import Command, Process, decode_text


class LeaveShell(Exception):
    """`exit` was called."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class LeaveLoop(Exception):
    """`break` or `continue` was called."""

    def __init__(self, levels: int, *, goes_on: bool) -> None:
        super().__init__(levels)
        self.levels = levels
        self.goes_on = goes_on


async def _true(process: Process) -> int:
    return 0


async def _false(process: Process) -> int:
    return 1


async def _exit(process: Process) -> int:
    status = process.shell.status
    if process.args:
        try:
            status = int(process.args[0]) & 0xFF
        except ValueError:
            await process.err(f"/system/bin/sh: exit: {process.args[0]}: bad number\n")
            status = 1
    raise LeaveShell(status)


async def _break(process: Process) -> int:
    levels = int(process.args[0]) if process.args and process.args[0].isdecimal() else 1
    raise LeaveLoop(levels, goes_on=process.name == "continue")


async def _cd(process: Process) -> int:
    name = process.args[0] if process.args else process.shell.variables.get("HOME", "/")
    path = process.path(name)
    try:
        node = process.system.fs.find(path)
    except FileError as error:
        await process.err(f"/system/bin/sh: cd: {path}: {error.text}\n")
        return 2
    if not node.is_dir:
        await process.err(f"/system/bin/sh: cd: {path}: Not a directory\n")
        return 2
    process.shell.cwd = path
    return 0


async def _pwd(process: Process) -> int:
    await process.out(process.shell.cwd + "\n")
    return 0


async def _export(process: Process) -> int:
    for arg in process.args:
        name, equals, value = arg.partition("=")
        if equals and name.isidentifier():
            process.shell.variables[name] = value
    return 0


async def _unset(process: Process) -> int:
    for name in process.args:
        process.shell.variables.pop(name, None)
    return 0


async def _exec(process: Process) -> int:
    """`exec command`: the command takes the shell's place, so nothing after it runs."""
    if not process.args:
        return 0
    status = await process.shell.call(process.args[0], process.args[1:], process.streams)
    raise LeaveShell(status)


async def _echo(process: Process) -> int:
    args = list(process.args)
    newline, escapes = True, False
    while args and args[0] in ("-n", "-e", "-ne", "-en", "-E"):
        newline = newline and "n" not in args[0]
        escapes = escapes or "e" in args[0]
        del args[0]
    text = " ".join(args)
    if escapes:
        text, stopped = unescape(text)
        newline = newline and not stopped
    await process.out(text + ("\n" if newline else ""))
    return 0


async def _read(process: Process) -> int:
    names = [arg for arg in process.args if not arg.startswith("-")] or ["REPLY"]
    line = await process.streams.stdin.read_line()
    words = decode_text(line).strip().split(None, len(names) - 1)
    for position, name in enumerate(names):
        process.shell.variables[name] = words[position] if position < len(words) else ""
    return 0 if line else 1


async def _shift(process: Process) -> int:
    count = int(process.args[0]) if process.args and process.args[0].isdecimal() else 1
    if count >= len(process.shell.parameters):
        return 1
    del process.shell.parameters[1 : 1 + count]
    return 0


async def _set(process: Process) -> int:
    if process.args and process.args[0] == "--":
        process.shell.parameters[1:] = process.args[1:]
    return 0


async def _wait(process: Process) -> int:
    if process.shell.jobs:
        await asyncio.gather(*process.shell.jobs, return_exceptions=True)
    return 0


async def _type(process: Process) -> int:
    """`type NAME` and `command -v NAME`; plain `command NAME` runs it."""
    args = process.args
    if process.name == "command" and (not args or args[0] not in ("-v", "-V")):
        return await process.shell.call(args[0], args[1:], process.streams) if args else 0
    status = 0
    for name in args[1:] if process.name == "command" else args:
        if name in BUILTINS:
            text = name if process.name == "command" else f"{name} is a shell builtin"
        elif process.system.find_command(name) is not None:
            path = name if "/" in name else f"/system/bin/{name}"
            text = path if process.name == "command" else f"{name} is {path}"
        else:
            text = "" if process.name == "command" else f"{name} not found"
            status = 1
        if text:
            await process.out(text + "\n")
    return status


async def _test(process: Process) -> int:
    args = list(process.args)
    if process.name in ("[", "[[") and (not args or args.pop() not in ("]", "]]")):
        await process.err("/system/bin/sh: [: missing ]\n")
        return 2
    try:
        return 0 if _holds(process, args) else 1
    except ValueError as error:
        await process.err(f"/system/bin/sh: {process.name}: {error}\n")
        return 2


def _holds(process: Process, args: list[str]) -> bool:
    for joint, decide in (("-o", any), ("||", any), ("-a", all), ("&&", all)):
        if joint in args[1:-1]:
            at = args.index(joint, 1)
            return decide([_holds(process, args[:at]), _holds(process, args[at + 1 :])])
    match args:
        case []:
            return False
        case ["!", *rest]:
            return not _holds(process, rest)
        case [text]:
            return text != ""
        case [operator, operand]:
            return _unary(process, operator, operand)
        case [left, operator, right]:
            return _binary(left, operator, right)
        case _:
            raise ValueError("too many arguments")


def _unary(process: Process, operator: str, operand: str) -> bool:
    if operator in ("-n", "-z"):
        return (operand != "") == (operator == "-n")
    if operator not in ("-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h"):
        raise ValueError(f"{operator}: unexpected operator/operand")
    path = process.path(operand)
    if operator == "-x" and process.system.find_command(operand) is not None and "/" in operand:
        return True
    try:
        node = process.system.fs.find(path, follow=operator not in ("-L", "-h"))
    except FileError:
        return False
    return {
        "-f": not node.is_dir and not node.is_link,
        "-d": node.is_dir,
        "-s": node.size_bytes > 0,
        "-x": bool(node.mode & 0o111),
        "-w": process.system.fs.may_write(path),
        "-L": node.is_link,
        "-h": node.is_link,
    }.get(operator, True)


def _binary(left: str, operator: str, right: str) -> bool:
    if operator in ("=", "=="):
        return left == right
    if operator == "!=":
        return left != right
    try:
        a, b = int(left), int(right)
    except ValueError:
        raise ValueError(f"{left} {operator} {right}: bad number") from None
    table = {
        "-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b,
    }  # fmt: skip
    if operator not in table:
        raise ValueError(f"{operator}: unexpected operator/operand")
    return table[operator]


def unescape(text: str) -> tuple[str, bool]:
    r"""Reads `\n`, `\t`, `\xHH`, `\0NNN`; `\c` ends the text (the second value tells)."""
    simple = {
        "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v",
        "e": "\x1b", "\\": "\\", '"': '"', "'": "'",
    }  # fmt: skip
    data = bytearray()
    at = 0
    while at < len(text):
        char = text[at]
        following = text[at + 1 : at + 2]
        at += 1
        if char != "\\" or not following:
            data += char.encode("utf-8", "surrogateescape")
            continue
        at += 1
        if following == "c":
            return decode_text(bytes(data)), True
        digits, base, limit = "0123456789abcdefABCDEF", 16, 2
        if following in "01234567":
            digits, base, limit = "01234567", 8, 3
            at -= following != "0"
        elif following != "x":
            data += simple.get(following, "\\" + following).encode("utf-8", "surrogateescape")
            continue
        end = at
        while end < len(text) and end - at < limit and text[end] in digits:
            end += 1
        data.append(int(text[at:end] or "0", base) & 0xFF)
        at = end
    return decode_text(bytes(data)), False


BUILTINS: Final[Mapping[str, Command]] = {
    ":": _true,
    "true": _true,
    "false": _false,
    "exit": _exit,
    "return": _exit,
    "break": _break,
    "continue": _break,
    "cd": _cd,
    "pwd": _pwd,
    "export": _export,
    "readonly": _export,
    "local": _export,
    "unset": _unset,
    "exec": _exec,
    "echo": _echo,
    "read": _read,
    "set": _set,
    "shift": _shift,
    "wait": _wait,
    "type": _type,
    "command": _type,
    "test": _test,
    "[": _test,
    "[[": _test,
}

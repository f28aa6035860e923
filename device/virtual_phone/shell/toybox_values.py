"""Commands that compute and print values: expr, printf, seq."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.shell.arithmetic import compute
from device.virtual_phone.shell.builtins import unescape
from device.virtual_phone.shell.lexer import ShellSyntaxError
from device.virtual_phone.shell.options import UsageError, read_options
from device.virtual_phone.shell.process import Command, Process


def _is_number(text: str) -> bool:
    return text.lstrip("+-").isdecimal()


async def _seq(process: Process) -> int:
    first = next((n for n, arg in enumerate(process.args) if _is_number(arg)), 0)
    options = read_options([*process.args[:first], "--", *process.args[first:]], "w", "fs")
    try:
        numbers = [int(text) for text in options.operands]
    except ValueError:
        return await process.fail("bad number")
    if not 1 <= len(numbers) <= 3:
        return await process.fail('Needs 1 argument (see "seq --help")')
    start = 1 if len(numbers) == 1 else numbers[0]
    step = numbers[1] if len(numbers) == 3 else 1
    last = numbers[-1]
    if step == 0:
        return await process.fail("step is 0")
    separator = unescape(options.values.get("s", "\n"))[0]
    values = range(start, last + (1 if step > 0 else -1), step)
    for at in range(0, len(values), 4096):
        chunk = values[at : at + 4096]
        end = "\n" if at + 4096 >= len(values) else separator
        await process.out(separator.join(map(str, chunk)) + end)
    return 0


async def _expr(process: Process) -> int:
    args = process.args
    if len(args) == 3 and args[1] in ("=", "!="):
        result = str(int((args[0] == args[2]) == (args[1] == "=")))
    elif len(args) == 1:
        result = args[0]
    else:
        try:
            result = str(compute(" ".join("==" if arg == "=" else arg for arg in args), {}))
        except ShellSyntaxError:
            return await process.fail("syntax error", 2)
    await process.out(result + "\n")
    return 1 if result in ("0", "") else 0


async def _printf(process: Process) -> int:
    if not process.args:
        return await process.fail('Needs 1 argument (see "printf --help")')
    form, *values = process.args
    form = unescape(form)[0]
    used = True
    while used or values:
        used = False
        text, at, before = "", 0, len(values)
        while at < len(form):
            if form[at] != "%" or at + 1 >= len(form):
                text += form[at]
                at += 1
                continue
            end = at + 1
            while end < len(form) - 1 and form[end] in "-+ 0123456789.#":
                end += 1
            flags, kind = form[at + 1 : end], form[end]
            at = end + 1
            if kind == "%":
                text += "%"
                continue
            text += _format(flags, kind, values.pop(0) if values else "")
        await process.out(text)
        if len(values) == before:
            break
    return 0


def _format(flags: str, kind: str, value: str) -> str:
    widths = [part for part in flags.lstrip("-+ 0#").split(".") if part]
    if any(not w.isdecimal() or int(w) > 4096 for w in widths):
        raise UsageError(f"bad format %{flags}{kind}")
    if kind in "dixXou":
        try:
            number = int(value or "0", 0)
        except ValueError:
            number = 0
        return str(f"%{flags}{'d' if kind in 'iu' else kind}" % number)
    if kind == "c":
        return value[:1]
    if kind == "b":
        return unescape(value)[0]
    if kind == "s":
        return str(f"%{flags}s" % value)
    raise UsageError(f"bad %{kind}@1")


COMMANDS: Final[Mapping[str, Command]] = {
    "expr": _expr,
    "printf": _printf,
    "seq": _seq,
}

"""`input`: taps, swipes, keys and text."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Final

from device.virtual_phone.framework.errors import argument_expected, inject_denied, throw
from device.virtual_phone.framework.keycodes import keycode_for
from device.virtual_phone.shell.process import Command, Process

_SOURCES: Final = frozenset({
    "dpad", "keyboard", "mouse", "touchpad", "gamepad", "touchnavigation", "joystick",
    "touchscreen", "stylus", "trackball", "rotaryencoder",
})  # fmt: skip
_USAGE: Final = (
    "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n\n"
    "The commands and default sources are:\n"
    "      text <string> (Default: keyboard)\n"
    "      keyevent [--longpress|--duration <duration to hold key down in ms>] <key code number"
    " or name> ... (Default: keyboard)\n"
    "      tap <x> <y> (Default: touchscreen)\n"
    "      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n"
    "      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n"
    "      press (Default: trackball)\n"
    "      roll <dx> <dy> (Default: trackball)\n"
    "      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)\n"
    "      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)\n"
)
_DEFAULT_SWIPE_MS: Final = 300
_MAX_SWIPE_MS: Final = 60_000
_KNOWN: Final = frozenset(
    {"tap", "swipe", "draganddrop", "text", "keyevent", "motionevent", "keycombination",
     "press", "roll", "scroll"}
)  # fmt: skip


async def _input(process: Process) -> int:
    args = list(process.args)
    display = 0
    while args and (args[0] in _SOURCES or args[0] == "-d"):
        if args.pop(0) == "-d":
            if not args:
                return await argument_expected(process, "-d", "-d")
            text = args.pop(0)
            if not text.lstrip("-").isdecimal():
                return await _not_a_number(process, "-d", text)
            display = int(text)
    if not args:
        await process.out(_USAGE)
        return 255
    command, *rest = args
    if command not in _KNOWN or (command == "keycombination" and process.system.profile.sdk < 31):
        old = process.system.profile.sdk < 31
        await process.out(f"Unknown command: {command}\n")
        return 0 if old else 255
    line = " ".join(process.args)
    if process.system.denies("input", line):
        return await inject_denied(process, command)
    if process.system.take_fault("input_ignored", line) is not None or display != 0:
        return 0
    return await _dispatch(process, command, rest)


async def _dispatch(process: Process, command: str, args: list[str]) -> int:
    match command:
        case "text":
            return await _text(process, args)
        case "keyevent":
            return await _keyevent(process, args)
        case "keycombination":
            return await _keycombination(process, args)
        case "motionevent":
            return await _motionevent(process, args)
        case "tap":
            return await _tap(process, args)
        case "swipe" | "draganddrop":
            return await _swipe(process, command, args)
        case _:
            return 0  # A phone has no trackball and no scroll wheel.


async def _numbers(
    process: Process, command: str, args: list[str], least: int
) -> list[float] | int:
    """The arguments as numbers, or the exit code after an exception was printed."""
    if len(args) < least:
        return await argument_expected(process, command, args[-1] if args else command)
    found: list[float] = []
    for arg in args:
        try:
            number = float(arg)
        except ValueError:
            number = float("nan")
        if not abs(number) < 1e7:
            return await _not_a_number(process, command, arg)
        found.append(number)
    return found


async def _not_a_number(process: Process, command: str, text: str) -> int:
    return await throw(
        process,
        command,
        f'java.lang.NumberFormatException: For input string: "{text}"\n'
        "\tat jdk.internal.math.FloatingDecimal.readJavaFormatString(FloatingDecimal.java:2054)\n"
        "\tat java.lang.Float.parseFloat(Float.java:459)",
    )


async def _tap(process: Process, args: list[str]) -> int:
    numbers = await _numbers(process, "tap", args[:2], 2)
    if isinstance(numbers, int):
        return numbers
    x, y = numbers
    system = process.system
    system.gesture(f"tap {x:g} {y:g}", lambda: system.phone.tap(x, y))
    return 0


async def _swipe(process: Process, command: str, args: list[str]) -> int:
    numbers = await _numbers(process, command, args[:5], 4)
    if isinstance(numbers, int):
        return numbers
    x1, y1, x2, y2 = numbers[:4]
    duration_ms = int(numbers[4]) if len(numbers) > 4 else _DEFAULT_SWIPE_MS
    if duration_ms < 0:
        duration_ms = _DEFAULT_SWIPE_MS
    duration_ms = min(duration_ms, _MAX_SWIPE_MS)
    system = process.system
    text = f"{command} {x1:g} {y1:g} {x2:g} {y2:g} {duration_ms}"
    await asyncio.sleep(duration_ms / 1000)
    system.gesture(text, lambda: system.phone.swipe(x1, y1, x2, y2, duration_ms))
    return 0


async def _motionevent(process: Process, args: list[str]) -> int:
    if not args:
        return await argument_expected(process, "motionevent", "motionevent")
    action = args[0].upper()
    if action not in ("DOWN", "UP", "MOVE", "CANCEL"):
        return await throw(
            process,
            "motionevent",
            f"java.lang.IllegalArgumentException: Unknown action: {args[0]}",
        )
    numbers = await _numbers(process, "motionevent", args[1:3], 2)
    if isinstance(numbers, int):
        return numbers
    x, y = numbers
    system = process.system

    def act() -> None:
        if action == "DOWN":
            system.phone.motion("DOWN", x, y)
        elif action == "MOVE":
            system.phone.motion("MOVE", x, y)
        else:
            system.phone.motion("UP", x, y)

    system.gesture(f"motionevent {action} {x:g} {y:g}", act)
    return 0


async def _keyevent(process: Process, args: list[str]) -> int:
    longpress = False
    hold_ms = 0
    delay_ms = 0
    names: list[str] = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--longpress":
            longpress = True
        elif arg in ("--delay", "--duration") and rest:
            value = rest.pop(0)
            number = int(value) if value.isdecimal() else 0
            delay_ms, hold_ms = (number, hold_ms) if arg == "--delay" else (delay_ms, number)
        elif arg not in ("--async", "--doubletap"):
            names.append(arg)
    if not names:
        return await argument_expected(process, "keyevent", args[-1] if args else "keyevent")
    system = process.system
    for position, name in enumerate(names):
        if position > 0 and delay_ms:
            await asyncio.sleep(min(delay_ms, _MAX_SWIPE_MS) / 1000)
        code = keycode_for(name)
        held = longpress or hold_ms >= 500
        if held:
            await asyncio.sleep(min(max(hold_ms, 500), _MAX_SWIPE_MS) / 1000)
        system.gesture(f"keyevent {code}", partial(system.phone.key, code, held))
    return 0


async def _keycombination(process: Process, args: list[str]) -> int:
    rest = list(args)
    if rest[:1] == ["-t"]:
        del rest[:2]
    if len(rest) < 2:
        return await throw(
            process,
            "keycombination",
            "java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes",
        )
    codes = [keycode_for(name) for name in rest]
    if 0 in codes:
        name = rest[codes.index(0)]
        return await throw(
            process,
            "keycombination",
            f"java.lang.IllegalArgumentException: Unknown keycode: {name}",
        )
    system = process.system
    shown = " ".join(map(str, codes))
    system.gesture(f"keycombination {shown}", lambda: system.phone.key_combination(codes))
    return 0


async def _text(process: Process, args: list[str]) -> int:
    """Types the first argument: `%s` is a space; a character without a key types nothing at all."""
    if not args:
        return await argument_expected(process, "text", "text")
    text = args[0].replace("%s", " ")
    if not all(" " <= char <= "~" or char in "\n\t" for char in text):
        if process.system.profile.sdk < 28:
            await process.err("Killed \n")
            return 137
        return await throw(
            process,
            "text",
            "java.lang.NullPointerException: Attempt to get length of null array\n"
            "\tat com.android.server.input.InputShellCommand.sendText"
            "(InputShellCommand.java:319)\n"
            "\tat com.android.server.input.InputShellCommand.runText"
            "(InputShellCommand.java:303)",
        )
    typed = "".join(char for char in text if char not in "\n\t")
    system = process.system
    system.gesture(f"text {typed!r}", lambda: system.phone.type_ascii(typed))
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"input": _input}

"""`uiautomator dump`: the tree of the active window."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.faults import Fault
from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.process import Command, Process, encode_text

_DEFAULT_FILE: Final = "/sdcard/window_dump.xml"
_IDLE_TIMEOUT_S: Final = 10.0
_IDLE_POLL_S: Final = 0.05
_LAST_SDK_WITHOUT_EMOJI: Final = 28
_EMOJI: Final = re.compile("[\U00010000-\U0010ffff]")


async def _uiautomator(process: Process) -> int:
    match process.args:
        case ["dump", *rest]:
            return await _dump(process, rest)
        case ["runtest" | "events", *_]:
            await process.err("Error: this phone has no tests to run and no event log\n")
            return 1
        case ["help"] | []:
            await process.err(
                "Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\n"
                "help: displays help message\n\nruntest: executes UI automation tests\n\n"
                "dump: creates an XML dump of current UI hierarchy\n"
                "    dump [--verbose][file]\n"
                "      [--compressed]: dumps compressed layout information.\n"
                "      [--windows]: dumps all windows\n"
                "      [file]: the location where the dumped XML should be stored, default is\n"
                "      /sdcard/window_dump.xml\n\nevents: prints out accessibility events\n"
            )
            return 0
        case _:
            await process.err(f"Unknown command: {process.args[0]}\n")
            return 1


async def _dump(process: Process, args: list[str]) -> int:
    system = process.system
    line = " ".join(["uiautomator dump", *args])
    name = next((arg for arg in args if not arg.startswith("-")), _DEFAULT_FILE)
    # There is one UiAutomation: a client that holds it gets every other one killed.
    if system.agents or system.take_fault("dump_killed", line):
        await process.err("Killed \n")
        return 137
    await process.err(system.profile.quirks.dump_noise)
    no_idle: Fault | None = system.take_fault("dump_no_idle", line)
    if no_idle is not None:
        await asyncio.sleep(no_idle.delay_s)
    if no_idle is not None or not await _wait_for_idle(process):
        await process.err("ERROR: could not get idle state.\n")
        return 0
    if system.take_fault("dump_null_root", line):
        await process.err("ERROR: null root node returned by UiTestAutomationBridge.\n")
        return 0
    snapshot = system.phone.snapshot()
    xml = await system.in_thread(snapshot.xml)
    if system.profile.sdk <= _LAST_SDK_WITHOUT_EMOJI and (found := _EMOJI.search(xml)):
        await process.err(_illegal_character(found[0]))
        return 1
    try:
        sink = system.open_sink(process.path(name), terminal=process.streams.stdout)
    except FileError as error:
        await process.err(
            f"java.io.FileNotFoundException: {name}: open failed: ({error.text})\n"
            "\tat libcore.io.IoBridge.open(IoBridge.java:574)\n"
        )
        return 1
    await sink.write(encode_text(xml))
    await process.out(f"UI hierchary dumped to: {name}\n")
    return 0


def _illegal_character(char: str) -> str:
    """The old serializer writes no character outside the basic plane: it names its first half."""
    half = 0xD800 + ((ord(char) - 0x10000) >> 10)
    return (
        f"java.lang.IllegalArgumentException: Illegal character ({half:x})\n"
        "\tat org.kxml2.io.KXmlSerializer.reportInvalidCharacter(KXmlSerializer.java:144)\n"
        "\tat org.kxml2.io.KXmlSerializer.writeEscaped(KXmlSerializer.java:130)\n"
    )


async def _wait_for_idle(process: Process) -> bool:
    """Waits while the screen moves; False when it never stops."""
    deadline_s = time.monotonic() + _IDLE_TIMEOUT_S
    process.system.catch_up()
    while process.system.phone.animating:
        if time.monotonic() > deadline_s:
            return False
        await asyncio.sleep(_IDLE_POLL_S)
        process.system.catch_up()
    return True


COMMANDS: Final[Mapping[str, Command]] = {"uiautomator": _uiautomator}

"""`uiautomator dump`: the tree of the active window."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.process import Command, Process, encode_text

_DEFAULT_FILE: Final = "/sdcard/window_dump.xml"
_IDLE_TIMEOUT_S: Final = 10.0
_IDLE_POLL_S: Final = 0.05


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
    if system.take_fault("dump_killed", line):
        await process.err("Killed \n")
        return 137
    no_idle = system.take_fault("dump_no_idle", line) is not None
    if no_idle or not await _wait_for_idle(process):
        await process.err("ERROR: could not get idle state.\n")
        return 0
    if system.take_fault("dump_null_root", line):
        await process.err("ERROR: null root node returned by UiTestAutomationBridge.\n")
        return 0
    snapshot = system.phone.snapshot()
    xml = await system.in_thread(snapshot.xml)
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

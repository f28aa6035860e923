"""`cmd SERVICE ...`: the shell commands of system services."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.dump_display import list_displays
from device.virtual_phone.framework.services import SERVICES
from device.virtual_phone.framework.settings import get_setting, put_setting
from device.virtual_phone.shell.process import Command, Process

#: Services whose shell command is a command of its own.
_SAME_AS: Final[Mapping[str, str]] = {
    "activity": "am",
    "input": "input",
    "package": "pm",
    "settings": "settings",
    "window": "wm",
    "input_method": "ime",
}


async def _cmd(process: Process) -> int:
    args = [arg for arg in process.args if arg != "-w"]
    if not args:
        await process.err("cmd: No service specified; use -l to list all services\n")
        return 20
    service, *rest = args
    if service == "-l":
        names = "".join(f"  {name}\n" for name in SERVICES)
        await process.out(f"Currently running services:\n{names}")
        return 0
    if service in _SAME_AS:
        return await process.shell.call(_SAME_AS[service], rest, process.streams)
    if service not in SERVICES:
        await process.err(f"cmd: Can't find service: {service}\n")
        return 20
    match service:
        case "statusbar":
            return await _statusbar(process, rest)
        case "display":
            return await _display(process, rest)
        case "uimode":
            return await _uimode(process, rest)
        case "bluetooth_manager":
            return await _bluetooth(process, rest)
        case "wifi":
            return await _wifi(process, rest)
        case "connectivity":
            return await _connectivity(process, rest)
        case _:
            await process.err("No shell command implementation.\n")
            return 0


async def _unknown(process: Process, args: list[str]) -> int:
    await process.out(f"Unknown command: {args[0] if args else ''}\n")
    return 255


async def _statusbar(process: Process, args: list[str]) -> int:
    phone = process.system.phone
    process.system.catch_up()
    match args:
        case ["expand-notifications"]:
            phone.expand_notifications()
        case ["expand-settings"]:
            phone.expand_settings()
        case ["collapse"]:
            phone.collapse_panels()
        case _:
            return await _unknown(process, args)
    return 0


async def _display(process: Process, args: list[str]) -> int:
    match args:
        case ["get-displays", *_] if process.system.profile.sdk >= 30:
            await process.out(list_displays(process.system))
        case ["power-off" | "power-on", *_]:
            await process.err("Error: this phone's panel can't be switched apart from its sleep\n")
            return 255
        case _:
            return await _unknown(process, args)
    return 0


async def _uimode(process: Process, args: list[str]) -> int:
    phone = process.system.phone
    match args:
        case ["night", "yes" | "no" as value]:
            put_setting(phone, "secure", "ui_night_mode", "2" if value == "yes" else "1")
        case ["night"]:
            pass
        case _:
            return await _unknown(process, args)
    night = get_setting(phone, "secure", "ui_night_mode") == "2"
    await process.out(f"Night mode: {'yes' if night else 'no'}\n")
    return 0


async def _switch(process: Process, key: str, value: str) -> int:
    process.system.catch_up()
    put_setting(process.system.phone, "global", key, value)
    return 0


async def _bluetooth(process: Process, args: list[str]) -> int:
    match args:
        case ["enable" | "disable" as verb]:
            return await _switch(process, "bluetooth_on", "1" if verb == "enable" else "0")
        case ["wait-for-state:STATE_ON" | "wait-for-state:STATE_OFF"]:
            return 0
        case _:
            return await _unknown(process, args)


async def _wifi(process: Process, args: list[str]) -> int:
    on = get_setting(process.system.phone, "global", "wifi_on") != "0"
    match args:
        case ["set-wifi-enabled", "enabled" | "disabled" as state]:
            return await _switch(process, "wifi_on", "1" if state == "enabled" else "0")
        case ["status"]:
            await process.out(f"Wifi is {'enabled' if on else 'disabled'}\n")
            return 0
        case _:
            return await _unknown(process, args)


async def _connectivity(process: Process, args: list[str]) -> int:
    match args:
        case ["airplane-mode"]:
            on = get_setting(process.system.phone, "global", "airplane_mode_on") == "1"
            await process.out("enabled\n" if on else "disabled\n")
            return 0
        case ["airplane-mode", "enable" | "disable" as verb]:
            return await _switch(process, "airplane_mode_on", "1" if verb == "enable" else "0")
        case _:
            return await _unknown(process, args)


COMMANDS: Final[Mapping[str, Command]] = {"cmd": _cmd}

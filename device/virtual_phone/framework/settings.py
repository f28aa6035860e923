"""`settings` and `svc`: the values behind the switches on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.errors import argument_expected, settings_denied
from device.virtual_phone.shell.process import Command, Process
from device.virtual_phone.surface import Phone

NAMESPACES: Final = ("system", "secure", "global")

_SWITCHES: Final[Mapping[str, str]] = {
    "wifi": "wifi_on",
    "bluetooth": "bluetooth_on",
    "data": "mobile_data",
    "nfc": "nfc_on",
}


def put_setting(phone: Phone, space: str, key: str, value: str) -> None:
    """Changes one setting; what is on the screen follows."""
    phone.settings[space][key] = value


def get_setting(phone: Phone, space: str, key: str) -> str:
    """One setting as `settings get` prints it: `null` if it isn't there."""
    return phone.settings.get(space, {}).get(key, "null")


async def _settings(process: Process) -> int:
    args = list(process.args)
    if "--user" in args:
        at = args.index("--user")
        del args[at : at + 2]
    if not args:
        await process.out("Settings provider (settings) commands:\n  get | put | delete | list\n")
        return 255
    command, *rest = args
    if command not in ("get", "put", "delete", "list"):
        await process.out(f"Unknown command: {command}\n")
        return 255
    if not rest:
        return await argument_expected(process, command, command)
    space, *rest = rest
    if space not in NAMESPACES:
        await process.err(f"Invalid namespace '{space}'\n")
        return 255
    phone = process.system.phone
    values = phone.settings[space]
    if command == "list":
        await process.out("".join(f"{key}={values[key]}\n" for key in sorted(values)))
        return 0
    if not rest:
        return await argument_expected(process, command, space)
    key = rest[0]
    if command == "get":
        await process.out(values.get(key, "null") + "\n")
        return 0
    if space != "system" and process.system.denies("secure_settings", "settings " + command):
        return await settings_denied(process, command)
    if command == "delete":
        count = int(values.pop(key, None) is not None)
        await process.out(f"Deleted {count} rows\n")
        return 0
    if len(rest) < 2:
        return await argument_expected(process, command, key)
    put_setting(phone, space, key, rest[1])
    return 0


async def _svc(process: Process) -> int:
    match process.args:
        case ["power", "stayon", value] if value in ("true", "false", "usb", "ac", "wireless"):
            number = {"true": "15", "false": "0", "ac": "1", "usb": "2", "wireless": "4"}[value]
            put_setting(process.system.phone, "global", "stay_on_while_plugged_in", number)
        case ["power", "reboot", *_] | ["power", "shutdown"]:
            process.system.reboot()
        case ["wifi" | "bluetooth" | "data" | "nfc" as name, "enable" | "disable" as verb]:
            value = "1" if verb == "enable" else "0"
            put_setting(process.system.phone, "global", _SWITCHES[name], value)
        case _:
            await process.err(
                "Available commands:\n    help     Show information about the subcommands\n"
                "    power    Control the power manager\n    data     Control mobile data "
                "connectivity\n    wifi     Control the Wi-Fi manager\n    bluetooth     Control "
                "Bluetooth service\n"
            )
            return 1
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"settings": _settings, "svc": _svc}

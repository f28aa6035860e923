"""`wm`: size, density, rotation, keyguard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.settings import get_setting, put_setting
from device.virtual_phone.shell.process import Command, Process


async def _wm(process: Process) -> int:
    profile, phone = process.system.profile, process.system.phone
    match process.args:
        case ["size"] | ["size", "reset"]:
            if len(process.args) == 1:
                await process.out(f"Physical size: {phone.width_px}x{phone.height_px}\n")
        case ["density"] | ["density", "reset"]:
            if len(process.args) == 1:
                await process.out(f"Physical density: {profile.density}\n")
        case ["size" | "density" as what, *_]:
            await process.err(f"Error: this phone's {what} is fixed\n")
            return 255
        case ["user-rotation" | "set-user-rotation", *rest]:
            return await _user_rotation(process, rest)
        case ["dismiss-keyguard"]:
            process.system.catch_up()
            phone.locked = False
        case ["fixed-to-user-rotation" | "set-fix-to-user-rotation", *_]:
            pass
        case ["overscan", *_]:
            await process.out("Unknown command: overscan\n")
            return 255
        case [command, *_]:
            await process.out(f"Unknown command: {command}\n")
            return 255
        case _:
            await process.out("Window manager (window) commands:\n  size | density\n")
            return 255
    return 0


async def _user_rotation(process: Process, args: list[str]) -> int:
    phone = process.system.phone
    process.system.catch_up()
    match args:
        case []:
            free = get_setting(phone, "system", "accelerometer_rotation") == "1"
            rotation = get_setting(phone, "system", "user_rotation")
            shown = rotation if rotation.isdecimal() else "0"
            await process.out("free\n" if free else f"lock {shown}\n")
        case ["free"]:
            put_setting(phone, "system", "accelerometer_rotation", "1")
        case ["lock", *rest] if not rest or rest[-1] in ("0", "1", "2", "3"):
            value = rest[-1] if rest else str(phone.rotation)
            put_setting(phone, "system", "accelerometer_rotation", "0")
            put_setting(phone, "system", "user_rotation", value)
        case _:
            await process.err(
                f"Error: lock mode needs to be either free or lock {' '.join(args)}\n"
            )
            return 255
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"wm": _wm}

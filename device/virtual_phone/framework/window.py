"""`wm`: size, density, rotation, keyguard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.settings import get_setting, put_setting
from device.virtual_phone.shell.process import Command, Process


async def _wm(process: Process) -> int:
    phone = process.system.phone
    match process.args:
        case ["size"] | ["size", "reset"]:
            if len(process.args) == 1:
                await process.out(_size(process))
        case ["density"] | ["density", "reset"]:
            if len(process.args) == 1:
                await process.out(_density(process))
        case ["size" | "density" as what, *_]:
            await process.err(f"Error: this phone's {what} is fixed\n")
            return 255
        case ["user-rotation" | "set-user-rotation", *rest]:
            return await _user_rotation(process, rest)
        case ["dismiss-keyguard"]:
            process.system.catch_up()
            if not process.system.profile.quirks.keyguard_needs_swipe:
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


def _size(process: Process) -> str:
    """The panel's own size, and the user's choice where there is one; neither ever turns."""
    phone = process.system.phone
    physical = process.system.profile.quirks.physical_size_px
    used = f"{phone.width_px}x{phone.height_px}\n"
    if physical is None:
        return f"Physical size: {used}"
    return f"Physical size: {physical[0]}x{physical[1]}\nOverride size: {used}"


def _density(process: Process) -> str:
    profile = process.system.profile
    physical = profile.quirks.physical_density
    if physical is None:
        return f"Physical density: {profile.density}\n"
    return f"Physical density: {physical}\nOverride density: {profile.density}\n"


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

"""The table of all commands that the phone has."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework import (
    activity,
    app_process,
    cmd,
    dumpsys,
    input_method,
    network,
    packages,
    properties,
    screen,
    services,
    settings,
    touch,
    uiautomator,
    window,
)
from device.virtual_phone.shell import (
    toybox_encode,
    toybox_files,
    toybox_paths,
    toybox_search,
    toybox_system,
    toybox_text,
    toybox_values,
)
from device.virtual_phone.shell.process import Command

_COMMANDS: Final[Mapping[str, Command]] = {
    name: command
    for module in (
        toybox_encode, toybox_files, toybox_paths, toybox_search, toybox_system, toybox_text,
        toybox_values,
        activity, app_process, cmd, dumpsys, input_method, network, packages, properties, screen,
        services, settings, touch, uiautomator, window,
    )
    for name, command in module.COMMANDS.items()
}  # fmt: skip

_DIRECTORIES: Final = ("/system/bin", "/bin", "/system/xbin", "/vendor/bin", "/product/bin")


def find_command(name: str) -> Command | None:
    """The command for a name or for a path in a program directory; None if there is none."""
    directory, base = posixpath.split(name)
    if directory and directory not in _DIRECTORIES:
        return None
    return _COMMANDS.get(base)


def installed_commands() -> list[str]:
    """All names, sorted."""
    return sorted(_COMMANDS)

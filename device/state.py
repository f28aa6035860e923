"""The health of a phone in one round trip."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from device.displays import read_size
from device.errors import (
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    DeviceUnauthorizedError,
)
from device.orientation import read_window_orientation
from device.power import read_battery_percent, read_locked, read_wakefulness
from device.properties import effective_sdk, read_properties
from device.protocol import DeviceState, DeviceStateName
from device.quoting import ShellCommand, command, join, script
from device.transport import Transport

_QUESTIONS: Mapping[str, ShellCommand] = {
    "properties": command("getprop"),
    "power": script("dumpsys power | grep -i wakefulness"),
    "policy": command("dumpsys", "window", "policy"),
    "displays": command("dumpsys", "window", "displays"),
    "size": command("wm", "size"),
    "battery": script("dumpsys battery | grep level"),
}


def ask_all(transport: Transport, questions: Mapping[str, ShellCommand]) -> dict[str, str]:
    """Run several commands in one round trip and tell their outputs apart.

    Args:
        transport: The phone.
        questions: Commands by name.

    Returns:
        What each printed (both streams), by its name.
    """
    mark = f"MARK{secrets.token_hex(8)}"
    commands = [part for each in questions.values() for part in (each, command("echo", mark))]
    text = transport.read(join(commands)).text
    return dict(zip(questions, text.split(f"{mark}\n"), strict=False))


def read_state(transport: Transport) -> DeviceState:
    """Read the health of a phone; one that is not ready is a state, not an error.

    Raises:
        DeviceError: The adb server does not answer, or the phone did not in time.
    """
    try:
        told = ask_all(transport, _QUESTIONS)
    except DeviceError as error:
        state = _state_of(error)
        if state is None:
            raise
        return DeviceState(transport.serial, state)
    wakefulness = read_wakefulness(told.get("power", ""))
    turned = read_window_orientation(told.get("displays", ""))
    size = read_size(told.get("size", ""))
    width_px, height_px = turned.width_px, turned.height_px
    if width_px is None and size is not None:
        sides = size.width_px, size.height_px
        width_px, height_px = reversed(sides) if turned.rotation in {1, 3} else sides
    properties = read_properties(told.get("properties", ""))
    release = properties.get("ro.build.version.release", "")
    sdk = properties.get("ro.build.version.sdk", "")
    return DeviceState(
        transport.serial,
        "device",
        awake=None if wakefulness is None else wakefulness == "Awake",
        locked=read_locked(told.get("policy", "") + told.get("displays", "")),
        rotation=turned.rotation,
        width_px=width_px,
        height_px=height_px,
        model=properties.get("ro.product.model", ""),
        manufacturer=properties.get("ro.product.manufacturer", ""),
        android_release=release,
        sdk=effective_sdk(int(sdk), release) if sdk.isascii() and sdk.isdigit() else None,
        battery_percent=read_battery_percent(told.get("battery", "")),
    )


def _state_of(error: DeviceError) -> DeviceStateName | None:
    if isinstance(error, DeviceOfflineError):
        return "offline"
    if isinstance(error, DeviceUnauthorizedError):
        return "unauthorized"
    return "detached" if isinstance(error, DeviceNotFoundError) else None

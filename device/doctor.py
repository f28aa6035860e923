"""What is missing between this machine and a phone, and how to put it right: as plain data."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from device.adb_device import AdbDevice, default_state_dir
from device.adb_server import find_adb, probe_server, start_server
from device.apps import read_users
from device.discovery import DeviceInfo, list_devices, not_ready_error
from device.displays import read_density, read_logical_displays
from device.errors import DeviceError, SecureSettingsDeniedError
from device.failures import check, check_silent
from device.keyboards import Keyboards, KeyboardStore
from device.keys import input_command
from device.properties import read_scale
from device.quoting import command, script
from device.state import ask_all
from device.transport import AdbServer, Transport

_CLOCK_TOLERANCE_S = 120
_STORAGE_MIN_KB = 50_000
_KEYCODE_UNKNOWN = 0
_ANDROID_MIN_SDK = 26


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: Stable name: `adb`, `server`, `devices`, `screenshot`, ...
        ok: Whether it is as it should be.
        message: What was found.
        remedy: What to do, or "" where nothing is to be done.
        optional: Work is possible without it.
        serial: The phone it is about, or "".
    """

    check: str
    ok: bool
    message: str
    remedy: str = ""
    optional: bool = False
    serial: str = ""


def diagnose(
    serial: str | None = None, *, server: AdbServer | None = None, state_dir: Path | None = None
) -> list[Finding]:
    """Look at everything from the adb program to a harmless key press; nothing is changed.

    Args:
        serial: Look at this phone only; by default at every one that is ready.
        server: The adb server.
        state_dir: Where borrowed keyboards are written down.

    Returns:
        Findings in the order of looking; later ones are left out where an earlier one bars them.
    """
    findings: list[Finding] = []
    try:
        server = server or AdbServer()
        findings.append(_check_program())
        findings.append(_check_server(server))
        if not findings[-1].ok:
            return findings
        devices = list_devices(server)
    except DeviceError as error:
        findings.append(_failed("server", error))
        return findings
    wanted = [info for info in devices if serial is None or info.serial == serial]
    findings.append(_check_list(wanted, serial))
    for info in wanted:
        findings += _check_device(info, server, state_dir or default_state_dir())
    return findings


def _check_program() -> Finding:
    try:
        return Finding("adb", True, f"adb program: {find_adb()}")
    except DeviceError as error:
        return _failed("adb", error)


def _check_server(server: AdbServer) -> Finding:
    try:
        start_server(server.address)
    except DeviceError as error:
        return _failed("server", error)
    version = probe_server(server.address)
    message = f"adb server at {server.address}, protocol version {version}"
    if version is not None and version < 41:
        return Finding(
            "server",
            False,
            f"{message}: an old adb of another program runs it",
            "end that program (phone suites and emulators bring their own adb), then run "
            "`adb start-server`",
            optional=True,
        )
    return Finding("server", True, message)


def _check_list(devices: list[DeviceInfo], serial: str | None) -> Finding:
    if not devices:
        return Finding(
            "devices",
            False,
            f"no phone {serial}" if serial else "no phone is connected",
            "switch on USB debugging on the phone and plug it in, or `localserver connect "
            "HOST:PORT`; a virtual one starts with `localserver phone` (HarmonyOS NEXT has no adb)",
        )
    listed = ", ".join(f"{info.serial} ({info.state})" for info in devices)
    return Finding("devices", any(info.is_ready for info in devices), f"phones: {listed}")


def _check_device(info: DeviceInfo, server: AdbServer, state_dir: Path) -> list[Finding]:
    if not info.is_ready:
        return [_failed("state", not_ready_error(info), info.serial)]
    device = AdbDevice(Transport(info.serial, server), state_dir=state_dir)
    checks: tuple[tuple[str, Callable[[AdbDevice], Finding]], ...] = (
        ("system", _check_system),
        ("screen", _check_screen),
        ("screenshot", _check_screenshot),
        ("input", _check_input),
        ("keyboard", lambda d: _check_keyboard(d, state_dir)),
        ("users", _check_users),
        ("animations", _check_animations),
        ("storage", _check_storage),
        ("clock", _check_clock),
    )
    findings = []
    for name, look in checks:
        try:
            findings.append(look(device))
        except DeviceError as error:
            findings.append(_failed(name, error, info.serial))
    return findings


def _check_system(device: AdbDevice) -> Finding:
    state = device.state()
    name = f"{state.manufacturer} {state.model}".strip() or "unnamed"
    message = f"{name}, Android {state.android_release or '?'} (API {state.sdk or '?'})"
    if state.sdk is not None and state.sdk < _ANDROID_MIN_SDK:
        return Finding(
            "system", False, message, "use Android 8 or newer", True, serial=device.serial
        )
    return Finding("system", True, message, serial=device.serial)


def _check_screen(device: AdbDevice) -> Finding:
    state = device.state()
    size = f"{state.width_px}x{state.height_px}"
    if state.awake is False:
        return Finding(
            "screen", False, f"{size}, off", "press the power button", serial=device.serial
        )
    if state.locked:
        return Finding(
            "screen", False, f"{size}, locked", "unlock it by hand", serial=device.serial
        )
    told = ask_all(
        device.transport,
        {
            "density": command("wm", "density"),
            "displays": command("cmd", "display", "get-displays"),
        },
    )
    density = read_density(told.get("density", ""))
    others = [d for d in read_logical_displays(told.get("displays", "")) if d.id != 0]
    message = f"{size}, on" + (f", {density} dpi" if density else "")
    if others:
        listed = ", ".join(f"{d.id} ({'on' if d.on else 'off'})" for d in others)
        message += f"; further displays: {listed}"
    return Finding("screen", True, message, serial=device.serial)


def _check_screenshot(device: AdbDevice) -> Finding:
    start = time.monotonic()
    shot = device.screenshot()
    took_s = time.monotonic() - start
    message = f"{shot.width_px}x{shot.height_px} PNG of {len(shot.data)} bytes in {took_s:.2f} s"
    if shot.black is not None:
        return Finding(
            "screenshot",
            False,
            f"{message}, all black ({shot.black})",
            "wake the phone, and leave the app that forbids screenshots",
            serial=device.serial,
        )
    return Finding("screenshot", True, message, serial=device.serial)


def _check_input(device: AdbDevice) -> Finding:
    """A key without a meaning proves that input may be injected."""
    run = device.transport.run(input_command("keyevent", _KEYCODE_UNKNOWN))
    check_silent(run, "take a key")
    return Finding("input", True, "taps and keys are accepted", serial=device.serial)


def _check_keyboard(device: AdbDevice, state_dir: Path) -> Finding:
    keyboards = Keyboards(device.transport, KeyboardStore(state_dir / "keyboards"))
    try:
        helper = keyboards.find_helper()
    except SecureSettingsDeniedError as error:
        return _failed("keyboard", error, device.serial)
    if helper is None:
        return Finding(
            "keyboard",
            False,
            "no helper keyboard: only plain ASCII text can be typed",
            "`localserver keyboard install` for Chinese, accents and emoji",
            optional=True,
            serial=device.serial,
        )
    return Finding("keyboard", True, f"helper keyboard {helper.ime_id}", serial=device.serial)


def _check_animations(device: AdbDevice) -> Finding:
    names = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
    told = ask_all(device.transport, {n: command("settings", "get", "global", n) for n in names})
    scales = [read_scale(told.get(name, "")) for name in names]
    if all(scale == 0 for scale in scales):
        return Finding("animations", True, "animations are off", serial=device.serial)
    return Finding(
        "animations",
        True,
        "animations are on: each step waits for them",
        "switch the three animation scales off in the developer options to save time",
        optional=True,
        serial=device.serial,
    )


def _check_users(device: AdbDevice) -> Finding:
    """Names of users are personal: only numbers are told."""
    run = device.transport.read(command("pm", "list", "users"))
    users = read_users(run.text)
    if len(users) < 2:
        return Finding("users", True, "one Android user", serial=device.serial)
    numbers = ", ".join(str(user.id) for user in users)
    return Finding(
        "users",
        True,
        f"Android users {numbers}: only the apps of the one in front are opened",
        optional=True,
        serial=device.serial,
    )


def _check_storage(device: AdbDevice) -> Finding:
    run = check(device.transport.run(script("df -k /data/local/tmp | tail -n 1")), "tell its space")
    free = re.search(r"\s(\d+)\s+\d+%", run.text)
    if free is None:
        return Finding(
            "storage", True, "free space is not told", optional=True, serial=device.serial
        )
    free_kb = int(free[1])
    message = f"{free_kb // 1024} MB free"
    if free_kb < _STORAGE_MIN_KB:
        return Finding("storage", False, message, "free some space", True, serial=device.serial)
    return Finding("storage", True, message, serial=device.serial)


def _check_clock(device: AdbDevice) -> Finding:
    run = check(device.transport.run(command("date", "+%s")), "tell its time")
    told = run.text.strip()
    if not told.isdigit():
        return Finding("clock", True, "time is not told", optional=True, serial=device.serial)
    apart_s = abs(int(told) - time.time())
    if apart_s > _CLOCK_TOLERANCE_S:
        return Finding(
            "clock",
            False,
            f"the phone's clock is {apart_s:.0f} s away from this machine's",
            "set the phone's time automatically: signing in fails with a wrong clock",
            optional=True,
            serial=device.serial,
        )
    return Finding("clock", True, "clocks agree", serial=device.serial)


def _failed(name: str, error: DeviceError, serial: str = "") -> Finding:
    what, _, remedy = error.message.partition("; ")
    return Finding(name, False, what, remedy or "try again", serial=serial)

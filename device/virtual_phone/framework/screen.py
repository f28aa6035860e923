"""`screencap`: the picture of the screen, as PNG or raw."""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.faults import Fault
from device.virtual_phone.framework.settings import put_setting
from device.virtual_phone.fs import FileError
from device.virtual_phone.quirks import Panel
from device.virtual_phone.shell.options import UsageError, read_options
from device.virtual_phone.shell.process import Command, Process
from device.virtual_phone.surface import Phone, Snapshot

_WARNING: Final = (
    "[Warning] Multiple displays were found, but no display id was specified! Defaulting to the "
    "first display found, however this default is not guaranteed to be consistent across captures."
    "\nA display id should be specified.\n"
    'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
_USAGE: Final = (
    "usage: screencap [-ahp] [-d display-id] [FILENAME]\n"
    "   -h: this message\n"
    "   -a: captures all the active physical displays. This appends an integer postfix to the "
    "FILENAME.\n"
    "   -d: specify the display ID to capture\n"
    "   -p: outputs in png format.\n"
    "If FILENAME ends with .png it will be saved as a png.\n"
    "If FILENAME is not given, the results will be printed to stdout.\n"
)


async def _screencap(process: Process) -> int:
    try:
        options = read_options(process.args, "aph", "d")
    except UsageError:
        await process.err(_USAGE)
        return 1
    if options.has("h"):
        await process.err(_USAGE)
        return 1
    line = " ".join(["screencap", *process.args])
    system = process.system
    if slow := system.take_fault("slow_screencap", line):
        await asyncio.sleep(slow.delay_s)
    display = options.values.get("d")
    quirks = system.profile.quirks
    panels = [panel for panel in (quirks.cover, quirks.panel) if panel is not None]
    panel = next((p for p in panels if display in (None, str(p.surface_id))), None)
    if panel is None:
        await process.err("Failed to take screenshot. Status: -2\nCapturing failed.\n")
        return 0
    if system.take_fault("screenshot_refused", line):
        await process.err("Failed to take screenshot. Status: -1\nCapturing failed.\n")
        return 0
    if system.take_fault("screenshot_refused_stdout", line):
        await process.out("Failed to take screenshot. Status: -1\nCapturing failed.\n")
        return 0
    if display is None and (len(panels) > 1 or system.take_fault("display_warning", line)):
        await process.err(_WARNING)
    name = options.operands[0] if options.operands else None
    as_png = options.has("p") or (name is not None and name.endswith(".png"))
    data = await _capture(process, line, panel, as_png=as_png)
    cut: Fault | None = system.take_fault("truncated_screenshot", line)
    if cut is not None:
        data = data[: int(len(data) * cut.keep)]
    if system.take_fault("screenshot_crlf", line):
        data = data.replace(b"\n", b"\r\n")
    if system.take_fault("rotates_after_screenshot", line):
        _turn(system.phone)
    if system.take_fault("folds_after_screenshot", line):
        system.set_folded(not system.is_folded)
    if name is None:
        await process.streams.stdout.write(data)
        return 0
    try:
        system.fs.write(process.path(name), data)
    except FileError as error:
        await process.err(f"Error opening file: {name} ({error.text})\n")
        return 1
    return 0


def _turn(phone: Phone) -> None:
    """Turns the phone by a quarter."""
    put_setting(phone, "system", "accelerometer_rotation", "0")
    put_setting(phone, "system", "user_rotation", str((phone.rotation + 1) % 4))


async def _capture(process: Process, line: str, panel: Panel, *, as_png: bool) -> bytes:
    system = process.system
    system.catch_up()
    snapshot = system.phone.snapshot()
    dark = panel.size_px is not None
    width_px, height_px = panel.size_px or (snapshot.width_px, snapshot.height_px)
    secure = not dark and system.take_fault("secure_black", line) is not None
    focus = system.phone.focus()
    system.secure_window = focus.window if secure and focus is not None else ""
    if dark or secure:
        if as_png:
            return await system.in_thread(black_png, width_px, height_px)
        return _raw(system.profile.sdk, width_px, height_px, _black_pixels(width_px, height_px))
    if as_png:
        return await system.in_thread(snapshot.png)
    return await system.in_thread(_raw_snapshot, system.profile.sdk, snapshot)


def _raw_snapshot(sdk: int, snapshot: Snapshot) -> bytes:
    return _raw(sdk, snapshot.width_px, snapshot.height_px, snapshot.paint())


def _raw(sdk: int, width_px: int, height_px: int, pixels: bytes) -> bytes:
    """Header and RGBA rows: width, height, format 1, and from Android 9 the colour space."""
    header = struct.pack("<III", width_px, height_px, 1)
    return header + (struct.pack("<I", 1) if sdk >= 28 else b"") + pixels


def _black_pixels(width_px: int, height_px: int) -> bytes:
    return b"\x00\x00\x00\xff" * (width_px * height_px)


def black_png(width_px: int, height_px: int) -> bytes:
    """An opaque black RGBA PNG: what a secure window gives."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = (b"\x00" + b"\x00\x00\x00\xff" * width_px) * height_px
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width_px, height_px, 8, 6, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, 1))
        + chunk(b"IEND", b"")
    )


COMMANDS: Final[Mapping[str, Command]] = {"screencap": _screencap}

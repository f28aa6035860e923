"""How the screen is turned, from whichever of four sources knows: pure functions.

Best first: the active internal viewport, the override display info, the window manager, and last
the touch mapper of `dumpsys input`. The sensor's and the user's wish (`user_rotation`,
`mCurrentRotation`) are not the rotation of the screen and are never read for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from device.displays import active_internal, read_quarter_turns, read_viewports
from device.properties import read_setting
from device.protocol import Rotation

_OVERRIDE_INFO = re.compile(r"mOverrideDisplayInfo=DisplayInfo\{(?P<body>[^\n]*)")
_REAL_SIZE = re.compile(r"\breal (\d+) x (\d+)")
_FRAMES = re.compile(r"DisplayFrames w=(\d+) h=(\d+) r=(\d+)")
_CURRENT = re.compile(r"\bcur=(\d+)x(\d+)")
_WINDOW_ROTATION = re.compile(r"\bmRotation=(?:ROTATION_)?(\d+)")
_MAPPER = re.compile(
    r"^\s*(?:SurfaceOrientation|InputDeviceOrientation):\s*(?:Rotation)?(\d+)", re.MULTILINE
)
_DISABLED_MAPPER = re.compile(r"\(mode - DISABLED\)")


@dataclass(frozen=True, slots=True)
class Orientation:
    """What a source tells of the screen as it is turned now; None where it is silent."""

    rotation: Rotation | None = None
    width_px: int | None = None
    height_px: int | None = None


def read_display_orientation(text: str) -> Orientation:
    """Read `dumpsys display`."""
    viewport = active_internal(read_viewports(text))
    if viewport is not None and viewport.rotation is not None:
        return Orientation(viewport.rotation, viewport.width_px, viewport.height_px)
    override = _OVERRIDE_INFO.search(text)
    if override is None:
        return Orientation()
    size = _REAL_SIZE.search(override["body"])
    turned = re.search(r"\brotation (\d+)", override["body"])
    return Orientation(
        read_quarter_turns(turned[1]) if turned else None,
        int(size[1]) if size else None,
        int(size[2]) if size else None,
    )


def read_window_orientation(text: str) -> Orientation:
    """Read `dumpsys window displays` (or the whole of `dumpsys window`)."""
    frames = _FRAMES.search(text)
    turned = _WINDOW_ROTATION.search(text)
    size = frames or _CURRENT.search(text)
    rotation = read_quarter_turns(turned[1]) if turned else None
    if rotation is None and frames:
        rotation = read_quarter_turns(frames[3])
    return Orientation(rotation, int(size[1]) if size else None, int(size[2]) if size else None)


def read_picture_rotation(text: str, width_px: int, height_px: int) -> Rotation | None:
    """Read from `dumpsys window displays` how a display of a picture's size is turned.

    The picture decides: None where no display, or several turned differently, have its size (the
    phone was turned between the two).
    """
    frames = [match.groups() for match in _FRAMES.finditer(text)]
    turned = {r for w, h, r in frames if (int(w), int(h)) == (width_px, height_px)}
    if not frames:
        sizes = {(int(w), int(h)) for w, h in _CURRENT.findall(text)}
        if sizes and (width_px, height_px) not in sizes:
            return None
        turned = set(_WINDOW_ROTATION.findall(text))
    return read_quarter_turns(turned.pop()) if len(turned) == 1 else None


def read_input_orientation(text: str) -> Orientation:
    """Read `dumpsys input`: its viewport, else the mapper of a touch device that is in use."""
    viewport = active_internal(read_viewports(text))
    if viewport is not None and viewport.rotation is not None:
        return Orientation(viewport.rotation, viewport.width_px, viewport.height_px)
    mode_disabled = False
    for line in text.splitlines():
        if "Input Mapper (mode" in line:
            mode_disabled = bool(_DISABLED_MAPPER.search(line))
        elif (match := _MAPPER.match(line)) and not mode_disabled:
            return Orientation(read_quarter_turns(match[1]))
    return Orientation()


def read_user_rotation(text: str) -> Rotation | None:
    """Read `settings get system user_rotation`: only true while auto-rotation is off."""
    value = read_setting(text)
    return read_quarter_turns(value) if value is not None else None

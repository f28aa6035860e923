"""Which displays a phone has and how large: pure functions over what the phone prints.

There are three sets of display ids: `screencap -d` wants SurfaceFlinger's 64-bit id, `input -d` the
logical one, and `dumpsys display` prints both. They are never mixed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from device.protocol import Rotation

_SIZE = re.compile(
    r"^\s*(?P<kind>Physical|Override) size:\s*(?P<w>\d+)\s*x\s*(?P<h>\d+)", re.MULTILINE
)
_DENSITY = re.compile(r"^\s*(?P<kind>Physical|Override) density:\s*(?P<value>\d+)", re.MULTILINE)
_SURFACE = re.compile(r"^Display (?P<id>\d+) \((?P<kind>HWC display|Virtual display)", re.MULTILINE)
_LOGICAL = re.compile(r"^Display id (?P<id>\d+):(?P<info>.*)$", re.MULTILINE)
_VIEWPORT = re.compile(
    r"(?:m(?P<role>\w*)Viewport=)?DisplayViewport\{(?P<body>.*?)\}"
    r"|Viewport (?P<line>[A-Z]+: [^\n]*)"
)
_FRAME = re.compile(r"logicalFrame=(?:Rect\(|\[)(-?\d+), (-?\d+)(?: - |, )(-?\d+), (-?\d+)")


@dataclass(frozen=True, slots=True)
class ScreenSize:
    """Size of the panel as `wm size` prints it, which never turns with the phone.

    Attributes:
        width_px: The one that counts for input and pictures.
        height_px: The same.
        source: Whether the user's override or the panel's own size counts.
        physical_px: The panel's own size, where it was printed.
    """

    width_px: int
    height_px: int
    source: Literal["override", "physical"]
    physical_px: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SurfaceDisplays:
    """SurfaceFlinger's ids: of real panels, and of virtual displays (mirrors, overlays)."""

    physical_ids: tuple[str, ...]
    virtual_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogicalDisplay:
    """A display as `cmd display get-displays` lists it."""

    id: int
    on: bool | None
    width_px: int | None = None
    height_px: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Viewport:
    """Where input goes: the link between a logical display and a panel.

    Attributes:
        kind: `INTERNAL`, `EXTERNAL` or `VIRTUAL`.
        logical_id: For `input -d`.
        surface_id: For `screencap -d`; None for a virtual display.
        active: Whether the display is in use.
        rotation: Quarter turns.
        width_px: Size as it is turned now.
        height_px: The same.
    """

    kind: str
    logical_id: int | None
    surface_id: str | None
    active: bool
    rotation: Rotation | None
    width_px: int | None
    height_px: int | None


def read_size(text: str) -> ScreenSize | None:
    """Read `wm size`; an override wins over the physical size."""
    sizes = {m["kind"]: (int(m["w"]), int(m["h"])) for m in _SIZE.finditer(text)}
    physical = sizes.get("Physical")
    if override := sizes.get("Override"):
        return ScreenSize(*override, "override", physical)
    return ScreenSize(*physical, "physical", physical) if physical else None


def read_density(text: str) -> int | None:
    """Read `wm density` in dots per inch; None while it is unknown."""
    values = {m["kind"]: int(m["value"]) for m in _DENSITY.finditer(text)}
    return values.get("Override") or values.get("Physical")


def read_surface_displays(text: str) -> SurfaceDisplays:
    """Read `dumpsys SurfaceFlinger --display-id`; its later fields differ by version."""
    found = [(m["id"], m["kind"]) for m in _SURFACE.finditer(text)]
    return SurfaceDisplays(
        tuple(number for number, kind in found if kind == "HWC display"),
        tuple(number for number, kind in found if kind == "Virtual display"),
    )


def read_logical_displays(text: str) -> tuple[LogicalDisplay, ...]:
    """Read `cmd display get-displays` (Android 11 and newer)."""
    displays = []
    for match in _LOGICAL.finditer(text):
        info = match["info"]
        size = re.search(r"\breal (\d+) x (\d+)", info)
        state = re.search(r"\bstate ([A-Z_]+)", info)
        name = re.search(r'DisplayInfo\{"([^"]*)"', info)
        displays.append(
            LogicalDisplay(
                int(match["id"]),
                None if state is None else state[1].startswith("ON"),
                int(size[1]) if size else None,
                int(size[2]) if size else None,
                name[1] if name else "",
            )
        )
    return tuple(displays)


def read_viewports(text: str) -> tuple[Viewport, ...]:
    """Read the viewports of `dumpsys display` or `dumpsys input`, in the order of printing."""
    return tuple(
        _read_viewport(match["body"] or match["line"], match["role"] or "")
        for match in _VIEWPORT.finditer(text)
    )


def active_internal(viewports: tuple[Viewport, ...]) -> Viewport | None:
    """The built-in display in use; external and inactive ones are decoys."""
    return next((v for v in viewports if v.kind == "INTERNAL" and v.active), None)


def _read_viewport(body: str, role: str) -> Viewport:
    named = re.search(r"\btype=([A-Z]+)", body) or re.match(r"([A-Z]+):", body)
    # Before Android 10 the field's own name tells: mDefaultViewport, mExternalTouchViewport.
    unnamed = "EXTERNAL" if role.startswith("External") else "INTERNAL"
    valid = re.search(r"\bvalid=(\w+)", body)
    logical = re.search(r"\bdisplayId=(\d+)", body)
    surface = re.search(r"\buniqueId='?local:(\d+)", body)
    active = re.search(r"\bisActive=\[?(\w+)", body)
    turned = re.search(r"\borientation=(\d+)", body)
    frame = _FRAME.search(body)
    return Viewport(
        kind=named[1] if named else unnamed,
        logical_id=int(logical[1]) if logical else None,
        surface_id=surface[1] if surface else None,
        active=(active is None or active[1] in {"true", "1"})
        and (valid is None or valid[1] in {"true", "1"}),
        rotation=read_quarter_turns(turned[1]) if turned else None,
        width_px=int(frame[3]) - int(frame[1]) if frame else None,
        height_px=int(frame[4]) - int(frame[2]) if frame else None,
    )


def read_quarter_turns(text: str) -> Rotation | None:
    """Read `1`, `90`, `ROTATION_90` or `Rotation90` as quarter turns."""
    match = re.search(r"\d+\s*$", text)
    number = int(match[0]) if match else -1
    if number in {90, 180, 270}:
        number //= 90
    if number == 0:
        return 0
    if number == 1:
        return 1
    if number == 2:
        return 2
    return 3 if number == 3 else None

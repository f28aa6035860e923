"""Taking screenshots: the right display of several, one retry, and why a picture is black."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from device.capture_choice import CaptureChoice, encode_png, unsqueeze_raw
from device.displays import active_internal, read_size, read_surface_displays, read_viewports
from device.errors import ScreenshotError, ScreenshotRefusedError
from device.failures import error_from_output
from device.focus import is_secure_window
from device.orientation import (
    Orientation,
    read_display_orientation,
    read_input_orientation,
    read_picture_rotation,
    read_user_rotation,
    read_window_orientation,
)
from device.power import read_wakefulness
from device.properties import read_setting
from device.protocol import BlackReason, Rotation, Screenshot
from device.quoting import ShellCommand, command, join, script
from device.screen import Picture, is_all_black, read_png
from device.transport import CommandResult, Transport

CAPTURE_TIMEOUT_S = 20.0
_REFUSAL_PAUSE_S = 0.3
# How the screen is turned comes along on standard error, asked while the picture is being taken.
_ASK_ROTATION = script(
    "dumpsys -t 2 window displays 2>/dev/null | grep -E 'DisplayFrames|mRotation=|cur=' >&2 &"
)
_SQUEEZE = script("gzip -1")
_ROTATION_LINE = re.compile(rb"^.*(?:DisplayFrames |mRotation=|\bcur=\d).*\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Display:
    """The display in use: both of its ids belong together and are chosen together.

    Attributes:
        surface_id: For `screencap -d`; None where the phone has just one panel.
        logical_id: For `input -d`.
    """

    surface_id: str | None = None
    logical_id: int | None = None


class ScreenCapture:
    """Screenshots of one phone, and the frame that points are given in."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._display: _Display | None = None
        self._frame: tuple[int, int] | None = None
        self._rotation: Rotation | None = None
        self._display_frame: str | None = None
        self._choice = CaptureChoice()
        self._lock = threading.Lock()

    @property
    def display_id(self) -> int | None:
        """The logical display for input, where it is not the first."""
        return (self._display.logical_id or None) if self._display else None

    def take(self) -> Screenshot:
        """Take a picture; one that is not whole is asked for once more.

        Raises:
            ScreenshotError: No whole picture came, twice.
        """
        with self._lock:
            picture = self._take_checked()
            black: BlackReason | None = None
            if is_all_black(picture.data):
                black = self._why_black()
                if black == "wrong_panel":
                    self._display = None
                    picture = self._take_checked()
                    black = "wrong_panel" if is_all_black(picture.data) else None
            self._frame = picture.width_px, picture.height_px
            width_px, height_px = self._frame
            return Screenshot(picture.data, width_px, height_px, self._rotation, black)

    @property
    def display_frame(self) -> str | None:
        """How the window manager names the frame of the last picture; None where it did not."""
        return self._display_frame

    def frame(self) -> tuple[int, int]:
        """Width and height that points are given in: the last picture's, else the screen's own."""
        if self._frame is None:
            self._frame = self._ask_frame()
        return self._frame

    def _take_checked(self) -> Picture:
        try:
            return self._take_once()
        except ScreenshotRefusedError:
            time.sleep(_REFUSAL_PAUSE_S)  # refused in the middle of a change of windows
        except ScreenshotError:
            self._display = None  # its id may have changed: folded, unfolded, restarted
        return self._take_once()

    def _take_once(self) -> Picture:
        if self._display is None:
            self._display = self._choose_display()
        surface = self._display.surface_id
        place = () if surface is None else ("-d", surface)
        if self._choice.next == "raw" and (picture := self._take_raw(place)):
            return picture
        start = time.monotonic()
        result, rotations = self._run_capture(command("screencap", "-p", *place))
        if not result.stdout and result.stderr:
            if error := error_from_output(result.merged_text):
                raise error
            return read_png(result.stderr)  # it tells the failure there, or raises as no picture
        picture = read_png(result.stdout)
        self._note_rotation(rotations, picture)
        if self._transport.keeps_streams_apart:
            self._choice.measured("png", time.monotonic() - start)
        return picture

    def _take_raw(self, place: tuple[str, ...]) -> Picture | None:
        """Take raw pixels and make the PNG here; None, and never again, where that fails."""
        start = time.monotonic()
        squeezed = join([command("screencap", *place), _SQUEEZE], " | ")
        try:
            result, rotations = self._run_capture(squeezed)
            raw = unsqueeze_raw(result.stdout)
        except ScreenshotError:
            self._choice.give_up_raw()
            return None
        picture = Picture(encode_png(raw), raw.width_px, raw.height_px, raw.warnings)
        self._note_rotation(rotations, picture)
        self._choice.measured("raw", time.monotonic() - start)
        return picture

    def _note_rotation(self, told: str, picture: Picture) -> None:
        width_px, height_px = picture.width_px, picture.height_px
        self._rotation = read_picture_rotation(told, width_px, height_px)
        frame = f"DisplayFrames w={width_px} h={height_px} r={self._rotation}"
        self._display_frame = frame if f"{frame}\n" in told else None

    def _run_capture(self, capture: ShellCommand) -> tuple[CommandResult, str]:
        """Run a capture; returns what it gave, and apart from it what was told of the rotation."""
        if not self._transport.keeps_streams_apart:
            return self._transport.read(capture, timeout_s=CAPTURE_TIMEOUT_S), ""
        both = join([_ASK_ROTATION, capture, script("; wait")], " ")
        result = self._transport.read(both, timeout_s=CAPTURE_TIMEOUT_S)
        rotations = b"".join(_ROTATION_LINE.findall(result.stderr))
        rest = _ROTATION_LINE.sub(b"", result.stderr)
        own = CommandResult(result.stdout, rest, result.exit_code)
        return own, rotations.decode("utf-8", "replace")

    def _choose_display(self) -> _Display:
        """With one panel nothing is chosen; with several, the built-in one in use."""
        listed = self._transport.read(command("dumpsys", "SurfaceFlinger", "--display-id"))
        panels = read_surface_displays(listed.text).physical_ids
        if len(panels) < 2:
            return _Display()
        viewports = read_viewports(self._transport.read(command("dumpsys", "display")).text)
        viewport = active_internal(viewports)
        if viewport is None or viewport.surface_id not in panels:
            return _Display()
        return _Display(viewport.surface_id, viewport.logical_id)

    def _why_black(self) -> BlackReason:
        """Sleep is checked before protected content is blamed."""
        power = self._transport.read(script("dumpsys power | grep -i wakefulness"))
        if read_wakefulness(power.text) not in {"Awake", None}:
            return "asleep"
        if is_secure_window(self._transport.read(command("dumpsys", "window")).text):
            return "secure_window"
        chosen = self._choose_display()
        return "wrong_panel" if chosen != self._display else "unknown"

    def _ask_frame(self) -> tuple[int, int]:
        """Ask for the turned size; `wm size` alone never turns.

        Raises:
            ScreenshotError: The phone does not tell its size.
        """
        size = read_size(self._transport.read(command("wm", "size")).text)
        turned = self._ask_orientation()
        if size is not None:
            sides = size.width_px, size.height_px
            return (sides[1], sides[0]) if turned.rotation in {1, 3} else sides
        if turned.width_px and turned.height_px:
            return turned.width_px, turned.height_px
        raise ScreenshotError(
            "The phone does not tell its screen's size; take a screenshot first.", reason="no_size"
        )

    def _ask_orientation(self) -> Orientation:
        """Ask the sources in turn until one knows the rotation."""
        sources: tuple[tuple[ShellCommand, Callable[[str], Orientation]], ...] = (
            (command("dumpsys", "display"), read_display_orientation),
            (command("dumpsys", "window", "displays"), read_window_orientation),
            (command("dumpsys", "input"), read_input_orientation),
        )
        found = Orientation()
        for question, read in sources:
            found = read(self._transport.read(question).text)
            if found.rotation is not None:
                return found
        auto = read_setting(self._ask_setting("accelerometer_rotation"))
        # The user's wish is stale while the phone turns by itself.
        if auto == "0":
            return Orientation(read_user_rotation(self._ask_setting("user_rotation")))
        return found

    def _ask_setting(self, name: str) -> str:
        return self._transport.read(command("settings", "get", "system", name)).text

"""Fingers on the screen: every gesture takes pixels of the last picture, by one mapping."""

from __future__ import annotations

import math

from device.capture import ScreenCapture
from device.errors import BadPointError, ScreenTurnedError
from device.failures import check_silent
from device.keys import input_command
from device.quoting import ShellCommand, command, join, script
from device.transport import DEFAULT_TIMEOUT_S, Transport

_TURNED = "TURNED"
# Where gesture navigation takes a touch for itself: BACK at the sides, HOME at the bottom.
_SIDE_EDGE = 0.06
_BOTTOM_EDGE = 0.05


class Touch:
    """The touch screen of one phone.

    Args:
        transport: The phone.
        capture: Its pictures: they frame the points.
    """

    def __init__(self, transport: Transport, capture: ScreenCapture) -> None:
        self._transport = transport
        self._capture = capture

    def tap(self, x_px: float, y_px: float) -> None:
        self._send(self._input("tap", *self._point(x_px, y_px)))

    def double_tap(self, x_px: float, y_px: float) -> None:
        """Tap twice in one shell command, so that both fall within the double-tap time."""
        tap = self._input("tap", *self._point(x_px, y_px))
        self._send(join([tap, tap], " && "))

    def long_press(self, x_px: float, y_px: float, duration_s: float) -> None:
        x, y = self._point(x_px, y_px)
        self._swipe((x, y), (x, y), duration_s)

    def swipe(
        self,
        start_px: tuple[float, float],
        end_px: tuple[float, float],
        duration_s: float,
        *,
        from_edge: bool,
    ) -> None:
        """Swipe from one point to another.

        A swipe that would begin where the system's own gestures begin (BACK at the sides, HOME at
        the bottom) begins just beside, unless `from_edge` asks for the gesture itself.
        """
        start, end = self._point(*start_px), self._point(*end_px)
        if not from_edge:
            start = keep_off_edges(start, end, self._capture.frame())
        self._swipe(start, end, duration_s)

    def _swipe(self, start: tuple[int, int], end: tuple[int, int], duration_s: float) -> None:
        swipe = self._input("swipe", *start, *end, max(1, round(duration_s * 1000)))
        self._send(swipe, lasts_s=duration_s)

    def _input(self, *words: str | int) -> ShellCommand:
        return input_command(*words, display_id=self._capture.display_id)

    def _send(self, touch: ShellCommand, lasts_s: float = 0.0) -> None:
        """Touch the screen, unless it was turned since the last picture: the phone asks itself.

        Raises:
            ScreenTurnedError: It was, so nothing was touched.
            DeviceError: The phone refused.
        """
        frame = self._capture.display_frame
        if frame is not None:
            words = (
                script("if dumpsys -t 2 window displays 2>/dev/null | grep -qF"),
                command(frame),
                script("; then"),
                touch,
                script("; else echo TURNED; fi"),
            )
            touch = join(list(words), " ")
        result = self._transport.run(touch, timeout_s=DEFAULT_TIMEOUT_S + lasts_s)
        if result.text.strip() == _TURNED:
            raise ScreenTurnedError(
                "The screen was turned or folded since its picture was taken, so nothing was "
                "touched; look at it again."
            )
        check_silent(result, "touch the screen")

    def _point(self, x_px: float, y_px: float) -> tuple[int, int]:
        """Check a point against the frame of the last screenshot; Android would drop it silently.

        Raises:
            BadPointError: It is outside, or no number.
        """
        width_px, height_px = self._capture.frame()
        inside = math.isfinite(x_px) and math.isfinite(y_px)
        if not inside or not (0 <= x_px < width_px and 0 <= y_px < height_px):
            raise BadPointError(
                f"The point {x_px:g},{y_px:g} is outside the screen of {width_px}x{height_px}; "
                "give one inside it.",
                width_px=width_px,
                height_px=height_px,
            )
        return int(x_px), int(y_px)


def keep_off_edges(
    start: tuple[int, int], end: tuple[int, int], frame: tuple[int, int]
) -> tuple[int, int]:
    """Move the start of a swipe that leads away from an edge of the system's gestures.

    Args:
        start: Where the finger goes down, in pixels.
        end: Where it goes up.
        frame: Width and height of the picture.
    """
    (x, y), (width_px, height_px) = start, frame
    side_px, bottom_px = round(width_px * _SIDE_EDGE), round(height_px * _BOTTOM_EDGE)
    sideways = abs(end[0] - x) > abs(end[1] - y)
    if sideways and x < side_px < end[0]:
        x = side_px
    elif sideways and x > width_px - 1 - side_px > end[0]:
        x = width_px - 1 - side_px
    elif not sideways and y > height_px - 1 - bottom_px > end[1]:
        y = height_px - 1 - bottom_px
    return x, y

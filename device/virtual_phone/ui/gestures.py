"""What a finger's movement means: tap, long press, swipe, edge gestures, scroll distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

TOUCH_SLOP_DP = 8
LONG_PRESS_MS = 400
DOUBLE_TAP_S = 0.3
DOUBLE_TAP_SLOP_DP = 48

_EDGE_DP = 24
_TOP_EDGE_DP = 40
_MIN_EDGE_TRAVEL_DP = 48
_HOLD_MS = 1200
_MIN_FLING_DP_S = 50
_MAX_FLING_DP_S = 8000
# Android's OverScroller: friction, inflexion and deceleration of its fling curve.
_FRICTION = 0.015
_INFLEXION = 0.35
_DECELERATION = math.log(0.78) / math.log(0.9)


@dataclass(frozen=True, slots=True)
class Tap:
    """A short touch at one place."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class LongPress:
    """A touch that stayed at one place."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Swipe:
    """A movement in a straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    duration_ms: float

    @property
    def dx(self) -> float:
        """Movement to the right."""
        return self.x2 - self.x1

    @property
    def dy(self) -> float:
        """Movement down."""
        return self.y2 - self.y1

    @property
    def vertical(self) -> bool:
        """Moved more down or up than sideways."""
        return abs(self.dy) >= abs(self.dx)


Gesture = Tap | LongPress | Swipe


class EdgeGesture(Enum):
    """Swipes that the system takes before any app."""

    BACK = "back"
    HOME = "home"
    RECENTS = "recents"
    SHADE = "shade"


def classify(
    x1: float, y1: float, x2: float, y2: float, duration_ms: float, scale: float
) -> Gesture:
    """Names a movement.

    Args:
        x1: Where the finger went down.
        y1: Where the finger went down.
        x2: Where it left.
        y2: Where it left.
        duration_ms: Time between.
        scale: Pixels per dp.
    """
    if math.hypot(x2 - x1, y2 - y1) >= TOUCH_SLOP_DP * scale:
        return Swipe(x1, y1, x2, y2, duration_ms)
    return LongPress(x1, y1) if duration_ms >= LONG_PRESS_MS else Tap(x1, y1)


def edge_gesture(swipe: Swipe, width_px: int, height_px: int, scale: float) -> EdgeGesture | None:
    """The system gesture that a swipe is, if it starts at an edge and goes far enough."""
    edge, travel = _EDGE_DP * scale, _MIN_EDGE_TRAVEL_DP * scale
    if swipe.vertical:
        if swipe.y1 >= height_px - edge and -swipe.dy >= travel:
            return EdgeGesture.RECENTS if swipe.duration_ms >= _HOLD_MS else EdgeGesture.HOME
        if swipe.y1 <= _TOP_EDGE_DP * scale and swipe.dy >= travel:
            return EdgeGesture.SHADE
        return None
    from_left = swipe.x1 <= edge and swipe.dx >= travel
    from_right = swipe.x1 >= width_px - edge and -swipe.dx >= travel
    return EdgeGesture.BACK if from_left or from_right else None


def scroll_distance(swipe: Swipe, scale: float) -> int:
    """How far content moves up when a finger swipes vertically: the drag, then the fling.

    Returns:
        Pixels; negative when the content moves down.
    """
    travel = abs(swipe.dy) - TOUCH_SLOP_DP * scale
    if travel <= 0:
        return 0
    velocity = abs(swipe.dy) / max(1.0, swipe.duration_ms) * 1000
    velocity = min(velocity, _MAX_FLING_DP_S * scale)
    if velocity >= _MIN_FLING_DP_S * scale:
        travel += fling_distance(velocity, scale)
    return round(math.copysign(travel, -swipe.dy))


def fling_distance(velocity_px_s: float, scale: float) -> float:
    """How far a list runs on after the finger left it, by Android's spline."""
    # Gravity (m/s2) x inches per metre x dots per inch x a factor tuned by its authors.
    deceleration = 9.80665 * 39.37 * scale * 160 * 0.84
    pull = math.log(_INFLEXION * velocity_px_s / (_FRICTION * deceleration))
    exponent = _DECELERATION / (_DECELERATION - 1)
    return _FRICTION * deceleration * math.exp(exponent * pull)

"""Routes fingers: from movements in pixels to events of the window that they touch."""

from __future__ import annotations

from typing import Literal, Protocol

from device.virtual_phone.ui import gestures
from device.virtual_phone.ui.gestures import EdgeGesture, LongPress, Swipe, Tap
from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.touch import caret_at, find, scroll_at, slider_value
from device.virtual_phone.ui.view import Event, View
from device.virtual_phone.ui.window import Screen, Window, WindowName

MotionAction = Literal["DOWN", "MOVE", "UP"]

# Who gets a touch first. A dialog gets every touch but those on the keyboard, an alert all.
_TOUCH_ORDER: tuple[WindowName, ...] = ("shade", "keyguard", "alert", "keyboard", "dialog", "app")


class Touched(Protocol):
    """What a finger can do to the phone."""

    @property
    def clock_s(self) -> float:
        """The phone's clock."""
        ...

    def screen(self) -> Screen:
        """What is on the screen now."""
        ...

    def send(self, window: Window, event: Event) -> None:
        """A view's event."""
        ...

    def slide(self, window: Window, key: str, value: float) -> None:
        """A slider was moved."""
        ...

    def scroll_to(self, window: Window, key: str, offset_px: int) -> None:
        """A container was scrolled."""
        ...

    def put_cursor(self, key: str, position: int, select_word: bool) -> None:
        """A text field was touched."""
        ...

    def touch_outside_dialog(self) -> None:
        """The dimmed part around a dialog was touched."""
        ...

    def edge(self, edge: EdgeGesture) -> None:
        """A system gesture."""
        ...

    def swipe_shade(self, down: bool) -> None:
        """The shade was swiped where nothing scrolls."""
        ...


class Touchscreen:
    """One finger on one screen."""

    def __init__(self, phone: Touched, scale: float) -> None:
        self._phone = phone
        self._scale = scale
        self._down: tuple[float, float, float] | None = None
        self._last_tap: tuple[float, float, float] | None = None

    def move(self, x1: float, y1: float, x2: float, y2: float, duration_ms: float) -> None:
        """A finger goes down, moves in a straight line and leaves."""
        gesture = gestures.classify(x1, y1, x2, y2, duration_ms, self._scale)
        match gesture:
            case Tap(x, y):
                self._tap(x, y)
            case LongPress(x, y):
                self._hold(x, y)
            case Swipe():
                self._swipe(gesture)

    def motion(self, action: MotionAction, x: float, y: float) -> None:
        """One event of a free gesture; it takes effect when the finger leaves."""
        now_s = self._phone.clock_s
        if action == "DOWN":
            self._down = (x, y, now_s)
        elif action == "UP" and self._down is not None:
            x1, y1, since_s = self._down
            self._down = None
            self.move(x1, y1, x, y, (now_s - since_s) * 1000)

    def _tap(self, x: float, y: float) -> None:
        double = self._is_double_tap(x, y)
        window = self._window_at(x, y)
        if window is None:
            return
        if window.name == "dialog" and not window.root.visible.contains(x, y):
            self._phone.touch_outside_dialog()
            return
        if double:
            twice = find(window.root, x, y, lambda view: view.on_double_tap is not None)
            if twice is not None and twice.view.on_double_tap is not None:
                self._phone.send(window, twice.view.on_double_tap)
                return
        box = find(window.root, x, y, _takes_taps)
        if box is None or not box.view.enabled:
            return
        if box.view.kind == "field":
            self._touch_field(box, x, y, select_word=double)
        elif box.view.kind == "slider":
            self._phone.slide(window, box.view.key, slider_value(box, x, self._scale))
        elif box.view.on_click is not None:
            self._phone.send(window, box.view.on_click)

    def _is_double_tap(self, x: float, y: float) -> bool:
        now_s = self._phone.clock_s
        last, self._last_tap = self._last_tap, (x, y, now_s)
        if last is None:
            return False
        slop_px = gestures.DOUBLE_TAP_SLOP_DP * self._scale
        near = abs(last[0] - x) < slop_px and abs(last[1] - y) < slop_px
        double = near and now_s - last[2] <= gestures.DOUBLE_TAP_S
        if double:
            self._last_tap = None
        return double

    def _touch_field(self, box: Box, x: float, y: float, *, select_word: bool) -> None:
        position = caret_at(box, x, y, self._scale)
        self._phone.put_cursor(box.view.key, position, select_word)

    def _hold(self, x: float, y: float) -> None:
        window = self._window_at(x, y)
        if window is None:
            return
        box = find(window.root, x, y, lambda v: v.on_long_click is not None or _takes_taps(v))
        if box is None or not box.view.enabled:
            return
        view = box.view
        if view.kind == "field":
            self._touch_field(box, x, y, select_word=True)
        elif view.on_long_click is not None:
            self._phone.send(window, view.on_long_click)
        elif view.kind != "slider" and view.on_click is not None:
            # A button without a long click fires when the finger leaves it.
            self._phone.send(window, view.on_click)

    def _swipe(self, swipe: Swipe) -> None:
        self._last_tap = None
        screen = self._phone.screen()
        edge = gestures.edge_gesture(swipe, screen.width_px, screen.height_px, self._scale)
        locked = any(window.name == "keyguard" for window in screen.windows)
        if edge is not None and (edge is EdgeGesture.SHADE or not locked):
            self._phone.edge(edge)
            return
        window = self._window_at(swipe.x1, swipe.y1)
        if window is None:
            return
        box = find(window.root, swipe.x1, swipe.y1, lambda view: view.kind == "slider")
        if box is not None and not swipe.vertical:
            self._phone.slide(window, box.view.key, slider_value(box, swipe.x2, self._scale))
            return
        if swipe.vertical and self._scroll(window, swipe):
            return
        event = _swipe_event(window.root, swipe)
        if event is not None:
            self._phone.send(window, event)
        elif window.name == "shade" and swipe.vertical:
            self._phone.swipe_shade(swipe.dy > 0)

    def _scroll(self, window: Window, swipe: Swipe) -> bool:
        """Scrolls what is under the finger; False if nothing there can move that way."""
        box = scroll_at(window.root, swipe.x1, swipe.y1)
        if box is None:
            return False
        target = box.offset_px + gestures.scroll_distance(swipe, self._scale)
        target = max(0, min(box.limit_px, target))
        if target == box.offset_px:
            return False
        self._phone.scroll_to(window, box.view.key, target)
        return True

    def _window_at(self, x: float, y: float) -> Window | None:
        windows = {window.name: window for window in self._phone.screen().windows}
        for name in _TOUCH_ORDER:
            window = windows.get(name)
            if window is None:
                continue
            if name != "keyboard" or window.root.visible.contains(x, y):
                return window
        return None


def _takes_taps(view: View) -> bool:
    return view.on_click is not None or view.kind == "field"


def _swipe_event(root: Box, swipe: Swipe) -> Event | None:
    """What the views under the finger do about a swipe."""
    if swipe.vertical and swipe.dy > 0:
        return None
    if swipe.vertical:
        box = find(root, swipe.x1, swipe.y1, lambda view: view.on_swipe_up is not None)
        return None if box is None else box.view.on_swipe_up
    if swipe.dx < 0:
        box = find(root, swipe.x1, swipe.y1, lambda view: view.on_swipe_left is not None)
        return None if box is None else box.view.on_swipe_left
    box = find(root, swipe.x1, swipe.y1, lambda view: view.on_swipe_right is not None)
    return None if box is None else box.view.on_swipe_right

"""The virtual phone behind its shell: screen, keys, apps, settings. One thread owns it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from device.virtual_phone import keyboard as keys
from device.virtual_phone.apps import systemui
from device.virtual_phone.apps.base import App, Route
from device.virtual_phone.apps.catalog import (
    APPS,
    PackageInfo,
    installed_packages,
    start_settings,
)
from device.virtual_phone.apps.desktop import Scene, compose
from device.virtual_phone.apps.launcher import Launcher
from device.virtual_phone.apps.settings import ACTION_PAGES
from device.virtual_phone.profile import Profile
from device.virtual_phone.ui import gestures
from device.virtual_phone.ui.gestures import EdgeGesture, LongPress, Swipe, Tap
from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.touch import caret_at, find, scroll_at, slider_value
from device.virtual_phone.ui.view import Event, View
from device.virtual_phone.ui.window import Screen, Snapshot, Window

Wakefulness = Literal["Awake", "Asleep"]

TOAST_S = 2.0
_FIRST_PID = 3100
_VOLUME_STEPS = 15


class StartResult(Enum):
    """What came of starting an activity."""

    started = "started"
    brought_to_front = "brought_to_front"
    not_found = "not_found"


@dataclass(frozen=True, slots=True)
class Focus:
    """A window in front: `window` is its title as in mCurrentFocus."""

    package: str
    activity: str
    window: str


class _Watched(dict[str, str]):
    """One namespace of settings that tells when it changes."""

    def __init__(self, values: Mapping[str, str], changed: Callable[[], None]) -> None:
        super().__init__(values)
        self._changed = changed

    def __setitem__(self, key: str, value: str) -> None:
        if self.get(key) != value:
            super().__setitem__(key, value)
            self._changed()

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._changed()

    def pop(self, key: str, *default: Any) -> Any:
        value = super().pop(key, *default)
        self._changed()
        return value

    def update(self, *values: Any, **more: str) -> None:
        super().update(*values, **more)
        self._changed()


class VirtualPhone:
    """A phone without a phone.

    Points are in display pixels of the current orientation.

    Args:
        profile: Size, language, seed and names.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.on_change: list[Callable[[], None]] = []
        self.enforce_secure = False
        self._scale = profile.density / 160
        self._version = 0
        self._snapshot: Snapshot | None = None
        self._dirty = True
        self.reset()

    def reset(self) -> None:
        """Goes back to the state of a fresh start."""
        self.settings: dict[str, dict[str, str]] = {
            name: _Watched(values, self._changed)
            for name, values in start_settings(self.profile).items()
        }
        self._wakefulness: Wakefulness = "Awake"
        self._locked = False
        self.clipboard = ""
        self._clock_s = 0.0
        self._timers: list[tuple[float, int, str, Event]] = []
        self._timer_count = 0
        self._toasts: list[tuple[float, str]] = []
        self._notifications: list[systemui.Notification] = []
        self._notification_count = 0
        self._shade: systemui.ShadeState = "closed"
        self._ime_hidden = False
        self._keyboard = keys.Keyboard()
        self._down: tuple[float, float, float] | None = None
        self._last_tap: tuple[float, float, float] | None = None
        self._pids: dict[str, int] = {}
        self._next_pid = _FIRST_PID
        self._tasks: list[str] = []
        self._apps: dict[str, App] = {app.package: app(self) for app in APPS}
        for app in self._apps.values():
            app.load_start_data()
        self._front = Launcher.package
        for package in (systemui.PACKAGE, Launcher.package, "com.android.inputmethod.latin"):
            self._start_process(package)
        self._changed()

    # State

    @property
    def width_px(self) -> int:
        """Natural width."""
        return self.profile.width_px

    @property
    def height_px(self) -> int:
        """Natural height."""
        return self.profile.height_px

    @property
    def rotation(self) -> int:
        """Quarter turns from the natural orientation, 0..3; upright while auto-rotate is on."""
        if self.setting("system", "accelerometer_rotation") == "1":
            return 0
        value = self.setting("system", "user_rotation")
        return int(value) if value in ("0", "1", "2", "3") else 0

    @property
    def wakefulness(self) -> Wakefulness:
        """Whether the screen is on."""
        return self._wakefulness

    @wakefulness.setter
    def wakefulness(self, value: Wakefulness) -> None:
        self._wakefulness = value
        self._changed()

    @property
    def locked(self) -> bool:
        """Whether the lock screen is in front."""
        return self._locked

    @locked.setter
    def locked(self, value: bool) -> None:
        self._locked = value
        self._changed()

    @property
    def ime_shown(self) -> bool:
        """Whether the on-screen keyboard is up."""
        return self.focused_editable and not self._ime_hidden

    @property
    def focused_editable(self) -> bool:
        """Whether a text field has the input focus."""
        in_front = self._shade == "closed" and not self._locked and self._lit
        return in_front and self._app.focused is not None

    @property
    def animating(self) -> bool:
        """Whether the screen keeps moving, so that it never gets idle."""
        return self._lit and not self._locked and self._app.animating

    @property
    def _lit(self) -> bool:
        return self._wakefulness == "Awake"

    @property
    def _app(self) -> App:
        return self._apps[self._front]

    def _size_px(self) -> tuple[int, int]:
        natural = (self.profile.width_px, self.profile.height_px)
        return natural if self.rotation % 2 == 0 else natural[::-1]

    def _changed(self) -> None:
        self._dirty = True
        for callback in self.on_change:
            callback()

    # What apps may ask (apps.base.Host)

    def say(self, zh: str, en: str) -> str:
        """The text in the phone's language."""
        return zh if self.profile.locale == "zh" else en

    def setting(self, namespace: str, key: str) -> str:
        """A value of the settings; empty when it is not set."""
        return self.settings[namespace].get(key, "")

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        """Sets a value, with what a switch on the screen does besides."""
        self.settings[namespace][key] = value
        if (namespace, key) == ("global", "airplane_mode_on"):
            for radio in ("wifi_on", "bluetooth_on"):
                self.settings["global"][radio] = "0" if value == "1" else "1"

    def toast(self, words: str) -> None:
        """Shows a short message that goes away by itself."""
        self._toasts = [(self._clock_s + TOAST_S, words)]
        self._changed()

    def launch(self, package: str, route: Route = ()) -> None:
        """Brings an app to the front, at a page of it."""
        if package not in self._pids:
            self._apps[package].restart()
            self._start_process(package)
        self._bring_to_front(package)
        if route:
            self._apps[package].open(route)
        self._changed()

    def notify(self, package: str, title: str, words: str, route: Route) -> None:
        """Puts a notification in the shade."""
        self._notification_count += 1
        note = systemui.Notification(self._notification_count, package, title, words, route)
        self._notifications.insert(0, note)
        self._changed()

    def after(self, delay_s: float, package: str, event: Event) -> None:
        """Sends an event to an app later, by the phone's clock."""
        self._timer_count += 1
        self._timers.append((self._clock_s + delay_s, self._timer_count, package, event))

    def in_front(self, package: str) -> bool:
        """The app is what the user sees."""
        return self._front == package and self._lit and not self._locked

    def installed_apps(self) -> list[App]:
        """All apps with an icon."""
        return [app for name, app in self._apps.items() if name != Launcher.package]

    def recent_packages(self) -> list[str]:
        """Apps with a task, the latest first."""
        return list(self._tasks)

    def screen_is_wide(self) -> bool:
        """The screen is in landscape."""
        width_px, height_px = self._size_px()
        return width_px > height_px

    def about(self) -> Mapping[str, str]:
        """Facts about the phone."""
        profile = self.profile
        return {
            "model": profile.model,
            "android": profile.release,
            "manufacturer": profile.manufacturer,
            "serial": profile.serialno,
            "resolution": f"{profile.width_px} x {profile.height_px}",
        }

    # Touch

    def tap(self, x: float, y: float) -> None:
        """Touches shortly."""
        self._touch(Tap(x, y))

    def long_press(self, x: float, y: float, duration_ms: int) -> None:
        """Presses and holds; too short a time makes it a tap."""
        self.swipe(x, y, x, y, duration_ms)

    def swipe(self, x1: float, y1: float, x2: float, y2: float, duration_ms: int) -> None:
        """Moves a finger in a straight line; without movement it is a press or a tap."""
        self._touch(gestures.classify(x1, y1, x2, y2, duration_ms, self._scale))

    def motion(self, action: Literal["DOWN", "MOVE", "UP"], x: float, y: float) -> None:
        """One event of a free gesture; it takes effect when the finger leaves."""
        if action == "DOWN":
            self._down = (x, y, self._clock_s)
        elif action == "UP" and self._down is not None:
            x1, y1, since_s = self._down
            self._down = None
            duration_ms = (self._clock_s - since_s) * 1000
            self._touch(gestures.classify(x1, y1, x, y, duration_ms, self._scale))

    def _touch(self, gesture: gestures.Gesture) -> None:
        if not self._lit:
            return
        match gesture:
            case Tap(x, y):
                self._tap(x, y)
            case LongPress(x, y):
                self._hold(x, y)
            case Swipe():
                self._swipe(gesture)
        self._changed()

    def _tap(self, x: float, y: float) -> None:
        double = self._is_double_tap(x, y)
        window = self._window_at(x, y)
        if window is None:
            return
        if window.name == "dialog" and not window.root.visible.contains(x, y):
            self._app.close_dialog()
            return
        if double:
            box = find(window.root, x, y, lambda v: v.on_double_tap is not None)
            if box is not None and box.view.on_double_tap is not None:
                self._send(window, box.view.on_double_tap)
                return
        box = find(window.root, x, y, lambda v: v.on_click is not None or v.kind == "field")
        if box is None or not box.view.enabled:
            return
        if box.view.kind == "field":
            self._tap_field(box, x, y, double)
        elif box.view.kind == "slider":
            self._slide(window, box, x)
        elif box.view.on_click is not None:
            self._send(window, box.view.on_click)

    def _is_double_tap(self, x: float, y: float) -> bool:
        last, self._last_tap = self._last_tap, (x, y, self._clock_s)
        if last is None:
            return False
        slop_px = gestures.DOUBLE_TAP_SLOP_DP * self._scale
        near = abs(last[0] - x) < slop_px and abs(last[1] - y) < slop_px
        double = near and self._clock_s - last[2] <= gestures.DOUBLE_TAP_S
        if double:
            self._last_tap = None
        return double

    def _tap_field(self, box: Box, x: float, y: float, double: bool) -> None:
        app, key = self._app, box.view.key
        app.focus_on(key)
        self._ime_hidden = False
        field = app.field(key)
        if not field.select_on_focus:
            field.move_to(caret_at(box, x, y, self._scale))
        if double:
            field.select_word()

    def _hold(self, x: float, y: float) -> None:
        window = self._window_at(x, y)
        if window is None:
            return
        box = find(
            window.root,
            x,
            y,
            lambda v: v.on_long_click is not None or v.on_click is not None or v.kind == "field",
        )
        if box is None:
            return
        if box.view.kind == "field":
            self._tap_field(box, x, y, double=True)
        elif box.view.on_long_click is not None:
            self._send(window, box.view.on_long_click)
        elif box.view.kind != "slider" and box.view.on_click is not None:
            # A button without a long click fires when the finger leaves it.
            self._send(window, box.view.on_click)

    def _swipe(self, swipe: Swipe) -> None:
        self._last_tap = None
        width_px, height_px = self._size_px()
        edge = gestures.edge_gesture(swipe, width_px, height_px, self._scale)
        if edge is EdgeGesture.SHADE:
            self._shade = "settings" if self._shade != "closed" else "notifications"
            return
        if edge is not None and not self._locked:
            self._edge(edge)
            return
        window = self._window_at(swipe.x1, swipe.y1)
        if window is None:
            return
        box = find(window.root, swipe.x1, swipe.y1, lambda v: v.kind == "slider")
        if box is not None and not swipe.vertical:
            self._slide(window, box, swipe.x2)
            return
        if swipe.vertical and self._scroll(window, swipe):
            return
        event = _swipe_event(window.root, swipe)
        if event is not None:
            self._send(window, event)
        elif window.name == "shade" and swipe.vertical:
            self._shade = "closed" if swipe.dy < 0 else "settings"

    def _edge(self, edge: EdgeGesture) -> None:
        match edge:
            case EdgeGesture.BACK:
                self._back()
            case EdgeGesture.HOME:
                self._home()
            case EdgeGesture.RECENTS:
                self._recents()
            case EdgeGesture.SHADE:
                self._shade = "notifications"

    def _scroll(self, window: Window, swipe: Swipe) -> bool:
        """Scrolls what is under the finger; False if nothing there can move that way."""
        box = scroll_at(window.root, swipe.x1, swipe.y1)
        if box is None:
            return False
        target = box.offset_px + gestures.scroll_distance(swipe, self._scale)
        target = max(0, min(box.limit_px, target))
        if target == box.offset_px and window.name == "shade":
            return False
        self._app.scrolls[box.view.key] = target
        return True

    def _slide(self, window: Window, box: Box, x: float) -> None:
        value = slider_value(box, x, self._scale)
        if window.name == "shade":
            self.put_setting("system", "screen_brightness", str(max(1, round(value * 255))))
        else:
            self._app.on_slide(box.view.key, value)

    def _window_at(self, x: float, y: float) -> Window | None:
        """The window that gets a touch. A dialog gets every touch but those on the keyboard."""
        windows = {window.name: window for window in self.snapshot().screen.windows}
        for name in ("shade", "keyguard", "keyboard", "dialog", "app"):
            window = windows.get(name)
            if window is None:
                continue
            if name != "keyboard" or window.root.visible.contains(x, y):
                return window
        return None

    def _send(self, window: Window, event: Event) -> None:
        if window.name == "keyboard":
            self._press_on_screen_key(event[1])
        elif window.name in ("shade", "keyguard"):
            self._system_event(event)
        else:
            self._app.handle(event)

    def _system_event(self, event: Event) -> None:
        match event:
            case ("unlock",):
                self._locked = False
            case ("tile", key):
                systemui.flip_tile(self, key, self.put_setting)
            case ("swipe_away", number):
                self._notifications = [n for n in self._notifications if n.number != int(number)]
            case ("clear_notifications",):
                self._notifications.clear()
            case ("open_notification", number):
                note = next(n for n in self._notifications if n.number == int(number))
                self._notifications.remove(note)
                self._shade, self._locked = "closed", False
                self.launch(note.package, note.route)
            case _:
                raise ValueError(f"the system UI does not know {event!r}")

    # Keys and text

    def key(self, keycode: int, longpress: bool = False) -> None:
        """Presses and releases a key, by its Android key code."""
        if keycode == 26:
            self._power()
        elif keycode == 223:
            self._sleep()
        elif keycode == 224:
            self._wakefulness = "Awake"
        elif self._lit:
            self._key_while_lit(keycode)
        self._changed()

    def _key_while_lit(self, keycode: int) -> None:
        match keycode:
            case 24 | 25:
                self._change_volume(1 if keycode == 24 else -1)
            case 82 if self._locked:
                self._locked = False
            case _ if self._locked:
                pass
            case 3:
                self._home()
            case 4 | 111:
                self._back()
            case 187:
                self._recents()
            case 66 | 160:
                self._enter()
            case 61:
                self._focus_next()
            case 277 | 278 | 279:
                self._clip(keycode)
            case _:
                self._edit(lambda field: keys.apply_key(field, keycode))

    def key_combination(self, keycodes: list[int]) -> None:
        """Presses keys together: Ctrl or Shift with another key."""
        if not keycodes or not self._lit:
            return
        last = keycodes[-1]
        if {113, 114} & set(keycodes[:-1]):
            clip = {31: 278, 50: 279, 52: 277}.get(last)
            if clip is not None:
                self._clip(clip)
            elif last == 29:
                self._edit(lambda field: field.select_all())
        elif {59, 60} & set(keycodes[:-1]):
            self._edit(lambda field: keys.apply_key(field, last, shift=True))
        else:
            for keycode in keycodes:
                self.key(keycode)
        self._changed()

    def commit_text(self, text: str) -> bool:
        """What a keyboard commits into the focused field; False if no field has the focus."""
        return self._edit(lambda field: field.insert(text))

    def type_ascii(self, text: str) -> None:
        """Types printable ASCII as key events; lost when no field has the focus."""
        for line_number, line in enumerate(text.split("\n")):
            if line_number:
                self._enter()
            if line:
                self.commit_text(line)
        self._changed()

    def clear_text(self) -> bool:
        """Empties the focused field; False if there is none."""
        return self._edit(lambda field: field.set_text(""))

    def editor_action(self) -> bool:
        """The keyboard's action key; False if no field has the focus."""
        if not self.focused_editable:
            return False
        self._submit()
        self._changed()
        return True

    def _edit(self, change: Callable[[Any], object]) -> bool:
        """Changes the focused field and tells its app."""
        app = self._app
        if not self.focused_editable or app.focused is None:
            return False
        key = app.focused
        field = app.field(key)
        before = field.text
        change(field)
        if field.text != before:
            app.text_changed(key)
        self._changed()
        return True

    def _enter(self) -> None:
        app = self._app
        if not self.focused_editable or app.focused is None:
            return
        if app.field(app.focused).multiline:
            self._edit(lambda field: field.insert("\n"))
        else:
            self._submit()

    def _submit(self) -> None:
        app = self._app
        if app.focused is not None:
            app.submit(app.focused)

    def _focus_next(self) -> None:
        fields = [key for key in self._visible_fields() if key]
        app = self._app
        if fields:
            position = fields.index(app.focused) + 1 if app.focused in fields else 0
            app.focus_on(fields[position % len(fields)])

    def _visible_fields(self) -> list[str]:
        window = self.snapshot().active_window
        return [box.view.key for box in window.root.walk() if box.view.kind == "field"]

    def _clip(self, keycode: int) -> None:
        def change(field: Any) -> None:
            if keycode == 279:
                field.insert(self.clipboard)
                return
            if field.selected_text:
                self.clipboard = field.selected_text
            if keycode == 277 and field.selected_text:
                field.insert("")

        self._edit(change)

    def _press_on_screen_key(self, name: str) -> None:
        match name:
            case "backspace":
                self._edit(lambda field: field.delete_before())
            case "enter":
                self._enter()
            case "space":
                self.commit_text(" ")
            case _:
                character = self._keyboard.press(name)
                if character:
                    self.commit_text(character)

    def _change_volume(self, step: int) -> None:
        volume = int(self.setting("system", "volume_music") or "0") + step
        volume = max(0, min(_VOLUME_STEPS, volume))
        self.settings["system"]["volume_music"] = str(volume)
        percent = round(volume / _VOLUME_STEPS * 100)
        self.toast(self.say(f"媒体音量 {percent}%", f"Media volume {percent}%"))

    # Power, home, back

    def _power(self) -> None:
        if self._lit:
            self._sleep()
        else:
            self._wakefulness = "Awake"

    def _sleep(self) -> None:
        self._wakefulness = "Asleep"
        self._locked = True
        self._shade = "closed"

    def _home(self) -> None:
        self._shade = "closed"
        self._app.unfocus()
        self._front = Launcher.package
        self._apps[Launcher.package].restart()

    def _recents(self) -> None:
        self._home()
        self._apps[Launcher.package].open(("recents",))

    def _back(self) -> None:
        if self._shade != "closed":
            self._shade = "closed"
        elif self.ime_shown:
            self._ime_hidden = True
        elif not self._app.back() and self._front != Launcher.package:
            self._home()

    # Apps and windows

    def packages(self) -> list[PackageInfo]:
        """What is installed."""
        return installed_packages()

    def start_activity(
        self,
        component_or_package: str,
        *,
        action: str | None = None,
        data: str | None = None,
        extras: dict[str, Any] | None = None,
    ) -> StartResult:
        """Starts an activity or brings its task to the front.

        Args:
            component_or_package: "package/.Activity", a package, or empty with an action.
            action: Intent action, such as "android.settings.BLUETOOTH_SETTINGS".
            data: Intent data, such as a web address.
            extras: Intent extras; none of the apps reads any.
        """
        package, _, activity = component_or_package.partition("/")
        route: Route = ()
        if action is not None and action in ACTION_PAGES:
            package, activity, route = "com.android.settings", "", ACTION_PAGES[action]
        elif not package and data:
            package = self._package_for(data)
        app = self._apps.get(package)
        if app is None or not _has_activity(app, activity):
            return StartResult.not_found
        known = package in self._pids
        self.launch(package)
        if route and app.route != route:
            app.go_home()
            app.open(route)
        if data and not app.open_link(data):
            return StartResult.not_found
        self._changed()
        return StartResult.brought_to_front if known else StartResult.started

    def _package_for(self, data: str) -> str:
        scheme = data.partition(":")[0].lower()
        owners = {"http": "com.android.browser", "https": "com.android.browser"}
        owners |= {"tel": "com.android.contacts"}
        return owners.get(scheme, "")

    def force_stop(self, package: str) -> None:
        """Ends an app and its task."""
        if package == Launcher.package or package not in self._apps:
            return
        self._pids.pop(package, None)
        self._timers = [timer for timer in self._timers if timer[2] != package]
        if package in self._tasks:
            self._tasks.remove(package)
        self._apps[package].restart()
        if self._front == package:
            self._home()
        self._changed()

    def clear_data(self, package: str) -> None:
        """Ends an app and forgets what it stored."""
        self.force_stop(package)
        if package in self._apps:
            self._apps[package].forget()
            self._apps[package].restart()
        self._changed()

    def running(self) -> list[tuple[str, int]]:
        """Packages that have a process, with its pid."""
        return list(self._pids.items())

    def focus(self) -> Focus | None:
        """The focused window."""
        if self._locked or self._shade != "closed":
            return Focus(systemui.PACKAGE, "", "NotificationShade")
        return _focus_of(self._app)

    def task_stack(self) -> list[Focus]:
        """Activities, the top one first."""
        order = [self._front, *self._tasks, Launcher.package]
        return [_focus_of(self._apps[package]) for package in dict.fromkeys(order)]

    def expand_notifications(self) -> None:
        """Pulls the notification shade down."""
        self._shade = "notifications"
        self._changed()

    def expand_settings(self) -> None:
        """Opens the quick settings."""
        self._shade = "settings"
        self._changed()

    def collapse_panels(self) -> None:
        """Closes shade and quick settings."""
        self._shade = "closed"
        self._changed()

    def _bring_to_front(self, package: str) -> None:
        if self._front != package:
            self._app.unfocus()
        self._front = package
        self._shade = "closed"
        if package != Launcher.package:
            if package in self._tasks:
                self._tasks.remove(package)
            self._tasks.insert(0, package)
        self._apps[package].arrive()

    def _start_process(self, package: str) -> None:
        self._pids[package] = self._next_pid
        self._next_pid += 37

    # Screen and time

    def snapshot(self) -> Snapshot:
        """The screen as it is; the same object while nothing changed."""
        if self._snapshot is None or self._dirty:
            screen = self._compose()
            self._dirty = False
            if self._snapshot is None or self._snapshot.screen != screen:
                self._version += 1
                self._snapshot = Snapshot(self._version, screen)
        return self._snapshot

    def _compose(self) -> Screen:
        width_px, height_px = self._size_px()
        scene = Scene(
            app=self._app,
            ime=self.setting("secure", "default_input_method") if self.ime_shown else "",
            keyboard=self._keyboard,
            shade=self._shade,
            locked=self._locked,
            notifications=self._notifications,
            toast=self._toasts[-1][1] if self._toasts else "",
        )
        font_scale = float(self.setting("system", "font_scale") or "1")
        windows = compose(self, scene, width_px, height_px, self._scale, font_scale)
        return Screen(
            windows=windows,
            width_px=width_px,
            height_px=height_px,
            rotation=self.rotation,
            scale=self._scale,
            dark=self.setting("secure", "ui_night_mode") == "2",
            lit=self._lit,
            blackened=self.enforce_secure and any(window.secure for window in windows),
            sdk=self.profile.sdk,
        )

    def advance(self, dt_s: float) -> None:
        """Lets time pass: toasts end, timers ring, late answers arrive."""
        self._clock_s += dt_s
        changed = False
        if any(end_s <= self._clock_s for end_s, _ in self._toasts):
            self._toasts.clear()
            changed = True
        due = sorted(timer for timer in self._timers if timer[0] <= self._clock_s)
        self._timers = [timer for timer in self._timers if timer[0] > self._clock_s]
        for _, _, package, event in due:
            self._apps[package].handle(event)
            changed = True
        for app in self._apps.values():
            changed = app.tick(dt_s) or changed
        if changed:
            self._changed()

    def truth(self) -> dict[str, Any]:
        """The state behind the screen, JSON-able."""
        focus = self.focus()
        return {
            "settings": {name: dict(values) for name, values in self.settings.items()},
            "apps": {_short_name(app): app.truth() for app in self._apps.values()},
            "focus": None if focus is None else focus.window,
            "front": self._front,
            "page": list(self._app.route),
            "dialog": None if self._app.dialog is None else list(self._app.dialog),
            "text_fields": {key: field.text for key, field in self._app.fields.items()},
            "focused_field": self._app.focused,
            "tasks": list(self._tasks),
            "wakefulness": self._wakefulness,
            "locked": self._locked,
            "shade": self._shade,
            "ime_shown": self.ime_shown,
            "rotation": self.rotation,
            "clipboard": self.clipboard,
            "toast": self._toasts[-1][1] if self._toasts else None,
            "notifications": [
                {"package": n.package, "title": n.title, "text": n.words}
                for n in self._notifications
            ],
        }


def _swipe_event(root: Box, swipe: Swipe) -> Event | None:
    """What the views under the finger do about a swipe."""
    if swipe.vertical:
        name = "on_swipe_up" if swipe.dy < 0 else ""
    else:
        name = "on_swipe_left" if swipe.dx < 0 else "on_swipe_right"
    if not name:
        return None

    def wanted(view: View) -> bool:
        return getattr(view, name) is not None

    box = find(root, swipe.x1, swipe.y1, wanted)
    event: Event | None = None if box is None else getattr(box.view, name)
    return event


def _has_activity(app: App, activity: str) -> bool:
    if not activity:
        return True
    short = activity.removeprefix(app.package)
    return short in (app.main_activity, *app.activities.values())


def _focus_of(app: App) -> Focus:
    return Focus(app.package, app.activity, f"{app.package}/{app.package}{app.activity}")


def _short_name(app: App) -> str:
    """Name of an app in the ground truth: its English label in lower case."""
    return app.label[1].lower()


__all__ = ["Focus", "PackageInfo", "Snapshot", "StartResult", "VirtualPhone", "Wakefulness"]

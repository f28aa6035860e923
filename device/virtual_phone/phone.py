"""The virtual phone behind its shell: screen, keys, apps, settings. One thread owns it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

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
from device.virtual_phone.keyboard import Keyboard
from device.virtual_phone.profile import Profile
from device.virtual_phone.ui.gestures import EdgeGesture
from device.virtual_phone.ui.text_field import TextField
from device.virtual_phone.ui.text_input import TextInput
from device.virtual_phone.ui.touch import hidden_below_px
from device.virtual_phone.ui.touchscreen import MotionAction, Touchscreen
from device.virtual_phone.ui.view import Event
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
        self._keyboard = Keyboard()
        self._touchscreen = Touchscreen(self, self._scale)
        self._text_input = TextInput(self)
        self._shade_scrolls: dict[str, int] = {}
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
        self.swipe(x, y, x, y, 0)

    def long_press(self, x: float, y: float, duration_ms: int) -> None:
        """Presses and holds; too short a time makes it a tap."""
        self.swipe(x, y, x, y, duration_ms)

    def swipe(self, x1: float, y1: float, x2: float, y2: float, duration_ms: int) -> None:
        """Moves a finger in a straight line; without movement it is a press or a tap."""
        if self._lit:
            self._touchscreen.move(x1, y1, x2, y2, duration_ms)
            self._changed()

    def motion(self, action: MotionAction, x: float, y: float) -> None:
        """One event of a free gesture; it takes effect when the finger leaves."""
        if self._lit:
            self._touchscreen.motion(action, x, y)
            self._changed()

    # What a finger does (ui.touchscreen.Touched)

    @property
    def clock_s(self) -> float:
        """Seconds of phone time since the start."""
        return self._clock_s

    def screen(self) -> Screen:
        """What is on the screen now."""
        return self.snapshot().screen

    def send(self, window: Window, event: Event) -> None:
        """Gives a view's event to the owner of its window."""
        if window.name == "keyboard":
            self._press_on_screen_key(event[1])
        elif window.name in ("shade", "keyguard"):
            self._system_event(event)
        else:
            self._app.handle(event)

    def slide(self, window: Window, key: str, value: float) -> None:
        """Moves a slider."""
        if window.name == "shade":
            self.put_setting("system", "screen_brightness", str(max(1, round(value * 255))))
        else:
            self._app.on_slide(key, value)

    def scroll_to(self, window: Window, key: str, offset_px: int) -> None:
        """Scrolls a container."""
        scrolls = self._shade_scrolls if window.name == "shade" else self._app.scrolls
        scrolls[key] = offset_px

    def put_cursor(self, key: str, position: int, select_word: bool) -> None:
        """Gives a field of the app the focus; the keyboard comes up."""
        self._app.focus_on(key)
        self._ime_hidden = False
        field = self._app.field(key)
        if not field.select_on_focus:
            field.move_to(position)
        if select_word:
            field.select_word()
        self._reveal_cursor()

    def touch_outside_dialog(self) -> None:
        """Closes the dialog."""
        self._app.close_dialog()

    def edge(self, edge: EdgeGesture) -> None:
        """Does what a system gesture asks."""
        match edge:
            case EdgeGesture.BACK:
                self._back()
            case EdgeGesture.HOME:
                self._home()
            case EdgeGesture.RECENTS:
                self._recents()
            case EdgeGesture.SHADE:
                self._shade = "settings" if self._shade != "closed" else "notifications"

    def swipe_shade(self, down: bool) -> None:
        """Opens the shade fully, or closes it."""
        self._shade = "settings" if down else "closed"

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
                raise ValueError(f"the system UI does not know {event!r}; handle it here")

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
            case 61:
                self._focus_next()
            case _:
                self._text_input.key(keycode)

    def key_combination(self, keycodes: list[int]) -> None:
        """Presses keys together: Ctrl or Shift with another key."""
        if not keycodes or not self._lit:
            return
        held, last = set(keycodes[:-1]), keycodes[-1]
        if held & {113, 114}:
            self._text_input.control_key(last)
        elif held & {59, 60}:
            self._text_input.key(last, shift=True)
        else:
            for keycode in keycodes:
                self.key(keycode)
        self._changed()

    def commit_text(self, text: str) -> bool:
        """What a keyboard commits into the focused field; False if no field has the focus."""
        done = self._text_input.insert(text)
        self._changed()
        return done

    def type_ascii(self, text: str) -> None:
        """Types printable ASCII as key events; lost when no field has the focus."""
        self._text_input.type_lines(text)
        self._changed()

    def clear_text(self) -> bool:
        """Empties the focused field; False if there is none."""
        done = self._text_input.edit(lambda field: field.set_text(""))
        self._changed()
        return done

    def editor_action(self) -> bool:
        """The keyboard's action key; False if no field has the focus."""
        if not self.focused_editable:
            return False
        self.submit_field()
        self._changed()
        return True

    def focused_field(self) -> TextField | None:
        """The field with the input focus."""
        app = self._app
        if not self.focused_editable or app.focused is None:
            return None
        return app.field(app.focused)

    def field_edited(self) -> None:
        """Tells the app that its focused field changed."""
        if self._app.focused is not None:
            self._app.text_changed(self._app.focused)
            self._reveal_cursor()

    def _reveal_cursor(self) -> None:
        """Scrolls so that the keyboard does not hide the end of the focused field."""
        app, field = self._app, self.focused_field()
        if field is None or app.focused is None or field.cursor < len(field.text):
            return
        hidden = hidden_below_px(self._compose().active_window.root, app.focused)
        if hidden is not None and hidden[1] > 0:
            key, below_px = hidden
            app.scrolls[key] = app.scrolls.get(key, 0) + below_px

    def submit_field(self) -> None:
        """Tells the app that the action key was pressed."""
        if self._app.focused is not None:
            self._app.submit(self._app.focused)

    def _focus_next(self) -> None:
        window = self.screen().active_window
        fields = [box.view.key for box in window.root.walk() if box.view.kind == "field"]
        app = self._app
        if fields:
            position = fields.index(app.focused) + 1 if app.focused in fields else 0
            app.focus_on(fields[position % len(fields)])

    def _press_on_screen_key(self, name: str) -> None:
        match name:
            case "backspace":
                self._text_input.edit(lambda field: field.delete_before())
            case "enter":
                self._text_input.enter()
            case "space":
                self._text_input.insert(" ")
            case _:
                self._text_input.insert(self._keyboard.press(name))

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
            shade_scrolls=self._shade_scrolls,
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

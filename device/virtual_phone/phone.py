"""The virtual phone behind its shell: screen, keys, apps, settings. One thread owns it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from device.virtual_phone.apps import systemui
from device.virtual_phone.apps.alerts import AlertKind, focus_of_alert
from device.virtual_phone.apps.arrivals import deliver
from device.virtual_phone.apps.base import Route
from device.virtual_phone.apps.catalog import PackageInfo, added_package, installed_packages
from device.virtual_phone.apps.desktop import Scene, compose
from device.virtual_phone.apps.interaction import Interaction
from device.virtual_phone.apps.settings import ACTION_PAGES
from device.virtual_phone.apps.system import System, Wakefulness
from device.virtual_phone.apps.tasks import HOME, Focus, focus_of, has_activity
from device.virtual_phone.profile import Profile
from device.virtual_phone.truth import tell_truth
from device.virtual_phone.ui.touchscreen import MotionAction
from device.virtual_phone.ui.window import Screen, Snapshot

__all__ = ["Focus", "PackageInfo", "Snapshot", "StartResult", "VirtualPhone", "Wakefulness"]

_FIRST_ADDED_UID = 10200
_LINK_OWNERS = {
    "http": "com.android.browser",
    "https": "com.android.browser",
    "tel": "com.android.contacts",
}


class StartResult(Enum):
    """What came of starting an activity."""

    started = "started"
    brought_to_front = "brought_to_front"
    not_found = "not_found"


class VirtualPhone:
    """A phone without a phone.

    Points are in display pixels of the current orientation.

    Args:
        profile: Size, language, seed and names.

    Attributes:
        on_change: Called after every change.
        on_launch: Called with the package of every app that is opened.
        enforce_secure: Windows that ask not to be captured make screenshots black.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.on_change: list[Callable[[], None]] = []
        self.on_launch: Callable[[str], None] = lambda package: None
        self.enforce_secure = False
        self._scale = profile.density / 160
        self._version = 0
        self._snapshot: Snapshot | None = None
        self._dirty = True
        self.reset()

    def reset(self) -> None:
        """Goes back to the state of a fresh start."""
        self._system = System(self.profile, self._changed)
        self._system.on_launch = lambda package: self.on_launch(package)
        self._added: dict[str, PackageInfo] = {}
        self._removed: set[str] = set()
        self._hands = Interaction(self._system, self._compose)
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
        return self._system.rotation

    @property
    def settings(self) -> dict[str, dict[str, str]]:
        """Values by namespace (system, secure, global) and key; the screen shows the same."""
        return self._system.settings

    @property
    def clipboard(self) -> str:
        """What was copied last."""
        return self._system.clipboard

    @clipboard.setter
    def clipboard(self, value: str) -> None:
        self._system.clipboard = value

    @property
    def wakefulness(self) -> Wakefulness:
        """Whether the screen is on."""
        return self._system.wakefulness

    @wakefulness.setter
    def wakefulness(self, value: Wakefulness) -> None:
        self._system.wakefulness = value
        self._changed()

    @property
    def locked(self) -> bool:
        """Whether the lock screen is in front."""
        return self._system.locked

    @locked.setter
    def locked(self, value: bool) -> None:
        self._system.locked = value
        self._changed()

    @property
    def ime_shown(self) -> bool:
        """Whether the on-screen keyboard is up."""
        return self._hands.ime_shown

    @property
    def focused_editable(self) -> bool:
        """Whether a text field has the input focus."""
        return self._hands.focused_editable

    @property
    def animating(self) -> bool:
        """Whether the screen keeps moving, so that it never gets idle."""
        system = self._system
        return system.lit and not system.locked and system.tasks.front.animating

    def use_profile(self, profile: Profile) -> None:
        """Goes on with other facts: the screen is another panel, all else stays."""
        self.profile = self._system.profile = profile
        self._changed()

    def _changed(self) -> None:
        self._dirty = True
        for callback in self.on_change:
            callback()

    # Touch

    def tap(self, x: float, y: float) -> None:
        """Touches shortly."""
        self.swipe(x, y, x, y, 0)

    def long_press(self, x: float, y: float, duration_ms: int) -> None:
        """Presses and holds; too short a time makes it a tap."""
        self.swipe(x, y, x, y, duration_ms)

    def swipe(self, x1: float, y1: float, x2: float, y2: float, duration_ms: int) -> None:
        """Moves a finger in a straight line; without movement it is a press or a tap."""
        if self._system.lit:
            self._hands.touchscreen.move(x1, y1, x2, y2, duration_ms)
            self._changed()

    def motion(self, action: MotionAction, x: float, y: float) -> None:
        """One event of a free gesture; it takes effect when the finger leaves."""
        if self._system.lit:
            self._hands.touchscreen.motion(action, x, y)
            self._changed()

    # Keys and text

    def key(self, keycode: int, longpress: bool = False) -> None:
        """Presses and releases a key, by its Android key code."""
        self._hands.key(keycode)
        self._changed()

    def key_combination(self, keycodes: list[int]) -> None:
        """Presses keys together: Ctrl or Shift with another key."""
        self._hands.key_combination(keycodes)
        self._changed()

    def commit_text(self, text: str) -> bool:
        """What a keyboard commits into the focused field; False if no field has the focus."""
        done = self._hands.text_input.insert(text)
        self._changed()
        return done

    def type_ascii(self, text: str) -> None:
        """Types printable ASCII as key events; lost when no field has the focus."""
        self._hands.text_input.type_lines(text)
        self._changed()

    def clear_text(self) -> bool:
        """Empties the focused field; False if there is none."""
        done = self._hands.text_input.edit(lambda field: field.set_text(""))
        self._changed()
        return done

    def editor_action(self) -> bool:
        """The keyboard's action key; False if no field has the focus."""
        if not self.focused_editable:
            return False
        self._hands.submit_field()
        self._changed()
        return True

    # Apps and windows

    def packages(self) -> list[PackageInfo]:
        """What is installed."""
        shipped = (info for info in installed_packages() if info.package not in self._removed)
        return [*shipped, *self._added.values()]

    def install(self, package: str, version_name: str, version_code: int) -> None:
        """Adds an app without a screen, or a newer version of it."""
        self._removed.discard(package)
        if all(package != info.package for info in installed_packages()):
            uid = _FIRST_ADDED_UID + len(self._added)
            self._added[package] = added_package(package, version_name, version_code, uid)

    def uninstall(self, package: str) -> bool:
        """Removes what was added by `install`, or by the owner if it has no screen; else False."""
        if self._added.pop(package, None) is not None:
            return True
        removable = {
            info.package
            for info in self.packages()
            if not info.system and info.launcher_activity is None
        }
        if package in removable:
            self._removed.add(package)
        return package in removable

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
        elif not package and action == "android.intent.action.MAIN":
            package = HOME
        elif not package and data:
            package = _LINK_OWNERS.get(data.partition(":")[0].lower(), "")
        app = self._system.apps.get(package)
        if app is None or not has_activity(app, activity):
            return StartResult.not_found
        route = route or app.route_of(activity.removeprefix(package))
        known = self._system.tasks.is_running(package)
        self._system.launch(package)
        if route and app.route != route:
            app.go_home()
            if route != app.home:
                app.open(route)
        if data and not app.open_link(data):
            return StartResult.not_found
        self._changed()
        return StartResult.brought_to_front if known else StartResult.started

    def force_stop(self, package: str) -> None:
        """Ends an app and its task."""
        self._system.force_stop(package)

    def clear_data(self, package: str) -> None:
        """Ends an app and forgets what it stored."""
        self._system.force_stop(package)
        app = self._system.apps.get(package)
        if app is not None:
            app.forget()
            app.restart()
        self._changed()

    def running(self) -> list[tuple[str, int]]:
        """Packages that have a process, with its pid."""
        return self._system.tasks.running()

    def focus(self) -> Focus | None:
        """The focused window."""
        if self._system.locked or self._system.shade.is_open:
            return Focus(systemui.PACKAGE, "", "NotificationShade")
        if self._system.alert is not None:
            return focus_of_alert(self._system.alert, self.profile)
        return focus_of(self._system.tasks.front)

    def task_stack(self) -> list[Focus]:
        """Activities, the top one first."""
        stack, alert = self._system.tasks.stack(), self._system.alert
        if alert is not None and alert.kind == "permission":
            stack.insert(0, focus_of_alert(alert, self.profile))
        return stack

    def show_alert(self, kind: AlertKind, package: str) -> None:
        """Lets the system ask about an app: it doesn't respond, it stopped, it wants a right."""
        self._system.show_alert(kind, package)

    def show_splash(self, package: str, duration_s: float) -> None:
        """Lets an app show nothing but its splash for a while."""
        self._system.show_splash(package, duration_s)

    def deliver(self, kind: str, values: Mapping[str, Any]) -> None:
        """Lets something arrive from outside; see `apps.arrivals`.

        Raises:
            ValueError: The kind or a value is unknown.
        """
        deliver(self._system, kind, values)

    def expand_notifications(self) -> None:
        """Pulls the notification shade down."""
        self._system.shade.state = "notifications"
        self._changed()

    def expand_settings(self) -> None:
        """Opens the quick settings."""
        self._system.shade.state = "settings"
        self._changed()

    def collapse_panels(self) -> None:
        """Closes shade and quick settings."""
        self._system.shade.close()
        self._changed()

    # Screen, time, truth

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
        system = self._system
        width_px, height_px = system.size_px
        ime = system.setting("secure", "default_input_method") if self.ime_shown else ""
        alert = system.alert
        scene = Scene(
            app=system.tasks.front,
            ime=ime,
            keyboard=self._hands.keyboard,
            shade=system.shade,
            locked=system.locked,
            toast=system.timeline.toast,
            alert=None if alert is None else (alert, system.apps[alert.package]),
            splash=system.splash,
        )
        font_scale = float(system.setting("system", "font_scale") or "1")
        windows = compose(system, scene, width_px, height_px, self._scale, font_scale)
        return Screen(
            windows=windows,
            width_px=width_px,
            height_px=height_px,
            rotation=system.rotation,
            scale=self._scale,
            dark=system.setting("secure", "ui_night_mode") == "2",
            lit=system.lit,
            blackened=self.enforce_secure and any(window.secure for window in windows),
            sdk=self.profile.sdk,
        )

    def advance(self, dt_s: float) -> None:
        """Lets time pass: toasts end, timers ring, late answers arrive."""
        self._system.advance(dt_s)

    def truth(self) -> dict[str, Any]:
        """The state behind the screen, JSON-able."""
        return tell_truth(self._system, self.focus(), self.ime_shown)

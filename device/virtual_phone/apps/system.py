"""What apps run on: settings, tasks, the shade, time, power."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from device.virtual_phone.apps.alerts import Alert, AlertKind, Answer, Splash
from device.virtual_phone.apps.base import App, Route
from device.virtual_phone.apps.catalog import APPS
from device.virtual_phone.apps.preferences import watched_settings
from device.virtual_phone.apps.shade import Shade
from device.virtual_phone.apps.tasks import HOME, Tasks
from device.virtual_phone.apps.timeline import Timeline
from device.virtual_phone.profile import Profile
from device.virtual_phone.ui.view import Event

Wakefulness = Literal["Awake", "Asleep"]

_RADIOS = ("wifi_on", "bluetooth_on")


class System:
    """The `Host` of all apps.

    Args:
        profile: Size, language and names.
        changed: Called after every change of what is on the screen.

    Attributes:
        settings: Values by namespace and key.
        apps: Every app by package.
        alert: A question of the system over everything, if any.
        splash: The app that is in front but not there yet, if any.
        on_launch: Told of every app that comes to the front by being opened.
    """

    def __init__(self, profile: Profile, changed: Callable[[], None]) -> None:
        self.profile = profile
        self.changed = changed
        self.settings = watched_settings(profile, changed)
        self.clipboard = ""
        self.wakefulness: Wakefulness = "Awake"
        self.locked = False
        self.alert: Alert | None = None
        self.splash: Splash | None = None
        self.on_launch: Callable[[str], None] = lambda package: None
        self.timeline = Timeline()
        self.shade = Shade()
        self.apps: dict[str, App] = {app.package: app(self) for app in APPS}
        for app in self.apps.values():
            app.load_start_data()
        self.tasks = Tasks(self.apps)

    @property
    def lit(self) -> bool:
        """The screen is on."""
        return self.wakefulness == "Awake"

    @property
    def rotation(self) -> int:
        """Quarter turns from the natural orientation; the phone itself is held upright."""
        if self.setting("system", "accelerometer_rotation") == "1":
            return 0
        value = self.setting("system", "user_rotation")
        return int(value) if value in ("0", "1", "2", "3") else 0

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height in the current orientation."""
        natural = (self.profile.width_px, self.profile.height_px)
        return natural if self.rotation % 2 == 0 else natural[::-1]

    def sleep(self) -> None:
        """Turns the screen off and locks."""
        self.wakefulness = "Asleep"
        self.locked = True
        self.shade.close()

    def wake(self) -> None:
        """Turns the screen on; the lock screen stays."""
        self.wakefulness = "Awake"

    def show_alert(self, kind: AlertKind, package: str) -> None:
        """Puts a question of the system over everything; a crash ends the app."""
        if kind == "crash":
            self.force_stop(package)
        self.alert = Alert(kind, package)
        self.tasks.front.unfocus()
        self.changed()

    def answer_alert(self, answer: Answer) -> None:
        """Takes the question away and does what was answered."""
        if self.alert is not None:
            package, self.alert = self.alert.package, None
            if answer == "close":
                self.force_stop(package)
            self.changed()

    def show_splash(self, package: str, duration_s: float) -> None:
        """Lets an app show nothing for a while."""
        self.splash = Splash(package, self.timeline.clock_s + duration_s)
        self.changed()

    def go_home(self) -> None:
        """Shows the home screen; a permission question goes with its app."""
        if self.alert is not None and self.alert.kind == "permission":
            self.alert = None
        self.shade.close()
        self.tasks.go_home()

    def show_recents(self) -> None:
        """Shows the list of recent apps."""
        self.shade.close()
        self.tasks.show_recents()

    def advance(self, dt_s: float) -> None:
        """Lets time pass."""
        due, changed = self.timeline.advance(dt_s)
        if self.splash is not None and self.splash.end_s <= self.timeline.clock_s:
            self.splash, changed = None, True
        for package, event in due:
            self.apps[package].handle(event)
        ticked = [app.tick(dt_s) for app in self.apps.values()]
        if due or changed or any(ticked):
            self.changed()

    # Host

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
            for radio in _RADIOS:
                self.settings["global"][radio] = "0" if value == "1" else "1"

    def toast(self, words: str) -> None:
        """Shows a short message that goes away by itself."""
        self.timeline.show_toast(words)
        self.changed()

    def launch(self, package: str, route: Route = ()) -> None:
        """Brings an app to the front, at a page of it."""
        self.shade.close()
        self.tasks.launch(package, route)
        self.on_launch(package)
        self.changed()

    def notify(self, package: str, title: str, words: str, route: Route) -> None:
        """Puts a notification in the shade."""
        self.shade.add(package, title, words, route)
        self.changed()

    def after(self, delay_s: float, package: str, event: Event) -> None:
        """Sends an event to an app later, by the phone's clock."""
        self.timeline.after(delay_s, package, event)

    def in_front(self, package: str) -> bool:
        """The app is what the user sees."""
        return self.tasks.front.package == package and self.lit and not self.locked

    def installed_apps(self) -> list[App]:
        """All apps with an icon."""
        return [app for package, app in self.apps.items() if package != HOME]

    def recent_packages(self) -> list[str]:
        """Apps with a task, the latest first."""
        return list(self.tasks.recent)

    def force_stop(self, package: str) -> None:
        """Ends an app and its task."""
        self.timeline.drop(package)
        self.tasks.force_stop(package)
        self.changed()

    def screen_is_wide(self) -> bool:
        """The screen is in landscape."""
        width_px, height_px = self.size_px
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

"""Which apps run, which one is in front, and in which order they were used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from device.virtual_phone.apps.base import App, Route
from device.virtual_phone.apps.launcher import Launcher

HOME = Launcher.package
_ALWAYS_RUNNING = ("com.android.systemui", HOME, "com.android.inputmethod.latin")
_FIRST_PID = 3100
_PID_STEP = 37


@dataclass(frozen=True, slots=True)
class Focus:
    """A window in front: `window` is its title as in mCurrentFocus."""

    package: str
    activity: str
    window: str


class Tasks:
    """Processes and tasks.

    Attributes:
        recent: Packages with a task, the latest first.
    """

    def __init__(self, apps: Mapping[str, App]) -> None:
        self._apps = apps
        self._front = HOME
        self._pids: dict[str, int] = {}
        self._next_pid = _FIRST_PID
        self.recent: list[str] = []
        for package in _ALWAYS_RUNNING:
            self._start_process(package)

    @property
    def front(self) -> App:
        """The app in front."""
        return self._apps[self._front]

    def running(self) -> list[tuple[str, int]]:
        """Packages that have a process, with its pid."""
        return list(self._pids.items())

    def is_running(self, package: str) -> bool:
        """The package has a process."""
        return package in self._pids

    def launch(self, package: str, route: Route = ()) -> None:
        """Brings an app to the front, at a page of it."""
        app = self._apps[package]
        if not self.is_running(package):
            app.restart()
            self._start_process(package)
        if self._front != package:
            self.front.unfocus()
        self._front = package
        if package != HOME:
            self._forget(package)
            self.recent.insert(0, package)
        app.arrive()
        if route:
            app.open(route)

    def go_home(self) -> None:
        """Shows the home screen."""
        self.front.unfocus()
        self._front = HOME
        self.front.restart()

    def show_recents(self) -> None:
        """Shows the list of recent apps."""
        self.go_home()
        self.front.open(("recents",))

    def force_stop(self, package: str) -> None:
        """Ends an app and its task."""
        if package == HOME or package not in self._apps:
            return
        self._pids.pop(package, None)
        self._forget(package)
        self._apps[package].restart()
        if self._front == package:
            self.go_home()

    def stack(self) -> list[Focus]:
        """Activities, the top one first."""
        order = dict.fromkeys([self._front, *self.recent, HOME])
        return [focus_of(self._apps[package]) for package in order]

    def _start_process(self, package: str) -> None:
        self._pids[package] = self._next_pid
        self._next_pid += _PID_STEP

    def _forget(self, package: str) -> None:
        if package in self.recent:
            self.recent.remove(package)


def focus_of(app: App) -> Focus:
    """The window of an app."""
    return Focus(app.package, app.activity, f"{app.package}/{app.package}{app.activity}")


def has_activity(app: App, activity: str) -> bool:
    """The app has an activity of that name, short or full; an empty name is its main one."""
    short = activity.removeprefix(app.package)
    return short in ("", app.main_activity, *app.activities.values())

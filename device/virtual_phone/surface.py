"""What the Android userland needs of the phone behind it: a screen, keys, apps, settings.

`phone.VirtualPhone` is the real one; the shell commands know only this, so that they can be
tested on a phone without apps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from device.virtual_phone.profile import Profile

Wakefulness = Literal["Awake", "Asleep"]
AlertKind = Literal["anr", "crash", "permission"]
MotionAction = Literal["DOWN", "MOVE", "UP"]


class Snapshot(Protocol):
    """An immutable picture of the screen; `png`, `paint` and `xml` may run in any thread."""

    @property
    def version(self) -> int:
        """Grows when the screen changes."""
        ...

    @property
    def width_px(self) -> int:
        """Width in the current orientation."""
        ...

    @property
    def height_px(self) -> int:
        """Height in the current orientation."""
        ...

    def paint(self) -> bytes:
        """RGBA rows, `width_px * height_px * 4` bytes."""
        ...

    def png(self) -> bytes:
        """The same picture as a PNG file."""
        ...

    def xml(self) -> str:
        """The uiautomator hierarchy of the active window."""
        ...


class PackageInfo(Protocol):
    """One installed package."""

    @property
    def package(self) -> str:
        """Its name."""
        ...

    @property
    def launcher_activity(self) -> str | None:
        """Component `package/.Activity` with a launcher entry, if it has one."""
        ...

    @property
    def system(self) -> bool:
        """Whether it came with the phone."""
        ...

    @property
    def version_name(self) -> str:
        """`versionName`."""
        ...

    @property
    def version_code(self) -> int:
        """`versionCode`."""
        ...

    @property
    def uid(self) -> int:
        """Linux user id, from 10000 for apps."""
        ...


class Focus(Protocol):
    """A window in front."""

    @property
    def package(self) -> str:
        """Package of the app in front."""
        ...

    @property
    def activity(self) -> str:
        """Its activity, as `.Name` or a full class name."""
        ...

    @property
    def window(self) -> str:
        """Window title: `NotificationShade` or `package/full.ActivityClass`."""
        ...


class StartResult(Protocol):
    """An enum member: started, brought_to_front or not_found."""

    @property
    def name(self) -> str:
        """The member's name."""
        ...


class Phone(Protocol):
    """The phone. All calls are made on the event loop's thread."""

    wakefulness: Wakefulness
    locked: bool
    clipboard: str
    on_launch: Callable[[str], None]

    def use_profile(self, profile: Profile) -> None:
        """Goes on with other facts: the screen is another panel, all else stays."""
        ...

    @property
    def settings(self) -> dict[str, dict[str, str]]:
        """Values by name in `system`, `secure` and `global`; what is written shows on screen."""
        ...

    @property
    def width_px(self) -> int:
        """Natural width."""
        ...

    @property
    def height_px(self) -> int:
        """Natural height."""
        ...

    @property
    def rotation(self) -> int:
        """Quarter turns from the natural orientation, 0..3."""
        ...

    @property
    def ime_shown(self) -> bool:
        """Whether the on-screen keyboard is up."""
        ...

    @property
    def focused_editable(self) -> bool:
        """Whether a text field has the input focus."""
        ...

    @property
    def animating(self) -> bool:
        """Whether the screen is moving, so that it is not idle."""
        ...

    def tap(self, x: float, y: float) -> None:
        """Taps, in pixels of the current orientation."""
        ...

    def long_press(self, x: float, y: float, duration_ms: int) -> None:
        """Presses and holds."""
        ...

    def swipe(self, x1: float, y1: float, x2: float, y2: float, duration_ms: int) -> None:
        """Moves a finger in a straight line."""
        ...

    def motion(self, action: MotionAction, x: float, y: float) -> None:
        """One event of a free gesture."""
        ...

    def key(self, keycode: int, longpress: bool = False) -> None:
        """Presses and releases a key."""
        ...

    def key_combination(self, keycodes: list[int]) -> None:
        """Presses keys in order, then releases them."""
        ...

    def commit_text(self, text: str) -> bool:
        """What a keyboard commits; False if no field has the focus."""
        ...

    def type_ascii(self, text: str) -> None:
        """Types printable ASCII as key events."""
        ...

    def clear_text(self) -> bool:
        """Empties the focused field; False if there is none."""
        ...

    def editor_action(self) -> bool:
        """The keyboard's action key (search, send, done); False if no field has the focus."""
        ...

    def snapshot(self) -> Snapshot:
        """The screen as it is."""
        ...

    def packages(self) -> Sequence[PackageInfo]:
        """What is installed."""
        ...

    def install(self, package: str, version_name: str, version_code: int) -> None:
        """Adds an app without a screen, or a newer version of it."""
        ...

    def uninstall(self, package: str) -> bool:
        """Removes what `install` added; False for what came with the phone."""
        ...

    def start_activity(
        self,
        component_or_package: str,
        *,
        action: str | None = None,
        data: str | None = None,
        extras: dict[str, Any] | None = None,
    ) -> StartResult:
        """Starts an activity or brings its task to the front."""
        ...

    def force_stop(self, package: str) -> None:
        """Ends an app."""
        ...

    def clear_data(self, package: str) -> None:
        """Ends an app and forgets what it stored."""
        ...

    def running(self) -> Sequence[tuple[str, int]]:
        """Packages that have a process, with its pid."""
        ...

    def focus(self) -> Focus | None:
        """The focused window; None while windows change."""
        ...

    def show_alert(self, kind: AlertKind, package: str) -> None:
        """Lets the system ask about an app."""
        ...

    def show_splash(self, package: str, duration_s: float) -> None:
        """Lets an app show nothing but its splash for a while."""
        ...

    def task_stack(self) -> Sequence[Focus]:
        """Activities, the top one first."""
        ...

    def deliver(self, kind: str, values: Mapping[str, Any]) -> None:
        """Lets something arrive from outside; ValueError where it is unknown."""
        ...

    def expand_notifications(self) -> None:
        """Pulls the notification shade down."""
        ...

    def expand_settings(self) -> None:
        """Opens the quick settings."""
        ...

    def collapse_panels(self) -> None:
        """Closes shade and quick settings."""
        ...

    def truth(self) -> dict[str, Any]:
        """The state behind the screen, JSON-able."""
        ...

    def reset(self) -> None:
        """Goes back to the state of a fresh start."""
        ...

    def advance(self, dt_s: float) -> None:
        """Lets time pass: toasts, late screens, animations."""
        ...

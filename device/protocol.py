"""What a phone is to the rest of the project. Sizes and points in pixels, times in seconds.

`device.adb_device.AdbDevice` is the one for real use. Points are pixels of the *last screenshot*
(its own size is the only trustworthy frame).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Protocol

Rotation = Literal[0, 1, 2, 3]
BlackReason = Literal["asleep", "secure_window", "wrong_panel", "unknown"]
TypingMethod = Literal["input_text", "adb_keyboard", "none"]
DeviceStateName = Literal[
    "device", "offline", "unauthorized", "authorizing", "connecting", "no_permissions", "recovery",
    "sideload", "bootloader", "rescue", "host", "detached", "unknown",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Screenshot:
    """One whole picture of the screen.

    Attributes:
        data: The bytes as the phone sent them (PNG).
        width_px: Size of the picture itself, upright: the frame for taps.
        height_px: The same.
        rotation: Quarter turns of the display at that moment, where known.
        black: Why the picture is all black, or None for a real picture.
    """

    data: bytes = field(repr=False)
    width_px: int
    height_px: int
    rotation: Rotation | None = None
    black: BlackReason | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """A box in pixels: left and top inside, right and bottom outside."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width_px(self) -> int:
        return max(0, self.right - self.left)

    @property
    def height_px(self) -> int:
        return max(0, self.bottom - self.top)

    @property
    def is_empty(self) -> bool:
        return self.width_px == 0 or self.height_px == 0

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x_px: float, y_px: float) -> bool:
        """Whether a point is inside."""
        return self.left <= x_px < self.right and self.top <= y_px < self.bottom

    def clip(self, width_px: int, height_px: int) -> Bounds:
        """The part on a screen of this size; empty where nothing of it can be seen or tapped."""
        return Bounds(
            max(0, self.left),
            max(0, self.top),
            min(width_px, self.right),
            min(height_px, self.bottom),
        )


@dataclass(frozen=True, slots=True)
class UiNode:
    """One node of the accessibility tree; every attribute may be missing on some Android."""

    class_name: str
    package: str
    text: str
    content_desc: str
    resource_id: str
    hint: str
    bounds: Bounds
    clickable: bool
    long_clickable: bool
    checkable: bool
    checked: bool
    scrollable: bool
    focusable: bool
    focused: bool
    enabled: bool
    password: bool
    selected: bool
    depth: int
    children: tuple[UiNode, ...] = ()


@dataclass(frozen=True, slots=True)
class UiTree:
    """The tree of the active window, with the XML as it was read (repaired if it had to be).

    The keyboard, the status bar and toasts are other windows: they are not in it.

    Attributes:
        root: The first top node.
        xml: The document that the nodes were read from.
        rotation: Quarter turns, as the document says.
        repairs: What had to be repaired to read it.
        more_roots: Further top nodes (lists whose last row is cut off print some).
    """

    root: UiNode | None
    xml: str = field(repr=False)
    rotation: Rotation | None = None
    repairs: tuple[str, ...] = ()
    more_roots: tuple[UiNode, ...] = ()

    def nodes(self) -> Iterator[UiNode]:
        """All nodes in document order, without recursion (trees can be hundreds deep)."""
        stack = [*reversed(self.more_roots), *([self.root] if self.root is not None else [])]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class App:
    """What is in front.

    Attributes:
        package: The focused app's package, even while a system window lies over it (`window` then
            names that one, such as `NotificationShade`); "" where no app has the focus.
        activity: The full activity name, or "".
        window: The window's title as the phone prints it.
        anr: An "isn't responding" dialog is up for this package.
    """

    package: str
    activity: str = ""
    window: str = ""
    anr: bool = False


@dataclass(frozen=True, slots=True)
class InstalledApp:
    """An installed app.

    Attributes:
        package: Its package.
        labels: Names that people call it by, where known.
        system: Whether it came with the phone.
        launchable: Whether it can be opened from the launcher; None where unknown.
    """

    package: str
    labels: tuple[str, ...] = ()
    system: bool = False
    launchable: bool | None = None


@dataclass(frozen=True, slots=True)
class TypedResult:
    """How text got in, and whether it was read back.

    `verified` is None where the field cannot be read back (no tree, a password).
    """

    method: TypingMethod
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class DeviceState:
    """Health of one phone at one moment; None where it could not be read."""

    serial: str
    state: DeviceStateName
    awake: bool | None = None
    locked: bool | None = None
    rotation: Rotation | None = None
    width_px: int | None = None
    height_px: int | None = None
    model: str = ""
    manufacturer: str = ""
    android_release: str = ""
    sdk: int | None = None
    battery_percent: int | None = None


class Device(Protocol):
    """A phone. All calls block and end within their deadline; all may raise `DeviceError`."""

    @property
    def serial(self) -> str: ...

    def screenshot(self) -> Screenshot:
        """Take a whole picture, or raise: a picture is never invented."""

    def ui_tree(self) -> UiTree | None:
        """The tree of the active window; None where this screen gives none (a game, a video)."""

    def tap(self, x_px: float, y_px: float) -> None: ...
    def double_tap(self, x_px: float, y_px: float) -> None: ...
    def long_press(self, x_px: float, y_px: float, duration_s: float = 0.8) -> None: ...
    def swipe(
        self,
        x1_px: float,
        y1_px: float,
        x2_px: float,
        y2_px: float,
        duration_s: float = 0.4,
        *,
        from_edge: bool = False,
    ) -> None:
        """Swipe; off the edges that belong to the system's gestures, unless `from_edge`."""

    def type_text(
        self,
        text: str,
        *,
        at_px: tuple[float, float] | None = None,
        clear: bool = False,
        submit: bool = False,
        before_input: Callable[[], None] = lambda: None,
    ) -> TypedResult:
        """Type into the focused field, whole or not at all; `at_px` is tapped first to focus it.

        `before_input` is called before each command that changes the phone; what it raises ends
        the typing there (a stop).
        """

    def press_key(self, key: str) -> None:
        """Press a key by its name in the action vocabulary (`ENTER`, `VOLUME_UP`, ...)."""

    def resolve_app(self, name: str) -> str:
        """The package of an installed app by its human name or package; never a lookalike."""

    def open_app(self, package: str) -> App:
        """Launch and wait until it is in front; returns what is in front."""

    def stop_app(self, package: str) -> None: ...
    def installed_apps(self) -> list[InstalledApp]: ...
    def foreground(self) -> App | None: ...
    def wake(self) -> None: ...
    def state(self) -> DeviceState: ...

    def prepare(self) -> None:
        """Make the phone ready for a run: animations off, no sleep meanwhile, where it lets us."""

    def restore(self) -> None:
        """Give back what was borrowed: keyboard, animations, sleep. Safe to call at any time."""

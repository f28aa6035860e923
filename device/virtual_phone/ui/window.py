"""Windows on the screen, and the immutable picture of them all."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from PIL import Image

from device.virtual_phone.ui.hierarchy import write_hierarchy
from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.png import encode_png
from device.virtual_phone.ui.renderer import Layer, paint_layers

WindowName = Literal["app", "dialog", "keyboard", "alert", "keyguard", "shade", "bar", "toast"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window with its laid-out content.

    Attributes:
        name: What kind of window it is.
        package: Whose it is.
        root: Its boxes.
        dim: Darkness over what lies below, 0..1.
        secure: It asks not to be captured.
    """

    name: WindowName
    package: str
    root: Box
    dim: float = 0
    secure: bool = False


@dataclass(frozen=True, slots=True)
class Screen:
    """Everything that decides the pixels."""

    windows: tuple[Window, ...]
    width_px: int
    height_px: int
    rotation: int
    scale: float
    dark: bool
    lit: bool
    blackened: bool
    sdk: int

    @property
    def active_window(self) -> Window:
        """The window that has the input focus, as far as uiautomator knows."""
        active = [window for window in self.windows if window.name in _FOCUSABLE]
        return max(active, key=lambda window: _FOCUSABLE.index(window.name))


@dataclass
class _Painted:
    """What was made of a screen so far."""

    lock: Lock = field(default_factory=Lock)
    rgba: bytes | None = None
    png: bytes | None = None


class Snapshot:
    """The screen at one moment; never changes, and may be used from any thread.

    Attributes:
        version: Grows when the screen changed.
        screen: What is on it.
    """

    def __init__(self, version: int, screen: Screen) -> None:
        self.version = version
        self.screen = screen
        self._painted = _Painted()

    @property
    def width_px(self) -> int:
        """Width in the current orientation."""
        return self.screen.width_px

    @property
    def height_px(self) -> int:
        """Height in the current orientation."""
        return self.screen.height_px

    @property
    def secure(self) -> bool:
        """A window that asks not to be captured is visible."""
        return any(window.secure for window in self.screen.windows)

    def image(self) -> Image.Image:
        """The screen as an RGBA picture; black when it is off or capture is refused."""
        screen = self.screen
        if not screen.lit or screen.blackened:
            return Image.new("RGBA", (screen.width_px, screen.height_px), (0, 0, 0, 255))
        layers = tuple(Layer(window.root, window.dim) for window in screen.windows)
        return paint_layers(layers, screen.width_px, screen.height_px, screen.scale, screen.dark)

    def paint(self) -> bytes:
        """RGBA rows, `width_px * height_px * 4` bytes; painted once."""
        with self._painted.lock:
            return self._rgba()

    def png(self) -> bytes:
        """The same picture as a PNG file; encoded once."""
        with self._painted.lock:
            if self._painted.png is None:
                self._painted.png = encode_png(self._rgba(), self.width_px, self.height_px)
            return self._painted.png

    def xml(self) -> str:
        """The uiautomator hierarchy of the active window."""
        window = self.screen.active_window
        screen = self.screen
        return write_hierarchy(window.root, window.package, screen.rotation, screen.sdk)

    def _rgba(self) -> bytes:
        if self._painted.rgba is None:
            self._painted.rgba = self.image().tobytes()
        return self._painted.rgba


_FOCUSABLE: tuple[WindowName, ...] = ("app", "dialog", "alert", "keyguard", "shade")

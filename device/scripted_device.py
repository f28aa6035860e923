"""A phone that plays a script: an in-memory `Device` for tests of loops, with real pictures.

It never pretends to be a phone for anything else: what it shows are the given frames, what it was
told is in its journal, and it fails where the script says so.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw

from device.apps import AliasTable, match_app
from device.errors import AppNotFoundError, DeviceError
from device.keys import key_code
from device.protocol import (
    App,
    BlackReason,
    DeviceState,
    InstalledApp,
    Screenshot,
    TypedResult,
    UiTree,
)
from device.ui_tree import parse_ui_tree

_CHANGING = frozenset(
    {"tap", "double_tap", "long_press", "swipe", "type_text", "press_key", "open_app", "stop_app"}
)


PLAIN_PAGE = parse_ui_tree(
    '<hierarchy rotation="0"><node class="android.widget.TextView" text="A plain page" '
    'bounds="[20,60][400,120]"/></hierarchy>'
)
"""A screen whose words say nothing of risk."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the phone shows at one moment.

    Attributes:
        words: Text painted on the screen, so that frames with other words are other pictures.
        tree: The UI tree, or None for a screen that gives none. Default: a page with a title.
        app: What is in front.
        black: Show an all-black picture for this reason.
    """

    words: str = ""
    tree: UiTree | None = PLAIN_PAGE
    app: App | None = None
    black: BlackReason | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call in the journal: the method's name and its arguments as they were given."""

    name: str
    args: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


class ScriptedDevice:
    """A `Device` that goes one frame further with each successful input, and stays on the last.

    Args:
        frames: What it shows, in order; at least one.
        errors: For a method, what its calls raise one after another; None lets a call through.
            When the list is used up, the calls succeed again.
        installed: What `resolve_app` and `open_app` know.
        on_call: Called at the start of every call, outside of the lock: to block, to stop a run.
    """

    def __init__(
        self,
        frames: Sequence[Frame | str] = ("",),
        *,
        errors: Mapping[str, Iterable[DeviceError | None]] | None = None,
        installed: Sequence[InstalledApp] = (),
        serial: str = "scripted-1",
        size: tuple[int, int] = (1080, 2400),
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        if not frames:
            raise ValueError("a scripted device needs at least one frame")
        self._frames = [Frame(f) if isinstance(f, str) else f for f in frames]
        self._errors = {name: list(planned) for name, planned in (errors or {}).items()}
        self._installed = list(installed)
        self._serial = serial
        self._size = size
        self._on_call = on_call
        self._position = 0
        self._lock = threading.Lock()
        self.journal: list[Call] = []

    @property
    def serial(self) -> str:
        return self._serial

    @property
    def frame(self) -> Frame:
        """What it shows now."""
        return self._frames[self._position]

    def inputs(self) -> list[Call]:
        """The calls in the journal that change a phone, in order."""
        return [call for call in self.journal if call.name in _CHANGING]

    def screenshot(self) -> Screenshot:
        self._play(Call("screenshot"))
        frame = self.frame
        data = _paint(*self._size, frame.words, frame.black is not None)
        return Screenshot(data, *self._size, 0, frame.black)

    def ui_tree(self) -> UiTree | None:
        self._play(Call("ui_tree"))
        return self.frame.tree

    def tap(self, x_px: float, y_px: float) -> None:
        self._play(Call("tap", (x_px, y_px)))

    def double_tap(self, x_px: float, y_px: float) -> None:
        self._play(Call("double_tap", (x_px, y_px)))

    def long_press(self, x_px: float, y_px: float, duration_s: float = 0.8) -> None:
        self._play(Call("long_press", (x_px, y_px, duration_s)))

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
        options = {"from_edge": True} if from_edge else {}
        self._play(Call("swipe", (x1_px, y1_px, x2_px, y2_px, duration_s), options))

    def type_text(
        self,
        text: str,
        *,
        at_px: tuple[float, float] | None = None,
        clear: bool = False,
        submit: bool = False,
        before_input: Callable[[], None] = lambda: None,
    ) -> TypedResult:
        if at_px is not None:
            before_input()
            self.tap(*at_px)
        before_input()
        self._play(Call("type_text", (text,), {"clear": clear, "submit": submit}))
        return TypedResult("input_text" if text.isascii() else "adb_keyboard")

    def press_key(self, key: str) -> None:
        if key != "SELECT_ALL":
            key_code(key)
        self._play(Call("press_key", (key,)))

    def resolve_app(self, name: str) -> str:
        self._play(Call("resolve_app", (name,)))
        return match_app(name, self._installed, AliasTable())

    def open_app(self, package: str) -> App:
        if package not in {app.package for app in self._installed}:
            raise AppNotFoundError(
                f"{package!r} is not installed; name an installed app.", candidates=[]
            )
        self._play(Call("open_app", (package,)))
        return self.frame.app or App(package)

    def stop_app(self, package: str) -> None:
        self._play(Call("stop_app", (package,)))

    def installed_apps(self) -> list[InstalledApp]:
        self._play(Call("installed_apps"))
        return list(self._installed)

    def foreground(self) -> App | None:
        self._play(Call("foreground"))
        return self.frame.app

    def wake(self) -> None:
        self._play(Call("wake"))

    def state(self) -> DeviceState:
        self._play(Call("state"))
        width_px, height_px = self._size
        return DeviceState(
            self._serial, "device", True, False, 0, width_px, height_px, model="Scripted"
        )

    def prepare(self) -> None:
        self._play(Call("prepare"))

    def restore(self) -> None:
        self._play(Call("restore"))

    def _play(self, call: Call) -> None:
        if self._on_call is not None:
            self._on_call(call)
        with self._lock:
            self.journal.append(call)
            planned = self._errors.get(call.name)
            error = planned.pop(0) if planned else None
            if error is not None:
                raise error
            if call.name in _CHANGING:
                self._position = min(self._position + 1, len(self._frames) - 1)


@lru_cache(maxsize=64)
def _paint(width_px: int, height_px: int, words: str, black: bool) -> bytes:
    image = Image.new("RGB", (width_px, height_px), "black" if black else "white")
    if not black:
        draw = ImageDraw.Draw(image)
        # Each character is a block of its own grey level: any words, no font needed.
        side = max(8, width_px // 24)
        columns = max(1, width_px // side - 2)
        for number, character in enumerate(words):
            row, column = divmod(number, columns)
            left, top = side * (column + 1), side * (row * 2 + 4)
            shade = (ord(character) * 37) % 200
            draw.rectangle((left, top, left + side - 4, top + side), fill=(shade,) * 3)
    data = io.BytesIO()
    image.save(data, "PNG", compress_level=1)
    return data.getvalue()

"""A phone and a server of a few lines each, for the loop: what they are told, they do and note."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from PIL import Image, ImageDraw

from device.errors import AppNotFoundError
from device.protocol import (
    App,
    DeviceState,
    InstalledApp,
    Screenshot,
    TypedResult,
    UiTree,
)
from device.scripted_device import PLAIN_PAGE
from parsers.action import Action


def picture(number: int, size: tuple[int, int] = (540, 1200)) -> bytes:
    """A screen of its own for each number."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for bit in range(8):
        if number >> bit & 1:
            draw.rectangle((40, 100 + bit * 120, 500, 200 + bit * 120), fill="black")
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


class FakePhone:
    """A phone whose screen changes with each input; it keeps a journal of what reached it.

    Attributes:
        journal: Each input, in order.
        plan: What is done before a named call: raise, wait.
        frozen: Whether the screen ignores all input.
    """

    def __init__(self) -> None:
        self.serial = "fake-1"
        self.journal: list[tuple[Any, ...]] = []
        self.plan: dict[str, list[Callable[[], Any]]] = {}
        self.frozen = False
        self.apps = {"设置": "com.android.settings", "Notes": "com.android.notes"}
        self.front = App("com.android.launcher3")
        self.tree: UiTree | None = PLAIN_PAGE
        self.black: list[Any] = []
        self.screen = 0
        self.restored = 0

    def next(self, call: str, *does: Callable[[], Any]) -> None:
        """Plan what the next calls of this name do first."""
        self.plan.setdefault(call, []).extend(does)

    def _enter(self, call: str) -> None:
        if self.plan.get(call):
            self.plan[call].pop(0)()

    def _input(self, call: str, *values: Any) -> None:
        self._enter(call)
        self.journal.append((call, *values))
        if not self.frozen:
            self.screen += 1

    def screenshot(self) -> Screenshot:
        self._enter("screenshot")
        black = self.black.pop(0) if self.black else None
        return Screenshot(picture(self.screen), 540, 1200, 0, black)

    def ui_tree(self) -> UiTree | None:
        self._enter("ui_tree")
        return self.tree

    def tap(self, x_px: float, y_px: float) -> None:
        self._input("tap", x_px, y_px)

    def double_tap(self, x_px: float, y_px: float) -> None:
        self._input("double_tap", x_px, y_px)

    def long_press(self, x_px: float, y_px: float, duration_s: float = 0.8) -> None:
        self._input("long_press", x_px, y_px, duration_s)

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
        edge = ("from_edge",) if from_edge else ()
        self._input("swipe", x1_px, y1_px, x2_px, y2_px, duration_s, *edge)

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
        self._input("type_text", text, clear, submit)
        return TypedResult("input_text", True)

    def press_key(self, key: str) -> None:
        self._input("press_key", key)

    def resolve_app(self, name: str) -> str:
        if name not in self.apps:
            raise AppNotFoundError(f"no app is called {name!r}; look at the list of apps")
        return self.apps[name]

    def open_app(self, package: str) -> App:
        self._input("open_app", package)
        self.front = App(package)
        return self.front

    def stop_app(self, package: str) -> None:
        self._input("stop_app", package)

    def installed_apps(self) -> list[InstalledApp]:
        return [InstalledApp(package, (label,)) for label, package in self.apps.items()]

    def foreground(self) -> App | None:
        return self.front

    def wake(self) -> None:
        self._enter("wake")

    def state(self) -> DeviceState:
        return DeviceState(self.serial, "device")

    def prepare(self) -> None:
        self._enter("prepare")

    def restore(self) -> None:
        self.restored += 1


class FakeServer:
    """Plays given answers, and keeps what it was asked and told.

    An answer is an action, an exception to raise, a number of seconds to hang, or a whole dict.
    """

    def __init__(self, *answers: Action | Exception | float | dict[str, Any]) -> None:
        self.answers = list(answers)
        self.sessions: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.closed: list[str] = []
        self.judged: list[tuple[int, dict[str, Any]]] = []
        self.judgement: dict[str, Any] = {"level": "allow", "class": "none", "reason": ""}
        self.released = threading.Event()

    def get_session(self, payload: Mapping[str, Any]) -> str:
        self.sessions.append(dict(payload))
        return "session-1"

    def automate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append(dict(payload["observation"]))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, float):
            self.released.wait(answer)
            answer = self.answers.pop(0)
        if isinstance(answer, dict):
            return answer
        assert not isinstance(answer, Exception | float)
        return self.answer(answer)

    def answer(self, action: Action, **policy: Any) -> dict[str, Any]:
        return {
            "action": action.to_wire(),
            "current_step": len(self.asked),
            "policy": {"level": "allow", "class": "none", "reason": "", **policy},
        }

    def record_event(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None:
        self.events.append((kind, dict(data)))

    def judge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        self.judged.append((step, dict(observation)))
        return self.judgement

    def close_session(self, session_id: str, stop_reason: str) -> None:
        self.closed.append(stop_reason)

    def told(self) -> Sequence[str | None]:
        """What the model heard of its last action, at each step."""
        return [observation.get("last_result") for observation in self.asked]


@pytest.fixture
def phone() -> FakePhone:
    return FakePhone()


@pytest.fixture
def serve() -> type[FakeServer]:
    return FakeServer

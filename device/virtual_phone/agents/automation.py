"""The uiautomator2 server: its JSON-RPC methods, acting on the phone's screen.

Method names and results are those that the client `uiautomator2` calls and reads. Like the real
one it holds the phone's UiAutomation, so it needs no right to inject and there is only one at a
time.
"""

from __future__ import annotations

import asyncio
import base64
import io
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

from device.virtual_phone.agents.selectors import (
    Node,
    Selector,
    SelectorError,
    bounds_of,
    describe_node,
    find_nodes,
)
from device.virtual_phone.framework.keycodes import keycode_for
from device.virtual_phone.framework.settings import put_setting
from device.virtual_phone.surface import MotionAction, Snapshot

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland

_STEP_MS: Final = 5
_POLL_S: Final = 0.05
_MAX_WAIT_S: Final = 60.0
_ACTIONS: Final[dict[int, MotionAction]] = {0: "DOWN", 1: "UP", 2: "MOVE"}
_KEYS: Final = {
    "recent": 187, "delete": 67, "del": 67, "center": 23, "up": 19, "down": 20, "left": 21,
    "right": 22,
}  # fmt: skip
_ROTATIONS: Final = {"natural": 0, "n": 0, "left": 1, "l": 1, "upsidedown": 2, "u": 2,
                     "right": 3, "r": 3}  # fmt: skip


class RpcError(Exception):
    """A call that fails, with its JSON-RPC code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Automation:
    """One running server."""

    def __init__(self, system: Userland) -> None:
        self._system = system
        self._methods: dict[str, Callable[..., Awaitable[Any]]] = {
            "deviceInfo": self._device_info,
            "dumpWindowHierarchy": self._dump,
            "takeScreenshot": self._take_screenshot,
            "click": self._click,
            "longClick": self._long_click,
            "swipe": self._swipe,
            "drag": self._swipe,
            "swipePoints": self._swipe_points,
            "injectInputEvent": self._inject,
            "pressKey": self._press_key,
            "pressKeyCode": self._press_key_code,
            "objInfo": self._info,
            "objInfoOfAllInstances": self._infos,
            "exist": self._exists,
            "count": self._count,
            "waitForExists": self._wait_for,
            "waitUntilGone": self._wait_gone,
            "getText": self._get_text,
            "setText": self._set_text,
            "clearTextField": self._clear_field,
            "clearInputText": self._clear_focused,
            "getClipboard": self._get_clipboard,
            "setClipboard": self._set_clipboard,
            "pasteClipboard": self._paste,
            "openNotification": self._open_notification,
            "openQuickSettings": self._open_quick_settings,
            "wakeUp": self._wake,
            "sleep": self._sleep,
            "setOrientation": self._set_orientation,
            "freezeRotation": self._freeze_rotation,
            "getLastToast": self._last_toast,
            "clearLastToast": self._nothing,
        }

    async def call(self, name: str, params: Any) -> Any:
        """Runs one method.

        Raises:
            RpcError: It doesn't exist, its arguments are wrong, or it fails.
        """
        method = self._methods.get(name)
        if method is None:
            raise RpcError(-32601, f"Method not found: {name}")
        self._system.catch_up()
        try:
            return await (method(**params) if isinstance(params, dict) else method(*(params or ())))
        except (TypeError, ValueError, KeyError, SelectorError) as error:
            raise RpcError(-32602, f"Invalid params of {name}: {error}") from None

    # Looking

    async def _device_info(self) -> dict[str, Any]:
        phone, profile = self._system.phone, self._system.profile
        focus, snapshot = phone.focus(), phone.snapshot()
        dp = profile.density / 160
        return {
            "currentPackageName": focus.package if focus is not None else "",
            "displayWidth": snapshot.width_px,
            "displayHeight": snapshot.height_px,
            "displayRotation": phone.rotation,
            "displaySizeDpX": round(snapshot.width_px / dp),
            "displaySizeDpY": round(snapshot.height_px / dp),
            "naturalOrientation": phone.rotation == 0,
            "productName": profile.device,
            "screenOn": phone.wakefulness == "Awake",
            "sdkInt": profile.sdk,
        }

    async def _xml(self) -> str:
        return await self._system.in_thread(self._system.phone.snapshot().xml)

    async def _dump(self, compressed: bool, max_depth: int = 50, active: bool = False) -> str:
        return await self._xml()

    async def _take_screenshot(self, scale: float, quality: int) -> str:
        return await self._system.in_thread(
            _jpeg, self._system.phone.snapshot(), float(scale), int(quality)
        )

    # Touching

    def _gesture(self, text: str, act: Callable[[], None]) -> bool:
        self._system.gesture(text, act)
        return True

    async def _click(self, x: float, y: float, duration_ms: int = 0) -> bool:
        phone = self._system.phone
        if duration_ms >= 400:
            return await self._long_click(x, y, duration_ms)
        return self._gesture(f"tap {x:g} {y:g}", lambda: phone.tap(x, y))

    async def _long_click(self, x: float, y: float, duration_ms: int = 500) -> bool:
        phone = self._system.phone
        text = f"swipe {x:g} {y:g} {x:g} {y:g} {duration_ms}"
        return self._gesture(text, lambda: phone.long_press(x, y, duration_ms))

    async def _swipe(self, x1: float, y1: float, x2: float, y2: float, steps: int) -> bool:
        phone, duration_ms = self._system.phone, max(1, int(steps)) * _STEP_MS
        text = f"swipe {x1:g} {y1:g} {x2:g} {y2:g} {duration_ms}"
        return self._gesture(text, lambda: phone.swipe(x1, y1, x2, y2, duration_ms))

    async def _swipe_points(self, points: list[float], steps: int) -> bool:
        """A path; the phone knows straight lines only, so it goes from its start to its end."""
        x1, y1, *_ = points
        *_, x2, y2 = points
        return await self._swipe(x1, y1, x2, y2, steps)

    async def _inject(self, action: int, x: float, y: float, meta: int = 0) -> bool:
        phone, kind = self._system.phone, _ACTIONS[action]
        return self._gesture(f"motionevent {kind} {x:g} {y:g}", lambda: phone.motion(kind, x, y))

    async def _press_key(self, name: str) -> bool:
        code = _KEYS.get(name.lower()) or keycode_for(name)
        if not code:
            return False
        return await self._press_key_code(code)

    async def _press_key_code(self, code: int, meta: int = 0) -> bool:
        phone = self._system.phone
        return self._gesture(f"keyevent {code}", lambda: phone.key(code))

    # Nodes

    async def _nodes(self, selector: Selector) -> list[Node]:
        return find_nodes(await self._xml(), selector)

    async def _node(self, selector: Selector) -> Node:
        nodes = await self._nodes(selector)
        if not nodes:
            shown = {k: v for k, v in selector.items() if k != "mask" and v != []}
            raise RpcError(
                -32001, f"androidx.test.uiautomator.UiObjectNotFoundException: UiSelector{shown}"
            )
        return nodes[0]

    async def _info(self, selector: Selector) -> dict[str, Any]:
        return describe_node(await self._node(selector))

    async def _infos(self, selector: Selector) -> list[dict[str, Any]]:
        return [describe_node(node) for node in await self._nodes(selector)]

    async def _exists(self, selector: Selector) -> bool:
        return bool(await self._nodes(selector))

    async def _count(self, selector: Selector) -> int:
        return len(await self._nodes(selector))

    async def _wait_for(self, selector: Selector, timeout_ms: int) -> bool:
        return await self._wait(selector, timeout_ms, there=True)

    async def _wait_gone(self, selector: Selector, timeout_ms: int) -> bool:
        return await self._wait(selector, timeout_ms, there=False)

    async def _wait(self, selector: Selector, timeout_ms: int, *, there: bool) -> bool:
        deadline_s = time.monotonic() + min(timeout_ms / 1000, _MAX_WAIT_S)
        while bool(await self._nodes(selector)) is not there:
            if time.monotonic() >= deadline_s:
                return False
            await asyncio.sleep(_POLL_S)
            self._system.catch_up()
        return True

    # Text

    async def _get_text(self, selector: Selector) -> str:
        return (await self._node(selector)).get("text", "")

    async def _set_text(self, selector: Selector, text: str) -> bool:
        node = await self._node(selector)
        if not node.get("class", "").endswith("EditText"):
            return False
        phone = self._system.phone
        left, top, right, bottom = bounds_of(node)
        if node.get("focused") != "true":
            phone.tap((left + right) / 2, (top + bottom) / 2)

        def write() -> None:
            phone.clear_text()
            phone.commit_text(text)

        return self._gesture(f"setText {text!r}", write)

    async def _clear_field(self, selector: Selector) -> bool:
        return await self._set_text(selector, "")

    async def _clear_focused(self) -> bool:
        return self._system.phone.clear_text()

    async def _get_clipboard(self) -> str:
        return self._system.phone.clipboard

    async def _set_clipboard(self, label: str | None, text: str) -> None:
        self._system.phone.clipboard = text

    async def _paste(self) -> bool:
        return await self._press_key_code(279)

    # The system

    async def _open_notification(self) -> bool:
        self._system.phone.expand_notifications()
        return True

    async def _open_quick_settings(self) -> bool:
        self._system.phone.expand_settings()
        return True

    async def _wake(self) -> bool:
        return await self._press_key_code(224)

    async def _sleep(self) -> bool:
        return await self._press_key_code(223)

    async def _set_orientation(self, name: str) -> None:
        phone = self._system.phone
        put_setting(phone, "system", "accelerometer_rotation", "0")
        put_setting(phone, "system", "user_rotation", str(_ROTATIONS[name.lower()]))

    async def _freeze_rotation(self, frozen: bool) -> None:
        phone = self._system.phone
        put_setting(phone, "system", "accelerometer_rotation", "0" if frozen else "1")

    async def _last_toast(self) -> str | None:
        toast: str | None = self._system.phone.truth().get("toast")
        return toast

    async def _nothing(self) -> None:
        """There is nothing to forget: a toast that went away is gone."""


def _jpeg(snapshot: Snapshot, scale: float, quality: int) -> str:
    size = (snapshot.width_px, snapshot.height_px)
    image = Image.frombytes("RGBA", size, snapshot.paint()).convert("RGB")
    if scale != 1:
        image = image.resize((max(1, round(size[0] * scale)), max(1, round(size[1] * scale))))
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=max(1, min(100, quality)))
    return base64.b64encode(buffer.getvalue()).decode()

"""Single looks and inputs: `get_screenshot`, `click`, `input_text`, ...

Leases and policy hold as in a task: while a task drives a phone, only looking is possible.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

import anyio
import pybase64
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ImageContent, InputRequiredResult, ToolAnnotations
from pydantic import Field

from device.protocol import Device
from parsers.action import (
    Action,
    Awake,
    Click,
    DoubleClick,
    HotKey,
    Key,
    LongPress,
    Slide,
    Type,
)
from server.errors import PolicyDeniedError
from server.hands import Hands, Intent, Unit, describe_screen
from server.loop.rule import fingerprint_screen, looks_same
from server.mcp_tools.asking import YesNo, ask, given_before
from server.mcp_tools.calls import Threads
from server.mcp_tools.veil import Veil
from server.phones import Phones

LOOKS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
ACTS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
MAX_BYTES = 700_000

DeviceName = Annotated[
    str | None,
    Field(description="Serial or name, as get_device_list gives it. Default: the only phone."),
]
X = Annotated[float, Field(description="From the left: 0-1000, or pixels of the screen (unit).")]
Y = Annotated[float, Field(description="From the top: 0-1000, or pixels of the screen (unit).")]
UnitOption = Annotated[
    Unit,
    Field(description="`relative`: points are 0-1000 of the screen; `px`: pixels of the screen."),
]
Duration = Annotated[float, Field(gt=0, le=10, description="Seconds.")]
Result = Any
"""`CallToolResult`, or a question (`InputRequiredResult`)."""


def add_low_level_tools(mcp: MCPServer[Any], phones: Phones, hands: Hands, veil: Veil) -> None:
    """Put the tools into the server."""
    threads = Threads()

    async def act(
        ctx: Context[Any, Any], device: str | None, make: Callable[[Device], Action]
    ) -> Result:
        phone = await threads.run(hands.open, veil.serial(device))
        action: Action = await threads.run(make, phone)
        intent = await threads.run(hands.prepare, phone, action)
        if intent.decision.level == "confirm":
            question = await _confirm(ctx, intent, veil)
            if question is not None:
                return question
            await threads.run(_check_screen, intent)
        outcome = await threads.run(hands.do, intent)
        return veil.answer({"device": phone.serial, "action": action.action, **outcome.to_wire()})

    async def describe(device: str | None) -> Result:
        """The screen in words, for a client that gets no picture: summary and labels."""
        phone, shot, tree, front = await threads.run(hands.read_tree, veil.serial(device))
        if shot.black not in (None, "unknown"):
            return veil.answer({"device": phone.serial, "state_summary": f"black: {shot.black}"})
        facts = describe_screen(phone, shot, tree, front)
        facts["elements"] = veil.labels(facts["elements"], tree, shot)
        facts["state_summary"] = await threads.run(veil.describe, "", shot, tree, front)
        return veil.answer(facts)

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def get_device_list() -> Result:
        """List the phones that adb sees, with their states; only `device` is ready."""
        return veil.answer({"devices": await threads.run(_list_phones, phones)})

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def list_connected_devices() -> Result:
        """The serials of the phones that are ready (see get_device_list for all)."""
        found = await threads.run(_list_phones, phones)
        ready = [row["serial"] for row in found if row["state"] == "device"]
        return veil.answer({"devices": ready})

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def get_screenshot(
        device: DeviceName = None,
        max_side_px: Annotated[
            int, Field(ge=200, le=4096, description="Longest side of the picture.")
        ] = 1600,
        image_format: Annotated[
            Literal["jpeg", "webp"], Field(description="Format of the picture.")
        ] = "jpeg",
        max_bytes: Annotated[int, Field(ge=20_000, le=5_000_000)] = MAX_BYTES,
    ) -> Result:
        """See the screen. Points for the other tools are 0-1000 of this picture, any size."""
        if not veil.is_open:
            return await describe(device)
        picture = await threads.run(
            hands.look, device, max_side_px=max_side_px, max_bytes=max_bytes, kind=image_format
        )
        block = ImageContent(
            type="image",
            data=pybase64.b64encode(picture.data).decode("ascii"),
            mime_type=picture.media_type,
        )
        facts = {
            "screen_px": [picture.screen.width_px, picture.screen.height_px],
            "picture_px": [picture.width_px, picture.height_px],
            "bytes": len(picture.data),
        }
        return veil.answer(facts, block)

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def get_ui_tree(
        device: DeviceName = None,
        xml: Annotated[bool, Field(description="Also the whole hierarchy as XML.")] = False,
    ) -> Result:
        """What can be touched on the screen: labels, kinds, centers and boxes in 0-1000."""
        if not veil.is_open:
            return await describe(device)
        phone, shot, tree, front = await threads.run(hands.read_tree, device)
        facts = describe_screen(phone, shot, tree, front)
        return veil.answer(facts | ({"xml": tree.xml} if xml and tree is not None else {}))

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def list_apps(device: DeviceName = None) -> Result:
        """The installed apps that can be opened, with the names that people call them by."""
        if veil.level == "private":
            return veil.answer({"withheld": "the list of apps; open one by its name with awake"})
        phone = await threads.run(hands.open, device)
        apps = await threads.run(phone.installed_apps)
        return veil.answer(
            {
                "apps": [
                    {"package": app.package, "names": list(app.labels)}
                    for app in apps
                    if app.launchable is not False
                ]
            }
        )

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def click(
        ctx: Context[Any, Any], x: X, y: Y, unit: UnitOption = "relative", device: DeviceName = None
    ) -> Result:
        """Tap a point."""
        return await act(ctx, device, lambda phone: Click(point=hands.point(phone, x, y, unit)))

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def double_click(
        ctx: Context[Any, Any], x: X, y: Y, unit: UnitOption = "relative", device: DeviceName = None
    ) -> Result:
        """Tap a point twice."""
        return await act(
            ctx, device, lambda phone: DoubleClick(point=hands.point(phone, x, y, unit))
        )

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def long_press(
        ctx: Context[Any, Any],
        x: X,
        y: Y,
        duration_s: Duration = 0.8,
        unit: UnitOption = "relative",
        device: DeviceName = None,
    ) -> Result:
        """Press a point and hold it."""
        return await act(
            ctx,
            device,
            lambda phone: LongPress(point=hands.point(phone, x, y, unit), duration_s=duration_s),
        )

    async def slide(
        ctx: Context[Any, Any], device: str | None, unit: Unit, ends: Any, duration_s: float
    ) -> Result:
        x1, y1, x2, y2 = ends
        return await act(
            ctx,
            device,
            lambda phone: Slide(
                point1=hands.point(phone, x1, y1, unit),
                point2=hands.point(phone, x2, y2, unit),
                duration_s=duration_s,
            ),
        )

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def swipe(
        ctx: Context[Any, Any],
        x1: X,
        y1: Y,
        x2: X,
        y2: Y,
        duration_s: Duration = 0.4,
        unit: UnitOption = "relative",
        device: DeviceName = None,
    ) -> Result:
        """Move a finger quickly from a point to another (going up, it scrolls down)."""
        return await slide(ctx, device, unit, (x1, y1, x2, y2), duration_s)

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def drag(
        ctx: Context[Any, Any],
        x1: X,
        y1: Y,
        x2: X,
        y2: Y,
        duration_s: Duration = 1.5,
        unit: UnitOption = "relative",
        device: DeviceName = None,
    ) -> Result:
        """Move a finger slowly from a point to another, to drag what is there."""
        return await slide(ctx, device, unit, (x1, y1, x2, y2), duration_s)

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def input_text(
        ctx: Context[Any, Any],
        text: Annotated[str, Field(min_length=1, max_length=20_000)],
        clear: Annotated[bool, Field(description="Empty the field first.")] = False,
        submit: Annotated[bool, Field(description="Press Enter after it.")] = False,
        device: DeviceName = None,
    ) -> Result:
        """Type into the field that has the focus (tap it first)."""
        action = Type(value=text, keyboard_exists=True, clear=clear, submit=submit)
        return await act(ctx, device, lambda phone: action)

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def hotkey(
        ctx: Context[Any, Any],
        key: Annotated[Key, Field(description="BACK, HOME, ENTER, VOLUME_UP, ...")],
        device: DeviceName = None,
    ) -> Result:
        """Press a key of the phone."""
        return await act(ctx, device, lambda phone: HotKey(key=key))

    @mcp.tool(annotations=ACTS, structured_output=False)
    @veil.guards
    async def awake(
        ctx: Context[Any, Any],
        app: Annotated[
            str | None,
            Field(max_length=200, description="Its name or package. Default: just wake the phone."),
        ] = None,
        device: DeviceName = None,
    ) -> Result:
        """Wake the phone and, if one is named, open an app."""
        phone = await threads.run(hands.open, veil.serial(device))
        await threads.run(hands.wake, phone)
        if app is None:
            return veil.answer({"device": phone.serial, "action": "WAKE", "status": "ok"})
        return await act(ctx, device, lambda phone: Awake(value=app))

    @mcp.tool(annotations=LOOKS, structured_output=False)
    @veil.guards
    async def wait(
        seconds: Annotated[float, Field(ge=0, le=20)] = 1.0,
    ) -> Result:
        """Wait, for a page to load."""
        await anyio.sleep(seconds)
        return veil.answer({"action": "WAIT", "waited_s": seconds})


def _list_phones(phones: Phones) -> list[dict[str, Any]]:
    return [asdict(row) for row in phones.list()]


async def _confirm(
    ctx: Context[Any, Any], intent: Intent, veil: Veil
) -> InputRequiredResult | None:
    """A person's yes for this input on this screen; None: it was given."""
    about = {"intent": _digest(intent), "screen": intent.screen.hex()}
    given = given_before(ctx, YesNo)
    if given is not None and given.state.get("intent") != about["intent"]:
        given = None
    if given is not None and not looks_same(bytes.fromhex(given.state["screen"]), intent.screen):
        given = None  # the yes was for another screen
    if given is None:
        asked = await ask(
            ctx, veil.text(f"May this be done? {intent.decision.reason}"), YesNo, about
        )
        if isinstance(asked, InputRequiredResult):
            return asked
        given = asked
    if given is None:
        raise PolicyDeniedError(
            f"{intent.decision.reason}: this needs a person's yes, and your client cannot ask for "
            "one; do it by hand, or run it as a task with `approve`",
            **{"class": intent.decision.risk},
        )
    if given.action != "accept" or given.value is not True:
        raise PolicyDeniedError(
            f"{intent.decision.reason}: the person did not say yes; do not try again",
            **{"class": intent.decision.risk},
        )
    return None


def _digest(intent: Intent) -> str:
    wire = repr((intent.device.serial, intent.action.to_wire(include_meta=False)))
    return hashlib.sha256(wire.encode("utf-8")).hexdigest()[:32]


def _check_screen(intent: Intent) -> None:
    """The yes is for the screen that it was asked on."""
    now = fingerprint_screen(intent.device.screenshot().data)
    if not looks_same(now, intent.screen):
        raise PolicyDeniedError("the screen changed while the person was asked; look at it again")

"""`/v1/devices`: which phones there are, how they are, what they show; one action, one lease."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

import anyio
import anyio.to_thread
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from device.protocol import Device
from parsers.action import Abort, Answer, Complete, Info, TakeOver, Wait
from parsers.mapping import read_action_mapping
from server.errors import BadRequestError, PolicyDeniedError
from server.hands import Hands
from server.http.json_body import JsonRoute
from server.leases import LEASE_MAX_S, Leases
from server.phones import Phones

T = TypeVar("T")

MAX_CALLS = 8
"""How many phones are asked at once; their waits never use up the threads of other routes."""
LEASE_ID_MAX_CHARS = 200
_LeaseId = Annotated[str | None, Field(default=None, max_length=LEASE_ID_MAX_CHARS)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LeaseBody(_Body):
    """A client takes a phone, or keeps it."""

    holder: str = Field(min_length=1, max_length=100, description="Who you are, for others.")
    lasts_s: float = Field(default=60, gt=0, le=LEASE_MAX_S)
    lease_id: _LeaseId = Field(default=None, description="Renew this lease.")


class LeaseEndBody(_Body):
    lease_id: str = Field(max_length=LEASE_ID_MAX_CHARS)


class ActionBody(_Body):
    """One action of the action vocabulary, points in 0-1000 of the upright screenshot."""

    action: dict[str, Any] = Field(examples=[{"action": "CLICK", "point": [500, 320]}])
    lease_id: _LeaseId = None
    approve: bool = Field(default=False, description="A person said yes to what is risky in it.")


def device_routes(
    phones: Phones, leases: Leases, hands: Hands, why_set_aside: Callable[[str], str | None]
) -> APIRouter:
    """The routes under `/v1/devices`.

    Args:
        phones: Where phones come from.
        leases: Who drives them.
        hands: Gives them single inputs.
        why_set_aside: Why tasks by tag pass over a phone; None if they do not.
    """
    routes = APIRouter(prefix="/v1/devices", route_class=JsonRoute, tags=["devices"])
    limiter = anyio.CapacityLimiter(MAX_CALLS)

    async def off_loop(call: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(call, limiter=limiter)

    async def find(serial: str) -> Device:
        return await off_loop(functools.partial(phones.open, serial))

    def standing(serial: str) -> dict[str, Any]:
        return {"lease": leases.describe(serial), "set_aside": why_set_aside(serial)}

    @routes.get("")
    async def list_devices() -> dict[str, Any]:
        """All phones that adb lists, those included that are not ready, and who drives them.

        `set_aside` says why tasks by tag pass over a phone for a while: it failed lately.
        """
        found = await off_loop(phones.list)
        return {"devices": [{**asdict(device), **standing(device.serial)} for device in found]}

    @routes.get("/{serial}")
    async def read_device(serial: str) -> dict[str, Any]:
        """One phone's health: awake, locked, rotation, size, battery; and who drives it."""
        device = await find(serial)
        state = await off_loop(device.state)
        return {**asdict(state), **standing(device.serial)}

    @routes.get("/{serial}/screenshot", response_class=Response)
    async def read_screenshot(serial: str) -> Response:
        """What the phone shows now, as PNG; `X-Screen-Black` says why it is all black."""
        device = await find(serial)
        shot = await off_loop(device.screenshot)
        headers = {
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            "X-Screen-Size": f"{shot.width_px}x{shot.height_px}",
        }
        if shot.rotation is not None:
            headers["X-Screen-Rotation"] = str(shot.rotation)
        if shot.black is not None:
            headers["X-Screen-Black"] = shot.black
        return Response(shot.data, media_type="image/png", headers=headers)

    @routes.get("/{serial}/ui_tree")
    async def read_ui_tree(serial: str) -> dict[str, Any]:
        """The tree of the window in front as XML; null where this screen gives none."""
        device = await find(serial)
        tree = await off_loop(device.ui_tree)
        return {"ui_tree": None if tree is None else tree.xml}

    @routes.get("/{serial}/doctor")
    async def diagnose(serial: str) -> dict[str, Any]:
        """What is missing between this machine and the phone, and how to put it right."""
        found = await off_loop(functools.partial(phones.diagnose, serial))
        return {"findings": [asdict(finding) for finding in found]}

    @routes.get("/{serial}/apps")
    async def list_apps(
        serial: str, launchable: Annotated[bool, Query(description="Only those to open.")] = True
    ) -> dict[str, Any]:
        """The installed apps with the names that are known for them."""
        device = await find(serial)
        apps = await off_loop(device.installed_apps)
        return {
            "apps": [asdict(app) for app in apps if not launchable or app.launchable is not False]
        }

    @routes.post("/{serial}/actions")
    async def act(serial: str, body: ActionBody) -> dict[str, Any]:
        """Do one action; refused while a task or another client drives the phone."""
        action = read_action_mapping(body.action)
        if isinstance(action, Abort | Answer | Complete | Info | TakeOver | Wait):
            raise BadRequestError(
                f"{action.action} is nothing that a phone does; send it to a task", field="action"
            )
        device = await find(serial)

        def do() -> dict[str, Any]:
            intent = hands.prepare(device, action, lease_id=body.lease_id)
            decision = intent.decision
            if decision.level == "confirm" and not body.approve:
                raise PolicyDeniedError(
                    f"{decision.reason or 'this needs a person'}; ask one, then send it with "
                    "`approve: true`",
                    **{"class": decision.risk, "level": decision.level},
                )
            outcome = hands.do(intent, lease_id=body.lease_id)
            return {"serial": device.serial, **outcome.to_wire()}

        return await off_loop(do)

    @routes.post("/{serial}/lease", status_code=201)
    async def take_lease(serial: str, body: LeaseBody) -> dict[str, Any]:
        """Keep others from the phone until the lease runs out; with `lease_id` for longer."""
        device = await find(serial)
        lease = leases.take(device.serial, body.holder, body.lasts_s, lease_id=body.lease_id)
        return lease.to_wire()

    @routes.post("/{serial}/lease/release")
    async def release_lease(serial: str, body: LeaseEndBody) -> dict[str, Any]:
        """Give the phone back before the lease runs out."""
        device = await find(serial)
        leases.give_back(device.serial, body.lease_id)
        return {"serial": device.serial, "lease": leases.describe(device.serial)}

    return routes

"""`/v1/devices`: which phones there are, how they are, what they show."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from fastapi import APIRouter, Response

from server.phones import Phones

T = TypeVar("T")

MAX_CALLS = 8
"""How many phones are asked at once; their waits never use up the threads of other routes."""


def device_routes(phones: Phones) -> APIRouter:
    """The routes under `/v1/devices`."""
    routes = APIRouter(prefix="/v1/devices", tags=["devices"])
    limiter = anyio.CapacityLimiter(MAX_CALLS)

    async def off_loop(call: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(call, limiter=limiter)

    @routes.get("")
    async def list_devices() -> dict[str, Any]:
        """All phones that adb lists, those included that are not ready."""
        found = await off_loop(phones.list)
        return {"devices": [asdict(device) for device in found]}

    @routes.get("/{serial}")
    async def read_device(serial: str) -> dict[str, Any]:
        """One phone's health: awake, locked, rotation, size, battery."""
        device = await off_loop(functools.partial(phones.open, serial))
        return asdict(await off_loop(device.state))

    @routes.get("/{serial}/screenshot", response_class=Response)
    async def read_screenshot(serial: str) -> Response:
        """What the phone shows now, as PNG."""
        device = await off_loop(functools.partial(phones.open, serial))
        shot = await off_loop(device.screenshot)
        return Response(
            shot.data,
            media_type="image/png",
            headers={
                "X-Content-Type-Options": "nosniff",
                "Cache-Control": "no-store",
                "X-Screen-Size": f"{shot.width_px}x{shot.height_px}",
            },
        )

    return routes

"""`/v1/devices/{serial}/live`: what a phone shows, over a WebSocket, at the viewer's own pace."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable

import anyio
import anyio.to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from device.errors import DeviceError
from server.http.access import LIVE_SUFFIX
from server.live import LiveFrame, LiveScreens
from server.phones import Phones

MAX_CAPTURES = 4
"""How many phones are captured at one moment."""
TRY_AGAIN_LATER = 1013


def live_routes(phones: Phones) -> APIRouter:
    """The WebSocket that shows a phone.

    The viewer sends `next` and gets the newest frame that it has not seen, as soon as there is
    one: a text message with its facts, then (where there is no error) a binary one, a JPEG.
    """
    routes = APIRouter()
    limiter = anyio.CapacityLimiter(MAX_CAPTURES)
    screens = LiveScreens(phones.open, functools.partial(anyio.to_thread.run_sync, limiter=limiter))

    @routes.websocket("/v1/devices/{serial}" + LIVE_SUFFIX)
    async def show_live(socket: WebSocket, serial: str) -> None:
        await socket.accept()
        try:
            async with screens.watch(serial) as newer_than:
                wanted = asyncio.Event()
                sending = asyncio.create_task(_send_frames(socket, newer_than, wanted))
                try:
                    async for _ in socket.iter_text():  # ends as soon as the viewer is gone
                        wanted.set()
                finally:
                    sending.cancel()
        except DeviceError as error:
            await socket.close(TRY_AGAIN_LATER, error.code)

    return routes


async def _send_frames(
    socket: WebSocket, newer_than: Callable[[int], Awaitable[LiveFrame]], wanted: asyncio.Event
) -> None:
    """One frame for each `next`: a slow viewer misses frames, and never sees old ones."""
    number = 0
    try:
        while True:
            await wanted.wait()
            wanted.clear()
            frame = await newer_than(number)
            number = frame.number
            await socket.send_json(frame.facts())
            if frame.data:
                await socket.send_bytes(frame.data)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the viewer went away in the middle of a frame

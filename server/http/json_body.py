"""JSON bodies read by a strict, quick reader, off the event loop."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Coroutine
from typing import Any

import anyio.to_thread
import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute

SMALL_BYTES = 64 * 1024
"""Up to this size reading takes less time than handing it to a thread."""
MAX_VALUES = 1_000_000
"""Three bytes of JSON, `{},`, make an object of 64 bytes and more: their number is bounded."""


class JsonRequest(Request):
    """A request whose JSON is standard JSON: no NaN, no lone surrogates, no bottomless nesting."""

    async def json(self) -> Any:
        body = await self.body()
        if len(body) <= SMALL_BYTES:
            return orjson.loads(body)
        return await anyio.to_thread.run_sync(functools.partial(_load_large, body))


def _load_large(body: bytes) -> Any:
    if sum(body.count(sign) for sign in (b"{", b"[", b",")) > MAX_VALUES:
        raise json.JSONDecodeError("too many values", "", 0)
    return orjson.loads(body)


class JsonRoute(APIRoute):
    """A route that reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            return await handler(JsonRequest(request.scope, request.receive))

        return handle

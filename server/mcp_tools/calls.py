"""What all tools share: blocking calls off the event loop, errors as words, answers as JSON."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import anyio
import anyio.to_thread
from mcp_types import CallToolResult, ContentBlock, TextContent

from device.errors import DeviceError
from parsers.errors import ParserError
from server.error_body import describe_error
from server.errors import ServerError
from server.records.schema import dump_json

P = ParamSpec("P")
T = TypeVar("T")

MAX_CALLS = 16
"""Blocking calls of all tools together; more wait their turn."""


class Threads:
    """Runs blocking calls, a bounded number at a time."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(MAX_CALLS)
        return await anyio.to_thread.run_sync(
            functools.partial(call, *args, **kwargs), limiter=self._limiter
        )


def tells_errors(
    tool: Callable[P, Awaitable[Any]],
) -> Callable[P, Awaitable[Any]]:
    """A tool whose known errors reach the client as `code: message`, and as the usual body."""

    @functools.wraps(tool)
    async def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        try:
            return await tool(*args, **kwargs)
        except (ServerError, DeviceError, ParserError) as error:
            return tell_error(error)

    return call


def tell_error(error: ServerError | DeviceError | ParserError) -> CallToolResult:
    """An error as `code: message` for models and as the usual body for programs."""
    body = describe_error(error)
    text = TextContent(type="text", text=f"{body['code']}: {body['message']}")
    return CallToolResult(content=[text], structured_content={"error": dict(body)}, is_error=True)


def answer(facts: Mapping[str, Any], *blocks: ContentBlock) -> CallToolResult:
    """An answer as JSON text for models and as structured content for programs."""
    text = TextContent(type="text", text=dump_json(facts).decode("utf-8"))
    return CallToolResult(content=[*blocks, text], structured_content=dict(facts))

"""`/mcp/`: the MCP server as a route; it is imported and built when the first client comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any, ClassVar

import anyio.to_thread
from starlette.types import Receive, Scope, Send

from server.errors import ServerError, ShuttingDownError
from server.http.errors import error_response


class McpMissingError(ServerError):
    """The MCP SDK is not installed."""

    code: ClassVar[str] = "mcp.not_installed"
    status: ClassVar[int] = 501


class McpEndpoint:
    """An ASGI app that hands requests to the MCP server's session manager.

    Args:
        build: Makes the session manager; called once, off the event loop: importing the SDK takes
            a second and 25 MB that a server without MCP clients is spared.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build
        self._lock = asyncio.Lock()
        self._manager: Any = None
        self._runner: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            manager = await self._ready()
        except ServerError as error:
            await error_response(error)(scope, receive, send)
            return
        await manager.handle_request(scope, receive, send)

    def end(self) -> None:
        """End the sessions of all clients; safe to call from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end.set)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the sessions of clients for as long as the app lives."""
        self._loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            self._end.set()
            if self._runner is not None:
                await self._runner

    async def _ready(self) -> Any:
        async with self._lock:
            if self._end.is_set():
                raise ShuttingDownError("the server is closing; try again when it is back")
            if self._manager is None:
                if find_spec("mcp") is None:
                    raise McpMissingError(
                        "the MCP SDK is not installed here; `pip install 'localserver[mcp]'`"
                    )
                manager = await anyio.to_thread.run_sync(self._build)
                started = asyncio.get_running_loop().create_future()
                self._runner = asyncio.create_task(self._run(manager, started))
                await started
                self._manager = manager
            return self._manager

    async def _run(self, manager: Any, started: asyncio.Future[None]) -> None:
        """The manager's life, in a task of its own: it must end where it began."""
        async with manager.run():
            started.set_result(None)
            await self._end.wait()

"""`create_app(settings)`: the only place where the parts are wired together."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import get_args

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

from device.claims import PhoneClaims
from server.hands import Hands
from server.http.access import Access, open_access
from server.http.console import console_routes
from server.http.devices import device_routes
from server.http.docs_page import docs_routes
from server.http.errors import install_error_handlers
from server.http.export import export_routes
from server.http.guards import RequestGuard
from server.http.health import health_routes
from server.http.live import live_routes
from server.http.login import login_routes
from server.http.mcp_endpoint import McpEndpoint
from server.http.parsing import parsing_routes
from server.http.policy import policy_routes
from server.http.replay import replay_routes
from server.http.sessions import session_routes
from server.http.steps import step_routes
from server.http.tasks import task_routes
from server.leases import Leases
from server.local_server import LocalServer
from server.metrics import Metrics
from server.phones import AdbPhones, Phones
from server.settings import Settings
from server.tasks.auto_reply import model_answerer
from server.tasks.book import MAX_KEPT
from server.tasks.limits import price_finder
from server.tasks.phone_choice import find_tagged
from server.tasks.runner import TaskRunner
from server.tasks.states import TaskState
from server.version import VERSION

DESCRIPTION = (
    "The server between a vision-language model and an Android phone. "
    'Every error has the body {"error": {"code", "message", "retryable", "details"}}.'
)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the app is made of."""

    server: LocalServer
    phones: Phones
    tasks: TaskRunner
    access: Access


def create_app(settings: Settings, *, phones: Phones | None = None) -> FastAPI:
    """Wire the parts and give the ASGI app; they live until the app shuts down.

    Args:
        settings: How.
        phones: Where phones come from; None for those that adb lists.

    Raises:
        ConfigError: The server would be open to others.
        StorageBusyError: Another service owns the log folder.
    """
    access = open_access(settings)
    leases = _create_leases(settings, phones)
    phones = phones or AdbPhones(settings)
    server = LocalServer(settings)
    tasks = _create_runner(settings, server, phones, leases)
    _watch_tasks(server.metrics, tasks)

    hands = Hands(phones, tasks.leases, server.policy)

    def build_mcp() -> object:
        from server.mcp import create_mcp, create_session_manager  # heavy: with the first client

        mcp = create_mcp(settings, tasks, phones, hands)
        return create_session_manager(mcp, settings.max_body_bytes)

    mcp_endpoint = McpEndpoint(build_mcp)
    tasks.on_close(mcp_endpoint.end)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await anyio.to_thread.run_sync(tasks.restore)
        try:
            async with mcp_endpoint.running():
                yield
        finally:
            await anyio.to_thread.run_sync(tasks.close)
            await anyio.to_thread.run_sync(server.close)

    app = FastAPI(
        title="LocalServer",
        version=VERSION,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,  # a redirect would name whatever host the caller claimed
        lifespan=lifespan,
    )
    app.state.parts = Parts(server=server, phones=phones, tasks=tasks, access=access)
    app.include_router(step_routes(server))
    app.include_router(session_routes(server))
    app.include_router(export_routes(server))
    app.include_router(replay_routes(server))
    app.include_router(task_routes(tasks))
    app.include_router(policy_routes(server.policy))
    app.include_router(device_routes(phones, tasks.leases, hands, tasks.why_set_aside))
    app.include_router(live_routes(phones))
    app.include_router(health_routes(settings, server))
    app.include_router(parsing_routes())
    app.include_router(login_routes(access))
    app.include_router(docs_routes(app))
    app.include_router(console_routes())
    for path in ("/mcp", "/mcp/"):
        app.router.routes.append(Route(path, mcp_endpoint, include_in_schema=False))
    install_error_handlers(app)
    app.add_middleware(
        RequestGuard,
        allowed_hosts=settings.allowed_hosts,
        max_body_bytes=settings.max_body_bytes,
        max_held_bytes=settings.max_held_bytes,
        access=access,
        on_refusal=server.metrics.count_refusal,
    )
    return app


def _create_leases(settings: Settings, phones: Phones | None) -> Leases:
    """The phones that adb lists can be driven by other processes of this machine too."""
    return Leases(PhoneClaims(settings.state_dir) if phones is None else None)


def _create_runner(
    settings: Settings, server: LocalServer, phones: Phones, leases: Leases
) -> TaskRunner:
    return TaskRunner(
        server,
        phones.open,
        answerer=functools.partial(model_answerer, settings),
        find_tagged=lambda tag: find_tagged(phones.list(), tag),
        price_of=price_finder(settings),
        budget=server.policy.budget,
        leases=leases,
    )


def mcp_on_stdio(settings: Settings, *, phones: Phones | None = None) -> None:
    """Serve MCP on standard input and output until the client goes away.

    Raises:
        StorageBusyError: A service owns the log folder; its clients use `/mcp/`.
    """
    from server.mcp import create_mcp

    leases = _create_leases(settings, phones)
    phones = phones or AdbPhones(settings)
    with LocalServer(settings) as server:
        tasks = _create_runner(settings, server, phones, leases)
        try:
            tasks.restore()
            hands = Hands(phones, tasks.leases, server.policy)
            create_mcp(settings, tasks, phones, hands).run("stdio")
        finally:
            tasks.close()


def _watch_tasks(metrics: Metrics, tasks: TaskRunner) -> None:
    def count(*states: TaskState) -> int:
        return sum(info.state in states for info in tasks.list(limit=MAX_KEPT))

    active: tuple[TaskState, ...] = tuple(set(get_args(TaskState)) - {"queued", "done"})
    metrics.watch("localserver_tasks_queued", "Tasks in line.", lambda: count("queued"))
    metrics.watch("localserver_tasks_active", "Tasks on a phone.", lambda: count(*active))

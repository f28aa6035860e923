"""`/v1/sessions/{id}/replay`: what today's parser reads in a session's replies."""

from __future__ import annotations

import functools
from typing import Any

import anyio
import anyio.to_thread
from fastapi import APIRouter

from server.http.json_body import JsonRoute
from server.local_server import LocalServer
from server.replay.rereading import reread_session

MAX_REPLAYS = 1
"""How many are read at a time: it is work for a whole core."""


def replay_routes(server: LocalServer) -> APIRouter:
    """`GET /v1/sessions/{id}/replay`."""
    routes = APIRouter(prefix="/v1/sessions", route_class=JsonRoute, tags=["sessions"])
    limiter = anyio.CapacityLimiter(MAX_REPLAYS)

    @routes.get("/{session_id}/replay")
    async def replay_session(session_id: str) -> dict[str, Any]:
        """Read each recorded reply again: no phone, no model. Lists those that are not the same."""
        read_again = functools.partial(_reread, server, session_id)
        return await anyio.to_thread.run_sync(read_again, limiter=limiter)

    return routes


def _reread(server: LocalServer, session_id: str) -> dict[str, Any]:
    counts = {"same": 0, "changed": 0, "not_read": 0}
    different = []
    for one in reread_session(server.read_episode(session_id)):
        counts[one.verdict] += 1
        if one.verdict != "same":
            different.append(one.to_wire())
    return {"session_id": session_id, **counts, "replies": different}

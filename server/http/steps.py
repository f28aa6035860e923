"""The two calls that Step-GUI users know: `POST /get_session` and `POST /automate_step`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from server.http.idempotency import IdempotencyKey, with_key
from server.http.json_body import JsonRoute
from server.http.schemas import AutomateStepBody, SessionBody
from server.local_server import LocalServer


def step_routes(server: LocalServer) -> APIRouter:
    """`POST /get_session` and `POST /automate_step`."""
    routes = APIRouter(route_class=JsonRoute, tags=["Step-GUI"])

    @routes.post("/get_session")
    async def get_session(body: SessionBody) -> dict[str, str]:
        """Open a session for a task; the caller acts on the phone itself."""
        return {"session_id": await server.aget_session(body.to_payload())}

    @routes.post("/automate_step")
    async def automate_step(
        body: AutomateStepBody, idempotency_key: IdempotencyKey = None
    ) -> dict[str, Any]:
        """Give the next observation, get the next action."""
        payload = with_key(body.to_payload(body.session_id), idempotency_key)
        return await server.aautomate_step(payload)

    return routes

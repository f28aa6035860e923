"""`/v1/policy`: what the policy must see to decide."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.policy.rule_policy import Policy


def policy_routes(policy: Policy) -> APIRouter:
    """The route of the policy, for loops that drive a phone themselves."""
    routes = APIRouter(prefix="/v1/policy", tags=["policy"])

    @routes.get("")
    async def read_policy(
        package: Annotated[str | None, Query(max_length=500)] = None,
    ) -> dict[str, Any]:
        """Whether the screen must be read (`observation.ui_tree`) with this app in front."""
        return {"wants_ui_tree": policy.wants_tree(package or None)}

    return routes

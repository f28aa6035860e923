"""`/v1/policy`: what the policy must see to decide."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from parsers.action import Size, action_from_wire
from server.policy.explain import explain
from server.policy.rule_policy import Policy
from server.tasks.terms import TaskPolicy


class ExplainBody(BaseModel):
    """An action, and what would be on the screen."""

    model_config = ConfigDict(extra="forbid")

    action: dict[str, Any] = Field(examples=[{"action": "CLICK", "point": [500, 900]}])
    package: str | None = Field(default=None, max_length=500)
    ui_tree: str | None = Field(
        default=None, description="The UI hierarchy as XML; empty: the screen gives none."
    )
    width_px: int | None = Field(default=None, gt=0, le=20_000)
    height_px: int | None = Field(default=None, gt=0, le=20_000)
    task: str = Field(default="", max_length=20_000)
    policy: TaskPolicy | None = None


def policy_routes(policy: Policy) -> APIRouter:
    """The route of the policy, for loops that drive a phone themselves."""
    routes = APIRouter(prefix="/v1/policy", tags=["policy"])

    @routes.get("")
    async def read_policy(
        package: Annotated[str | None, Query(max_length=500)] = None,
    ) -> dict[str, Any]:
        """Whether the screen must be read (`observation.ui_tree`) with this app in front."""
        return {"wants_ui_tree": policy.wants_tree(package or None)}

    @routes.post("/explain")
    def explain_decision(body: ExplainBody) -> dict[str, Any]:
        """Which rule would fire for an action on a screen, and why; all that hold."""
        size = (
            Size(width_px=body.width_px, height_px=body.height_px)
            if body.width_px and body.height_px
            else None
        )
        return explain(
            policy,
            action_from_wire(body.action),
            package=body.package,
            ui_tree=body.ui_tree,
            size=size,
            task=body.task,
            own=body.policy,
        )

    return routes

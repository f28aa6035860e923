"""`/v1/parse`: read a reply without a session, a model or a phone."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import anyio
import anyio.to_thread
from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from parsers.tools import read_case
from server.http.json_body import JsonRoute

MAX_READINGS = 2
"""How many replies are read at a time: reading is pure work for one core."""
Side = Annotated[int, Field(ge=1, le=100_000)]
Frame = Annotated[list[Side], Field(min_length=2, max_length=2)]


class _Body(BaseModel):
    """Cases come from files with fields of their own: those are let pass."""

    model_config = ConfigDict(extra="ignore")


class ReplyBody(_Body):
    """A reply that came in several fields, as an OpenAI-compatible server gives them."""

    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[dict[str, Any]] | None = None
    finish_reason: str | None = None


class CaseBody(_Body):
    """A reply with its frame."""

    id: str | int | None = None
    dialect: str = Field(max_length=100, examples=["ui_tars"])
    variant: str | None = Field(default=None, max_length=100)
    screen: Frame | None = Field(default=None, description="[width, height] of the screenshot.")
    sent_image: Frame | None = Field(
        default=None, description="[width, height] of the picture that the model saw."
    )
    elements: int | None = Field(default=None, ge=0, description="How many were numbered.")
    raw: str | None = Field(default=None, examples=["Action: click(start_box='(500,300)')"])
    message: ReplyBody | None = None


def parsing_routes() -> APIRouter:
    """`POST /v1/parse`."""
    routes = APIRouter(route_class=JsonRoute, tags=["dialects"])
    limiter = anyio.CapacityLimiter(MAX_READINGS)

    @routes.post("/v1/parse")
    async def parse_reply(case: CaseBody) -> dict[str, Any]:
        """What a reply means: `out`, or why it cannot be read: `rejection`."""
        read = functools.partial(read_case, case.model_dump(exclude_none=True))
        return await anyio.to_thread.run_sync(read, limiter=limiter)

    return routes

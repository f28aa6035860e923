"""MCP clients of both eras against the real service: scripted model, scripted phone."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    CallToolResult,
    ElicitRequestParams,
    ElicitResult,
    ImageContent,
    TextContent,
)

from tests.server.http.conftest import Service, start

__all__ = ["start"]

ERAS = ("legacy", "auto")
Answerer = Callable[[str], dict[str, Any] | None]
"""Gives the form's content for a question; None declines."""


@contextlib.asynccontextmanager
async def connected(
    service: Service, mode: str, answerer: Answerer | None = None, token: str | None = None
) -> AsyncIterator[Client]:
    """A client of one era, with or without a person behind it who can be asked."""

    async def answer(ctx: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        assert answerer is not None
        content = answerer(params.message)
        if content is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=content)

    headers = {"Authorization": f"Bearer {token or service.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=False) as http,
        Client(
            streamable_http_client(f"{service.url}/mcp/", http_client=http),
            mode=mode,  # type: ignore[arg-type]
            elicitation_callback=answer if answerer is not None else None,
        ) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, which must not be an error; text and structure must say the same."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    facts = text_of(result)
    assert result.structured_content == facts
    return facts


async def fail(client: Client, tool: str, **arguments: Any) -> str:
    """The words of a tool's error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    first = result.content[0]
    assert isinstance(first, TextContent)
    return first.text


def text_of(result: CallToolResult) -> dict[str, Any]:
    texts = [block for block in result.content if isinstance(block, TextContent)]
    facts: dict[str, Any] = json.loads(texts[-1].text)
    return facts


def image_of(result: CallToolResult) -> ImageContent:
    block = result.content[0]
    assert isinstance(block, ImageContent)
    return block


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    mode: str = request.param
    return mode

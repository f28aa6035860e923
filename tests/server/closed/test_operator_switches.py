"""A shell and the installing of apps are the operator's: no route, tool or field offers them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.server.http.conftest import Service, Start
from tests.server.mcp.conftest import connected

OFFERS = re.compile(r"shell|install(?!ed)|\badb\b|exec(?!ute_task|ution|uted)|argv|\bapk\b", re.I)


def names_in(schema: object) -> Iterator[str]:
    """Every name that a caller may write, in a JSON schema or an OpenAPI document."""
    if isinstance(schema, list):
        for part in schema:
            yield from names_in(part)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("properties", "paths"):
                yield from value
            if key in ("name", "operationId", "const") and isinstance(value, str):
                yield value
            if key == "enum":
                yield from (str(one) for one in value)
            yield from names_in(value)


@pytest.mark.parametrize("name", ["/v1/devices/{serial}/shell", "install_app", "argv", "exec"])
def test_a_name_that_offers_one_is_noticed(name: str) -> None:
    assert OFFERS.search(name)


def test_no_route_and_no_field_of_a_request_offers_a_shell_or_an_install(shared: Service) -> None:
    names = set(names_in(shared.app.openapi()))
    assert {"/v1/tasks", "session_id", "serial"} <= names
    assert [name for name in sorted(names) if OFFERS.search(name)] == []


async def test_no_mcp_tool_and_no_argument_of_one_offers_a_shell_or_an_install(
    start: Start,
) -> None:
    async with connected(start(), "legacy") as client:
        tools = (await client.list_tools()).tools
    names = {tool.name for tool in tools} | {n for t in tools for n in names_in(t.input_schema)}
    assert {"click", "execute_task"} <= names
    assert [name for name in sorted(names) if OFFERS.search(name)] == []

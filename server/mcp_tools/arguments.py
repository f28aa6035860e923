"""The arguments of a call, held against the tool's own: what is wrong is told in typed words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from server.error_body import explain_invalid
from server.errors import BadRequestError
from server.mcp_tools.calls import tell_error


class StrictArguments(MCPServer[Any]):
    """The SDK's server, which refuses what a tool does not know and tells errors as the tools do.

    Left to itself it drops unknown arguments in silence and answers wrong ones in its own words.
    """

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        schemas = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in schemas:
            names = ", ".join(sorted(schemas))
            return tell_error(BadRequestError(f"there is no tool of that name; there are {names}"))
        try:
            refuse_unknown(arguments, schemas[name].get("properties", {}))
            return await super().call_tool(name, arguments, context)
        except BadRequestError as error:
            return tell_error(error)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            return tell_error(
                explain_invalid(error.__cause__.errors(), see="the tool's input schema")
            )


def refuse_unknown(arguments: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Hold a call's arguments against the names that its tool has.

    Raises:
        BadRequestError: There is one that the tool does not know.
    """
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        there = f"there are {', '.join(known)}" if known else "this tool takes none"
        raise BadRequestError(
            f"{unknown[0][:80]}: there is no such argument; {there}", unknown=unknown[:20]
        )

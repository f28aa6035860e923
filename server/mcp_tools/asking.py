"""Asking the person behind an MCP client, in both eras of the protocol.

Newer clients (2026-07-28) are answered `input_required` and call the tool again with the answer;
older ones are asked in the middle of the call. A client that cannot ask gets None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import BaseModel, Field

from server.records.schema import dump_json, load_json

FIRST_MODERN_VERSION = "2026-07-28"
KEY = "answer"


class TextAnswer(BaseModel):
    """The form of a question."""

    answer: str = Field(description="Your answer, as the agent on the phone will read it.")


class YesNo(BaseModel):
    """The form of a confirmation."""

    approve: bool = Field(description="Whether this action may be done.")


@dataclass(frozen=True, slots=True)
class Given:
    """What the person said.

    Attributes:
        action: `accept` with a value; `decline` and `cancel` without.
        state: What the question was about, as it was handed to `ask`.
    """

    action: Literal["accept", "decline", "cancel"]
    value: Any
    state: dict[str, Any]


def can_ask(ctx: Context[Any, Any]) -> bool:
    capabilities = ctx.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None


def given_before(ctx: Context[Any, Any], form: type[BaseModel]) -> Given | None:
    """The answer that a newer client brings along when it calls the tool again."""
    state, responses = read_state(ctx), ctx.input_responses
    if state is None or not responses:
        return None
    response = responses.get(KEY)
    if not isinstance(response, ElicitResult):
        return Given("cancel", None, state)
    return _read(response.action, response.content, form, state)


def read_state(ctx: Context[Any, Any]) -> dict[str, Any] | None:
    """What a call that is made again belongs to; None for a first call."""
    if not ctx.request_state:
        return None
    try:
        state = load_json(ctx.request_state.encode("utf-8"))
    except ValueError:
        return None
    return state if isinstance(state, dict) else None


async def ask(
    ctx: Context[Any, Any], message: str, form: type[BaseModel], state: dict[str, Any]
) -> Given | InputRequiredResult | None:
    """Put a question.

    Args:
        ctx: The call.
        message: The question.
        form: `TextAnswer` or `YesNo`.
        state: What it is about; comes back with the answer.

    Returns:
        The answer; or what the tool must return for the client to ask; None: it cannot ask.
    """
    if not can_ask(ctx):
        return None
    if (ctx.protocol_version or "") >= FIRST_MODERN_VERSION:
        request = ElicitRequest(
            params=ElicitRequestFormParams(
                message=message, requested_schema=form.model_json_schema()
            )
        )
        return InputRequiredResult(
            input_requests={KEY: request}, request_state=dump_json(state).decode("utf-8")
        )
    result = await ctx.elicit(message, form)
    content = result.data.model_dump() if result.action == "accept" else None
    return _read(result.action, content, form, state)


def _read(
    action: Literal["accept", "decline", "cancel"],
    content: Any,
    form: type[BaseModel],
    state: dict[str, Any],
) -> Given:
    if action != "accept":
        return Given(action, None, state)
    try:
        values = form.model_validate(content)
    except ValueError:
        return Given("cancel", None, state)
    return Given("accept", next(iter(values.model_dump().values())), state)

"""Native tool calls (`message.tool_calls`) as plain names and arguments, for text dialects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from parsers.json_reading import DuplicateKeyError, pairs_to_dict
from parsers.reading import Refused


def read_tool_call(calls: Sequence[Mapping[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Name and arguments of the one native tool call of a reply.

    Args:
        calls: As an OpenAI-compatible server gives them: `{"function": {"name", "arguments"}}`,
            arguments as JSON text or as an object.

    Raises:
        Refused: `multiple_actions` for different calls, `bad_arg` for broken arguments.
    """
    read = [_read_one(call) for call in calls]
    if any(other != read[0] for other in read[1:]):
        raise Refused("multiple_actions", "several tool calls in one reply: give one", read[1][0])
    return read[0]


def read_tool_fields(calls: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Arguments of the one call; its name is the `action` where the arguments name none."""
    name, arguments = read_tool_call(calls)
    if "action" not in arguments and "action_type" not in arguments:
        arguments["action"] = name
    return arguments


def _read_one(call: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    function = call.get("function", call)
    if not isinstance(function, Mapping):
        raise Refused("bad_arg", "the tool call has no function", call)
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}", object_pairs_hook=pairs_to_dict)
        except DuplicateKeyError as error:
            message = f"the key {error} stands twice with different values"
            raise Refused("conflict", message, arguments) from None
        except (ValueError, RecursionError):
            raise Refused("bad_arg", "the tool call's arguments are not JSON", arguments) from None
    if not isinstance(arguments, Mapping):
        raise Refused("bad_arg", "the tool call's arguments are not an object", arguments)
    return str(function.get("name", "")), dict(arguments)

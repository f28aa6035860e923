"""Any exception as the one error body that HTTP, task results and logs share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from device.errors import DeviceError
from parsers.errors import ParserError
from server.errors import BadRequestError, ReplyUnreadableError, ServerError, status_of


class ErrorBody(TypedDict):
    """What a caller learns of an error.

    `code` is stable, `message` ends in the remedy, `details` are JSON-able facts.
    """

    code: str
    message: str
    retryable: bool
    details: dict[str, Any]


UNEXPECTED = ErrorBody(
    code="server.error",
    message="something went wrong inside the server; its log has the whole story",
    retryable=False,
    details={},
)


def describe_error(error: BaseException) -> ErrorBody:
    """The body of an error; what is not ours is told without its words (they may hold secrets)."""
    if isinstance(error, ServerError | DeviceError | ParserError):
        return ErrorBody(
            code=public_code(error),
            message=error.message,
            retryable=error.retryable,
            details=dict(error.details),
        )
    return UNEXPECTED


def public_code(error: ServerError | DeviceError | ParserError) -> str:
    """The code that callers see: an unreadable reply shows what was wrong with it."""
    if isinstance(error, ReplyUnreadableError) and error.details.get("rejection"):
        return f"parser.{error.details['rejection']}"
    return error.code


def explain_invalid(errors: Sequence[Any], see: str = "/docs for the shape") -> BadRequestError:
    """Name the first wrong field and list all of them, without echoing what was sent.

    Args:
        errors: As Pydantic lists them.
        see: Where the caller finds what is right.
    """
    fields = [
        {"field": ".".join(str(part) for part in item["loc"]), "problem": item["msg"]}
        for item in errors[:20]
    ]
    first = fields[0] if fields else {"field": "body", "problem": "invalid"}
    return BadRequestError(f"{first['field']}: {first['problem']}; see {see}", fields=fields)


def http_status(error: BaseException) -> int:
    """The HTTP status that an error is answered with."""
    if isinstance(error, ServerError):
        return error.status
    if isinstance(error, DeviceError | ParserError):
        return status_of(error.code)
    return 500

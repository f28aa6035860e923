"""Errors of the server room, and the one table that maps every error code to an HTTP status."""

from __future__ import annotations

from typing import Any, ClassVar


class ServerError(Exception):
    """Base of all server errors.

    Attributes:
        code: Stable, machine-readable name.
        status: HTTP status that it is answered with.
        retryable: Whether the same request may succeed later.
        details: JSON-able facts for the caller; never a path, a key or a stack.
    """

    code: ClassVar[str] = "server.error"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class ConfigError(ServerError):
    """A configuration file or environment variable is wrong; the message says where."""

    code = "config.invalid"


class BadRequestError(ServerError):
    code = "request.invalid"
    status = 422


class RequestTooLargeError(ServerError):
    code = "request.too_large"
    status = 413


class IdempotencyConflictError(ServerError):
    """The same idempotency key came with another observation."""

    code = "request.idempotency_conflict"
    status = 422


class SessionNotFoundError(ServerError):
    code = "session.not_found"
    status = 404


class SessionBusyError(ServerError):
    """Another step of this session is still running."""

    code = "session.busy"
    status = 409
    retryable = True


class SessionClosedError(ServerError):
    code = "session.closed"
    status = 409


class SessionDamagedError(ServerError):
    """The session's log is damaged in the middle: it can be read, not continued."""

    code = "session.damaged"
    status = 409


class StepNotFoundError(ServerError):
    code = "session.step_not_found"
    status = 404


class TaskNotFoundError(ServerError):
    code = "task.not_found"
    status = 404


class TaskStateError(ServerError):
    """The task is not in a state that allows this (say: a reply when nothing was asked)."""

    code = "task.wrong_state"
    status = 409


class ImageError(ServerError):
    """The screenshot is missing, broken, or no picture at all."""

    code = "image.invalid"
    status = 422


class ImageSourceError(ImageError):
    """A URL or path where only a data URL is allowed."""

    code = "image.source_not_allowed"


class ImageTooLargeError(ImageError):
    code = "image.too_large"
    status = 413


class ReplyUnreadableError(ServerError):
    """The model's replies could not be read, even after it was asked again.

    `rejection` is the parser's code; the public code is `parser.<rejection>`.
    """

    code = "parser.rejected"
    status = 502
    retryable = True


class ParserCrashedError(ServerError):
    """A parser raised where it must not: a bug in it, not in the model's reply."""

    code = "parser.crashed"


class ModelError(ServerError):
    """Base of all faults between us and the model.

    Attributes:
        attempts: Every request that was sent, for the log.
    """

    code = "model.error"
    status = 502
    attempts: tuple[dict[str, Any], ...] = ()


class ModelConfigError(ModelError):
    """Unknown provider, or a provider without an address or key."""

    code = "model.unknown_provider"
    status = 422


class ModelTimeoutError(ModelError):
    code = "model.timeout"
    status = 504
    retryable = True


class ModelUnreachableError(ModelError):
    code = "model.unreachable"
    retryable = True


class ModelRefusedError(ModelError):
    """The provider answered with a 4xx: a wrong key, model name or parameter."""

    code = "model.refused"


class ModelUnavailableError(ModelError):
    """The provider answered with a 5xx, again and again."""

    code = "model.unavailable"
    retryable = True


class ModelDeclinedError(ModelError):
    """The model declined to answer (`refusal`)."""

    code = "model.declined"


class ModelRateLimitedError(ModelError):
    code = "model.rate_limited"
    status = 503
    retryable = True


class ModelBadReplyError(ModelError):
    """The provider's answer is no chat completion (HTML, no choices, null content)."""

    code = "model.bad_reply"
    retryable = True


class ModelCutError(ModelError):
    """The reply was cut by its length or by a content filter: it never acts."""

    code = "model.cut"


class StorageError(ServerError):
    """The log or an image could not be written durably."""

    code = "storage.failed"
    status = 507


class StorageFullError(StorageError):
    """There is no room left: refused before the model is paid, or while something was written."""

    code = "storage.full"
    retryable = True


class StorageBusyError(ServerError):
    """Another service process owns this log folder."""

    code = "storage.in_use"
    status = 503


class PolicyDeniedError(ServerError):
    code = "policy.denied"
    status = 403


class ScreenWithheldError(ServerError):
    """Privacy `strict`: this screen may not leave the machine; `reason`: black, unreadable, ..."""

    code = "privacy.screen_withheld"
    status = 403


class TreeNeededError(ServerError):
    """A privacy level needs the UI tree, and the observation came without."""

    code = "privacy.tree_needed"
    status = 422


class OverloadedError(ServerError):
    code = "server.overloaded"
    status = 429
    retryable = True


class ShuttingDownError(ServerError):
    """The server is closing: what still ran was cancelled."""

    code = "server.shutting_down"
    status = 503
    retryable = True


DEVICE_STATUS: dict[str, int] = {
    "device.not_found": 404,
    "device.ambiguous": 409,
    "device.bad_point": 422,
    "device.bad_argument": 422,
    "device.bad_address": 422,
    "device.unknown_key": 422,
    "device.app_not_found": 404,
    "device.app_ambiguous": 409,
    "device.timeout": 504,
}
"""Status of device errors; any other `device.*` is 503."""
PARSER_STATUS: dict[str, int] = {
    "parser.unknown_dialect": 422,
    "parser.invalid_action": 422,
    "parser.unsupported_input": 422,
    "parser.prompt": 500,
}


def status_of(code: str, default: int = 500) -> int:
    """HTTP status of a device's or parser's error code."""
    if code.startswith("device."):
        return DEVICE_STATUS.get(code, 503)
    if code.startswith("parser."):
        return PARSER_STATUS.get(code, 502)
    return default

"""Errors of the parsers room.

A reply that cannot be read is a value (`parsers.action.Rejection`), not an exception:
exceptions here are for callers' mistakes (an unknown dialect, a foreign dict that is no action).
"""

from __future__ import annotations

from typing import Any, ClassVar


class ParserError(Exception):
    """Base of all errors that parsers raise.

    Attributes:
        code: Stable, machine-readable name (`parser.*`).
        retryable: Whether the same call may succeed later.
        details: JSON-able facts for the caller.
    """

    code: ClassVar[str] = "parser.error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class UnknownDialectError(ParserError):
    """No parser is registered under the asked name."""

    code = "parser.unknown_dialect"


class InvalidActionError(ParserError):
    """A foreign dict given to `action2action` is not one valid action."""

    code = "parser.invalid_action"


class InvalidCaseError(ParserError):
    """A reply that was given with its frame is not of the form that the tools read."""

    code = "parser.invalid_case"


class PromptError(ParserError):
    """A prompt file is missing, unreadable or lacks a part that the dialect needs."""

    code = "parser.prompt"


class UnsupportedInputError(ParserError):
    """The dialect needs something that the observation lacks (say: a UI tree)."""

    code = "parser.unsupported_input"

"""Why a reader cannot read, and how a value stood in the reply."""

from __future__ import annotations

from parsers.action import Rejection, RejectionCode

SPAN_MAX_CHARS = 200


class Refused(Exception):
    """Raised inside readers where a reply cannot be read; never leaves `str2action`.

    Args:
        code: One of `RejectionCode`.
        message: What is wrong, then what would be right.
        span: The offending piece of the reply.
    """

    def __init__(self, code: RejectionCode, message: str, span: object = "") -> None:
        super().__init__(message)
        self.code: RejectionCode = code
        self.message = message
        self.span = clip(_show(span))

    def to_rejection(self, raw: str = "") -> Rejection:
        return Rejection(code=self.code, message=self.message, span=self.span, raw=raw)


def _show(span: object) -> str:
    try:
        return str(span)
    except ValueError:  # Python writes no integer of more than 4300 digits
        return "a huge number"


class Bare(str):
    """A value that stood in the reply without quotes (a word, a number, a list as it was)."""

    __slots__ = ()


class Cut(str):
    """A value that the end of the reply cut short, or that lost its closing quote."""

    __slots__ = ()


def clip(text: str, limit: int = SPAN_MAX_CHARS) -> str:
    """Cut `text` to `limit` characters, so that a hostile reply cannot flood a log or a prompt."""
    return text if len(text) <= limit else text[: limit - 1] + "…"

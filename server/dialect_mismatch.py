"""Noticing that a model speaks another dialect than its session: the same rejection, again and
again. Then its replies are read with every parser, to say whose they look like. Nothing acts on
what is read so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from parsers.action import Rejection
from parsers.base import Reply
from parsers.mismatch import guess_dialects

ALIKE = 3
"""So many rejections of the same kind in a row are a mismatch."""
NAMES_MAX = 3
REPLY_MAX_CHARS = 20_000
"""A longer reply is not tried: it would take more time than the hint is worth."""


@dataclass
class MismatchWatch:
    """The rejections in a row of one session.

    Attributes:
        code: Their kind.
        count: How many.
        replies: The newest of them, `ALIKE` at most.
        looks_like: The dialects that they look like, once that was asked.
    """

    code: str | None = None
    count: int = 0
    replies: list[Reply] = field(default_factory=list)
    looks_like: tuple[str, ...] = ()

    def note(self, rejection: Rejection, reply: Reply) -> bool:
        """Count a rejection; whether the row has just become a mismatch."""
        if rejection.code != self.code:
            self.clear()
            self.code = rejection.code
        self.count += 1
        self.replies = [*self.replies, reply][-ALIKE:]
        return self.count == ALIKE

    def clear(self) -> None:
        """A reply was read: the row has ended."""
        self.code, self.count, self.replies, self.looks_like = None, 0, [], ()

    def find_dialects(self, refused_by: str) -> tuple[str, ...]:
        """The dialects that the replies look like, the likeliest first; a few milliseconds' work.

        Args:
            refused_by: The session's own dialect.
        """
        short = [r for r in self.replies if len(r.content) + len(r.reasoning) <= REPLY_MAX_CHARS]
        names = [name for name in guess_dialects(short) if name != refused_by]
        return tuple(names[:NAMES_MAX])

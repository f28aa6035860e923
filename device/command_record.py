"""What was sent to a phone while something was done, and how it answered: for whoever asks later.

It costs no round trip: the transport notes what it sends anyway. A record is small however much was
sent, and holds nothing private: words that were typed are left out by whoever sends them, and of
what was only asked the size is kept, not the answer, for that is what the screen says.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

MAX_COMMANDS = 24
MAX_CHARS = 160
"""Of a command, and of what it printed."""


@dataclass(frozen=True, slots=True)
class SentCommand:
    """One command.

    Attributes:
        command: As the phone's shell got it, cut; typed words are left out.
        took_s: From sending to its end.
        exit_code: Its own; None where none came.
        output_bytes: How much it printed.
        output: What it printed, cut; empty where it was only asked something.
        error: The code of what went wrong on the way, else "".
    """

    command: str
    took_s: float
    exit_code: int | None = None
    output_bytes: int = 0
    output: str = ""
    error: str = ""

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"command": self.command, "took_s": round(self.took_s, 3)}
        if self.error:
            return wire | {"error": self.error}
        wire |= {"exit_code": self.exit_code, "output_bytes": self.output_bytes}
        return wire | ({"output": self.output} if self.output else {})


class CommandRecord:
    """The commands of one action, in order; the first `MAX_COMMANDS`, the others are counted."""

    def __init__(self) -> None:
        self.commands: list[SentCommand] = []
        self.left_out = 0

    @contextmanager
    def recording(self) -> Iterator[None]:
        """What this thread sends inside goes into the record."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)

    def to_wire(self) -> dict[str, Any]:
        """`{commands, commands_left_out}`; empty where nothing was sent."""
        wire: dict[str, Any] = {}
        if self.commands:
            wire["commands"] = [one.to_wire() for one in tuple(self.commands)]
        return wire | ({"commands_left_out": self.left_out} if self.left_out else {})


_CURRENT: ContextVar[CommandRecord | None] = ContextVar("command_record", default=None)


def note_command(sent: SentCommand) -> None:
    """Put a command on the record of whoever keeps one in this thread."""
    record = _CURRENT.get()
    if record is None:
        return
    if len(record.commands) < MAX_COMMANDS:
        record.commands.append(sent)
    else:
        record.left_out += 1


def shorten(text: str) -> str:
    """At most `MAX_CHARS`, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_CHARS else f"{line[: MAX_CHARS - 1]}…"

"""The one place where text becomes part of a command for the phone's shell.

A `ShellCommand` is only made here. Every value is an argument of its own: nothing that a model, a
screen or a caller wrote is ever read by the shell as syntax.
"""

from __future__ import annotations

import re
from typing import LiteralString, NewType

from device.errors import BadArgumentError

ShellCommand = NewType("ShellCommand", str)
"""A command line that is safe to send: made by `command`, `script` or `join` only."""

COMMAND_MAX_BYTES = 60_000
"""The adb protocol takes 65,535 bytes of service string; the rest is for the service's name."""

_PLAIN = re.compile(r"[A-Za-z0-9_./:=,+@%-]+", re.ASCII)


def quote(text: str) -> str:
    """Make one shell word that the phone's shell reads back as exactly `text`.

    Args:
        text: Any text without NUL and without lone surrogates.

    Raises:
        BadArgumentError: The text cannot be an argument at all.
    """
    if "\0" in text:
        raise BadArgumentError("Text for the phone holds a NUL character; remove it.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadArgumentError(
            f"Text for the phone is not valid Unicode at character {error.start}; remove it."
        ) from error
    if _PLAIN.fullmatch(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def command(*words: str | int) -> ShellCommand:
    """Build one command out of its words, each quoted.

    Raises:
        BadArgumentError: A word cannot be an argument.
    """
    return ShellCommand(" ".join(quote(str(word)) for word in words))


def script(text: LiteralString) -> ShellCommand:
    """Take shell text written in this source code (pipes, redirections), never a value."""
    return ShellCommand(text)


def join(commands: list[ShellCommand], separator: LiteralString = "; ") -> ShellCommand:
    """Put commands after one another: `"; "` runs all, `" && "` stops at the first failure."""
    return ShellCommand(separator.join(commands))

"""What a command gets to work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from device.virtual_phone.shell.io import Sink, Source

if TYPE_CHECKING:
    from device.virtual_phone.shell.interpreter import Interpreter
    from device.virtual_phone.userland import Userland


def encode_text(text: str) -> bytes:
    """UTF-8, with bytes that were no UTF-8 given back as they came."""
    return text.encode("utf-8", "surrogateescape")


def decode_text(data: bytes) -> str:
    """The inverse of `encode_text`; never fails."""
    return data.decode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Streams:
    """Standard input, output and error."""

    stdin: Source
    stdout: Sink
    stderr: Sink


@dataclass(frozen=True, slots=True)
class Process:
    """One running command.

    Attributes:
        system: The phone and its userland.
        shell: The interpreter that runs it, with variables and directory.
        name: How it was called (`argv[0]`).
        args: Its arguments.
        streams: Where it reads and writes.
    """

    system: Userland
    shell: Interpreter
    name: str
    args: list[str]
    streams: Streams

    async def out(self, text: str) -> None:
        """Writes text to standard output."""
        await self.streams.stdout.write(encode_text(text))

    async def err(self, text: str) -> None:
        """Writes text to standard error."""
        await self.streams.stderr.write(encode_text(text))

    async def fail(self, message: str, status: int = 1) -> int:
        """Writes `name: message` to standard error and gives the exit code."""
        await self.err(f"{self.name}: {message}\n")
        return status

    def path(self, name: str) -> str:
        """An absolute path for a name, from the shell's directory."""
        return self.system.fs.join(self.shell.cwd, name)

    def called(self, name: str, args: list[str]) -> Process:
        """The same process as another command: how `cmd` and `toybox` hand over."""
        return replace(self, name=name, args=args)


#: A command: gives its exit code, 0..255.
Command = Callable[[Process], Awaitable[int]]

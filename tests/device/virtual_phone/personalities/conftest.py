"""A phone of any kind in this process, and its shell."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from device.transport import CommandResult
from device.virtual_phone.personalities import profile_of
from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.shell.interpreter import Interpreter
from device.virtual_phone.shell.io import BytesSink, BytesSource
from device.virtual_phone.shell.process import Streams
from device.virtual_phone.userland import Userland

TRANSCRIPTS = Path(__file__).parents[3] / "data" / "device_transcripts.jsonl"

Ask = Callable[[str], Awaitable[CommandResult]]
Boot = Callable[..., Userland]


@pytest.fixture(scope="session")
def transcripts() -> dict[str, dict[str, Any]]:
    """What real phones printed, by id."""
    lines = TRANSCRIPTS.read_text(encoding="utf-8").splitlines()
    return {entry["id"]: entry for entry in map(json.loads, lines)}


@pytest.fixture
async def boot() -> AsyncIterator[Boot]:
    """Starts a phone of a kind; all are stopped at the end."""
    started: list[Userland] = []

    def start(name: str, **changes: Any) -> Userland:
        profile = profile_of(name, locale="en", **changes)
        started.append(Userland(VirtualPhone(profile), profile))
        return started[-1]

    yield start
    for system in started:
        await system.stop()


@pytest.fixture
def ask() -> Callable[[Userland, str], Awaitable[CommandResult]]:
    """Runs a command line on a phone."""

    async def run(system: Userland, line: str) -> CommandResult:
        out, err = BytesSink(), BytesSink()
        status = await Interpreter(system).run(line, Streams(BytesSource(b""), out, err))
        return CommandResult(bytes(out.data), bytes(err.data), status)

    return run

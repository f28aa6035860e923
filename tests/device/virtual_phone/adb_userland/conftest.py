"""A phone in this process, and its shell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import pytest

from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.profile import Profile
from device.virtual_phone.shell.interpreter import Interpreter
from device.virtual_phone.shell.io import BytesSink, BytesSource
from device.virtual_phone.shell.process import Streams
from device.virtual_phone.userland import Userland


@dataclass(frozen=True)
class Result:
    """What a command line did."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()


Run = Callable[..., Awaitable[Result]]


@pytest.fixture
async def system() -> AsyncIterator[Userland]:
    profile = Profile(locale="en")
    userland = Userland(VirtualPhone(profile), profile)
    yield userland
    await userland.stop()


async def run_on(system: Userland, command: str, stdin: bytes = b"") -> Result:
    out, err = BytesSink(), BytesSink()
    status = await Interpreter(system).run(command, Streams(BytesSource(stdin), out, err))
    return Result(status, bytes(out.data), bytes(err.data))


@pytest.fixture
def run(system: Userland) -> Run:
    async def run_here(command: str, stdin: bytes = b"") -> Result:
        return await run_on(system, command, stdin)

    return run_here


@pytest.fixture
def run_on_profile() -> Callable[[Profile, str], Awaitable[Result]]:
    async def run_there(profile: Profile, command: str) -> Result:
        userland = Userland(VirtualPhone(profile), profile)
        try:
            return await run_on(userland, command)
        finally:
            await userland.stop()

    return run_there

"""The services that an adb server opens on the phone: shell, exec, sync, reboot and so on."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from device.virtual_phone.shell.interpreter import Interpreter
from device.virtual_phone.shell.io import Pipe, Sink, Source
from device.virtual_phone.shell.process import Streams, decode_text
from device.virtual_phone.sync_service import serve_sync
from device.virtual_phone.transport import Service, Stream, StreamClosedError
from device.virtual_phone.userland import Userland

# What CNXN offers, with the API level that has it. Only what is implemented: adb uses what it
# reads here.
_FEATURES: Final[Mapping[str, int]] = {
    "shell_v2": 24, "cmd": 24, "stat_v2": 26, "ls_v2": 30, "fixed_push_mkdir": 29, "abb_exec": 30,
}  # fmt: skip

# Shell protocol: u8 kind, u32 length, data (AOSP `shell_protocol.h`).
_SHELL_HEADER: Final = struct.Struct("<BI")
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN = range(5)
_EXEC_GRACE_S: Final = 2.0
_STDIN_LIMIT: Final = 4 * 1024 * 1024


def features(sdk: int) -> list[str]:
    """The protocol features of adbd at an API level."""
    return [name for name, since in _FEATURES.items() if sdk >= since]


class _StreamSink:
    """Raw output into a stream."""

    def __init__(self, stream: Stream, *, terminal: bool = False) -> None:
        self._stream = stream
        self._terminal = terminal

    async def write(self, data: bytes) -> None:
        if self._terminal:
            data = data.replace(b"\n", b"\r\n")
        if data:
            await _write(self._stream, data)

    async def close(self) -> None:
        """The stream is closed by its service."""


class _PacketSink:
    """Output as shell-protocol packets of one kind; stdout and stderr share the lock."""

    def __init__(self, stream: Stream, kind: int, lock: asyncio.Lock, *, terminal: bool) -> None:
        self._stream = stream
        self._kind = kind
        self._lock = lock
        self._terminal = terminal

    async def write(self, data: bytes) -> None:
        if self._terminal:
            data = data.replace(b"\n", b"\r\n")
        limit = max(1, self._stream.transport.max_payload_bytes - _SHELL_HEADER.size)
        async with self._lock:
            for start in range(0, len(data), limit):
                chunk = data[start : start + limit]
                await _write(self._stream, _SHELL_HEADER.pack(self._kind, len(chunk)) + chunk)

    async def close(self) -> None:
        """The stream is closed by its service."""


async def _write(stream: Stream, data: bytes) -> None:
    try:
        await stream.write(data)
    except StreamClosedError:
        raise BrokenPipeError from None


class _RawSource(Source):
    """Standard input straight from a stream."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self._stream = stream

    async def _next(self) -> bytes:
        return await self._stream.read()


class _PacketSource(Source):
    """Standard input from shell-protocol packets, which may be split or joined at any byte."""

    def __init__(self, stream: Stream) -> None:
        super().__init__()
        self._stream = stream
        self._raw = bytearray()

    async def _next(self) -> bytes:
        while True:
            while len(self._raw) < _SHELL_HEADER.size:
                if not await self._more():
                    return b""
            kind, length = _SHELL_HEADER.unpack_from(self._raw)
            if length > _STDIN_LIMIT:
                return b""
            while len(self._raw) < _SHELL_HEADER.size + length:
                if not await self._more():
                    return b""
            data = bytes(self._raw[_SHELL_HEADER.size : _SHELL_HEADER.size + length])
            del self._raw[: _SHELL_HEADER.size + length]
            if kind == _CLOSE_STDIN:
                return b""
            if kind == _STDIN and data:
                return data

    async def _more(self) -> bool:
        data = await self._stream.read()
        self._raw += data
        return bool(data)


async def _in_foreground(shell: Interpreter, command: str, streams: Streams) -> int:
    """Runs a command on a terminal: what is typed reaches it, and Ctrl-C ends it."""
    typed = Pipe()
    task = asyncio.create_task(shell.run(command, Streams(typed, streams.stdout, streams.stderr)))

    async def feed() -> None:
        while data := await streams.stdin.read():
            before, interrupt, after = data.partition(b"\x03")
            await typed.write(before)
            if interrupt:
                streams.stdin.unread(after)
                task.cancel()
                return
        await typed.end()

    feeding = asyncio.create_task(feed())
    try:
        return await task
    except asyncio.CancelledError:
        own = asyncio.current_task()
        if own is not None and own.cancelling() > 0:
            raise
        await streams.stdout.write(b"^C\n")
        return 130
    finally:
        task.cancel()
        feeding.cancel()
        streams.stdin.unread(typed.take_unread())


class ServiceTable:
    """Finds the service behind a name, as adbd does."""

    def __init__(self, system: Userland) -> None:
        self._system = system
        self._prefixes: Mapping[str, Callable[[str, Stream], Awaitable[None]]] = {
            "shell": self._shell,
            "exec": self._exec,
            "abb_exec": self._abb_exec,
            "sync": self._sync,
            "reboot": self._reboot,
            "root": self._root,
            "unroot": self._unroot,
            "remount": self._remount,
            "tcpip": self._tcpip,
            "usb": self._usb,
            "reverse": self._reverse,
            "jdwp": self._wait,
            "track-jdwp": self._wait,
            "track-app": self._wait,
            "disable-verity": self._verity,
            "enable-verity": self._verity,
            "framebuffer": self._framebuffer,
        }

    def open(self, name: bytes) -> Service | None:
        """The service for a name such as `shell,v2,raw:ls`; None refuses it."""
        text = decode_text(name)
        head = text.partition(":")[0].partition(",")[0]
        handler = self._prefixes.get(head)
        if head == "tcp":
            handler = self._agent(text.partition(":")[2])
        self._system.journal.add("service", text[:500], refused=handler is None)
        if handler is None or self._system.take_fault("service_refused", text) is not None:
            return None
        stalled = self._system.take_fault("stalled", text) is not None
        kills = self._system.take_fault("adb_server_killed", text) is not None
        drops = self._system.take_fault("offline_mid_command", text) is not None

        async def serve(stream: Stream) -> None:
            stream.drops_connection = drops
            if kills:
                stream.transport.kill_server()
            if stalled or kills:
                await asyncio.get_running_loop().create_future()
            try:
                await handler(text, stream)
            except BrokenPipeError:
                raise StreamClosedError from None

        return serve

    async def _shell(self, name: str, stream: Stream) -> None:
        head, _, command = name.partition(":")
        kinds = head.split(",")[1:]
        terminal = "pty" in kinds or (not command and "raw" not in kinds)
        if "v2" not in kinds:
            sink = _StreamSink(stream, terminal=terminal)
            await self._run(command, Streams(_RawSource(stream), sink, sink), terminal)
            return
        lock = asyncio.Lock()
        out = _PacketSink(stream, _STDOUT, lock, terminal=terminal)
        err = out if terminal else _PacketSink(stream, _STDERR, lock, terminal=False)
        status = await self._run(command, Streams(_PacketSource(stream), out, err), terminal)
        await stream.write(_SHELL_HEADER.pack(_EXIT, 1) + bytes([status]))

    async def _exec(self, name: str, stream: Stream) -> None:
        stream.grace_s = _EXEC_GRACE_S
        sink = _StreamSink(stream)
        await self._run(name.partition(":")[2], Streams(_RawSource(stream), sink, sink), False)

    async def _run(self, command: str, streams: Streams, terminal: bool) -> int:
        shell = Interpreter(self._system)
        if command and terminal:
            return await _in_foreground(shell, command, streams)
        if command:
            return await shell.run(command, streams)
        if terminal:
            return await self._converse(shell, streams)
        return await shell.run(decode_text(await streams.stdin.read_all()), streams)

    async def _converse(self, shell: Interpreter, streams: Streams) -> int:
        """An interactive shell: prompt, echo, one line at a time."""
        prompt = f"{self._system.profile.device}:/ $ ".encode()
        line = bytearray()
        await streams.stdout.write(prompt)
        while data := await streams.stdin.read(1):
            if data in (b"\x04",) and not line:
                break
            if data == b"\x03":
                line.clear()
                await streams.stdout.write(b"^C\n" + prompt)
                continue
            if data in (b"\x7f", b"\b"):
                if line:
                    del line[-1]
                    await streams.stdout.write(b"\b \b")
                continue
            if data not in (b"\r", b"\n"):
                line += data
                await streams.stdout.write(data)
                continue
            await streams.stdout.write(b"\n")
            text = decode_text(bytes(line)).strip()
            line.clear()
            if text == "exit":
                break
            if text:
                shell.status = await _in_foreground(shell, text, streams)
            await streams.stdout.write(prompt)
        return shell.status

    async def _abb_exec(self, name: str, stream: Stream) -> None:
        """`cmd` without a shell: the arguments are separated by NUL bytes."""
        args = name.partition(":")[2].split("\0")
        sink: Sink = _StreamSink(stream)
        shell = Interpreter(self._system)
        await shell.call("cmd", args, Streams(_RawSource(stream), sink, sink))

    async def _sync(self, name: str, stream: Stream) -> None:
        await serve_sync(self._system.fs, stream)

    async def _reboot(self, name: str, stream: Stream) -> None:
        self._system.reboot()

    async def _root(self, name: str, stream: Stream) -> None:
        await stream.write(b"adbd cannot run as root in production builds\n")

    async def _unroot(self, name: str, stream: Stream) -> None:
        await stream.write(b"adbd not running as root\n")

    async def _remount(self, name: str, stream: Stream) -> None:
        await stream.write(b'Not running as root. Try "adb root" first.\n')

    async def _tcpip(self, name: str, stream: Stream) -> None:
        port = name.partition(":")[2]
        if not port.isdecimal() or not 0 < int(port) < 65536:
            await stream.write(f"invalid port: {port}\n".encode("utf-8", "replace"))
        else:
            await stream.write(b"this phone listens on its own port; it can't be moved\n")

    async def _usb(self, name: str, stream: Stream) -> None:
        await stream.write(b"this phone has no USB; it stays on TCP\n")

    async def _reverse(self, name: str, stream: Stream) -> None:
        """Refused in words: a phone that opened streams to the host could end its adb server."""
        if name == "reverse:list-forward":
            await stream.write(b"0000")
            return
        text = b"reverse is not supported by this phone"
        await stream.write(b"FAIL%04x%s" % (len(text), text))

    def _agent(self, port: str) -> Callable[[str, Stream], Awaitable[None]] | None:
        """What listens on a TCP port of the phone: only programs that clients brought along."""
        agent = self._system.agents.get(int(port)) if port.isdecimal() else None
        if agent is None:
            return None

        async def serve(name: str, stream: Stream) -> None:
            await agent.serve(stream)

        return serve

    async def _framebuffer(self, name: str, stream: Stream) -> None:
        """The picture as adbd gives it: a header of version 1, then RGBA rows (AOSP `adb`)."""
        self._system.catch_up()
        snapshot = self._system.phone.snapshot()
        pixels = await self._system.in_thread(snapshot.paint)
        width_px, height_px = snapshot.width_px, snapshot.height_px
        channels = (0, 8, 16, 8, 8, 8, 24, 8)  # offset and length of red, blue, green, alpha
        header = (1, 32, len(pixels), width_px, height_px, *channels)
        await stream.write(struct.pack("<13I", *header) + pixels)

    async def _verity(self, name: str, stream: Stream) -> None:
        await stream.write(b"Device is locked. Please unlock the device first\n")

    async def _wait(self, name: str, stream: Stream) -> None:
        """No app can be debugged here: the list stays empty until the host closes."""
        if not name.startswith("jdwp"):
            await stream.write(b"0000")
        while await stream.read():
            pass

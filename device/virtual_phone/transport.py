"""One connection from an adb server: the handshake and the streams over it.

Rules that real adb servers hold us to: a WRTE is acknowledged before anything answers it; one
WRTE is in flight per stream; CLSE is sent once and only after the last OKAY; we never OPEN a
stream to the host: both adb servers that we know end when a device does, which is how the fault
`adb_server_killed` works.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import deque
from collections.abc import Awaitable, Callable

from device.virtual_phone.wire import (
    MAX_PAYLOAD_BYTES,
    VERSION_SKIP_CHECKSUM,
    Command,
    Packet,
    WireError,
    read_packet,
)

log = logging.getLogger(__name__)

# AUTH: what arg0 says (AOSP `adb.h`).
_AUTH_TOKEN = 1
_AUTH_SIGNATURE = 2
_TOKEN_BYTES = 20

#: Runs an opened service until it is done. It may be cancelled at any await.
Service = Callable[["Stream"], Awaitable[None]]
#: Finds the service for a name, or None to refuse it.
Opener = Callable[[bytes], Service | None]


class StreamClosedError(Exception):
    """The other side closed the stream, so nothing can be written to it."""


class Stream:
    """A service's two-way byte stream."""

    def __init__(self, transport: AdbdTransport, local_id: int, remote_id: int) -> None:
        self.transport = transport
        self.local_id = local_id
        self.remote_id = remote_id
        #: Set by the `offline_mid_command` fault: the connection drops after the first output.
        self.drops_connection = False
        #: How long the service may go on with what it was sent after the peer closed. A command
        #: that is fed by `adb exec-in` learns the end of its input just so.
        self.grace_s = 0.0
        self._inbox: deque[bytes] = deque()
        self._readable = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._closed = False

    async def read(self) -> bytes:
        """The next bytes, acknowledged as they are handed out; empty when the peer closed."""
        while not self._inbox:
            if self._closed:
                return b""
            self._readable.clear()
            await self._readable.wait()
        data = self._inbox.popleft()
        if not self._closed:
            self.transport.send(Packet(Command.OKAY, self.local_id, self.remote_id))
        return data

    async def write(self, data: bytes) -> None:
        """Sends bytes in packets of the peer's size, each after the last one's OKAY.

        Raises:
            StreamClosedError: The peer closed the stream.
        """
        limit = self.transport.max_payload_bytes
        if self.drops_connection:
            data = data[: max(1, min(limit, len(data) // 2))]
        view = memoryview(data)
        for start in range(0, len(data), limit):
            await self._may_write.wait()
            if self._closed:
                raise StreamClosedError
            self._may_write.clear()
            chunk = bytes(view[start : start + limit])
            self.transport.send(Packet(Command.WRTE, self.local_id, self.remote_id, chunk))
            await self.transport.drain()
        if self.drops_connection:
            await self.transport.drop()

    async def finish(self) -> None:
        """Closes our side after the peer took everything."""
        if self.drops_connection:
            await self.transport.drop()
        await self._may_write.wait()
        if not self._closed:
            self._closed = True
            self.transport.send(Packet(Command.CLSE, self.local_id, self.remote_id))

    def on_data(self, data: bytes) -> None:
        """A WRTE arrived."""
        self._inbox.append(data)
        self._readable.set()

    def on_ready(self) -> None:
        """An OKAY arrived."""
        self._may_write.set()

    def on_closed(self) -> None:
        """The peer closed, or the connection is gone: wakes whoever waits."""
        self._closed = True
        self._readable.set()
        self._may_write.set()


class AdbdTransport:
    """The device's end of one adb connection."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        banner: bytes,
        open_service: Opener,
        authorize: Callable[[], bool] = lambda: True,
    ) -> None:
        """Wraps an accepted connection.

        Args:
            reader: Bytes from the adb server.
            writer: Bytes to it.
            banner: What CNXN tells about us: `device::key=value;...;features=a,b`.
            open_service: Finds services by name.
            authorize: Whether a computer that connects is let in without asking the user.
        """
        self.max_payload_bytes = MAX_PAYLOAD_BYTES
        self._reader = reader
        self._writer = writer
        self._banner = banner
        self._open_service = open_service
        self._authorize = authorize
        self._connecting: Packet | None = None
        self._checksum = True
        self._streams: dict[int, Stream] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._next_id = 1

    async def run(self) -> None:
        """Serves the connection until either side ends it."""
        try:
            while True:
                self._handle(await read_packet(self._reader))
        except (asyncio.IncompleteReadError, ConnectionError, WireError) as error:
            log.debug("adb connection ended: %r", error)
        finally:
            await self._end()

    def send(self, packet: Packet) -> None:
        """Queues one packet."""
        if not self._writer.is_closing():
            self._writer.write(packet.encode(checksum=self._checksum))

    async def drain(self) -> None:
        """Waits while the connection is congested; a connection that is gone is no error here."""
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()

    async def drop(self) -> None:
        """Cuts the connection, as a pulled cable does. Never returns to the service."""
        await self.drain()
        self.abort()
        await asyncio.get_running_loop().create_future()

    def kill_server(self) -> None:
        """Ends the adb server on the other side: no device may open a stream to it unasked."""
        self.send(Packet(Command.OPEN, 0xFFFF, 0, b"tcp:9\0"))

    def abort(self) -> None:
        """Cuts the connection at once."""
        self._writer.close()
        self._reader.feed_eof()

    def _handle(self, packet: Packet) -> None:
        match packet.command:
            case Command.CNXN:
                self._on_connect(packet)
            case Command.OPEN if self._connecting is not None:
                log.debug("ignored OPEN: the computer's key is not accepted")
            case Command.OPEN:
                self._on_open(packet)
            case Command.WRTE:
                if stream := self._streams.get(packet.arg1):
                    stream.on_data(packet.payload)
            case Command.OKAY:
                if stream := self._streams.get(packet.arg1):
                    stream.on_ready()
            case Command.CLSE:
                self._on_close(packet)
            case Command.AUTH if packet.arg0 == _AUTH_SIGNATURE:
                self._ask_for_key()  # no key is known, so no signature fits
            case Command.AUTH | Command.STLS | Command.SYNC:
                log.debug("ignored %s", packet.command.name)

    def _on_connect(self, packet: Packet) -> None:
        for stream in list(self._streams.values()):
            self._drop_stream(stream)
        self._connecting = packet
        if self._authorize():
            self.accept()
        else:
            self._ask_for_key()

    def _ask_for_key(self) -> None:
        self.send(Packet(Command.AUTH, _AUTH_TOKEN, 0, os.urandom(_TOKEN_BYTES)))

    def accept(self) -> None:
        """Lets in a computer that is still being asked for its key."""
        packet, self._connecting = self._connecting, None
        if packet is None:
            return
        self.max_payload_bytes = max(1, min(packet.arg1, MAX_PAYLOAD_BYTES))
        self._checksum = True
        self.send(Packet(Command.CNXN, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD_BYTES, self._banner))
        self._checksum = packet.arg0 < VERSION_SKIP_CHECKSUM

    def _on_open(self, packet: Packet) -> None:
        service = self._open_service(packet.payload.rstrip(b"\0"))
        if service is None or packet.arg0 == 0:
            self.send(Packet(Command.CLSE, 0, packet.arg0))
            return
        stream = Stream(self, self._next_id, packet.arg0)
        self._next_id += 1
        self._streams[stream.local_id] = stream
        self.send(Packet(Command.OKAY, stream.local_id, stream.remote_id))
        self._tasks[stream.local_id] = asyncio.create_task(self._serve(service, stream))

    def _on_close(self, packet: Packet) -> None:
        stream = self._streams.get(packet.arg1)
        if stream is not None:
            self.send(Packet(Command.CLSE, stream.local_id, stream.remote_id))
            self._drop_stream(stream)

    def _drop_stream(self, stream: Stream) -> None:
        """Forgets a stream that the peer closed, and cancels the command behind it."""
        del self._streams[stream.local_id]
        stream.on_closed()
        task = self._tasks[stream.local_id]
        if stream.grace_s > 0:
            asyncio.get_running_loop().call_later(stream.grace_s, task.cancel)
        else:
            task.cancel()

    async def _serve(self, service: Service, stream: Stream) -> None:
        try:
            await service(stream)
            await stream.finish()
        except StreamClosedError:
            pass
        except Exception:
            log.exception("a service failed")
            await stream.finish()
        finally:
            self._streams.pop(stream.local_id, None)
            self._tasks.pop(stream.local_id, None)

    async def _end(self) -> None:
        tasks = list(self._tasks.values())
        for stream in list(self._streams.values()):
            stream.on_closed()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._writer.close()

"""Listens for adb servers and hands each connection its transport."""

from __future__ import annotations

import asyncio
import socket
import time

from device.virtual_phone.services import ServiceTable, features
from device.virtual_phone.transport import AdbdTransport
from device.virtual_phone.userland import Userland

#: Ports that every local adb server looks at by itself; a phone there would be listed twice.
_SCANNED_PORTS = range(5555, 5586)


def adb_banner(system: Userland) -> bytes:
    """What the phone says of itself when an adb server connects."""
    profile = system.profile
    fields = {
        "ro.product.name": profile.device,
        "ro.product.model": profile.model,
        "ro.product.device": profile.device,
        "features": ",".join(features(profile.sdk)),
    }
    return ("device::" + "".join(f"{k}={v};" for k, v in fields.items())).encode()[:-1]


def bind_loopback(port: int) -> socket.socket:
    """Takes a loopback port; 0 takes a free one outside the range that adb scans.

    Raises:
        OSError: The port is taken.
    """
    while True:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            listener.close()
            raise
        if port == 0 and listener.getsockname()[1] in _SCANNED_PORTS:
            listener.close()
            continue
        listener.setblocking(False)
        return listener


class AdbServer:
    """The phone's adb port."""

    def __init__(self, system: Userland, *, boot_s: float = 1.0) -> None:
        """Prepares to listen.

        Args:
            system: The phone.
            boot_s: How long connections are refused after a reboot.
        """
        self._system = system
        self._services = ServiceTable(system)
        self._boot_s = boot_s
        self._away_until_s = 0.0
        self._transports: set[AdbdTransport] = set()
        self._server: asyncio.Server | None = None
        self.port = 0
        system.on_reboot = self.go_away
        system.drop_connections = lambda: self.go_away(0.0)
        system.on_faults_cleared = self._accept_keys

    async def start(self, listener: socket.socket) -> None:
        """Starts to listen on a socket of `bind_loopback`."""
        self.port = listener.getsockname()[1]
        self._server = await asyncio.start_server(self._accept, sock=listener, limit=2**21)

    def go_away(self, seconds: float | None = None) -> None:
        """Drops all connections and refuses new ones for a while, as a rebooting phone does."""
        self._away_until_s = time.monotonic() + (self._boot_s if seconds is None else seconds)
        for transport in list(self._transports):
            transport.abort()

    def _authorize(self) -> bool:
        return self._system.take_fault("unauthorized", "CNXN") is None

    def _accept_keys(self) -> None:
        for transport in self._transports:
            transport.accept()

    async def stop(self) -> None:
        """Closes the port and all connections."""
        if self._server is not None:
            self._server.close()
        for transport in list(self._transports):
            transport.abort()
        deadline_s = time.monotonic() + 1.0
        while self._transports and time.monotonic() < deadline_s:
            await asyncio.sleep(0.01)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if time.monotonic() < self._away_until_s:
            writer.close()
            return
        connection: socket.socket = writer.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport = AdbdTransport(
            reader, writer, adb_banner(self._system), self._services.open, self._authorize
        )
        self._transports.add(transport)
        self._system.journal.add("transport", "connected")
        try:
            await transport.run()
        finally:
            self._transports.discard(transport)
            self._system.journal.add("transport", "closed")

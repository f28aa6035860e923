"""Run the service until it is told to stop; then let what runs finish, but not for ever."""

from __future__ import annotations

import asyncio
import logging
import os
import socket

import uvicorn
from fastapi import FastAPI

from server.errors import ConfigError
from server.http.protocol import BoundedProtocol
from server.settings import Settings

logger = logging.getLogger(__name__)

LAST_ANSWERS_S = 5.0
"""After the steps were cancelled: how long their answers may take to leave."""
KEEP_ALIVE_S = 30
LISTEN_BACKLOG = 2048


class DrainingServer(uvicorn.Server):
    """A server that closes in order.

    On SIGTERM or Ctrl-C it takes no new connection, ends the tasks it runs (their phones are given
    back), and lets running steps finish for `drain_s`. What still runs then is cancelled: its
    caller is told `server.shutting_down` and may send the step again.

    Args:
        app: Made by `create_app`.
        settings: With which it was made.
    """

    def __init__(self, app: FastAPI, settings: Settings) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=BoundedProtocol,
                host=settings.host,
                port=settings.port,
                log_config=None,
                access_log=settings.debug,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=int(settings.drain_s + LAST_ANSWERS_S) + 1,
            )
        )
        self._parts = app.state.parts
        self._drain_s = settings.drain_s

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        draining = asyncio.create_task(self._drain())
        try:
            await super().shutdown(sockets)
        finally:
            draining.cancel()

    async def _drain(self) -> None:
        logger.info("stopping: running steps have %s s to finish", self._drain_s)
        ending = asyncio.create_task(asyncio.to_thread(self._parts.tasks.close))
        await asyncio.sleep(self._drain_s)
        await asyncio.to_thread(self._parts.server.close)
        await ending


def open_socket(host: str, port: int) -> socket.socket:
    """A listening place, taken before anything else is started.

    Raises:
        ConfigError: It is taken, or not ours to take.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # With the protocol named, the event loop turns off Nagle's delay on what it accepts.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if os.name == "posix":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(LISTEN_BACKLOG)  # on some systems a taken port is told only here
        except OSError:
            listening.close()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(
            f"cannot listen on {host} port {port} ({reason}); end the program that has it, or "
            "choose another with --port (0 takes a free one)",
            key="port",
        ) from error
    return listening


def serve(app: FastAPI, settings: Settings, listening: socket.socket) -> None:
    """Serve on an open socket until stopped by a signal."""
    DrainingServer(app, settings).run(sockets=[listening])

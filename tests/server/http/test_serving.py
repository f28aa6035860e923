"""How the service listens: its port, its start lines, its patience with slow callers."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from server.errors import ConfigError
from server.http.protocol import BoundedProtocol
from server.serving import open_socket
from tests.server.http.conftest import Start


class HastyProtocol(BoundedProtocol):
    headers_timeout_s = 0.3


@pytest.fixture
async def port(start: Start) -> Iterator[int]:
    """A service whose patience is short."""
    listening = open_socket("127.0.0.1", 0)
    config = uvicorn.Config(start().app, http=HastyProtocol, log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    yield listening.getsockname()[1]
    server.should_exit = True
    await serving


@pytest.mark.parametrize("begin", [b"", b"G", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
async def test_headers_that_never_end_end_the_connection(port: int, begin: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(begin)
    for _ in range(4):  # a byte now and then does not help
        await asyncio.sleep(0.05)
        writer.write(b"a" if begin else b"")
    answer = await asyncio.wait_for(reader.read(), 5)
    assert answer.startswith(b"HTTP/1.1 408 ")
    writer.close()


async def test_a_kept_connection_may_rest_between_two_requests(port: int) -> None:
    request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(2):
        writer.write(request)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        assert head.startswith(b"HTTP/1.1 200")
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        await reader.readexactly(int(length[1]))
        await asyncio.sleep(0.5)
    writer.write(request[:20])  # a second request whose headers stop
    assert (await asyncio.wait_for(reader.read(), 5)).startswith(b"HTTP/1.1 408 ")
    writer.close()


async def test_a_small_answer_is_not_held_back_for_the_next() -> None:
    accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        accepted.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listening = open_socket("127.0.0.1", 0)
    async with await asyncio.start_server(look, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        assert await accepted == 1
        writer.close()


def test_a_taken_port_is_told_with_the_remedy() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"port {port} .*--port"):
            open_socket("127.0.0.1", port)


def test_serve_on_a_taken_port_ends_with_one_line_and_touches_no_logs(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "server", "serve", "--port", str(port), "--log-dir", tmp_path],
            capture_output=True, text=True, timeout=60,
            env={**os.environ, "LOCALSERVER_STATE_DIR": str(tmp_path / "state")},
        )  # fmt: skip
    assert done.returncode == 2
    assert f"port {port}" in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []

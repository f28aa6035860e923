"""The HTTP side of the uiautomator2 server: `/ping` and `/jsonrpc/0`, over an adb stream."""

from __future__ import annotations

import json
from typing import Any

from device.virtual_phone.agents.automation import Automation, RpcError
from device.virtual_phone.transport import Stream

_MAX_HEAD_BYTES = 64 * 1024
_MAX_BODY_BYTES = 4 * 1024 * 1024


class HttpAgent:
    """Answers requests that come in over streams to the agent's port."""

    def __init__(self, automation: Automation) -> None:
        self._automation = automation

    async def serve(self, stream: Stream) -> None:
        """Answers one request and lets the stream close."""
        request = await _read_request(stream)
        if request is None:
            return
        method, path, body = request
        if (method, path) == ("GET", "/ping"):
            status, kind, content = "200 OK", "text/plain", b"pong"
        elif (method, path) == ("POST", "/jsonrpc/0"):
            status, kind = "200 OK", "application/json"
            content = json.dumps(await self._call(body)).encode()
        else:
            status, kind, content = "404 Not Found", "text/plain", b"Not found"
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
            "Connection: close\r\n\r\n"
        )
        await stream.write(head.encode() + content)

    async def _call(self, body: bytes) -> dict[str, Any]:
        try:
            request = json.loads(body)
            name, params = str(request["method"]), request.get("params")
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "no call"}}
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            return reply | {"result": await self._automation.call(name, params)}
        except RpcError as error:
            detail = {"code": error.code, "message": str(error), "data": str(error)}
            return reply | {"error": detail}


async def _read_request(stream: Stream) -> tuple[str, str, bytes] | None:
    """Method, path and body; None when the peer leaves or sends no HTTP."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = await stream.read()
        if not more or len(data) > _MAX_HEAD_BYTES:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3:
        return None
    headers = {name.strip().lower(): value.strip() for name, _, value in (
        line.partition(":") for line in lines)}  # fmt: skip
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > _MAX_BODY_BYTES:
        return None
    parts = [body]
    missing = int(length) - len(body)
    while missing > 0:
        more = await stream.read()
        if not more:
            return None
        parts.append(more)
        missing -= len(more)
    return words[0], words[1], b"".join(parts)

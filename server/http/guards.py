"""What every request passes before anything of it is read: host, origin, token, size, type.

The server drives a phone, so a web page that is open on the same machine must not reach it: a
foreign `Host` (DNS rebinding) and a foreign `Origin` are refused on every route alike.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import RequestTooLargeError, ServerError
from server.http.errors import (
    BodyTimeoutError,
    HostNotAllowedError,
    MediaTypeError,
    OriginNotAllowedError,
    UnauthorizedError,
    error_response,
)

BODY_TIMEOUT_S = 60.0
BODY_TYPES = ("application/json", "multipart/form-data")


class RequestGuard:
    """ASGI middleware in front of all routes.

    Args:
        app: What it guards.
        allowed_hosts: Names that the `Host` header may have (without port); `*` for any.
        max_body_bytes: Largest body; it is counted as it streams in.
        token: Bearer token that callers must send; None for no token.
        body_timeout_s: Longest wait for the whole body.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        allowed_hosts: Iterable[str],
        max_body_bytes: int,
        token: str | None = None,
        body_timeout_s: float = BODY_TIMEOUT_S,
    ) -> None:
        self.app = app
        self.allowed_hosts = frozenset(host.lower() for host in allowed_hosts)
        self.max_body_bytes = max_body_bytes
        self.token = token
        self.body_timeout_s = body_timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            self._check_origin(headers)
            self._check_token(headers)
            if scope["type"] == "http":
                body = await self._read_body(headers, receive)
                receive = _replay(body, receive)
        except ServerError as error:
            await self._refuse(error, scope, receive, send)
            return
        except _DisconnectedError:
            return
        await self.app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        if "*" not in self.allowed_hosts and _host_name(host) not in self.allowed_hosts:
            raise HostNotAllowedError(
                "this Host is not served here; use the server's own address, "
                "or add the name to allowed_hosts in configs/server.yaml"
            )

    def _check_origin(self, headers: Headers) -> None:
        """A browser names the page's origin; programs send none. Only our own pages may call."""
        origin = headers.get("origin")
        if origin is None:
            return
        scheme, separator, authority = origin.partition("://")
        is_ours = scheme in ("http", "https") and separator and authority == headers.get("host")
        if not is_ours:
            raise OriginNotAllowedError(
                "requests from web pages of another origin are refused; "
                "call from a program, or from a page that this server gave"
            )

    def _check_token(self, headers: Headers) -> None:
        if self.token is None:
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        is_right = hmac.compare_digest(given.strip().encode(), self.token.encode())
        if scheme.lower() != "bearer" or not is_right:
            raise UnauthorizedError(
                "send the server's token as `Authorization: Bearer <token>`; "
                "it is LOCALSERVER_API_TOKEN or api_token in configs/server.yaml"
            )

    async def _read_body(self, headers: Headers, receive: Receive) -> bytes:
        """The whole body, counted while it comes in; at most as much again is thrown away."""
        chunks: list[bytes] = []
        size = 0
        until = time.monotonic() + self.body_timeout_s
        more = True
        while more:
            message = await _receive_before(until, receive)
            if message["type"] == "http.disconnect":
                raise _DisconnectedError
            chunk = message.get("body", b"")
            more = message.get("more_body", False)
            size += len(chunk)
            if size <= self.max_body_bytes:
                chunks.append(chunk)
            else:
                chunks.clear()
                if size > 2 * self.max_body_bytes:
                    break  # a caller who reads its answer only after sending gets this far
        if size > self.max_body_bytes:
            raise RequestTooLargeError(
                f"the body is larger than {self.max_body_bytes} bytes; send a smaller screenshot",
                limit_bytes=self.max_body_bytes,
            )
        if size:
            _check_type(headers)
        return b"".join(chunks)

    async def _refuse(self, error: ServerError, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": error.code})
            return
        headers = {"connection": "close"}
        if isinstance(error, UnauthorizedError):
            headers["www-authenticate"] = "Bearer"
        await error_response(error, headers)(scope, receive, send)


class _DisconnectedError(Exception):
    """The caller went away while sending."""


def _host_name(host: str) -> str:
    """The name in a Host header, without its port: `[::1]:80` -> `[::1]`."""
    if host.startswith("["):
        return host[: host.find("]") + 1].lower()
    return host.partition(":")[0].lower()


def _check_type(headers: Headers) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in BODY_TYPES:
        raise MediaTypeError("send the body as JSON with `Content-Type: application/json`")


async def _receive_before(until: float, receive: Receive) -> Message:
    try:
        async with asyncio.timeout(until - time.monotonic()):
            return await receive()
    except TimeoutError as error:
        raise BodyTimeoutError("the body did not arrive in time; send it again") from error


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once, and then what really comes (a disconnect)."""
    is_given = False

    async def receive_again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again

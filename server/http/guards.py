"""What every request passes before anything of it is read: host, origin, caller, size, type.

The server drives a phone, so a web page that is open on the same machine must not reach it: a
foreign `Host` (DNS rebinding) and a foreign `Origin` are refused on every route alike.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.errors import OverloadedError, RequestTooLargeError, ServerError
from server.http.access import Access, Caller, is_open_to_all, required_role
from server.http.errors import (
    BodyTimeoutError,
    ForbiddenError,
    HeadersTooLargeError,
    HostNotAllowedError,
    MediaTypeError,
    OriginNotAllowedError,
    UnauthorizedError,
    error_response,
)

BODY_TIMEOUT_S = 60.0
HEADERS_MAX_BYTES = 32 * 1024
HEADERS_MAX_COUNT = 100
BODY_TYPES = ("application/json", "multipart/form-data")


class RequestGuard:
    """ASGI middleware in front of all routes.

    Args:
        app: What it guards.
        allowed_hosts: Names that the `Host` header may have (without port); `*` for any.
        max_body_bytes: Largest body; it is counted as it streams in.
        access: Who may call, and what.
        max_held_bytes: Most bytes of bodies that are in work at a time.
        on_refusal: Called with the code of every refusal.
        body_timeout_s: Longest wait for the whole body.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        allowed_hosts: Iterable[str],
        max_body_bytes: int,
        access: Access,
        max_held_bytes: int,
        on_refusal: Callable[[str], None] = lambda code: None,
        body_timeout_s: float = BODY_TIMEOUT_S,
    ) -> None:
        self.app = app
        self.allowed_hosts = frozenset(host.lower() for host in allowed_hosts)
        self.max_body_bytes = max_body_bytes
        self.access = access
        self.max_held_bytes = max_held_bytes
        self.on_refusal = on_refusal
        self.body_timeout_s = body_timeout_s
        self._held_bytes = 0  # of all bodies in work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        body = _Body()
        try:
            headers = Headers(scope=scope)
            _check_headers(scope)
            self._check_host(headers)
            self._check_origin(headers)
            await self._check_caller(scope, headers)
            if scope["type"] == "http":
                await self._read_body(headers, receive, body)
                receive = body.replay(receive)
        except ServerError as error:
            self._held_bytes -= body.let_go()
            await self._refuse(error, scope, receive, send)
            return
        except _DisconnectedError:
            self._held_bytes -= body.let_go()
            return
        try:
            await self.app(scope, receive, send)
        finally:
            self._held_bytes -= body.let_go()

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

    async def _check_caller(self, scope: Scope, headers: Headers) -> None:
        path = scope["path"]
        if is_open_to_all(scope.get("method", ""), path):
            return
        try:
            caller = self.access.identify(headers)
        except UnauthorizedError as error:
            if error.details.get("reason") == "wrong":
                await self.access.delay_failure()
            raise
        _check_browser(caller, headers)
        role = required_role(scope["type"], scope.get("method", ""), path)
        if not caller.may(role):
            raise ForbiddenError(
                f"this needs the role {role}, and your token has {caller.role}; "
                "use another token of the settings",
                needed=role,
                role=caller.role,
            )
        scope.setdefault("state", {})["caller"] = caller

    async def _read_body(self, headers: Headers, receive: Receive, body: _Body) -> None:
        """The whole body, counted while it comes in; at most as much again is thrown away."""
        seen = 0
        until = time.monotonic() + self.body_timeout_s
        more = True
        while more:
            message = await _receive_before(until, receive)
            if message["type"] == "http.disconnect":
                raise _DisconnectedError
            chunk = message.get("body", b"")
            more = message.get("more_body", False)
            seen += len(chunk)
            if seen <= self.max_body_bytes:
                body.add(chunk)
                self._held_bytes += len(chunk)
                if self._held_bytes > self.max_held_bytes:
                    raise OverloadedError("too many requests are in work; try again in a moment")
            else:
                self._held_bytes -= body.let_go()
                if seen > 2 * self.max_body_bytes:
                    break  # a caller who reads its answer only after sending gets this far
        if seen > self.max_body_bytes:
            raise RequestTooLargeError(
                f"the body is larger than {self.max_body_bytes} bytes; send a smaller screenshot",
                limit_bytes=self.max_body_bytes,
            )
        if seen:
            _check_type(headers)

    async def _refuse(self, error: ServerError, scope: Scope, receive: Receive, send: Send) -> None:
        self.on_refusal(error.code)
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": error.code})
            return
        await error_response(error, {"Connection": "close"})(scope, receive, send)


class _DisconnectedError(Exception):
    """The caller went away while sending."""


class _Body:
    """The body of one request, and how many bytes of memory it holds."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._held_bytes = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._held_bytes += len(chunk)

    def let_go(self) -> int:
        """Forget it; returns how many bytes that frees."""
        freed, self._held_bytes = self._held_bytes, 0
        self._chunks.clear()
        return freed

    def replay(self, receive: Receive) -> Receive:
        """A `receive` that gives the body once, and then what really comes (a disconnect)."""
        is_given = False

        async def receive_again() -> Message:
            nonlocal is_given
            if is_given:
                return await receive()
            is_given = True
            body = b"".join(self._chunks)
            self._chunks.clear()
            return {"type": "http.request", "body": body, "more_body": False}

        return receive_again


def _host_name(host: str) -> str:
    """The name in a Host header, without its port: `[::1]:80` -> `[::1]`."""
    if host.startswith("["):
        return host[: host.find("]") + 1].lower()
    return host.partition(":")[0].lower()


def _check_headers(scope: Scope) -> None:
    size = sum(len(name) + len(value) for name, value in scope["headers"])
    if size > HEADERS_MAX_BYTES or len(scope["headers"]) > HEADERS_MAX_COUNT:
        raise HeadersTooLargeError(
            f"the headers have more than {HEADERS_MAX_BYTES} bytes or {HEADERS_MAX_COUNT} lines; "
            "send fewer"
        )


def _check_browser(caller: Caller, headers: Headers) -> None:
    """A cookie goes along with requests that another page starts; a browser then says so."""
    site = headers.get("sec-fetch-site", "same-origin")
    if caller.by_cookie and site not in ("same-origin", "none"):
        raise OriginNotAllowedError(
            "requests from web pages of another origin are refused; "
            "open the page by its own address"
        )


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

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from server.http.access import Access
from server.http.guards import HEADERS_MAX_BYTES, RequestGuard

HOST = "127.0.0.1:8704"
LIMIT = 1000


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that says how many bytes came."""
    body = await Request(scope, receive).body()
    await JSONResponse({"bytes": len(body)})(scope, receive, send)


def guarded(
    token: str | None = None, body_timeout_s: float = 5.0, max_held_bytes: int = 10 * LIMIT
) -> RequestGuard:
    access = Access({"test": (token, "admin")}) if token else Access({}, is_open=True)
    return RequestGuard(
        echo,
        allowed_hosts=("127.0.0.1", "localhost", "[::1]"),
        max_body_bytes=LIMIT,
        max_held_bytes=max_held_bytes,
        access=access,
        body_timeout_s=body_timeout_s,
    )


async def ask(guard: RequestGuard, method: str = "POST", **request: Any) -> tuple[int, str]:
    """Status, and the error's code or the echo's bytes."""
    headers = {"host": HOST, "content-type": "application/json", **request.pop("headers", {})}
    transport = httpx2.ASGITransport(app=guard)
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        response = await client.request(method, "/", headers=headers, **request)
    body = response.json()
    return response.status_code, body["error"]["code"] if "error" in body else str(body["bytes"])


async def test_a_plain_local_call_passes() -> None:
    assert await ask(guarded(), content=b"{}") == (200, "2")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "[::1]:8704", "127.0.0.1"])
async def test_loopback_names_are_served(host: str) -> None:
    assert (await ask(guarded(), headers={"host": host}))[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8704", "127.0.0.1.evil.example", "", "[::2]", "[::1"]
)
async def test_a_foreign_host_is_refused(host: str) -> None:
    answer = await ask(guarded(), headers={"host": host})
    assert answer == (421, "request.host_not_allowed")


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "", "http://localhost:3000", "file://", f"ftp://{HOST}"],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_foreign_page_is_refused_whatever_it_asks(origin: str, method: str) -> None:
    answer = await ask(guarded(), method, headers={"origin": origin})
    assert answer == (403, "request.origin_not_allowed")


async def test_our_own_page_may_call() -> None:
    assert (await ask(guarded(), headers={"origin": f"http://{HOST}"}))[0] == 200


@pytest.mark.parametrize(
    "authorization", [None, "", "Bearer", "Bearer wrong", "Basic secret", "secret", "Bearer sécret"]
)
async def test_without_the_token_nothing_is_served(authorization: str | None) -> None:
    headers = {} if authorization is None else {"authorization": authorization.encode("latin-1")}
    answer = await ask(guarded(token="secret"), headers=headers)
    assert answer == (401, "request.unauthorized")


async def test_with_the_token_it_is_served() -> None:
    assert (await ask(guarded(token="secret"), headers={"authorization": "Bearer secret"}))[
        0
    ] == 200


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_a_body_that_is_not_called_json_is_refused(content_type: str) -> None:
    answer = await ask(guarded(), headers={"content-type": content_type}, content=b"{}")
    assert answer == (415, "request.unsupported_media_type")


async def test_a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    assert await ask(guarded(), content=b"x" * LIMIT) == (200, str(LIMIT))
    assert await ask(guarded(), content=b"x" * (LIMIT + 1)) == (413, "request.too_large")


async def test_an_endless_body_is_cut_off() -> None:
    taken = 0

    async def endless() -> Message:
        nonlocal taken
        taken += 100
        return {"type": "http.request", "body": b"x" * 100, "more_body": True}

    assert await status_of(guarded(), endless) == 413
    assert taken <= 2 * LIMIT + 100


async def test_more_bodies_than_may_be_held_are_refused_with_a_time_to_come_back() -> None:
    guard = guarded(max_held_bytes=LIMIT)
    inside, leave = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        inside.set()
        await leave.wait()
        await echo(scope, receive, send)

    guard.app = slow
    first = asyncio.create_task(ask(guard, content=b"x" * LIMIT))
    await inside.wait()
    assert await ask(guard, content=b"x") == (429, "server.overloaded")
    leave.set()
    assert await first == (200, str(LIMIT))
    assert await ask(guard, content=b"x") == (200, "1")


@pytest.mark.parametrize(
    "headers",
    [{"x-long": "x" * HEADERS_MAX_BYTES}, {f"x-{number}": "" for number in range(101)}],
)
async def test_headers_without_bounds_are_refused(headers: dict[str, str]) -> None:
    assert await ask(guarded(), headers=headers) == (431, "request.headers_too_large")


async def test_a_body_that_never_comes_is_given_up() -> None:
    async def silent() -> Message:
        await asyncio.sleep(60)
        raise AssertionError("never reached")

    assert await status_of(guarded(body_timeout_s=0.05), silent) == 408


async def test_a_caller_who_goes_away_while_sending_gets_nothing_done() -> None:
    async def leaving() -> Message:
        return {"type": "http.disconnect"}

    assert await status_of(guarded(), leaving) is None


async def status_of(guard: RequestGuard, receive: Receive) -> int | None:
    """The status that the guard answers with to a body that comes from `receive`."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"host", HOST.encode()), (b"content-type", b"application/json")]
    scope: Scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await guard(scope, receive, send)
    return statuses[0] if statuses else None

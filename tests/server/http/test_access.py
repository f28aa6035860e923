"""Tokens, roles, one-time links and cookies, over a real socket."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import httpx2
import pytest

from server.errors import ConfigError
from server.http.access import FREE_ATTEMPTS, required_role
from server.tokens import find_token, load_or_create_token
from tests.server.http.conftest import Service, Start

TOKENS = {
    "viewer": {"token": "viewer-token-0123456789", "role": "read"},
    "driver": {"token": "driver-token-0123456789", "role": "act"},
    "owner": {"token": "owner-token-0123456789", "role": "admin"},
}


def bearer(name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {TOKENS[name]['token']}"}


def test_the_token_file_is_made_once_with_256_bits_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    first, second = load_or_create_token(folder), load_or_create_token(folder)
    assert (first.is_new, second.is_new) == (True, False)
    assert first.token == second.token
    assert len(first.token) == 43  # 32 bytes in base64
    if os.name == "posix":
        assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == ["token"]


def test_a_token_file_that_holds_no_token_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("short\n")
    with pytest.raises(ConfigError, match="delete the file"):
        load_or_create_token(tmp_path)


def test_a_token_is_found_for_this_machine_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCALSERVER_API_TOKEN", raising=False)
    token = load_or_create_token(tmp_path).token
    assert find_token("http://127.0.0.1:8704", tmp_path) == token
    assert find_token("http://localhost:8704", tmp_path) == token
    assert find_token("http://[::1]:8704", tmp_path) == token
    for elsewhere in ("http://192.0.2.1", "http://localhost.evil.example", "http://127.0.0.1@evil"):
        assert find_token(elsewhere, tmp_path) is None
    monkeypatch.setenv("LOCALSERVER_API_TOKEN", "named")
    assert find_token("http://127.0.0.1:8704", tmp_path) == "named"
    assert find_token("http://192.0.2.1", tmp_path) is None


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"host": "0.0.0.0"}, "--allow-host"),
        (
            {"host": "0.0.0.0", "allowed_hosts": ["phones.example"], "require_token": False},
            "--no-token",
        ),
        ({"api_token": "env:NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE"),
        ({"tokens": {"x": {"token": " "}}}, "tokens.x"),
    ],
)
def test_an_open_door_is_refused_at_the_start(
    start: Start, settings: dict[str, object], remedy: str
) -> None:
    with pytest.raises(ConfigError, match=remedy):
        start(**settings)


def test_without_a_token_only_where_the_operator_said_so(start: Start) -> None:
    service = start(require_token=False)
    assert service.stranger.get("/v1/sessions").json() == {"sessions": [], "total": 0}
    foreign = service.stranger.get("/v1/sessions", headers={"origin": "https://evil.example"})
    assert service.error_of(foreign) == (403, "request.origin_not_allowed")


@pytest.mark.parametrize(
    ("name", "may"),
    [("viewer", {"read"}), ("driver", {"read", "act"}), ("owner", {"read", "act", "admin"})],
)
def test_a_role_does_what_it_may_and_no_more(start: Start, name: str, may: set[str]) -> None:
    service = start(tokens=TOKENS)
    reads = service.stranger.get("/v1/sessions", headers=bearer(name))
    acts = service.stranger.post("/get_session", json={"task": "x"}, headers=bearer(name))
    deletes = service.stranger.delete("/v1/sessions/x", headers=bearer(name))
    allowed = {
        role
        for role, response in (("read", reads), ("act", acts), ("admin", deletes))
        if response.status_code not in (401, 403)
    }
    assert allowed == may
    for response in (reads, acts, deletes):
        if response.status_code == 403:
            assert service.error_of(response) == (403, "request.forbidden")


@pytest.mark.parametrize(
    ("kind", "method", "path", "role"),
    [
        ("http", "GET", "/v1/sessions", "read"),
        ("http", "POST", "/a/route/of/tomorrow", "act"),
        ("http", "PATCH", "/a/route/of/tomorrow", "act"),
        ("http", "DELETE", "/a/route/of/tomorrow", "admin"),
        ("http", "GET", "/mcp/", "act"),
        ("websocket", "", "/a/socket/of/tomorrow", "act"),
    ],
)
def test_the_form_of_a_request_says_its_role(kind: str, method: str, path: str, role: str) -> None:
    assert required_role(kind, method, path) == role


def test_a_link_lets_one_browser_in_once_and_the_token_is_in_no_address(start: Start) -> None:
    service = start()
    link = service.raw.post("/v1/login_links").json()["path"]
    assert service.token not in link
    with httpx2.Client(base_url=service.url, trust_env=False) as browser:
        entered = browser.get(link, follow_redirects=False)
        assert (entered.status_code, entered.headers["location"]) == (303, "/")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie
        assert service.token not in cookie
        assert browser.get("/docs").status_code == 200
        other_page = browser.get("/v1/sessions", headers={"sec-fetch-site": "same-site"})
        assert service.error_of(other_page) == (403, "request.origin_not_allowed")
        own_page = browser.get("/v1/sessions", headers={"sec-fetch-site": "same-origin"})
        assert own_page.status_code == 200
    again = service.stranger.get(link, follow_redirects=False)
    assert service.error_of(again) == (401, "request.unauthorized")


def test_a_link_gives_the_role_of_who_asked_for_it(start: Start) -> None:
    service = start(tokens=TOKENS)
    link = service.stranger.post("/v1/login_links", headers=bearer("viewer")).json()["path"]
    with httpx2.Client(base_url=service.url, trust_env=False) as browser:
        browser.get(link, follow_redirects=False)
        assert browser.get("/v1/sessions").status_code == 200
        acts = browser.post("/get_session", json={"task": "x"})
        assert service.error_of(acts) == (403, "request.forbidden")


def test_guessing_is_slowed_down_and_the_right_token_is_not(start: Start) -> None:
    service = start(failed_attempt_delay_s=0.5)
    wrong = {"authorization": "Bearer wrong"}
    for _ in range(FREE_ATTEMPTS):
        service.stranger.get("/v1/sessions", headers=wrong)
    assert timed(service, wrong) >= 0.5
    assert timed(service, service.authorization) < 0.4


def timed(service: Service, headers: dict[str, str]) -> float:
    started = time.monotonic()
    service.stranger.get("/v1/sessions", headers=headers)
    return time.monotonic() - started

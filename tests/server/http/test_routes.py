"""What holds for every route, taken from the app's own table: a new one cannot be forgotten."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from server.model.scripted_model import Hang, wait_for_requests
from tests.server.http.conftest import Service, Start, a_png

IDS = {"session_id": "x", "name": "x", "task_id": "x", "serial": "x", "step": "1", "code": "x"}


def routes_of(service: Service) -> Iterator[tuple[str, str]]:
    """Method and address of each route; ids filled in."""
    paths: dict[str, Any] = service.app.openapi()["paths"]
    for path, methods in paths.items():
        for method in methods:
            yield method.upper(), path.format(**IDS)
    yield "GET", "/docs"
    yield "GET", "/openapi.json"


OPEN = {("GET", "/healthz"), ("GET", "/readyz")}
WITHOUT_HEADER: dict[str, str] = {}


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"host": "evil.example"}, 421, "request.host_not_allowed"),
        ({"origin": "https://evil.example"}, 403, "request.origin_not_allowed"),
        ({"origin": "null"}, 403, "request.origin_not_allowed"),
    ],
)
@pytest.mark.parametrize("has_token", [True, False])
def test_no_route_answers_a_foreign_page(
    shared: Service, headers: dict[str, str], status: int, code: str, has_token: bool
) -> None:
    caller = shared.raw if has_token else shared.stranger
    answers = {
        (method, path): shared.error_of(caller.request(method, path, headers=headers))
        for method, path in routes_of(shared)
    }
    assert len(answers) > 20
    assert set(answers.values()) == {(status, code)}


@pytest.mark.parametrize(
    "headers",
    [
        WITHOUT_HEADER,
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer"},
        {"cookie": "localserver=wrong"},
    ],
)
def test_no_route_but_the_two_health_checks_answers_without_the_token(
    shared: Service, headers: dict[str, str]
) -> None:
    answered = set()
    for method, path in routes_of(shared):
        response = shared.stranger.request(method, path, headers=headers)
        if response.is_success:
            answered.add((method, path))
        else:
            assert shared.error_of(response) == (401, "request.unauthorized")
            assert response.headers["www-authenticate"] == "Bearer"
    assert answered == OPEN


def test_every_route_of_the_app_is_in_the_table_of_these_tests(shared: Service) -> None:
    """What the OpenAPI document leaves out is refused as well."""
    hidden = {
        route.path for route in shared.app.routes if not getattr(route, "include_in_schema", True)
    }
    for path in hidden:
        response = shared.stranger.get(path)
        assert shared.error_of(response) == (401, "request.unauthorized"), path


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
def test_no_route_takes_json_under_another_name(shared: Service, content_type: str) -> None:
    for method, path in routes_of(shared):
        if method == "POST":
            response = shared.raw.post(path, content=b"{}", headers={"content-type": content_type})
            assert shared.error_of(response) == (415, "request.unsupported_media_type")


def test_no_route_fails_on_an_empty_or_foreign_body(shared: Service) -> None:
    for method, path in routes_of(shared):
        for body in (None, [], {"x": 1}, "text"):
            response = shared.raw.request(method, path, json=body)
            assert response.status_code < 500, (method, path, body, response.text)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nope", 404, "request.not_found"),
        ("GET", "/v1/sessions/", 404, "request.not_found"),
        ("GET", "/get_session", 405, "request.method_not_allowed"),
        ("DELETE", "/v1/tasks", 405, "request.method_not_allowed"),
        ("GET", "/v1/sessions?limit=x", 422, "request.invalid"),
        ("GET", "/v1/sessions?limit=100000", 422, "request.invalid"),
        ("GET", "/v1/tasks?offset=-1", 422, "request.invalid"),
    ],
)
def test_the_frameworks_own_faults_have_our_shape(
    shared: Service, method: str, path: str, status: int, code: str
) -> None:
    response = shared.raw.request(method, path, follow_redirects=False)
    assert shared.error_of(response) == (status, code)


def test_what_was_sent_is_not_echoed_by_a_refusal(shared: Service) -> None:
    response = shared.raw.post("/get_session", json={"task": {"password": "hunter2"}})
    assert shared.error_of(response) == (422, "request.invalid")
    assert "hunter2" not in response.text


def test_an_unexpected_fault_is_a_500_that_tells_no_secret(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start()

    def fail(wanted: object, limit: int, offset: int) -> None:
        raise RuntimeError("/home/me/secret")

    monkeypatch.setattr(service.parts.server, "find_sessions", fail)
    response = service.raw.get("/v1/sessions")
    assert service.error_of(response) == (500, "server.error")
    assert "secret" not in response.text


def test_the_models_are_listed_without_keys(start: Start) -> None:
    provider = {"api_base": "http://127.0.0.1:9/v1", "api_key": "sk-hidden", "default_model": "m"}
    response = start(providers={"mine": provider}).raw.get("/v1/models")
    assert "sk-hidden" not in response.text
    body = response.json()
    assert body["default_provider"] == "mine"
    assert body["providers"] == [
        {
            "name": "mine",
            "api_base": "http://127.0.0.1:9/v1",
            "has_key": True,
            "default_model": "m",
            "models": [],
        }
    ]


def test_the_docs_page_names_every_route_and_fetches_nothing(shared: Service) -> None:
    page = shared.raw.get("/docs")
    for path in shared.app.openapi()["paths"]:
        assert f"<code>{path}</code>" in page.text
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_folder_that_cannot_be_written_is_not_ready(start: Start, tmp_path: Any) -> None:
    service = start()
    assert service.raw.get("/readyz").json()["status"] == "ready"
    (tmp_path / "images").rename(tmp_path / "moved")
    (tmp_path / "images").write_text("a file where the folder was")
    response = service.raw.get("/readyz")
    assert service.error_of(response) == (507, "storage.failed")
    assert not service.client.is_ready()


def test_sixty_steps_that_wait_for_a_slow_model_hold_up_no_health_check(start: Start) -> None:
    service = start(lambda request: Hang(20))
    sessions = [service.client.get_session({"task": "x"}) for _ in range(60)]
    for session_id in sessions:
        step = {
            "session_id": session_id,
            "observation": {"screenshot": {"type": "image_bytes", "data": a_png()}},
        }
        threading.Thread(target=_ask_and_forget, args=(service, step), daemon=True).start()
    wait_for_requests(service.model, 60, timeout_s=20)
    times = []
    for _ in range(20):
        started = time.monotonic()
        assert service.raw.get("/healthz").status_code == 200
        assert service.raw.get("/v1/sessions?limit=1").status_code == 200
        times.append(time.monotonic() - started)
    assert sorted(times)[10] < 0.1
    for session_id in sessions:
        service.client.close_session(session_id, "STOPPED_BY_USER")


def _ask_and_forget(service: Service, step: dict[str, Any]) -> None:
    try:
        service.client.automate_step(step)
    except Exception:
        pass  # the step is cancelled at the end of the test

"""The console's files, and what of the API was made for it."""

from __future__ import annotations

import io
import re
import time

import pytest
from PIL import Image
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

import server.http.console
from device.scripted_device import Frame, ScriptedDevice
from server.model.scripted_model import Say
from server.policy.decision import DEFAULT_LEVELS, LEVELS, RISK_CLASSES
from tests.server.http.conftest import (
    AWAKE,
    COMPLETE,
    INSTALLED,
    ScriptedPhones,
    Service,
    Start,
    a_png,
)

FOLDER = server.http.console.FOLDER
SCRIPTS = sorted(FOLDER.rglob("*.js"))


def test_the_page_is_given_without_a_token_under_a_strict_policy(shared: Service) -> None:
    page = shared.stranger.get("/")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert policy.startswith("default-src 'self'; img-src 'self' blob:")
    assert "unsafe" not in policy and "*" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    again = shared.stranger.get("/", headers={"if-none-match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_every_file_that_a_file_names_is_given_and_nothing_else(shared: Service) -> None:
    for path in FOLDER.rglob("*"):
        if path.is_file():
            name = path.relative_to(FOLDER).as_posix()
            assert shared.stranger.get(f"/console/{name}").content == path.read_bytes()
    named = re.findall(r'(?:src|href)="(/console/[^"]+)"', (FOLDER / "index.html").read_text())
    scripts = {f"/console/{path.relative_to(FOLDER).as_posix()}" for path in SCRIPTS}
    assert scripts <= set(named), "all are asked for at once, not one behind the other"
    for name in named:
        assert shared.stranger.get(name).status_code == 200, name
    for name in ("../settings.py", "%2e%2e/settings.py", "..%2fsettings.py", "nope.js", ""):
        response = shared.stranger.get(f"/console/{name}")
        assert response.status_code in (401, 404), name
    assert shared.stranger.post("/").status_code == 401


def test_no_script_reads_html_or_runs_text() -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
    )
    found = {path.name: re.findall(forbidden, path.read_text(encoding="utf-8")) for path in SCRIPTS}
    assert len(found) > 15
    assert {name: words for name, words in found.items() if words} == {}
    for path in FOLDER.rglob("*"):
        if path.is_file():
            addresses = re.findall(r"https?://[\w.]+", path.read_text(encoding="utf-8"))
            assert set(addresses) <= {"http://www.w3.org"}, path


def test_every_text_of_the_page_is_there_in_chinese() -> None:
    chinese = (FOLDER / "texts-zh.js").read_text(encoding="utf-8")
    translated = set(re.findall(r'^  "((?:[^"\\]|\\.)*)":', chinese, re.M))
    english = (FOLDER / "texts-en.js").read_text(encoding="utf-8")
    keys = {
        key
        for key in re.findall(r'^  "((?:[^"\\]|\\.)*)":', english, re.M)
        if not key.endswith("|1")
    }
    for path in SCRIPTS:
        keys |= set(re.findall(r'\bt\("((?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8")))
    assert len(keys) > 150
    assert keys - translated == set()


def test_the_form_offers_a_yes_to_what_a_yes_is_for_and_every_class_has_words() -> None:
    page = (FOLDER / "new-task-page.js").read_text(encoding="utf-8")
    offered = re.findall(r'"(\w+)"', page.partition("const CLASSES = [")[2].partition("]")[0])
    assert {DEFAULT_LEVELS[name] for name in offered} == {"confirm"}  # type: ignore[index]
    english = (FOLDER / "texts-en.js").read_text(encoding="utf-8")
    assert set(re.findall(r'"class (\w+)"', english)) == set(RISK_CLASSES)
    assert set(re.findall(r'"level (\w+)"', english)) == set(LEVELS) - {"allow"}


@pytest.fixture
def kept(start: Start) -> Service:
    """Two sessions: one completed in a shop, one that was stopped."""
    frames = [Frame("home"), Frame("shop")]
    service = start(
        [AWAKE, COMPLETE], phones=ScriptedPhones(ScriptedDevice(frames, installed=INSTALLED))
    )
    task = service.client.start_task({"task": "Buy Tea", "max_still_s": 0})["task_id"]
    service.wait_for(task, "done")
    service.client.get_session({"task": "read the news", "task_type": "ui_tars"})
    return service


@pytest.mark.parametrize(
    ("query", "tasks"),
    [
        ("", ["read the news", "Buy Tea"]),
        ("?q=tea", ["Buy Tea"]),
        ("?q=TEA&state=open", []),
        ("?state=open", ["read the news"]),
        ("?stop_reason=TASK_COMPLETED_SUCCESSFULLY", ["Buy Tea"]),
        ("?task_type=ui_tars", ["read the news"]),
        ("?app=设置", ["Buy Tea"]),
        ("?app=nothing", []),
        ("?since=2026-01-01&until=2999-01-01", ["read the news", "Buy Tea"]),
        ("?since=2999-01-01", []),
        ("?until=2026-01-01", []),
        ("?limit=1&offset=1", ["Buy Tea"]),
    ],
)
def test_sessions_are_searched(kept: Service, query: str, tasks: list[str]) -> None:
    for _ in range(2):  # the second time from memory
        found = kept.raw.get(f"/v1/sessions{query}").json()
        assert [session["task"] for session in found["sessions"]] == tasks
        assert found["total"] == (2 if "limit" in query else len(tasks))


def test_a_session_that_ends_or_goes_is_not_remembered_as_it_was(kept: Service) -> None:
    session = kept.raw.get("/v1/sessions?q=news").json()["sessions"][0]["session_id"]
    assert kept.raw.get("/v1/sessions?state=open").json()["total"] == 1
    kept.raw.post(f"/v1/sessions/{session}/close", json={})
    assert kept.raw.get("/v1/sessions?state=open").json()["total"] == 0
    assert kept.raw.get("/v1/sessions?stop_reason=STOPPED_BY_USER").json()["total"] == 1
    kept.raw.delete(f"/v1/sessions/{session}")
    assert kept.raw.get("/v1/sessions?q=news").json() == {"sessions": [], "total": 0}


def test_a_date_that_is_none_is_refused(kept: Service) -> None:
    assert kept.error_of(kept.raw.get("/v1/sessions?since=yesterday")) == (422, "request.invalid")


def test_a_trace_is_one_document_with_each_long_text_once(kept: Service) -> None:
    session = kept.raw.get("/v1/sessions?q=tea").json()["sessions"][0]["session_id"]
    trace = kept.raw.get(f"/v1/sessions/{session}/trace").json()
    assert (trace["format"], trace["version"]) == ("localserver.trace", 1)
    assert trace["session"] == kept.raw.get(f"/v1/sessions/{session}").json()
    assert [step["action"]["action"] for step in trace["steps"]] == ["AWAKE", "COMPLETE"]
    events = kept.raw.get(f"/v1/sessions/{session}/events").json()["events"]
    assert [event["seq"] for event in trace["events"]] == [event["seq"] for event in events]
    refs = {
        part["text_ref"]
        for step in trace["steps"]
        for message in step["asked_messages"]
        for part in message["content"]
        if "text_ref" in part
    }
    assert refs and refs <= set(trace["texts"])
    missing = kept.raw.get(f"/v1/sessions/{session[:-4]}0000/trace")
    assert kept.error_of(missing) == (404, "session.not_found")


def test_a_thumbnail_is_made_once_and_gone_with_its_session(kept: Service) -> None:
    session = kept.raw.get("/v1/sessions?q=tea").json()["sessions"][0]["session_id"]
    path = f"/v1/sessions/{session}/steps/1/thumbnail"
    first = kept.raw.get(path)
    assert first.headers["content-type"] == "image/webp"
    with Image.open(io.BytesIO(first.content)) as picture:
        assert picture.size == (144, 320)
    picture_file = kept.settings.image_dir / session / "step_0001.png"
    picture_file.rename(picture_file.with_suffix(".moved"))
    assert kept.raw.get(path).content == first.content
    kept.raw.delete(f"/v1/sessions/{session}")
    assert kept.error_of(kept.raw.get(path)) == (404, "session.not_found")


def test_the_picture_of_a_step_that_failed_is_read_by_its_name(start: Start) -> None:
    service = start([Say("cut", finish_reason="length")])
    session = service.client.get_session({"task": "x"})
    png = a_png()
    files = {"screenshot": ("x.png", png)}
    assert service.raw.post(f"/v1/sessions/{session}/steps", files=files).status_code >= 400
    events = service.raw.get(f"/v1/sessions/{session}/events").json()["events"]
    failed = next(event for event in events if event["kind"] == "step_failed")
    [name] = failed["data"]["images"]
    picture = service.raw.get(f"/v1/sessions/{session}/pictures/{name}")
    assert (picture.content, picture.headers["content-type"]) == (png, "image/png")
    for other in ("step_0009.png", "..%2f..%2flog%2fx", "nope"):
        answer = service.raw.get(f"/v1/sessions/{session}/pictures/{other}")
        assert answer.status_code == 404, other


def live(service: Service, **headers: str) -> ClientConnection:
    url = service.url.replace("http", "ws") + "/v1/devices/scripted-1/live"
    return connect(url, additional_headers=headers or service.authorization, proxy=None)


def captures(service: Service) -> int:
    return sum(call.name == "screenshot" for call in service.phone.journal)


def test_many_watch_one_capture_and_nobody_watches_none(start: Start) -> None:
    service = start()
    with live(service) as one, live(service) as other:
        for viewer in (one, other):
            viewer.send("next")
            facts, data = viewer.recv(10), viewer.recv(10)
            assert '"width_px":1080' in str(facts) and '"error":null' in str(facts)
            assert isinstance(data, bytes) and data.startswith(b"\xff\xd8")
        one.send("next")
        with pytest.raises(TimeoutError):
            one.recv(0.8)  # the same screen is not sent twice
        seen = captures(service)
        service.phone.tap(1, 1)
        assert '"number":2' in str(one.recv(10))
        assert captures(service) - seen <= 3, "two viewers, one capture"
    until = time.monotonic() + 5
    count = -1
    while count != (count := captures(service)):
        assert time.monotonic() < until
        time.sleep(0.7)  # longer than the pause between two looks


def test_a_live_picture_is_for_those_who_may_look(start: Start) -> None:
    viewer = {"token": "viewer-token-0123456789", "role": "read"}
    service = start(tokens={"viewer": viewer})
    with live(service, Authorization=f"Bearer {viewer['token']}") as looking:
        looking.send("next")
        assert '"number":1' in str(looking.recv(10))
    for headers in ({"X": "no token"}, {**service.authorization, "Origin": "https://evil.example"}):
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            live(service, **headers)


def test_a_phone_that_is_not_there_closes_the_live_picture_with_the_code(start: Start) -> None:
    service = start()
    url = service.url.replace("http", "ws") + "/v1/devices/nope/live"
    with (
        connect(url, additional_headers=service.authorization, proxy=None) as viewer,
        pytest.raises(ConnectionClosed) as closed,
    ):
        viewer.recv(10)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1013, "device.not_found")


def test_the_doctor_looks_at_one_phone(shared: Service) -> None:
    findings = shared.raw.get("/v1/devices/scripted-1/doctor").json()["findings"]
    assert [(one["check"], one["ok"], one["serial"]) for one in findings] == [
        ("screenshot", True, "scripted-1")
    ]

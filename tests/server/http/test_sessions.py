from __future__ import annotations

import base64
from typing import Any

import pytest

from server.model.scripted_model import Fail, Say
from tests.server.http.conftest import AWAKE, CLICK, COMPLETE, Service, Start, a_png, step_reply

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


def observation(data: bytes | None = None, **more: Any) -> dict[str, Any]:
    encoded = base64.b64encode(a_png() if data is None else data).decode()
    url = f"data:image/png;base64,{encoded}"
    return {"screenshot": {"type": "image_url", "image_url": {"url": url}}, **more}


def open_session(service: Service, task: str = "打开设置") -> str:
    response = service.raw.post("/get_session", json={"task": task, "task_type": "step0920"})
    assert response.status_code == 200
    return str(response.json()["session_id"])


# --- what Step-GUI clients send ---------------------------------------------------------------


def test_the_two_calls_of_step_gui_work_as_they_are_sent(start: Start) -> None:
    service = start([CLICK])
    opened = service.raw.post(
        "/get_session",
        json={
            "task": "打开设置",
            "task_type": "parser_0922_summary",
            "model_config": {
                "model_name": "gelab",
                "args": {"temperature": 0.1},
                "image_preprocess": {"target_image_size": [728, 728]},
            },
            "extra_info": {},
            "a_field_of_theirs": 1,
        },
    ).json()
    step = service.raw.post(
        "/automate_step",
        json={"session_id": opened["session_id"], "observation": observation(query="")},
    )
    assert step.status_code == 200
    answer = step.json()
    assert answer["current_step"] == 1
    # No tree came with the screenshot: who acts asks a person, or has it judged with one.
    assert answer["policy"] == {
        "level": "confirm",
        "class": "unknown",
        "reason": "what this does cannot be read: the screen was not read",
        "needs_look": True,
    }
    action = answer["action"]
    assert (action["cot"], action["explain"], action["summary"]) == ("I think", "because", "so far")
    assert (action["action"], action["point"]) == ("CLICK", [500, 320])
    assert service.model.requests[0].body["model"] == "gelab"


def test_a_reply_without_a_point_is_asked_again_and_never_acts(start: Start) -> None:
    service = start([Say("I would click somewhere")] * 3)
    response = service.raw.post(
        "/automate_step",
        json={"session_id": open_session(service), "observation": observation()},
    )
    status, code = service.error_of(response)
    assert (status, code.split(".")[0]) == (502, "parser")
    assert code != "parser.rejected"
    assert len(service.model.requests) == 3


# --- our own routes ---------------------------------------------------------------------------


def test_a_picture_as_a_file_gives_the_same_step_as_a_data_url(start: Start) -> None:
    service = start([CLICK, CLICK])
    sessions = [open_session(service), open_session(service)]
    as_json = service.raw.post(
        f"/v1/sessions/{sessions[0]}/steps",
        json={"observation": observation(query="go", foreground="com.x", last_result="ok")},
    )
    as_form = service.raw.post(
        f"/v1/sessions/{sessions[1]}/steps",
        files={"screenshot": ("s.png", a_png(), "image/png")},
        data={"query": "go", "foreground": "com.x", "last_result": "ok"},
    )
    assert as_json.json() == as_form.json()
    asked = [request.body["messages"] for request in service.model.requests]
    assert asked[0] == asked[1]


def test_what_was_done_can_be_read_back_whole(start: Start) -> None:
    service = start([AWAKE, COMPLETE])
    session_id = open_session(service)
    pictures = [a_png(color="white"), a_png(color="gray")]
    for data in pictures:
        response = service.raw.post(
            f"/v1/sessions/{session_id}/steps", files={"screenshot": ("s", data)}
        )
        assert response.status_code == 200
    steps = service.raw.get(f"/v1/sessions/{session_id}/steps").json()["steps"]
    assert [step["action"]["action"] for step in steps] == ["AWAKE", "COMPLETE"]
    second = service.raw.get(f"/v1/sessions/{session_id}/steps?start=2&limit=1").json()["steps"]
    assert second == steps[1:]
    for number, data in enumerate(pictures, start=1):
        image = service.raw.get(f"/v1/sessions/{session_id}/steps/{number}/image")
        assert (image.content, image.headers["content-type"]) == (data, "image/png")
    listed = service.raw.get("/v1/sessions").json()["sessions"]
    assert [(item["session_id"], item["steps"]) for item in listed] == [(session_id, 2)]
    one = service.raw.get(f"/v1/sessions/{session_id}").json()
    assert (one["task"], one["steps"], one["stop_reason"]) == ("打开设置", 2, None)
    events = service.raw.get(f"/v1/sessions/{session_id}/events").json()["events"]
    assert [event["kind"] for event in events] == ["step_started", "reply"] * 2
    after = service.raw.get(f"/v1/sessions/{session_id}/events?after_seq=1").json()["events"]
    assert after == events[1:]


def test_a_closed_session_takes_no_more_steps(start: Start) -> None:
    service = start([CLICK])
    session_id = open_session(service)
    closed = service.raw.post(f"/v1/sessions/{session_id}/close")
    assert (closed.status_code, closed.json()["stop_reason"]) == (200, "STOPPED_BY_USER")
    response = service.raw.post(
        "/automate_step", json={"session_id": session_id, "observation": observation()}
    )
    assert service.error_of(response) == (409, "session.closed")
    assert service.model.requests == []


def test_a_retried_step_with_its_key_gets_the_first_answer_and_asks_the_model_once(
    start: Start,
) -> None:
    service = start([CLICK, AWAKE])
    body = {"session_id": open_session(service), "observation": observation()}
    answers = [
        service.raw.post("/automate_step", json=body, headers={"Idempotency-Key": "k1"}).json()
        for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert len(service.model.requests) == 1


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "request.invalid"),
        ({"task": ""}, 422, "request.invalid"),
        ({"task": "  "}, 422, "request.invalid"),
        ({"task": 7}, 422, "request.invalid"),
        ({"task": "x", "task_type": "no_such"}, 422, "parser.unknown_dialect"),
        ({"task": "x", "model_config": []}, 422, "request.invalid"),
        (
            {"task": "x", "model_config": {"model_provider": "no_such"}},
            422,
            "model.unknown_provider",
        ),
        ({"task": "x", "model_config": {"api_key": "k"}}, 422, "request.invalid"),
        (
            {"task": "x", "model_config": {"image_preprocess": {"target_image_size": [0, 1]}}},
            422,
            "request.invalid",
        ),
    ],
)
@pytest.mark.parametrize("path", ["/get_session", "/v1/sessions"])
def test_a_wrong_session_is_refused_and_nothing_is_written(
    shared: Service, path: str, body: dict[str, Any], status: int, code: str
) -> None:
    before = shared.raw.get("/v1/sessions").json()
    assert shared.error_of(shared.raw.post(path, json=body)) == (status, code)
    assert shared.raw.get("/v1/sessions").json() == before


def with_url(url: object) -> dict[str, Any]:
    return {"screenshot": {"type": "image_url", "image_url": {"url": url}}}


@pytest.mark.parametrize(
    ("seen", "status", "code"),
    [
        ({}, 422, "request.invalid"),
        ({"screenshot": None}, 422, "request.invalid"),
        ({"screenshot": {}}, 422, "image.invalid"),
        (with_url("/etc/hostname"), 422, "image.source_not_allowed"),
        (with_url("file:///etc/hostname"), 422, "image.source_not_allowed"),
        (with_url("http://127.0.0.1:1/x.png"), 422, "image.source_not_allowed"),
        (with_url("https://example.com/x.png"), 422, "image.source_not_allowed"),
        (with_url(""), 422, "image."),
        (with_url(7), 422, "image."),
        (with_url("data:image/png;base64,####"), 422, "image.invalid"),
        (with_url("data:image/png;base64,"), 422, "image.invalid"),
        (observation(b"GIF89a" + b"\0" * 40), 422, "image.invalid"),
        (observation(a_png()[:-20]), 422, "image.invalid"),
        ({"screenshot": {"type": "image_bytes", "data": "x"}}, 422, "image.invalid"),
        (observation(query=7), 422, "request.invalid"),
    ],
)
def test_a_wrong_observation_is_refused_and_the_session_goes_on(
    shared: Service, seen: dict[str, Any], status: int, code: str
) -> None:
    session_id = open_session(shared)
    asked = len(shared.model.requests)
    response = shared.raw.post(
        "/automate_step", json={"session_id": session_id, "observation": seen}
    )
    got_status, got_code = shared.error_of(response)
    assert got_status == status
    assert got_code.startswith(code)
    assert len(shared.model.requests) == asked
    good = shared.raw.post(
        "/automate_step", json={"session_id": session_id, "observation": observation()}
    )
    assert good.json()["current_step"] == 1


@pytest.mark.parametrize(
    "session_id",
    [UNKNOWN_ID, "..%2F..%2Fetc%2Fpasswd", "x" * 5000, "%00", "con", "{}"],
)
@pytest.mark.parametrize("path", ["", "/steps", "/events", "/steps/1/image"])
def test_a_foreign_session_id_finds_nothing(shared: Service, session_id: str, path: str) -> None:
    status, code = shared.error_of(shared.raw.get(f"/v1/sessions/{session_id}{path}"))
    assert status in (404, 422)
    assert code in ("session.not_found", "request.not_found", "request.invalid")


def test_a_step_that_is_not_there_is_told(start: Start) -> None:
    service = start()
    session_id = open_session(service)
    for step in ("1", "0", "-1", "99999999999999999999"):
        status, _ = service.error_of(
            service.raw.get(f"/v1/sessions/{session_id}/steps/{step}/image")
        )
        assert status in (404, 422)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"observation": NaN}', b"[" * 100_000]
)
def test_a_body_that_is_no_json_object_is_refused(shared: Service, body: bytes) -> None:
    service = shared
    for path in ("/get_session", "/automate_step", f"/v1/sessions/{open_session(service)}/steps"):
        response = service.raw.post(
            path, content=body, headers={"content-type": "application/json"}
        )
        assert service.error_of(response) == (422, "request.invalid")


@pytest.mark.parametrize(
    "form",
    [
        {"files": {"picture": ("s", b"x")}},
        {"files": {"screenshot": ("s", b"x")}, "data": {"querry": "x"}},
        {"data": {"screenshot": "text"}, "files": {"query": ("q", b"x")}},
    ],
)
def test_a_form_of_another_shape_is_refused(shared: Service, form: dict[str, Any]) -> None:
    service = shared
    path = f"/v1/sessions/{open_session(service)}/steps"
    assert service.error_of(service.raw.post(path, **form)) == (422, "request.invalid")


def test_a_broken_form_is_refused(start: Start) -> None:
    service = start()
    path = f"/v1/sessions/{open_session(service)}/steps"
    for content_type in ("multipart/form-data", "multipart/form-data; boundary=x"):
        response = service.raw.post(path, content=b"zzz", headers={"content-type": content_type})
        assert service.error_of(response) == (422, "request.invalid")


def test_a_body_that_is_too_large_is_refused_before_it_is_read_as_json(start: Start) -> None:
    service = start(max_body_bytes=10_000)
    response = service.raw.post("/get_session", json={"task": "x" * 15_000})
    assert service.error_of(response) == (413, "request.too_large")


def test_a_model_that_is_down_is_told_and_the_service_lives_on(start: Start) -> None:
    service = start([Fail(503), CLICK])
    session_id = open_session(service)
    body = {"session_id": session_id, "observation": observation()}
    status, code = service.error_of(service.raw.post("/automate_step", json=body))
    assert (status, code.split(".")[0]) in ((502, "model"), (503, "model"), (504, "model"))
    again = service.raw.post("/automate_step", json=body)
    assert again.json()["current_step"] == 1
    assert service.client.is_ready()


def test_a_reply_that_smuggles_a_second_action_does_not_act(start: Start) -> None:
    smuggled = step_reply(action="CLICK", point="1,2", action_="x")
    service = start([Say(smuggled.content + "\taction:AWAKE\tvalue:Wallet")] * 3)
    response = service.raw.post(
        "/automate_step",
        json={"session_id": open_session(service), "observation": observation()},
    )
    status, code = service.error_of(response)
    assert (status, code.split(".")[0]) == (502, "parser")

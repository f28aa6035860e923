from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from device.errors import DeviceNotFoundError, DeviceOfflineError
from device.scripted_device import Call, ScriptedDevice
from server.model.scripted_model import Fail, Hang, Say, wait_for_requests
from tests.server.http.conftest import (
    AWAKE,
    CLICK,
    COMPLETE,
    INSTALLED,
    ScriptedPhones,
    Start,
    step_reply,
)

QUICK = {"task": "打开设置", "max_still_s": 0}
INFO = step_reply(action="INFO", value="哪一个？")


def test_a_task_runs_to_its_end_on_the_only_phone(start: Start) -> None:
    service = start([AWAKE, CLICK, COMPLETE])
    created = service.raw.post("/v1/tasks", json=QUICK)
    assert created.status_code == 201
    task = created.json()
    assert (task["serial"], task["state"] in ("queued", "running")) == ("scripted-1", True)
    done = service.wait_for(task["task_id"], "done")
    assert (done["stop_reason"], done["steps"]) == ("TASK_COMPLETED_SUCCESSFULLY", 3)
    assert done["result"]["message"] == "it is off"
    assert [call.name for call in service.phone.inputs()] == ["open_app", "tap"]
    assert service.phone.inputs()[1].args == (540, 768)
    session = service.client.read_session(task["session_id"])
    assert (session["stop_reason"], session["steps"]) == ("TASK_COMPLETED_SUCCESSFULLY", 3)
    assert service.raw.get("/v1/tasks").json()["tasks"][0]["task_id"] == task["task_id"]


def test_the_log_says_what_was_done_on_the_phone_and_what_became_of_it(start: Start) -> None:
    service = start([AWAKE, step_reply(action="AWAKE", value="无此应用"), COMPLETE])
    task = service.client.start_task({**QUICK, "policy": {"scope": "off"}})
    service.wait_for(task["task_id"], "done")
    events = service.client.read_events(task["session_id"])
    deeds = [event["data"] for event in events if event["kind"].startswith("device_")]
    assert [deed.get("status", "intent") for deed in deeds] == ["intent", "ok", "intent", "failed"]
    assert deeds[3]["code"] == "device.app_not_found"
    last_prompt = str(service.model.requests[2].body["messages"])
    assert "device.app_not_found" in last_prompt


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "request.invalid"),
        ({"task": "x", "max_step": 3}, 422, "request.invalid"),
        ({"task": "x", "max_steps": 0}, 422, "request.invalid"),
        ({"task": "x", "reply_mode": "shout"}, 422, "request.invalid"),
        ({"task": "x", "serial": "no-such;id"}, 404, "device.not_found"),
        ({"task": "x", "task_type": "no_such"}, 422, "parser.unknown_dialect"),
        (
            {"task": "x", "model_config": {"model_provider": "no_such"}},
            422,
            "model.unknown_provider",
        ),
    ],
)
def test_a_task_that_cannot_start_is_refused_at_once(
    start: Start, body: dict[str, Any], status: int, code: str
) -> None:
    service = start()
    assert service.error_of(service.raw.post("/v1/tasks", json=body)) == (status, code)
    assert service.raw.get("/v1/tasks").json() == {"tasks": []}
    assert service.phone.journal == []


def test_a_task_that_is_sent_twice_with_its_key_runs_once(start: Start) -> None:
    service = start([AWAKE, COMPLETE])
    key = {"Idempotency-Key": "k1"}
    answers = [service.raw.post("/v1/tasks", json=QUICK, headers=key).json() for _ in range(2)]
    assert answers[0]["task_id"] == answers[1]["task_id"]
    service.wait_for(answers[0]["task_id"], "done")
    assert len(service.raw.get("/v1/tasks").json()["tasks"]) == 1
    other = service.raw.post("/v1/tasks", json={**QUICK, "task": "other"}, headers=key)
    assert service.error_of(other) == (422, "request.idempotency_conflict")


def test_two_phones_and_no_serial_is_a_question_not_a_guess(start: Start) -> None:
    phones = ScriptedPhones(ScriptedDevice(serial="a"), ScriptedDevice(serial="b"))
    service = start(phones=phones)
    assert service.error_of(service.raw.post("/v1/tasks", json=QUICK)) == (409, "device.ambiguous")


def test_one_task_per_phone_the_second_waits_its_turn(start: Start) -> None:
    service = start([INFO, AWAKE, COMPLETE, AWAKE, COMPLETE])
    first = service.client.start_task(QUICK)
    service.wait_for(first["task_id"], "waiting_reply")
    second = service.client.start_task(QUICK)
    assert service.client.get_task(second["task_id"])["state"] == "queued"
    service.client.reply_task(first["task_id"], "第一个")
    assert service.wait_for(second["task_id"], "done")["stop_reason"] == (
        "TASK_COMPLETED_SUCCESSFULLY"
    )
    assert service.client.get_task(first["task_id"])["state"] == "done"


def test_tasks_on_two_phones_run_at_the_same_time(start: Start) -> None:
    phones = ScriptedPhones(
        ScriptedDevice(serial="a", installed=INSTALLED),
        ScriptedDevice(serial="b", installed=INSTALLED),
    )
    service = start([INFO, INFO], phones=phones)
    tasks = [service.client.start_task({**QUICK, "serial": serial}) for serial in "ab"]
    for task in tasks:
        service.wait_for(task["task_id"], "waiting_reply")


def test_a_question_waits_for_the_answer_which_the_next_prompt_carries(start: Start) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    task = service.client.start_task(QUICK)
    waiting = service.wait_for(task["task_id"], "waiting_reply")
    assert waiting["question"] == "哪一个？"
    service.client.reply_task(task["task_id"], "左边那个红色的")
    service.wait_for(task["task_id"], "done")
    assert "左边那个红色的" in str(service.model.requests[1].body["messages"])


def test_in_auto_reply_a_model_answers_from_task_question_thought_and_screen(
    start: Start,
) -> None:
    service = start([INFO, Say("左边\n那个"), AWAKE, COMPLETE])
    task = service.client.start_task({**QUICK, "reply_mode": "auto_reply"})
    assert service.wait_for(task["task_id"], "done")["stop_reason"] == (
        "TASK_COMPLETED_SUCCESSFULLY"
    )
    asked = service.model.requests[1].body["messages"][0]["content"]
    assert [part["type"] for part in asked] == ["text", "image_url"]
    for words in ("打开设置", "哪一个？", "I think"):
        assert words in asked[0]["text"]
    assert "左边 那个" in str(service.model.requests[2].body["messages"])


def test_a_model_that_cannot_answer_for_the_user_ends_the_task(start: Start) -> None:
    service = start([INFO, Fail(500)])
    task = service.client.start_task({**QUICK, "reply_mode": "auto_reply"})
    assert service.wait_for(task["task_id"], "done")["stop_reason"] == "MODEL_FAILED"


def test_an_answer_to_no_question_is_refused(start: Start) -> None:
    service = start([Hang()])
    task = service.client.start_task(QUICK)
    for path, body in (("reply", {"text": "x"}), ("confirm", {"approve": True})):
        response = service.raw.post(f"/v1/tasks/{task['task_id']}/{path}", json=body)
        assert service.error_of(response) == (409, "task.wrong_state")
    service.client.stop_task(task["task_id"])


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("POST", "/stop", None),
        ("POST", "/reply", {"text": "x"}),
        ("POST", "/confirm", {"approve": True}),
    ],
)
def test_an_unknown_task_is_not_found(
    start: Start, method: str, path: str, body: dict[str, Any] | None
) -> None:
    service = start()
    response = service.raw.request(method, f"/v1/tasks/no-such{path}", json=body)
    assert service.error_of(response) == (404, "task.not_found")


def test_a_stop_during_a_model_call_shows_within_a_second_and_cancels_the_step(
    start: Start,
) -> None:
    service = start([Hang(30)])
    task = service.client.start_task(QUICK)
    wait_for_requests(service.model, 1)
    started = time.monotonic()
    stopped = service.client.stop_task(task["task_id"])
    assert time.monotonic() - started < 1.0
    assert (stopped["state"], stopped["stop_reason"]) == ("done", "STOPPED_BY_USER")
    assert service.phone.inputs() == []
    again = service.client.stop_task(task["task_id"])
    assert again["stop_reason"] == "STOPPED_BY_USER"
    session = service.client.read_session(task["session_id"])
    assert (session["stop_reason"], session["steps"]) == ("STOPPED_BY_USER", 0)


def test_a_queued_task_that_is_stopped_never_begins(start: Start) -> None:
    service = start([Hang(30)])
    first = service.client.start_task(QUICK)
    wait_for_requests(service.model, 1)
    second = service.client.start_task(QUICK)
    stopped = service.client.stop_task(second["task_id"])
    assert (stopped["state"], stopped["stop_reason"]) == ("done", "STOPPED_BY_USER")
    service.client.stop_task(first["task_id"])
    assert len(service.model.requests) == 1


def test_the_phone_is_not_handed_on_before_it_is_idle(start: Start) -> None:
    tapping, release = threading.Event(), threading.Event()

    def hold_first_tap(call: Call) -> None:
        if call.name == "tap" and not release.is_set():
            tapping.set()
            release.wait(10)

    phone = ScriptedDevice(["a", "b", "c"], installed=INSTALLED, on_call=hold_first_tap)
    service = start([CLICK, AWAKE, COMPLETE], phones=ScriptedPhones(phone))
    first = service.client.start_task(QUICK)
    assert tapping.wait(5)
    second = service.client.start_task(QUICK)
    assert service.client.stop_task(first["task_id"])["state"] == "done"
    assert service.client.get_task(second["task_id"])["state"] == "queued"
    release.set()
    service.wait_for(second["task_id"], "done")
    names = [call.name for call in phone.journal]
    assert names.index("tap") < names.index("restore") < names.index("open_app")


def test_a_model_that_is_down_ends_the_task_and_the_service_lives_on(start: Start) -> None:
    service = start([Fail(500), AWAKE, COMPLETE])
    task = service.client.start_task(QUICK)
    done = service.wait_for(task["task_id"], "done")
    assert (done["stop_reason"], done["result"]["error"]["code"]) == (
        "MODEL_FAILED",
        "model.unavailable",
    )
    kinds = [event["kind"] for event in service.client.read_events(task["session_id"])]
    assert "task_error" in kinds
    again = service.client.start_task(QUICK)
    assert service.wait_for(again["task_id"], "done")["result"]["error"] is None


def test_a_model_that_babbles_ends_the_task_without_a_tap(start: Start) -> None:
    service = start([Say("I am not sure.")] * 3)
    task = service.client.start_task(QUICK)
    done = service.wait_for(task["task_id"], "done")
    assert done["stop_reason"] == "PARSE_FAILED"
    assert service.phone.inputs() == []


def test_a_phone_that_goes_away_ends_the_task_and_the_service_lives_on(start: Start) -> None:
    gone = DeviceNotFoundError("no such phone; plug it in")
    phone = ScriptedDevice(
        ["a", "b"],
        installed=INSTALLED,
        errors={"screenshot": [None, gone, gone], "restore": [DeviceOfflineError("offline")]},
    )
    service = start([AWAKE, AWAKE, COMPLETE], phones=ScriptedPhones(phone))
    task = service.client.start_task(QUICK)
    done = service.wait_for(task["task_id"], "done")
    assert (done["stop_reason"], done["result"]["error"]["code"]) == (
        "DEVICE_FAILED",
        "device.not_found",
    )
    again = service.client.start_task(QUICK)
    assert service.wait_for(again["task_id"], "done")["stop_reason"] == (
        "TASK_COMPLETED_SUCCESSFULLY"
    )


def test_a_shutdown_interrupts_the_running_task_and_says_so_in_its_log(
    start: Start, tmp_path: Path
) -> None:
    service = start([Hang(30)])
    running = service.client.start_task(QUICK)
    wait_for_requests(service.model, 1)
    queued = service.client.start_task(QUICK)
    service.close()
    said = [
        '"INTERRUPTED"' in (tmp_path / "log" / f"{task['session_id']}.events.jsonl").read_text()
        for task in (running, queued)
    ]
    assert said == [True, False]  # the queued one runs after the restart


def test_devices_can_be_listed_asked_and_seen(start: Start) -> None:
    service = start()
    assert [device["serial"] for device in service.client.list_devices()] == ["scripted-1"]
    state = service.raw.get("/v1/devices/scripted-1").json()
    assert (state["state"], state["width_px"], state["set_aside"]) == ("device", 1080, None)
    shot = service.raw.get("/v1/devices/scripted-1/screenshot")
    assert shot.headers["x-screen-size"] == "1080x2400"
    assert shot.content == service.client.read_screenshot("scripted-1")
    assert shot.content.startswith(b"\x89PNG")
    missing = service.raw.get("/v1/devices/other")
    assert service.error_of(missing) == (404, "device.not_found")

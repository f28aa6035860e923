"""`/metrics` tells what happened; nothing that a caller sends becomes a label."""

from __future__ import annotations

import re

from server.model.scripted_model import Say
from tests.server.http.conftest import CLICK, Service, Start, a_png


def read(service: Service) -> dict[str, float]:
    """Every sample by its name with labels."""
    text = service.raw.get("/metrics").text
    samples = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def take_step(service: Service) -> None:
    session_id = service.client.get_session({"task": "x"})
    picture = {"type": "image_bytes", "data": a_png()}
    service.client.automate_step({"session_id": session_id, "observation": {"screenshot": picture}})


def test_a_step_is_counted_with_the_time_of_each_stage(start: Start) -> None:
    service = start([CLICK])
    take_step(service)
    seen = read(service)
    assert seen['localserver_steps_total{outcome="ok"}'] == 1
    for stage in ("session", "image", "encode", "prompt", "model", "policy", "log"):
        assert seen[f'localserver_step_stage_seconds_count{{stage="{stage}"}}'] == 1
    assert seen['localserver_model_seconds_count{provider="demo"}'] == 1
    assert seen['localserver_model_attempts_total{outcome="ok",provider="demo"}'] == 1
    assert seen["localserver_steps_running"] == 0
    assert seen["localserver_tasks_queued"] == 0


def test_rejections_and_failed_steps_are_counted_by_code(start: Start) -> None:
    service = start([Say("what?"), Say("what?")], max_reasks=1)
    try:
        take_step(service)
    except Exception as error:
        assert getattr(error, "code", "") == "parser.rejected"
    seen = read(service)
    assert seen['localserver_rejections_total{code="no_action"}'] == 2
    assert seen['localserver_steps_total{outcome="parser.no_action"}'] == 1


def test_refusals_of_the_guard_are_counted(start: Start) -> None:
    service = start()
    service.stranger.get("/v1/sessions")
    assert read(service)['localserver_http_refused_total{code="request.unauthorized"}'] == 1


def test_what_a_caller_reports_becomes_a_label_only_if_it_is_a_code_of_ours(start: Start) -> None:
    service = start()
    session_id = service.client.get_session({"task": "x"})
    for code in ("device.offline", "device.<script>", "device.made-up-1", "device.made-up-2"):
        service.client.record_event(session_id, "device_outcome", {"code": code})
    assert {
        name: value for name, value in read(service).items() if "device_errors_total" in name
    } == {
        'localserver_device_errors_total{code="device.offline"}': 1,
        'localserver_device_errors_total{code="other"}': 3,
    }


def test_memory_and_open_files_are_told(shared: Service) -> None:
    names = {re.sub(r"{.*", "", name) for name in read(shared)}
    assert {"process_resident_memory_bytes", "process_open_fds"} <= names

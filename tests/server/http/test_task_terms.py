"""The terms of one task (`policy`, `privacy`): checked, kept with its session, held to."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from device.scripted_device import ScriptedDevice
from server.agent_loop import run_task
from server.errors import BadRequestError
from server.loop.options import LoopOptions
from server.policy.config import Budget
from server.tasks.request import TaskRequest
from server.tasks.terms import PolicyBudget, TaskPolicy, read_policy
from tests.server.http.conftest import AWAKE, CLICK, CONFIGS, Start

TERMS: dict[str, Any] = {
    "policy": {
        "levels": {"delete": "deny"},
        "apps": {"deny": ["com.example.bank"], "confirm": ["com.example.shop"]},
        "scope": "apps",
        "approve": ["send"],
        "budget": {"max_steps": 2, "max_wait_s": 60.0},
    },
    "privacy": "standard",
}


def test_the_terms_stand_in_the_first_line_of_the_session_and_in_the_task(start: Start) -> None:
    service = start(lambda request: CLICK)
    task = service.client.start_task({"task": "x", "max_still_s": 0, **TERMS})
    service.wait_for(task["task_id"], "done")
    first = service.settings.log_dir / f"{task['session_id']}.jsonl"
    line = first.read_text("utf-8").splitlines()[0]
    policy = read_policy(TERMS["policy"])
    assert policy is not None
    assert '"privacy":"standard"' in line and '"deny":["com.example.bank"]' in line
    started = service.client.read_events(task["session_id"])[0]
    assert started["kind"] == "task_started"
    kept = TaskRequest.from_record(started["data"]["request"])
    assert (kept.options.policy, kept.options.privacy) == (policy, "standard")
    assert kept.options.approved == {"send"}


def test_the_budget_of_the_policy_ends_the_task(start: Start) -> None:
    service = start([AWAKE, CLICK, CLICK, CLICK])
    task = service.client.start_task({"task": "x", "max_still_s": 0, **TERMS})
    done = service.wait_for(task["task_id"], "done")
    assert (done["stop_reason"], done["steps"]) == ("MAX_STEPS_REACHED", 2)


@pytest.mark.parametrize(
    ("budget", "stop_reason"),
    [("max_steps: 1", "MAX_STEPS_REACHED"), ("max_total_tokens: 1", "COST_LIMIT_REACHED")],
)
def test_the_budget_of_the_server_ends_any_task(
    start: Start, tmp_path: Path, budget: str, stop_reason: str
) -> None:
    configs = tmp_path / "configs"
    shutil.copytree(CONFIGS, configs)
    (configs / "policy.yaml").write_text(f"scope: off\nbudget: {{{budget}}}\n", "utf-8")
    service = start([CLICK, CLICK, CLICK], configs=configs)
    task = service.client.start_task({"task": "x", "max_still_s": 0, "max_steps": 9})
    done = service.wait_for(task["task_id"], "done")
    assert (done["stop_reason"], done["steps"]) == (stop_reason, 1)


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"policy": {"level": {}}}, "policy.level"),
        ({"policy": {"levels": {"pay": "maybe"}}}, "policy.levels.pay"),
        ({"policy": {"apps": {"allowed": []}}}, "policy.apps.allowed"),
        ({"policy": {"scope": "phone"}}, "policy.scope"),
        ({"policy": {"budget": {"max_steps": 0}}}, "policy.budget.max_steps"),
        ({"privacy": "paranoid"}, "privacy"),
        ({"approve": "send"}, "approve"),
    ],
)
def test_terms_that_cannot_be_held_to_are_refused(
    start: Start, terms: dict[str, Any], field: str
) -> None:
    service = start()
    refused = service.raw.post("/v1/tasks", json={"task": "x", **terms})
    assert service.error_of(refused) == (422, "request.invalid")
    assert field in str(refused.json()["error"])
    with pytest.raises(BadRequestError) as failure:
        service.parts.server.get_session({"task": "x", **terms})
    assert failure.value.details["field"] == field
    assert service.raw.get("/v1/tasks").json() == {"tasks": []}


def test_a_class_that_does_not_exist_approves_nothing_and_is_refused_everywhere(
    start: Start,
) -> None:
    service = start([CLICK])
    body = {"task": "x", "approve": ["send", "sned"], "max_still_s": 0}
    refused = service.raw.post("/v1/tasks", json=body)
    assert service.error_of(refused) == (422, "request.invalid")
    assert "there is no class 'sned'; use one of pay, transfer, order" in refused.text
    for server in (service.parts.server, service.client):
        with pytest.raises(BadRequestError) as failure:
            run_task(server, ScriptedDevice(), "x", options=LoopOptions(approve=("sned",)))
        assert failure.value.details["field"] == "approve"
    assert service.raw.get("/v1/sessions").json()["sessions"] == []
    task = service.client.start_task({**body, "approve": ["send"], "max_steps": 1})
    done = service.wait_for(task["task_id"], "done")
    again = {**body, "session_id": done["session_id"]}
    assert service.error_of(service.raw.post("/v1/tasks", json=again)) == (422, "request.invalid")


def test_under_the_budget_of_the_server_a_task_keeps_what_is_less() -> None:
    asked = TaskRequest("x", options=LoopOptions(max_steps=9), max_total_tokens=70, max_cost=2)
    held = asked.within(Budget(max_steps=20, max_total_tokens=50))
    assert (held.options.step_limit, held.token_limit, held.cost_limit) == (9, 50, 2)


def test_the_lower_of_two_limits_holds() -> None:
    policy = TaskPolicy(budget=PolicyBudget(max_steps=9, max_total_tokens=50))
    request = TaskRequest("x", options=LoopOptions(policy=policy), max_total_tokens=70, max_cost=1)
    assert (request.options.step_limit, request.token_limit, request.cost_limit) == (9, 50, 1)

from __future__ import annotations

import asyncio
import time
from typing import Any

from server.model.scripted_model import Hang
from tests.server.http.conftest import AWAKE, CLICK, COMPLETE, Start, step_reply
from tests.server.mcp.conftest import call, connected, fail

INFO = step_reply(action="INFO", value="which one?")
TASK = {"task_description": "打开设置"}


async def test_a_task_is_done_in_one_call_with_progress_per_step(start: Start, era: str) -> None:
    service = start([AWAKE, CLICK, COMPLETE])
    progress: list[str] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        progress.append(str(message))

    async with connected(service, era) as client:
        result = await client.call_tool("execute_task", TASK, progress_callback=note)
        facts: dict[str, Any] = result.structured_content or {}
        assert (facts["status"], facts["stop_reason"]) == ("done", "TASK_COMPLETED_SUCCESSFULLY")
        assert facts["message"] == "it is off"
        whole = await call(client, "task_result", task_id=facts["task_id"])
    assert [log["agent_action"]["action"] for log in whole["intermediate_logs"]] == [
        "AWAKE",
        "CLICK",
        "COMPLETE",
    ]
    assert whole["intermediate_logs"][1]["cot"] == "I think"
    assert whole["replay"] == f"localserver show {whole['session_id']}"
    assert [line.split()[2] for line in progress] == ["AWAKE", "CLICK", "COMPLETE"]
    assert [call.name for call in service.phone.inputs()] == ["open_app", "tap"]


async def test_a_long_task_returns_at_once_and_is_waited_for(start: Start, era: str) -> None:
    service = start([Hang(1.5), AWAKE, COMPLETE])
    async with connected(service, era) as client:
        began = time.monotonic()
        started = await call(client, "execute_task", **TASK, wait_s=0)
        assert time.monotonic() - began < 1.4
        assert (started["status"], started["next"]) == ("running", "call task_wait")
        waited = await call(client, "task_wait", task_id=started["task_id"], timeout_s=0.1)
        assert waited["status"] == "running"
        stopped = await call(client, "task_stop", task_id=started["task_id"])
    assert (stopped["status"], stopped["stop_reason"]) == ("done", "STOPPED_BY_USER")
    assert service.phone.inputs() == []


async def test_a_question_reaches_the_person_behind_the_client(start: Start, era: str) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    asked: list[str] = []

    def answer(question: str) -> dict[str, Any]:
        asked.append(question)
        return {"answer": "the second one"}

    async with connected(service, era, answer) as client:
        facts = await call(client, "execute_task", **TASK)
    assert (facts["status"], asked) == ("done", ["which one?"])
    assert "the second one" in str(service.model.requests[1].body["messages"])
    assert len(service.raw.get("/v1/tasks").json()["tasks"]) == 1


async def test_a_client_that_cannot_ask_is_told_that_the_task_waits(start: Start, era: str) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    async with connected(service, era) as client:
        waiting = await call(client, "execute_task", **TASK)
        assert (waiting["status"], waiting["question"]) == ("waiting_user", "which one?")
        replied = await call(client, "task_reply", task_id=waiting["task_id"], text="this one")
        assert replied["task_id"] == waiting["task_id"]
        done = await call(client, "task_wait", task_id=waiting["task_id"])
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY"
    assert "this one" in str(service.model.requests[1].body["messages"])


async def test_a_person_who_declines_to_answer_leaves_the_task_waiting(
    start: Start, era: str
) -> None:
    service = start([INFO])
    async with connected(service, era, lambda question: None) as client:
        facts = await call(client, "execute_task", **TASK)
        assert facts["status"] == "waiting_user"
        status = await call(client, "task_status", task_id=facts["task_id"])
    assert status["state"] == "waiting_reply"


async def test_known_names_work_as_aliases_and_a_session_goes_on(start: Start, era: str) -> None:
    service = start([INFO, AWAKE, COMPLETE, CLICK, COMPLETE])
    async with connected(service, era) as client:
        devices = await call(client, "list_connected_devices")
        assert devices == {"devices": ["scripted-1"]}
        asked = await call(client, "ask_agent", device_id="scripted-1", task="打开设置")
        assert asked["status"] == "waiting_user"
        done = await call(
            client, "ask_agent", device_id="scripted-1",
            session_id=asked["session_id"], reply_from_client="this one",
        )  # fmt: skip
        assert (done["status"], done["task_id"]) == ("done", asked["task_id"])
        more = await call(
            client, "ask_agent", device_id="scripted-1",
            session_id=asked["session_id"], reply_from_client="and now tap it",
        )  # fmt: skip
    assert (more["status"], more["session_id"]) == ("done", asked["session_id"])
    assert more["task_id"] != asked["task_id"]
    assert "and now tap it" in str(service.model.requests[3].body["messages"])


async def test_errors_are_words_with_a_code(start: Start, era: str) -> None:
    service = start()
    async with connected(service, era) as client:
        unknown = await fail(client, "task_status", task_id="nonsense")
        absent = await fail(client, "execute_task", **TASK, device="no-such")
        typo = await fail(client, "execute_task", **TASK, approve=["sned"])
        long = await fail(client, "task_wait", task_id="nonsense", timeout_s=60)
    assert unknown.startswith("task.not_found: ")
    assert absent.startswith("device.not_found: ")
    assert typo.startswith("request.invalid: approve: there is no class 'sned'; use one of pay,")
    assert "timeout_s" in long


async def test_two_clients_see_the_same_task(start: Start) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    async with connected(service, "auto") as one, connected(service, "legacy") as other:
        waiting = await call(one, "execute_task", **TASK)
        watching = asyncio.create_task(call(other, "task_wait", task_id=waiting["task_id"]))
        await watching
        await call(other, "task_reply", task_id=waiting["task_id"], text="that one")
        done = await call(one, "task_wait", task_id=waiting["task_id"])
    assert done["status"] == "done"

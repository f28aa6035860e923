"""One state machine: each verb in each state has the same outcome, whichever way it comes in."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from mcp import Client
from typer.testing import CliRunner

from device.scripted_device import Frame, ScriptedDevice
from server.cli.tasks import app
from server.errors import TaskStateError
from server.model.scripted_model import Fail, Hang, RecordedRequest, Turn, wait_for_requests
from server.tasks.request import TaskInfo
from tests.server.http.conftest import (
    CLICK,
    COMPLETE,
    ScriptedPhones,
    Service,
    starter,
    step_reply,
)
from tests.server.http.test_task_control import SHOP, button
from tests.server.mcp.conftest import connected

VERBS = (
    "reply", "confirm", "pause", "resume", "take_over", "give_back", "stop", "retry",
)  # fmt: skip
REFUSED = "task.wrong_state"
TABLE: dict[str, dict[str, str]] = {
    "queued": {"pause": "queued/paused", "take_over": "queued/taken_over", "stop": "done"},
    "running": {"pause": "running/paused", "take_over": "running/taken_over", "stop": "done"},
    "waiting_reply": {
        "reply": "running", "pause": "waiting_reply/paused", "stop": "done",
        "take_over": "waiting_reply/taken_over",
    },
    "waiting_confirm": {
        "confirm": "running", "pause": "waiting_confirm/paused", "stop": "done",
        "take_over": "waiting_confirm/taken_over",
    },
    "paused": {
        "resume": "running", "pause": "paused/paused", "take_over": "taken_over/taken_over",
        "stop": "done",
    },
    "taken_over": {
        "give_back": "running", "reply": "running", "take_over": "taken_over/taken_over",
        "stop": "done",
    },
    "taken_over_by_model": {
        "give_back": "running", "reply": "running", "take_over": "taken_over",
        "stop": "done",
    },
    "completed": {"stop": "done", "retry": "another"},
    "failed": {"stop": "done", "retry": "another", "resume": "running"},
}  # fmt: skip
"""State, then verb: the state and the hold after it. What is not here is refused."""

Call = Callable[[str, str], Awaitable[str]]
"""Does a verb with a task: the state and hold after it, `another` for a new task, or a code."""


def script(request: RecordedRequest) -> Turn:
    """What the model does is in the task's words."""
    words = str(request.body["messages"])
    if "ASK" in words:
        return step_reply(action="INFO", value="which?")
    if "PAY" in words:
        return CLICK
    if "HAND" in words:
        return step_reply(action="TAKE_OVER", value="solve the captcha")
    if "FAIL" in words:
        return Fail(500)
    return COMPLETE if "DONE" in words else Hang(300)


class House:
    """A service and its four doors."""

    def __init__(self, service: Service, client: Client) -> None:
        self.service, self.client = service, client
        self._runner = CliRunner(env={"LOCALSERVER_API_TOKEN": service.token})
        self.ways: dict[str, Call] = {
            "http": self.http, "in process": self.in_process, "cli": self.cli, "mcp": self.mcp,
        }  # fmt: skip

    def bring_to(self, state: str) -> str:
        """A task in this state."""
        words = {
            "waiting_reply": "ASK", "paused": "ASK", "taken_over": "ASK", "completed": "DONE",
            "waiting_confirm": "PAY", "taken_over_by_model": "HAND", "failed": "FAIL",
        }.get(state, "HANG")  # fmt: skip
        serial = "busy" if state == "queued" else "free"
        client = self.service.client
        asked = len(self.service.model.requests)
        body = {"task": words, "serial": serial, "max_still_s": 0}
        task: str = client.start_task(body)["task_id"]
        match state:
            case "running":
                wait_for_requests(self.service.model, asked + 1)
            case "queued" | "waiting_reply" | "waiting_confirm":
                self.service.wait_for(task, state)
            case "taken_over_by_model":
                self.service.wait_for(task, "taken_over")
            case "completed" | "failed":
                self.service.wait_for(task, "done")
            case _:
                self.service.wait_for(task, "waiting_reply")
                hold = client.pause_task if state == "paused" else client.take_over_task
                hold(task)
                client.reply_task(task, "the first")
                self.service.wait_for(task, state)
        return task

    def leave(self, task: str) -> None:
        self.service.client.stop_task(task)
        self.service.wait_for(task, "done")

    async def http(self, verb: str, task: str) -> str:
        bodies = {"reply": {"text": "x"}, "confirm": {"approve": True}, "give_back": {"note": ""}}
        raw = self.service.raw
        answer = await asyncio.to_thread(
            lambda: raw.post(f"/v1/tasks/{task}/{verb}", json=bodies.get(verb))
        )
        body = answer.json()
        return str(body["error"]["code"]) if "error" in body else outcome(task, body)

    async def in_process(self, verb: str, task: str) -> str:
        tasks = self.service.parts.tasks
        calls: dict[str, Callable[[], TaskInfo]] = {
            "reply": lambda: tasks.reply(task, "x"),
            "confirm": lambda: tasks.confirm(task, True),
            "pause": lambda: tasks.pause(task),
            "resume": lambda: tasks.resume(task),
            "take_over": lambda: tasks.take_over(task),
            "give_back": lambda: tasks.give_back(task),
            "stop": lambda: tasks.stop(task),
            "retry": lambda: tasks.retry(task),
        }
        try:
            return outcome(task, (await asyncio.to_thread(calls[verb])).to_wire())
        except TaskStateError as error:
            return error.code

    async def cli(self, verb: str, task: str) -> str:
        words = {"reply": ["x"], "confirm": ["yes"]}.get(verb, [])
        line = [verb.replace("_", "-"), task, *words, "--server", self.service.url]
        result = await asyncio.to_thread(self._runner.invoke, app, [*line, "--json"])
        if result.exit_code == 0:
            return outcome(task, json.loads(result.stdout))
        assert result.exit_code == 2, result.output
        return result.output.partition(":")[0]

    async def mcp(self, verb: str, task: str) -> str:
        waiting = await asyncio.to_thread(self.service.client.get_task, task)
        more: dict[str, dict[str, Any]] = {
            "reply": {"text": "x"},
            "confirm": {"approve": True, "confirm_id": (waiting["confirm"] or {}).get("id", "")},
        }
        result = await self.client.call_tool(
            f"task_{verb}", {"task_id": task, **more.get(verb, {})}
        )
        facts = result.structured_content or {}
        return str(facts["error"]["code"]) if result.is_error else outcome(task, facts)


def outcome(task: str, facts: dict[str, Any]) -> str:
    if facts["task_id"] != task:
        return "another"
    return facts["state"] + (f"/{facts['hold']}" if facts.get("hold") else "")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all states, with a phone for the task in question, and one that is busy."""
    pay = Frame("pay", tree=button("提交订单"), app=SHOP)
    phones = ScriptedPhones(*(ScriptedDevice([pay], serial=name) for name in ("free", "busy")))
    with contextlib.ExitStack() as stack:
        running = starter(stack, tmp_path_factory.mktemp("states"))(script, phones=phones)
        running.client.start_task({"task": "HANG", "serial": "busy"})
        wait_for_requests(running.model, 1)
        yield running


@pytest.mark.parametrize("state", TABLE)
async def test_each_verb_has_the_same_outcome_each_way(service: Service, state: str) -> None:
    wanted = {verb: TABLE[state].get(verb, REFUSED) for verb in VERBS}
    async with connected(service, "auto") as client:
        house = House(service, client)
        task = await asyncio.to_thread(house.bring_to, state)
        before = await asyncio.to_thread(house.service.client.get_task, task)
        found: dict[str, dict[str, str]] = {}
        for way, call in house.ways.items():
            found[way] = {
                verb: await call(verb, task) for verb in VERBS if verb not in TABLE[state]
            }
        after = await asyncio.to_thread(house.service.client.get_task, task)
        assert after == before  # what was refused has changed nothing
        for verb, left_for in TABLE[state].items():
            for way, call in house.ways.items():
                result = await call(verb, task)
                goes_on = left_for == "running" and result in GOING_ON
                found[way][verb] = left_for if goes_on else result
                if goes_on:
                    await asyncio.to_thread(settle, house.service, task)
                if verb not in KEEPS:
                    await asyncio.to_thread(house.leave, task)
                    task = await asyncio.to_thread(house.bring_to, state)
        await asyncio.to_thread(house.leave, task)
    assert found == dict.fromkeys(house.ways, wanted)


KEEPS = ("retry",)
"""Verbs that leave the task itself as it was."""
GOING_ON = ("queued", "running", "waiting_reply", "waiting_confirm", "taken_over", "paused")
"""What a task that goes on may be seen at: on its way, or where it waits next."""


def settle(service: Service, task: str) -> None:
    """It left where it was: it has run since."""
    until = time.monotonic() + 20
    while True:
        events = service.client.read_events(task.partition(".")[0])
        states = [event["data"]["state"] for event in events if event["kind"] == "task_state"]
        if "running" in states[-3:]:
            return
        assert time.monotonic() < until, states
        time.sleep(0.02)

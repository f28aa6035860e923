"""Each demo task ends as the user wanted it: judged by the phone itself, not by the model."""

from __future__ import annotations

import pytest

from device.virtual_phone.process import VirtualPhoneProcess
from server.http.client import RemoteLocalServer
from tests.e2e.house import wait_done
from tests.server.demo.demo_tasks import DemoTask, load_demo_tasks

TASKS = load_demo_tasks()


def test_there_are_ten_tasks_in_each_spirit() -> None:
    assert len(TASKS) >= 10
    assert {task.locale for task in TASKS} == {"zh", "en"}


@pytest.mark.parametrize("demo", TASKS, ids=[task.task for task in TASKS])
def test_a_demo_task_leaves_the_phone_as_it_was_asked(
    demo: DemoTask, phones: dict[str, VirtualPhoneProcess], client: RemoteLocalServer
) -> None:
    phone = phones[demo.locale]
    phone.control.reset()
    task = client.start_task({"task": demo.task, "serial": phone.serial, "reset_environment": True})
    done = wait_done(client, task["task_id"], demo.answers)
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done["result"]
    assert demo.differences(phone.control.truth()) == {}
    assert demo.says in done["result"]["message"]
    assert done["steps"] <= demo.steps
    assert len(client.read_steps(done["session_id"], limit=100)) == done["steps"]

"""The demo tasks end as asked on every kind of phone: makers, Android versions, screens.

Ten tasks on two kinds in the suite; `LOCALSERVER_PHONE_KINDS=all` (make test-matrix) takes every
kind of the virtual phone, a list of names those.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from device.adb_server import PrivateAdbServer
from device.discovery import connect, disconnect
from device.transport import AdbServer
from device.virtual_phone.personalities import PERSONALITIES
from device.virtual_phone.process import VirtualPhoneProcess
from server.http.client import RemoteLocalServer
from tests.e2e.house import wait_done
from tests.server.demo.demo_tasks import DemoTask, load_demo_tasks

IN_THE_SUITE = ["android8", "pixel16"]
CHOSEN = os.environ.get("LOCALSERVER_PHONE_KINDS", "")
KINDS = list(PERSONALITIES) if CHOSEN == "all" else CHOSEN.split(",") if CHOSEN else IN_THE_SUITE
TASKS = load_demo_tasks()[:10]
STEPS_MORE = 6
"""Smaller screens have to be scrolled more often than the phone that the tasks were counted on."""


def test_there_are_ten_tasks_and_eight_kinds() -> None:
    assert len(TASKS) == 10
    assert len(PERSONALITIES) >= 8


@pytest.fixture(scope="module", params=KINDS)
def kind(
    request: pytest.FixtureRequest, adb_server: PrivateAdbServer
) -> Iterator[dict[str, VirtualPhoneProcess]]:
    """A Chinese and an English phone of one kind, its maker's switch for adb on."""
    name: str = request.param
    server = AdbServer(adb_server.address, autostart=False)
    with (
        VirtualPhoneProcess(personality=name, locale="zh", vendor_switch=True) as zh,
        VirtualPhoneProcess(personality=name, locale="en", vendor_switch=True) as en,
    ):
        for phone in (zh, en):
            connect(phone.serial, server=server)
        yield {"zh": zh, "en": en, "name": name}  # type: ignore[dict-item]
        for phone in (zh, en):
            disconnect(phone.serial, server=server)


@pytest.mark.parametrize("demo", TASKS, ids=[task.task for task in TASKS])
def test_a_demo_task_ends_as_asked_on_every_kind_of_phone(
    demo: DemoTask, kind: dict[str, VirtualPhoneProcess], client: RemoteLocalServer
) -> None:
    phone = kind[demo.locale]
    phone.control.reset()
    body = {"task": demo.task, "serial": phone.serial, "reset_environment": True}
    task = client.start_task({**body, "confirm_timeout_s": 5})
    done = wait_done(client, task["task_id"], demo.answers)
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done["result"]
    assert demo.differences(phone.control.truth()) == {}
    model = PERSONALITIES[str(kind["name"])].profile.model
    assert (model if demo.says == "Pixel 8" else demo.says) in done["result"]["message"]
    assert done["steps"] <= demo.steps + STEPS_MORE

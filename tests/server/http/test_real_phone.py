"""The service with phones of the real adb server: a virtual phone behind it, a scripted model."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pytest
from PIL import Image

from device.adb_server import PrivateAdbServer
from device.discovery import connect, disconnect
from device.errors import DeviceNotFoundError
from device.virtual_phone.process import VirtualPhoneProcess
from server.phones import AdbPhones
from server.settings import load_settings
from tests.server.http.conftest import AWAKE, COMPLETE, CONFIGS, Start, step_reply


@pytest.fixture(scope="module")
def adb() -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.env.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def virtual_phone(adb: PrivateAdbServer) -> Iterator[VirtualPhoneProcess]:
    with VirtualPhoneProcess(locale="zh") as phone:
        connect(phone.serial)
        yield phone
        with contextlib.suppress(DeviceNotFoundError):  # a phone that died is gone already
            disconnect(phone.serial)


def test_a_task_drives_a_phone_of_the_adb_server(
    start: Start, virtual_phone: VirtualPhoneProcess
) -> None:
    missing = step_reply(action="AWAKE", value="不存在的应用")
    service = start([missing, AWAKE, step_reply(action="BACK"), COMPLETE], adb_phones=True)
    devices = service.client.list_devices()
    assert [(one["serial"], one["state"]) for one in devices] == [(virtual_phone.serial, "device")]
    task = service.client.start_task(
        {"task": "打开设置", "reset_environment": True, "policy": {"scope": "off"}}
    )
    done = service.wait_for(task["task_id"], "done")
    logs = done["result"]["intermediate_logs"]
    assert [log["outcome"].get("code", log["outcome"]["status"]) for log in logs] == [
        "device.app_not_found",
        "ok",
        "ok",
        "no_effect",
    ]
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY"
    picture = service.client.read_image(task["session_id"], 3)
    assert Image.open(io.BytesIO(picture)).size == (1080, 2400)
    live = service.client.read_screenshot(virtual_phone.serial)
    assert Image.open(io.BytesIO(live)).size == (1080, 2400)
    state = service.raw.get(f"/v1/devices/{virtual_phone.serial}").json()
    assert (state["awake"], state["width_px"], state["height_px"]) == (True, 1080, 2400)


def test_a_phone_is_opened_once_and_named_in_either_way(
    virtual_phone: VirtualPhoneProcess,
) -> None:
    phones = AdbPhones(load_settings(CONFIGS))
    assert phones.open(None) is phones.open(virtual_phone.serial)


def test_a_phone_that_dies_in_the_middle_ends_its_task_and_the_service_lives_on(
    start: Start, virtual_phone: VirtualPhoneProcess
) -> None:
    question = step_reply(action="INFO", value="继续吗？")
    service = start([question, AWAKE], adb_phones=True)
    task = service.client.start_task({"task": "打开设置"})
    service.wait_for(task["task_id"], "waiting_reply")
    virtual_phone.stop()
    service.client.reply_task(task["task_id"], "继续")
    done = service.wait_for(task["task_id"], "done")
    assert done["stop_reason"] == "DEVICE_FAILED"
    assert done["result"]["error"]["code"].startswith("device.")
    assert len(service.model.requests) == 1
    status, code = service.error_of(service.raw.post("/v1/tasks", json={"task": "打开设置"}))
    assert (status in (404, 503), code.split(".")[0]) == (True, "device")
    assert service.client.is_ready()

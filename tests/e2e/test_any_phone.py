"""The whole house on any phone: on the virtual one, or on yours by `make test-device SERIAL=…`.

Nothing is changed on the phone: Settings is opened and left. What it cannot do is skipped by name.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.apps import AliasTable
from device.discovery import open_device
from device.errors import DeviceLockedError, InputBlockedError
from device.quoting import command
from device.transport import AdbServer
from server.http.client import RemoteLocalServer
from tests.e2e.house import Child, running, wait_done

SERIAL = os.environ.get("LOCALSERVER_TEST_SERIAL", "")
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
HOME = {"action": "HOME"}


@dataclass(frozen=True, slots=True)
class Place:
    """A phone, whatever adb server lists it, and the environment that leads there."""

    device: AdbDevice
    environment: Mapping[str, str]
    is_chinese: bool

    def say(self, chinese: str, english: str) -> str:
        return chinese if self.is_chinese else english


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    environment: dict[str, str] = dict(os.environ)
    serial, server = SERIAL, AdbServer()
    if not SERIAL:
        private: PrivateAdbServer = request.getfixturevalue("adb_server")
        serial = request.getfixturevalue("phones")["en"].serial
        server = AdbServer(private.address, autostart=False)
        environment = dict(private.env)
    device = open_device(
        serial,
        server=server,
        aliases=AliasTable.load(CONFIGS / "apps.yaml"),
        state_dir=tmp_path_factory.mktemp("borrowed"),
    )
    try:
        device.wake()
        device.press_key("HOME")
    except DeviceLockedError:
        pytest.skip("this phone is locked, and no PIN is ever guessed: unlock it")
    except InputBlockedError as error:
        pytest.skip(f"this phone lets adb touch nothing: {error.message}")
    locale = device.transport.read(command("getprop", "persist.sys.locale")).text
    return Place(device, environment, locale.startswith("zh"))


@pytest.fixture(scope="module")
def house(
    place: Place, demo_model: Child, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RemoteLocalServer]:
    folder = tmp_path_factory.mktemp("any-phone")
    environment = {**place.environment, "LOCALSERVER_DEMO_API_BASE": f"{demo_model.url}/v1"}
    arguments = ["serve", "--log-dir", str(folder / "logs")]
    with (
        running(arguments, environment, folder / "service.log", "/readyz") as child,
        RemoteLocalServer(child.url) as client,
    ):
        yield client


def run(house: RemoteLocalServer, place: Place, chinese: str, english: str) -> dict[str, Any]:
    serial = place.device.serial
    body = {"task": place.say(chinese, english), "serial": serial, "reset_environment": True}
    return wait_done(house, house.start_task({**body, "max_steps": 12})["task_id"])


def front(place: Place) -> str:
    app = place.device.foreground()
    return app.package if app else ""


def test_it_is_listed_seen_and_driven_by_one_client_at_a_time(
    house: RemoteLocalServer, place: Place
) -> None:
    serial = place.device.serial
    [listed] = [row for row in house.list_devices() if row["serial"] == serial]
    assert (listed["state"], listed["lease"], listed["set_aside"]) == ("device", None, None)
    assert house.read_screenshot(serial).startswith(b"\x89PNG")
    http = house._client
    lease = http.post(f"/v1/devices/{serial}/lease", json={"holder": "a test"}).json()
    path = f"/v1/devices/{serial}/actions"
    assert http.post(path, json={"action": HOME}).json()["error"]["code"] == "device.leased"
    done = http.post(path, json={"action": HOME, "lease_id": lease["lease_id"]})
    assert done.json()["status"] == "ok"
    released = {"lease_id": lease["lease_id"]}
    assert http.post(f"/v1/devices/{serial}/lease/release", json=released).status_code == 200


def test_a_task_opens_an_app_and_is_done_when_it_is_in_front(
    house: RemoteLocalServer, place: Place
) -> None:
    settings = place.device.resolve_app("Settings")
    done = run(house, place, "打开设置", "Open Settings")
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done["result"]
    assert front(place) == settings


def test_a_task_scrolls_and_goes_back_to_the_home_screen(
    house: RemoteLocalServer, place: Place
) -> None:
    done = run(house, place, "打开设置，向下滑动，回到桌面", "Open Settings, scroll down, go home")
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done["result"]
    assert front(place) != place.device.resolve_app("Settings")


def test_a_stop_is_felt_and_what_was_borrowed_is_given_back(
    house: RemoteLocalServer, place: Place
) -> None:
    scale = command("settings", "get", "global", "window_animation_scale")
    before = place.device.transport.read(scale).text
    task = house.start_task(
        {"task": place.say("打开设置", "Open Settings"), "serial": place.device.serial}
    )
    time.sleep(0.5)
    house.stop_task(task["task_id"])
    done = wait_done(house, task["task_id"])
    assert done["stop_reason"] in {"STOPPED_BY_USER", "TASK_COMPLETED_SUCCESSFULLY"}
    until = time.monotonic() + 10
    while place.device.transport.read(scale).text != before:
        assert time.monotonic() < until
        time.sleep(0.2)

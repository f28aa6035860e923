"""Tasks on a phone of which every tenth command fails: they end right, and none lies about it.

Three runs in the suite; `LOCALSERVER_FAULT_RUNS=200` (make test-faults) makes the long edition, and
`LOCALSERVER_FAULT_FIRST=60` begins with that number. Each run's task comes from its number alone.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.apps import AliasTable
from device.discovery import connect, open_device
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from server.agent_loop import run_task
from server.local_server import LocalServer
from server.loop.options import LoopOptions
from server.settings import load_settings
from tests.e2e.house import Child
from tests.server.demo.demo_tasks import read_path

RUNS = int(os.environ.get("LOCALSERVER_FAULT_RUNS", "3"))
FIRST = int(os.environ.get("LOCALSERVER_FAULT_FIRST", "0"))
RIGHT_SHARE = 0.95
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
# Each strikes where it can: together they meet about every tenth command.
FAULTS = {
    "offline_mid_command": 0.02,
    "service_refused": 0.03,
    "truncated_screenshot": 0.1,
    "screenshot_crlf": 0.1,
    "display_warning": 0.1,
    "screenshot_refused": 0.05,
    "input_ignored": 0.1,
    "dump_killed": 0.1,
    "dump_null_root": 0.1,
    "late_ui": 0.1,
    "app_slow": 0.1,
}
NAMES = ("赵六", "钱七", "孙八", "Ann", "Ben", "Eva", "周九", "Li Lei")
THINGS = ("买牛奶", "交电费", "call mum", "book 2 seats", "取快递", "water the plants")


@dataclass(frozen=True, slots=True)
class Run:
    """A task made of a number, and what must be true after it."""

    task: str
    truth: dict[str, Any]


def make_run(seed: int) -> Run:
    dice = random.Random(seed)
    name = dice.choice(NAMES)
    number = f"13{dice.randrange(10**9):09d}"
    thing = f"{dice.choice(THINGS)} {dice.randrange(2, 99)}"
    on = dice.choice(("bluetooth", "wifi"))
    label = {"bluetooth": "蓝牙", "wifi": "WLAN"}[on]
    return dice.choice(
        (
            Run(f"打开设置，进入{label}，关闭{label}", {f"settings.global.{on}_on": "0"}),
            Run(f"打开便签，新建便签，输入“{thing}”，保存", {"apps.notes.notes.0.title": thing}),
            Run(
                f"打开联系人，新建联系人，在姓名中输入“{name}”，在电话中输入“{number}”，保存",
                {"apps.contacts.contacts.3.name": name, "apps.contacts.contacts.3.phone": number},
            ),
            Run(
                "打开时钟，添加闹钟，保存",
                {"apps.clock.alarms.1.time": "08:00", "apps.clock.alarms.1.on": True},
            ),
        )
    )


@pytest.fixture(scope="module")
def faulty(
    adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[VirtualPhoneProcess, AdbDevice]]:
    server = AdbServer(adb_server.address, autostart=False)
    with VirtualPhoneProcess(locale="zh", seed=7) as phone:
        connect(phone.serial, server=server)
        yield (
            phone,
            open_device(
                phone.serial,
                server=server,
                aliases=AliasTable.load(CONFIGS / "apps.yaml"),
                state_dir=tmp_path_factory.mktemp("borrowed"),
            ),
        )


def test_tasks_end_right_although_every_tenth_command_fails(
    faulty: tuple[VirtualPhoneProcess, AdbDevice],
    demo_model: Child,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCALSERVER_DEMO_API_BASE", f"{demo_model.url}/v1")
    settings = load_settings(CONFIGS, log_dir=tmp_path / "traces", image_dir=tmp_path / "images")
    phone, device = faulty
    right, lies, others = 0, dict[int, str](), dict[int, str]()
    with LocalServer(settings) as server:
        for seed in range(FIRST, FIRST + RUNS):
            run = make_run(seed)
            phone.control.reset()
            for fault, probability in FAULTS.items():
                phone.control.fault(fault, times=None, probability=probability, delay_s=0.5)
            options = LoopOptions(reset_environment=True, confirm_timeout_s=5, max_steps=25)
            result = run_task(server, device, run.task, options=options)
            phone.control.clear_faults()
            truth = phone.control.truth()
            is_true = all(read_path(truth, path) == value for path, value in run.truth.items())
            print(seed, result.session_id, is_true, result.stop_reason, run.task, result.message)
            if result.completed and is_true:
                right += 1
            elif result.completed:
                lies[seed] = run.task
            else:
                others[seed] = f"{run.task}: {result.stop_reason} {result.message}"
    assert lies == {}
    allowed = max(1, int((1 - RIGHT_SHARE) * RUNS))  # a few runs say nothing about a share
    assert RUNS - right <= allowed, others

"""P7: no input reaches the phone more than a second after a stop, from any state."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.adb_server import PrivateAdbServer
from device.discovery import connect, open_device
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from server.local_server import LocalServer
from server.loop_options import LoopOptions
from server.policy import AllowAll
from server.settings import load_settings
from server.task_request import TaskRequest
from server.tasks import TaskRunner
from tests.proofs.unique_taps import UniqueTaps

MOMENTS = int(os.environ.get("LOCALSERVER_STOP_MOMENTS", "20"))
LATEST_S = 1.0
WATCH_S = 0.3
CONFIGS = Path(__file__).resolve().parents[2] / "configs"


@pytest.fixture(scope="module")
def phone() -> Iterator[tuple[VirtualPhoneProcess, AdbServer]]:
    with PrivateAdbServer() as adb, VirtualPhoneProcess(locale="en") as virtual:
        server = AdbServer(adb.address, autostart=False)
        connect(virtual.serial, server=server)
        yield virtual, server


def clock_offset_s(virtual: VirtualPhoneProcess) -> float:
    """Our monotonic clock less the journal's: an event that we cause is in both."""
    before = time.monotonic()
    virtual.control.set_state(clipboard="now")
    entry = virtual.control.journal(kind="state")[-1]
    return before - float(entry["time_s"])


def test_after_a_stop_at_a_random_moment_the_phone_is_left_alone(
    phone: tuple[VirtualPhoneProcess, AdbServer], tmp_path: Path
) -> None:
    virtual, adb = phone
    device = open_device(virtual.serial, server=adb, state_dir=tmp_path / "state")
    offset_s = clock_offset_s(virtual)
    settings = load_settings(CONFIGS, log_dir=tmp_path / "log", image_dir=tmp_path / "images")
    model = UniqueTaps(tmp_path, delay_s=0.05, slow=True)
    seed = random.SystemRandom().randrange(2**32)
    choose = random.Random(seed)
    late_s: list[float] = []
    states: list[str] = []
    with LocalServer(settings, model_client=model, policy=AllowAll()) as server:
        tasks = TaskRunner(server, lambda _: device)
        for _ in range(MOMENTS):
            options = LoopOptions(max_still_s=0.05)
            task = tasks.start(TaskRequest("tap", serial=device.serial, options=options)).task_id
            time.sleep(choose.uniform(0.0, 1.5))
            states.append(tasks.get(task).state)
            stopped = time.monotonic()
            assert tasks.stop(task).stop_reason == "STOPPED_BY_USER", f"seed {seed}"
            assert time.monotonic() - stopped < LATEST_S, f"seed {seed}"
            time.sleep(WATCH_S)
            inputs = [
                float(entry["time_s"]) + offset_s
                for entry in virtual.control.journal(kind="gesture")[-5:]
            ]
            late_s.append(max([moment - stopped for moment in inputs], default=0.0))
        tasks.close()
    print(f"\nseed {seed}: last input {max(late_s):+.3f} s after the stop, states {set(states)}")
    assert max(late_s) <= LATEST_S

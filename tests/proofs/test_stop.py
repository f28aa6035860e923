"""P7: no input reaches the phone more than a second after a stop, from any state.

Each input that the model chooses is one of a kind, so the phone's journal tells which task it was
from, also when the next task has begun: no time is spent on watching a phone that rests.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections import Counter
from pathlib import Path

from device.adb_server import PrivateAdbServer
from device.discovery import connect, open_device
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from parsers.action import Action, LongPress
from server.local_server import LocalServer
from server.loop.options import LoopOptions
from server.policy.decision import Decision
from server.policy.rule_policy import AllowAll, Facts
from server.policy.terms import Terms
from server.settings import load_settings
from server.tasks.request import TaskRequest
from server.tasks.runner import TaskRunner
from tests.proofs.unique_taps import UniqueTaps, count_of, number_of_tap, number_of_text

MOMENTS = int(os.environ.get("LOCALSERVER_STOP_MOMENTS", "50"))
LATEST_S = 1.0
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
SCREEN_PX = (720, 1600)
STATES = {"running", "waiting_reply", "waiting_confirm"}


class AskBeforeLongPress(AllowAll):
    """So that some tasks are stopped while an action waits for its yes."""

    def decide(self, action: Action, facts: Facts, terms: Terms | None = None) -> Decision:
        if isinstance(action, LongPress):
            return Decision("confirm", "pay", "this may spend money")
        return super().decide(action, facts, terms)


def clock_offset_s(virtual: VirtualPhoneProcess) -> float:
    """Our monotonic clock less the journal's: an event that we cause is in both."""
    before = time.monotonic()
    virtual.control.set_state(clipboard="now")
    entry = virtual.control.journal(kind="state")[-1]
    return before - float(entry["time_s"])


def number_of(gesture: str) -> int | None:
    """Which of the model's answers an input came from; None: from none of them."""
    tap = re.search(r"(?:tap|swipe) (\d+) (\d+)", gesture)
    if tap is not None:
        return number_of_tap(int(tap[1]) / SCREEN_PX[0], int(tap[2]) / SCREEN_PX[1])
    return number_of_text(gesture)


def test_after_a_stop_at_a_random_moment_the_phone_is_left_alone(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    choose = random.Random(seed)
    settings = load_settings(CONFIGS, log_dir=tmp_path / "log", image_dir=tmp_path / "images")
    model = UniqueTaps(tmp_path, delay_s=0.05, slow=True)
    states: Counter[str] = Counter()
    stops: list[tuple[int, float]] = []
    with PrivateAdbServer() as adb, VirtualPhoneProcess(locale="en", size=SCREEN_PX) as virtual:
        adb_server = AdbServer(adb.address, autostart=False)
        connect(virtual.serial, server=adb_server)
        device = open_device(virtual.serial, server=adb_server, state_dir=tmp_path / "state")
        offset_s = clock_offset_s(virtual)
        gestures: list[dict[str, object]] = []
        with LocalServer(settings, model_client=model, policy=AskBeforeLongPress()) as server:
            tasks = TaskRunner(server, lambda _: device)
            for _ in range(MOMENTS):
                options = LoopOptions(max_still_s=0.05)
                request = TaskRequest("tap", serial=device.serial, options=options)
                task = tasks.start(request).task_id
                time.sleep(choose.uniform(0.0, 1.0))
                states[tasks.get(task).state] += 1
                stopped = time.monotonic()
                assert tasks.stop(task).stop_reason == "STOPPED_BY_USER", f"seed {seed}"
                assert time.monotonic() - stopped < LATEST_S, f"seed {seed}"
                stops.append((count_of(tmp_path, "answers"), stopped))
                last = gestures[-1]["seq"] if gestures else 0
                gestures += virtual.control.journal(after=int(str(last)), kind="gesture")
            time.sleep(LATEST_S)
            tasks.close()
        last = gestures[-1]["seq"] if gestures else 0
        gestures += virtual.control.journal(after=int(str(last)), kind="gesture")
    late_s = [
        float(str(gesture["time_s"])) + offset_s - stop_of(number, stops)
        for gesture in gestures
        if (number := number_of(str(gesture["text"]))) is not None
    ]
    print(f"\nseed {seed}: {len(late_s)} inputs, the last {max(late_s):+.3f} s after its stop")
    print(f"stopped in {dict(states)}")
    assert max(late_s) <= LATEST_S, f"seed {seed}"
    assert set(states) >= STATES, f"seed {seed}"
    assert len(late_s) >= MOMENTS / 4, f"seed {seed}"


def stop_of(number: int, stops: list[tuple[int, float]]) -> float:
    """When the task was stopped that the model gave this answer to."""
    return next(stopped for answers, stopped in stops if number <= answers)

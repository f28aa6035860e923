"""Kills the server between a device action and its record, again and again (K12, K13).

A process with everything imported forks one server after the other; each takes the task up where
the one before it died. Prints the counts as JSON; the caller judges by the phone's journal.
Usage: python -m tests.proofs.kill_phone_calls FOLDER SERIAL KILLS
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from device.adb_device import AdbDevice
from device.discovery import open_device
from server import killpoints
from server.local_server import LocalServer
from server.loop.options import LoopOptions
from server.loop.words import words_for
from server.policy.rule_policy import AllowAll
from server.settings import load_settings
from server.tasks.request import TaskRequest
from server.tasks.runner import TaskRunner
from tests.proofs.unique_taps import UniqueTaps

TASK = "tap around"
CONFIGS = Path(__file__).resolve().parents[2] / "configs"
MAX_STEPS = 60
"""A short session: each life reads what was before it."""
KILL_WITHIN_STEPS = 3


def main(folder: Path, serial: str, kills: int) -> None:
    seed = random.SystemRandom().randrange(2**32)
    choose = random.Random(seed)
    killed = dict.fromkeys(("K12", "K13"), 0)
    while sum(killed.values()) < kills:
        point = choose.choice(tuple(killed))
        child = os.fork()
        if child == 0:
            _serve(folder, serial, f"{point}:{choose.randint(1, 2)}")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            killed[point] += 1
        elif os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"a server ended by itself: {status}")
    _serve(folder, serial, None)
    print(json.dumps({"seed": seed, **killed}))


def _serve(folder: Path, serial: str, kill_at: str | None) -> None:
    """One life of the server: take the task up, or start a new one; without a point: one step."""
    mark = words_for(TASK).unknown
    settings = load_settings(
        CONFIGS,
        log_dir=folder / "log",
        image_dir=folder / "images",
        state_dir=folder / "state",
    )
    device = open_device(serial)
    with LocalServer(
        settings, model_client=UniqueTaps(folder, mark=mark), policy=AllowAll()
    ) as server:
        tasks = TaskRunner(server, lambda _: device)
        tasks.restore()
        task_id = _take_up(tasks, folder, device, max_steps=MAX_STEPS)
        until = time.monotonic() + 60
        first = tasks.get(task_id).steps
        # A kill needs a next life with a step left, which is told of it.
        if kill_at is not None and first + KILL_WITHIN_STEPS < MAX_STEPS:
            killpoints.arm(kill_at)
        while (info := tasks.get(task_id)).state != "done" and time.monotonic() < until:
            if kill_at is None and info.steps > first:
                break
            time.sleep(0.01)
        tasks.close()


def _take_up(tasks: TaskRunner, folder: Path, device: AdbDevice, *, max_steps: int) -> str:
    note = folder / "task_id"
    if note.exists():
        info = tasks.get(note.read_text("ascii"))
        if info.state == "done":
            assert info.stop_reason == "INTERRUPTED" or info.steps >= max_steps - 5, info
            if info.stop_reason == "INTERRUPTED":
                return tasks.resume(info.task_id).task_id
    options = LoopOptions(max_steps=max_steps, max_still_s=0)
    task_id = tasks.start(TaskRequest(TASK, serial=device.serial, options=options)).task_id
    note.write_text(task_id, "ascii")
    return task_id


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))

"""P5: a device action is done at most once, over kills between the deed and its record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from device.adb_server import PrivateAdbServer
from device.discovery import connect
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from tests.proofs.unique_taps import count_of

KILLS = int(os.environ.get("LOCALSERVER_PHONE_KILLS", "100"))
SCREEN_PX = (720, 1600)
BATCH = 50
"""Kills per harness process: the phone's journal forgets, so it is read in between."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the harness forks servers")
def test_no_tap_is_done_twice_over_kills_and_the_model_hears_of_each(tmp_path: Path) -> None:
    taps: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    began = time.monotonic()
    with PrivateAdbServer() as adb, VirtualPhoneProcess(locale="en", size=SCREEN_PX) as phone:
        connect(phone.serial, server=AdbServer(adb.address, autostart=False))
        seen = 0
        while killed.total() < KILLS:
            count = min(BATCH, KILLS - killed.total())
            killed.update(kill_servers(tmp_path, phone.serial, count, adb.env))
            gestures = phone.control.journal(after=seen, kind="gesture")
            seen = gestures[-1]["seq"]
            taps.update(entry["text"] for entry in gestures)
    answers = count_of(tmp_path, "answers")
    took_s = time.monotonic() - began
    print(f"\n{dict(killed)}: {taps.total()} taps of {answers} decided, in {took_s:.0f} s")
    assert [tap for tap, times in taps.items() if times > 1] == []
    # A kill before the deed costs that deed, and none is made up for by guessing.
    assert taps.total() == answers - killed["K12"]
    # Each of the next lives was told first that the outcome is not known.
    assert count_of(tmp_path, "marked") == KILLS


def kill_servers(folder: Path, serial: str, kills: int, env: dict[str, str]) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.proofs.kill_phone_calls", str(folder), serial]
    done = subprocess.run(
        [*command, str(kills)], env=env, capture_output=True, text=True, timeout=60 + 15 * kills
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counts = json.loads(done.stdout)
    return {point: counts[point] for point in ("K12", "K13")}

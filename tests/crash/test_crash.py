"""The short edition of `make crashtest`, and the proof that it would notice a broken server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.crash import STEP_POINTS, BrokenPromise
from tests.crash.power import check_every_cut, check_power_cuts

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("LOCALSERVER_CRASH_KILLS", "120"))
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="lives are forked processes")


def crashtest(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.crash", "--seed", "20261130", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
    )


@needs_fork
def test_no_kill_at_any_point_of_a_step_loses_doubles_or_ends_anything() -> None:
    done = crashtest("--kills", str(KILLS), "--power-runs", "0")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout.splitlines()[0])
    assert report["kills"] == KILLS
    assert report["acknowledged"] > KILLS
    assert {*STEP_POINTS, "K14", "any moment"} - set(report["by_point"]) == set()


@needs_fork
@pytest.mark.parametrize("bug", ["lock", "key"])
def test_the_harness_catches_a_server_without(bug: str) -> None:
    done = crashtest("--kills", "60", "--bug", bug)
    assert (done.returncode, done.stdout.partition(" ")[0]) == (1, "BROKEN"), done.stderr


def test_no_power_cut_at_any_moment_loses_an_acknowledged_step() -> None:
    assert check_power_cuts(1, steps=4) > 80


def test_the_harness_catches_a_server_that_makes_nothing_durable() -> None:
    with pytest.raises(BrokenPromise):
        check_power_cuts(1, steps=2, forgetful=True)


def test_a_last_line_cut_at_any_byte_costs_that_line_alone() -> None:
    assert check_every_cut(1) > 500

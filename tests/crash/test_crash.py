"""The short edition of `make crashtest`, and the proof that it would notice a broken server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from server.local_server import LocalServer
from server.records.object_store import ObjectStore
from server.upkeep import verify_session
from tests.crash.child import settings_for
from tests.crash.crash import STEP_POINTS, BrokenPromise
from tests.crash.folder_objects import FolderObjects
from tests.crash.power import check_every_cut, check_power_cuts
from tests.server.records.house import CountingModel, take_step

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("LOCALSERVER_CRASH_KILLS", "300"))
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


COMPACT = """
import sys
from pathlib import Path
from server.records.object_store import ObjectStore
from tests.crash.folder_objects import FolderObjects
ObjectStore(FolderObjects(Path(sys.argv[1]))).seal(sys.argv[2])
"""


@pytest.mark.parametrize("point", ["K15:1", "K15:2", "K3:2", "K2:1"])
def test_a_kill_while_records_are_compacted_costs_nothing(tmp_path: Path, point: str) -> None:
    folder = tmp_path / "objects"
    store = ObjectStore(FolderObjects(folder))
    settings = settings_for(tmp_path)
    with LocalServer(settings, model_client=CountingModel(), store=store) as server:
        session_id = server.get_session({"task": "t"})
        for number in (1, 2, 3):
            take_step(server, session_id, number)
    before = [b"".join(store.log(session_id).read()), b"".join(store.events(session_id).read())]
    done = subprocess.run(
        [sys.executable, "-c", COMPACT, str(folder), session_id],
        cwd=ROOT,
        env={**os.environ, "KILLPOINT": point},
    )
    assert done.returncode == -signal.SIGKILL
    after = [b"".join(store.log(session_id).read()), b"".join(store.events(session_id).read())]
    assert after == before
    with LocalServer(settings, model_client=CountingModel(), store=store) as server:
        assert take_step(server, session_id, 4)["current_step"] == 4
        server.close_session(session_id, "TASK_COMPLETED_SUCCESSFULLY")
        assert verify_session(store, session_id).findings == ()

"""A crowd of clients sees one history; the checker would notice if not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash.history import run_crowd

ROOT = Path(__file__).resolve().parents[2]


def test_64_clients_see_one_history(tmp_path: Path) -> None:
    found = run_crowd(tmp_path, 20261130, clients=64, operations=12)
    assert found["steps"] > 300
    assert found["answers"] > found["steps"]
    assert found["conflicts"] > 0


@pytest.mark.parametrize("bug", ["lock", "key"])
def test_the_checker_catches_a_server_without(bug: str) -> None:
    # In a process of its own: a planted bug stays in the classes.
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.history", "--operations", "8", "--bug", bug],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout.partition(" ")[0]) == (1, "BROKEN"), done.stderr

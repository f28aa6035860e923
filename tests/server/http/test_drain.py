"""A server that is told to stop: running steps finish, or their callers hear why not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server.errors import ShuttingDownError
from server.http.client import RemoteLocalServer
from server.model.scripted_model import Hang, ScriptedModel, Turn, wait_for_requests
from tests.e2e.house import Child, running
from tests.server.http.conftest import CLICK, a_png

DRAIN_S = 2


@contextmanager
def serving(model: ScriptedModel, folder: Path) -> Iterator[Child]:
    """A `localserver serve` process that asks this model."""
    environment = {
        **os.environ,
        "LOCALSERVER_STATE_DIR": str(folder / "state"),
        "LOCALSERVER_DEMO_API_BASE": model.base_url,
        "LOCALSERVER_DRAIN_S": str(DRAIN_S),
    }
    arguments = ["serve", "--log-dir", str(folder / "logs")]
    with running(arguments, environment, folder / "service.log", "/readyz") as child:
        yield child


def step_and_stop(turn: Turn, folder: Path) -> tuple[Any, float]:
    """What a caller whose step runs gets when the server is stopped, and after how long."""
    outcome: list[Any] = []
    with ScriptedModel([turn]) as model, serving(model, folder) as child:
        token = (folder / "state" / "token").read_text().strip()
        client = RemoteLocalServer(child.url, token)
        session_id = client.get_session({"task": "x"})
        picture = {"type": "image_bytes", "data": a_png()}
        step = {"session_id": session_id, "observation": {"screenshot": picture}}

        def take_step() -> None:
            try:
                outcome.append(client.automate_step(step))
            except Exception as error:
                outcome.append(error)

        caller = threading.Thread(target=take_step)
        caller.start()
        wait_for_requests(model, 1, timeout_s=20)
        child.process.send_signal(signal.SIGTERM)
        stopped = time.monotonic()
        caller.join(30)
        child.process.wait(30)
        assert child.process.returncode in (0, -signal.SIGTERM)
        return outcome[0], time.monotonic() - stopped


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_a_step_that_is_nearly_done_is_answered(tmp_path: Path) -> None:
    outcome, _ = step_and_stop(replace(CLICK, wait_s=0.5), tmp_path)
    assert outcome["action"]["action"] == "CLICK"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_a_step_that_takes_too_long_is_told_and_the_server_is_gone_in_time(tmp_path: Path) -> None:
    outcome, took_s = step_and_stop(Hang(60), tmp_path)
    assert isinstance(outcome, ShuttingDownError), outcome
    assert DRAIN_S <= took_s < DRAIN_S + 8


def test_a_server_without_a_token_says_so_and_one_with_names_the_file(tmp_path: Path) -> None:
    environment = {**os.environ, "LOCALSERVER_STATE_DIR": str(tmp_path / "state")}
    refused = subprocess.run(
        [sys.executable, "-m", "server", "serve", "--no-token", "--host", "0.0.0.0"],
        env=environment, capture_output=True, text=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "lets others drive the phone" in refused.stderr

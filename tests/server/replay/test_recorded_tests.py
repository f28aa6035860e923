"""A recorded session becomes a pytest that passes by itself, and fails where a parser changes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from server.errors import BadRequestError
from server.export.episode import open_episode
from server.records.opening import open_files
from server.replay.fixture import load_fixture, play_fixture, record_test
from tests.server.export.conftest import PRIVATE_TREE, Record, think
from tests.server.replay.test_rereading import REPLIES, TREE, refused_session, rewrite

ROOT = Path(__file__).resolve().parents[3]


def run_pytest(test: Path) -> subprocess.CompletedProcess[str]:
    # Bare: without the plugins of this suite, which cost seconds each time and belong to it alone.
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, str(test)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_written_test_passes_with_nothing_but_its_folder(
    record: Record, tmp_path: Path
) -> None:
    recording = record(REPLIES, trees={1: TREE})
    written = record_test(recording.episode, tmp_path / "out")
    recording.server.close()
    assert written.differing == ()
    for path in recording.server.settings.log_dir.glob("*.jsonl"):
        path.unlink()
    done = run_pytest(written.test)
    assert (done.returncode, "1 passed" in done.stdout) == (0, True), done.stdout


def test_the_written_test_fails_where_an_action_is_another_one(
    record: Record, tmp_path: Path
) -> None:
    recording = record(REPLIES)
    rewrite(recording, 1, {"point": [1, 1]})
    written = record_test(recording.episode, tmp_path)
    assert written.differing == (1,)
    done = run_pytest(written.test)
    assert done.returncode == 1
    assert "[500, 320]" in done.stdout


def test_refused_replies_are_part_of_the_walk(serve: Any, tmp_path: Path) -> None:
    server, session_id = refused_session(serve)
    written = record_test(open_episode(open_files(server.settings), session_id), tmp_path)
    fixture = load_fixture(written.fixture)
    assert [len(step["replies"]) for step in fixture.steps] == [2]
    assert play_fixture(fixture) == fixture.actions


def test_numbered_elements_walk_again_with_their_trees(record: Record, tmp_path: Path) -> None:
    recording = record(
        ["click(1)", 'finish("x")'], task_type="element_dsl", trees={1: TREE, 2: TREE}
    )
    written = record_test(recording.episode, tmp_path)
    assert written.differing == ()
    assert load_fixture(written.fixture).actions[0]["element"] == {"index": 1, "base": 1}


def test_private_texts_and_pictures_stay_at_home(record: Record, tmp_path: Path) -> None:
    secret = "hunter2222"
    typed = think(f"explain:a|action:TYPE|value:{secret}|point:500,450|summary:s")
    mail = think("explain:write to ann@example.com|action:CLICK|point:500,200|summary:s")
    recording = record([typed, mail], trees={1: PRIVATE_TREE, 2: PRIVATE_TREE})
    written = record_test(recording.episode, tmp_path)
    texts = [p.read_text("utf-8") for p in written.fixture.iterdir() if p.suffix != ".png"]
    assert not any(secret in text or "ann@example.com" in text for text in texts)
    assert written.differing == ()
    assert written.redacted["kinds"]["email"] >= 1


def test_a_test_that_is_there_is_not_written_over(record: Record, tmp_path: Path) -> None:
    episode = record(REPLIES).episode
    record_test(episode, tmp_path)
    with pytest.raises(BadRequestError, match="is there already"):
        record_test(episode, tmp_path)


def test_a_session_without_steps_is_no_test(record: Record, tmp_path: Path) -> None:
    with pytest.raises(BadRequestError, match="no answered step"):
        record_test(record([]).episode, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_fixture_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps({"format": "x", "version": 9}))
    with pytest.raises(BadRequestError, match="record it again"):
        load_fixture(tmp_path)

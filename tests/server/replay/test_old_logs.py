"""Logs of every earlier release stay readable: a folder of them is in `tests/data/old_logs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.export.episode import open_episode
from server.records.store import RecordFiles
from server.replay.rereading import reread_session
from server.session_reading import SessionReader
from server.upkeep import verify_session

OLD_LOGS = Path(__file__).parents[2] / "data" / "old_logs"


@pytest.mark.parametrize("release", sorted(path.name for path in OLD_LOGS.iterdir()))
def test_a_release_s_logs_are_read_verified_and_replayed(release: str) -> None:
    store = RecordFiles(OLD_LOGS / release / "traces", OLD_LOGS / release / "images")
    sessions = [stored.session_id for stored in store.list_sessions()]
    assert len(sessions) >= 3
    for session_id in sessions:
        assert verify_session(store, session_id).sound
        episode = open_episode(store, session_id)
        steps = list(episode.iter_steps())
        read = list(reread_session(episode))
        assert {one.verdict for one in read} == {"same"}
        assert len(read) >= len(steps) == episode.step_count > 0
        assert all(step.picture for step in steps)
        record = SessionReader(store).read_session(session_id)
        assert (record.steps, record.stop_reason) == (len(steps), "TASK_COMPLETED_SUCCESSFULLY")

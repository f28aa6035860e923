"""Logs of every release stay readable: `tests/data/logs/<release>/` was written by that release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.export.episode import open_episode
from server.records.store import RecordFiles
from server.replay.rereading import reread_session
from server.session_reading import SessionReader
from server.upkeep import verify_session

FOLDER = Path(__file__).resolve().parents[2] / "data" / "logs"
COMPLETED = "TASK_COMPLETED_SUCCESSFULLY"
SESSIONS: dict[str, dict[str, tuple[str, str, str, list[str]]]] = {
    "0.1.0": {
        "992e312b-b795-4877-9b0c-32ac552814c4": (
            "关闭蓝牙", "step0920", COMPLETED, ["CLICK", "TYPE", "COMPLETE"],
        ),
        "1a93e118-1e38-43d1-9c65-ca30a7624747": (
            "关闭蓝牙", "element_dsl", COMPLETED, ["CLICK", "COMPLETE"],
        ),
        "03dd369d-8f31-4314-8868-a1eaea8ab785": (
            "关闭蓝牙", "qwen_mobile_use", "STOPPED_BY_USER", ["CLICK"],
        ),
        "e251f978-63a9-44f2-88fa-63f4ec81ff56": (
            "打开蓝牙", "step0920", COMPLETED, ["AWAKE", "CLICK", "TYPE", "INFO", "COMPLETE"],
        ),
        "8c987b16-e680-4385-97e8-d71613fe1e82": (
            "open it", "ui_tars", COMPLETED, ["CLICK", "SCROLL", "COMPLETE"],
        ),
        "3c1bf15d-b3f1-43ca-9300-63690574332b": (
            "打开", "autoglm", COMPLETED, ["CLICK", "COMPLETE"],
        ),
    },
}  # fmt: skip
"""What each release recorded: task, dialect, end, actions."""
EACH = [(release, session) for release, sessions in SESSIONS.items() for session in sessions]

each_session = pytest.mark.parametrize(("release", "session_id"), EACH)


def store_of(release: str) -> RecordFiles:
    return RecordFiles(FOLDER / release / "traces", FOLDER / release / "images")


def test_every_release_with_logs_is_read() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(SESSIONS)
    for release, sessions in SESSIONS.items():
        listed = SessionReader(store_of(release)).list_sessions(50, 0)
        assert {one.session_id for one in listed} == set(sessions)


@each_session
def test_it_reads_as_it_did(release: str, session_id: str) -> None:
    task, dialect, stop_reason, kinds = SESSIONS[release][session_id]
    store = store_of(release)
    reader = SessionReader(store)
    session = reader.read_session(session_id)
    assert (session.task, session.task_type) == (task, dialect)
    assert (session.state, session.stop_reason) == ("closed", stop_reason)
    steps = reader.read_steps(session_id, 1, 50)
    assert [step["action"]["action"] for step in steps] == kinds
    for number, step in enumerate(steps, start=1):
        assert reader.read_image(session_id, number)[1] == "image/png"
        assert _texts(step["asked_messages"]), "the prompt's texts are filled in"
    outcomes = [e for e in reader.read_events(session_id, 0) if e["kind"] == "device_outcome"]
    assert len(outcomes) == len(kinds)
    assert verify_session(store, session_id).sound


@each_session
def test_its_replies_are_read_as_they_were(release: str, session_id: str) -> None:
    episode = open_episode(store_of(release), session_id)
    read = list(reread_session(episode))
    assert len(read) >= episode.step_count == len(SESSIONS[release][session_id][3])
    assert all(step.picture for step in episode.iter_steps())
    changed = [(one.step, one.changes) for one in read if one.verdict != "same"]
    assert changed == []


def _texts(messages: Any) -> list[str]:
    contents = [message["content"] for message in messages]
    assert not any("text_ref" in str(content) for content in contents)
    parts = [part for content in contents if isinstance(content, list) for part in content]
    whole = [content for content in contents if isinstance(content, str)]
    return [*whole, *(str(part["text"]) for part in parts if part["type"] == "text")]

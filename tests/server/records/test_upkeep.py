"""Verify, repair, delete, and the limits of age and size."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from server.errors import SessionClosedError, SessionDamagedError, SessionNotFoundError
from server.local_server import LocalServer
from server.records.store import RecordFiles, RecordStore
from server.upkeep import (
    choose_outdated,
    delete_session,
    finish_deletions,
    repair_session,
    verify_session,
)
from tests.server.records.conftest import Start
from tests.server.records.house import take_step


def files_of(server: LocalServer) -> RecordFiles:
    return RecordFiles(server.settings.log_dir, server.settings.image_dir)


def open_with_steps(server: LocalServer, steps: int) -> str:
    session_id = server.get_session({"task": "a secret task"})
    for number in range(1, steps + 1):
        take_step(server, session_id, number)
    return session_id


def break_line(path: Path, line: int) -> bytes:
    """Flip a letter in a line, counted from 1; gives the whole file as it was."""
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b"session_id", b"sessiom_id", 1)
    path.write_bytes(b"".join(lines))
    return whole


def test_a_sound_session_is_sound_and_its_size_is_that_of_its_files(start: Start) -> None:
    server = start()
    session_id = open_with_steps(server, 3)
    verdict = verify_session(files_of(server), session_id)
    assert (verdict.sound, verdict.steps, verdict.findings) == (True, 3, ())
    paths = [*server.settings.log_dir.rglob("*"), *server.settings.image_dir.rglob("*")]
    assert verdict.size_bytes == sum(
        p.stat().st_size for p in paths if session_id in str(p) and p.is_file()
    )
    last = json.loads(files_of(server).log_path(session_id).read_text().splitlines()[-1])
    assert verdict.head == last["hash"]


@pytest.mark.parametrize(
    ("harm", "codes"),
    [
        ("flip a letter of line 2", ["log_broken", "step_odd"]),
        ("tear the last line", ["log_torn"]),
        ("tear the events", ["events_torn"]),
        ("remove a picture", ["image_missing"]),
        ("change a picture", ["image_changed"]),
    ],
)
def test_every_harm_has_a_name(start: Start, harm: str, codes: list[str]) -> None:
    server = start()
    session_id = open_with_steps(server, 3)
    files = files_of(server)
    picture = files.image_path(session_id, "step_0002.png")
    match harm.split()[0], harm.split()[-1]:
        case "flip", _:
            break_line(files.log_path(session_id), 2)
        case "tear", "line":
            os.truncate(files.log_path(session_id), files.log_path(session_id).stat().st_size - 7)
        case "tear", _:
            path = files.events_path(session_id)
            os.truncate(path, path.stat().st_size - 7)
        case "remove", _:
            picture.unlink()
        case _:
            picture.write_bytes(picture.read_bytes() + b"x")
    found = [finding.code for finding in verify_session(files, session_id).findings]
    # A line that is gone leaves its picture alone: only what is on record is checked.
    assert found == codes[:1]


def test_a_repair_keeps_the_damaged_file_and_the_session_goes_on(start: Start) -> None:
    server = start()
    session_id = open_with_steps(server, 4)
    path = files_of(server).log_path(session_id)
    break_line(path, 4)
    damaged = path.read_bytes()
    server = start()
    with pytest.raises(SessionDamagedError):
        take_step(server, session_id)
    server.close()
    store = RecordStore(server.settings.log_dir, server.settings.image_dir)
    repair = repair_session(store, session_id)
    store.close()
    assert (repair.steps, repair.dropped_lines) == (2, 2)
    assert (path.parent / repair.kept_as[0]).read_bytes() == damaged
    assert sorted(name[:16] for name in repair.images) == ["step_0003_failed", "step_0004_failed"]
    assert verify_session(store, session_id).sound
    server = start()
    assert take_step(server, session_id, 9)["current_step"] == 3
    assert "session_repaired" in [event["kind"] for event in server.read_events(session_id)]
    assert verify_session(store, session_id).sound


def test_a_repair_of_broken_events_keeps_the_good_ones(start: Start) -> None:
    server = start()
    session_id = open_with_steps(server, 2)
    path = files_of(server).events_path(session_id)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"no json\n" + b"".join(lines[1:]))
    server.close()
    store = RecordStore(server.settings.log_dir, server.settings.image_dir)
    repair = repair_session(store, session_id)
    store.close()
    assert (repair.steps, len(repair.kept_as)) == (2, 1)
    assert path.read_bytes().startswith(b"".join(lines))
    assert verify_session(store, session_id).sound


def test_a_sound_session_is_not_touched_by_a_repair(start: Start) -> None:
    server = start()
    session_id = open_with_steps(server, 2)
    server.close()
    store = RecordStore(server.settings.log_dir, server.settings.image_dir)
    before = [store.log_path(session_id).read_bytes(), store.events_path(session_id).read_bytes()]
    repair_session(store, session_id)
    store.close()
    after = [store.log_path(session_id).read_bytes(), store.events_path(session_id).read_bytes()]
    assert after == before


def test_a_deleted_session_leaves_nothing_but_the_note_of_its_deletion(start: Start) -> None:
    server = start()
    gone, stays = open_with_steps(server, 2), open_with_steps(server, 1)
    size_bytes = verify_session(files_of(server), gone).size_bytes
    server.delete_session(gone)
    root = server.settings.log_dir.parent
    assert [path for path in root.rglob("*") if gone in str(path)] == []
    note = (server.settings.log_dir / "deletions.jsonl").read_text()
    record = json.loads(note)
    assert (record["session_id"], record["reason"], record["steps"]) == (gone, "asked", 2)
    assert record["bytes"] == size_bytes
    assert "secret" not in note
    for ask in (server.read_session, server.delete_session, lambda one: take_step(server, one)):
        with pytest.raises(SessionNotFoundError):
            ask(gone)
    assert [summary.session_id for summary in server.list_sessions()] == [stays]


def test_a_step_that_runs_when_its_session_is_deleted_is_told_so(start: Start) -> None:
    server = start()
    session_id = server.get_session({"task": "t"})
    asked = threading.Event()

    async def wait_for_ever(*_: object) -> None:
        asked.set()
        await asyncio.sleep(60)

    server._model.ask = wait_for_ever  # type: ignore[method-assign,assignment]
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(take_step, server, session_id)
        assert asked.wait(10)
        server.delete_session(session_id)
        with pytest.raises(SessionClosedError):
            step.result(timeout=10)
    assert [p for p in server.settings.log_dir.parent.rglob("*") if session_id in str(p)] == []


def test_a_deletion_that_was_cut_short_is_finished_at_the_next_start(start: Start) -> None:
    server = start()
    session_id = open_with_steps(server, 2)
    server.close()
    settings = server.settings
    store = RecordStore(settings.log_dir, settings.image_dir)
    log = store.log_path(session_id).read_bytes()
    events = store.events_path(session_id).read_bytes()
    delete_session(store, session_id, "asked")
    store.log_path(session_id).write_bytes(log)  # as if nothing but the note had been written
    store.events_path(session_id).write_bytes(events)
    with (settings.log_dir / "deletions.jsonl").open("ab") as file:
        file.write(b'{"session_id": "torn')
    assert finish_deletions(store) == [session_id]
    assert finish_deletions(store) == []
    assert (settings.log_dir / "deletions.jsonl").read_bytes().count(b"\n") == 1
    store.close()
    assert [p for p in settings.log_dir.parent.rglob("*") if session_id in str(p)] == []


def test_old_sessions_go_and_of_too_many_the_oldest_closed_ones(start: Start) -> None:
    server = start()
    old, closed_1, open_1, closed_2 = (open_with_steps(server, 2) for _ in range(4))
    for session_id in (closed_1, closed_2):
        server.close_session(session_id, "TASK_COMPLETED_SUCCESSFULLY")
    now_s = time.time()
    files = files_of(server)
    for days, session_id in ((40, old), (3, closed_1), (2, open_1), (1, closed_2)):
        moment_s = now_s - days * 86400
        os.utime(files.log_path(session_id), (moment_s, moment_s))
    size = files.measure(open_1)

    def outdated(keep_days: float | None, keep_bytes: int | None) -> list[tuple[str, str]]:
        return list(choose_outdated(files, keep_days=keep_days, keep_bytes=keep_bytes, now_s=now_s))

    assert outdated(None, None) == []
    assert outdated(30, None) == [(old, "age")]
    assert outdated(30, int(2.6 * size)) == [(old, "age"), (closed_1, "size")]
    assert outdated(30, 1) == [(old, "age"), (closed_1, "size"), (closed_2, "size")]


def test_a_server_with_a_limit_deletes_what_is_older(start: Start) -> None:
    server = start()
    old, new = open_with_steps(server, 1), open_with_steps(server, 1)
    os.utime(files_of(server).log_path(old), (1, 1))
    server = start(keep_days=30.0)
    ends_s = time.monotonic() + 10
    while len(server.list_sessions()) > 1 and time.monotonic() < ends_s:
        time.sleep(0.02)
    assert [summary.session_id for summary in server.list_sessions()] == [new]
    assert '"age"' in (server.settings.log_dir / "deletions.jsonl").read_text()

"""What a power cut leaves: every moment of some steps, with what was not yet on the disk lost."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from server.errors import SessionNotFoundError
from server.records.disk import Disk
from server.records.faulty_disk import RecordingDisk
from server.records.reader import read_log
from server.records.store import RecordStore
from server.recovery import rebuild_session
from tests.crash.child import Pipe, run_life
from tests.crash.crash import Account, BrokenPromise, check_session

STATES_PER_MOMENT = 3


class MarkingPipe(Pipe):
    """Keeps what it is told, with the moment of the disk at which it was told."""

    def __init__(self, disk: RecordingDisk) -> None:
        self.marks: list[tuple[int, dict[str, Any]]] = []
        self._disk = disk

    def tell(self, **facts: Any) -> None:
        self.marks.append((len(self._disk.snapshots), facts))


def check_power_cuts(seed: int, *, forgetful: bool = False, steps: int = 6) -> int:
    """Take some steps on a disk that remembers; then cut the power at each moment, in three ways.

    Args:
        seed: Of what is random.
        forgetful: A planted bug: fsync does nothing.
        steps: How many steps.

    Returns:
        How many states were looked at.

    Raises:
        BrokenPromise: An acknowledged step is lost, or a session cannot go on.
    """
    chance = random.Random(seed)
    disk = RecordingDisk(forgetful=forgetful)
    pipe = MarkingPipe(disk)
    states = 0
    with tempfile.TemporaryDirectory(prefix="power-") as name:
        folder = Path(name) / "recorded"
        run_life(
            folder, pipe, seed, session_id=None, old_keys=(), first_new=1, delete=None,
            disk=disk, steps=steps,
        )  # fmt: skip
        for moment, snapshot in enumerate(disk.snapshots):
            known = [facts for mark, facts in pipe.marks if mark <= moment]
            for state in range(STATES_PER_MOMENT):
                left = Path(name) / "left"
                snapshot.cut_power(folder, left, chance if state else None)
                _check_state(left, known, [facts for _, facts in pipe.marks])
                shutil.rmtree(left, ignore_errors=True)
                states += 1
    return states


def _check_state(left: Path, known: list[dict[str, Any]], all_facts: list[dict[str, Any]]) -> None:
    session_id = next(facts["session"] for facts in all_facts if facts["event"] == "opened")
    account = Account(session_id)
    account.tried = {facts["key"] for facts in all_facts if facts["event"] == "try"}
    for facts in known:
        if facts["event"] == "ack":
            account.take(facts)
    store = RecordStore(left / "traces", left / "images")
    try:
        if any(facts["event"] == "opened" for facts in known):
            check_session(store, account)
        else:
            try:
                rebuild_session(store, session_id)
            except SessionNotFoundError:
                pass  # never acknowledged
    finally:
        store.close()


def check_every_cut(seed: int, steps: int = 2) -> int:
    """Cut the last line of a log at every byte: the session goes on without it.

    Returns:
        How many places there were.

    Raises:
        BrokenPromise: More or less than that line is lost, or the session cannot go on.
    """
    with tempfile.TemporaryDirectory(prefix="cuts-") as name:
        folder = Path(name)
        pipe = MarkingPipe(RecordingDisk())
        run_life(
            folder, pipe, seed, session_id=None, old_keys=(), first_new=1, delete=None, steps=steps,
            disk=Disk(),
        )  # fmt: skip
        session_id = pipe.marks[0][1]["session"]
        store = RecordStore(folder / "traces", folder / "images")
        try:
            path = store.log_path(session_id)
            whole = path.read_bytes()
            before = whole[: whole.rstrip(b"\n").rfind(b"\n") + 1]
            names = store.list_images(session_id)
            pictures = {name: store.read_image(session_id, name) for name in names}
            for length in range(len(before), len(whole)):
                path.write_bytes(whole[:length])
                session = rebuild_session(store, session_id)
                if session.next_number != steps or path.read_bytes() != before:
                    raise BrokenPromise(f"cut at byte {length}: goes on with {session.next_number}")
                session.log.append({"environment": {}, "action": {}})
                if read_log(path).damage is not None:
                    raise BrokenPromise(f"cut at byte {length}: the next line is damaged")
                for extra in set(store.list_images(session_id)) - set(pictures):
                    store.image_path(session_id, extra).unlink()
                for name, data in pictures.items():
                    store.image_path(session_id, name).write_bytes(data)
            return len(whole) - len(before)
        finally:
            store.close()

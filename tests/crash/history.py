"""Many clients at once, and a checker of what they saw: `python -m tests.crash.history`."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server.errors import IdempotencyConflictError, SessionNotFoundError, StepNotFoundError
from server.local_server import LocalServer
from server.records.store import RecordFiles
from server.upkeep import verify_session
from tests.crash.child import Bug, plant, settings_for, small_png
from tests.crash.crash import BrokenPromise
from tests.server.records.house import CountingModel


@dataclass(frozen=True, slots=True)
class Seen:
    """One answered step, as its client saw it; times are monotonic."""

    session_id: str
    key: str
    began_s: float
    ended_s: float
    number: int
    point: tuple[int, int]


@dataclass
class History:
    """What all clients saw."""

    steps: list[Seen] = field(default_factory=list)
    lists: dict[str, list[list[tuple[int, str]]]] = field(default_factory=lambda: defaultdict(list))
    conflicts: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Crowd:
    """Clients that step, repeat, read and misuse keys on the same few sessions."""

    def __init__(self, server: LocalServer, sessions: int, seed: int) -> None:
        self._server = server
        self._seed = seed
        self._session_ids = [server.get_session({"task": "t"}) for _ in range(sessions)]
        self.history = History()

    def run(self, clients: int, operations: int) -> None:
        with ThreadPoolExecutor(clients) as pool:
            list(pool.map(lambda client: self._be_client(client, operations), range(clients)))

    def _be_client(self, client: int, operations: int) -> None:
        chance = random.Random(self._seed * 1000 + client)
        mine: list[tuple[str, str, int]] = []
        for count in range(operations):
            session_id = chance.choice(self._session_ids)
            deed = chance.random()
            if deed < 0.5 or not mine:
                step = (session_id, f"c{client}-{count}", chance.randint(0, 10**6))
                mine.append(step)
                self._step(*step)
            elif deed < 0.7:
                self._step(*chance.choice(mine))
            elif deed < 0.75:
                old_session, key, picture = chance.choice(mine)
                try:
                    self._step(old_session, key, picture + 1)
                except IdempotencyConflictError:
                    with self.history.lock:
                        self.history.conflicts += 1
                else:
                    raise BrokenPromise(f"key {key} was taken with another picture")
            elif deed < 0.95:
                self._read(session_id)
            else:
                self._live_and_die(client, count)

    def _step(self, session_id: str, key: str, picture: int) -> None:
        screenshot = {"type": "image_bytes", "data": small_png(picture)}
        began_s = time.monotonic()
        answer = self._server.automate_step(
            {
                "session_id": session_id,
                "idempotency_key": key,
                "observation": {"screenshot": screenshot},
            }
        )
        seen = Seen(
            session_id, key, began_s, time.monotonic(), answer["current_step"],
            tuple(answer["action"]["point"]),
        )  # fmt: skip
        with self.history.lock:
            self.history.steps.append(seen)

    def _read(self, session_id: str) -> None:
        steps = self._server.read_steps(session_id, 1, 10_000)
        seen = [(step["step"], step["idempotency_key"]) for step in steps]
        if steps:
            self._server.read_image(session_id, len(steps))
        with self.history.lock:
            self.history.lists[session_id].append(seen)

    def _live_and_die(self, client: int, count: int) -> None:
        """A session of one's own: opened, used, deleted."""
        session_id = self._server.get_session({"task": "short"})
        self._step(session_id, f"c{client}-{count}-own", client)
        self._server.delete_session(session_id)
        try:
            self._server.read_image(session_id, 1)
        except (SessionNotFoundError, StepNotFoundError):
            return
        raise BrokenPromise("a deleted session was read")


def check_history(history: History, server: LocalServer, calls: int) -> dict[str, Any]:
    """All that must hold of what the clients saw.

    Raises:
        BrokenPromise: It does not.
    """
    files = RecordFiles(server.settings.log_dir, server.settings.image_dir)
    by_session: dict[str, list[Seen]] = defaultdict(list)
    for seen in history.steps:
        by_session[seen.session_id].append(seen)
    keys = {(seen.session_id, seen.key) for seen in history.steps}
    if calls != len(keys):
        raise BrokenPromise(f"{calls} model calls for {len(keys)} keys")
    for session_id, seen_steps in by_session.items():
        answers: dict[str, tuple[int, tuple[int, int]]] = {}
        for seen in seen_steps:
            if answers.setdefault(seen.key, (seen.number, seen.point)) != (seen.number, seen.point):
                raise BrokenPromise(f"key {seen.key} got two answers")
        if sorted(number for number, _ in answers.values()) != list(range(1, len(answers) + 1)):
            raise BrokenPromise(f"numbers of {session_id} are not one each: {answers}")
        _check_order(seen_steps)
        if not files.log(session_id).exists():
            continue  # deleted by its client
        stored = [
            (step["step"], step["idempotency_key"])
            for step in server.read_steps(session_id, 1, 10**6)
        ]
        if dict(stored) != {number: key for key, (number, _) in answers.items()}:
            raise BrokenPromise(f"the log of {session_id} is not what was answered")
        for read in history.lists[session_id]:
            if read != stored[: len(read)]:
                raise BrokenPromise(f"a reader of {session_id} saw something else than a beginning")
        verdict = verify_session(files, session_id)
        if not verdict.sound:
            raise BrokenPromise(f"{session_id}: {verdict.findings}")
    return {"steps": len(keys), "answers": len(history.steps), "conflicts": history.conflicts}


def _check_order(steps: list[Seen]) -> None:
    """A step that began after another's answer has the higher number; the first seen count."""
    first: dict[str, Seen] = {}
    for seen in sorted(steps, key=lambda one: one.ended_s):
        first.setdefault(seen.key, seen)
    highest_ended = 0
    ends = sorted(first.values(), key=lambda one: one.ended_s)
    begins = sorted(first.values(), key=lambda one: one.began_s)
    place = 0
    for seen in begins:
        while place < len(ends) and ends[place].ended_s < seen.began_s:
            highest_ended = max(highest_ended, ends[place].number)
            place += 1
        if seen.number < highest_ended:
            raise BrokenPromise(f"step {seen.number} began after step {highest_ended} was answered")


def run_crowd(
    folder: Path, seed: int, *, clients: int, operations: int, bug: Bug | None = None
) -> dict[str, Any]:
    """Let a crowd at a server, then check what it saw.

    Raises:
        BrokenPromise: Something did not hold.
    """
    plant(bug)
    model = CountingModel()
    with LocalServer(settings_for(folder), model_client=model) as server:
        crowd = Crowd(server, sessions=max(1, clients // 8), seed=seed)
        try:
            crowd.run(clients, operations)
        except BrokenPromise:
            raise
        except Exception as error:
            raise BrokenPromise(f"a client met {type(error).__name__}: {error}") from error
        return check_history(crowd.history, server, model.calls)


def main() -> int:
    parser = argparse.ArgumentParser(prog="history", description=__doc__)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--operations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--bug", choices=["lock", "key"], default=None)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="history-") as name:
        try:
            found = run_crowd(
                Path(name), arguments.seed, clients=arguments.clients,
                operations=arguments.operations, bug=arguments.bug,
            )  # fmt: skip
        except BrokenPromise as broken:
            print(f"BROKEN (seed {arguments.seed}): {broken}")
            return 1
    print({"seed": arguments.seed, "clients": arguments.clients, **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())

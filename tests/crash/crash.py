"""Kill a server again and again, at chosen points of a step, and check what it promised.

Each life of the server is a forked process: it repeats what it was asked before, goes on with its
session, and is killed at a point of `server.killpoints`, or at any moment. After each death the
records are read by this process, which keeps its own account of what was acknowledged.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from server import killpoints
from server.errors import SessionNotFoundError
from server.records.disk import PART_SUFFIX
from server.records.messages import read_step
from server.records.reader import is_step, read_events, read_log
from server.records.store import RecordStore
from server.recovery import rebuild_session
from server.upkeep import finish_deletions, verify_session
from tests.crash.child import Bug, Pipe, run_life, settings_for

STEP_POINTS = tuple(f"K{number}" for number in range(12))
LIVES_PER_SESSION = 12


class BrokenPromise(AssertionError):
    """A promise did not hold; the message says which, and where."""


@dataclass
class Account:
    """What this process knows of one session: what was tried, answered, asked of the model."""

    session_id: str
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    calls: int = 0

    def take(self, facts: dict[str, Any]) -> None:
        key = facts["key"]
        if facts["event"] == "try":
            self.tried.add(key)
        elif facts["event"] == "ack":
            before = self.answers.setdefault(key, facts["answer"])
            if before != facts["answer"]:
                raise BrokenPromise(f"key {key} got two answers: {before} and {facts['answer']}")
        elif facts["event"] == "refused":
            raise BrokenPromise(f"a step was refused with {facts['code']}")


@dataclass
class Report:
    """What was done and found."""

    kills: int = 0
    by_point: Counter[str] = field(default_factory=Counter)
    not_reached: int = 0
    sessions: int = 0
    acknowledged: int = 0
    calls: int = 0
    deleted: int = 0
    took_s: float = 0.0

    def to_wire(self) -> dict[str, Any]:
        return {**self.__dict__, "by_point": dict(sorted(self.by_point.items()))}


class CrashTest:
    """Sessions, each living through many deaths of its server.

    Args:
        folder: A folder of its own.
        seed: Of what is random.
        bug: What is broken on purpose.
    """

    def __init__(self, folder: Path, seed: int, bug: Bug | None = None) -> None:
        self._folder = folder
        self._chance = random.Random(seed)
        self._bug = bug
        self._account: Account | None = None
        self._lives = 0
        self._next_key = 1
        self._finished: list[str] = []
        self._leaving: str | None = None
        self.report = Report()

    def run(self, kills: int) -> Report:
        """Kill so many times.

        Raises:
            BrokenPromise: A promise did not hold.
        """
        began_s = time.monotonic()
        while self.report.kills < kills:
            self.live()
        self.report.took_s = round(time.monotonic() - began_s, 1)
        return self.report

    def live(self) -> None:
        """One life and death, and the check after it."""
        if self._account is None or self._lives >= LIVES_PER_SESSION:
            self._begin_session()
        self._lives += 1
        account = self._account
        delete = self._finished[0] if len(self._finished) > 2 else None
        point, timer_s = self._choose_death(delete)
        known = sorted(account.answers, key=_number) if account else []
        open_keys = sorted(account.tried - set(known), key=_number) if account else []
        old_keys = [*self._chance.sample(known, min(2, len(known))), *open_keys]
        first_new, self._next_key = self._next_key, self._next_key + 4
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            self._be_the_child(reader, writer, point, account, old_keys, first_new, delete)
        os.close(writer)
        if timer_s is not None:
            time.sleep(timer_s)
            os.kill(child, signal.SIGKILL)
        lines = _read_all(reader)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if not killed and status != 0:
            raise BrokenPromise(f"the server ended by itself with status {status}")
        if killed:
            self.report.kills += 1
            self.report.by_point[point.partition(":")[0] if point else "any moment"] += 1
        else:
            self.report.not_reached += 1
        self._take(lines)
        self._check()

    def _begin_session(self) -> None:
        if self._account is not None:
            self._finished.append(self._account.session_id)
        self._account = None
        self._lives = 0
        self.report.sessions += 1

    def _choose_death(self, delete: str | None) -> tuple[str | None, float | None]:
        if delete is not None and self._chance.random() < 0.5:
            return "K14:1", None
        if self._chance.random() < 0.1:
            return None, self._chance.uniform(0.0, 0.08)
        return f"{self._chance.choice(STEP_POINTS)}:{self._chance.randint(1, 6)}", None

    def _be_the_child(
        self,
        reader: int,
        writer: int,
        point: str | None,
        account: Account | None,
        old_keys: list[str],
        first_new: int,
        delete: str | None,
    ) -> None:
        status = 70
        try:
            os.close(reader)
            if point is not None:
                killpoints.arm(point)
            run_life(
                self._folder,
                Pipe(writer),
                self._chance.randint(0, 2**31),
                session_id=account.session_id if account else None,
                old_keys=old_keys,
                first_new=first_new,
                delete=delete,
                bug=self._bug,
            )
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)

    def _take(self, lines: list[dict[str, Any]]) -> None:
        for facts in lines:
            event = facts["event"]
            if event == "opened":
                self._account = Account(facts["session"])
            elif event == "call":
                assert self._account is not None
                self._account.calls += 1
                self.report.calls += 1
            elif event == "deleting":
                self._leaving = facts["session"]
            elif event == "deleted":
                self._finished.remove(facts["session"])
                self._check_gone(facts["session"])
                self._leaving = None
                self.report.deleted += 1
            else:
                assert self._account is not None
                self._account.take(facts)
                self.report.acknowledged += event == "ack"

    def _check(self) -> None:
        settings = settings_for(self._folder)
        store = RecordStore(settings.log_dir, settings.image_dir)
        try:
            finish_deletions(store)
            if self._leaving is not None and not store.log(self._leaving).exists():
                self._finished.remove(self._leaving)
                self._check_gone(self._leaving)
                self.report.deleted += 1
            self._leaving = None
            if self._account is not None:
                check_session(store, self._account)
        finally:
            store.close()

    def _check_gone(self, session_id: str) -> None:
        left = [str(path) for path in self._folder.rglob(f"{session_id}*")]
        if left:
            raise BrokenPromise(f"a deleted session left {left}")


def check_session(store: RecordStore, account: Account) -> None:
    """What must hold of a session, whatever happened to its server.

    Raises:
        BrokenPromise: It does not.
    """
    raw = read_log(store.log(account.session_id))
    if raw.damage is not None and raw.damage.kind != "torn_tail":
        raise BrokenPromise(f"the log is damaged: {raw.damage}")
    try:
        session = rebuild_session(store, account.session_id)
    except SessionNotFoundError as error:
        raise BrokenPromise("an opened session is gone") from error
    verdict = verify_session(store, account.session_id)
    if not verdict.sound:
        raise BrokenPromise(f"the records are not sound: {verdict.findings}")
    steps = {}
    for line in read_log(store.log(account.session_id)).lines:
        if is_step(line.message):
            step = read_step(line.message)
            if step.idempotency_key in steps:
                raise BrokenPromise(f"key {step.idempotency_key} has two steps")
            steps[step.idempotency_key] = (step.number, line.message["action"])
    if [number for number, _ in steps.values()] != list(range(1, len(steps) + 1)):
        raise BrokenPromise(f"steps are not in order: {steps}")
    if session.next_number != len(steps) + 1:
        raise BrokenPromise(f"the session would go on with {session.next_number}")
    for key, answer in account.answers.items():
        if steps.get(key) != (answer["current_step"], answer["action"]):
            raise BrokenPromise(f"{key} was answered {answer}, on record is {steps.get(key)}")
    if not set(steps) <= account.tried:
        raise BrokenPromise(f"steps nobody asked for: {set(steps) - account.tried}")
    names = store.list_images(account.session_id)
    if [name for name in names if name.endswith(PART_SUFFIX)]:
        raise BrokenPromise(f"temporary files stayed: {names}")
    current = [name for name in names if name.endswith(".png") and "failed" not in name]
    if len(current) != len(steps):
        raise BrokenPromise(f"{len(steps)} steps have {len(current)} pictures")
    events = read_events(store.events(account.session_id))
    if events.damage is not None:
        raise BrokenPromise(f"the events are damaged: {events.damage}")
    declared = sum(event["kind"] == "step_started" for event in events.events)
    if account.calls > declared:
        raise BrokenPromise(f"{account.calls} model calls, {declared} of them are on record")


def _number(key: str) -> int:
    return int(key.partition("-")[2])


def _read_all(descriptor: int) -> list[dict[str, Any]]:
    with os.fdopen(descriptor, "rb") as pipe:
        return [json.loads(line) for line in pipe.read().splitlines()]

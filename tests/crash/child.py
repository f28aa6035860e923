"""What a server does until it is killed: steps with keys, each told to the parent by a pipe."""

from __future__ import annotations

import json
import os
import random
import struct
import threading
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

from parsers.base import Message
from server.errors import ServerError
from server.local_server import LocalServer
from server.model.providers import ModelTarget
from server.model.reply import Attempt, ModelReply
from server.records.disk import Disk
from server.records.store import RecordStore
from server.session import Session
from server.settings import ProviderConfig, Settings, load_settings

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
Bug = Literal["lock", "fsync", "key"]


def small_png(number: int) -> bytes:
    """A picture of 16x16 pixels, another one for each number."""
    rows = b"".join(b"\0" + struct.pack(">I", number * 97 % 2**32) * 12 for _ in range(16))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", 16, 16, 8, 2, 0, 0, 0)
    body = zlib.compress(rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def settings_for(folder: Path) -> Settings:
    provider = ProviderConfig(api_base="http://127.0.0.1:9/v1", default_model="any")
    return load_settings(
        CONFIGS,
        log_dir=folder / "traces",
        image_dir=folder / "images",
        min_free_bytes=0,
        session_busy_wait_s=60,
        providers={"none": provider},
    )


class Pipe:
    """Lines of JSON to the parent; one write each, so that none is lost or cut by a kill."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def tell(self, **facts: Any) -> None:
        os.write(self._descriptor, json.dumps(facts).encode() + b"\n")


class TellingModel:
    """Tells the parent of each call; no two replies are alike."""

    def __init__(self, pipe: Pipe, chance: random.Random) -> None:
        self._pipe = pipe
        self._chance = chance

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: object = None
    ) -> ModelReply:
        x, y = self._chance.randint(0, 1000), self._chance.randint(0, 1000)
        self._pipe.tell(event="call")
        reply = f"<THINK> t </THINK>\nexplain:e\taction:CLICK\tpoint:{x},{y}\tsummary:s{x}-{y}"
        return ModelReply(reply, finish_reason="stop", attempts=(Attempt("", 0.0, "ok"),))

    async def close(self) -> None:
        """Nothing is open."""


class NoTurn:
    """A planted bug: a session's lock that lets everybody in."""

    def locked(self) -> bool:
        return False

    async def acquire(self) -> bool:
        return True

    def release(self) -> None:
        """Nothing was held."""


class Driver:
    """Drives a server, and tells the parent what was tried and what was answered."""

    def __init__(self, server: LocalServer, pipe: Pipe) -> None:
        self._server = server
        self._pipe = pipe
        self._pipe_lock = threading.Lock()

    def open(self) -> str:
        session_id = self._server.get_session({"task": "a task"})
        self._pipe.tell(event="opened", session=session_id)
        return session_id

    def step(self, session_id: str, key: str) -> None:
        number = int(key.partition("-")[2])
        self._pipe.tell(event="try", session=session_id, key=key)
        payload = {
            "session_id": session_id,
            "idempotency_key": key,
            "observation": {
                "screenshot": {"type": "image_bytes", "data": small_png(number)},
                "ui_tree": "<hierarchy/>" if number % 3 == 0 else None,
            },
        }
        try:
            answer = self._server.automate_step(payload)
        except ServerError as error:
            self._pipe.tell(event="refused", session=session_id, key=key, code=error.code)
        else:
            self._pipe.tell(event="ack", session=session_id, key=key, answer=answer)

    def delete(self, session_id: str) -> None:
        self._pipe.tell(event="deleting", session=session_id)
        self._server.delete_session(session_id)
        self._pipe.tell(event="deleted", session=session_id)


def plant(bug: Bug | None) -> None:
    """Break the server in one place."""
    if bug == "lock":
        Session.__dataclass_fields__["turn"].default_factory = NoTurn
        original = Session.__init__

        def init(self: Session, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            self.turn = NoTurn()  # type: ignore[assignment]

        Session.__init__ = init  # type: ignore[method-assign]
    elif bug == "key":
        Session.answer_to = lambda *_: None  # type: ignore[method-assign,assignment,return-value]


def run_life(
    folder: Path,
    pipe: Pipe,
    seed: int,
    *,
    session_id: str | None,
    old_keys: Sequence[str],
    first_new: int,
    delete: str | None,
    bug: Bug | None = None,
    disk: Disk | None = None,
    steps: int = 4,
) -> None:
    """One life of a server: what it was asked before, again; new steps, two at a time; a deletion.

    Args:
        folder: Where sessions are kept.
        pipe: To the parent.
        seed: Of what is random.
        session_id: The session to go on with; None: a new one.
        old_keys: Keys that are sent again first.
        first_new: Number of the first new key.
        delete: A session to delete at the end.
        bug: What is broken.
        disk: What does the file work.
        steps: How many new steps there are.
    """
    plant(bug)
    settings = settings_for(folder)
    store = RecordStore(settings.log_dir, settings.image_dir, disk=disk)
    chance = random.Random(seed)
    with LocalServer(settings, model_client=TellingModel(pipe, chance), store=store) as server:
        driver = Driver(server, pipe)
        session_id = session_id or driver.open()
        for key in old_keys:
            driver.step(session_id, key)
        with ThreadPoolExecutor(2) as pool:
            for number in range(first_new, first_new + steps, 2):
                list(pool.map(driver.step, [session_id] * 2, [f"k-{number}", f"k-{number + 1}"]))
        if delete is not None:
            driver.delete(delete)

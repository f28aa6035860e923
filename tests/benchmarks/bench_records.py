"""What long sessions cost: recovery, reading, verifying; ours against the obvious way, in one run.

    .venv/bin/python tests/benchmarks/bench_records.py [--steps 10000] [--repeats 5]

The obvious way decodes the whole file each time. Figures are medians of CPU time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parsers.action import Size
from parsers.base import Environment
from server.model.reply import Attempt, ModelReply
from server.payloads import SessionRequest
from server.prompts import ParserShelf
from server.records.logs import EventLog, SessionLog
from server.records.messages import Picture, build_step
from server.records.schema import fold_texts
from server.records.store import RecordStore
from server.recovery import rebuild_session
from server.session_reading import SessionReader
from server.upkeep import verify_session

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
REPLY = (
    "<THINK> 设置页面已经打开，蓝牙一项在列表上方，点它进入 </THINK>\n"
    "explain:点击蓝牙\taction:CLICK\tpoint:500,320\tsummary:打开设置，点击了蓝牙"
)


def write_session(store: RecordStore, steps: int) -> str:
    """A log of so many steps, as the server writes it, without waiting for the disk at each."""
    session_id = str(uuid.uuid4())
    parser = ParserShelf(CONFIGS).get("step0920")
    request = SessionRequest(task="打开蓝牙", task_type="step0920")
    size = Size(width_px=1080, height_px=2400)
    action: Any = parser.str2action(REPLY)
    reply = ModelReply(REPLY, finish_reason="stop", attempts=(Attempt("", 0.0, "ok"),))
    known: set[str] = set()
    log = SessionLog(_Quick(store.log_path(session_id)), session_id)
    events = EventLog(_Quick(store.events_path(session_id)), session_id)
    log.append({"log_type": "session_start", "task": request.task, "task_type": "step0920"})
    environment = Environment(image=f"{session_id}/step_0001.png", size=size)
    prompt = parser.env2messages4ask(request.task, [environment], [], sent_size=size)
    for number in range(1, steps + 1):
        asked, texts = fold_texts(prompt, known)
        known.update(texts)
        events.append("step_started", {"step": number, "sha256": "0" * 64}, False)
        events.append("reply", {"step": number, "reask": 0, "content": REPLY}, False)
        log.append(
            build_step(
                number=number, environment=environment, picture=Picture("step_0001.png", "0" * 32),
                action=action, asked=asked, texts=texts, reply=reply, reasks=0, request=request,
                sent_size=size, policy={"level": "allow"}, idempotency_key=f"key-{number}",
            )
        )  # fmt: skip
    return session_id


class _Quick:
    """Appends without fsync: the benchmark is about reading."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=1 << 20)

    def append(self, line: bytes, *, durable: bool) -> None:
        self._file.write(line)
        self._file.flush()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def decode_all(path: Path) -> list[Any]:
    """The obvious way."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measure(work: Callable[[], object], repeats: int) -> float:
    times_s = []
    for _ in range(repeats):
        began_s = time.process_time()
        work()
        times_s.append(time.process_time() - began_s)
    return statistics.median(times_s) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="bench-records-"))
    store = RecordStore(folder / "traces", folder / "images")
    session_id = write_session(store, arguments.steps)
    (folder / "images" / session_id).mkdir()
    store.image_path(session_id, "step_0001.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"x" * 1000)
    reader = SessionReader(store)
    path = store.log_path(session_id)
    megabytes = path.stat().st_size / 1e6
    last = arguments.steps
    naive = measure(lambda: decode_all(path), arguments.repeats)
    rows: list[tuple[str, Callable[[], object]]] = [
        (
            "recovery: rebuild the session, chain checked",
            lambda: rebuild_session(store, session_id),
        ),
        ("verify: lines, chain, a picture per step", lambda: verify_session(store, session_id)),
        ("read the session", lambda: reader.read_session(session_id)),
        ("read the first 50 steps", lambda: reader.read_steps(session_id, 1, 50)),
        ("read the last 50 steps", lambda: reader.read_steps(session_id, last - 49, 50)),
        ("read the last picture", lambda: reader.read_image(session_id, last)),
        ("list it", lambda: reader.list_sessions(10, 0)),
    ]
    print(f"{arguments.steps} steps, {megabytes:.1f} MB; decoding all lines: {naive:.0f} ms")
    print(f"{'':52}{'ms':>9}{'ratio':>9}")
    for name, work in rows:
        took = measure(work, arguments.repeats)
        print(f"{name:52}{took:9.1f}{took / naive:9.2f}")
    store.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

"""Sessions written straight into a log folder, many at a time, as the server would have."""

from __future__ import annotations

import io
import json
import uuid
from pathlib import Path
from typing import Any

from PIL import Image

from server.records.schema import FIRST_PREV, seal_line

SIZE = (540, 1200)


def write_session(folder: Path, task: str, steps: int, **reply: Any) -> str:
    """A closed session of clicks; gives its id. `reply` differs in each step's message."""
    session_id = str(uuid.uuid4())
    traces, images = folder / "log", folder / "images" / session_id
    traces.mkdir(parents=True, exist_ok=True)
    images.mkdir(parents=True)
    start = {
        "log_type": "session_start",
        "task": task,
        "task_type": "step0920",
        "model_config": {"model_name": "scripted"},
        "extra_info": None,
    }
    messages = [start, *(_step(session_id, number, task, reply) for number in range(1, steps + 1))]
    lines, prev = [], FIRST_PREV
    for seq, message in enumerate(messages):
        record = {"session_id": session_id, "timestamp": _time(seq), "message": message}
        line, prev = seal_line(record, seq, prev)
        lines.append(line)
    (traces / f"{session_id}.jsonl").write_bytes(b"".join(lines))
    closed = {
        "session_id": session_id,
        "timestamp": _time(steps + 1),
        "seq": 1,
        "kind": "session_closed",
        "data": {"stop_reason": "TASK_COMPLETED_SUCCESSFULLY"},
    }
    (traces / f"{session_id}.events.jsonl").write_text(json.dumps(closed) + "\n")
    for number in range(1, steps + 1):
        (images / f"step_{number:04}.png").write_bytes(_picture(number))
    return session_id


def _step(session_id: str, number: int, task: str, reply: dict[str, Any]) -> dict[str, Any]:
    point = [(number * 37) % 1000, (number * 91) % 1000]
    place = f"action:CLICK\tpoint:{point[0]},{point[1]}"
    raw = f"<THINK> I look </THINK>\nexplain:because\t{place}\tsummary:so far"
    return {
        "environment": {
            "image": f"{session_id}/step_{number:04}.png",
            "user_comment": "",
            "size": list(SIZE),
            "foreground": "com.example.shop",
        },
        "action": {
            "cot": "I look", "explain": "because", "action": "CLICK", "point": point,
            "summary": "so far",
            "meta": {"dialect": "step0920", "space": "relative-1000"},
        },
        "asked_messages": [{"role": "user", "content": [{"type": "text", "text": f"# {task}"}]}],
        "model_response": raw,
        "model_config": {},
        "llm_cost": {"llm_time": 1.5},
        "step": number,
        "sent_size": list(SIZE),
        "policy": {"level": "allow", "class": "none", "reason": ""},
        "attempts": 1,
        **reply,
    }  # fmt: skip


def _time(seq: int) -> str:
    return f"2026-11-30T10:{seq // 60 % 60:02}:{seq % 60:02}.000Z"


_DRAWN: dict[int, bytes] = {}


def _picture(number: int) -> bytes:
    shade = number % 8
    if shade not in _DRAWN:
        out = io.BytesIO()
        Image.new("RGB", SIZE, (shade * 30, 120, 200)).save(out, "PNG", compress_level=1)
        _DRAWN[shade] = out.getvalue()
    return _DRAWN[shade]

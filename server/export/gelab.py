"""The log and pictures as the published Step-GUI server writes them and its viewer opens them.

The viewer looks in `running_log/server_log/os-copilot-local-eval-logs/traces` of the folder that
it is started in, and opens each `environment.image` as it stands there: export into its checkout.
Each line's message has an `environment` of the two keys `image` and `user_comment`, and an
`action` with both `action` and `action_type`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from server.export.episode import Episode, EpisodeStep
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor

ROOT = "running_log/server_log/os-copilot-local-eval-logs"
JPEG_QUALITY = 85


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write one session in that layout."""
    traces, images = folder / ROOT / "traces", folder / ROOT / "images"
    traces.mkdir(parents=True)
    images.mkdir(parents=True)
    steps = 0
    with (traces / f"{episode.session_id}.jsonl").open("w", encoding="utf-8", newline="\n") as log:
        start = {
            "log_type": "session_start",
            "task": redactor.text(episode.task),
            "task_type": episode.dialect,
            "model_config": redactor.value(episode.model_config),
            "extra_info": redactor.value(episode.extra_info or {}),
        }
        log.write(_line(episode.session_id, episode.created_at, start))
        for step in episode.iter_steps():
            name = f"{episode.session_id}_step_{step.number}.jpeg"
            redactor.picture(step).save(images / name, "JPEG", quality=JPEG_QUALITY)
            message = _message(step, f"{ROOT}/images/{name}", redactor)
            log.write(_line(episode.session_id, step.timestamp, message))
            steps += 1
            progress()
    return Written((f"{ROOT}/traces/{episode.session_id}.jsonl",), steps)


def _message(step: EpisodeStep, image: str, redactor: Redactor) -> dict[str, Any]:
    action = {key: value for key, value in redactor.step_wire(step).items() if key != "meta"}
    cost = step.message.get("llm_cost") or {}
    return {
        "environment": {
            "image": image,
            "user_comment": redactor.text(str(step.message["environment"].get("user_comment", ""))),
        },
        "action": {**action, "action_type": action["action"]},
        "asked_messages": redactor.value(step.message.get("asked_messages") or []),
        "model_response": redactor.step_reply(step),
        "model_config": redactor.value(step.message.get("model_config") or {}),
        "llm_cost": {
            "llm_time": cost.get("llm_time"),
            "llm_start_time": _epoch_s(cost.get("llm_start_time")),
            "llm_end_time": _epoch_s(cost.get("llm_end_time")),
        },
    }


def _line(session_id: str, timestamp: str, message: Mapping[str, Any]) -> str:
    line = {"session_id": session_id, "timestamp": timestamp, "message": message}
    # Some line readers split at these too.
    text = json.dumps(line, ensure_ascii=False)
    for separator in ("\u2028", "\u2029", "\u0085"):
        text = text.replace(separator, f"\\u{ord(separator):04x}")
    return text + "\n"


def _epoch_s(moment: object) -> float | None:
    """Seconds since 1970, which is what the published server writes."""
    if isinstance(moment, int | float):
        return float(moment)
    try:
        return datetime.fromisoformat(str(moment)).timestamp()
    except ValueError:
        return None

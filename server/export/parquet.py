"""A table of steps that Hugging Face `datasets` loads, with the pictures as decoded images.

One file for each session below `data/`; `load_dataset("parquet", data_files="DIR/data/*.parquet")`
joins them. The schema's `huggingface` metadata names the features, so that `image` is an Image.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from server.export.episode import Episode, EpisodeStep, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor

ROWS_AT_ONCE = 32
"""Rows in memory: pictures make them large."""
JPEG_QUALITY = 90
_TEXTS = (
    "session_id", "task", "dialect", "model", "stop_reason", "timestamp", "action_type",
    "action", "thought", "prompt", "reply", "outcome", "foreground",
)  # fmt: skip
_NUMBERS = ("step", "width", "height")


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write one session as `data/<session>.parquet`.

    Raises:
        NotExportableError: pyarrow is not installed.
    """
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise NotExportableError(
            "parquet needs pyarrow; install it with: pip install 'localserver[export]'"
        ) from error
    image = arrow.struct([("bytes", arrow.binary()), ("path", arrow.string())])
    fields = [
        *((name, arrow.string()) for name in _TEXTS),
        *((name, arrow.int32()) for name in _NUMBERS),
        ("image", image),
    ]
    features = {
        **{name: {"dtype": "string", "_type": "Value"} for name in _TEXTS},
        **{name: {"dtype": "int32", "_type": "Value"} for name in _NUMBERS},
        "image": {"_type": "Image"},
    }
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = arrow.schema(fields, metadata=metadata)
    (folder / "data").mkdir()
    name = f"data/{episode.session_id}.parquet"
    rows: list[dict[str, Any]] = []
    steps = 0
    with parquet.ParquetWriter(folder / name, schema, compression="zstd") as writer:
        for step in episode.iter_steps():
            rows.append(_row(episode, step, redactor))
            steps += 1
            progress()
            if len(rows) == ROWS_AT_ONCE:
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
                rows.clear()
        if rows:
            writer.write_table(arrow.Table.from_pylist(rows, schema=schema))
    return Written((name,), steps)


def _row(episode: Episode, step: EpisodeStep, redactor: Redactor) -> dict[str, Any]:
    picture = redactor.picture(step)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=JPEG_QUALITY)
    action = redactor.step_wire(step)
    return {
        "session_id": episode.session_id,
        "task": redactor.text(episode.task),
        "dialect": episode.dialect,
        "model": episode.model_name,
        "stop_reason": episode.stop_reason or "",
        "timestamp": step.timestamp,
        "action_type": action["action"],
        "action": json.dumps(action, ensure_ascii=False),
        "thought": str(action.get("cot", "")),
        "prompt": json.dumps(
            redactor.value(step.message.get("asked_messages") or []), ensure_ascii=False
        ),
        "reply": redactor.step_reply(step),
        "outcome": json.dumps(redactor.value(step.outcome or {}), ensure_ascii=False),
        "foreground": str(step.message["environment"].get("foreground") or ""),
        "step": step.number,
        "width": picture.width,
        "height": picture.height,
        "image": {"bytes": buffer.getvalue(), "path": f"step_{step.number:04d}.jpeg"},
    }

"""Logs of the published Step-GUI server, taken over as sessions of ours.

A published log is one file, a JSON object a line: `{session_id, timestamp, message}`. The first
message has `log_type: session_start`; each further one has `environment {image, user_comment}`,
`action`, `asked_messages`, `model_response`, `model_config` and `llm_cost`. Pictures lie beside the
log's folder, `images/<session_id>_step_<n>.jpeg`. Taken over, everything here reads them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from parsers.action import Action, Rejection, Size
from parsers.base import Message, Parser, ReplyContext
from parsers.errors import InvalidActionError, ParserError
from parsers.registry import get_parser
from server.errors import BadRequestError, ImageError
from server.images import Screenshot, check_screenshot
from server.records.logs import EventLog
from server.records.schema import FIRST_PREV, HASH_CHARS, fold_texts, format_utc, seal_line
from server.records.store import KeepsRecords, is_session_id, step_name

DEFAULT_TASK_TYPE = "parser_0922_summary"
"""The parser that the published server uses where a log names none."""
ENDINGS = {
    "COMPLETE": "TASK_COMPLETED_SUCCESSFULLY",
    "ABORT": "TASK_ABORTED_BY_AGENT",
    "INFO": "INFO_ACTION_NEEDS_REPLY",
}
"""What the last action says of the end; a published log has no word for it."""


class PublishedLogError(BadRequestError):
    """The file is no log of the published server."""

    code = "import.not_a_log"


@dataclass(frozen=True, slots=True)
class Imported:
    """What was taken over.

    Attributes:
        session_id: Under which id: the log's own where it is a UUID4, else one made from it.
        steps: How many.
        missing_pictures: Steps whose picture was not found.
        cut_line: The last line was not written whole, and was left out.
        is_new: False: this session is here already; nothing was written.
    """

    session_id: str
    steps: int
    missing_pictures: tuple[int, ...] = ()
    cut_line: bool = False
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """The largest picture that is taken over."""

    max_bytes: int
    max_pixels: int


def find_logs(path: Path) -> list[Path]:
    """The logs that a path means: itself, or the files of a folder."""
    if path.is_file():
        return [path]
    logs = sorted(p for p in path.rglob("*.jsonl") if not p.name.endswith(".events.jsonl"))
    if not logs:
        raise PublishedLogError(f"{path} holds no log (*.jsonl); name the file or its folder")
    return logs


def import_log(
    store: KeepsRecords, path: Path, limits: PictureLimits, images: Path | None = None
) -> Imported:
    """Take over one published log with its pictures. All of it, or nothing.

    Args:
        store: Where to.
        path: The log.
        limits: Of the pictures.
        images: Folder of the pictures; None: where the published server puts them.

    Raises:
        PublishedLogError: It is no such log; the message names the line.
        StorageError: It could not be written.
    """
    lines, cut_line = _read_lines(path)
    first = lines[0]
    start = first.get("message")
    if not isinstance(start, Mapping) or start.get("log_type") != "session_start":
        raise PublishedLogError(f"{path} line 1 is no session_start; is this a published log?")
    session_id = _session_id(str(first.get("session_id") or path.stem))
    if store.log(session_id).exists():
        return Imported(session_id, len(lines) - 1, is_new=False)
    steps = list(_read_steps(path, lines[1:], _parser_of(path, start)))
    writer = _Writer(store, session_id, limits, _picture_folders(path, images))
    try:
        writer.write(first, start, steps, path)
    except BaseException:
        store.remove(session_id)
        raise
    return Imported(session_id, len(steps), tuple(writer.missing), cut_line)


@dataclass(frozen=True, slots=True)
class _Step:
    timestamp: str
    message: Mapping[str, Any]
    action: Action


def _read_lines(path: Path) -> tuple[list[Mapping[str, Any]], bool]:
    lines: list[Mapping[str, Any]] = []
    raw_lines = path.read_bytes().split(b"\n")
    for number, raw in enumerate(raw_lines, start=1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
        except (ValueError, RecursionError) as error:
            if number == len(raw_lines) and lines:
                return lines, True
            raise PublishedLogError(f"{path} line {number} is no JSON; mend the file") from error
        if not isinstance(line, dict):
            raise PublishedLogError(f"{path} line {number} is no JSON object; mend the file")
        lines.append(line)
    if not lines:
        raise PublishedLogError(f"{path} is empty")
    return lines, False


def _parser_of(path: Path, start: Mapping[str, Any]) -> Parser:
    task_type = str(start.get("task_type") or DEFAULT_TASK_TYPE)
    try:
        return get_parser(task_type)
    except ParserError as error:
        raise PublishedLogError(f"{path}: {error.message}") from error


def _read_steps(path: Path, lines: Sequence[Mapping[str, Any]], parser: Parser) -> Iterator[_Step]:
    for number, line in enumerate(lines, start=2):
        message = line.get("message")
        if not isinstance(message, Mapping) or not isinstance(message.get("environment"), Mapping):
            raise PublishedLogError(f"{path} line {number} has no environment; mend the file")
        yield _Step(
            str(line.get("timestamp") or ""), message, _read_action(path, number, message, parser)
        )


def _read_action(path: Path, number: int, message: Mapping[str, Any], parser: Parser) -> Action:
    """The action as it was logged; where that is none of ours, as today's parser reads the reply.

    The published server logs what its own parser made of a reply, fields of other dialects
    included; the reply itself is the better witness.
    """
    wire = message.get("action")
    try:
        if isinstance(wire, Mapping):
            return parser.action2action(wire)
    except InvalidActionError:
        pass
    read = parser.str2action(str(message.get("model_response") or ""), ReplyContext())
    if isinstance(read, Rejection):
        raise PublishedLogError(
            f"{path} line {number}: neither its action nor its reply can be read "
            f"({read.message}); remove the line"
        )
    return read


def _session_id(theirs: str) -> str:
    if is_session_id(theirs):
        return theirs
    digest = hashlib.sha256(theirs.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _picture_folders(path: Path, images: Path | None) -> list[Path]:
    """Where a picture may lie: a log's words are never followed as a path, only its last part."""
    beside = [path.parent.parent / "images", path.parent / "images", path.parent]
    return beside if images is None else [images]


class _Writer:
    """Writes one session: pictures first, then the log, then the events."""

    def __init__(
        self, store: KeepsRecords, session_id: str, limits: PictureLimits, folders: Sequence[Path]
    ) -> None:
        self._store = store
        self._id = session_id
        self._limits = limits
        self._folders = folders
        self._texts: set[str] = set()
        self._names: dict[str, str] = {}
        self._hash, self._seq = FIRST_PREV, 0
        self.missing: list[int] = []

    def write(
        self,
        first: Mapping[str, Any],
        start: Mapping[str, Any],
        steps: Sequence[_Step],
        path: Path,
    ) -> None:
        task_type = str(start.get("task_type") or DEFAULT_TASK_TYPE)
        parser = get_parser(task_type)
        head = {**start, "task_type": parser.name}
        head["dialect"] = {"name": parser.name, "variant": parser.variant, "pattern": None}
        self._append(str(first.get("timestamp") or ""), head)
        for number, step in enumerate(steps, start=1):
            self._append(step.timestamp, self._build(number, step))
        ending = ENDINGS.get(steps[-1].action.action, "INTERRUPTED") if steps else "INTERRUPTED"
        came_from = {"log": path.name, "steps": len(steps), "missing_pictures": self.missing}
        log = EventLog(self._store.events(self._id), self._id)
        log.append("session_imported", came_from, durable=True)
        log.append("session_closed", {"stop_reason": ending}, durable=True)

    def _build(self, number: int, step: _Step) -> dict[str, Any]:
        theirs = str(step.message["environment"].get("image") or "")
        shot = self._find_picture(theirs)
        name = f"{self._id}/{step_name(number)}.{shot.format if shot else 'jpeg'}"
        self._names[_last_part(theirs)] = name
        environment: dict[str, Any] = {
            "image": name,
            "user_comment": str(step.message["environment"].get("user_comment") or ""),
        }
        if shot is None:
            self.missing.append(number)
        else:
            self._store.save_image(self._id, name.rpartition("/")[2], shot.data)
            environment |= {
                "sha256": shot.sha256[:HASH_CHARS],
                "size": [shot.size.width_px, shot.size.height_px],
            }
        asked, texts = fold_texts(
            self._rename(step.message.get("asked_messages"), name), self._texts
        )
        self._texts |= texts.keys()
        sent = _sent_size(step.message.get("model_config"), shot)
        optional = {
            "texts": texts,
            "sent_size": [sent.width_px, sent.height_px] if sent else None,
        }
        return {
            "environment": environment,
            "action": step.action.to_wire(),
            "asked_messages": asked,
            "model_response": str(step.message.get("model_response") or ""),
            "model_config": step.message.get("model_config") or {},
            "llm_cost": _cost(step.message.get("llm_cost")),
            "step": number,
            **{key: value for key, value in optional.items() if value},
        }

    def _find_picture(self, theirs: str) -> Screenshot | None:
        name = _last_part(theirs)
        if not name:
            return None
        for folder in self._folders:
            if (folder / name).is_file():
                data = (folder / name).read_bytes()
                try:
                    return check_screenshot(data, self._limits.max_bytes, self._limits.max_pixels)
                except ImageError:
                    return None
        return None

    def _rename(self, messages: object, present: str) -> list[Message]:
        """Pictures under our names; one that is spelt out in the log is the present one."""

        def rename(part: Any) -> Any:
            if not isinstance(part, Mapping) or part.get("type") not in ("image_url", "image_b64"):
                return part
            image = part.get("image_url")
            url = str(image.get("url") if isinstance(image, Mapping) else image or "")
            known = None if url.startswith("data:") else self._names.get(_last_part(url))
            return {"type": "image_url", "image_url": {"url": known or present}}

        renamed: list[Message] = []
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, Mapping):
                content = message.get("content")
                parts = [rename(part) for part in content] if isinstance(content, list) else content
                renamed.append({**message, "content": parts})
        return renamed

    def _append(self, timestamp: str, message: Mapping[str, Any]) -> None:
        record = {"session_id": self._id, "timestamp": _utc(timestamp), "message": message}
        line, self._hash = seal_line(record, self._seq, self._hash)
        self._seq += 1
        self._store.log(self._id).append(line, durable=True)


def _sent_size(config: object, shot: Screenshot | None) -> Size | None:
    """The size at which the published server sent a picture: resized where it was told to."""
    if isinstance(config, Mapping):
        for key in ("image_preprocess", "resize_config"):
            wanted = config.get(key)
            size = wanted.get("target_image_size") if isinstance(wanted, Mapping) else None
            if not isinstance(size, list) or len(size) != 2:
                continue
            if all(type(side) is int and side > 0 for side in size):
                return Size(width_px=size[0], height_px=size[1])
    return shot.size if shot is not None else None


def _last_part(path: str) -> str:
    """The file's name, whatever system wrote the path."""
    name = PureWindowsPath(PurePosixPath(path).name).name
    return "" if name in (".", "..") else name


def _cost(cost: object) -> dict[str, Any]:
    wire = dict(cost) if isinstance(cost, Mapping) else {}
    for key in ("llm_start_time", "llm_end_time"):
        moment = wire.get(key)
        if isinstance(moment, int | float) and not isinstance(moment, bool):
            wire[key] = format_utc(datetime.fromtimestamp(moment, UTC))
    return wire


def _utc(timestamp: str) -> str:
    """A published time (local, or with an offset) as we write it; what is no time stays."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return timestamp
    return format_utc(moment if moment.tzinfo else moment.astimezone())

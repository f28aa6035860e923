"""The lines of a session's log: how they are built, sealed, written and read back.

`logs/README.md` is the reference of the format. A line is one JSON object ended by a single `\\n`:
`{session_id, timestamp, message, v, seq, prev, hash}`. The first three are what Step-GUI tools
read; `seq` gives the order; `prev` and `hash` chain each line to the one before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from parsers.base import Message

SCHEMA_VERSION = 1
HASH_CHARS = 32
"""A hash in the log is the first 128 bits of a SHA-256, in hex."""
FIRST_PREV = "0" * HASH_CHARS
CONSTANT_TEXT_MIN_CHARS = 160
"""Prompt texts from this length on are stored once per session and then referred to."""

_HASH_FIELD = b',"hash":"'


@dataclass(frozen=True, slots=True)
class LogLine:
    """One good line of a log.

    Attributes:
        seq: Its number in the file, from 0.
        hash: Its own hash: the `prev` of the next line.
        record: The whole object.
    """

    seq: int
    hash: str
    record: Mapping[str, Any]

    @property
    def message(self) -> Mapping[str, Any]:
        message = self.record.get("message")
        return message if isinstance(message, dict) else {}


def utc_now() -> str:
    """The present in UTC with milliseconds and `Z`."""
    return format_utc(datetime.now(UTC))


def format_utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dump_json(value: object) -> bytes:
    """Compact JSON in UTF-8 that no line reader can split: U+2028, U+2029, U+0085 escaped."""
    try:
        data = orjson.dumps(value, default=_to_json, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError):
        # orjson takes no lone surrogates and no integers above 64 bits.
        text = json.dumps(value, default=_to_json, separators=(",", ":"), ensure_ascii=True)
        return text.encode("ascii")
    if b"\xe2\x80" in data:
        data = data.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")
    return data.replace(b"\xc2\x85", b"\\u0085")


def load_json(data: bytes) -> Any:
    """Read what `dump_json` wrote.

    Raises:
        ValueError: Not JSON.
    """
    try:
        return orjson.loads(data)
    except ValueError:
        return json.loads(data.decode("utf-8"))


def seal_line(record: Mapping[str, Any], seq: int, prev: str) -> tuple[bytes, str]:
    """Close a record with its number and its hash.

    Returns:
        The line with its newline, and its hash.
    """
    body = dump_json({**record, "v": SCHEMA_VERSION, "seq": seq, "prev": prev})
    digest = _digest(body)
    return body[:-1] + _HASH_FIELD + digest.encode("ascii") + b'"}\n', digest


def open_line(line: bytes, seq: int, prev: str | None) -> LogLine | None:
    """Read a sealed line; None if it is damaged or not the one that follows.

    Args:
        line: The line without its newline.
        seq: The number that it must have.
        prev: The hash that it must follow; None: not checked.
    """
    head, mark, tail = line.rpartition(_HASH_FIELD)
    if not mark or len(tail) != HASH_CHARS + 2 or not tail.endswith(b'"}'):
        return None
    digest = tail[:HASH_CHARS].decode("ascii", "replace")
    if _digest(head + b"}") != digest:
        return None
    try:
        record = load_json(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("seq") != seq:
        return None
    if prev is not None and record.get("prev") != prev:
        return None
    return LogLine(seq=seq, hash=digest, record=record)


def fold_texts(
    messages: list[Message], known: frozenset[str] | set[str]
) -> tuple[list[Message], dict[str, str]]:
    """Replace long prompt texts by references.

    Args:
        messages: A prompt.
        known: Hashes of the texts that the session's log already holds.

    Returns:
        The messages with `{"type": "text", "text_ref": hash}` in the place of each long text, and
        the texts that are not yet known, by hash.
    """
    new_texts: dict[str, str] = {}

    def fold(part: Any) -> Any:
        text = part.get("text") if isinstance(part, dict) else None
        if not isinstance(text, str) or len(text) < CONSTANT_TEXT_MIN_CHARS:
            return part
        digest = _digest(text.encode("utf-8", "surrogatepass"))
        if digest not in known:
            new_texts[digest] = text
        return {"type": "text", "text_ref": digest}

    folded: list[Message] = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            folded.append({**message, "content": [fold(part) for part in content]})
        elif isinstance(content, str) and len(content) >= CONSTANT_TEXT_MIN_CHARS:
            ref = fold({"type": "text", "text": content})
            folded.append({**message, "content": {"text_ref": ref["text_ref"]}})
        else:
            folded.append(message)
    return folded, new_texts


def unfold_texts(messages: Any, texts: Mapping[str, str]) -> Any:
    """The inverse of `fold_texts`; a reference without its text stays as it is."""

    def unfold(part: Any) -> Any:
        ref = part.get("text_ref") if isinstance(part, dict) else None
        return (
            {"type": "text", "text": texts[ref]} if isinstance(ref, str) and ref in texts else part
        )

    if not isinstance(messages, list):
        return messages
    unfolded = []
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            message = {**message, "content": [unfold(part) for part in content]}
        elif isinstance(content, dict) and content.get("text_ref") in texts:
            message = {**message, "content": texts[content["text_ref"]]}
        unfolded.append(message)
    return unfolded


def collect_texts(line: LogLine, texts: MutableMapping[str, str]) -> None:
    """Take over the texts that a line brought along."""
    brought = line.message.get("texts")
    if isinstance(brought, dict):
        texts.update(brought)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:HASH_CHARS]


def _to_json(value: object) -> Any:
    """What JSON has no word for, as text: a log line is never lost to an odd value."""
    return str(value)

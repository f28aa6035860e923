"""Export sessions one after the other: whole or not at all, and never the same one twice.

Each session is written into a folder of its own below `DIR/.parts` and moved to its place when it
is complete; `export.json` then notes what it became, with the hash of the log's last line. A run
that was interrupted goes on with what is missing; a session that has grown is written anew.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server.errors import BadRequestError, ServerError
from server.export.episode import Episode, NotExportableError
from server.export.formats import ExportOptions, Progress, list_formats
from server.export.redaction import Redactor
from server.privacy.words import PrivateWords
from server.settings import find_config_dir

INDEX = "export.json"
PARTS = ".parts"
INDEX_VERSION = 1


@dataclass(frozen=True, slots=True)
class Exported:
    """What one session became.

    Attributes:
        status: `written`; `kept`: it was there already; `failed`: see `problem`.
        files: Paths below the folder, the main one first.
        redacted: What was taken out, as `Redactor.report` tells.
        notes: What could not be carried over.
    """

    session_id: str
    status: str
    steps: int = 0
    files: tuple[str, ...] = ()
    redacted: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""

    def to_wire(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value not in ("", (), {})}


def export_sessions(
    episodes: Iterable[Episode],
    folder: Path,
    format_name: str,
    *,
    redacted: bool = True,
    options: ExportOptions | None = None,
    progress: Callable[[Episode], Progress] = lambda episode: lambda: None,
) -> list[Exported]:
    """Write sessions in one format.

    Args:
        episodes: What to write.
        folder: Where; it is made. One folder holds one format.
        format_name: A name of `list_formats()`.
        redacted: Take private texts out.
        options: The person's choices.
        progress: Called for each session; what it returns is called for each step.

    Raises:
        BadRequestError: There is no such format, or the folder holds another one.
    """
    formats = list_formats()
    if format_name not in formats:
        raise BadRequestError(f"there is no format {format_name!r}: {', '.join(formats)}")
    chosen, options = formats[format_name], options or ExportOptions()
    index = _Index.open(folder, format_name, _choices(options, redacted))
    words = PrivateWords.load(options.config_dir or find_config_dir()) if redacted else None
    done: list[Exported] = []
    for episode in episodes:
        if (kept := index.find(episode)) is not None:
            done.append(kept)
            continue
        part = folder / PARTS / episode.session_id
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        try:
            redactor = Redactor.of(episode, words) if words is not None else Redactor(active=False)
            written = chosen.write(episode, part, redactor, options, progress(episode))
        except (NotExportableError, ServerError) as error:
            done.append(Exported(episode.session_id, "failed", problem=error.message))
            shutil.rmtree(part, ignore_errors=True)
            continue
        _move(part, folder)
        result = Exported(
            episode.session_id, "written", written.steps, written.files, redactor.report(),
            written.notes,
        )  # fmt: skip
        index.add(episode, result)
        done.append(result)
    shutil.rmtree(folder / PARTS, ignore_errors=True)
    if any(one.status != "failed" for one in done):
        chosen.finish(folder)
    return done


class _Index:
    """`export.json`: which session became what."""

    def __init__(self, path: Path, content: dict[str, Any]) -> None:
        self._path, self._content = path, content

    @classmethod
    def open(cls, folder: Path, format_name: str, choices: dict[str, Any]) -> _Index:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / INDEX
        fresh = {"v": INDEX_VERSION, "format": format_name, "options": choices, "sessions": {}}
        if not path.exists():
            return cls(path, fresh)
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            held, sessions = content["format"], content["sessions"]
        except (ValueError, KeyError, TypeError) as error:
            raise BadRequestError(
                f"{path} is not an index of an export; choose another folder with --to"
            ) from error
        if held != format_name:
            raise BadRequestError(
                f"{folder} holds an export as {held}; choose another folder with --to"
            )
        if content.get("options") != choices or not isinstance(sessions, dict):
            return cls(path, fresh)  # other choices: all of it is written anew
        return cls(path, content)

    def find(self, episode: Episode) -> Exported | None:
        entry = self._content["sessions"].get(episode.session_id)
        if not entry or entry.get("head") != episode.head or not episode.head:
            return None
        if not all((self._path.parent / name).exists() for name in entry["files"]):
            return None
        return Exported(
            episode.session_id, "kept", entry["steps"], tuple(entry["files"]),
            entry["redacted"], tuple(entry["notes"]),
        )  # fmt: skip

    def add(self, episode: Episode, result: Exported) -> None:
        self._content["sessions"][episode.session_id] = {
            "head": episode.head,
            "steps": result.steps,
            "files": list(result.files),
            "redacted": result.redacted,
            "notes": list(result.notes),
        }
        part = self._path.with_suffix(".json.part")
        text = json.dumps(self._content, ensure_ascii=False, indent=1) + "\n"
        part.write_text(text, encoding="utf-8")
        part.replace(self._path)


def _choices(options: ExportOptions, redacted: bool) -> dict[str, Any]:
    choices = asdict(options) | {"redacted": redacted}
    return {key: str(value) if isinstance(value, Path) else value for key, value in choices.items()}


def _move(part: Path, folder: Path) -> None:
    """Put the files of a finished session in their places; an older copy is replaced."""
    for path in sorted(part.rglob("*")):
        target = folder / path.relative_to(part)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            path.replace(target)
    shutil.rmtree(part, ignore_errors=True)

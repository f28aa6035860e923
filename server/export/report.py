"""One HTML page."""

from __future__ import annotations

from pathlib import Path

from server.export.episode import Episode, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor


def write(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    raise NotExportableError("x")

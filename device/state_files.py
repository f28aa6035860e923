"""Small facts about phones that outlive the process: one JSON file per phone, written durably."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any


class StateFiles:
    """A folder with one small file per phone.

    Args:
        directory: Made when the first file is written.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, serial: str, content: dict[str, Any]) -> None:
        """Replace a phone's file as a whole: after a crash there is the old one or the new one.

        Raises:
            OSError: The folder cannot be written.
        """
        path = self.path(serial)
        self.directory.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("w", encoding="utf-8") as file:
            json.dump({"serial": serial, **content}, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def read(self, serial: str) -> dict[str, Any]:
        """What was written; empty where there is nothing, or nothing that can be read."""
        try:
            content = json.loads(self.path(serial).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def forget(self, serial: str) -> None:
        self.path(serial).unlink(missing_ok=True)

    def path(self, serial: str, suffix: str = ".json") -> Path:
        """Where a phone's file is: named by a hash, because serials may hold anything."""
        digest = hashlib.sha256(serial.encode("utf-8", "replace")).hexdigest()[:24]
        return self.directory / f"{digest}{suffix}"

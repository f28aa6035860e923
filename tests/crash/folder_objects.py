"""An object store in a folder: for crashes, where a server of its own would only cost time."""

from __future__ import annotations

import errno
from pathlib import Path
from urllib.parse import quote, unquote

from server.records.disk import Disk, save_file
from server.records.objects import StoredObject


class FolderObjects:
    """One file per object."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)

    def get(self, key: str) -> bytes:
        return self._path(key).read_bytes()

    def put(self, key: str, data: bytes, *, new: bool = False) -> None:
        if new and self._path(key).exists():
            raise FileExistsError(errno.EEXIST, "another writer was first", key)
        save_file(Disk(), self._path(key), data)

    def list(self, prefix: str) -> list[StoredObject]:
        found = []
        for path in sorted(self._folder.iterdir()):
            key = unquote(path.name)
            if key.startswith(prefix) and path.suffix != ".part":
                found.append(StoredObject(key, path.stat().st_size, path.stat().st_mtime))
        return found

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / quote(key, safe="")

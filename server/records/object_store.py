"""Sessions in an object store: one object per record, since objects cannot be appended to.

```
traces/<session_id>.jsonl.d/0000000012      line 13 of the log, until the session ends
traces/<session_id>.jsonl                   all lines, once it has ended (compacted)
traces/<session_id>.events.jsonl[.d/…]      the same for its events
images/<session_id>/step_0001.png
```

A step's line is written last, after its pictures: that object is the step's commit marker. An
object is there whole or not at all, so that no line is ever torn. Lines that are both in the
compacted object and in objects of their own (a crash while compacting) count once, by their number.
A line's object is only written where there is none yet: of two writers one is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from server.errors import StorageError
from server.killpoints import reach
from server.records.lines import TAIL_BYTES, Lines
from server.records.objects import Objects, StoredObject
from server.records.storage_errors import storage_error
from server.records.store import (
    STEP_ENDINGS,
    StoredSession,
    check_image_name,
    check_session_id,
    is_session_id,
    step_name,
)

TRACES = "traces/"
IMAGES = "images/"
PART_MARK = ".d/"


class ObjectLines:
    """Lines in objects of their own, and those compacted into one."""

    def __init__(self, objects: Objects, key: str) -> None:
        self._objects = objects
        self._key = key
        self._next: int | None = None

    def exists(self) -> bool:
        return bool(self._find()[0] or self._find()[1])

    def read(self) -> Iterator[bytes]:
        whole, parts = self._find()
        count = 0
        if whole is not None:
            for line in self._objects.get(self._key).splitlines(keepends=True):
                count += 1
                yield line
        for part in parts:
            if _number(part) >= count:
                yield self._objects.get(part.key)

    def read_tail(self) -> list[bytes]:
        data = b"".join(self.read())
        tail = data[-TAIL_BYTES:].split(b"\n")
        return tail[1:-1] if len(data) > TAIL_BYTES else tail[:-1]

    def append(self, line: bytes, *, durable: bool) -> None:
        if self._next is None:
            self._next = self.count()
        reach("K9")
        self._objects.put(f"{self._key}{PART_MARK}{self._next:010}", line, new=True)
        self._next += 1

    def cut(self, size_bytes: int) -> None:
        self._write_whole(b"".join(self.read())[:size_bytes])

    def replace(self, data: bytes) -> str:
        kept = f"{self._key.removesuffix('.jsonl')}.damaged_{secrets.token_hex(4)}"
        self._objects.put(kept, b"".join(self.read()))
        self._write_whole(data)
        return kept.rpartition("/")[2]

    def compact(self) -> None:
        """Bring all lines into one object."""
        _, parts = self._find()
        if parts:
            self._write_whole(b"".join(self.read()))

    def size_bytes(self) -> int:
        whole, parts = self._find()
        if whole is not None and parts:
            return sum(len(line) for line in self.read())
        return (whole.size_bytes if whole else 0) + sum(part.size_bytes for part in parts)

    def count(self) -> int:
        whole, parts = self._find()
        if whole is None:
            return _number(parts[-1]) + 1 if parts else 0
        return sum(1 for _ in self.read())

    def modified_s(self) -> float:
        whole, parts = self._find()
        found = [*([whole] if whole else []), *parts]
        if not found:
            raise FileNotFoundError(self._key)
        return max(one.modified_s for one in found)

    def _find(self) -> tuple[StoredObject | None, list[StoredObject]]:
        found = self._objects.list(self._key)
        whole = next((one for one in found if one.key == self._key), None)
        return whole, [one for one in found if one.key.startswith(self._key + PART_MARK)]

    def _write_whole(self, data: bytes) -> None:
        _, parts = self._find()
        self._objects.put(self._key, data)
        reach("K15")
        for part in reversed(parts):  # from the end: what is left is always a beginning
            self._objects.delete(part.key)
        self._next = None


class ObjectStore:
    """Sessions under one prefix of an object store; see the module's text for the names."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def log(self, session_id: str) -> Lines:
        return self._lines(session_id, ".jsonl")

    def events(self, session_id: str) -> Lines:
        return self._lines(session_id, ".events.jsonl")

    def deletions(self) -> Lines:
        return ObjectLines(self._objects, f"{TRACES}deletions.jsonl")

    def list_sessions(self) -> list[StoredSession]:
        newest: dict[str, float] = {}
        for one in self._objects.list(TRACES):
            session_id = one.key.removeprefix(TRACES).partition(PART_MARK)[0].removesuffix(".jsonl")
            if is_session_id(session_id):
                newest[session_id] = max(one.modified_s, newest.get(session_id, 0.0))
        found = [StoredSession(session_id, moment) for session_id, moment in newest.items()]
        return sorted(found, key=lambda one: (one.modified_s, one.session_id), reverse=True)

    def list_images(self, session_id: str) -> list[str]:
        folder = self._folder(session_id)
        return [one.key.removeprefix(folder) for one in self._objects.list(folder)]

    def read_image(self, session_id: str, name: str) -> bytes:
        try:
            return self._objects.get(self._folder(session_id) + check_image_name(name))
        except OSError as error:
            raise storage_error("a stored screenshot cannot be read", error) from error

    def measure(self, session_id: str) -> int:
        return sum(one.size_bytes for one in self._all(session_id))

    def check_room(self) -> None:
        """An object store tells of no end."""

    def give_up_reserve(self) -> bool:
        return False

    def save_image(self, session_id: str, name: str, data: bytes) -> None:
        try:
            self._objects.put(self._folder(session_id) + check_image_name(name), data)
        except OSError as error:
            raise storage_error("the screenshot could not be stored", error) from error

    def set_aside(self, session_id: str, number: int) -> list[str]:
        folder = self._folder(session_id)
        mark = secrets.token_hex(4)
        new_names = []
        try:
            names = {one.key for one in self._objects.list(f"{folder}{step_name(number)}")}
            for ending in STEP_ENDINGS:
                key = f"{folder}{step_name(number)}{ending}"
                if key in names:
                    new_name = f"{step_name(number)}_failed_{mark}{ending}"
                    self._objects.put(folder + new_name, self._objects.get(key))
                    self._objects.delete(key)
                    new_names.append(new_name)
        except OSError as error:
            raise storage_error("the screenshot could not be renamed", error) from error
        return new_names

    def clean_up_step(self, session_id: str, number: int) -> list[str]:
        return self.set_aside(session_id, number)

    def seal(self, session_id: str) -> None:
        try:
            for suffix in (".jsonl", ".events.jsonl"):
                self._lines(session_id, suffix).compact()
        except OSError as error:
            raise storage_error("the session's records could not be compacted", error) from error

    def remove(self, session_id: str) -> None:
        try:
            for one in self._all(session_id):
                reach("K14")
                self._objects.delete(one.key)
        except OSError as error:
            raise storage_error("the session could not be deleted whole", error) from error

    def close(self) -> None:
        """Nothing is held."""

    def check(self) -> None:
        """Find out whether the store can be used.

        Raises:
            StorageError: It cannot.
        """
        try:
            self._objects.list(f"{TRACES}deletions")
        except OSError as error:
            raise StorageError(
                f"the object store cannot be used ({error.strerror}); check the bucket's name, the "
                "credentials and the network"
            ) from error

    def _lines(self, session_id: str, suffix: str) -> ObjectLines:
        return ObjectLines(self._objects, f"{TRACES}{check_session_id(session_id)}{suffix}")

    def _folder(self, session_id: str) -> str:
        return f"{IMAGES}{check_session_id(session_id)}/"

    def _all(self, session_id: str) -> list[StoredObject]:
        return [
            *self._objects.list(f"{TRACES}{check_session_id(session_id)}."),
            *self._objects.list(self._folder(session_id)),
        ]


def _number(part: StoredObject) -> int:
    """The line that an object holds, counted from 0."""
    return int(part.key.rpartition("/")[2])

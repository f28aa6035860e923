"""The phone's files, in memory, with a size cap and Android's permissions for the shell user."""

from __future__ import annotations

import posixpath
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_MAX_LINKS: Final = 16

#: Where the shell user may write. Everything else is read-only or denied.
WRITABLE: Final = ("/storage/emulated/0", "/data/local/tmp", "/data/misc/shell")
#: Parts of the read-only system image; writing elsewhere is denied, not read-only.
READ_ONLY: Final = ("/system", "/vendor", "/product", "/proc", "/sys", "/apex")
#: Directories that the shell user may enter but not list.
UNLISTABLE: Final = ("/data", "/data/data", "/data/app", "/data/misc", "/data/system")


class FileError(OSError):
    """A refused file operation, with the C library's errno number and text."""

    def __init__(self, number: int, text: str, path: str) -> None:
        super().__init__(number, text, path)
        self.number = number
        self.text = text
        self.path = path


def _error(kind: str, path: str) -> FileError:
    number, text = {
        "EPERM": (1, "Operation not permitted"),
        "ENOENT": (2, "No such file or directory"),
        "EACCES": (13, "Permission denied"),
        "EEXIST": (17, "File exists"),
        "ENOTDIR": (20, "Not a directory"),
        "EISDIR": (21, "Is a directory"),
        "EINVAL": (22, "Invalid argument"),
        "ENOSPC": (28, "No space left on device"),
        "EROFS": (30, "Read-only file system"),
        "ENOTEMPTY": (39, "Directory not empty"),
        "ELOOP": (40, "Too many symbolic links encountered"),
        "ENAMETOOLONG": (36, "File name too long"),
    }[kind]
    return FileError(number, text, path)


@dataclass(slots=True)
class Node:
    """A file, directory or link.

    Attributes:
        mode: Type and permission bits as `st_mode`.
        data: Content of a file.
        children: Entries of a directory, by name.
        target: Where a link points.
        mtime_s: Seconds since 1970.
    """

    mode: int
    data: bytearray = field(default_factory=bytearray)
    children: dict[str, Node] = field(default_factory=dict)
    target: str = ""
    mtime_s: float = 0.0

    @property
    def is_dir(self) -> bool:
        """Whether it is a directory."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)

    @property
    def size_bytes(self) -> int:
        """`st_size`."""
        if self.is_dir:
            return 4096
        return len(self.target) if self.is_link else len(self.data)


class FileSystem:
    """A tree of nodes. Paths are absolute POSIX paths."""

    def __init__(self, capacity_bytes: int = 256 * 1024 * 1024) -> None:
        self.capacity_bytes = capacity_bytes
        self.used_bytes = 0
        #: Asked before every write of data.
        self.is_full: Callable[[], bool] = lambda: False
        self._root = Node(stat.S_IFDIR | 0o755, mtime_s=time.time())

    @staticmethod
    def join(cwd: str, name: str) -> str:
        """An absolute, normalised path."""
        path = posixpath.normpath(posixpath.join(cwd, name))
        return "/" + path.lstrip("/")

    def find(self, path: str, *, follow: bool = True) -> Node:
        """The node at a path.

        Raises:
            FileError: It isn't there.
        """
        return self._resolve(path, follow=follow)[1]

    def real_path(self, path: str) -> str:
        """The path with all links followed; the last part need not exist."""
        return self._resolve(path, follow=True, missing_ok=True)[0]

    def exists(self, path: str) -> bool:
        """Whether a path leads to something."""
        try:
            self.find(path)
        except FileError:
            return False
        return True

    def names(self, path: str) -> list[str]:
        """Names in a directory that may be listed, sorted; none for anything else."""
        try:
            return [name for name, _ in self.list(path)]
        except FileError:
            return []

    def list(self, path: str) -> list[tuple[str, Node]]:
        """Entries of a directory, sorted by name.

        Raises:
            FileError: It is no directory, or the shell user may not list it.
        """
        real, node = self._resolve(path, follow=True)
        if not node.is_dir:
            raise _error("ENOTDIR", path)
        if real in UNLISTABLE:
            raise _error("EACCES", path)
        return sorted(node.children.items())

    def read(self, path: str) -> bytes:
        """A file's content.

        Raises:
            FileError: It isn't there, or is a directory.
        """
        node = self.find(path)
        if node.is_dir:
            raise _error("EISDIR", path)
        return bytes(node.data)

    def open_for_writing(self, path: str, *, append: bool = False, mode: int = 0o660) -> Node:
        """Creates or empties a file, to be filled with `append_data`.

        Raises:
            FileError: The place is not writable, or is a directory.
        """
        real = self._writable(path)
        parent, name = self._parent(real)
        node = parent.children.get(name)
        if node is None:
            node = Node(stat.S_IFREG | mode)
            parent.children[name] = node
        if node.is_dir:
            raise _error("EISDIR", path)
        if not append:
            self.used_bytes -= len(node.data)
            node.data = bytearray()
        node.mtime_s = time.time()
        return node

    def append_data(self, node: Node, data: bytes) -> None:
        """Adds bytes to an opened file.

        Raises:
            FileError: The disk is full; the bytes before these stay.
        """
        if self.used_bytes + len(data) > self.capacity_bytes:
            raise _error("ENOSPC", "")
        if data and self.is_full():
            raise _error("ENOSPC", "")
        node.data += data
        self.used_bytes += len(data)

    def write(self, path: str, data: bytes, *, mode: int = 0o660) -> None:
        """Replaces a whole file.

        Raises:
            FileError: The place is not writable, or the disk is full.
        """
        self.append_data(self.open_for_writing(path, mode=mode), data)

    def make_dir(self, path: str, *, parents: bool = False, mode: int = 0o770) -> None:
        """Creates a directory.

        Raises:
            FileError: It exists (unless `parents`), or the place is not writable.
        """
        real = self.real_path(path)
        if self.exists(real):
            if parents and self.find(real).is_dir:
                return
            raise _error("EEXIST", path)
        above = posixpath.dirname(real)
        if parents and not self.exists(above):
            self.make_dir(above, parents=True)
        self._writable(real)
        parent, name = self._parent(real)
        parent.children[name] = Node(stat.S_IFDIR | mode, mtime_s=time.time())

    def make_link(self, path: str, target: str) -> None:
        """Creates a symbolic link, in place of a file that is there.

        Raises:
            FileError: The place is not writable.
        """
        real = self._writable(path)
        parent, name = self._parent(real)
        parent.children[name] = Node(stat.S_IFLNK | 0o777, target=target, mtime_s=time.time())

    def remove(self, path: str, *, recursive: bool = False) -> None:
        """Removes a file, link or directory.

        Raises:
            FileError: It isn't there, not writable, or a directory that isn't empty.
        """
        above = self.real_path(posixpath.dirname(path) or "/")
        real = self.join(above, posixpath.basename(path))
        node = self.find(real, follow=False)
        if real in WRITABLE:
            raise _error("EACCES", path)
        self._check_writable(real, path)
        if node.is_dir and node.children and not recursive:
            raise _error("ENOTEMPTY", path)
        parent, name = self._parent(real)
        self.used_bytes -= sum(len(child.data) for _, child in self.walk(real))
        del parent.children[name]

    def rename(self, source: str, target: str) -> None:
        """Moves a file or directory, replacing a file that is there.

        Raises:
            FileError: Either place is not writable, or a directory would move into itself.
        """
        real_source, node = self._resolve(source, follow=False)
        real_target = self._writable(target)
        self._check_writable(real_source, source)
        if real_target == real_source:
            return
        if real_target.startswith(real_source + "/") or real_source in WRITABLE:
            raise _error("EINVAL", target)
        source_parent, source_name = self._parent(real_source)
        target_parent, target_name = self._parent(real_target)
        old = target_parent.children.get(target_name)
        if old is not None:
            if old.is_dir:
                raise _error("EISDIR", target)
            self.used_bytes -= len(old.data)
        del source_parent.children[source_name]
        target_parent.children[target_name] = node

    def walk(self, path: str) -> Iterator[tuple[str, Node]]:
        """The node at a path and all below it, parents first; links aren't followed."""
        pending = [(path, self.find(path, follow=False))]
        while pending:
            at, node = pending.pop()
            yield at, node
            pending += [
                (posixpath.join(at, name), child)
                for name, child in sorted(node.children.items(), reverse=True)
            ]

    def install(self, files: Mapping[str, bytes | str | None]) -> None:
        """Puts in place what the phone comes with; permissions don't apply.

        Args:
            files: By path: content, link target (str), or None for a directory.
        """
        for path, content in files.items():
            node = self._root
            steps = [step for step in path.split("/") if step]
            for step in steps[:-1]:
                node = node.children.setdefault(
                    step, Node(stat.S_IFDIR | 0o755, mtime_s=self._root.mtime_s)
                )
            mtime_s = self._root.mtime_s
            if content is None:
                new = Node(stat.S_IFDIR | 0o771, mtime_s=mtime_s)
            elif isinstance(content, str):
                new = Node(stat.S_IFLNK | 0o777, target=content, mtime_s=mtime_s)
            else:
                new = Node(stat.S_IFREG | 0o755, data=bytearray(content), mtime_s=mtime_s)
            node.children[steps[-1]] = new

    def may_write(self, path: str) -> bool:
        """Whether the shell user may write at a path."""
        try:
            self._writable(path)
        except FileError:
            return False
        return True

    def _writable(self, path: str) -> str:
        real = self.real_path(path)
        self._check_writable(real, path)
        return real

    @staticmethod
    def _check_writable(real: str, path: str) -> None:
        if any(real == top or real.startswith(top + "/") for top in WRITABLE):
            return
        read_only = real.count("/") == 1 or any(real.startswith(top + "/") for top in READ_ONLY)
        raise _error("EROFS" if read_only else "EACCES", path)

    def _parent(self, path: str) -> tuple[Node, str]:
        parent = self.find(posixpath.dirname(path))
        if not parent.is_dir:
            raise _error("ENOTDIR", path)
        name = posixpath.basename(path)
        if len(name.encode("utf-8", "surrogateescape")) > 255:
            raise _error("ENAMETOOLONG", path)
        return parent, name

    def _resolve(self, path: str, *, follow: bool, missing_ok: bool = False) -> tuple[str, Node]:
        """The real path and node; with `missing_ok` a missing path gives an empty node."""
        pending = [step for step in path.split("/") if step not in ("", ".")][::-1]
        trail: list[tuple[str, Node]] = [("", self._root)]
        links = 0
        while pending:
            step = pending.pop()
            if step == "..":
                del trail[max(1, len(trail) - 1) :]
                continue
            here = trail[-1][1]
            child = here.children.get(step) if here.is_dir else None
            if child is None:
                if here.is_dir and missing_ok and ".." not in pending:
                    names = [name for name, _ in trail] + [step, *reversed(pending)]
                    return "/".join(names) or "/", Node(0)
                raise _error("ENOENT" if here.is_dir else "ENOTDIR", path)
            if child.is_link and (follow or pending):
                links += 1
                if links > _MAX_LINKS:
                    raise _error("ELOOP", path)
                if child.target.startswith("/"):
                    del trail[1:]
                pending += [s for s in child.target.split("/") if s not in ("", ".")][::-1]
                continue
            trail.append((step, child))
        return "/".join(name for name, _ in trail) or "/", trail[-1][1]

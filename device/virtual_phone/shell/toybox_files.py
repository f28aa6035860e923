"""File commands of toybox: ls, rm, cp, stat, checksums and their kin."""

from __future__ import annotations

import hashlib
import posixpath
import stat
import time
from collections.abc import Callable, Mapping
from typing import Final

from device.virtual_phone.fs import FileError, Node
from device.virtual_phone.shell.options import read_options
from device.virtual_phone.shell.process import Command, Process

_CHUNK: Final = 256 * 1024


async def _cat(process: Process) -> int:
    status = 0
    for name in read_options(process.args, "uve").operands or ["-"]:
        try:
            source = (
                process.streams.stdin
                if name == "-"
                else process.system.open_source(process.path(name))
            )
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
            continue
        while data := await source.read(_CHUNK):
            await process.streams.stdout.write(data)
    return status


async def _ls(process: Process) -> int:
    options = read_options(process.args, "alAdhR1FiptSrnZ")
    status = 0
    names = options.operands or ["."]
    files: list[tuple[str, Node]] = []
    folders: list[str] = []
    for name in names:
        try:
            follow = not options.has("l", "d") or name.endswith("/")
            node = process.system.fs.find(process.path(name), follow=follow)
            if node.is_dir and not options.has("d"):
                folders.append(name)
            else:
                files.append((name, node))
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
    await process.out("".join(_entry(n, node, long=options.has("l")) for n, node in files))
    for name in folders:
        try:
            entries = process.system.fs.list(process.path(name))
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
            continue
        if not options.has("a", "A"):
            entries = [entry for entry in entries if not entry[0].startswith(".")]
        if options.has("t"):
            entries.sort(key=lambda entry: -entry[1].mtime_s)
        if options.has("S"):
            entries.sort(key=lambda entry: -entry[1].size_bytes)
        if options.has("r"):
            entries.reverse()
        text = f"{name}:\n" if len(names) > 1 else ""
        if options.has("l"):
            text += f"total {sum((node.size_bytes + 511) // 512 for _, node in entries)}\n"
        text += "".join(_entry(n, node, long=options.has("l")) for n, node in entries)
        await process.out(text)
    return status


def _entry(name: str, node: Node, *, long: bool) -> str:
    if not long:
        return name + "\n"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(node.mtime_s))
    arrow = f" -> {node.target}" if node.is_link else ""
    mode = stat.filemode(node.mode)
    return f"{mode} 1 shell shell {node.size_bytes:>8} {when} {name}{arrow}\n"


async def _rm(process: Process) -> int:
    options = read_options(process.args, "rRfiv")
    status = 0
    if not options.operands and not options.has("f"):
        return await process.fail('Needs 1 argument (see "rm --help")')
    for name in options.operands:
        recursive = options.has("r", "R")
        try:
            path = process.path(name)
            node = process.system.fs.find(path, follow=False)
            if node.is_dir and not recursive:
                status = await process.fail(f"{name}: Is a directory")
                continue
            process.system.fs.remove(path, recursive=recursive)
        except FileError as error:
            if error.number != 2 or not options.has("f"):
                status = await process.fail(f"{name}: {error.text}")
    return status


async def _each(process: Process, act: Callable[[str], None], names: list[str]) -> int:
    status = 0
    for name in names:
        try:
            act(process.path(name))
        except FileError as error:
            status = await process.fail(f"'{name}': {error.text}")
    return status


async def _mkdir(process: Process) -> int:
    options = read_options(process.args, "pv", "m")

    def make(path: str) -> None:
        process.system.fs.make_dir(path, parents=options.has("p"))

    return await _each(process, make, options.operands)


async def _rmdir(process: Process) -> int:
    options = read_options(process.args, "p")
    return await _each(process, process.system.fs.remove, options.operands)


async def _touch(process: Process) -> int:
    options = read_options(process.args, "acmh", "drt")

    def touch(path: str) -> None:
        if process.system.fs.exists(path):
            process.system.fs.find(path).mtime_s = time.time()
        elif not options.has("c"):
            process.system.fs.write(path, b"")

    return await _each(process, touch, options.operands)


async def _chmod(process: Process) -> int:
    options = read_options(process.args, "Rv")
    if len(options.operands) < 2:
        return await process.fail('Needs 2 arguments (see "chmod --help")')
    mode, *names = options.operands

    def change(path: str) -> None:
        node = process.system.fs.find(path)
        if not process.system.fs.may_write(path):
            raise FileError(1, "Operation not permitted", path)
        if mode.isdecimal():
            node.mode = stat.S_IFMT(node.mode) | (int(mode, 8) & 0o7777)
        elif "x" in mode:
            bits = 0o111
            node.mode = node.mode | bits if "+" in mode else node.mode & ~bits

    return await _each(process, change, names)


def _target_for(process: Process, source: str, target: str) -> str:
    path = process.path(target)
    fs = process.system.fs
    if fs.exists(path) and fs.find(path).is_dir:
        return posixpath.join(path, posixpath.basename(process.path(source)))
    return path


async def _copy_or_move(process: Process) -> int:
    options = read_options(process.args, "afnprRLPdvi")
    if len(options.operands) < 2:
        return await process.fail(f'Needs 2 arguments (see "{process.name} --help")')
    *sources, target = options.operands
    fs = process.system.fs
    status = 0
    for source in sources:
        try:
            place = _target_for(process, source, target)
            node = fs.find(process.path(source))
            if process.name == "mv":
                fs.rename(process.path(source), place)
            elif node.is_dir and not options.has("r", "R", "a"):
                status = await process.fail(f"Skipped dir '{source}'")
            else:
                _copy(process, fs.real_path(process.path(source)), place)
        except FileError as error:
            status = await process.fail(f"'{source}': {error.text}")
    return status


def _copy(process: Process, source: str, target: str) -> None:
    fs = process.system.fs
    for path, node in list(fs.walk(source)):
        place = target + path[len(source) :]
        if node.is_dir:
            fs.make_dir(place, parents=True)
        elif node.is_link:
            fs.make_link(place, node.target)
        else:
            fs.write(place, bytes(node.data), mode=node.mode & 0o777)


async def _ln(process: Process) -> int:
    options = read_options(process.args, "sfnv")
    if len(options.operands) != 2 or not options.has("s"):
        return await process.fail("cannot create hard link: Operation not permitted")
    target, name = options.operands
    return await _each(process, lambda path: process.system.fs.make_link(path, target), [name])


async def _stat(process: Process) -> int:
    options = read_options(process.args, "Lft", "c")
    status = 0
    for name in options.operands:
        try:
            node = process.system.fs.find(process.path(name), follow=options.has("L"))
        except FileError as error:
            status = await process.fail(f"'{name}': {error.text}")
            continue
        await process.out(_describe(name, node, options.values.get("c")) + "\n")
    return status


def _describe(name: str, node: Node, form: str | None) -> str:
    kind = "directory" if node.is_dir else "symbolic link" if node.is_link else "regular file"
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(node.mtime_s))
    mode = stat.S_IMODE(node.mode)
    if form is None:
        return (
            f"  File: {name}\n  Size: {node.size_bytes}\t Blocks: "
            f"{(node.size_bytes + 511) // 512}\t IO Blocks: 512\t{kind}\n"
            f"Device: fe2dh/65069d\t Inode: {id(node) & 0xFFFFF}\t Links: 1\n"
            f"Access: ({mode:04o}/{stat.filemode(node.mode)})\tUid: ( 2000/   shell)\t"
            f"Gid: ( 2000/   shell)\nModify: {when}.000000000 +0000"
        )
    values = {
        "n": name, "s": str(node.size_bytes), "F": kind, "a": f"{mode:o}", "y": when,
        "A": stat.filemode(node.mode), "Y": str(int(node.mtime_s)), "U": "shell", "u": "2000",
        "G": "shell", "g": "2000", "h": "1", "i": str(id(node) & 0xFFFFF), "%": "%",
    }  # fmt: skip
    text, at = "", 0
    while at < len(form):
        if form[at] == "%" and at + 1 < len(form):
            text += values.get(form[at + 1], "?")
            at += 1
        else:
            text += form[at]
        at += 1
    return text


async def _checksum(process: Process) -> int:
    options = read_options(process.args, "bs", "c")
    status = 0
    for name in options.operands or ["-"]:
        digest = hashlib.new(process.name.removesuffix("sum"), usedforsecurity=False)
        try:
            source = (
                process.streams.stdin
                if name == "-"
                else process.system.open_source(process.path(name))
            )
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
            continue
        while data := await source.read(_CHUNK):
            digest.update(data)
        await process.out(digest.hexdigest() + ("\n" if options.has("b") else f"  {name}\n"))
    return status


COMMANDS: Final[Mapping[str, Command]] = {
    "cat": _cat,
    "chmod": _chmod,
    "cp": _copy_or_move,
    "ln": _ln,
    "ls": _ls,
    "md5sum": _checksum,
    "mkdir": _mkdir,
    "mv": _copy_or_move,
    "rm": _rm,
    "rmdir": _rmdir,
    "sha1sum": _checksum,
    "sha256sum": _checksum,
    "stat": _stat,
    "touch": _touch,
}

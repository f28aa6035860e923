"""Commands about paths and disks: find, readlink, du, df and their kin."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Final

from device.virtual_phone.fs import FileError, Node
from device.virtual_phone.shell.options import read_options
from device.virtual_phone.shell.process import Command, Process


async def _readlink(process: Process) -> int:
    options = read_options(process.args, "fen")
    status = 0
    for name in options.operands:
        path = process.path(name)
        try:
            if options.has("f") or process.name == "realpath":
                await process.out(process.system.fs.real_path(path) + "\n")
                continue
            node = process.system.fs.find(path, follow=False)
            if node.is_link:
                await process.out(node.target + "\n")
            status = 0 if node.is_link else 1
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
    return status


async def _find(process: Process) -> int:
    args = list(process.args)
    roots: list[str] = []
    while args and not args[0].startswith(("-", "!")):
        roots.append(args.pop(0))
    tests = dict(zip(args[::2], args[1::2], strict=False))
    unknown = [name for name in tests if name not in ("-name", "-type", "-maxdepth", "-iname")]
    if unknown:
        return await process.fail(f"bad arg '{unknown[0]}'")
    status = 0
    for root in roots or ["."]:
        path = process.path(root)
        try:
            found = list(process.system.fs.walk(process.system.fs.real_path(path)))
        except FileError as error:
            status = await process.fail(f"{root}: {error.text}")
            continue
        top = process.system.fs.real_path(path)
        shown = [root + at[len(top) :] for at, node in found if _matches(at, top, node, tests)]
        await process.out("".join(line + "\n" for line in shown))
    return status


def _matches(path: str, top: str, node: Node, tests: Mapping[str, str]) -> bool:
    name = posixpath.basename(path)
    depth = path[len(top) :].count("/")
    kind = "d" if node.is_dir else "l" if node.is_link else "f"
    maximum = tests.get("-maxdepth", "")
    return (
        ("-name" not in tests or fnmatchcase(name, tests["-name"]))
        and ("-iname" not in tests or fnmatchcase(name.lower(), tests["-iname"].lower()))
        and ("-type" not in tests or tests["-type"] == kind)
        and (not maximum.isdecimal() or depth <= int(maximum))
    )


async def _du(process: Process) -> int:
    options = read_options(process.args, "sahkmcx", "d")
    status = 0
    for name in options.operands or ["."]:
        try:
            nodes = process.system.fs.walk(process.system.fs.real_path(process.path(name)))
            total_kib = sum((node.size_bytes + 4095) // 4096 * 4 for _, node in nodes)
        except FileError as error:
            status = await process.fail(f"{name}: {error.text}")
            continue
        await process.out(f"{total_kib}\t{name}\n")
    return status


async def _df(process: Process) -> int:
    fs = process.system.fs
    total, used = fs.capacity_bytes // 1024, fs.used_bytes // 1024
    rows = [
        ("/dev/block/dm-0", 853_000, 850_000, "/"),
        ("/dev/block/dm-5", total, used, "/data"),
        ("/dev/fuse", total, used, "/storage/emulated"),
    ]
    text = "Filesystem      1K-blocks     Used Available Use% Mounted on\n"
    for device, size, taken, place in rows:
        percent = f"{taken * 100 // max(1, size)}%"
        text += f"{device:<15} {size:>9} {taken:>8} {size - taken:>9} {percent:>4} {place}\n"
    await process.out(text)
    return 0


async def _mount(process: Process) -> int:
    if process.args:
        return await process.fail(f"'{process.args[-1]}'->'/': Permission denied")
    await process.out(
        "/dev/block/dm-0 on / type ext4 (ro,seclabel,nodev,relatime)\n"
        "/dev/block/dm-5 on /data type f2fs (rw,lazytime,seclabel,nosuid,nodev,noatime)\n"
        "/dev/fuse on /storage/emulated type fuse (rw,lazytime,nosuid,nodev,noexec,noatime)\n"
    )
    return 0


async def _name_part(process: Process) -> int:
    if not process.args:
        return await process.fail(f'Needs 1 argument (see "{process.name} --help")')
    path = process.args[0].rstrip("/") or "/"
    if process.name == "dirname":
        text = posixpath.dirname(path) or "."
    else:
        text = posixpath.basename(path) or "/"
        suffix = process.args[1] if len(process.args) > 1 else ""
        text = text.removesuffix(suffix) or text
    await process.out(text + "\n")
    return 0


COMMANDS: Final[Mapping[str, Command]] = {
    "basename": _name_part,
    "df": _df,
    "dirname": _name_part,
    "du": _du,
    "find": _find,
    "mount": _mount,
    "readlink": _readlink,
    "realpath": _readlink,
}

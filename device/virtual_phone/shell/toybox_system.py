"""Commands about the system and about other commands: id, ps, kill, sleep, xargs, sh."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.builtins import BUILTINS
from device.virtual_phone.shell.options import read_count, read_options
from device.virtual_phone.shell.process import Command, Process, decode_text

_GROUPS: Final = (
    "2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),"
    "3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid)"
)


async def _id(process: Process) -> int:
    options = read_options(process.args, "ugnGZr")
    if process.name == "whoami":
        text = "shell"
    elif options.has("u", "g"):
        text = "shell" if options.has("n") else "2000"
    else:
        text = f"uid=2000(shell) gid=2000(shell) groups={_GROUPS} context=u:r:shell:s0"
    await process.out(text + "\n")
    return 0


async def _uname(process: Process) -> int:
    options = read_options(process.args, "asnrvmo")
    parts = {
        "s": "Linux", "n": "localhost", "r": "5.15.110-android14-11-gcc48824eebe8",
        "v": "#1 SMP PREEMPT Thu Feb 8 21:53:12 UTC 2024", "m": "aarch64", "o": "Toybox",
    }  # fmt: skip
    chosen = parts if options.has("a") else {k: v for k, v in parts.items() if options.has(k)}
    await process.out(" ".join((chosen or {"s": "Linux"}).values()) + "\n")
    return 0


async def _date(process: Process) -> int:
    options = read_options(process.args, "u", "dDr")
    form = next((arg[1:] for arg in options.operands if arg.startswith("+")), None)
    now_s = time.time()
    clock = time.gmtime(now_s)
    form = "%a %b %e %H:%M:%S UTC %Y" if form is None else form
    form = form.replace("%s", str(int(now_s))).replace("%N", f"{int(now_s % 1 * 1e9):09d}")
    form = form.replace("%e", f"{clock.tm_mday:2d}").replace("%F", "%Y-%m-%d")
    await process.out(time.strftime(form.replace("%T", "%H:%M:%S"), clock) + "\n")
    return 0


async def _uptime(process: Process) -> int:
    up_s = int(process.system.uptime_s)
    now = time.strftime("%H:%M:%S", time.gmtime())
    await process.out(
        f" {now} up {up_s // 3600}:{up_s // 60 % 60:02d},  0 users,  "
        "load average: 0.10, 0.08, 0.05\n"
    )
    return 0


async def _sleep(process: Process) -> int:
    total_s = 0.0
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    for arg in process.args:
        number = arg[:-1] if arg[-1:] in units else arg
        try:
            seconds = float(number)
        except ValueError:
            seconds = -1.0
        if not 0.0 <= seconds < 1e9:
            return await process.fail(f"bad number '{arg}'" if arg else "Needs 1 argument")
        total_s += seconds * units.get(arg[-1:], 1.0)
    if not process.args:
        return await process.fail('Needs 1 argument (see "sleep --help")')
    await asyncio.sleep(total_s)
    return 0


async def _ps(process: Process) -> int:
    wide = any(arg.startswith("-") and "o" in arg for arg in process.args)
    rows = process.system.process_rows()
    if wide:
        text = "  PID NAME\n" + "".join(f"{pid:>5} {name}\n" for _, pid, name in rows)
    else:
        text = "USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME\n"
        text += "".join(
            f"{user:<12} {pid:>5}   389 13825544 98304 0                   0 S {name}\n"
            for user, pid, name in rows
        )
    await process.out(text)
    return 0


async def _pidof(process: Process) -> int:
    wanted = [arg for arg in process.args if not arg.startswith("-")]
    found = [str(pid) for _, pid, name in process.system.process_rows() if name in wanted]
    if process.name == "pgrep":
        found = [str(p) for _, p, n in process.system.process_rows() if any(w in n for w in wanted)]
    separator = "\n" if process.name == "pgrep" else " "
    if found:
        await process.out(separator.join(found) + "\n")
    return 0 if found else 1


async def _kill(process: Process) -> int:
    wanted = [arg for arg in process.args if not arg.startswith("-")]
    if process.name in ("pkill", "killall"):
        rows = process.system.process_rows()
        wanted = [str(pid) for _, pid, name in rows if any(w in name for w in wanted)]
        if not wanted:
            return 1
    status = 0
    for pid in wanted:
        refused = process.system.kill(int(pid)) if pid.isdecimal() else "No such process"
        if refused:
            status = 1
            await process.err(f"/system/bin/sh: {process.name}: {pid}: {refused}\n")
    return status


async def _which(process: Process) -> int:
    status = 0
    for name in [arg for arg in process.args if not arg.startswith("-")]:
        if process.system.find_command(name) is None:
            status = 1
        else:
            await process.out((name if "/" in name else f"/system/bin/{name}") + "\n")
    return status


async def _dd(process: Process) -> int:
    settings = dict(arg.split("=", 1) for arg in process.args if "=" in arg)
    block = read_count(settings.get("bs", "512"))
    limit = read_count(settings["count"]) * block if "count" in settings else None
    skip = read_count(settings.get("skip", "0")) * block
    try:
        name = settings.get("if")
        source = process.system.open_source(process.path(name)) if name else process.streams.stdin
        target = settings.get("of")
        sink = process.system.open_sink(process.path(target)) if target else process.streams.stdout
    except FileError as error:
        return await process.fail(f"{error.path}: {error.text}")
    done = 0
    while limit is None or done < limit + skip:
        data = await source.read(65536 if limit is None else min(65536, limit + skip - done))
        if not data:
            break
        start = min(len(data), max(0, skip - done))
        done += len(data)
        await sink.write(data[start:])
        await asyncio.sleep(0)
    done = max(0, done - skip)
    await process.err(
        f"{done // max(1, block)}+{int(done % max(1, block) > 0)} records in\n"
        f"{done // max(1, block)}+{int(done % max(1, block) > 0)} records out\n"
        f"{done} bytes copied\n"
    )
    return 0


async def _timeout(process: Process) -> int:
    options = read_options_before_command(process.args)
    if len(options) < 2:
        return await process.fail('Needs 2 arguments (see "timeout --help")')
    try:
        limit_s = float(options[0].rstrip("s"))
    except ValueError:
        return await process.fail(f"bad number '{options[0]}'")
    try:
        async with asyncio.timeout(limit_s):
            return await process.shell.call(options[1], options[2:], process.streams)
    except TimeoutError:
        return 124


def read_options_before_command(args: list[str]) -> list[str]:
    """Drops leading options (`-k 5`, `-s 9`, `-i`) of commands that run another."""
    rest = list(args)
    while rest and rest[0].startswith("-") and len(rest[0]) > 1:
        option = rest.pop(0)
        if option in ("-k", "-s", "-n") and rest:
            rest.pop(0)
    return rest


async def _xargs(process: Process) -> int:
    options = list(process.args)
    limit = 5000
    while options and options[0].startswith("-"):
        option = options.pop(0)
        if option == "-n" and options:
            limit = max(1, read_count(options.pop(0)))
    command = options or ["echo"]
    words = decode_text(await process.streams.stdin.read_all()).split()
    status = 0
    for start in range(0, len(words), limit):
        args = [*command[1:], *words[start : start + limit]]
        status = await process.shell.call(command[0], args, process.streams) or status
    return status


async def _run_another(process: Process) -> int:
    """`toybox NAME`, `nohup NAME`, `env A=b NAME`, `su` without root."""
    args = list(process.args)
    if process.name == "env":
        while args and "=" in args[0]:
            name, _, value = args.pop(0).partition("=")
            process.shell.variables[name] = value
        if not args:
            shown = {**process.shell.variables, "PWD": process.shell.cwd}
            await process.out("".join(f"{k}={v}\n" for k, v in shown.items()))
            return 0
    args = args if process.name == "toybox" else read_options_before_command(args)
    if not args:
        names = process.system.command_names()
        await process.out(" ".join(names) + "\n")
        return 0
    if process.name == "toybox" and process.system.find_command(args[0]) is None:
        await process.err(f"toybox: Unknown command {args[0]}\n")
        return 127
    return await process.shell.call(args[0], args[1:], process.streams)


async def _sh(process: Process) -> int:
    """`sh -c 'script' name args...`, `sh file`, or a script from standard input."""
    args = list(process.args)
    child = process.shell.fork()
    while args and args[0].startswith("-") and args[0] != "-c" and len(args[0]) > 1:
        if args.pop(0).endswith("c"):
            args.insert(0, "-c")
    if args and args[0] == "-c":
        if len(args) < 2:
            await process.err("sh: -c requires an argument\n")
            return 1
        child.parameters = args[2:] or ["sh"]
        return await child.run(args[1], process.streams)
    if not args:
        script = await process.streams.stdin.read_all()
        return await child.run(decode_text(script), process.streams)
    try:
        script = process.system.fs.read(process.path(args[0]))
    except FileError as error:
        await process.err(f"sh: {args[0]}: {error.text}\n")
        return 127
    child.parameters = args
    return await child.run(decode_text(script), process.streams)


async def _yes(process: Process) -> int:
    line = (" ".join(process.args) or "y") + "\n"
    while True:
        await process.out(line * 256)
        await asyncio.sleep(0)


async def _as_builtin(process: Process) -> int:
    return await BUILTINS[process.name](process)


async def _quiet(process: Process) -> int:
    return 0


async def _clear(process: Process) -> int:
    await process.out("\x1b[2J\x1b[H")
    return 0


async def _free(process: Process) -> int:
    await process.out(
        "\t\ttotal        used        free      shared     buffers\n"
        "Mem:       7867408384  6291456000  1575952384    62914560     8388608\n"
        "-/+ buffers/cache:     6283067392  1584340992\n"
        "Swap:      3221225472   536870912  2684354560\n"
    )
    return 0


COMMANDS: Final[Mapping[str, Command]] = {
    "[": _as_builtin,
    "clear": _clear,
    "date": _date,
    "dd": _dd,
    "echo": _as_builtin,
    "env": _run_another,
    "false": _as_builtin,
    "free": _free,
    "id": _id,
    "kill": _kill,
    "killall": _kill,
    "nohup": _run_another,
    "pgrep": _pidof,
    "pidof": _pidof,
    "pkill": _kill,
    "ps": _ps,
    "pwd": _as_builtin,
    "setsid": _run_another,
    "sh": _sh,
    "sleep": _sleep,
    "sync": _quiet,
    "test": _as_builtin,
    "timeout": _timeout,
    "toybox": _run_another,
    "true": _as_builtin,
    "uname": _uname,
    "uptime": _uptime,
    "which": _which,
    "whoami": _id,
    "xargs": _xargs,
    "yes": _yes,
}

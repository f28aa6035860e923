"""The Android system around the phone: files, processes, properties, faults, time.

Everything that a command may use hangs on one `Userland`; it belongs to the event loop's thread.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, TypeVar

from device.virtual_phone.agents.http_agent import HttpAgent
from device.virtual_phone.faults import Fault, FaultPlan
from device.virtual_phone.framework.input_method import leave_helper_keyboard
from device.virtual_phone.framework.properties import system_properties
from device.virtual_phone.framework.registry import find_command, installed_commands
from device.virtual_phone.fs import FileError, FileSystem
from device.virtual_phone.journal import Journal
from device.virtual_phone.profile import Profile, fold
from device.virtual_phone.quirks import Right
from device.virtual_phone.shell.builtins import LeaveLoop, LeaveShell
from device.virtual_phone.shell.interpreter import FileSink
from device.virtual_phone.shell.io import BytesSource, NullSink, Sink, Source
from device.virtual_phone.shell.options import UsageError
from device.virtual_phone.shell.process import Command, Process
from device.virtual_phone.surface import Phone

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

_ENVIRONMENT = {
    "_": "/system/bin/sh",
    "ANDROID_ASSETS": "/system/app",
    "ANDROID_BOOTLOGO": "1",
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "ANDROID_STORAGE": "/storage",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "LOGNAME": "shell",
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin",
    "SHELL": "/bin/sh",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}


class _RandomSource(Source):
    """`/dev/urandom` and `/dev/zero`: they never end."""

    def __init__(self, *, zero: bool) -> None:
        super().__init__()
        self._zero = zero

    async def _next(self) -> bytes:
        return bytes(65536) if self._zero else os.urandom(65536)


class Userland:
    """The phone as its shell sees it."""

    def __init__(self, phone: Phone, profile: Profile) -> None:
        """Boots the userland.

        Args:
            phone: The screen, apps and settings behind the commands.
            profile: Facts that commands print.
        """
        self.phone = phone
        self.profile = profile
        self._unfolded = profile
        self.journal = Journal()
        self.faults = FaultPlan(profile.seed)
        self.random = random.Random(f"{profile.seed} {profile.serialno}")
        self.fs = FileSystem()
        self.environment = {**_ENVIRONMENT, "HOSTNAME": profile.device}
        #: Programs that clients brought along and that listen on a TCP port of the phone.
        self.agents: dict[int, HttpAgent] = {}
        #: Title of the window that made the last picture black, as one that forbids capture does.
        self.secure_window = ""
        #: Packages that were started for another Android user than 0, with that user.
        self.other_users: dict[str, int] = {}
        #: Whether the vendor's developer option is on that lets adb do what it is denied.
        self.vendor_switch_on = profile.vendor_switch_on
        #: Called by `reboot`: drops the connections and refuses new ones for a while.
        self.on_reboot: Callable[[], None] = lambda: None
        #: Called when all faults are switched off.
        self.on_faults_cleared: Callable[[], None] = lambda: None
        #: Cuts all connections, as a pulled cable does.
        self.drop_connections: Callable[[], None] = lambda: None
        phone.on_launch = self._launched
        self._line = ""
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="paint")
        self._running: dict[int, tuple[str, asyncio.Task[int]]] = {}
        self._next_pid = 9000
        self._ticked_s = time.monotonic()
        self._boot()

    def _boot(self) -> None:
        self.boot_id = str(uuid.UUID(int=self.random.getrandbits(128), version=4))
        self.booted_s = time.monotonic()
        self.properties = system_properties(self.profile, self.boot_id)
        self.set_vendor_switch(self.vendor_switch_on)
        self._install_files()

    def _install_files(self) -> None:
        self.fs.is_full = lambda: self.take_fault("disk_full", self._line) is not None
        directories = [
            "/storage/emulated/0/" + name
            for name in ("Android", "DCIM", "Documents", "Download", "Movies", "Music", "Pictures")
        ]
        self.fs.install(
            {
                **{path: None for path in directories if not self.fs.exists(path)},
                "/sdcard": "/storage/self/primary",
                "/storage/self/primary": "/storage/emulated/0",
                "/mnt/sdcard": "/storage/self/primary",
                "/bin": "/system/bin",
                "/etc": "/system/etc",
                "/dev/null": b"",
                "/proc/version": b"Linux version 5.15.110-android14-11 (clang version 17.0.2)\n",
                "/proc/meminfo": b"MemTotal:        7682992 kB\nMemFree:          512340 kB\n"
                b"MemAvailable:    3012344 kB\n",
                "/proc/sys/kernel/random/boot_id": self.boot_id.encode() + b"\n",
                "/system/etc/hosts": b"127.0.0.1       localhost\n::1             ip6-localhost\n",
                "/system/framework/input.jar": b"",
                **{f"/system/bin/{name}": b"#!/system/bin/sh\n" for name in installed_commands()},
            }
        )
        for path in ("/data/local/tmp", "/data/data", "/data/app", "/data/misc/shell"):
            if not self.fs.exists(path):
                self.fs.install({path: None})

    @property
    def not_found_text(self) -> str:
        """What the shell says of an unknown command."""
        return "inaccessible or not found" if self.profile.sdk >= 29 else "not found"

    @property
    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return time.monotonic() - self.booted_s

    def find_command(self, name: str) -> Command | None:
        """The command for a name or a path in /system/bin; None if there is none."""
        return find_command(name)

    def command_names(self) -> list[str]:
        """Names of all commands, sorted."""
        return installed_commands()

    async def run_process(self, command: Command, process: Process) -> int:
        """Runs a command as a process of its own, so that `kill` and a closed stream end it."""
        line = " ".join([process.name, *process.args])
        self.before_command(line)
        task = asyncio.ensure_future(self.guard(command, process))
        pid = self._register(process.name, task)
        started_s = time.monotonic()
        status = -1
        try:
            status = await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling() > 0:
                raise
            status = 137
            await process.err("Killed \n")
        finally:
            del self._running[pid]
            took_ms = round((time.monotonic() - started_s) * 1000, 1)
            self.journal.add("command", line[:2000], status=status, took_ms=took_ms)
        return status & 0xFF

    async def guard(self, command: Command, process: Process) -> int:
        """Runs a command; one that fails inside ends like a crashed program, not the shell."""
        try:
            return await command(process)
        except UsageError as error:
            return await process.fail(str(error))
        except (FileError, BrokenPipeError, LeaveShell, LeaveLoop):
            raise
        except Exception:
            log.exception("%s %s failed", process.name, process.args)
            await process.err("Aborted \n")
            return 134

    def before_command(self, line: str) -> None:
        """Lets the phone's clock catch up, and those faults strike that change the screen."""
        self.catch_up()
        self._line = line
        phone = self.phone
        if self.take_fault("asleep", line) is not None:
            phone.key(223)
        if self.take_fault("locked", line) is not None:
            phone.locked = True
        if self.take_fault("keyboard_gone", line) is not None:
            leave_helper_keyboard(phone)
        stack = phone.task_stack()
        if stack and self.take_fault("app_anr", line) is not None:
            phone.show_alert("anr", stack[0].package)

    def _launched(self, package: str) -> None:
        """Lets those faults strike that an app shows when it is opened."""
        late = self.take_fault("late_ui", package)
        if late is not None:
            self.phone.show_splash(package, late.delay_s)
        if self.take_fault("permission_dialog", package) is not None:
            self.phone.show_alert("permission", package)
        if self.take_fault("app_crash", package) is not None:
            self.phone.show_alert("crash", package)

    def take_fault(self, name: str, text: str) -> Any:
        """Asks the fault plan, and writes a strike into the journal."""
        fault = self.faults.take(name, text)
        if fault is not None:
            self.journal.add("fault", name, at=text[:200])
        return fault

    def add_fault(self, fault: Fault) -> None:
        """Switches a fault on; a phone that forgets the computer's key drops its connections."""
        self.faults.add(fault)
        self.journal.add("state", "fault added", **asdict(fault))
        if fault.name == "unauthorized":
            self.drop_connections()

    def clear_faults(self) -> None:
        """Switches all faults off; whoever waits for a key to be accepted is let in."""
        self.faults.clear()
        self.on_faults_cleared()

    def set_vendor_switch(self, on: bool) -> None:
        """Switches the vendor's developer option; Xiaomi keeps it in a property too."""
        self.vendor_switch_on = on
        if "persist.security.adbinput" in self.properties:
            self.properties["persist.security.adbinput"] = str(int(on))

    def set_folded(self, folded: bool) -> None:
        """Closes a foldable, or opens it: its picture moves to the other panel."""
        self.profile = fold(self._unfolded) if folded else self._unfolded
        self.phone.use_profile(self.profile)

    @property
    def is_folded(self) -> bool:
        """Whether a foldable is closed."""
        return self.profile is not self._unfolded

    def denies(self, right: Right, text: str) -> bool:
        """Whether adb is kept from something: by the vendor's switch, or by a fault.

        Args:
            right: What it is about.
            text: The command line that is under way.
        """
        switch = self.profile.quirks.vendor_switch
        if switch is not None and not self.vendor_switch_on and right in switch.denies:
            return True
        if right == "install":
            return False
        fault = "inject_denied" if right == "input" else "settings_denied"
        return self.take_fault(fault, text) is not None

    def catch_up(self) -> None:
        """Advances the phone's clock to now."""
        now_s = time.monotonic()
        elapsed_s, self._ticked_s = now_s - self._ticked_s, now_s
        self.phone.advance(elapsed_s)

    def gesture(self, text: str, act: Callable[[], None]) -> None:
        """Does one input on the phone and writes it into the journal."""
        self.catch_up()
        self.journal.add("gesture", text)
        act()

    def start_job(self, job: Coroutine[Any, Any, int]) -> tuple[int, asyncio.Task[int]]:
        """Runs something beside the shell, with a pid; it ends at the latest with the phone."""
        task = asyncio.ensure_future(job)
        pid = self._register("sh", task)
        task.add_done_callback(lambda _: self._running.pop(pid, None))
        return pid, task

    def _register(self, name: str, task: asyncio.Task[int]) -> int:
        pid = self._next_pid
        self._next_pid += 1
        self._running[pid] = (name, task)
        return pid

    async def in_thread(self, work: Callable[..., _Result], *args: Any) -> _Result:
        """Runs work that only reads its arguments, off the event loop."""
        loop = asyncio.get_running_loop()
        waiting: Awaitable[_Result] = loop.run_in_executor(self._threads, work, *args)
        return await waiting

    def open_source(self, path: str) -> Source:
        """Opens a file for reading.

        Raises:
            FileError: It isn't there, or is a directory.
        """
        if path in ("/dev/urandom", "/dev/random", "/dev/zero"):
            return _RandomSource(zero=path == "/dev/zero")
        if path == "/dev/null":
            return BytesSource()
        if path == "/proc/uptime":
            return BytesSource(f"{self.uptime_s:.2f} {self.uptime_s * 6:.2f}\n".encode())
        return BytesSource(self.fs.read(path))

    def open_sink(self, path: str, *, append: bool = False, terminal: Sink | None = None) -> Sink:
        """Opens a file for writing.

        Args:
            path: Where to write.
            append: Keep what is there.
            terminal: What `/dev/tty`, `/dev/stdout` and `/proc/self/fd/1` stand for.

        Raises:
            FileError: The place is not writable.
        """
        if path == "/dev/null":
            return NullSink()
        if terminal is not None and path in ("/dev/tty", "/dev/stdout", "/proc/self/fd/1"):
            return terminal
        return FileSink(self, self.fs.open_for_writing(path, append=append))

    def process_rows(self) -> list[tuple[str, int, str]]:
        """User, pid and name of everything that runs, by pid."""
        system = [
            ("root", 1, "init"), ("system", 611, "surfaceflinger"), ("root", 389, "zygote64"),
            ("system", 1450, "system_server"), ("shell", 702, "adbd"),
        ]  # fmt: skip
        apps = [(f"u0_a{pid % 200}", pid, package) for package, pid in self.phone.running()]
        own = [("shell", pid, name) for pid, (name, _) in self._running.items()]
        return sorted([*system, *apps, *own], key=lambda row: row[1])

    def kill(self, pid: int) -> str:
        """Ends a process of the shell user; gives the reason if it can't."""
        running = self._running.get(pid)
        if running is not None:
            running[1].cancel()
            return ""
        known = any(row[1] == pid for row in self.process_rows())
        return "Operation not permitted" if known else "No such process"

    def reboot(self) -> None:
        """Restarts the system: apps end, files and settings stay, the connections drop."""
        self.journal.add("state", "reboot")
        for package, _ in self.phone.running():
            self.phone.force_stop(package)
        self.phone.key(224)
        self.phone.key(3)
        self._boot()
        self.on_reboot()

    def reset(self) -> None:
        """Goes back to the state of a fresh start; what still runs is killed."""
        for _, task in self._running.values():
            task.cancel()
        if self.is_folded:
            self.set_folded(False)
        self.phone.reset()
        self.clear_faults()
        self.journal.clear()
        self.other_users.clear()
        self.secure_window = ""
        self.vendor_switch_on = self.profile.vendor_switch_on
        self.fs = FileSystem()
        self._boot()
        self.journal.add("state", "reset")

    async def tick_forever(self, interval_s: float = 0.05) -> None:
        """Keeps the phone's clock going."""
        while True:
            await asyncio.sleep(interval_s)
            try:
                self.catch_up()
            except Exception:
                log.exception("the phone's clock failed")

    async def stop(self) -> None:
        """Ends all jobs and threads."""
        tasks = [task for _, task in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

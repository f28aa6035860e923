"""`service`, `logcat`, `content`, `reboot` and other small ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.settings import NAMESPACES
from device.virtual_phone.shell.process import Command, Process

#: System services by name, with the interface that `service list` prints.
SERVICES: Final[Mapping[str, str]] = {
    "SurfaceFlinger": "",
    "accessibility": "android.view.accessibility.IAccessibilityManager",
    "activity": "android.app.IActivityManager",
    "battery": "",
    "bluetooth_manager": "android.bluetooth.IBluetoothManager",
    "clipboard": "android.content.IClipboard",
    "connectivity": "android.net.IConnectivityManager",
    "display": "android.hardware.display.IDisplayManager",
    "input": "android.hardware.input.IInputManager",
    "input_method": "com.android.internal.view.IInputMethodManager",
    "notification": "android.app.INotificationManager",
    "package": "android.content.pm.IPackageManager",
    "power": "android.os.IPowerManager",
    "settings": "",
    "statusbar": "com.android.internal.statusbar.IStatusBarService",
    "uimode": "android.app.IUiModeManager",
    "user": "android.os.IUserManager",
    "wifi": "android.net.wifi.IWifiManager",
    "window": "android.view.IWindowManager",
}


async def _service(process: Process) -> int:
    match process.args:
        case ["check", name]:
            found = "found" if name in SERVICES else "not found"
            await process.out(f"Service {name}: {found}\n")
        case ["list"]:
            rows = "".join(f"{n}\t{k}: [{SERVICES[k]}]\n" for n, k in enumerate(SERVICES))
            await process.out(f"Found {len(SERVICES)} services:\n{rows}")
        case ["call", name, *_]:
            await process.out(
                'Result: Parcel(Error: 0xffffffffffffffff "Operation not permitted")\n'
                if name in SERVICES
                else f"service: Service {name} does not exist\n"
            )
        case _:
            await process.out("Usage: service [-h|-?]\n       service list\n")
            return 10
    return 0


async def _logcat(process: Process) -> int:
    """An almost empty log; without `-d` it waits for more until the caller goes away."""
    if any(arg in ("-c", "--clear") for arg in process.args):
        return 0
    if any(arg in ("-g",) for arg in process.args):
        await process.out("main: ring buffer is 256 KiB (1 KiB consumed), max entry is 5120 B\n")
        return 0
    when = time.strftime("%m-%d %H:%M:%S.000", time.gmtime())
    await process.out(
        f"--------- beginning of main\n{when}   702   702 I adbd    : host connected\n"
    )
    if not any(arg.startswith(("-d", "-t")) for arg in process.args):
        await asyncio.get_running_loop().create_future()
    return 0


async def _content(process: Process) -> int:
    """`content query --uri content://settings/NAMESPACE`; there is no other provider."""
    args = list(process.args)
    uri = args[args.index("--uri") + 1] if "--uri" in args[:-1] else ""
    space = uri.removeprefix("content://settings/").partition("/")[0]
    if not args or args[0] not in ("query", "insert", "update", "delete", "call", "read"):
        await process.err("usage: adb shell content [subcommand] [options]\n")
        return 0
    if not uri.startswith("content://settings/") or space not in NAMESPACES or args[0] != "query":
        authority = uri.removeprefix("content://").partition("/")[0]
        await process.err(
            f"Error while accessing provider:{authority}\n"
            f"java.lang.IllegalStateException: Could not find provider: {authority}\n"
            "\tat com.android.commands.content.Content$Command.execute(Content.java:523)\n"
        )
        return 1
    wanted = uri.removeprefix(f"content://settings/{space}").strip("/")
    where = args[args.index("--where") + 1] if "--where" in args[:-1] else ""
    if where.startswith("name="):
        wanted = where.removeprefix("name=").strip("'\"")
    values = process.system.phone.settings.get(space, {})
    names = [name for name in sorted(values) if wanted in ("", name)]
    if not names:
        await process.out("No result found.\n")
        return 0
    await process.out(
        "".join(
            f"Row: {n} _id={n + 1}, name={name}, value={values[name]}\n"
            for n, name in enumerate(names)
        )
    )
    return 0


async def _reboot(process: Process) -> int:
    process.system.reboot()
    return 0


async def _start_stop(process: Process) -> int:
    await process.err(f"{process.name}: must be root\n")
    return 1


async def _getenforce(process: Process) -> int:
    await process.out("Enforcing\n")
    return 0


COMMANDS: Final[Mapping[str, Command]] = {
    "content": _content,
    "getenforce": _getenforce,
    "logcat": _logcat,
    "reboot": _reboot,
    "service": _service,
    "start": _start_stop,
    "stop": _start_stop,
}

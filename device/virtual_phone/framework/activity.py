"""`am` and `monkey`: starting, stopping, broadcasting."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.faults import Fault
from device.virtual_phone.framework.components import component_of, full_component, short_component
from device.virtual_phone.framework.errors import throw
from device.virtual_phone.framework.input_method import receive_broadcast
from device.virtual_phone.framework.intents import Intent, IntentError, read_intent
from device.virtual_phone.framework.packages import (
    HOME_CATEGORY,
    USER_DENIED,
    find_package,
    home_component,
    launcher_of,
)
from device.virtual_phone.shell.process import Command, Process

#: Which app answers an action that names no component, by the action's or data's beginning.
_HANDLERS: Final[tuple[tuple[str, str], ...]] = (
    ("android.settings.", "com.android.settings"),
    ("http://", "com.android.browser"),
    ("https://", "com.android.browser"),
    ("content://contacts", "com.android.contacts"),
    ("android.intent.action.SET_ALARM", "com.android.deskclock"),
    ("android.intent.action.SHOW_ALARMS", "com.android.deskclock"),
)


async def _am(process: Process) -> int:
    if not process.args:
        await process.out("Activity manager (activity) commands:\n  start-activity | force-stop\n")
        return 255
    command, *rest = process.args
    try:
        match command:
            case "start" | "start-activity":
                return await _start(process, read_intent(rest))
            case "broadcast":
                return await _broadcast(process, read_intent(rest))
            case "startservice" | "start-service" | "start-foreground-service":
                intent = read_intent(rest)
                await process.out(f"Starting service: {intent.describe()}\n")
                await process.err("Error: Not found; no service started.\n")
                return 1
            case "force-stop" | "stop-app" | "kill":
                return await _stop(process, rest)
            case "get-current-user":
                await process.out("0\n")
                return 0
            case "stack" | "task":
                return await _list_tasks(process)
            case "kill-all":
                return 0
            case _:
                await process.out(f"Unknown command: {command}\n")
                return 255
    except IntentError as error:
        exception = f"java.lang.IllegalArgumentException: {error}\n"
        trace = "\tat android.content.Intent.parseCommandArgs(Intent.java:7945)\n"
        return await throw(process, command, exception + trace)


def _resolve(process: Process, intent: Intent) -> str | None:
    """The component that an intent starts, or None."""
    phone = process.system.phone
    if intent.component:
        return full_component(intent.component)
    package = intent.package
    if package is None and HOME_CATEGORY in intent.categories:
        return home_component(phone)
    if package is None:
        subject = intent.data or intent.action or ""
        package = next((app for start, app in _HANDLERS if subject.startswith(start)), None)
    found = find_package(phone, package) if package else None
    return launcher_of(found) if found is not None else None


async def _start(process: Process, intent: Intent) -> int:
    if not (intent.component or intent.action or intent.data or intent.package):
        raise IntentError("No intent supplied")
    phone = process.system.phone
    if "-S" in intent.options and intent.component:
        phone.force_stop(intent.component.partition("/")[0])
    if intent.component:
        intent.component = short_component(intent.component)
    elif intent.package and intent.action is None:
        intent.action = "android.intent.action.MAIN"
        intent.categories = intent.categories or ["android.intent.category.LAUNCHER"]
    await process.out(f"Starting: {intent.describe()}\n")
    target = _resolve(process, intent)
    if target is None:
        shown = intent.describe(intent.flags | 0x10000000)
        await process.err(f"Error: Activity not started, unable to resolve {shown}\n")
        return 1
    focus = phone.focus()
    already_top = focus is not None and full_component(component_of(focus)) == target
    extras = {key: value for key, value in intent.extras.items() if isinstance(value, str)}
    process.system.catch_up()
    if not _set_user(process, target, intent):
        return await throw(process, "start", f"{USER_DENIED} {intent.user}")
    if await _start_slowly(process, target, intent):
        return 0
    result = phone.start_activity(
        target, action=intent.action, data=intent.data, extras=extras or None
    ).name.lower()
    if result == "not_found":
        await process.err(f"Error type 3\nError: Activity class {{{target}}} does not exist.\n")
        return 0 if process.system.profile.sdk < 28 else 1
    if already_top:
        await process.err(
            "Warning: Activity not started, intent has been delivered to currently running "
            "top-most instance.\n"
        )
    elif result == "brought_to_front":
        await process.err(
            "Warning: Activity not started, its current task has been brought to the front\n"
        )
    if "-W" in intent.options:
        state = "UNKNOWN (0)" if already_top else "HOT" if result != "started" else "COLD"
        launched = f"LaunchState: {state}\n" if process.system.profile.sdk >= 29 else ""
        text = f"Status: ok\n{launched}Activity: {short_component(target)}\n"
        text += "" if already_top else "TotalTime: 214\n"
        await process.out(text + "WaitTime: 218\nComplete\n")
    return 0


async def _start_slowly(process: Process, target: str, intent: Intent | None = None) -> bool:
    """Lets an app come to the front only later, if the fault strikes; `-W` doesn't wait for it."""
    system = process.system
    if find_package(system.phone, target.partition("/")[0]) is None:
        return False
    slow: Fault | None = system.take_fault("app_slow", target)
    if slow is None:
        return False
    delay_s = slow.delay_s

    async def start_later() -> int:
        await asyncio.sleep(delay_s)
        system.catch_up()
        system.phone.start_activity(target)
        return 0

    system.start_job(start_later())
    if intent is not None and "-W" in intent.options:
        await process.out(
            f"Status: timeout\nActivity: {short_component(target)}\nWaitTime: 10012\nComplete\n"
        )
    return True


def _set_user(process: Process, target: str, intent: Intent) -> bool:
    """Notes for which Android user the app starts; False for one that is closed to the shell."""
    quirks, package = process.system.profile.quirks, target.partition("/")[0]
    if intent.user in ("", "0", "current", "cur"):
        process.system.other_users.pop(package, None)
        return True
    known = {str(user.id): user.id for user in quirks.users if user.id != quirks.closed_user}
    if intent.user not in known:
        return False
    process.system.other_users[package] = known[intent.user]
    return True


async def _broadcast(process: Process, intent: Intent) -> int:
    await process.out(f"Broadcasting: {intent.describe(intent.flags | 0x400000)}\n")
    answer = receive_broadcast(process.system, intent)
    told = "result=0" if answer is None else f'result=-1, data="{answer}"'
    await process.out(f"Broadcast completed: {told}\n")
    return 0


async def _stop(process: Process, args: list[str]) -> int:
    names = [arg for arg in args if not arg.startswith("-") and not arg.isdecimal()]
    if not names:
        await process.err("Error: no package name given\n")
        return 1
    process.system.catch_up()
    process.system.phone.force_stop(names[0])
    return 0


async def _list_tasks(process: Process) -> int:
    for position, task in enumerate(process.system.phone.task_stack()):
        await process.out(
            f"RootTask id={position + 1} bounds=[0,0][{process.system.phone.width_px},"
            f"{process.system.phone.height_px}] displayId=0 userId=0\n"
            f"  taskId={position + 1}: {component_of(task)} visible={str(position == 0).lower()}\n"
        )
    return 0


async def _monkey(process: Process) -> int:
    """`monkey -p PACKAGE -c android.intent.category.LAUNCHER 1`, as launchers use it."""
    args = list(process.args)
    packages: list[str] = []
    values: list[str] = []
    count = ""
    has_keys = process.system.profile.quirks.hardware_keys
    while args:
        arg = args.pop(0)
        if arg == "-p" and args:
            packages.append(args.pop(0))
            values.append(packages[-1])
        elif arg == "--pct-syskeys" and args:
            has_keys = has_keys or args.pop(0) in ("0", "0.0")
        elif arg in ("-c", "-s", "--throttle", "--pct-touch") and args:
            values.append(args.pop(0))
        elif arg.isdecimal():
            count = arg
        elif not arg.startswith("-"):
            await process.err(f"** Error: Unknown option: {arg}\n")
            return 255
    if not count:
        await process.err("** Error: Count not specified\n")
        return 255
    system = process.system
    found = [info for name in packages if (info := find_package(system.phone, name)) is not None]
    target = next((component for info in found if (component := launcher_of(info))), None)
    if target is None:
        await process.out("** No activities found to run, monkey aborted.\n")
        return 252
    if not has_keys:
        await process.err("** SYS_KEYS has no physical keys but with factor 2.0%.\n")
        return 251
    if system.profile.sdk <= 28:
        await process.err("".join(f"  bash arg: {arg}\n" for arg in process.args))
    await process.err(f"args: [{', '.join(process.args)}]\n")
    await process.err("".join(f' arg: "{arg}"\n' for arg in process.args))
    await process.err("".join(f'data="{value}"\n' for value in values))
    system.catch_up()
    if not await _start_slowly(process, target):
        system.phone.start_activity(target, action="android.intent.action.MAIN")
    if system.denies("input", "monkey"):
        await process.err("// Injection Failed\n")
    await process.out(
        f"Events injected: {count}\n"
        "## Network stats: elapsed time=4ms (0ms mobile, 0ms wifi, 4ms not connected)\n"
    )
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"am": _am, "monkey": _monkey}

"""`pm` and `cmd package`: what is installed and how it starts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.apk import ApkError, read_apk
from device.virtual_phone.framework.components import (
    component_of,
    full_component,
    short_component,
)
from device.virtual_phone.framework.errors import throw
from device.virtual_phone.framework.input_method import forget_keyboards
from device.virtual_phone.framework.intents import IntentError, read_intent
from device.virtual_phone.fs import FileError
from device.virtual_phone.shell.process import Command, Process
from device.virtual_phone.surface import PackageInfo, Phone

LAUNCHER_CATEGORY: Final = "android.intent.category.LAUNCHER"
HOME_CATEGORY: Final = "android.intent.category.HOME"
#: Followed by the number of the user that is closed.
USER_DENIED: Final = "java.lang.SecurityException: Shell does not have permission to access user"


def find_package(phone: Phone, name: str) -> PackageInfo | None:
    """An installed package by its exact name."""
    return next((info for info in phone.packages() if info.package == name), None)


def home_component(phone: Phone) -> str | None:
    """The full component of the home screen: the last of all tasks."""
    stack = phone.task_stack()
    return full_component(component_of(stack[-1])) if stack else None


def launcher_of(info: PackageInfo) -> str | None:
    """The full component that starts an app; None for one without a launcher entry."""
    name = info.launcher_activity
    if not name:
        return None
    return full_component(name if "/" in name else f"{info.package}/{name}")


def apk_path(info: PackageInfo) -> str:
    """Where the package's APK lies; apps that were installed have random parts in it."""
    if info.system:
        folder = info.package.rsplit(".", 1)[-1].capitalize()
        return f"/system/app/{folder}/{folder}.apk"
    digest = hashlib.sha256(info.package.encode()).digest()
    outer = base64.urlsafe_b64encode(digest[:16]).decode()
    inner = base64.urlsafe_b64encode(digest[16:]).decode()[:22] + "=="
    return f"/data/app/~~{outer}/{info.package}-{inner}/base.apk"


async def _pm(process: Process) -> int:
    if not process.args:
        await process.out("Package manager (package) commands:\n  list | path | clear | install\n")
        return 255
    command, *rest = process.args
    match command:
        case "list":
            return await _list(process, rest)
        case "path":
            return await _path(process, rest)
        case "clear":
            return await _clear(process, rest)
        case "dump":
            return await process.shell.call("dumpsys", ["package", *rest], process.streams)
        case "install":
            return await _install(process, rest)
        case "install-create" | "install-streaming" | "install-incremental":
            return await _refuse_session(process, rest)
        case "uninstall":
            return await _uninstall(process, rest)
        case "resolve-activity":
            return await _resolve_activity(process, rest)
        case "query-activities":
            return await _query_activities(process, rest)
        case "grant" | "revoke" | "enable" | "suspend" | "unsuspend":
            return await _on_package(process, command, rest)
        case "has-feature":
            await process.out("true\n" if "touchscreen" in " ".join(rest) else "false\n")
            return 0
        case "get-max-users":
            await process.out("Maximum supported users: 4\n")
            return 0
        case _:
            await process.out(f"Unknown command: {command}\n")
            return 255


async def _list(process: Process, args: list[str]) -> int:
    what = args[0] if args else ""
    match what:
        case "packages" | "package":
            return await _list_packages(process, args[1:])
        case "users":
            await process.out(_users(process))
        case "features":
            await process.out(
                "feature:reqGlEsVersion=0x30002\nfeature:android.hardware.bluetooth\n"
                "feature:android.hardware.camera\nfeature:android.hardware.touchscreen\n"
                "feature:android.hardware.wifi\nfeature:android.software.input_methods\n"
            )
        case "permissions" | "permission-groups" | "libraries" | "instrumentation":
            await process.out("")
        case _:
            await process.err(f"Error: unknown list type '{what}'\n")
            return 255
    return 0


def _users(process: Process) -> str:
    quirks = process.system.profile.quirks
    tab = "\t" if quirks.users_indented else ""
    rows = "".join(f"{tab}UserInfo{{{u.id}:{u.name}:{u.flags}}} running\n" for u in quirks.users)
    return "Users:\n" + rows


async def _list_packages(process: Process, args: list[str]) -> int:
    quirks = process.system.profile.quirks
    flags: set[str] = set()
    pattern = ""
    user = "all"
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--user":
            user = rest.pop(0) if rest else ""
            known = {str(each.id) for each in quirks.users} | {"all", "current", "cur"}
            if user not in known:
                await process.err(f"Error: java.lang.SecurityException: User {user} unknown\n")
                return 255
        elif arg.startswith("--"):
            flags.add(arg)
        elif arg.startswith("-"):
            flags.update(arg[1:])
        else:
            pattern = arg
    unknown = flags - set("3sfeiuUl") - {"--show-versioncode", "--apex-only"} - {"d"}
    if unknown:
        await process.err(f"Error: Unknown option: -{sorted(unknown)[0]}\n")
        return 255
    closed = quirks.closed_user
    denied = closed is not None and user in ("all", str(closed))
    if denied and not quirks.lists_before_denial:
        return await throw(process, "list", _user_denied(closed))
    rows: list[str] = []
    for info in process.system.phone.packages():
        if pattern not in info.package or "d" in flags or "--apex-only" in flags:
            continue
        if ("3" in flags and info.system) or ("s" in flags and not info.system):
            continue
        text = "package:" + (f"{apk_path(info)}=" if "f" in flags else "") + info.package
        text += f" versionCode:{info.version_code}" if "--show-versioncode" in flags else ""
        text += "  installer=null" if "i" in flags else ""
        text += f" uid:{info.uid}" if "U" in flags else ""
        rows.append(text + "\n")
    if denied:
        await process.out("".join(rows[: len(rows) // 2]))
        await process.err(f"Error: {USER_DENIED} {closed}\n")
        return 255
    await process.out("".join(rows))
    return 0


def _user_denied(user: int | None) -> str:
    return (
        f"{USER_DENIED} {user}\n"
        " com.android.server.am.ActivityManagerService.handleIncomingUser:14983 "
        "android.app.ActivityManager.handleIncomingUser:3953\n"
    )


def _operand(args: list[str]) -> str:
    rest = list(args)
    while rest and rest[0].startswith("-"):
        if rest.pop(0) == "--user" and rest:
            rest.pop(0)
    return rest[0] if rest else ""


async def _path(process: Process, args: list[str]) -> int:
    info = find_package(process.system.phone, _operand(args))
    if info is None:
        return 1
    await process.out(f"package:{apk_path(info)}\n")
    return 0


async def _clear(process: Process, args: list[str]) -> int:
    name = _operand(args)
    if find_package(process.system.phone, name) is None:
        await process.out("Failed\n")
        return 1
    process.system.catch_up()
    process.system.phone.clear_data(name)
    await process.out("Success\n")
    return 0


async def _on_package(process: Process, command: str, args: list[str]) -> int:
    name = _operand(args)
    if find_package(process.system.phone, name) is not None:
        return 0
    await process.err(f"Error: java.lang.IllegalArgumentException: Unknown package: {name}\n")
    return 255


async def _install(process: Process, args: list[str]) -> int:
    """Takes an APK from standard input (`-S SIZE`) or from a file, and installs it."""
    if "-S" in args:
        at = args.index("-S") + 1
        size_text = args[at] if at < len(args) else ""
        left = int(size_text) if size_text.isdecimal() else 0
        parts = []
        while left > 0 and (data := await process.streams.stdin.read(min(left, 1 << 18))):
            parts.append(data)
            left -= len(data)
        content = b"".join(parts)
    else:
        path = next((arg for arg in args if arg.endswith(".apk")), "")
        try:
            content = process.system.fs.read(process.path(path))
        except FileError as error:
            await process.err(f"Error: failed to open {path}: {error.text}\n")
            return 1
    system = process.system
    if system.denies("install", " ".join(["pm install", *args])):
        reason = "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"
    else:
        try:
            apk = read_apk(content)
        except ApkError as error:
            reason = f"INSTALL_PARSE_FAILED_NOT_APK: {error}"
        else:
            system.phone.install(apk.package, apk.version_name, apk.version_code)
            system.journal.add("state", "installed", package=apk.package)
            await process.out("Success\n")
            return 0
    await process.out(f"Failure [{reason}]\n")
    return 1


async def _uninstall(process: Process, args: list[str]) -> int:
    """Removes what was installed; the apps that came with the phone stay."""
    name = _operand(args)
    phone = process.system.phone
    if find_package(phone, name) is None:
        await process.out("Failure [not installed for 0]\n")
        return 1
    if not phone.uninstall(name):
        await process.out("Failure [DELETE_FAILED_USER_RESTRICTED]\n")
        return 1
    forget_keyboards(phone, name)
    process.system.journal.add("state", "uninstalled", package=name)
    await process.out("Success\n")
    return 0


async def _refuse_session(process: Process, args: list[str]) -> int:
    await process.out("Failure [INSTALL_FAILED_USER_RESTRICTED: this phone takes single APKs]\n")
    return 1


def _candidates(process: Process, args: list[str]) -> list[str]:
    """Full components that match an intent.

    Raises:
        IntentError: The arguments are no intent.
    """
    intent = read_intent([arg for arg in args if arg not in ("--brief", "--components")])
    packages = process.system.phone.packages()
    if intent.component:
        packages = [p for p in packages if launcher_of(p) == full_component(intent.component)]
    if intent.package:
        packages = [info for info in packages if info.package == intent.package]
    home = home_component(process.system.phone)
    if home is not None and HOME_CATEGORY in intent.categories:
        return [home]
    if not intent.package and LAUNCHER_CATEGORY not in intent.categories:
        subject = intent.data or ""
        wanted = "com.android.browser" if subject.startswith("http") else None
        if (intent.action or "").startswith("android.settings."):
            wanted = "com.android.settings"
        packages = [info for info in packages if info.package == wanted]
    found = [component for info in packages if (component := launcher_of(info))]
    second = process.system.profile.quirks.second_launcher
    if second is not None:
        package = second.partition("/")[0]
        at = next((n for n, c in enumerate(found) if c.partition("/")[0] == package), None)
        if at is not None:
            found.insert(at + 1, second)
    return found


_MATCH: Final = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"


_CHOOSER: Final = "android/com.android.internal.app.ResolverActivity"


async def _resolve_activity(process: Process, args: list[str]) -> int:
    try:
        found = _candidates(process, args)
    except IntentError as error:
        await process.err(f"Error: {error}\n")
        return 255
    if not found:
        await process.out("No activity found\n")
        return 0
    same_app = {component.partition("/")[0] for component in found}
    if len(found) > 1 and len(same_app) == 1:
        found = [_CHOOSER]
    component = short_component(found[0])
    if "--brief" in args:
        match = _MATCH.replace("0x108000", "0x0") if found == [_CHOOSER] else _MATCH
        old = process.system.profile.sdk < 28
        await process.out(("" if old else match + "\n") + component + "\n")
        return 0
    await process.out(_describe(found[0]))
    return 0


def _describe(component: str) -> str:
    package, _, name = component.partition("/")
    return (
        f"{_MATCH}\nActivityInfo:\n  name={name}\n  packageName={package}\n"
        f"  enabled=true exported=true directBootAware=false\n  taskAffinity={package}\n"
        f"  ApplicationInfo:\n    packageName={package}\n    labelRes=0x7f0f001e\n"
    )


async def _query_activities(process: Process, args: list[str]) -> int:
    try:
        found = _candidates(process, args)
    except IntentError as error:
        await process.err(f"Error: {error}\n")
        return 255
    if not found:
        await process.out("No activities found\n")
        return 0
    text = f"{len(found)} activities found:\n"
    for position, component in enumerate(found):
        if "--components" in args:
            text += short_component(component) + "\n"
        elif "--brief" in args:
            text += f"  Activity #{position}:\n    {_MATCH}\n    {short_component(component)}\n"
        else:
            body = _describe(component).replace("\n", "\n    ").rstrip()
            text += f"  Activity #{position}:\n    {body}\n"
    await process.out(text.partition("\n")[2] if "--components" in args else text)
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"pm": _pm}

"""`dumpsys`: what the system services say of themselves."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from device.virtual_phone.framework.components import short_component
from device.virtual_phone.framework.dump_display import (
    dump_display,
    dump_input,
    dump_power,
    dump_surface_flinger,
)
from device.virtual_phone.framework.dump_window import dump_activity, dump_window
from device.virtual_phone.framework.input_method import selected_keyboard
from device.virtual_phone.framework.packages import apk_path, find_package, launcher_of
from device.virtual_phone.framework.services import SERVICES
from device.virtual_phone.framework.settings import get_setting
from device.virtual_phone.shell.process import Command, Process

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland


def _dump_input_method(system: Userland, args: list[str]) -> str:
    phone = system.phone
    shown = str(phone.ime_shown).lower()
    editable = phone.focused_editable
    focus = phone.focus()
    package = focus.package if focus is not None else ""
    return (
        "Current Input Method Manager state:\n"
        f"  Input Methods: mMethodMapUpdateCount=2\n"
        "  Clients:\n"
        f"    ClientState{{{zlib.crc32(package.encode()) & 0xFFFFFFF:x} uid=10100 pid=3100}}\n"
        f"  mCurMethodId={selected_keyboard(phone)}\n"
        f"  mCurFocusedWindowName={focus.window if focus is not None else 'null'}\n"
        f"  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false "
        f"mInputShown={shown}\n"
        f"  mInputViewStarted={shown}\n  mIsInputViewShown={shown}\n"
        f"  mServedView={'android.widget.EditText' if editable else 'null'}\n"
        f"  mServedInputConnection={'RemoteInputConnectionImpl' if editable else 'null'}\n"
        f"  mCurrentUserId=0\n  mSystemReady=true mInteractive="
        f"{str(phone.wakefulness == 'Awake').lower()}\n"
    )


def _dump_package(system: Userland, args: list[str]) -> str:
    name = next((arg for arg in args if not arg.startswith("-")), "")
    if not name:
        return "".join(f"Package [{p.package}]\n" for p in system.phone.packages())
    info = find_package(system.phone, name)
    if info is None:
        return f"Unable to find package: {name}\n"
    token = f"{zlib.crc32(name.encode()) & 0xFFFFFFF:x}"
    component = launcher_of(info)
    text = ""
    if component is not None:
        shown = short_component(component)
        text = (
            "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n"
            f"        {token} {shown} filter {token}\n"
            '          Action: "android.intent.action.MAIN"\n'
            '          Category: "android.intent.category.LAUNCHER"\n\n'
        )
    flags = "[ SYSTEM HAS_CODE ALLOW_CLEAR_USER_DATA ]" if info.system else "[ HAS_CODE ]"
    folder = apk_path(info).rpartition("/")[0]
    return text + (
        f"Packages:\n  Package [{name}] ({token}):\n    userId={info.uid}\n"
        f"    pkg=Package{{{token} {name}}}\n    codePath={folder}\n"
        f"    versionCode={info.version_code} minSdk=26 targetSdk={system.profile.sdk}\n"
        f"    versionName={info.version_name}\n    signatures=PackageSignatures{{{token} "
        f"version:2, signatures:[{token}], past signatures:[]}}\n    flags={flags}\n"
        f"    pkgFlags={flags}\n    dataDir=/data/user/0/{name}\n"
        "    timeStamp=2024-03-05 08:00:00\n    firstInstallTime=2024-03-05 08:00:00\n"
        "    lastUpdateTime=2024-03-05 08:00:00\n    installerPackageName=null\n"
        "    User 0: ceDataInode=1234 installed=true hidden=false suspended=false stopped=false "
        "notLaunched=false enabled=0 instant=false virtual=false\n"
    )


def _dump_battery(system: Userland, args: list[str]) -> str:
    return (
        "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n"
        "  Wireless powered: false\n  Dock powered: false\n  Max charging current: 500000\n"
        "  Max charging voltage: 5000000\n  Charge counter: 3900000\n  status: 2\n  health: 2\n"
        "  present: true\n  level: 87\n  scale: 100\n  voltage: 4213\n  temperature: 281\n"
        "  technology: Li-ion\n"
    )


def _dump_accessibility(system: Userland, args: list[str]) -> str:
    enabled = get_setting(system.phone, "secure", "enabled_accessibility_services")
    shown = "" if enabled == "null" else enabled.replace(":", ", ")
    return (
        "ACCESSIBILITY MANAGER (dumpsys accessibility)\n\ncurrentUserId=0\nUser state[\n"
        "     attributes:{id=0, touchExplorationEnabled=false, serviceHandlesDoubleTap=false, "
        "requestMultiFingerGestures=false}\n"
        f"     installed services: {{}}\n     Bound services:{{}}\n"
        f"     Enabled services:{{{shown}}}\n     Binding services:{{}}\n"
        "     Crashed services:{}]\n" + _ui_automation(system)
    )


def _ui_automation(system: Userland) -> str:
    if not system.agents:
        return ""
    return "  Ui Automation[eventTypes=TYPES_ALL_MASK, notificationTimeout=0]\n"


def _dump_notification(system: Userland, args: list[str]) -> str:
    return "Current Notification Manager state:\n  Notification List:\n"


def _dump_statusbar(system: Userland, args: list[str]) -> str:
    focus = system.phone.focus()
    open_shade = focus is not None and focus.window == "NotificationShade"
    return f"  mDisabled1=0x0\n  mExpandedVisible={str(open_shade).lower()}\n"


def _dump_wifi(system: Userland, args: list[str]) -> str:
    on = get_setting(system.phone, "global", "wifi_on") != "0"
    return f"Wi-Fi is {'enabled' if on else 'disabled'}\nStay-awake conditions: 0\n"


def _dump_bluetooth(system: Userland, args: list[str]) -> str:
    on = get_setting(system.phone, "global", "bluetooth_on") == "1"
    state = "ON" if on else "OFF"
    return f"Bluetooth Status\n  enabled: {str(on).lower()}\n  state: {state}\n"


_DUMPS: Final[Mapping[str, Callable[[Userland, list[str]], str]]] = {
    "SurfaceFlinger": dump_surface_flinger,
    "accessibility": _dump_accessibility,
    "activity": dump_activity,
    "battery": _dump_battery,
    "bluetooth_manager": _dump_bluetooth,
    "display": dump_display,
    "input": dump_input,
    "input_method": _dump_input_method,
    "notification": _dump_notification,
    "package": _dump_package,
    "power": dump_power,
    "statusbar": _dump_statusbar,
    "wifi": _dump_wifi,
    "window": dump_window,
}


async def _dumpsys(process: Process) -> int:
    args = list(process.args)
    while args and args[0] in ("-t", "-T", "--priority"):
        del args[:2]
    if not args or args[0] == "-l":
        rows = "".join(f"  {name}\n" for name in SERVICES)
        await process.out(f"Currently running services:\n{rows}")
        return 0
    name, *rest = args
    if name not in SERVICES:
        await process.err(f"Can't find service: {name}\n")
        return 0
    process.system.catch_up()
    dump = _DUMPS.get(name)
    await process.out(dump(process.system, rest) if dump is not None else "")
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"dumpsys": _dumpsys}

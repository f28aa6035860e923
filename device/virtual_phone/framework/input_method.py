"""`ime`, and the keyboard that types what a broadcast says."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from device.virtual_phone.framework.errors import settings_denied
from device.virtual_phone.framework.intents import Intent
from device.virtual_phone.framework.settings import put_setting
from device.virtual_phone.quirks import Right
from device.virtual_phone.shell.process import Command, Process
from device.virtual_phone.surface import Phone

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland

ADB_KEYBOARD: Final = "com.android.adbkeyboard/.AdbIME"
#: The keyboard of uiautomator2's helper app, which can be installed; it acknowledges.
AUTOMATOR_KEYBOARD: Final = "com.github.uiautomator/.AdbKeyboard"
LATIN_KEYBOARD: Final = "com.android.inputmethod.latin/.LatinIME"


def installed_keyboards(phone: Phone) -> list[str]:
    """Components of all keyboards on the phone."""
    packages = {info.package for info in phone.packages()}
    known = [LATIN_KEYBOARD, ADB_KEYBOARD, AUTOMATOR_KEYBOARD]
    found = [name for name in known if name.partition("/")[0] in packages]
    extra = [*enabled_keyboards(phone), selected_keyboard(phone)]
    return list(dict.fromkeys([*found, *(name for name in extra if name)]))


def enabled_keyboards(phone: Phone) -> list[str]:
    """Components of the keyboards that may be selected."""
    text = phone.settings.get("secure", {}).get("enabled_input_methods", "")
    return [name.partition(";")[0] for name in text.split(":") if name]


def selected_keyboard(phone: Phone) -> str:
    """Component of the keyboard in use; empty without one."""
    return phone.settings.get("secure", {}).get("default_input_method", "")


def leave_helper_keyboard(phone: Phone) -> None:
    """Goes back to the phone's own keyboard; the helper is no longer enabled either."""
    helpers = (ADB_KEYBOARD, AUTOMATOR_KEYBOARD)
    names = [name for name in enabled_keyboards(phone) if name not in helpers]
    put_setting(phone, "secure", "enabled_input_methods", ":".join(names or [LATIN_KEYBOARD]))
    put_setting(phone, "secure", "default_input_method", LATIN_KEYBOARD)


def forget_keyboards(phone: Phone, package: str) -> None:
    """Drops the keyboards of a package that is gone; the phone's own takes over if need be."""
    kept = [name for name in enabled_keyboards(phone) if name.partition("/")[0] != package]
    put_setting(phone, "secure", "enabled_input_methods", ":".join(kept or [LATIN_KEYBOARD]))
    if selected_keyboard(phone).partition("/")[0] == package:
        put_setting(phone, "secure", "default_input_method", LATIN_KEYBOARD)


async def _ime(process: Process) -> int:
    args = list(process.args)
    if not args:
        await process.out(
            "ime <command>:\n  list [-a] [-s]\n  enable [--user <USER_ID>] <ID>\n"
            "  disable [--user <USER_ID>] <ID>\n  set [--user <USER_ID>] <ID>\n  reset\n"
        )
        return 255
    command = args.pop(0)
    if "--user" in args:
        at = args.index("--user")
        del args[at : at + 2]
    if command not in ("list", "enable", "disable", "set", "reset"):
        await process.out(f"Unknown command: {command}\n")
        return 255
    right: Right = "keyboards" if command == "list" else "secure_settings"
    if process.system.denies(right, "ime " + command):
        return await settings_denied(process, command)
    if command == "list":
        return await _list(process, args)
    if command == "reset":
        return await _reset(process)
    if not args:
        await process.err(f"Error: {command} needs the ID of an input method\n")
        return 255
    return await _change(process, command, args[0])


async def _list(process: Process, args: list[str]) -> int:
    phone = process.system.phone
    names = installed_keyboards(phone) if "-a" in args else enabled_keyboards(phone)
    if "-s" in args:
        await process.out("".join(name + "\n" for name in names))
        return 0
    text = ""
    for name in names:
        package, _, service = name.partition("/")
        text += (
            f"{name}:\n  mId={name} mSettingsActivityName=null mIsVrOnly=false "
            "mSupportsSwitchingToNextInputMethod=false\n  mIsDefaultResId=0x0\n  Service:\n"
            f"    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n"
            f"    ServiceInfo:\n      name={package if service.startswith('.') else ''}{service}\n"
            f"      packageName={package}\n"
        )
    await process.out(text)
    return 0


async def _change(process: Process, command: str, name: str) -> int:
    phone = process.system.phone
    enabled = enabled_keyboards(phone)
    past = {"enable": "enabled", "disable": "disabled", "set": "selected"}[command]
    known = enabled if command == "set" else installed_keyboards(phone)
    if name not in known:
        await process.err(f"Unknown input method {name} cannot be {past} for user #0\n")
        return 255
    if command == "set":
        put_setting(phone, "secure", "default_input_method", name)
        await process.out(f"Input method {name} selected for user #0\n")
        return 0
    already = (name in enabled) == (command == "enable")
    names = [*enabled, name] if command == "enable" else [n for n in enabled if n != name]
    if not already:
        put_setting(phone, "secure", "enabled_input_methods", ":".join(names))
        if command == "disable" and selected_keyboard(phone) == name and names:
            put_setting(phone, "secure", "default_input_method", names[0])
    await process.out(
        f"Input method {name}: {'already' if already else 'now'} {past} for user #0\n"
    )
    return 0


async def _reset(process: Process) -> int:
    phone = process.system.phone
    first = next(iter(installed_keyboards(phone)), "")
    put_setting(phone, "secure", "enabled_input_methods", first)
    put_setting(phone, "secure", "default_input_method", first)
    await process.out(
        "Reset current and enabled IMEs for user #0\n"
        f"  Newly selected IME:\n    {first}\n  Newly enabled IMEs:\n    {first}\n"
    )
    return 0


def receive_broadcast(system: Userland, intent: Intent) -> str | None:
    """Lets a helper keyboard act on a broadcast; it listens only while it is in use.

    Returns:
        What the keyboard tells the sender with result -1; None when nobody tells anything.
    """
    if selected_keyboard(system.phone) == AUTOMATOR_KEYBOARD:
        return _receive_acknowledged(system, intent)
    _receive(system, intent)
    return None


def _receive_acknowledged(system: Userland, intent: Intent) -> str | None:
    """uiautomator2's keyboard: base64 text, and an answer to each broadcast."""
    package = AUTOMATOR_KEYBOARD.partition("/")[0]
    if (intent.package or (intent.component or "").partition("/")[0]) not in ("", package):
        return None
    phone, action = system.phone, intent.action or ""
    system.catch_up()
    match action:
        case "ADB_KEYBOARD_INPUT_TEXT":
            message = intent.extras.get("text", "")
            text = _decode_base64(message) if isinstance(message, str) else ""
            system.journal.add("gesture", f"keyboard text {text!r}")
            phone.commit_text(text)
        case "ADB_KEYBOARD_CLEAR_TEXT":
            phone.clear_text()
        case "ADB_KEYBOARD_SMART_ENTER" | "ADB_KEYBOARD_EDITOR_CODE":
            phone.editor_action()
        case "ADB_KEYBOARD_HIDE":
            if phone.ime_shown:
                phone.key(111)
        case _:
            return None
    return "success"


def _receive(system: Userland, intent: Intent) -> bool:
    """ADBKeyboard: the sender never hears whether it did something."""
    phone = system.phone
    target = intent.package or (intent.component or "").partition("/")[0]
    if target not in ("", ADB_KEYBOARD.partition("/")[0]):
        return False
    if selected_keyboard(phone) != ADB_KEYBOARD or not phone.focused_editable:
        return False
    system.catch_up()
    action = intent.action or ""
    if action in ("ADB_CLEAR_TEXT", "ADB_EDITOR_CODE", "ADB_INPUT_CODE"):
        return _act(system, action, intent.extras.get("code"))
    text = _broadcast_text(action, intent)
    if not text:
        return False
    system.journal.add("gesture", f"keyboard text {text!r}")
    return phone.commit_text(text)


def _decode_base64(message: str) -> str:
    try:
        return base64.b64decode(message).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _broadcast_text(action: str, intent: Intent) -> str:
    """The text that a broadcast wants typed; empty if it holds none that can be read."""
    message = intent.extras.get("msg", "")
    if action == "ADB_INPUT_TEXT" and isinstance(message, str):
        return message
    if action == "ADB_INPUT_B64" and isinstance(message, str):
        return _decode_base64(message)
    characters = intent.extras.get("chars", [])
    if action == "ADB_INPUT_CHARS" and isinstance(characters, list):
        codes = [int(c) for c in characters if c.strip().isdecimal() and int(c) < 0x110000]
        return "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
    return ""


def _act(system: Userland, action: str, code: str | list[str] | None) -> bool:
    system.journal.add("gesture", f"keyboard {action} {code}")
    if action == "ADB_CLEAR_TEXT":
        return system.phone.clear_text()
    if action == "ADB_EDITOR_CODE":
        return system.phone.editor_action()
    if not isinstance(code, str) or not code.isdecimal():
        return False
    system.phone.key(int(code[:6]))
    return True


COMMANDS: Final[Mapping[str, Command]] = {"ime": _ime}

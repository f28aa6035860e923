"""Putting a helper keyboard on a phone and taking it off again: only when a person asks for it.

The keyboard is the AdbKeyboard that the `uiautomator2` package carries: it answers when it has
typed, and works on Android 8 to 16.
"""

from __future__ import annotations

import importlib.util
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from device.errors import CommandFailedError, KeyboardMissingError
from device.failures import check
from device.keyboards import KNOWN_KEYBOARDS, HelperKeyboard, Keyboards
from device.quoting import command
from device.transport import Transport

KEYBOARD = KNOWN_KEYBOARDS[0]
_APK = "assets/app-uiautomator.apk"
_INSTALL_TIMEOUT_S = 120.0
_KNOWN_AFTER_S = 5.0
_POLL_S = 0.3
_FAILURE = re.compile(r"Failure \[(?P<reason>[^\]]*)\]")


@dataclass(frozen=True, slots=True)
class KeyboardPackage:
    """What would be installed.

    Attributes:
        path: The APK on this machine.
        source: Where it comes from, for the person to read.
        size_bytes: Size of the APK.
    """

    path: Path
    source: str
    size_bytes: int

    def describe(self, serial: str) -> str:
        """What `install` is about to do, in words."""
        return (
            f"This installs the app {KEYBOARD.package} ({self.size_bytes // 1024} KB, from "
            f"{self.source}) on {serial}. It holds a keyboard that types what this computer sends "
            "it, and the tools of uiautomator2, which stay unused. Your own keyboard stays the "
            "chosen one: the helper is chosen only while text is typed that `input text` cannot "
            "type. `localserver keyboard remove` takes it off again."
        )


def find_keyboard_package() -> KeyboardPackage:
    """The keyboard that this machine has to offer.

    Raises:
        KeyboardMissingError: The package that carries it is not installed here.
    """
    spec = importlib.util.find_spec("uiautomator2")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _APK
        if path.is_file():
            try:
                source = f"the Python package uiautomator2 {version('uiautomator2')}"
            except PackageNotFoundError:
                source = "the Python package uiautomator2"
            return KeyboardPackage(path, source, path.stat().st_size)
    raise KeyboardMissingError(
        "This machine has no keyboard to install; run `pip install 'localserver[u2]'`, or install "
        "ADBKeyboard (com.android.adbkeyboard) on the phone yourself."
    )


def install_keyboard(transport: Transport, keyboards: Keyboards, package: KeyboardPackage) -> None:
    """Install the helper keyboard and wait until the phone knows it.

    Raises:
        CommandFailedError: The phone refused; the message names its switch.
        KeyboardMissingError: It is installed, but the phone does not list it.
    """
    path = f"/data/local/tmp/localserver_{secrets.token_hex(6)}.apk"
    try:
        transport.push(package.path.read_bytes(), path)
        words = ("pm", "install", "-r", "-t", path)
        _run_pm(transport, words, f"install {KEYBOARD.package}")
    finally:
        transport.run(command("rm", "-f", path))
    deadline = time.monotonic() + _KNOWN_AFTER_S
    while keyboards.find_helper() is None:
        if time.monotonic() >= deadline:
            raise KeyboardMissingError(
                f"{KEYBOARD.package} is installed, but the phone lists no such keyboard; restart "
                "the phone."
            )
        time.sleep(_POLL_S)


def remove_keyboards(transport: Transport, keyboards: Keyboards) -> Sequence[HelperKeyboard]:
    """Take the helper keyboards off, after the person's own one is chosen again.

    Returns:
        Those that were there.

    Raises:
        DeviceError: The person's keyboard could not be given back, or the phone refused.
    """
    keyboards.give_back()
    installed = keyboards.installed_helpers()
    for keyboard in installed:
        words = ("pm", "uninstall", keyboard.package)
        _run_pm(transport, words, f"remove {keyboard.package}")
    return installed


def _run_pm(transport: Transport, words: Sequence[str], what: str) -> None:
    """`pm` says `Success` or `Failure [REASON: words]`; its exit code says little."""
    result = transport.run(command(*words), timeout_s=_INSTALL_TIMEOUT_S)
    text = result.merged_text
    if failure := _FAILURE.search(text):
        raise CommandFailedError(
            f"The phone did not {what} ({failure['reason']}); {_remedy(failure['reason'])}.",
            output=text[-600:],
            reason=failure["reason"].partition(":")[0],
        )
    if "Success" not in text:
        check(result, what)
        raise CommandFailedError(
            f"The phone did not say whether it did {what}; look at its screen and try again.",
            output=text[-600:],
        )


def _remedy(reason: str) -> str:
    if "USER_RESTRICTED" in reason or "ABORTED" in reason:
        return (
            "switch on 'Install via USB' in the developer options (Xiaomi, Redmi, POCO), or answer "
            "the question on the phone's screen"
        )
    if "INSUFFICIENT_STORAGE" in reason:
        return "free some space on the phone"
    if "VERSION_DOWNGRADE" in reason or "UPDATE_INCOMPATIBLE" in reason:
        return "run `localserver keyboard remove` first"
    return "look at the phone's screen and try again"

"""Helper keyboards: input methods that type any text on request, borrowed and given back.

The user's own keyboard is written to disk before it is switched away from, so that it comes back
after a crash too.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from device.errors import (
    KeyboardMissingError,
    KeyboardNotSavedError,
    SecureSettingsDeniedError,
    TextNotTypedError,
    UnknownKeyboardError,
)
from device.failures import SECURE_SETTINGS_HINT, check, error_from_output
from device.focus import full_component
from device.properties import read_setting
from device.quoting import command, script
from device.state_files import StateFiles
from device.transport import Transport

_SWITCH_TIMEOUT_S = 4.0
_SHOWN_TIMEOUT_S = 1.5
_POLL_S = 0.1
_BIND_S = 0.4
_IME = re.compile(r"^\s*([A-Za-z][\w.]*/[\w.$]+)\s*$", re.MULTILINE | re.ASCII)


@dataclass(frozen=True, slots=True)
class HelperKeyboard:
    """A known helper keyboard and how it is spoken to (text goes as base64).

    Attributes:
        ime_id: Its input method id.
        input_action: Broadcast action that commits text.
        text_extra: Name of the extra with the base64 text.
        clear_action: Broadcast action that empties the field.
        acknowledges: Whether it answers `result=-1` when it has done so; others answer nothing.
    """

    ime_id: str
    input_action: str
    text_extra: str
    clear_action: str
    acknowledges: bool

    @property
    def package(self) -> str:
        return self.ime_id.split("/", 1)[0]


KNOWN_KEYBOARDS = (
    HelperKeyboard(
        "com.github.uiautomator/.AdbKeyboard",
        "ADB_KEYBOARD_INPUT_TEXT",
        "text",
        "ADB_KEYBOARD_CLEAR_TEXT",
        acknowledges=True,
    ),
    HelperKeyboard(
        "com.android.adbkeyboard/.AdbIME", "ADB_INPUT_B64", "msg", "ADB_CLEAR_TEXT", False
    ),
)


@dataclass(frozen=True, slots=True)
class OwnKeyboard:
    """What a phone had before a helper keyboard was borrowed.

    Attributes:
        ime_id: The chosen input method; None where there was none, or it was a helper itself.
        enabled: Helpers that were switched on for the loan, to be switched off again.
    """

    ime_id: str | None
    enabled: tuple[str, ...] = ()


class KeyboardStore:
    """The keyboards that were switched away from, one small file per phone.

    Args:
        directory: Made when the first keyboard is kept.
    """

    def __init__(self, directory: Path) -> None:
        self._files = StateFiles(directory)

    def keep(self, serial: str, own: OwnKeyboard) -> None:
        """Write down a phone's own keyboard, durably.

        Raises:
            KeyboardNotSavedError: The folder cannot be written.
        """
        try:
            self._files.write(serial, {"ime_id": own.ime_id, "enabled": own.enabled})
        except OSError as error:
            raise KeyboardNotSavedError(
                f"The phone's own keyboard could not be written down in {self._files.directory} "
                f"({error.strerror}), so it was not switched; make the folder writable, or name "
                "another by LOCALSERVER_STATE_DIR."
            ) from error

    def read(self, serial: str) -> OwnKeyboard | None:
        """What to give back, or None. A damaged file counts as none."""
        written = self._files.read(serial)
        ime_id, enabled = written.get("ime_id"), written.get("enabled")
        own = ime_id if isinstance(ime_id, str) and _IME.fullmatch(ime_id) else None
        listed = enabled if isinstance(enabled, list) else []
        switched_on = tuple(e for e in listed if isinstance(e, str) and _is_helper(e))
        return OwnKeyboard(own, switched_on) if own or switched_on else None

    def forget(self, serial: str) -> None:
        self._files.forget(serial)


class Keyboards:
    """The input methods of one phone."""

    def __init__(self, transport: Transport, store: KeyboardStore) -> None:
        self._transport = transport
        self._store = store

    def find_helper(self) -> HelperKeyboard | None:
        """The best known helper keyboard that is installed.

        Raises:
            SecureSettingsDeniedError: The vendor forbids even to list keyboards.
        """
        return next(iter(self.installed_helpers()), None)

    def installed_helpers(self) -> tuple[HelperKeyboard, ...]:
        """The known helper keyboards that are installed, best first."""
        installed = self.installed()
        return tuple(k for k in KNOWN_KEYBOARDS if _same(k.ime_id, *installed))

    def installed(self) -> tuple[str, ...]:
        """Ids of all input methods, enabled or not."""
        result = self._transport.read(command("ime", "list", "-s", "-a"))
        return read_keyboards(check(result, "list its keyboards").text)

    def enabled(self) -> tuple[str, ...]:
        """Ids of the input methods that are switched on in the settings."""
        result = self._transport.read(command("ime", "list", "-s"))
        return read_keyboards(check(result, "list its keyboards").text)

    def current(self) -> str | None:
        """The chosen input method, or None where there is none."""
        result = self._transport.read(command("settings", "get", "secure", "default_input_method"))
        return read_setting(check(result, "tell its keyboard").text)

    def borrow(self, keyboard: HelperKeyboard) -> None:
        """Make a helper keyboard the chosen one, after writing down the user's.

        Raises:
            KeyboardMissingError: The phone does not know it.
            KeyboardNotSavedError: The user's keyboard could not be written down.
            TextNotTypedError: The phone did not switch.
            SecureSettingsDeniedError: The vendor forbids switching.
        """
        previous = self.current()
        if previous is not None and _same(keyboard.ime_id, previous):
            return
        self._keep(previous, keyboard)
        self._switch(keyboard.ime_id)
        # The helper takes text only once its view is up, which follows the switch a little later.
        time.sleep(_BIND_S)
        deadline = time.monotonic() + _SHOWN_TIMEOUT_S
        while self.shown() is False and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def _keep(self, previous: str | None, keyboard: HelperKeyboard) -> None:
        """Write down what the loan changes, beside what an earlier one has not given back yet."""
        kept = self._store.read(self._transport.serial) or OwnKeyboard(None)
        own = previous if previous is not None and not _is_helper(previous) else kept.ime_id
        is_enabled = _same(keyboard.ime_id, *self.enabled())
        added = () if is_enabled else (keyboard.ime_id,)
        enabled = tuple(dict.fromkeys((*kept.enabled, *added)))
        if own is not None or enabled:
            self._store.keep(self._transport.serial, OwnKeyboard(own, enabled))

    def give_back(self) -> None:
        """Choose the user's own keyboard again and switch off the helper that was switched on.

        Raises:
            DeviceError: It could not be given back; it stays written down for the next time.
        """
        own = self._store.read(self._transport.serial)
        if own is None:
            return
        current = self.current()
        # A person may have chosen another keyboard in the meantime: that choice stays.
        if own.ime_id is not None and (current is None or _is_helper(current)):
            self._switch(own.ime_id)
        for ime_id in own.enabled:
            if _same(ime_id, *self.enabled()):  # else it was switched off or removed meanwhile
                self._run_ime("disable", ime_id)
        self._store.forget(self._transport.serial)

    def shown(self) -> bool | None:
        """Whether a keyboard is on the screen; None where the phone does not say."""
        result = self._transport.read(
            script("dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'")
        )
        return read_keyboard_shown(result.text)

    def commit(self, keyboard: HelperKeyboard, encoded: str) -> None:
        """Let the helper commit text into the focused field.

        Args:
            keyboard: The chosen helper.
            encoded: Base64 of the UTF-8 text.

        Raises:
            TextNotTypedError: It says that it did not, or was not reached.
        """
        self._broadcast(keyboard, keyboard.input_action, "--es", keyboard.text_extra, encoded)

    def clear(self, keyboard: HelperKeyboard) -> None:
        """Let the helper empty the focused field."""
        self._broadcast(keyboard, keyboard.clear_action)

    def _broadcast(self, keyboard: HelperKeyboard, action: str, *extras: str) -> None:
        send = ("am", "broadcast", "-a", action, "-p", keyboard.package)
        run = self._transport.run(command(*send, *extras), shown=command(*send))
        result = check(run, "reach its helper keyboard")
        delivered = read_broadcast(result.merged_text, keyboard.package)
        if delivered is False or (keyboard.acknowledges and delivered is None):
            raise TextNotTypedError(
                f"The helper keyboard {keyboard.ime_id} did not take the text; tap the field and "
                "try again.",
                output=result.merged_text[:600],
            )

    def _switch(self, ime_id: str) -> None:
        deadline = time.monotonic() + _SWITCH_TIMEOUT_S
        while True:
            try:
                self._run_ime("enable", ime_id)
                self._run_ime("set", ime_id)
            except UnknownKeyboardError as error:
                # Right after enabling, the phone may not know it yet.
                if time.monotonic() >= deadline:
                    raise KeyboardMissingError(
                        f"The phone does not know the keyboard {ime_id}; install it.",
                        **error.details,
                    ) from error
            else:
                current = self.current()
                if current is not None and _same(ime_id, current):
                    return
                if time.monotonic() >= deadline:
                    raise TextNotTypedError(
                        f"The phone did not switch to the keyboard {ime_id} (it is {current}); "
                        f"choose it by hand, or {SECURE_SETTINGS_HINT}."
                    )
            time.sleep(_POLL_S)

    def _run_ime(self, verb: str, ime_id: str) -> None:
        check(self._transport.run(command("ime", verb, ime_id)), f"{verb} the keyboard")


def read_keyboards(text: str) -> tuple[str, ...]:
    """Read `ime list -s`.

    Raises:
        SecureSettingsDeniedError: The vendor forbids it.
    """
    found = tuple(_IME.findall(text))
    if not found and isinstance(error := error_from_output(text), SecureSettingsDeniedError):
        raise error
    return found


def read_keyboard_shown(text: str) -> bool | None:
    """Read whether a keyboard is on the screen from `dumpsys input_method`."""
    for name in ("mInputShown", "mIsInputViewShown"):
        values = re.findall(rf"\b{name}=(true|false)\b", text)
        if values:
            return "true" in values
    return None


def read_broadcast(text: str, package: str | None = None) -> bool | None:
    """Read `am broadcast`: True if acknowledged, False if it went astray, None if unknown.

    `result=0` is printed whether or not anyone received it. A `pkg=` that nobody asked for means
    that a word of the text was read as the address.

    Args:
        text: What was printed.
        package: The package that it was addressed to, if any.
    """
    if error := error_from_output(text):
        raise error
    addressed = re.search(r"\bpkg=(\S+)", text)
    if addressed and addressed[1] != package:
        return False
    result = re.search(r'Broadcast completed: result=(-?\d+)(?:, data="(?P<data>[^"]*)")?', text)
    if result is None:
        return False
    return True if result[1] == "-1" else None


def _same(ime_id: str, *others: str) -> bool:
    wanted = full_component(ime_id)
    return any(full_component(other) == wanted for other in others)


def _is_helper(ime_id: str) -> bool:
    return any(_same(keyboard.ime_id, ime_id) for keyboard in KNOWN_KEYBOARDS)

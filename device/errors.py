"""Errors of the device room: what can go wrong between us and a phone.

Each class has a stable code; the message ends in what the person can do about it.
"""

from __future__ import annotations

from typing import Any, ClassVar


class DeviceError(Exception):
    """Base of all device errors.

    Attributes:
        code: Stable, machine-readable name (`device.*`).
        retryable: Whether the same call may succeed later without a person's help.
        details: JSON-able facts: serial, command, output.
    """

    code: ClassVar[str] = "device.error"
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class AdbMissingError(DeviceError):
    """There is no adb program on this machine."""

    code = "device.adb_missing"


class AdbServerError(DeviceError):
    """The adb server does not answer, or answers nonsense."""

    code = "device.adb_server"
    retryable = True


class DeviceNotFoundError(DeviceError):
    """adb lists no device with this serial, or none at all."""

    code = "device.not_found"


class DeviceAmbiguousError(DeviceError):
    """Several devices are ready and none was named."""

    code = "device.ambiguous"


class DeviceOfflineError(DeviceError):
    code = "device.offline"
    retryable = True


class DeviceUnauthorizedError(DeviceError):
    """The phone has not accepted this computer's key."""

    code = "device.unauthorized"


class DeviceBootingError(DeviceError):
    code = "device.booting"
    retryable = True


class DeviceTimeoutError(DeviceError):
    """A command did not end within its deadline."""

    code = "device.timeout"
    retryable = True


class ConnectionLostError(DeviceError):
    """The connection broke in the middle of a command: whether it ran is unknown."""

    code = "device.connection_lost"
    retryable = True


class CommandFailedError(DeviceError):
    """A command ended with an error that has no code of its own."""

    code = "device.command_failed"


class ServiceRefusedError(CommandFailedError):
    """The phone refused the connection for a command, so the command did not run."""

    code = "device.service_refused"
    retryable = True


class CommandMissingError(DeviceError):
    """The phone has no such command, or not in this version."""

    code = "device.command_missing"


class BadArgumentError(DeviceError):
    """A value that cannot be handed to a phone: a NUL, a lone surrogate, an overlong command."""

    code = "device.bad_argument"


class BadAddressError(DeviceError):
    """Not a `host:port` that can be reached by name."""

    code = "device.bad_address"


class ConnectFailedError(DeviceError):
    """Nothing at this address accepted the connection."""

    code = "device.connect_failed"
    retryable = True


class PairingFailedError(DeviceError):
    """The pairing code or its port was not accepted."""

    code = "device.pairing_failed"


class AdbTooOldError(DeviceError):
    """This adb does not know the request (`pair` needs adb 30 or newer)."""

    code = "device.adb_too_old"


class ScreenshotError(DeviceError):
    """No whole picture could be taken."""

    code = "device.screenshot"
    retryable = True


class ScreenshotRefusedError(ScreenshotError):
    """The phone refuses to capture this screen (protected content)."""

    code = "device.screenshot_refused"
    retryable = False


class BlackScreenError(ScreenshotError):
    """The picture is all black: asleep, protected, the wrong panel, or for no known reason."""

    code = "device.screen_black"


class InputBlockedError(DeviceError):
    """The phone refuses injected input (INJECT_EVENTS)."""

    code = "device.input_blocked"


class UnknownKeyError(DeviceError):
    """No key of the action vocabulary has this name."""

    code = "device.unknown_key"


class BadPointError(DeviceError):
    """A point outside the screen."""

    code = "device.bad_point"


class ScreenTurnedError(DeviceError):
    """The screen was turned since its picture was taken, so nothing was touched."""

    code = "device.screen_turned"
    retryable = True


class TextNotTypedError(DeviceError):
    """The text could not be typed, or not verified; nothing was half typed knowingly."""

    code = "device.text_not_typed"


class KeyboardMissingError(DeviceError):
    """No installed keyboard can type these characters."""

    code = "device.keyboard_missing"


class KeyboardNotSavedError(DeviceError):
    """The user's keyboard could not be written down, so it was not switched away from."""

    code = "device.keyboard_not_saved"


class UnknownKeyboardError(DeviceError):
    """The phone does not know this input method (yet): seen right after enabling it."""

    code = "device.unknown_keyboard"
    retryable = True


class SecureSettingsDeniedError(DeviceError):
    """The vendor forbids changing secure settings over adb."""

    code = "device.secure_settings_denied"


class UserNotAccessibleError(DeviceError):
    """The shell may not look into this Android user (a work profile, a second space)."""

    code = "device.user_not_accessible"


class AliasTableError(DeviceError):
    """The table of app names could not be read."""

    code = "device.bad_alias_table"


class AppNotFoundError(DeviceError):
    """No installed app has this name; `details["candidates"]` lists near ones."""

    code = "device.app_not_found"


class AppAmbiguousError(DeviceError):
    """Several installed apps fit; `details["candidates"]` lists them."""

    code = "device.app_ambiguous"


class AppNotStartedError(DeviceError):
    """The launch was sent, but the app did not come to the front."""

    code = "device.app_not_started"
    retryable = True


class ActivityNotFoundError(AppNotStartedError):
    """The launch activity does not exist."""

    code = "device.activity_not_found"
    retryable = False


class ActivityNotExportedError(AppNotStartedError):
    """The activity may only be started by its own app."""

    code = "device.activity_not_exported"
    retryable = False


class UiTreeError(DeviceError):
    """The UI tree could not be read; the picture may still be fine."""

    code = "device.ui_tree"
    retryable = True


class AutomationBusyError(UiTreeError):
    """Another automation client holds the phone's UI automation."""

    code = "device.automation_busy"


class UiTreeEncodingError(UiTreeError):
    """The phone's own dumper fails on a character of this screen (an emoji, before Android 10)."""

    code = "device.ui_tree_encoding"
    retryable = False


class DeviceAsleepError(DeviceError):
    """The screen stays off although it was asked to wake."""

    code = "device.asleep"
    retryable = True


class DeviceLockedError(DeviceError):
    """The keyguard needs the person: a PIN is never guessed."""

    code = "device.locked"

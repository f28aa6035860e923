"""Typed errors out of what commands print: Android often fails with exit code 0.

One ordered table, from the wordings of Android 8 to 16 and of vendors' builds.
"""

from __future__ import annotations

import re

from device.errors import (
    ActivityNotExportedError,
    ActivityNotFoundError,
    AutomationBusyError,
    CommandFailedError,
    CommandMissingError,
    DeviceBootingError,
    DeviceError,
    InputBlockedError,
    SecureSettingsDeniedError,
    TextNotTypedError,
    UiTreeEncodingError,
    UiTreeError,
    UnknownKeyboardError,
    UserNotAccessibleError,
)
from device.transport import CommandResult

_OUTPUT_MAX_CHARS = 600
_NOISE = re.compile(r"^(?:WARNING: linker:|\[Warning\] Multiple displays).*$", re.MULTILINE)

INPUT_SWITCH_HINT = (
    "switch on 'USB debugging (Security settings)' (Xiaomi, Redmi, POCO), 'USB simulated click' "
    "(vivo) or 'Disable permission monitoring' (OPPO, realme, OnePlus) in the developer options "
    "and restart the phone"
)
SECURE_SETTINGS_HINT = (
    "switch on 'Disable permission monitoring' (OPPO, realme, OnePlus) or 'USB debugging "
    "(Security settings)' (Xiaomi) in the developer options"
)

_TABLE: tuple[tuple[re.Pattern[str], type[DeviceError], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), error, message)
    for pattern, error, message in (
        (
            r"INJECT_EVENTS|// Injection Failed|injecting to another application",
            InputBlockedError,
            f"The phone refuses input from adb; {INPUT_SWITCH_HINT}.",
        ),
        (
            r"WRITE_SECURE_SETTINGS",
            SecureSettingsDeniedError,
            f"The phone lets adb change no secure settings; {SECURE_SETTINGS_HINT}.",
        ),
        (
            r"Shell does not have permission to access user \d+",
            UserNotAccessibleError,
            "The phone keeps another Android user closed to adb; name user 0 in the request.",
        ),
        (
            r"Can't find service|Could not access the \w+ Manager|system (?:is )?not running",
            DeviceBootingError,
            "The phone is still starting; wait until it is up and try again.",
        ),
        (
            r"already registered!|UiAutomation(?:Service)? .*already|Ui Automation\[",
            AutomationBusyError,
            "Another automation client (Appium, uiautomator2, Maestro) holds the phone's UI "
            "automation; stop it.",
        ),
        (
            r"Illegal character \(",
            UiTreeEncodingError,
            "The phone's own dumper cannot write a character of this screen; go by the picture.",
        ),
        (
            r"could not get idle state",
            UiTreeError,
            "The screen does not come to rest, so the phone gives no tree; go by the picture.",
        ),
        (
            r"null root node",
            UiTreeError,
            "The phone gave no window for the tree; wake it, wait a moment and try again.",
        ),
        (
            r"Attempt to get length of null array",
            TextNotTypedError,
            "`input text` cannot type these characters; install a helper keyboard.",
        ),
        (
            r"Unknown input method .* cannot be",
            UnknownKeyboardError,
            "The phone does not know this keyboard yet; wait a moment, or install it.",
        ),
        (
            r"Error type 3|Activity class \{.*\} does not exist|unable to resolve Intent",
            ActivityNotFoundError,
            "The app has no such activity; name another app, or open it from the launcher.",
        ),
        (
            r"not exported from uid",
            ActivityNotExportedError,
            "The app does not let others start this activity; open it from the launcher.",
        ),
        (
            r"inaccessible or not found|: not found\b|Unknown command: |No such command",
            CommandMissingError,
            "This phone's Android has no such command; nothing was done.",
        ),
    )
)


def error_from_output(text: str) -> DeviceError | None:
    """The typed error that a command's output tells of, or None where it tells of none.

    Args:
        text: Both outputs of the command.
    """
    for pattern, error, message in _TABLE:
        if match := pattern.search(text):
            return error(message, output=_shorten(text), found=match[0])
    return None


def check(result: CommandResult, what: str) -> CommandResult:
    """Pass a result on if the command ended well.

    Args:
        result: What it printed and its exit code.
        what: What was tried, for the message: "open the app".

    Raises:
        DeviceError: It printed a known failure, or its exit code is not 0.
    """
    text = result.merged_text
    if (error := error_from_output(text)) is not None:
        error.details["exit_code"] = result.exit_code
        raise error
    if result.exit_code != 0:
        raise CommandFailedError(
            f"The phone could not {what} (exit code {result.exit_code}): "
            f"{_shorten(text, 200) or 'no reason given'}; look at its screen and try again.",
            exit_code=result.exit_code,
            output=_shorten(text),
        )
    return result


def check_silent(result: CommandResult, what: str) -> None:
    """Check an `input` command: it ended well only if the exit code is 0 and it said nothing.

    Raises:
        DeviceError: Anything else.
    """
    check(result, what)
    said = _NOISE.sub("", result.merged_text).strip()
    if said:
        raise CommandFailedError(
            f"The phone could not {what}: {_shorten(said, 200)}; look at its screen.",
            output=_shorten(said),
        )


def check_typed(result: CommandResult) -> None:
    """Check an `input text` command: a character that it does not know gets it killed.

    Raises:
        TextNotTypedError: Nothing of the text was typed.
        DeviceError: Anything else that went wrong.
    """
    if result.merged_text.strip().startswith("Killed"):
        raise TextNotTypedError(
            "The phone killed `input text`; install a helper keyboard.", output=result.merged_text
        )
    check_silent(result, "type")


def _shorten(text: str, limit: int = _OUTPUT_MAX_CHARS) -> str:
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"

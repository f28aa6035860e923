"""Key codes by the names of the action vocabulary.

Android turns unknown key *names* silently into KEYCODE_UNKNOWN, so only numbers are sent. The
numbers are those of `android.view.KeyEvent`.
"""

from __future__ import annotations

from types import MappingProxyType

from device.errors import UnknownKeyError
from device.quoting import ShellCommand, command

KEY_CODES = MappingProxyType(
    {
        "HOME": 3,
        "BACK": 4,
        "DPAD_UP": 19,
        "DPAD_DOWN": 20,
        "DPAD_LEFT": 21,
        "DPAD_RIGHT": 22,
        "VOLUME_UP": 24,
        "VOLUME_DOWN": 25,
        "POWER": 26,
        "CAMERA": 27,
        "TAB": 61,
        "SPACE": 62,
        "ENTER": 66,
        "DELETE": 67,
        "MENU": 82,
        "SEARCH": 84,
        "MEDIA_PLAY_PAUSE": 85,
        "PAGE_UP": 92,
        "PAGE_DOWN": 93,
        "ESCAPE": 111,
        "MOVE_HOME": 122,
        "MOVE_END": 123,
        "VOLUME_MUTE": 164,
        "RECENT": 187,
        "SLEEP": 223,
        "WAKEUP": 224,
        "CUT": 277,
        "COPY": 278,
        "PASTE": 279,
    }
)
CTRL_LEFT = 113
KEY_A = 29


def key_code(name: str) -> int:
    """The number of a key.

    Args:
        name: Name of the action vocabulary, such as `VOLUME_UP`. `SELECT_ALL` is no single key.

    Raises:
        UnknownKeyError: There is no such key.
    """
    code = KEY_CODES.get(name)
    if code is None:
        raise UnknownKeyError(
            f"There is no key {name!r}; use one of {', '.join(sorted(KEY_CODES))}."
        )
    return code


def input_command(*words: str | int, display_id: int | None = None) -> ShellCommand:
    """One `input` command, on another display than the first if one is given (Android 10+)."""
    place = ("-d", display_id) if display_id else ()
    return command("input", *place, *words)

"""The keys that a model may press, by any of their usual names. Nothing else reaches the phone."""

from __future__ import annotations

from typing import get_args

from parsers.action import Action, Back, Home, HotKey, Key
from parsers.reading import Refused

_ALIASES: dict[str, Key] = {
    "RETURN": "ENTER",
    "NUMPAD_ENTER": "ENTER",
    "KP_ENTER": "ENTER",
    "GO": "ENTER",
    "DONE": "ENTER",
    "RECENTS": "RECENT",
    "RECENT_APPS": "RECENT",
    "APP_SWITCH": "RECENT",
    "OVERVIEW": "RECENT",
    "APPSELECT": "RECENT",
    "DEL": "DELETE",
    "BACKSPACE": "DELETE",
    "BACK_SPACE": "DELETE",
    "ESC": "ESCAPE",
    "VOLUMEUP": "VOLUME_UP",
    "VOLUMEDOWN": "VOLUME_DOWN",
    "MUTE": "VOLUME_MUTE",
    "WAKE_UP": "WAKEUP",
    "UP": "DPAD_UP",
    "DOWN": "DPAD_DOWN",
    "LEFT": "DPAD_LEFT",
    "RIGHT": "DPAD_RIGHT",
    "ARROW_UP": "DPAD_UP",
    "ARROW_DOWN": "DPAD_DOWN",
    "ARROW_LEFT": "DPAD_LEFT",
    "ARROW_RIGHT": "DPAD_RIGHT",
    "ARROWUP": "DPAD_UP",
    "ARROWDOWN": "DPAD_DOWN",
    "ARROWLEFT": "DPAD_LEFT",
    "ARROWRIGHT": "DPAD_RIGHT",
    "PAGEUP": "PAGE_UP",
    "PAGEDOWN": "PAGE_DOWN",
    "PGUP": "PAGE_UP",
    "PGDN": "PAGE_DOWN",
    "END": "MOVE_END",
}
KEYS: dict[str, Key] = {**{key: key for key in get_args(Key)}, **_ALIASES}
"""Every accepted spelling (upper case, `_` between words) and the key that it means."""


def read_key(value: object, name: str = "key") -> Key:
    """Find the key that a name means: `Return`, `KEYCODE_ENTER`, `volume up`, `VolumeUp`.

    Raises:
        Refused: `missing_arg`, or `bad_arg` for any name outside the table (chords too).
    """
    if value is None or (isinstance(value, str) and not value.strip(" \"'[]")):
        raise Refused("missing_arg", f"`{name}` is missing: give the name of a key", "")
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and len(value) <= 40:
        word = value.strip(" \t\r\n\"'[]").upper().replace("-", "_").replace(" ", "_")
        key = KEYS.get(word.removeprefix("KEYCODE_").removeprefix("KEY_"))
        if key is not None:
            return key
    raise Refused("bad_arg", f"`{name}` is not a key of a phone; one of {_common_keys()}", value)


def press(key: Key) -> Action:
    """The action for a key: BACK and HOME have kinds of their own."""
    if key == "BACK":
        return Back()
    if key == "HOME":
        return Home()
    return HotKey(key=key)


def _common_keys() -> str:
    return "ENTER, BACK, HOME, RECENT, MENU, DELETE, VOLUME_UP, VOLUME_DOWN, POWER"

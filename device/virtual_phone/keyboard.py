"""The on-screen keyboard, and what Android key codes type."""

from __future__ import annotations

from typing import Literal

from device.virtual_phone.ui.text_field import TextField
from device.virtual_phone.ui.view import FILL, Event, Insets, View, column, icon, insets, row, text

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.android.adbkeyboard/.AdbIME"

Layer = Literal["letters", "capitals", "symbols"]

_ROWS: dict[Layer, tuple[str, str, str]] = {
    "letters": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "capitals": ("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"),
    "symbols": ("1234567890", "@#$_&-+()/", "*\"':;!?"),
}
_PLAIN = {55: ",", 56: ".", 62: " ", 68: "`", 69: "-", 70: "=", 71: "[", 72: "]", 73: "\\"}
_PLAIN |= {74: ";", 75: "'", 76: "/", 77: "@", 81: "+", 17: "*", 18: "#"}
_SHIFTED = dict(zip("1234567890`-=[]\\;',./", '!@#$%^&*()~_+{}|:"<>?', strict=True))


def typed_character(keycode: int, shift: bool = False) -> str:
    """The character that a key code types; empty for keys that type none."""
    if 7 <= keycode <= 16:
        character = str(keycode - 7)
    elif 29 <= keycode <= 54:
        character = chr(ord("a") + keycode - 29)
    else:
        character = _PLAIN.get(keycode, "")
    if shift:
        return _SHIFTED.get(character, character.upper())
    return character


def apply_key(field: TextField, keycode: int, shift: bool = False) -> None:
    """Does to a field what a hardware key does; other keys do nothing."""
    start, end = field.selection
    match keycode:
        case 67:
            field.delete_before()
        case 112:
            field.delete_after()
        case 21:
            field.move_to(start - 1 if start == end else start)
        case 22:
            field.move_to(end + 1 if start == end else end)
        case 122:
            field.move_to(0)
        case 123:
            field.move_to(len(field.text))
        case _:
            character = typed_character(keycode, shift)
            if character:
                field.insert(character)


class Keyboard:
    """State of the on-screen keyboard: which layer it shows."""

    def __init__(self) -> None:
        self.layer: Layer = "letters"

    def press(self, name: str) -> str:
        """Reads a key of `view`: the character to type, or empty for a change of layer."""
        match name:
            case "shift":
                self.layer = "letters" if self.layer == "capitals" else "capitals"
                return ""
            case "symbols":
                self.layer = "letters" if self.layer == "symbols" else "symbols"
                return ""
            case _:
                if self.layer == "capitals":
                    self.layer = "letters"
                return name

    def view(self, say_done: str, wide: bool) -> View:
        """The keys; each names the event ("key", character or function).

        Args:
            say_done: Words of the action key.
            wide: The screen is in landscape: lower keys.
        """
        height = 38 if wide else 52
        top, middle, bottom = _ROWS[self.layer]
        symbols = self.layer == "symbols"
        rows = (
            row(*(_key(c) for c in top), gap=5, height=height),
            row(
                *(_key(c) for c in middle),
                gap=5,
                height=height,
                padding=insets(0 if symbols else 18, 0),
            ),
            row(
                _icon_key("shift_on" if self.layer == "capitals" else "shift", "shift", "Shift"),
                *(_key(c) for c in bottom),
                _icon_key("backspace", "backspace", "Delete"),
                gap=5,
                height=height,
            ),
            row(
                _word_key("ABC" if symbols else "?123", "symbols", 1.5),
                _key(","),
                _word_key(" ", "space", 4.6, plain=True),
                _key("."),
                _word_key(say_done, "enter", 1.9, accent=True),
                gap=5,
                height=height,
            ),
        )
        return column(
            *rows, gap=8, padding=Insets(5, 10, 5, 10), background="keyboard", height=None
        )


def adb_strip(words: str) -> View:
    """The thin line that the ADB keyboard shows instead of keys."""
    return column(
        text(words, 14, color="on_surface_variant"),
        padding=insets(16, 10),
        background="keyboard",
    )


def _event(name: str) -> Event:
    return ("key", name)


def _key(character: str) -> View:
    return column(
        text(character, 21),
        align="center",
        justify="center",
        weight=1,
        height=FILL,
        radius=6,
        background="key",
        content_desc=character,
        on_click=_event(character),
    )


def _icon_key(name: str, function: str, label: str) -> View:
    return column(
        icon(name, 22, color="on_surface"),
        align="center",
        justify="center",
        weight=1.5,
        height=FILL,
        radius=6,
        background="key_special",
        content_desc=label,
        on_click=_event(function),
    )


def _word_key(
    words: str, function: str, weight: float, *, plain: bool = False, accent: bool = False
) -> View:
    return column(
        text(words, 16, color="on_primary" if accent else "on_surface", max_lines=1),
        align="center",
        justify="center",
        weight=weight,
        height=FILL,
        radius=6,
        background="primary" if accent else "key" if plain else "key_special",
        content_desc=function,
        on_click=_event(function),
    )

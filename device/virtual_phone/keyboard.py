"""The on-screen keyboards: one with Latin keys, and the strip of the ADB keyboard."""

from __future__ import annotations

from typing import Literal

from device.virtual_phone.ui.view import FILL, Event, Insets, View, column, icon, insets, row, text

LATIN_IME = "com.android.inputmethod.latin/.LatinIME"

Layer = Literal["letters", "capitals", "symbols"]

_ROWS: dict[Layer, tuple[str, str, str]] = {
    "letters": ("qwertyuiop", "asdfghjkl", "zxcvbnm"),
    "capitals": ("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"),
    "symbols": ("1234567890", "@#$_&-+()/", "*\"':;!?"),
}


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
        height, gap = (32, 5) if wide else (52, 8)
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
            *rows,
            gap=gap,
            padding=Insets(5, gap + 2, 5, gap + 2),
            background="keyboard",
            height=None,
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

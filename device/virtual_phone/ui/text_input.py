"""Typing: what key codes, the clipboard and keyboards do to the focused field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from device.virtual_phone.ui.text_field import TextField

CUT, COPY, PASTE = 277, 278, 279
_PLAIN = {55: ",", 56: ".", 62: " ", 68: "`", 69: "-", 70: "=", 71: "[", 72: "]", 73: "\\"}
_PLAIN |= {74: ";", 75: "'", 76: "/", 77: "@", 81: "+", 17: "*", 18: "#"}
_SHIFTED = dict(zip("1234567890`-=[]\\;',./", '!@#$%^&*()~_+{}|:"<>?', strict=True))


class Typed(Protocol):
    """The phone, as far as typing is concerned."""

    clipboard: str

    def focused_field(self) -> TextField | None:
        """The field with the input focus."""
        ...

    def field_edited(self) -> None:
        """The text of the focused field changed."""
        ...

    def submit_field(self) -> None:
        """The action key was pressed in a single-line field."""
        ...


def typed_character(keycode: int, shift: bool = False) -> str:
    """The character that an Android key code types; empty for keys that type none."""
    if 7 <= keycode <= 16:
        character = str(keycode - 7)
    elif 29 <= keycode <= 54:
        character = chr(ord("a") + keycode - 29)
    else:
        character = _PLAIN.get(keycode, "")
    if shift:
        return _SHIFTED.get(character, character.upper())
    return character


class TextInput:
    """Edits whatever field has the focus."""

    def __init__(self, phone: Typed) -> None:
        self._phone = phone

    def edit(self, change: Callable[[TextField], None]) -> bool:
        """Changes the focused field; False if there is none."""
        field = self._phone.focused_field()
        if field is None:
            return False
        before = field.text
        change(field)
        if field.text != before:
            self._phone.field_edited()
        return True

    def insert(self, text: str) -> bool:
        """Puts text at the cursor; False if no field has the focus."""
        return self.edit(lambda field: field.insert(text))

    def enter(self) -> None:
        """The enter key: a new line, or the action of a single-line field."""
        field = self._phone.focused_field()
        if field is None:
            return
        if field.multiline:
            self.insert("\n")
        else:
            self._phone.submit_field()

    def type_lines(self, text: str) -> None:
        """Types text; each newline is the enter key."""
        for number, line in enumerate(text.split("\n")):
            if number:
                self.enter()
            if line:
                self.insert(line)

    def key(self, keycode: int, shift: bool = False) -> None:
        """A hardware key; keys that edit nothing are ignored."""
        match keycode:
            case 66 | 160:
                self.enter()
            case 277 | 278 | 279:
                self.edit(lambda field: self._clip(field, keycode))
            case _:
                self.edit(lambda field: _apply_key(field, keycode, shift))

    def control_key(self, keycode: int) -> None:
        """A key pressed together with Ctrl: A, C, V or X."""
        if keycode == 29:
            self.edit(lambda field: field.select_all())
        elif keycode in (31, 50, 52):
            self.key({31: COPY, 50: PASTE, 52: CUT}[keycode])

    def _clip(self, field: TextField, keycode: int) -> None:
        if keycode == PASTE:
            field.insert(self._phone.clipboard)
        elif field.selected_text:
            self._phone.clipboard = field.selected_text
            if keycode == CUT:
                field.insert("")


def _apply_key(field: TextField, keycode: int, shift: bool) -> None:
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

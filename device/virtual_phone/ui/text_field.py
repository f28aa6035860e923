"""An editable text: content, cursor and selection."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


def _can_be_held(character: str) -> bool:
    """No control characters and no halves of surrogate pairs."""
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs")


@dataclass(slots=True)
class TextField:
    """What a user edits. `cursor` and `anchor` are the ends of the selection."""

    text: str = ""
    cursor: int = 0
    anchor: int = 0
    multiline: bool = False
    max_length: int = 10_000
    select_on_focus: bool = False
    secret: bool = False

    @property
    def selection(self) -> tuple[int, int]:
        """Start and end of the selection; equal when nothing is selected."""
        return min(self.cursor, self.anchor), max(self.cursor, self.anchor)

    @property
    def selected_text(self) -> str:
        """What is selected and may be copied: nothing of a password."""
        if self.secret:
            return ""
        start, end = self.selection
        return self.text[start:end]

    def set_text(self, text: str) -> None:
        """Replaces everything; the cursor goes to the end."""
        self.text = text[: self.max_length]
        self.move_to(len(self.text))

    def insert(self, text: str) -> None:
        """Replaces the selection; a single-line field turns newlines into spaces."""
        if not self.multiline:
            text = text.replace("\n", " ")
        text = "".join(character for character in text if _can_be_held(character))
        start, end = self.selection
        text = text[: max(0, self.max_length - len(self.text) + end - start)]
        self.text = self.text[:start] + text + self.text[end:]
        self.move_to(start + len(text))

    def delete_before(self) -> None:
        """Backspace."""
        start, end = self.selection
        if start == end:
            start = max(0, start - 1)
        self.text = self.text[:start] + self.text[end:]
        self.move_to(start)

    def delete_after(self) -> None:
        """Forward delete."""
        start, end = self.selection
        if start == end:
            end = min(len(self.text), end + 1)
        self.text = self.text[:start] + self.text[end:]
        self.move_to(start)

    def move_to(self, position: int) -> None:
        """Puts the cursor before the character at `position` and drops the selection."""
        self.cursor = self.anchor = max(0, min(len(self.text), position))

    def select_all(self) -> None:
        """Selects everything."""
        self.anchor, self.cursor = 0, len(self.text)

    def select_word(self) -> None:
        """Selects the word around the cursor."""
        start = end = self.cursor
        while start > 0 and not self.text[start - 1].isspace():
            start -= 1
        while end < len(self.text) and not self.text[end].isspace():
            end += 1
        self.anchor, self.cursor = start, end

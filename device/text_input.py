"""Typing: whole or not at all, and read back where the field can be read.

Printable ASCII goes by `input text`, which sends key events: `%s` stands for a space there and has
no escape, newlines are not typed, and one character that the key map lacks drops the whole string.
Everything else goes through a helper keyboard.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Iterator

from device.errors import (
    BadArgumentError,
    CommandFailedError,
    CommandMissingError,
    DeviceError,
    InputBlockedError,
    KeyboardMissingError,
    TextNotTypedError,
    UiTreeError,
)
from device.failures import check_silent, check_typed
from device.keyboards import HelperKeyboard, Keyboards
from device.keys import CTRL_LEFT, KEY_A, KEY_CODES, input_command
from device.protocol import TypedResult, TypingMethod, UiTree
from device.quoting import ShellCommand, join, quote
from device.transport import Transport
from device.ui_tree import focused_field, is_editable, is_focus_elsewhere

TEXT_MAX_CHARS = 20_000
_RUN_MAX_CHARS = 500
_CHUNK_MAX_BYTES = 1000
_DELETE_BATCH = 100
_DELETE_UNKNOWN = 200
_BY_KEYS = re.compile(r"[\x20-\x7e\n]*")
_APPEARS_S = 1.0
_POLL_S = 0.15
_FOCUS_TAPS = 2
KEYBOARD_SETTLE_S = 0.6
"""Time that a field needs after the tap before it takes text."""
BeforeInput = Callable[[], None]


class TextInput:
    """Types into the focused field of one phone.

    Args:
        transport: The phone.
        keyboards: Its input methods.
        read_tree: Reads the UI tree, to find the field and read it back; None never reads.
        display_id: The logical display that has the focus, where it is not the first.
        tap: Taps a point in pixels of the last screenshot.
    """

    def __init__(
        self,
        transport: Transport,
        keyboards: Keyboards,
        read_tree: Callable[[], UiTree | None] | None,
        display_id: Callable[[], int | None],
        tap: Callable[[float, float], None],
    ) -> None:
        self._transport = transport
        self._keyboards = keyboards
        self._read_tree = read_tree
        self._display_id = display_id
        self._tap = tap

    def type_text(
        self,
        text: str,
        *,
        at_px: tuple[float, float] | None = None,
        clear: bool = False,
        submit: bool = False,
        before_input: BeforeInput = lambda: None,
    ) -> TypedResult:
        """Type, optionally into an emptied field, optionally pressing ENTER at the end.

        Args:
            text: What to type.
            at_px: Where the field is, in pixels of the last screenshot: it is tapped first. None
                types into the field that has the focus.
            clear: Empty the field first.
            submit: Press ENTER afterwards.
            before_input: Called before each command that changes the phone; what it raises ends
                the typing there.

        Raises:
            TextNotTypedError: The field does not hold the text afterwards, or nothing has the
                focus; `details["found"]` is what the field holds. Or the focus stays in another
                field than the tapped one, and nothing was typed.
            KeyboardMissingError: Only a helper keyboard could type this, and there is none.
            DeviceError: The phone refused.
        """
        try:
            quote(text)
        except BadArgumentError as error:
            raise TextNotTypedError(error.message) from error
        if len(text) > TEXT_MAX_CHARS:
            raise TextNotTypedError(
                f"A text of {len(text)} characters is too long to type; give at most "
                f"{TEXT_MAX_CHARS} at a time."
            )
        if at_px is not None:
            self._focus(at_px, before_input)
        method: TypingMethod = "none"
        if is_typed_by_keys(text):
            method = self._type_by_keys(text, clear, before_input)
        else:
            helper = self._keyboards.find_helper()
            if helper is None:
                raise _no_keyboard(text)
            self._type_by_helper(helper, text, clear, before_input)
            method = "adb_keyboard"
        verified = self._verify(text, clear) if text else None
        if submit:
            self._press(before_input, KEY_CODES["ENTER"])
        return TypedResult(method, verified)

    def _focus(self, at_px: tuple[float, float], before_input: BeforeInput) -> None:
        """Tap a field. Where the keyboard was up already, a tap that is lost leaves the focus, and
        would send the text, to the field before: only then is the tree worth its second."""
        was_shown = self._read_tree is not None and self._keyboards.shown() is True
        for _ in range(_FOCUS_TAPS):
            before_input()
            self._tap(*at_px)
            time.sleep(KEYBOARD_SETTLE_S)
            tree = self._tree() if was_shown else None
            if tree is None or not is_focus_elsewhere(tree, at_px):
                return
        raise TextNotTypedError(
            "The tapped field does not take the focus from the one before, so nothing was typed; "
            "look at the screen and tap it again.",
            reason="focus_elsewhere",
        )

    def _type_by_keys(self, text: str, clear: bool, before_input: BeforeInput) -> TypingMethod:
        try:
            if clear:
                self._clear_by_keys(before_input)
            for command in plan_key_commands(text, self._display_id()):
                before_input()
                check_typed(self._transport.run(command, timeout_s=30.0, shown="input text …"))
        except (InputBlockedError, TextNotTypedError):
            # Both mean that nothing was typed; a helper keyboard needs no right to inject.
            helper = self._keyboards.find_helper()
            if helper is None:
                raise
            self._type_by_helper(helper, text, clear, before_input)
            return "adb_keyboard"
        return "input_text" if text else "none"

    def _type_by_helper(
        self, helper: HelperKeyboard, text: str, clear: bool, before_input: BeforeInput
    ) -> None:
        before_input()
        self._keyboards.borrow(helper)
        if clear:
            before_input()
            self._keyboards.clear(helper)
        for chunk in split_chunks(text):
            before_input()
            self._keyboards.commit(helper, base64.b64encode(chunk.encode()).decode())

    def _clear_by_keys(self, before_input: BeforeInput) -> None:
        """Select all and delete; before Android 12, delete as often as the field is long."""
        select = input_command("keycombination", CTRL_LEFT, KEY_A, display_id=self._display_id())
        before_input()
        try:
            check_silent(self._transport.run(select), "select all")
        except (CommandMissingError, CommandFailedError):
            tree = self._tree()
            field = focused_field(tree) if tree else None
            count = _DELETE_UNKNOWN if field is None else len(field.text) + 1
            self._press(before_input, KEY_CODES["MOVE_END"])
            for start in range(0, count, _DELETE_BATCH):
                batch = min(_DELETE_BATCH, count - start)
                self._press(before_input, *[KEY_CODES["DELETE"]] * batch)
        else:
            self._press(before_input, KEY_CODES["DELETE"])

    def _press(self, before_input: BeforeInput, *codes: int) -> None:
        before_input()
        press = input_command("keyevent", *codes, display_id=self._display_id())
        check_silent(self._transport.run(press), "press a key")

    def _verify(self, text: str, clear: bool) -> bool | None:
        """Read the field back; what was typed may take a moment to appear."""
        deadline = time.monotonic() + _APPEARS_S
        while True:
            tree = self._tree()
            if tree is None:
                return None
            try:
                if focused_field(tree) is None and self._keyboards.shown() is not True:
                    raise TextNotTypedError(
                        "Nothing on the screen takes text; tap the field first.", found=None
                    )
                return read_back(tree, text, cleared=clear)
            except TextNotTypedError:
                if time.monotonic() >= deadline:
                    raise
            time.sleep(_POLL_S)

    def _tree(self) -> UiTree | None:
        try:
            return self._read_tree() if self._read_tree else None
        except UiTreeError:
            return None


def is_typed_by_keys(text: str) -> bool:
    """Whether key events can type it: printable ASCII and newlines."""
    return _BY_KEYS.fullmatch(text) is not None


def plan_key_commands(text: str, display_id: int | None = None) -> Iterator[ShellCommand]:
    """The commands that type printable ASCII and newlines, a few hundred characters each."""
    for start in range(0, len(text), _RUN_MAX_CHARS):
        commands: list[ShellCommand] = []
        for number, line in enumerate(text[start : start + _RUN_MAX_CHARS].split("\n")):
            if number:
                commands.append(
                    input_command("keyevent", KEY_CODES["ENTER"], display_id=display_id)
                )
            commands += [
                input_command("text", run.replace(" ", "%s"), display_id=display_id)
                for run in _split_percent_s(line)
                if run
            ]
        yield join(commands, " && ")


def split_chunks(text: str) -> Iterator[str]:
    """Cut a text into pieces of at most about 1 KB, between characters."""
    chunk: list[str] = []
    size = 0
    for character in text:
        length = len(character.encode())
        if size + length > _CHUNK_MAX_BYTES:
            yield "".join(chunk)
            chunk, size = [], 0
        chunk.append(character)
        size += length
    if chunk:
        yield "".join(chunk)


def read_back(tree: UiTree, text: str, *, cleared: bool) -> bool | None:
    """Whether the focused field holds what was typed; None where it cannot be read.

    Fields may space out what they are given (telephone and card numbers), and older dumpers write
    `..` for an emoji: only letters and digits are compared.

    Args:
        tree: The tree after typing.
        text: What was typed.
        cleared: The field was emptied before, so it must hold nothing else.

    Raises:
        TextNotTypedError: It does not hold it.
    """
    field = focused_field(tree)
    if field is None:
        return None
    wanted, found = _comparable(text), _comparable(field.text)
    if field.password or not wanted or ("\n" in text.rstrip("\n") and wanted not in found):
        return None
    if wanted in found:
        return wanted == found or not cleared
    if not is_editable(field):
        return None
    raise TextNotTypedError(
        "The field does not hold the text after typing; look at it, tap it and try again.",
        found=field.text,
    )


def _split_percent_s(line: str) -> list[str]:
    """Cut between the `%` and the `s` of a literal `%s`, which would be typed as a space."""
    return re.split(r"(?<=%)(?=s)", line)


def _comparable(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def _no_keyboard(text: str) -> DeviceError:
    odd = sorted({c for c in text if not _BY_KEYS.fullmatch(c)})[:10]
    return KeyboardMissingError(
        "No installed keyboard can type these characters; run `localserver keyboard install`, or "
        "install ADBKeyboard (com.android.adbkeyboard) on the phone.",
        characters=odd,
    )

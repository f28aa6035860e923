"""Text fields: keyboards on the screen, keys, input methods, the clipboard."""

from __future__ import annotations

import pytest

DEL, ENTER, TAB = 67, 66, 61
CTRL, A, C, V, X, SHIFT = 113, 29, 31, 50, 52, 59


@pytest.fixture
def note(hand):
    """A new note with the cursor in its title."""
    hand.tap("Notes")
    hand.tap("New note")
    return hand


def fields(hand):
    truth = hand.phone.truth()["text_fields"]
    return truth["note_title"], truth["note_body"]


def test_the_painted_keys_type(note):
    note.press_keys("buy tea")
    assert fields(note) == ("buy tea", "")
    note.press_key("backspace")
    note.press_key("enter")
    note.press_keys("ok")
    assert fields(note) == ("buy te", "ok")


def test_shift_types_one_capital_and_symbols_stay_until_left(note):
    note.press_key("shift")
    note.press_keys("Ab")
    note.press_key("symbols")
    note.press_keys("12")
    note.press_key("symbols")
    note.press_keys("c")
    assert fields(note)[0] == "Ab12c"


def test_an_input_method_commits_any_text(note):
    assert note.phone.commit_text("买牛奶🥛 now")
    assert fields(note)[0] == "买牛奶🥛 now"
    assert note.sees("买牛奶🥛 now")


def test_text_goes_nowhere_without_a_focused_field(hand):
    hand.tap("Notes")
    before = hand.phone.truth()
    assert not hand.phone.commit_text("lost")
    assert not hand.phone.clear_text()
    assert not hand.phone.editor_action()
    assert hand.phone.truth() == before


def test_key_events_type_edit_and_move(note):
    note.phone.type_ascii("helo")
    note.phone.key(21)
    note.phone.key(40)
    assert fields(note)[0] == "hello"
    note.phone.key(122)
    note.phone.key(112)
    note.phone.key(123)
    note.phone.key(DEL)
    assert fields(note)[0] == "ell"


def test_shift_and_a_key_type_the_upper_sign(note):
    note.phone.key_combination([SHIFT, 36])
    note.phone.key_combination([SHIFT, 8])
    assert fields(note)[0] == "H!"


def test_cut_copy_and_paste_by_keys(note):
    note.phone.type_ascii("abc")
    note.phone.key_combination([CTRL, A])
    note.phone.key_combination([CTRL, C])
    note.phone.key(123)
    note.phone.key_combination([CTRL, V])
    assert (fields(note)[0], note.phone.clipboard) == ("abcabc", "abc")
    note.phone.key_combination([CTRL, A])
    note.phone.key_combination([CTRL, X])
    assert (fields(note)[0], note.phone.clipboard) == ("", "abcabc")


def test_tab_goes_to_the_next_field_and_round(note):
    note.phone.key(TAB)
    assert note.phone.truth()["focused_field"] == "note_body"
    note.phone.key(TAB)
    assert note.phone.truth()["focused_field"] == "note_title"


def test_enter_breaks_the_line_only_in_a_multiline_field(note):
    note.phone.type_ascii("one\ntwo\nthree")
    assert fields(note) == ("one", "two\nthree")


def test_a_tap_puts_the_cursor_and_a_double_tap_selects_the_word(note):
    note.phone.type_ascii("milk and eggs")
    left, top, _, bottom = note.bounds(note.find("milk and eggs"))
    note.phone.advance(1)
    note.phone.tap(left + 64, (top + bottom) / 2)
    note.phone.type_ascii("X")
    assert fields(note)[0].startswith("X")
    note.phone.key(DEL)
    note.phone.advance(1)
    note.phone.tap(left + 90, (top + bottom) / 2)
    note.phone.advance(0.1)
    note.phone.tap(left + 90, (top + bottom) / 2)
    note.phone.type_ascii("tea")
    assert fields(note)[0] == "tea and eggs"


def test_a_password_shows_only_dots(hand):
    hand.tap("Settings")
    hand.tap("WLAN")
    hand.tap("Office-WiFi")
    hand.phone.commit_text("secret88")
    node = next(n for n in hand.nodes() if n.get("password") == "true")
    assert node.get("text") == "•" * 8
    assert "secret88" not in hand.phone.snapshot().xml()
    hand.tap("Connect")
    assert hand.phone.truth()["apps"]["settings"]["wlan"]["network"] == "Office-WiFi"


def test_a_password_cannot_be_copied(hand):
    hand.tap("Settings")
    hand.tap("WLAN")
    hand.tap("Office-WiFi")
    hand.phone.commit_text("secret88")
    hand.phone.key_combination([CTRL, A])
    hand.phone.key_combination([CTRL, C])
    assert hand.phone.clipboard == ""


def test_control_characters_never_enter_a_field(note):
    note.phone.commit_text("a\x00b\x1bc\ud83d\r\nd")
    assert fields(note)[0] == "abc d"


def test_an_empty_field_shows_its_hint(note):
    assert note.find("Title").get("class") == "android.widget.EditText"


def test_the_keyboard_is_not_in_the_tree_and_takes_room_from_the_app(note):
    assert not note.sees("space")
    content = next(n for n in note.nodes() if n.get("resource-id") == "android:id/content")
    keyboard = next(w for w in note.phone.snapshot().screen.windows if w.name == "keyboard")
    assert note.bounds(content)[3] == keyboard.root.bounds.top


def test_the_adb_keyboard_shows_a_strip_instead_of_keys(note):
    latin = next(w for w in note.phone.snapshot().screen.windows if w.name == "keyboard")
    note.phone.settings["secure"]["default_input_method"] = "com.android.adbkeyboard/.AdbIME"
    strip = next(w for w in note.phone.snapshot().screen.windows if w.name == "keyboard")
    assert note.phone.ime_shown
    assert strip.root.bounds.height < latin.root.bounds.height / 3


def test_a_long_text_keeps_its_end_above_the_keyboard(note):
    note.phone.key(TAB)
    note.phone.commit_text("\n".join(f"line {number}" for number in range(60)))
    root = note.phone.snapshot().screen.active_window.root
    scroll = next(box for box in root.walk() if box.view.kind == "scroll")
    assert scroll.offset_px > 0
    assert scroll.offset_px == scroll.limit_px

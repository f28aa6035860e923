"""Text arrives whole or is an error: planned commands, borrowed keyboards, reading back."""

from __future__ import annotations

import base64
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device.adb_device import AdbDevice
from device.command_record import CommandRecord
from device.errors import (
    InputBlockedError,
    KeyboardMissingError,
    KeyboardNotSavedError,
    SecureSettingsDeniedError,
    TextNotTypedError,
)
from device.keyboards import KeyboardStore, OwnKeyboard
from device.protocol import Bounds, TypedResult, UiNode, UiTree
from device.scripted_adb_server import Reply, ScriptedAdbServer
from device.text_input import plan_key_commands, read_back, split_chunks
from tests.device.shell_values import typed_by

OWN = "com.vendor.keyboard/.Main"
HELPER = "com.android.adbkeyboard/.AdbIME"
ACKNOWLEDGING = "com.github.uiautomator/.AdbKeyboard"
BLOCKED = Reply(
    stderr=b"java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS",
    exit_code=255,
)


def what_android_types(command: str) -> str:
    """What `input text` and `keyevent 66` make of a command line (AOSP InputShellCommand)."""
    typed = ""
    for part in command.split(" && "):
        program, *words = shlex.split(part)
        assert program == "input"
        typed += typed_by(words)
    return typed


@given(
    st.text(st.sampled_from("ab %s'\"$\\`-&;\n#<>|~0"), max_size=60)
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=1500)
)
def test_key_commands_type_exactly_the_text(text: str) -> None:
    # " && " never stands unquoted in a word, but shlex must see whole words.
    typed = ""
    for command in plan_key_commands(text):
        parts = re.split(r" && (?=input (?:text|keyevent) )", command)
        typed += "".join(what_android_types(part) for part in _rejoin(parts))
    assert typed == text


def _rejoin(parts: list[str]) -> list[str]:
    """Undo cuts inside of quotes."""
    whole: list[str] = []
    for part in parts:
        if whole and whole[-1].count("'") % 2:
            whole[-1] += " && " + part
        else:
            whole.append(part)
    return whole


def test_another_display_is_named_in_every_command() -> None:
    assert list(plan_key_commands("a\nb", 2)) == [
        "input -d 2 text a && input -d 2 keyevent 66 && input -d 2 text b"
    ]


@given(st.text(max_size=3000))
def test_chunks_are_small_and_lose_nothing(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    chunks = list(split_chunks(text))
    assert "".join(chunks) == text
    assert all(0 < len(chunk.encode()) <= 1000 for chunk in chunks)


def field(text: str, *, focused: bool = True, password: bool = False,
          class_name: str = "android.widget.EditText") -> UiTree:  # fmt: skip
    node = UiNode(
        class_name, "p", text, "", "", "", Bounds(0, 0, 9, 9), True, False, False, False, False,
        True, focused, True, password, False, 0,
    )  # fmt: skip
    return UiTree(node, "")


@pytest.mark.parametrize(
    ("tree", "text", "cleared", "verified"),
    [
        (field("hello"), "hello", True, True),
        (field("say hello"), "hello", False, True),
        (field("say hello"), "hello", True, False),
        (field("138 0013 8000"), "13800138000", True, True),
        (field("hi .."), "hi 😀", True, True),
        (field("anything"), "😀", True, None),
        (field("••••", password=True), "pass", True, None),
        (field("", class_name="android.webkit.WebView"), "hello", True, None),
        (field("", focused=False), "hello", True, None),
        (field("line"), "first\nline", True, None),
        (UiTree(None, ""), "hello", True, None),
    ],
)
def test_what_the_field_shows_decides(
    tree: UiTree, text: str, cleared: bool, verified: bool | None
) -> None:
    assert read_back(tree, text, cleared=cleared) is verified


def test_a_field_that_does_not_hold_the_text_is_an_error_that_shows_what_it_holds() -> None:
    with pytest.raises(TextNotTypedError) as caught:
        read_back(field("678577"), "你好世", cleared=True)
    assert caught.value.details["found"] == "678577"


class PhoneWithKeyboards:
    """Answers the commands about keyboards as a phone does."""

    def __init__(self, *installed: str, current: str = OWN) -> None:
        self.installed = installed
        self.enabled = {current}
        self.current = current
        self.typed: list[str] = []
        self.blocked = False
        self.unknown_times = 0
        self.acknowledges = True

    def __call__(self, command: str) -> Reply:
        words = shlex.split(command)
        if words[:2] == ["ime", "list"]:
            listed = [n for n in self.installed if "-a" in words or n in self.enabled]
            return Reply(stdout="\n".join(listed).encode())
        if words[:2] == ["ime", "enable"]:
            self.enabled.add(words[2])
        if words[:2] == ["ime", "disable"]:
            self.enabled.discard(words[2])
        if words[0] == "settings":
            return Reply(stdout=f"{self.current}\n".encode())
        if words[:2] == ["ime", "set"]:
            if self.unknown_times or words[2] not in self.installed:
                self.unknown_times -= 1
                return Reply(
                    stdout=f"Unknown input method {words[2]} cannot be selected".encode(),
                    exit_code=255,
                )
            self.current = words[2]
            return Reply(stdout=b"selected")
        if words[:2] == ["am", "broadcast"]:
            return self._receive(words)
        if words[0] == "input" and self.blocked:
            return BLOCKED
        if words[:2] == ["input", "text"]:
            self.typed.append(what_android_types(command))
        return Reply()

    def _receive(self, words: list[str]) -> Reply:
        package = words[words.index("-p") + 1]
        heard = self.current.startswith(package + "/")
        if heard and "--es" in words:
            self.typed.append(base64.b64decode(words[-1], validate=True).decode())
        acknowledged = heard and self.acknowledges and package == "com.github.uiautomator"
        result = 'result=-1, data="success"' if acknowledged else "result=0"
        text = f"Broadcasting: Intent {{ pkg={package} }}\nBroadcast completed: {result}\n"
        return Reply(stdout=text.encode())


def device_on(adb: ScriptedAdbServer, phone: PhoneWithKeyboards, tmp_path: Path) -> AdbDevice:
    adb.reply = phone
    return AdbDevice(adb.transport(), state_dir=tmp_path, verify_typing=False)


def test_chinese_goes_through_the_helper_and_the_own_keyboard_comes_back(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    device = device_on(adb, phone, tmp_path)
    assert device.type_text("你好 😀") == TypedResult("adb_keyboard")
    assert (phone.typed, phone.current) == (["你好 😀"], HELPER)
    assert phone.enabled == {OWN, HELPER}
    device.restore()
    assert (phone.current, phone.enabled) == (OWN, {OWN})


@pytest.mark.parametrize("text", ["hunter2", "密码 hunter2"])
def test_what_is_typed_is_not_on_the_record_of_commands(
    adb: ScriptedAdbServer, tmp_path: Path, text: str
) -> None:
    device = device_on(adb, PhoneWithKeyboards(OWN, HELPER), tmp_path)
    record = CommandRecord()
    with record.recording():
        device.type_text(text, clear=True)
    kept = str(record.to_wire())
    assert ("input text …" if text.isascii() else "ADB_INPUT_B64") in kept
    assert "hunter2" not in kept
    assert base64.b64encode(text.encode()).decode() not in kept


def test_a_helper_that_the_person_had_switched_on_stays_switched_on(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    phone.enabled.add(HELPER)
    device = device_on(adb, phone, tmp_path)
    device.type_text("你")
    device.restore()
    assert (phone.current, phone.enabled) == (OWN, {OWN, HELPER})


def test_the_own_keyboard_comes_back_after_a_crash(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    device_on(adb, phone, tmp_path).type_text("你")  # and the process dies here
    later = device_on(adb, phone, tmp_path)
    later.type_text("好")
    later.restore()
    assert (phone.typed, phone.current, phone.enabled) == (["你", "好"], OWN, {OWN})


def test_a_keyboard_chosen_by_the_person_meanwhile_stays(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    device = device_on(adb, phone, tmp_path)
    device.type_text("你")
    phone.current = "com.other/.Ime"
    device.restore()
    assert (phone.current, phone.enabled) == ("com.other/.Ime", {OWN})


def test_a_helper_that_was_the_persons_own_choice_stays(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER, current=HELPER)
    device = device_on(adb, phone, tmp_path)
    device.type_text("你")
    device.restore()
    assert phone.current == HELPER


def test_a_helper_that_acknowledges_is_preferred_and_believed(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER, ACKNOWLEDGING)
    device = device_on(adb, phone, tmp_path)
    device.type_text("你")
    assert (phone.typed, phone.current) == (["你"], ACKNOWLEDGING)
    phone.acknowledges = False
    with pytest.raises(TextNotTypedError, match="did not take the text"):
        device.type_text("好")


def test_a_keyboard_that_the_phone_does_not_know_at_once_is_tried_again(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    phone.unknown_times = 2
    device_on(adb, phone, tmp_path).type_text("你")
    assert phone.typed == ["你"]


def test_without_a_helper_nothing_is_typed_and_the_characters_are_named(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN)
    with pytest.raises(KeyboardMissingError) as caught:
        device_on(adb, phone, tmp_path).type_text("abc é你")
    assert caught.value.details["characters"] == ["é", "你"]
    assert phone.typed == []


def test_a_vendor_that_forbids_keyboards_is_told_apart(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    adb.reply = lambda command: Reply(
        stderr=b"java.lang.SecurityException: WRITE_SECURE_SETTINGS needed", exit_code=255
    )
    with pytest.raises(SecureSettingsDeniedError, match="developer options"):
        AdbDevice(adb.transport(), state_dir=tmp_path).type_text("你")


def test_where_keys_are_blocked_a_helper_still_types(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    phone.blocked = True
    assert device_on(adb, phone, tmp_path).type_text("abc").method == "adb_keyboard"
    assert phone.typed == ["abc"]


def test_where_keys_are_blocked_and_there_is_no_helper_the_switch_is_named(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    phone = PhoneWithKeyboards(OWN)
    phone.blocked = True
    with pytest.raises(InputBlockedError, match="USB debugging"):
        device_on(adb, phone, tmp_path).type_text("abc")


@pytest.mark.parametrize("text", ["a\0b", "a\ud83db", "x" * 100_000, "好" * 100_000])
def test_text_that_no_phone_can_take_is_refused(
    adb: ScriptedAdbServer, tmp_path: Path, text: str
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    with pytest.raises(TextNotTypedError):
        device_on(adb, phone, tmp_path).type_text(text)
    assert (phone.typed, phone.current) == ([], OWN)


def test_a_keyboard_that_cannot_be_written_down_is_not_switched_away_from(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    (tmp_path / "keyboards").write_text("a file where the folder should be", encoding="utf-8")
    phone = PhoneWithKeyboards(OWN, HELPER)
    with pytest.raises(KeyboardNotSavedError, match="LOCALSERVER_STATE_DIR"):
        device_on(adb, phone, tmp_path).type_text("你")
    assert (phone.typed, phone.current) == ([], OWN)


def test_a_long_text_arrives_in_order(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    device = device_on(adb, phone, tmp_path)
    text = "".join(f"第{n}行，" for n in range(1500))
    device.type_text(text)
    assert "".join(phone.typed) == text


def test_the_store_survives_damage_and_keeps_phones_apart(tmp_path: Path) -> None:
    store = KeyboardStore(tmp_path / "k")
    store.forget("A")
    own, other = OwnKeyboard(OWN, (HELPER,)), OwnKeyboard("com.b/.Ime")
    store.keep("../../A;id", own)
    store.keep("B", other)
    assert (store.read("../../A;id"), store.read("B"), store.read("C")) == (own, other, None)
    assert {p.parent for p in tmp_path.rglob("*.json")} == {tmp_path / "k"}
    for path in (tmp_path / "k").iterdir():
        path.write_text('{"ime_id": "x; reboot"', encoding="utf-8")
    assert store.read("B") is None


class StopNowError(Exception):
    """What a loop raises to withhold the next input."""


@pytest.mark.parametrize("text", ["x" * 1600, "你" * 1600])
@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_a_stop_ends_the_typing_before_the_next_command(
    adb: ScriptedAdbServer, tmp_path: Path, text: str, allowed: int
) -> None:
    phone = PhoneWithKeyboards(OWN, HELPER)
    device = device_on(adb, phone, tmp_path)
    left = allowed

    def before_input() -> None:
        nonlocal left
        if left == 0:
            raise StopNowError
        left -= 1

    with pytest.raises(StopNowError):
        device.type_text(text, submit=True, before_input=before_input)
    switched = 0 if text.isascii() else 1  # choosing the helper keyboard counts too
    assert len(phone.typed) == max(0, allowed - switched)
    assert text.startswith("".join(phone.typed))
    device.restore()
    assert phone.current == OWN

"""`input` moves the phone, and refuses as a real one does."""

from __future__ import annotations

from typing import Any

import pytest

from device.virtual_phone.profile import Profile


def gestures(system: Any) -> list[str]:
    return [entry.text for entry in system.journal.entries(kind="gesture")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("input tap 540 1200", ["tap 540 1200"]),
        ("input tap 540.5 1200.25", ["tap 540.5 1200.25"]),
        ("input touchscreen tap 1 2", ["tap 1 2"]),
        ("input -d 0 tap 1 2", ["tap 1 2"]),
        ("input touchscreen -d 0 swipe 1 2 3 4 10", ["swipe 1 2 3 4 10"]),
        ("input draganddrop 1 2 3 4 10", ["draganddrop 1 2 3 4 10"]),
        ("input keyevent 3", ["keyevent 3"]),
        ("input keyevent KEYCODE_HOME BACK 66", ["keyevent 3", "keyevent 4", "keyevent 66"]),
        ("input keyevent KEYCODE_NO_SUCH", ["keyevent 0"]),
        ("input motionevent DOWN 5 6", ["motionevent DOWN 5 6"]),
        ("input keycombination 113 29", ["keycombination 113 29"]),
        ("input text 'a%sb'", ["text 'a b'"]),
        ("cmd input tap 1 2", ["tap 1 2"]),
        ("input -d 7 tap 1 2", []),
        ("input press", []),
    ],
)
async def test_an_accepted_input_is_silent(
    system: Any, run: Any, line: str, expected: list[str]
) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == ("", "", 0)
    assert gestures(system) == expected


@pytest.mark.parametrize(
    ("line", "first_lines"),
    [
        ("input text 'héllo'", ["Exception occurred while executing 'text':",
         "java.lang.NullPointerException: Attempt to get length of null array"]),
        ("input text 你好", ["Exception occurred while executing 'text':",
         "java.lang.NullPointerException: Attempt to get length of null array"]),
        ("input tap 1", ["Exception occurred while executing 'tap':",
         'java.lang.IllegalArgumentException: Argument expected after "1"']),
        ("input tap a b", ["Exception occurred while executing 'tap':",
         'java.lang.NumberFormatException: For input string: "a"']),
        ("input tap nan 2", ["Exception occurred while executing 'tap':",
         'java.lang.NumberFormatException: For input string: "nan"']),
        ("input keycombination 113", ["Exception occurred while executing 'keycombination':",
         "java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes"]),
    ],
)  # fmt: skip
async def test_a_refused_input_throws_and_does_nothing(
    system: Any, run: Any, line: str, first_lines: list[str]
) -> None:
    result = await run(line)
    assert result.status == 255
    assert result.err.splitlines()[1:3] == first_lines
    assert gestures(system) == []


async def test_old_phones_know_no_key_combination(run_on_profile: Any) -> None:
    result = await run_on_profile(Profile(sdk=30, release="11"), "input keycombination 113 29")
    assert (result.out, result.status) == ("Unknown command: keycombination\n", 0)


async def test_old_phones_are_killed_by_a_foreign_character(run_on_profile: Any) -> None:
    result = await run_on_profile(Profile(sdk=27, release="8.1.0"), "input text é")
    assert (result.err, result.status) == ("Killed \n", 137)


async def test_an_inject_refusal_changes_nothing(system: Any, run: Any) -> None:
    from device.virtual_phone.faults import Fault

    system.faults.add(Fault("inject_denied"))
    refused = await run("input tap 540 1200")
    assert refused.status == 255
    assert "INJECT_EVENTS permission" in refused.err
    assert gestures(system) == []
    assert (await run("input tap 540 1200")).err == ""


async def test_a_swipe_takes_its_duration(run: Any) -> None:
    import time

    started_s = time.monotonic()
    await run("input swipe 500 1500 500 500 250")
    assert 0.25 <= time.monotonic() - started_s < 2


async def test_text_reaches_the_focused_field(system: Any, run: Any) -> None:
    await focus_a_field(system, run)
    await run("input text 'hello%sworld'")
    assert "hello world" in system.phone.truth()["text_fields"].values()


async def focus_a_field(system: Any, run: Any) -> None:
    """Opens an app with a text field and taps it, by the tree that a client would read."""
    import re

    await run("am start -n com.android.settings/.Settings")
    dump = (await run("uiautomator dump /dev/tty")).out
    match = re.search(
        r'class="android.widget.EditText"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', dump
    )
    if match is None:
        match = re.search(
            r'text="(?:Search settings|搜索设置)[^"]*"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"',
            dump,
        )
    assert match is not None, dump
    x1, y1, x2, y2 = map(int, match.groups())
    await run(f"input tap {(x1 + x2) // 2} {(y1 + y2) // 2}")
    assert system.phone.focused_editable


@pytest.mark.parametrize(
    ("broadcast", "text"),
    [
        ("am broadcast -a ADB_INPUT_TEXT --es msg 你好", "你好"),
        ("am broadcast -a ADB_INPUT_TEXT --es msg 'a b c'", "a b c"),
        ("am broadcast -a ADB_INPUT_B64 --es msg 5L2g5aW9LCDkuJbnlYw=", "你好, 世界"),
        ("am broadcast -p com.android.adbkeyboard -a ADB_INPUT_B64 --es msg aGk=", "hi"),
        ("am broadcast -a ADB_INPUT_CHARS --eia chars 128568,32,67", "😸 C"),
        ("am broadcast -a ADB_INPUT_TEXT --es msg Hi Hello?", ""),
        ("am broadcast -p com.other -a ADB_INPUT_TEXT --es msg hi", ""),
        ("am broadcast -a ADB_INPUT_B64 --es msg '%%%'", ""),
    ],
)
async def test_the_broadcast_keyboard_types_only_while_it_is_selected(
    system: Any, run: Any, broadcast: str, text: str
) -> None:
    await focus_a_field(system, run)
    before = await run(broadcast)
    assert before.out.endswith("Broadcast completed: result=0\n")
    assert "".join(system.phone.truth()["text_fields"].values()) == ""
    await run("ime enable com.android.adbkeyboard/.AdbIME; ime set com.android.adbkeyboard/.AdbIME")
    after = await run(broadcast)
    assert after.out == before.out
    assert "".join(system.phone.truth()["text_fields"].values()) == text
    await run("am broadcast -a ADB_CLEAR_TEXT")
    assert "".join(system.phone.truth()["text_fields"].values()) == ""

"""What the phones print is what real phones of their kind printed, word for word."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from device.virtual_phone.faults import Fault

# Transcript, kind of phone, command line, and the words that differ: the app, mostly.
EXACT: list[tuple[str, str, str, dict[str, str]]] = [
    ("wm_density_01", "pixel14", "wm density", {}),
    ("user_rotation_01_null", "pixel14",
     "settings delete system user_rotation >/dev/null; settings get system user_rotation", {}),
    ("sf_display_id_03_samsung", "samsung_oneui", "dumpsys SurfaceFlinger --display-id", {}),
    ("pm_list_06_securefolder", "samsung_oneui", "pm list packages", {}),
    ("resolve_01_ok", "pixel16",
     "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER "
     "com.android.settings", {}),
    ("resolve_02_none", "pixel14",
     "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER com.nope", {}),
    ("resolve_03_chooser", "vivo",
     "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER com.example.shop",
     {}),
    ("resolve_05_one_line", "android8",
     "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER com.example.shop",
     {"com.example/": "com.example.shop/"}),
    ("monkey_03_syskeys", "landscape_tablet",
     "monkey -p com.android.notes -c android.intent.category.LAUNCHER 1", {}),
    ("monkey_05_noise", "android8",
     "monkey -p com.android.notes -c android.intent.category.LAUNCHER 1 2>&1",
     {"com.x": "com.android.notes"}),
    ("input_01_ok", "pixel14", "input tap 540 1200", {}),
    ("input_06_killed", "android8", "input text 'é'", {}),
    ("input_07_keycombination", "xiaomi_miui", "input keycombination 113 29", {}),
    ("uidump_01_ok_file", "pixel14", "uiautomator dump /data/local/tmp/u.xml", {}),
    ("ime_set_02_unknown", "pixel14", "ime set com.nope/.Ime", {}),
    ("ime_enable_01_ok", "pixel14", "ime enable com.android.adbkeyboard/.AdbIME", {}),
    ("ime_enable_02_unknown", "pixel14", "ime enable com.nope/.Ime", {}),
    ("broadcast_01_result0", "pixel14", "am broadcast -a ADB_INPUT_TEXT --es msg hi", {}),
    ("broadcast_02_unquoted", "pixel14", "am broadcast -a ADB_INPUT_TEXT --es msg Hi Hello?", {}),
    ("getprop_03_missing", "pixel14", "getprop ro.miui.ui.version.name", {}),
    ("focus_11_windows_subset_empty", "pixel14",
     "dumpsys window windows | grep -E 'mCurrentFocus|mFocusedApp'", {}),
    ("am_start_03_delivered_top", "pixel14",
     "am start -n com.example.shop/.MainActivity >/dev/null; "
     "am start -n com.example.shop/.MainActivity",
     {"com.example/": "com.example.shop/"}),
    ("am_start_04_error3", "pixel14", "am start -n com.example.shop/.Nope",
     {"com.example": "com.example.shop"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("transcript_id", "name", "line", "words"), EXACT, ids=[f"{e[0]}-{e[1]}" for e in EXACT]
)
async def test_the_output_is_a_real_phones(
    transcript_id: str,
    name: str,
    line: str,
    words: dict[str, str],
    boot: Any,
    ask: Any,
    transcripts: dict[str, dict[str, Any]],
) -> None:
    transcript = transcripts[transcript_id]
    expected = transcript["output"].replace("\r\n", "\n")
    for old, new in words.items():
        expected = expected.replace(old, new)
    result = await ask(boot(name, vendor_switch_on=True), line)
    assert (result.merged_text, result.exit_code) == (expected, transcript["rc"])


# The lines of a transcript that must be among those that the phone prints; names of windows and
# numbers of objects are the phone's own.
LINES: list[tuple[str, str, str]] = [
    ("power_04_getter", "samsung_oneui", "input keyevent 223; dumpsys power"),
    ("keyguard_03_policy_unlocked", "android8", "dumpsys window policy"),
    ("keyguard_06_showing_not_restricted", "pixel14", "dumpsys window policy"),
    ("dumpsys_input_01", "xiaomi_miui", "dumpsys input"),
    ("focus_03_tv", "android8", "dumpsys window windows"),
    ("focus_08_brace", "pixel14", "dumpsys window"),
    ("focus_09_shade", "pixel16", "cmd statusbar expand-notifications; dumpsys window displays"),
    ("focus_13_clone_user", "xiaomi_hyperos",
     "am start --user 999 -n com.tencent.mm/.ui.LauncherUI; dumpsys window displays"),
    ("focus_14_resumed_legacy", "xiaomi_miui", "dumpsys activity activities"),
    ("input_03_inject_a13", "xiaomi_hyperos", "input swipe 1 2 3 4 30"),
    ("input_04_text_unicode_a12", "pixel14", "input text 'שלום'"),
    ("monkey_06_injection_failed", "xiaomi_hyperos",
     "monkey -p com.android.notes -c android.intent.category.LAUNCHER 1"),
    ("pm_list_07_partial", "xiaomi_miui", "pm list packages"),
    ("ime_shown_01", "pixel14", "dumpsys input_method"),
    ("wm_size_02_override", "samsung_oneui", "wm size"),
    ("sf_display_id_02_virtual", "pixel16", "dumpsys SurfaceFlinger --display-id"),
    ("pm_users_01_xiaomi", "xiaomi_hyperos", "pm list users"),
    ("pm_users_02_multiapp", "oppo_coloros", "pm list users"),
]  # fmt: skip


# Lines that these phones have not: a virtual display, a user's own name, a touchscreen's, and a
# form without the stray brace that Android 13 and 14 print elsewhere.
ALLOWED: dict[str, list[str]] = {
    "sf_display_id_02_virtual": [
        'Display 11529215047354549223 (Virtual display): displayName="Cua agent" '
        'uniqueId="virtual:com.android.shell,2000,Cua agent,89"'
    ],
    "pm_users_01_xiaomi": ["\tUserInfo{0:Alice Martin:4c13} running"],
    "focus_13_clone_user": [
        "  mFocusedApp=ActivityRecord{9a8b7c6 u999 com.tencent.mm/.ui.LauncherUI t88}"
    ],
}


def shape(line: str) -> str:
    """A line without what differs from phone to phone: names, numbers, spaces."""
    line = re.sub(r"\d+(\.\d+)*", "0", re.sub(r"\b0x[0-9a-f]+|\b[0-9a-f]{5,12}\b", "0", line))
    line = re.sub(r"[A-Za-z]\w*(\.\w+)+(/[\w.]+)?", "name", line)
    line = re.sub(r"\b(true|false)\b", "flag", line)
    return re.sub(r"\s+", " ", line).strip()


@pytest.mark.parametrize(
    ("transcript_id", "name", "line"), LINES, ids=[f"{e[0]}-{e[1]}" for e in LINES]
)
async def test_the_lines_have_a_real_phones_shape(
    transcript_id: str,
    name: str,
    line: str,
    boot: Any,
    ask: Any,
    transcripts: dict[str, dict[str, Any]],
) -> None:
    printed = {shape(text) for text in (await ask(boot(name), line)).merged_text.splitlines()}
    wanted = transcripts[transcript_id]["output"].splitlines()
    missing = [text for text in wanted if shape(text) and shape(text) not in printed]
    assert missing == ALLOWED.get(transcript_id, [])


@pytest.mark.parametrize(
    ("transcript_id", "fault"),
    [("screencap_02_multi_a13", "display_warning"), ("screencap_13_denied", "screenshot_refused")],
)
async def test_screencap_says_the_words_of_a_real_one(
    transcript_id: str,
    fault: str,
    boot: Any,
    ask: Any,
    transcripts: dict[str, dict[str, Any]],
) -> None:
    system = boot("pixel14")
    system.add_fault(Fault(fault))
    result = await ask(system, "screencap -p")
    said = base64.b64decode(transcripts[transcript_id]["output_b64"]).partition(b"\x89PNG")[0]
    assert (result.stderr, result.exit_code) == (said, 0)

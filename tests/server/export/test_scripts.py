"""Exported scripts run: in a real shell, with a real uiautomator2, on a phone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import adbutils
import pytest

from tests.server.export.conftest import Record, think

OPEN = think("explain:open|action:AWAKE|value:设置|summary:s")
PAGE = think("explain:tap|action:CLICK|point:254,310|summary:s")
SWITCH = think("explain:tap|action:CLICK|point:850,151|summary:s")
DONE = think("explain:done|action:COMPLETE|return:off|summary:s")
OUTCOMES = {
    1: {"status": "ok", "details": {"package": "com.android.settings"}},
    2: {"status": "ok", "details": {"x_px": 274, "y_px": 744}},
    3: {"status": "ok", "details": {"x_px": 918, "y_px": 362}},
}
HOSTILE = "a'; touch /tmp/pwned #\"$(touch pwned)`touch pwned` %s &|<> \\ end"

RECORDER = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["RECORDED"], "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""


def run_shell(script: Path, tmp_path: Path) -> list[list[str]]:
    """Run it with an adb that writes down what it was given."""
    recorder = tmp_path / "adb"
    recorder.write_text(RECORDER)
    recorder.chmod(0o755)
    recorded = tmp_path / "recorded"
    recorded.touch()
    sleeper = tmp_path / "sleep"
    sleeper.write_text("#!/bin/sh\n")
    sleeper.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "RECORDED": str(recorded),
        "ADB": str(recorder),
    }
    subprocess.run(["/bin/sh", str(script)], check=True, env=environment, cwd=tmp_path, timeout=60)
    return [json.loads(line) for line in recorded.read_text().splitlines()]


def test_the_shell_script_gives_adb_the_recorded_actions(record: Record, tmp_path: Path) -> None:
    slide = think("explain:x|action:SLIDE|point1:500,800|point2:500,200|summary:s")
    one = record([OPEN, PAGE, slide, SWITCH, DONE], outcomes=OUTCOMES | {3: {"status": "ok"}})
    done = one.export(tmp_path / "out", "adb")
    assert done.steps == 4
    assert run_shell(tmp_path / "out" / done.files[0], tmp_path) == [
        ["shell", "monkey -p com.android.settings -c android.intent.category.LAUNCHER 1"],
        ["shell", "input tap 274 744"],
        ["shell", "input swipe 54 192 54 48 400"],
        ["shell", "input tap 92 36"],
    ]


def test_hostile_text_passes_both_shells_unchanged(record: Record, tmp_path: Path) -> None:
    fields = ("explain:x", "action:TYPE", f"value:{HOSTILE}", "keyboard_exists:true", "summary:s")
    typing = "<THINK> I write </THINK>\n" + "\t".join(fields)
    done = record([typing]).export(tmp_path / "out", "adb")
    calls = run_shell(tmp_path / "out" / done.files[0], tmp_path)
    typed = ""
    for _, line in calls:
        # What the phone's shell would make of it: a real one reads it back.
        show = f'input() {{ printf "%s\\n" "$2"; }}; {line}'
        output = subprocess.run(
            ["/bin/sh", "-c", show], capture_output=True, check=True, cwd=tmp_path, text=True
        ).stdout
        typed += "".join(line.replace("%s", " ") for line in output.splitlines())
    assert typed == HOSTILE  # `%s` is a space on the way; a literal one is typed in two halves
    assert not (tmp_path / "pwned").exists()
    assert not Path("/tmp/pwned").exists()


def test_what_was_withheld_or_failed_is_not_repeated(record: Record, tmp_path: Path) -> None:
    one = record([PAGE, SWITCH, DONE], outcomes={1: {"status": "withheld"}, 2: {"status": "ok"}})
    done = one.export(tmp_path / "out", "adb")
    assert run_shell(tmp_path / "out" / done.files[0], tmp_path) == [["shell", "input tap 92 36"]]


def test_the_models_prose_is_in_no_script(record: Record, tmp_path: Path) -> None:
    reply = think("explain:SECRETPROSE|action:CLICK|point:1,1|summary:SECRETPROSE", "SECRETPROSE")
    one = record([reply], task="SECRETPROSE")
    for name in ("adb", "uiautomator2"):
        done = one.export(tmp_path / name, name)
        assert "SECRETPROSE" not in (tmp_path / name / done.files[0]).read_text()


def test_a_name_without_its_package_is_not_guessed(record: Record, tmp_path: Path) -> None:
    done = record([OPEN]).export(tmp_path, "adb")
    assert done.status == "failed"
    assert "the log does not say which package" in done.problem


@pytest.fixture(scope="session")
def virtual_phone_options() -> dict[str, Any]:
    return {"locale": "zh", "vendor_switch": True}


@pytest.mark.parametrize("format_name", ["adb", "uiautomator2"])
def test_a_script_repeats_the_run_on_another_phone(
    record: Record, tmp_path: Path, format_name: str, virtual_phone: Any, private_adb_server: Any
) -> None:
    done = record([OPEN, PAGE, SWITCH, DONE], outcomes=OUTCOMES).export(tmp_path, format_name)
    assert virtual_phone.control.truth()["settings"]["global"]["bluetooth_on"] == "1"
    script = tmp_path / done.files[0]
    environment = {**os.environ, **private_adb_server.env, "ANDROID_SERIAL": virtual_phone.serial}
    if format_name == "adb":
        environment["ADB"] = adbutils.adb_path()
        command = ["/bin/sh", str(script)]
    else:
        command = [sys.executable, str(script), virtual_phone.serial]
    subprocess.run(command, check=True, env=environment, timeout=120)
    assert virtual_phone.control.truth()["settings"]["global"]["bluetooth_on"] == "0"


def test_a_desktop_script_compiles_and_holds_the_actions(record: Record, tmp_path: Path) -> None:
    replies = [
        "Thought: open it\nAction: click(start_box='(54,120)')",
        f"Thought: write\nAction: type(content={HOSTILE!r})",
        "Thought: done\nAction: finished(content='ok')",
    ]
    one = record(replies, task_type="ui_tars")
    done = one.export(tmp_path, "pyautogui")
    assert (done.status, done.steps) == ("written", 2)
    text = (tmp_path / done.files[0]).read_text()
    compile(text, "script", "exec")
    assert "pyautogui.click(" in text
    assert repr(HOSTILE) in text or HOSTILE in text


def test_a_session_of_another_dialect_has_no_desktop_script(record: Record, tmp_path: Path) -> None:
    done = record([PAGE]).export(tmp_path, "pyautogui")
    assert done.status == "failed"
    assert "this one speaks step0920" in done.problem

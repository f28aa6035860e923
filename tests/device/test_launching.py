"""An app is open when it is in front; a phone is awake when it is usable."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.errors import (
    ActivityNotFoundError,
    AppNotFoundError,
    AppNotStartedError,
    DeviceAsleepError,
    DeviceLockedError,
)
from device.focus import read_focus
from device.launching import launch
from device.protocol import App
from device.scripted_adb_server import Reply, ScriptedAdbServer

NOTES = "com.example.notes"


class PhoneWithApps:
    """Answers the commands of launching; `front` is what a start brings up."""

    def __init__(
        self, *, resolved: str = f"{NOTES}/.Main", started: str = "Starting: Intent"
    ) -> None:
        self.resolved = resolved
        self.started = started
        self.launchers = ""
        self.front = f"{NOTES}/.Main"
        self.now = "com.launcher/.Home"

    def __call__(self, command: str) -> Reply:
        words = shlex.split(command)
        if words[:3] == ["cmd", "package", "resolve-activity"]:
            return Reply(stdout=self.resolved.encode())
        if words[:3] == ["cmd", "package", "query-activities"]:
            return Reply(stdout=self.launchers.encode())
        if words[:2] == ["am", "start"]:
            self.now = self.front
            return Reply(stdout=self.started.encode())
        if words[0] == "monkey":
            self.now = self.front
            return Reply(stdout=b"Events injected: 1\n")
        raise AssertionError(command)

    def foreground(self) -> App | None:
        focus = read_focus(f"mCurrentFocus=Window{{a1 u0 {self.now}}}")
        return App(focus.package, focus.activity) if focus else None


def start(adb: ScriptedAdbServer, phone: PhoneWithApps) -> App:
    adb.reply = phone
    return launch(adb.transport(), NOTES, phone.foreground, timeout_s=0.4)


def test_an_app_is_started_by_its_component_and_seen_in_front(adb: ScriptedAdbServer) -> None:
    assert start(adb, PhoneWithApps()).package == NOTES
    assert adb.commands[-1] == (
        "shell,v2:am start -a android.intent.action.MAIN -c android.intent.category.LAUNCHER "
        f"-f 0x10200000 -n {NOTES}/.Main"
    )


def test_a_question_about_permissions_counts_as_started(adb: ScriptedAdbServer) -> None:
    phone = PhoneWithApps()
    phone.front = "com.google.android.permissioncontroller/.GrantPermissionsActivity"
    assert start(adb, phone).package == "com.google.android.permissioncontroller"


def test_an_app_that_does_not_come_to_the_front_is_an_error(adb: ScriptedAdbServer) -> None:
    phone = PhoneWithApps()
    phone.front = "com.launcher/.Home"
    with pytest.raises(AppNotStartedError) as caught:
        start(adb, phone)
    assert caught.value.details["foreground"] == "com.launcher"


def test_an_app_under_the_lock_screen_is_not_in_front(adb: ScriptedAdbServer) -> None:
    phone = PhoneWithApps()
    adb.reply = phone
    covered = App(NOTES, f"{NOTES}.Main", "NotificationShade")
    with pytest.raises(AppNotStartedError, match="NotificationShade"):
        launch(adb.transport(), NOTES, lambda: covered, timeout_s=0.3)


def test_of_several_launcher_entries_the_apps_first_is_taken(adb: ScriptedAdbServer) -> None:
    phone = PhoneWithApps(resolved="android/com.android.internal.app.ResolverActivity")
    phone.launchers = f"com.other/.Main\n{NOTES}/.First\n{NOTES}/.Second\n"
    start(adb, phone)
    assert adb.commands[-1].endswith(f"-n {NOTES}/.First")


def test_without_a_package_command_monkey_is_the_last_resort(adb: ScriptedAdbServer) -> None:
    phone = PhoneWithApps(resolved="/system/bin/sh: cmd: not found")
    assert start(adb, phone).package == NOTES
    assert adb.commands[-1].startswith("shell,v2:monkey --pct-syskeys 0 -p " + NOTES)


@pytest.mark.parametrize(
    ("phone", "error"),
    [
        (PhoneWithApps(resolved="No activity found"), AppNotFoundError),
        (PhoneWithApps(started="Error type 3\nError: Activity class {a/b} does not exist."),
         ActivityNotFoundError),
    ],
)  # fmt: skip
def test_what_cannot_be_started_says_why(
    adb: ScriptedAdbServer, phone: PhoneWithApps, error: type[Exception]
) -> None:
    with pytest.raises(error):
        start(adb, phone)


def answering(**state: str) -> Callable[[str], Reply]:
    def reply(command: str) -> Reply:
        if "power" in command:
            return Reply(stdout=f"mWakefulness={state['power']}".encode())
        if "policy" in command:
            return Reply(stdout=state["policy"].encode())
        if command == "wm size":
            return Reply(stdout=b"Physical size: 1080x2400\n")
        return Reply()

    return reply


LOCKED = "mIsShowing=true\nmInputRestricted=true\n"


def test_a_locked_phone_is_an_error_and_no_pin_is_tried(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    adb.reply = answering(power="Awake", policy=LOCKED)
    with pytest.raises(DeviceLockedError, match="unlock it by hand"):
        AdbDevice(adb.transport(), state_dir=tmp_path).wake()
    inputs = [c.removeprefix("shell,v2:") for c in adb.commands if ":input" in c]
    assert inputs == ["input swipe 540 1920 540 600 300"]


def test_a_screen_that_stays_off_is_an_error(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    adb.reply = answering(power="Asleep", policy="mIsShowing=false")
    with pytest.raises(DeviceAsleepError, match="power button"):
        AdbDevice(adb.transport(), state_dir=tmp_path).wake()
    assert adb.commands[1] == "shell,v2:input keyevent 224"


def test_a_usable_phone_is_left_alone(adb: ScriptedAdbServer, tmp_path: Path) -> None:
    adb.reply = answering(power="Awake", policy="mIsShowing=true\nmInputRestricted=false\n")
    AdbDevice(adb.transport(), state_dir=tmp_path).wake()
    assert not any("input" in command or "wm" in command for command in adb.commands)


@pytest.mark.parametrize(
    ("windows", "app"),
    [
        (
            "mCurrentFocus=Window{a1 u0 Application Not Responding: com.android.systemui}",
            App(
                "com.android.systemui", "", "Application Not Responding: com.android.systemui", True
            ),
        ),
        (
            "mCurrentFocus=Window{a1 u0 NotificationShade}\n"
            "mFocusedApp=ActivityRecord{b2 u0 com.a/.M t1}",
            App("com.a", "com.a.M", "NotificationShade"),
        ),
        (
            "mCurrentFocus=Window{a1 u0 com.sys.overlay}",
            App("com.sys.overlay", "", "com.sys.overlay"),
        ),
        ("mCurrentFocus=null\nmFocusedApp=null", None),
        ("", None),
    ],
)
def test_the_foreground_is_told_in_all_its_shapes(
    adb: ScriptedAdbServer, tmp_path: Path, windows: str, app: App | None
) -> None:
    adb.reply = lambda command: Reply(stdout=windows.encode() if "displays" in command else b"")
    assert AdbDevice(adb.transport(), state_dir=tmp_path).foreground() == app


def test_up_to_android_9_the_focused_window_is_found_too(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    older = {
        "displays": "mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 a.b/.C t1}}}",
        "windows": "mCurrentFocus=Window{a1 u0 Application Not Responding: a.b}",
    }
    adb.reply = lambda command: Reply(
        stdout=next((v for k, v in older.items() if k in command), "").encode()
    )
    app = AdbDevice(adb.transport(), state_dir=tmp_path).foreground()
    assert app is not None
    assert (app.package, app.anr) == ("a.b", True)

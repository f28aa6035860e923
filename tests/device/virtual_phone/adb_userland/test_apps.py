"""am, pm, cmd package and monkey print what real phones print."""

from __future__ import annotations

from typing import Any

import pytest

LAUNCHER = "android.intent.category.LAUNCHER"
SETTINGS = "com.android.settings/.Settings"
MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n"


@pytest.mark.parametrize(
    ("line", "out", "err", "status"),
    [
        (f"am start -n {SETTINGS}", f"Starting: Intent {{ cmp={SETTINGS} }}\n", "", 0),
        (f"am start -a android.intent.action.MAIN -c {LAUNCHER} -n {SETTINGS}",
         "Starting: Intent { act=android.intent.action.MAIN "
         f"cat=[{LAUNCHER}] cmp={SETTINGS} }}\n", "", 0),
        ("am start -n com.android.settings/.Nope",
         "Starting: Intent { cmp=com.android.settings/.Nope }\n",
         "Error type 3\nError: Activity class {com.android.settings/com.android.settings.Nope} "
         "does not exist.\n", 1),
        ("am start -a no.such.ACTION", "Starting: Intent { act=no.such.ACTION }\n",
         "Error: Activity not started, unable to resolve Intent { act=no.such.ACTION "
         "flg=0x10000000 }\n", 1),
        ("am force-stop com.android.settings", "", "", 0),
        ("am get-current-user", "0\n", "", 0),
        ("am nope", "Unknown command: nope\n", "", 255),
        ("am broadcast -a X", "Broadcasting: Intent { act=X flg=0x400000 }\n"
         "Broadcast completed: result=0\n", "", 0),
        ("cmd package resolve-activity --brief com.android.settings",
         MATCH + SETTINGS + "\n", "", 0),
        ("cmd package resolve-activity --brief -c android.intent.category.LAUNCHER com.nope",
         "No activity found\n", "", 0),
        ("pm list packages -3 | sort | head -n 1", "package:com.android.adbkeyboard\n", "", 0),
        ("pm list packages settings", "package:com.android.settings\n", "", 0),
        ("pm path com.nope", "", "", 1),
        ("pm path com.android.settings", "package:/system/app/Settings/Settings.apk\n", "", 0),
        ("pm clear com.nope", "Failed\n", "", 1),
        ("pm list users", "Users:\n\tUserInfo{0:Owner:4c13} running\n", "", 0),
        ("pm list packages --user 150", "",
         "Error: java.lang.SecurityException: User 150 unknown\n", 255),
        ("pm install /sdcard/x.apk",
         "", "Error: failed to open /sdcard/x.apk: No such file or directory\n", 1),
        ("monkey -p com.nope -c android.intent.category.LAUNCHER 1",
         "** No activities found to run, monkey aborted.\n", "", 252),
        ("cmd nope", "", "cmd: Can't find service: nope\n", 20),
        ("service check window", "Service window: found\n", "", 0),
        ("dumpsys nope", "", "Can't find service: nope\n", 0),
    ],
)  # fmt: skip
async def test_what_a_command_prints(run: Any, line: str, out: str, err: str, status: int) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == (out, err, status)


async def test_starting_what_runs_already_is_a_warning_and_a_success(run: Any) -> None:
    await run(f"am start -n {SETTINGS}")
    again = await run(f"am start -n {SETTINGS}")
    assert (again.status, again.err) == (
        0,
        "Warning: Activity not started, intent has been delivered to currently running top-most "
        "instance.\n",
    )
    await run("input keyevent 3")
    back = await run(f"am start -n {SETTINGS}")
    assert (back.status, back.err) == (
        0,
        "Warning: Activity not started, its current task has been brought to the front\n",
    )


async def test_starting_with_w_waits_and_reports(run: Any) -> None:
    result = await run(f"am start -W -n {SETTINGS}")
    lines = dict(line.split(": ") for line in result.out.splitlines()[1:-1])
    assert lines["Status"] == "ok"
    assert lines["LaunchState"] == "COLD"
    assert lines["Activity"] == SETTINGS
    assert result.out.endswith("Complete\n")


@pytest.mark.parametrize(
    "line",
    [
        f"am start -n {SETTINGS}",
        "am start -n com.android.settings/com.android.settings.Settings",
        "monkey -p com.android.settings -c android.intent.category.LAUNCHER 1",
        "am start -a android.settings.BLUETOOTH_SETTINGS",
        "am start com.android.settings",
        "cmd activity start-activity -n " + SETTINGS,
    ],
)
async def test_every_way_to_start_brings_the_app_to_the_front(
    system: Any, run: Any, line: str
) -> None:
    assert (await run(line)).status == 0
    assert system.phone.focus().package == "com.android.settings"
    shown = (await run("dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'")).out
    assert shown.count("com.android.settings/") == 2
    await run("am start -a android.intent.action.MAIN -c android.intent.category.HOME")
    assert system.phone.focus().package == "com.android.launcher3"


async def test_a_stopped_app_leaves_the_front(system: Any, run: Any) -> None:
    await run(f"am start -n {SETTINGS}")
    assert (await run("pidof com.android.settings")).status == 0
    await run("am force-stop com.android.settings")
    assert (await run("pidof com.android.settings")).status == 1
    assert system.phone.focus().package == "com.android.launcher3"


async def test_every_launcher_entry_can_be_started(system: Any, run: Any) -> None:
    listing = await run(
        "cmd package query-activities --components -a android.intent.action.MAIN "
        "-c android.intent.category.LAUNCHER"
    )
    components = listing.out.split()
    assert "com.android.settings/.Settings" in components
    for component in components:
        assert (await run(f"am start -n {component}")).err == ""
        assert system.phone.focus().package == component.partition("/")[0]


async def test_a_path_of_an_installed_app_may_hold_equals_signs(run: Any) -> None:
    rows = (await run("pm list packages -3 -f")).out.splitlines()
    assert rows
    for row in rows:
        path, _, package = row.removeprefix("package:").rpartition("=")
        assert (await run(f"pm path {package}")).out == f"package:{path}\n"
        assert path.startswith("/data/app/~~") and path.endswith("==/base.apk")

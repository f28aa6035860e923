"""A name becomes the package that is installed, or a list of candidates: never a lookalike."""

from __future__ import annotations

from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.apps import (
    AliasTable,
    components_of,
    match_app,
    normalise,
    read_launchers,
    read_packages,
    read_resolved,
)
from device.errors import (
    ActivityNotFoundError,
    AliasTableError,
    AppAmbiguousError,
    AppNotFoundError,
    AppNotStartedError,
)
from device.launching import read_start
from device.protocol import InstalledApp
from device.scripted_adb_server import Reply, ScriptedAdbServer

SHIPPED = Path(__file__).parents[2] / "configs" / "apps.yaml"
TABLE = AliasTable(
    [
        (["设置", "Settings"], ["com.android.settings"]),
        (["计算器", "Calculator"], ["com.google.android.calculator", "com.miui.calculator"]),
        (["QQ音乐", "QQ Music"], ["com.tencent.qqmusic"]),
        (["网易云音乐"], ["com.netease.cloudmusic"]),
        (["微信", "WeChat"], ["com.tencent.mm"]),
        (["微信读书"], ["com.tencent.weread"]),
        (["Mail"], ["com.first.mail"]),
        (["Mail"], ["com.second.mail"]),
        (["Smart Home"], ["com.example.smarthome"]),
    ]
)


def phone_with(*packages: str, hidden: tuple[str, ...] = ()) -> list[InstalledApp]:
    apps = [InstalledApp(p, TABLE.labels(p), launchable=True) for p in packages]
    return apps + [InstalledApp(p, launchable=False) for p in hidden]


@pytest.mark.parametrize(
    ("name", "installed", "package"),
    [
        ("设置", ["com.android.settings"], "com.android.settings"),
        (" settings ", ["com.android.settings"], "com.android.settings"),
        ("ＳＥＴＴＩＮＧＳ", ["com.android.settings"], "com.android.settings"),
        ("设置应用", ["com.android.settings"], "com.android.settings"),
        ("Settings app", ["com.android.settings"], "com.android.settings"),
        ("com.tencent.mm", ["com.tencent.mm", "com.tencent.weread"], "com.tencent.mm"),
        # The same app of another vendor.
        ("Calculator", ["com.miui.calculator"], "com.miui.calculator"),
        # Exact before partial.
        ("微信", ["com.tencent.mm", "com.tencent.weread"], "com.tencent.mm"),
        # A part of the package, where the table knows nothing.
        ("Chrome", ["com.android.chrome", "com.tencent.mm"], "com.android.chrome"),
        # A piece of a label that only one app has.
        ("音乐", ["com.tencent.qqmusic", "com.tencent.mm"], "com.tencent.qqmusic"),
        ("smart", ["com.example.smarthome"], "com.example.smarthome"),
    ],
)
def test_a_name_finds_the_installed_package(name: str, installed: list[str], package: str) -> None:
    assert match_app(name, phone_with(*installed), TABLE) == package


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("音乐", ["com.tencent.qqmusic", "com.netease.cloudmusic"]),
        ("Mail", ["com.first.mail", "com.second.mail"]),
        ("tencent", ["com.tencent.qqmusic", "com.tencent.mm"]),
    ],
)
def test_an_unclear_name_gives_its_candidates(name: str, candidates: list[str]) -> None:
    phone = phone_with(
        "com.tencent.qqmusic",
        "com.netease.cloudmusic",
        "com.first.mail",
        "com.second.mail",
        "com.tencent.mm",
    )
    with pytest.raises(AppAmbiguousError) as caught:
        match_app(name, phone, TABLE)
    assert caught.value.details["candidates"] == candidates


@pytest.mark.parametrize(
    "name",
    ["Chrome", "电话", "art", "支付宝", "", "  ", "…", "x", "com.android.chrome", "mm.tencent"],
)
def test_a_name_that_nothing_has_opens_nothing(name: str) -> None:
    phone = phone_with("com.tencent.qqmusic", "com.example.smarthome", "com.android.settings")
    with pytest.raises(AppNotFoundError):
        match_app(name, phone, TABLE)


def test_a_near_name_is_offered_not_taken() -> None:
    with pytest.raises(AppNotFoundError) as caught:
        match_app("Setings", phone_with("com.android.settings", "com.tencent.mm"), TABLE)
    assert caught.value.details["candidates"] == ["设置"]


def test_what_the_launcher_does_not_show_is_not_meant_by_a_name() -> None:
    phone = phone_with("com.android.settings", hidden=("com.android.providers.settings",))
    assert match_app("settings", phone, AliasTable()) == "com.android.settings"


def test_names_are_compared_without_width_case_spaces_and_punctuation() -> None:
    assert {normalise(n) for n in ("QQ 音乐", "ｑｑ音乐", "QQ-音乐!")} == {"qq音乐"}
    assert normalise("App") == "app"


def test_the_shipped_table_is_sound() -> None:
    table = AliasTable.load(SHIPPED)
    assert table.packages("微信") == table.packages("wechat") == [("com.tencent.mm",)]
    assert "Settings" in table.labels("com.android.settings")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no list `apps`"),
        ("apps: 3", "no list `apps`"),
        ("apps: [{names: [a]}]", "app 1 needs"),
        ("apps: [{names: [], packages: [a.b]}]", "`names` of app 1"),
        ("apps: [{names: [a], packages: [a.b]}, {names: [12306], packages: [a.b]}]",
         "`names` of app 2"),
        ("apps: [{names: [a], packages: ['a;b']}]", "no package name"),
        ("apps: [", "cannot be read"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_refused_by_its_entry(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "apps.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AliasTableError, match=says):
        AliasTable.load(path)


def test_a_missing_table_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AliasTableError, match="cannot be read"):
        AliasTable.load(tmp_path / "none.yaml")


def test_all_columns_of_a_package_list_are_understood() -> None:
    text = (
        "package:/data/app/~~a==/x.y-b==/base.apk=x.y versionCode:12 uid:10001,1010001\r\n"
        "package:a.b  installer=com.android.vending\n"
        "WARNING: linker: something\n"
    )
    found = read_packages(text)
    assert [(r.package, r.path, r.uid) for r in found.rows] == [
        ("x.y", "/data/app/~~a==/x.y-b==/base.apk", 10001),
        ("a.b", None, None),
    ]
    assert found.error is None


def test_launchers_are_read_in_order_and_told_apart_by_package() -> None:
    text = """2 activities found:
  Activity #0:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false
    com.example.two/.Second
  Activity #1:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false
    com.example.twofold/.Main
"""
    components = read_launchers(text)
    assert components == ("com.example.two/.Second", "com.example.twofold/.Main")
    assert components_of("com.example.two", components) == ["com.example.two/.Second"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Error: Activity not started, unable to resolve Intent { act=x }", ActivityNotFoundError),
        ("Error: Activity class {a/a.B} does not exist.", ActivityNotFoundError),
        ("java.lang.NullPointerException: x", AppNotStartedError),
        (
            "Starting: Intent { }\nError: Activity not started, you requested to switch",
            AppNotStartedError,
        ),
    ],
)
def test_a_start_that_failed_is_an_error_whatever_the_exit_code(
    text: str, error: type[AppNotStartedError]
) -> None:
    with pytest.raises(error):
        read_start(text)


def test_a_task_that_was_brought_to_the_front_was_started() -> None:
    text = (
        "Starting: Intent { cmp=a/.B }\nWarning: Activity not started, its current task has been "
        "brought to the front\nStatus: ok\nLaunchState: UNKNOWN (0)\nActivity: a/.B\nComplete\n"
    )
    report = read_start(text)
    assert (report.already_running, report.timed_out, report.component) == (True, False, "a/.B")


def test_the_last_component_counts() -> None:
    assert read_resolved("priority=0 match=0x0\na.b/.C\n") == "a.b/.C"


def test_only_the_app_of_the_user_in_front_is_stopped(
    adb: ScriptedAdbServer, tmp_path: Path
) -> None:
    """Its twin of user 999 and the one of the work profile go on."""

    def reply(line: str) -> Reply:
        if line.startswith("pm list packages"):
            return Reply(stdout=b"package:com.chat\n")
        return Reply(stdout=b"10\n" if line == "am get-current-user" else b"")

    adb.reply = reply
    AdbDevice(adb.transport(), state_dir=tmp_path).stop_app("com.chat")
    assert adb.commands[-1] == "shell,v2:am force-stop --user 10 com.chat"
    listings = [c for c in adb.commands if "pm list packages" in c]
    assert all(c.endswith(" --user 10") for c in listings)

"""What each kind of phone prints is read right by the device layer's own parsers."""

from __future__ import annotations

from typing import Any

import pytest

from device.apps import read_packages, read_resolved, read_users
from device.displays import (
    active_internal,
    read_density,
    read_logical_displays,
    read_size,
    read_surface_displays,
    read_viewports,
)
from device.errors import (
    AppAmbiguousError,
    CommandMissingError,
    InputBlockedError,
    ScreenshotError,
    SecureSettingsDeniedError,
    UiTreeEncodingError,
    UserNotAccessibleError,
)
from device.failures import check, check_silent, error_from_output
from device.focus import Focus, is_secure_window, read_focus, read_resumed
from device.keyboards import read_keyboards
from device.launching import read_monkey, read_start
from device.orientation import (
    read_display_orientation,
    read_input_orientation,
    read_window_orientation,
)
from device.power import read_locked, read_wakefulness
from device.properties import read_property
from device.screen import is_all_black, read_png, read_raw
from device.ui_tree import parse_ui_tree
from device.virtual_phone.faults import Fault
from device.virtual_phone.framework.settings import put_setting
from device.virtual_phone.personalities import PERSONALITIES, UnknownPersonalityError, profile_of

NAMES = tuple(PERSONALITIES)
DENYING = {"xiaomi_hyperos", "xiaomi_miui", "oppo_coloros", "vivo"}
DENYING_SETTINGS = {"xiaomi_hyperos", "xiaomi_miui", "oppo_coloros"}


@pytest.mark.parametrize("name", NAMES)
async def test_the_size_in_force_is_read(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    profile = system.profile
    size = read_size((await ask(system, "wm size")).text)
    assert size is not None
    assert (size.width_px, size.height_px) == (profile.width_px, profile.height_px)
    assert read_density((await ask(system, "wm density")).text) == profile.density
    overridden = name == "samsung_oneui"
    assert size.source == ("override" if overridden else "physical")
    assert size.physical_px == (1440, 3088) if overridden else (size.width_px, size.height_px)


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
async def test_every_source_tells_the_same_rotation(
    name: str, rotation: int, boot: Any, ask: Any
) -> None:
    system = boot(name)
    put_setting(system.phone, "system", "accelerometer_rotation", "0")
    put_setting(system.phone, "system", "user_rotation", str(rotation))
    sides = (system.profile.width_px, system.profile.height_px)
    turned = sides[::-1] if rotation % 2 else sides
    display = read_display_orientation((await ask(system, "dumpsys display")).text)
    window = read_window_orientation((await ask(system, "dumpsys window displays")).text)
    touch = read_input_orientation((await ask(system, "dumpsys input")).text)
    assert [display.rotation, window.rotation, touch.rotation] == [rotation] * 3
    assert (display.width_px, display.height_px) == turned


@pytest.mark.parametrize("name", NAMES)
async def test_the_app_in_front_is_found(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    started = await ask(system, "am start -n com.android.notes/.NotesListActivity")
    read_start(check(started, "start it").merged_text)
    expected = ("com.android.notes", "com.android.notes.NotesListActivity")
    part = "windows" if system.profile.sdk <= 28 else "displays"
    focus = read_focus((await ask(system, f"dumpsys window {part}")).text)
    assert isinstance(focus, Focus)
    assert (focus.package, focus.activity) == expected
    assert (focus.window, focus.user, focus.anr) == ("/".join(expected), 0, False)
    other = "displays" if part == "windows" else "windows"
    assert "mCurrentFocus" not in (await ask(system, f"dumpsys window {other}")).text
    resumed = read_resumed((await ask(system, "dumpsys activity activities")).text)
    assert resumed is not None
    assert (resumed.package, resumed.activity) == expected


@pytest.mark.parametrize("name", NAMES)
async def test_sleep_and_the_lock_screen_are_told(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    assert read_wakefulness((await ask(system, "dumpsys power")).text) == "Awake"
    assert read_locked((await ask(system, "dumpsys window policy")).text) is False
    await ask(system, "input keyevent 224")
    system.phone.key(223)
    asleep = "Dozing" if name == "samsung_oneui" else "Asleep"
    assert read_wakefulness((await ask(system, "dumpsys power")).text) == asleep
    for part in ("window policy", "window"):
        assert read_locked((await ask(system, f"dumpsys {part}")).text) is True


@pytest.mark.parametrize("name", NAMES)
async def test_a_lock_screen_without_a_pin_opens_by_command_but_not_on_vivo(
    name: str, boot: Any, ask: Any
) -> None:
    system = boot(name, vendor_switch_on=True)
    system.phone.locked = True
    check_silent(await ask(system, "wm dismiss-keyguard"), "unlock")
    assert system.phone.locked is (name == "vivo")
    await ask(system, "input swipe 540 1500 540 500 100")
    assert system.phone.locked is False


USERS = {
    "xiaomi_hyperos": [(0, "Owner"), (999, "XSpace")],
    "xiaomi_miui": [(0, "Owner"), (10, "Second space")],
    "samsung_oneui": [(0, "Owner"), (150, "Secure Folder")],
    "oppo_coloros": [(0, "Owner"), (999, "Multi-App")],
}


@pytest.mark.parametrize("name", NAMES)
async def test_apps_are_listed_for_the_user_in_front(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    users = read_users((await ask(system, "pm list users")).text)
    assert [(user.id, user.name) for user in users] == USERS.get(name, [(0, "Owner")])
    everything = [info.package for info in system.phone.packages()]
    listed = read_packages((await ask(system, "pm list packages --user 0")).merged_text)
    assert (list(listed.packages), listed.error) == (everything, None)
    result = await ask(system, "pm list packages")
    all_users = read_packages(result.merged_text)
    if name not in ("samsung_oneui", "xiaomi_miui"):
        assert (all_users.packages, all_users.error) == (listed.packages, None)
        return
    assert result.exit_code == 255
    assert isinstance(all_users.error, UserNotAccessibleError)
    half = len(everything) // 2 if name == "xiaomi_miui" else 0
    assert list(all_users.packages) == everything[:half]


@pytest.mark.parametrize("name", NAMES)
async def test_an_app_resolves_to_its_launcher_entry(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    resolve = "cmd package resolve-activity --brief -c android.intent.category.LAUNCHER"
    result = await ask(system, f"{resolve} com.android.settings")
    assert read_resolved(result.merged_text) == "com.android.settings/.Settings"
    assert len(result.text.splitlines()) == (1 if name == "android8" else 2)
    shop = await ask(system, f"{resolve} com.example.shop")
    if name == "vivo":
        with pytest.raises(AppAmbiguousError):
            read_resolved(shop.merged_text)
    else:
        assert read_resolved(shop.merged_text) == "com.example.shop/.MainActivity"


@pytest.mark.parametrize("name", NAMES)
async def test_input_is_denied_until_the_vendors_switch_is_on(
    name: str, boot: Any, ask: Any
) -> None:
    system = boot(name)
    result = await ask(system, "input tap 300 400")
    if name in DENYING:
        with pytest.raises(InputBlockedError):
            check_silent(result, "tap")
        assert result.exit_code == (0 if name == "xiaomi_miui" else 255)
        assert system.journal.entries(kind="gesture") == []
        system.set_vendor_switch(True)
        result = await ask(system, "input tap 300 400")
    check_silent(result, "tap")
    assert [entry.text for entry in system.journal.entries(kind="gesture")] == ["tap 300 400"]


@pytest.mark.parametrize("name", NAMES)
async def test_settings_and_keyboards_are_denied_as_the_vendor_does(
    name: str, boot: Any, ask: Any
) -> None:
    system = boot(name)
    lines = {
        "put": "settings put global window_animation_scale 0",
        "put system": "settings put system screen_brightness 9",
        "list": "ime list -s",
        "enable": "ime enable com.android.adbkeyboard/.AdbIME",
        "get": "settings get secure default_input_method",
    }
    found = {
        key: type(error_from_output((await ask(system, line)).merged_text))
        for key, line in lines.items()
    }
    denied, allowed = SecureSettingsDeniedError, type(None)
    writes = denied if name in DENYING_SETTINGS else allowed
    lists = denied if name == "oppo_coloros" else allowed
    assert found == {
        "put": writes, "put system": allowed, "list": lists, "enable": writes, "get": allowed
    }  # fmt: skip
    system.set_vendor_switch(True)
    keyboards = await ask(system, "ime enable com.android.adbkeyboard/.AdbIME; ime list -s")
    assert "com.android.adbkeyboard/.AdbIME" in read_keyboards(keyboards.text)


@pytest.mark.parametrize("name", NAMES)
async def test_a_picture_has_the_size_of_the_screen(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    sides = (system.profile.width_px, system.profile.height_px)
    panels = read_surface_displays(
        (await ask(system, "dumpsys SurfaceFlinger --display-id")).text
    ).physical_ids
    viewports = read_viewports((await ask(system, "dumpsys display")).text)
    chosen = active_internal(viewports)
    assert chosen is not None
    assert (chosen.logical_id, chosen.width_px, chosen.height_px) == (0, *sides)
    option = f"-d {chosen.surface_id} " if len(panels) > 1 else ""
    picture = read_png((await ask(system, f"screencap {option}-p")).stdout)
    assert (picture.width_px, picture.height_px, picture.warnings) == (*sides, ())
    assert not is_all_black(picture.data)
    raw_bytes = (await ask(system, f"screencap {option}")).stdout
    raw = read_raw(raw_bytes)
    header_bytes = 12 if name == "android8" else 16
    assert (raw.width_px, raw.height_px) == sides
    assert len(raw_bytes) == header_bytes + 4 * sides[0] * sides[1]


async def test_an_open_foldable_shows_its_dark_cover_unless_told_otherwise(
    boot: Any, ask: Any
) -> None:
    system = boot("foldable")
    cover, inner = system.profile.quirks.cover, system.profile.quirks.panel
    result = await ask(system, "screencap -p")
    picture = read_png(result.stderr + result.stdout)
    assert (picture.width_px, picture.height_px) == (904, 2316)
    assert [str(warning).lower() for warning in picture.warnings] == ["multi_display"]
    assert is_all_black(picture.data)
    panels = read_surface_displays((await ask(system, "dumpsys SurfaceFlinger --display-id")).text)
    assert panels.physical_ids == (str(cover.surface_id), str(inner.surface_id))
    listed = read_logical_displays((await ask(system, "cmd display get-displays")).text)
    assert [(display.id, display.on) for display in listed] == [(1, False), (0, True)]
    viewports = read_viewports((await ask(system, "dumpsys display")).text)
    assert [(v.surface_id, v.active) for v in viewports] == [
        (str(cover.surface_id), False),
        (str(inner.surface_id), True),
    ]
    wrong = await ask(system, "screencap -d 1 -p")
    assert (wrong.exit_code, wrong.stdout) == (0, b"")
    with pytest.raises(ScreenshotError):
        read_png(wrong.stderr)
    elsewhere = await ask(system, "input -d 1 tap 10 10")
    assert (elsewhere.exit_code, elsewhere.merged_text) == (0, "")
    assert system.journal.entries(kind="gesture") == []


@pytest.mark.parametrize("name", NAMES)
async def test_monkey_starts_an_app_where_it_may(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    line = "-p com.android.notes -c android.intent.category.LAUNCHER 1"
    plain = await ask(system, f"monkey {line}")
    if name == "landscape_tablet":
        assert plain.exit_code == 251
        assert system.phone.focus().package == "com.android.launcher3"
        plain = await ask(system, f"monkey --pct-syskeys 0 {line}")
    elif name in DENYING:
        with pytest.raises(InputBlockedError):
            read_monkey(plain.merged_text)
        system.set_vendor_switch(True)
        plain = await ask(system, f"monkey {line}")
    read_monkey(plain.merged_text)
    assert ("bash arg" in plain.merged_text) is (name == "android8")
    assert system.phone.focus().package == "com.android.notes"


@pytest.mark.parametrize("name", NAMES)
async def test_the_tree_is_read_through_all_noise(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    dumped = await ask(system, "uiautomator dump /dev/tty")
    noisy = name.startswith("xiaomi")
    assert ("theme_compatibility.xml" in dumped.merged_text) is noisy
    tree = parse_ui_tree(dumped.stderr.decode() + dumped.text)
    assert tree.root is not None
    labels = [node.text for node in tree.nodes()]
    assert "Settings" in labels


@pytest.mark.parametrize("name", NAMES)
async def test_an_emoji_breaks_the_old_dumper(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    await ask(system, "am start -n com.android.notes/.NotesListActivity")
    before = parse_ui_tree(system.phone.snapshot().xml())
    field = next(node for node in before.nodes() if node.class_name.endswith("EditText"))
    system.phone.tap(*field.bounds.center)
    assert system.phone.commit_text("party 🎉")
    dumped = await ask(system, "uiautomator dump /dev/tty")
    if name == "android8":
        assert isinstance(error_from_output(dumped.merged_text), UiTreeEncodingError)
        assert dumped.exit_code == 1
    else:
        tree = parse_ui_tree(dumped.stderr.decode() + dumped.text)
        assert "party 🎉" in [node.text for node in tree.nodes()]


@pytest.mark.parametrize("name", NAMES)
async def test_key_combinations_came_with_android_12(name: str, boot: Any, ask: Any) -> None:
    system = boot(name, vendor_switch_on=True)
    result = await ask(system, "input keycombination 113 29")
    if system.profile.sdk >= 31:
        check_silent(result, "select all")
    else:
        assert (result.exit_code, result.text) == (0, "Unknown command: keycombination\n")
        with pytest.raises(CommandMissingError):
            check_silent(result, "select all")


async def test_a_dual_app_runs_for_another_user(boot: Any, ask: Any) -> None:
    system = boot("xiaomi_hyperos")
    await ask(system, "am start --user 999 -n com.tencent.mm/.ui.LauncherUI")
    focus = read_focus((await ask(system, "dumpsys window displays")).text)
    assert focus is not None
    assert (focus.package, focus.user) == ("com.tencent.mm", 999)
    closed = await ask(
        boot("samsung_oneui"), "am start --user 150 -n com.tencent.mm/.ui.LauncherUI"
    )
    assert isinstance(error_from_output(closed.merged_text), UserNotAccessibleError)


@pytest.mark.parametrize("name", ["pixel14", "pixel16", "android8", "samsung_oneui", "foldable"])
async def test_a_black_picture_is_explained_by_its_window(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    in_use = f"screencap -p -d {system.profile.quirks.panel.surface_id}"
    assert is_secure_window((await ask(system, "dumpsys window")).text) is False
    system.add_fault(Fault("secure_black"))
    assert is_all_black((await ask(system, in_use)).stdout)
    assert is_secure_window((await ask(system, "dumpsys window")).text) is True
    await ask(system, in_use)
    assert is_secure_window((await ask(system, "dumpsys window")).text) is False


async def test_xiaomi_lets_nobody_install_until_the_switch_is_on(boot: Any, ask: Any) -> None:
    system = boot("xiaomi_hyperos")
    system.fs.write("/data/local/tmp/a.apk", b"no APK")
    denied = await ask(system, "pm install -r /data/local/tmp/a.apk")
    assert (denied.exit_code, denied.text) == (
        1, "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]\n"
    )  # fmt: skip
    system.set_vendor_switch(True)
    tried = await ask(system, "pm install -r /data/local/tmp/a.apk")
    assert "INSTALL_PARSE_FAILED_NOT_APK" in tried.text


def test_an_unknown_kind_of_phone_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownPersonalityError, match="use one of pixel14, pixel16, xiaomi"):
        profile_of("nokia")


MARKS = {
    "xiaomi_hyperos": "ro.mi.os.version.name",
    "xiaomi_miui": "ro.miui.ui.version.name",
    "samsung_oneui": "ro.build.version.oneui",
    "oppo_coloros": "ro.build.version.oplusrom",
    "vivo": "ro.vivo.os.version",
    "foldable": "ro.build.version.oneui",
}


@pytest.mark.parametrize("name", NAMES)
async def test_properties_name_maker_and_version(name: str, boot: Any, ask: Any) -> None:
    system = boot(name)
    for prop, value in (
        ("ro.product.manufacturer", system.profile.manufacturer),
        ("ro.product.model", system.profile.model),
        ("ro.build.version.sdk", str(system.profile.sdk)),
        ("ro.build.version.release", system.profile.release),
    ):
        assert read_property((await ask(system, f"getprop {prop}")).text) == value
    for other, prop in MARKS.items():
        told = read_property((await ask(system, f"getprop {prop}")).text)
        if MARKS.get(name) == prop:
            assert told
        elif name not in ("xiaomi_hyperos", "xiaomi_miui"):
            assert told is None, other


async def test_the_vendors_switch_shows_in_xiaomis_property(boot: Any, ask: Any) -> None:
    system = boot("xiaomi_hyperos")
    assert (await ask(system, "getprop persist.security.adbinput")).text == "0\n"
    system.set_vendor_switch(True)
    assert (await ask(system, "getprop persist.security.adbinput")).text == "1\n"
    system.reset()
    assert (await ask(system, "getprop persist.security.adbinput")).text == "0\n"

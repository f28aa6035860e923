"""The device room against a virtual phone, through a real adb server."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer, bundled_adb
from device.apps import AliasTable
from device.discovery import connect, list_devices, open_device
from device.doctor import diagnose
from device.errors import (
    AppNotFoundError,
    BadPointError,
    CommandFailedError,
    ConnectionLostError,
    DeviceTimeoutError,
    InputBlockedError,
    ScreenshotError,
    ScreenshotRefusedError,
    ScreenTurnedError,
    SecureSettingsDeniedError,
    TextNotTypedError,
    UiTreeError,
    UnknownKeyError,
)
from device.protocol import App, Device, UiNode
from device.quoting import command
from device.still import settle, wait_until_still
from device.touch import keep_off_edges
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess

OWN_KEYBOARD = "com.android.inputmethod.latin/.LatinIME"
SEARCH_NOTES = "搜索便签"


def current_keyboard(device: AdbDevice) -> str:
    words = ("settings", "get", "secure", "default_input_method")
    return device.transport.run(command(*words)).text.strip()


def find(device: AdbDevice, text: str) -> UiNode:
    tree = device.ui_tree()
    assert tree is not None
    return next(n for n in tree.nodes() if text in (n.text, n.hint, n.content_desc))


def tap_on(device: AdbDevice, text: str) -> None:
    device.tap(*find(device, text).bounds.center)


def focused_text(device: AdbDevice) -> str:
    tree = device.ui_tree()
    assert tree is not None
    return next(n.text for n in tree.nodes() if n.focused)


def open_search_field(device: AdbDevice) -> None:
    device.open_app("com.android.notes")
    tap_on(device, SEARCH_NOTES)


def test_an_adb_device_is_a_device(device: AdbDevice) -> None:
    contract: Device = device
    assert contract.serial.startswith("127.0.0.1:")


def test_the_phone_is_listed_and_its_state_is_read(device: AdbDevice) -> None:
    infos = list_devices(device.transport.server)
    assert [(i.serial, i.state, i.model) for i in infos if i.serial == device.serial] == [
        (device.serial, "device", "Pixel_8")
    ]
    state = device.state()
    assert (state.state, state.awake, state.locked, state.rotation) == ("device", True, False, 0)
    assert (state.width_px, state.height_px) == (1080, 2400)
    assert (state.manufacturer, state.model, state.sdk) == ("Google", "Pixel 8", 34)


def test_the_picture_is_the_screen(device: AdbDevice, phone: VirtualPhoneProcess) -> None:
    shot = device.screenshot()
    assert (shot.width_px, shot.height_px, shot.black) == (1080, 2400, None)
    with (
        Image.open(io.BytesIO(shot.data)) as taken,
        Image.open(io.BytesIO(phone.control.screen_png())) as truth,
    ):
        below_the_clock = (0, 120, 1080, 2400)
        first, second = (image.convert("RGB").crop(below_the_clock) for image in (taken, truth))
        assert first.tobytes() == second.tobytes()


def test_a_tap_lands_where_the_picture_shows_it(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.open_app("com.android.settings")
    tap_on(device, "蓝牙")
    front = device.foreground()
    assert front is not None
    assert front.package == "com.android.settings"
    assert find(device, "蓝牙")
    taps = [e for e in phone.control.journal(kind="gesture") if "tap" in str(e)]
    assert len(taps) == 1


def test_points_outside_the_picture_are_refused_before_they_are_sent(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    for x, y in ((1080, 5), (5, 2400), (-1, 5), (float("nan"), 5), (float("inf"), 5)):
        with pytest.raises(BadPointError):
            device.tap(x, y)
        with pytest.raises(BadPointError):
            device.swipe(5, 5, x, y)
    assert phone.control.journal(kind="gesture") == []
    device.tap(1079.9, 2399.9)
    assert len(phone.control.journal(kind="gesture")) == 1


def test_points_follow_the_picture_when_the_phone_is_turned(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.open_app("com.android.settings")
    phone.control.set_state(rotation=1)
    shot = device.screenshot()
    assert (shot.width_px, shot.height_px) == (2400, 1080)
    assert device.state().rotation == 1
    device.tap(2000, 900)
    with pytest.raises(BadPointError):
        device.tap(900, 2000)


def test_scrolling_and_going_back_change_the_screen(device: AdbDevice) -> None:
    device.open_app("com.android.settings")
    before = device.screenshot().data
    device.swipe(540, 1800, 540, 700, duration_s=0.2)
    wait_until_still(device, 3)
    assert device.screenshot().data != before
    device.press_key("HOME")
    front = device.foreground()
    assert front is not None
    assert front.package == "com.android.launcher3"


def test_keys_outside_the_vocabulary_are_refused(device: AdbDevice) -> None:
    for key in ("KEYCODE_HOME", "home", "3", "HOME; reboot", ""):
        with pytest.raises(UnknownKeyError):
            device.press_key(key)


TEXTS = [
    "hello",
    "it's 100%s sure",
    '$5 `x` "q" \\ & ; | < > # ~ * (a) {b} [c] !',
    "%s%s %d %",
    "-n",
    "  two  spaces ",
    "你好，世界",
    "naïve café é ö ñ",
    "שלום",
    "'; reboot; echo '",
    "$(reboot)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_arrives_character_for_character(
    device: AdbDevice, phone: VirtualPhoneProcess, text: str
) -> None:
    open_search_field(device)
    result = device.type_text(text, clear=True)
    assert focused_text(device) == text
    assert result.verified is (True if any(c.isalnum() for c in text) else None)
    assert result.method == ("input_text" if text.isascii() else "adb_keyboard")


def test_clearing_replaces_and_not_clearing_appends(device: AdbDevice) -> None:
    open_search_field(device)
    device.type_text("one")
    device.type_text(" 二")
    assert focused_text(device) == "one 二"
    assert device.type_text("三", clear=True).verified is True
    assert focused_text(device) == "三"
    device.restore()
    assert device.type_text("four", clear=True).verified is True
    assert focused_text(device) == "four"


def test_a_long_text_is_typed_whole(device: AdbDevice) -> None:
    open_search_field(device)
    text = "".join(f"第{n}句。" for n in range(300))
    device.type_text(text, clear=True)
    assert focused_text(device) == text


def test_the_own_keyboard_comes_back_at_the_next_start(
    device: AdbDevice, phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> None:
    open_search_field(device)
    device.type_text("你好")
    assert current_keyboard(device) == "com.android.adbkeyboard/.AdbIME"
    # The process dies here; another one opens the phone.
    opened = open_device(phone.serial, server=private_adb, state_dir=tmp_path)
    assert current_keyboard(opened) == OWN_KEYBOARD


def test_text_without_a_field_is_never_a_success(device: AdbDevice) -> None:
    device.press_key("HOME")
    for text in ("hello", "你好"):
        with pytest.raises(TextNotTypedError, match="tap the field first"):
            device.type_text(text)


def new_contact(device: AdbDevice) -> dict[str, tuple[int, int]]:
    """An empty form with its first field focused and the keyboard up; the centers of its fields."""
    device.open_app("com.android.contacts")
    wait_until_still(device, 3)
    tap_on(device, "新建联系人")
    wait_until_still(device, 3)
    centers = {hint: find(device, hint).bounds.center for hint in ("姓名", "电话")}
    device.tap(*centers["姓名"])
    time.sleep(0.3)
    return {hint: find(device, hint).bounds.center for hint in centers}


@pytest.mark.parametrize(("ignored_taps", "goes_in"), [(0, True), (1, True), (2, False)])
def test_a_lost_tap_never_sends_the_text_to_the_field_before(
    device: AdbDevice, phone: VirtualPhoneProcess, ignored_taps: int, goes_in: bool
) -> None:
    at = new_contact(device)
    if ignored_taps:
        phone.control.fault("input_ignored", times=ignored_taps, match="tap")
    if goes_in:
        assert device.type_text("13800138000", at_px=at["电话"]).verified
    else:
        with pytest.raises(TextNotTypedError) as caught:
            device.type_text("13800138000", at_px=at["电话"])
        assert caught.value.details["reason"] == "focus_elsewhere"
    fields = phone.control.truth()["text_fields"]
    assert [text for text in fields.values() if text] == (["13800138000"] if goes_in else [])


def test_apps_are_opened_by_their_names_and_seen_in_front(device: AdbDevice) -> None:
    assert device.open_app(device.resolve_app("设置")) == App(
        "com.android.settings",
        "com.android.settings.Settings",
        "com.android.settings/com.android.settings.Settings",
    )
    assert device.resolve_app("WeChat") == device.resolve_app("微信") == "com.tencent.mm"
    apps = {app.package: app for app in device.installed_apps()}
    assert apps["com.android.notes"].launchable is True
    assert apps["com.android.adbkeyboard"].launchable is False
    assert (apps["com.android.settings"].system, apps["com.example.shop"].system) == (True, False)


def test_nothing_is_opened_or_stopped_on_a_likeness(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.open_app("com.android.notes")
    for name in ("支付宝", "Chrome", "com.android.setting", "设"):
        with pytest.raises(AppNotFoundError):
            device.open_app(device.resolve_app(name))
    for package in ("com.android.note", "com.android.notes; reboot", ""):
        with pytest.raises(AppNotFoundError):
            device.stop_app(package)
        with pytest.raises(AppNotFoundError):
            device.open_app(package)
    front = device.foreground()
    assert front is not None
    assert front.package == "com.android.notes"


def test_a_stopped_app_is_no_longer_in_front(device: AdbDevice) -> None:
    device.open_app("com.android.notes")
    device.stop_app("com.android.notes")
    front = device.foreground()
    assert front is not None
    assert front.package != "com.android.notes"


def test_a_sleeping_phone_is_woken(device: AdbDevice, phone: VirtualPhoneProcess) -> None:
    phone.control.set_state(wakefulness="Asleep")
    shot = device.screenshot()
    assert shot.black == "asleep"
    assert device.state().awake is False
    device.wake()
    assert device.screenshot().black is None
    assert device.state().awake is True


def test_waiting_for_stillness_ends_with_the_picture_of_the_still_screen(
    device: AdbDevice,
) -> None:
    device.open_app("com.android.settings")
    settled = settle(device, 5)
    assert settled.still
    assert settled.screenshot.width_px == 1080


@pytest.mark.parametrize("fault", ["truncated_screenshot", "offline_mid_command"])
def test_one_bad_screenshot_is_taken_again(
    device: AdbDevice, phone: VirtualPhoneProcess, fault: str
) -> None:
    phone.control.fault(fault, match="screencap")
    assert device.screenshot().black is None


def test_screenshots_that_stay_bad_are_errors(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    phone.control.fault("truncated_screenshot", times=None)
    with pytest.raises(ScreenshotError):
        device.screenshot()
    phone.control.clear_faults()
    phone.control.fault("screenshot_refused", times=None)
    with pytest.raises(ScreenshotRefusedError):
        device.screenshot()
    phone.control.clear_faults()
    phone.control.fault("display_warning", times=None)
    assert device.screenshot().black is None
    phone.control.clear_faults()
    phone.control.fault("secure_black", times=None)
    assert device.screenshot().black in {"secure_window", "unknown"}


def test_blocked_input_is_named_for_every_gesture(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.screenshot()
    phone.control.fault("inject_denied", times=None)
    gestures: list[Callable[[], None]] = [
        lambda: device.tap(5, 1200),
        lambda: device.double_tap(5, 1200),
        lambda: device.long_press(5, 1200, 0.1),
        lambda: device.swipe(5, 1200, 5, 900, 0.1),
        lambda: device.press_key("BACK"),
    ]
    for gesture in gestures:
        with pytest.raises(InputBlockedError, match="developer options"):
            gesture()


def test_an_input_whose_connection_broke_is_not_repeated(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.screenshot()
    phone.control.fault("offline_mid_command", match="input tap")
    with pytest.raises(ConnectionLostError, match="unknown"):
        device.tap(5, 1200)
    taps = [e for e in phone.control.journal(kind="command") if "input tap" in str(e)]
    assert len(taps) <= 1


def test_a_stalled_phone_does_not_hold_the_caller(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    phone.control.fault("stalled", match="sleepy")
    start = time.monotonic()
    with pytest.raises(DeviceTimeoutError):
        device.transport.run(command("echo", "sleepy"), timeout_s=0.5)
    assert time.monotonic() - start < 2
    assert device.transport.run(command("echo", "awake")).text == "awake\n"


def test_a_tree_that_the_phone_cannot_give_is_none_or_an_error(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    phone.control.fault("dump_no_idle")
    assert device.ui_tree() is None
    phone.control.fault("dump_null_root", times=2)
    assert device.ui_tree() is not None
    phone.control.fault("dump_null_root", times=None)
    with pytest.raises(UiTreeError):
        device.ui_tree()
    phone.control.clear_faults()
    phone.control.fault("dump_killed", times=None)
    with pytest.raises(UiTreeError) as caught:
        device.ui_tree()
    assert caught.value.code == "device.automation_busy"


def test_a_vendor_that_keeps_the_keyboard_to_itself_is_named(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    open_search_field(device)
    phone.control.fault("settings_denied", times=None)
    with pytest.raises(SecureSettingsDeniedError):
        device.type_text("你好")
    phone.control.clear_faults()
    assert focused_text(device) in {"", SEARCH_NOTES}


def test_several_threads_use_one_phone(device: AdbDevice) -> None:
    device.screenshot()
    results: list[object] = []

    def look() -> None:
        for _ in range(5):
            results.append(device.foreground())
            results.append(device.screenshot().black)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 40
    assert all(r is None or isinstance(r, App) for r in results)


def test_the_doctor_finds_a_healthy_phone_healthy(
    device: AdbDevice, private_adb: AdbServer, tmp_path: Path
) -> None:
    findings = diagnose(device.serial, server=private_adb, state_dir=tmp_path)
    assert [(f.check, f.ok) for f in findings if not f.ok] == []
    assert [f.check for f in findings] == [
        "adb",
        "server",
        "devices",
        "system",
        "screen",
        "screenshot",
        "input",
        "keyboard",
        "users",
        "animations",
        "storage",
        "clock",
    ]


def test_the_doctor_names_what_is_wrong_and_the_remedy(
    device: AdbDevice, phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> None:
    phone.control.fault("inject_denied", times=None)
    phone.control.fault("settings_denied", times=None)
    phone.control.fault("screenshot_refused", times=None)
    findings = diagnose(device.serial, server=private_adb, state_dir=tmp_path)
    wrong = {f.check: f.remedy for f in findings if not f.ok}
    assert set(wrong) == {"screenshot", "input", "keyboard"}
    assert all("developer options" in wrong[check] for check in ("input", "keyboard"))


def test_the_doctor_without_a_phone_says_how_to_get_one(private_adb: AdbServer) -> None:
    findings = diagnose("no-such-phone", server=private_adb)
    assert findings[-1].check == "devices"
    assert not findings[-1].ok
    assert "USB debugging" in findings[-1].remedy


def test_the_bundled_adb_does_as_well_and_a_killed_server_is_survived(
    phone: VirtualPhoneProcess, tmp_path: Path
) -> None:
    with PrivateAdbServer(adb=bundled_adb()) as server:
        adb = AdbServer(server.address)
        connect(phone.serial, server=adb)
        device = open_device(phone.serial, server=adb, aliases=AliasTable(), state_dir=tmp_path)
        assert device.screenshot().black is None
        server.stop()
        # A server starts again at the same address, and the phone is connected again.
        server.start(port=server.address.port)
        assert device.screenshot().black is None


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        ((0, 1200), (900, 1200), (65, 1200)),  # BACK from the left
        ((1079, 1200), (200, 1210), (1014, 1200)),  # BACK from the right
        ((540, 2399), (540, 800), (540, 2279)),  # HOME from below
        ((540, 0), (540, 1500), (540, 0)),  # the shade is opened from the very top
        ((20, 1200), (10, 300), (20, 1200)),  # along the side
        ((0, 2399), (0, 2000), (0, 2279)),
        ((540, 1200), (1079, 1200), (540, 1200)),  # towards an edge
        ((0, 1200), (40, 1200), (0, 1200)),  # too short to leave it
    ],
)
def test_a_swipe_begins_beside_the_edges_of_the_system(
    start: tuple[int, int], end: tuple[int, int], kept: tuple[int, int]
) -> None:
    assert keep_off_edges(start, end, (1080, 2400)) == kept


def test_an_edge_gesture_is_sent_as_it_is_only_when_it_is_asked_for(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.screenshot()
    device.swipe(540, 2399, 540, 900)
    device.swipe(540, 2399, 540, 900, from_edge=True)
    swipes = [str(e) for e in phone.control.journal(kind="gesture")]
    assert len(swipes) == 2
    assert ("2279" in swipes[0], "2399" in swipes[1]) == (True, True)


def test_a_touch_is_withheld_when_the_phone_was_turned_since_its_picture(
    device: AdbDevice, phone: VirtualPhoneProcess
) -> None:
    device.screenshot()
    phone.control.set_state(rotation=1)
    for touch in (
        lambda: device.tap(500, 900),
        lambda: device.double_tap(500, 900),
        lambda: device.long_press(500, 900),
        lambda: device.swipe(500, 900, 500, 300),
    ):
        with pytest.raises(ScreenTurnedError):
            touch()
    assert phone.control.journal(kind="gesture") == []
    assert device.screenshot().rotation == 1
    device.tap(2000, 900)
    assert len(phone.control.journal(kind="gesture")) == 1


@pytest.mark.parametrize("rotation", [0, 1, 2, 3])
def test_taps_land_where_the_picture_shows_in_every_rotation(
    device: AdbDevice, phone: VirtualPhoneProcess, rotation: int
) -> None:
    device.open_app("com.android.settings")
    phone.control.set_state(rotation=rotation)
    shot = device.screenshot()
    assert shot.rotation == rotation
    assert (shot.width_px > shot.height_px) == (rotation in {1, 3})
    tap_on(device, "蓝牙")
    assert find(device, "蓝牙")
    assert phone.control.truth()["page"][:1] == ["bluetooth"]


def test_a_file_arrives_on_the_phone_as_it_was(device: AdbDevice) -> None:
    data = bytes(range(256)) * 600
    device.transport.push(data, "/data/local/tmp/a b'c.bin")
    assert device.transport.run(command("cat", "/data/local/tmp/a b'c.bin")).stdout == data
    with pytest.raises(CommandFailedError, match="could not write"):
        device.transport.push(b"x", "/proc/x")

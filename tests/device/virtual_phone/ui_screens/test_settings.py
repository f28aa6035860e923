"""Settings: what is on the screen and what `settings get` says are one thing."""

from __future__ import annotations

import pytest


def test_turning_bluetooth_off_by_tap_changes_setting_and_truth(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    assert hand.sees("Paired devices")
    hand.tap("Use Bluetooth")
    assert hand.phone.settings["global"]["bluetooth_on"] == "0"
    assert hand.phone.truth()["apps"]["settings"]["bluetooth"]["on"] is False
    assert not hand.sees("Paired devices")
    hand.phone.key(4)
    assert "Off" in hand.texts()


def test_a_setting_put_from_outside_shows_on_the_switch(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    switch = next(n for n in hand.nodes() if n.get("class") == "android.widget.Switch")
    assert switch.get("checked") == "true"
    hand.phone.settings["global"]["bluetooth_on"] = "0"
    switch = next(n for n in hand.nodes() if n.get("class") == "android.widget.Switch")
    assert switch.get("checked") == "false"


def test_the_chinese_phone_speaks_chinese(make_hand):
    hand = make_hand(locale="zh")
    hand.tap("设置")
    hand.tap("蓝牙")
    hand.tap("开启蓝牙")
    assert hand.phone.settings["global"]["bluetooth_on"] == "0"


@pytest.mark.parametrize(
    ("rows", "namespace", "key", "value"),
    [
        (["Display", "Dark theme"], "secure", "ui_night_mode", "2"),
        (["Display", "Auto-rotate screen"], "system", "accelerometer_rotation", "0"),
        (["Display", "Font size", "Large"], "system", "font_scale", "1.15"),
        (["Display", "Screen timeout", "5 minutes"], "system", "screen_off_timeout", "300000"),
        (["Sound & vibration", "Touch sounds"], "system", "sound_effects_enabled", "0"),
        (["Mobile network", "Mobile data"], "global", "mobile_data", "0"),
        (["Airplane mode"], "global", "airplane_mode_on", "1"),
        (["Battery", "Battery Saver"], "global", "low_power", "1"),
        (["WLAN", "Use WLAN"], "global", "wifi_on", "0"),
        (["Privacy", "Camera access"], "secure", "camera_access", "0"),
        (["Accounts & sync", "Sync data automatically"], "global", "auto_sync", "0"),
        (["Date & time", "Set time automatically"], "global", "auto_time", "0"),
        (["WLAN", "Guest"], "global", "wifi_network", "Guest"),
    ],
)
def test_rows_change_the_setting_that_they_name(hand, rows, namespace, key, value):
    hand.tap("Settings")
    for label in rows:
        hand.reach(label)
    assert hand.phone.settings[namespace][key] == value


def test_sliders_set_a_volume_by_tap_and_by_drag(hand):
    hand.tap("Settings")
    hand.tap("Sound & vibration")
    left, top, right, bottom = hand.bounds(
        next(n for n in hand.nodes() if n.get("content-desc") == "Alarm volume")
    )
    y = (top + bottom) / 2
    hand.phone.tap(left + 30, y)
    assert hand.phone.settings["system"]["volume_alarm"] == "0"
    hand.phone.swipe(left + 30, y, right - 10, y, 300)
    assert hand.phone.settings["system"]["volume_alarm"] == "15"


def test_a_short_wlan_password_joins_nothing(hand):
    hand.tap("Settings")
    hand.tap("WLAN")
    hand.tap("Office-WiFi")
    hand.phone.commit_text("short")
    hand.tap("Connect")
    assert hand.phone.truth()["apps"]["settings"]["wlan"]["network"] == "Home-5G"
    assert hand.sees("Connect")


def test_a_tap_beside_a_dialog_closes_it(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.tap("Keyboard K380")
    assert hand.sees("Pair")
    hand.phone.tap(540, 300)
    assert hand.phone.truth()["dialog"] is None
    assert "Keyboard K380" not in hand.phone.truth()["apps"]["settings"]["bluetooth"]["devices"]


def test_a_dialog_is_the_only_thing_in_the_tree(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.tap("Keyboard K380")
    assert hand.texts() == ["Pair with Keyboard K380?", "Pairing code: 482 915", "Cancel", "Pair"]
    hand.tap("Pair")
    assert hand.phone.truth()["apps"]["settings"]["bluetooth"]["devices"]["Keyboard K380"] is True


def test_the_search_finds_a_page_by_a_related_word(hand):
    hand.tap("Settings")
    hand.tap("Search settings")
    hand.press_keys("brightness")
    hand.tap("Display")
    assert hand.phone.truth()["page"] == ["display"]


def test_renaming_the_phone_shows_in_about(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.tap("Device name")
    hand.phone.clear_text()
    hand.phone.commit_text("Desk phone")
    hand.tap("Save")
    assert hand.phone.settings["global"]["device_name"] == "Desk phone"


def test_force_stop_asks_first(hand):
    hand.tap("Notes")
    hand.phone.key(3)
    hand.tap("Settings")
    hand.tap("Apps")
    hand.tap("Notes")
    hand.tap("Force stop")
    assert "com.android.notes" in hand.phone.truth()["tasks"]
    hand.tap("OK")
    assert hand.phone.truth()["tasks"] == ["com.android.settings"]


def test_dark_theme_repaints_everything(hand):
    hand.tap("Settings")
    light = hand.image().getpixel((540, 110))
    hand.phone.settings["secure"]["ui_night_mode"] = "2"
    dark = hand.image().getpixel((540, 110))
    assert sum(light[:3]) > 700 > 100 > sum(dark[:3])


PAGES = (
    "WLAN",
    "Bluetooth",
    "Mobile network",
    "Personal hotspot",
    "Display",
    "Wallpaper & style",
    "Sound & vibration",
    "Notifications",
    "Apps",
    "Battery",
    "Storage",
    "Security",
    "Privacy",
    "Location",
    "Accessibility",
    "Accounts & sync",
    "Language & input",
    "Date & time",
    "System update",
    "Developer options",
    "About phone",
)


@pytest.mark.parametrize("title", PAGES)
def test_every_row_of_the_main_list_opens_its_page_and_back_returns(hand, title):
    hand.tap("Settings")
    hand.reach(title)
    shown = next(n for n in hand.nodes() if n.get("resource-id", "").endswith("id/title"))
    assert shown.get("text") == title
    hand.tap("Navigate up")
    assert hand.phone.truth()["page"] == ["home"]


def test_the_main_list_is_longer_than_two_screens(hand):
    hand.tap("Settings")
    root = hand.phone.snapshot().screen.active_window.root
    main = next(box for box in root.walk() if box.view.kind == "scroll")
    assert main.limit_px > main.bounds.height

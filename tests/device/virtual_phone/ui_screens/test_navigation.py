"""Windows, system gestures, keys, lock screen, rotation."""

from __future__ import annotations

import pytest

from device.virtual_phone.phone import StartResult

HOME, BACK, POWER, RECENTS = 3, 4, 26, 187


@pytest.mark.parametrize(
    ("label", "package"),
    [
        ("Settings", "com.android.settings"),
        ("Notes", "com.android.notes"),
        ("Clock", "com.android.deskclock"),
        ("WeChat", "com.tencent.mm"),
        ("Gallery", "com.android.gallery3d"),
        ("Shop", "com.example.shop"),
        ("Contacts", "com.android.contacts"),
        ("Browser", "com.android.browser"),
    ],
)
def test_every_app_is_reached_by_fingers_alone(hand, label, package):
    if not hand.sees(label):
        hand.phone.swipe(900, 1200, 150, 1200, 200)
    hand.tap(label)
    assert hand.phone.focus().package == package


def test_the_second_home_page_comes_and_goes_by_swipe(hand):
    hand.phone.swipe(900, 1200, 150, 1200, 200)
    assert hand.sees("Shop") and not hand.sees("Notes")
    hand.phone.swipe(150, 1200, 900, 1200, 200)
    assert hand.sees("Notes") and not hand.sees("Shop")


def test_a_swipe_up_on_the_home_screen_opens_the_app_drawer(hand):
    hand.phone.swipe(540, 1600, 540, 700, 250)
    assert hand.phone.truth()["page"] == ["drawer"]
    hand.tap("Search apps")
    hand.phone.commit_text("cl")
    hand.tap("Clock")
    assert hand.phone.truth()["front"] == "com.android.deskclock"


def test_back_closes_keyboard_then_page_then_app(hand):
    hand.tap("Settings")
    hand.tap("Search settings")
    assert hand.phone.ime_shown
    hand.phone.key(BACK)
    assert (hand.phone.ime_shown, hand.phone.truth()["page"]) == (False, ["search"])
    hand.phone.key(BACK)
    assert hand.phone.truth()["page"] == ["home"]
    hand.phone.key(BACK)
    assert hand.phone.truth()["front"] == "com.android.launcher3"


@pytest.mark.parametrize(("x1", "x2"), [(2, 500), (1078, 500)])
def test_a_swipe_from_either_edge_is_back(hand, x1, x2):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.phone.swipe(x1, 1200, x2, 1200, 150)
    assert hand.phone.truth()["page"] == ["home"]


def test_a_swipe_up_from_the_bottom_goes_home_and_the_app_keeps_its_page(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.phone.swipe(540, 2395, 540, 1200, 200)
    assert hand.phone.truth()["front"] == "com.android.launcher3"
    hand.tap("Settings")
    assert hand.phone.truth()["page"] == ["bluetooth"]


def test_recent_apps_are_listed_and_can_be_cleared(hand):
    hand.tap("Settings")
    hand.phone.key(HOME)
    hand.tap("Notes")
    hand.phone.key(RECENTS)
    assert [t for t in hand.texts() if t in ("Settings", "Notes")] == ["Notes", "Settings"]
    hand.tap("Clear all")
    assert hand.phone.truth()["tasks"] == []
    assert dict(hand.phone.running()).keys().isdisjoint({"com.android.settings"})


def test_the_shade_comes_down_and_its_tiles_switch(hand):
    hand.phone.swipe(540, 5, 540, 1200, 200)
    assert hand.phone.focus().window == "NotificationShade"
    hand.tap("Bluetooth")
    assert hand.phone.settings["global"]["bluetooth_on"] == "0"
    hand.phone.swipe(540, 2000, 540, 900, 200)
    assert hand.phone.truth()["shade"] == "closed"


def test_airplane_mode_on_screen_takes_the_radios_with_it(hand):
    hand.phone.expand_settings()
    hand.tap("Airplane mode")
    values = hand.phone.settings["global"]
    assert [values[k] for k in ("airplane_mode_on", "wifi_on", "bluetooth_on")] == ["1", "0", "0"]


def test_brightness_follows_the_finger_in_the_shade(hand):
    hand.phone.expand_settings()
    left, top, right, bottom = hand.bounds(hand.find("Display brightness"))
    hand.phone.swipe(left + 40, (top + bottom) / 2, right - 2, (top + bottom) / 2, 300)
    assert hand.phone.settings["system"]["screen_brightness"] == "255"


def test_power_darkens_the_screen_and_a_swipe_up_unlocks(hand):
    hand.tap("Settings")
    hand.phone.key(POWER)
    assert hand.image().getextrema() == ((0, 0), (0, 0), (0, 0), (255, 255))
    hand.phone.tap(540, 1200)
    hand.phone.key(POWER)
    assert (hand.phone.locked, hand.phone.focus().window) == (True, "NotificationShade")
    assert hand.sees("Swipe up to unlock")
    hand.phone.key(BACK)
    assert hand.phone.locked
    hand.phone.swipe(540, 1900, 540, 600, 250)
    assert (hand.phone.locked, hand.phone.focus().package) == (False, "com.android.settings")


def test_rotation_lays_the_screen_out_anew(hand):
    hand.tap("Settings")
    hand.phone.settings["system"].update({"accelerometer_rotation": "0", "user_rotation": "1"})
    shot = hand.phone.snapshot()
    assert (shot.width_px, shot.height_px, hand.phone.rotation) == (2400, 1080, 1)
    assert '<hierarchy rotation="1">' in shot.xml()
    assert len(shot.paint()) == 2400 * 1080 * 4
    hand.tap("Bluetooth")
    assert hand.phone.truth()["page"] == ["bluetooth"]


def test_auto_rotate_keeps_the_phone_upright(phone):
    phone.settings["system"]["user_rotation"] = "1"
    assert phone.rotation == 0


def test_starting_says_whether_the_app_was_there(phone):
    assert phone.start_activity("com.android.notes") is StartResult.started
    assert phone.start_activity("com.android.notes/.NotesListActivity") is (
        StartResult.brought_to_front
    )
    assert phone.start_activity("com.nobody.here") is StartResult.not_found
    assert phone.start_activity("com.android.notes/.Nothing") is StartResult.not_found
    assert phone.focus().window == "com.android.notes/com.android.notes.NotesListActivity"


def test_an_intent_opens_the_page_that_it_names(phone):
    phone.start_activity("", action="android.settings.BLUETOOTH_SETTINGS")
    assert phone.truth()["page"] == ["bluetooth"]
    result = phone.start_activity(
        "", action="android.intent.action.VIEW", data="https://sky.example/birds"
    )
    assert (result, phone.truth()["page"]) == (
        StartResult.started,
        ["article", "sky.example/birds"],
    )


def test_an_activity_of_settings_opens_its_page(phone):
    phone.start_activity("com.android.settings/.Settings$BluetoothSettingsActivity")
    assert phone.truth()["page"] == ["bluetooth"]
    full = "com.android.settings/com.android.settings.Settings$WifiSettingsActivity"
    phone.start_activity(full)
    assert phone.truth()["page"] == ["wlan"]
    assert phone.focus().activity == ".Settings$WifiSettingsActivity"


def test_force_stop_ends_the_app_and_its_pages(hand):
    hand.tap("Settings")
    hand.tap("Bluetooth")
    hand.phone.force_stop("com.android.settings")
    assert hand.phone.truth()["front"] == "com.android.launcher3"
    hand.tap("Settings")
    assert hand.phone.truth()["page"] == ["home"]


def test_toasts_go_away_and_are_not_in_the_tree(phone):
    phone.key(24)
    assert phone.truth()["toast"] == "Media volume 47%"
    assert "Media volume" not in phone.snapshot().xml()
    shown = phone.snapshot().paint()
    phone.advance(2.5)
    assert phone.truth()["toast"] is None
    assert phone.snapshot().paint() != shown


def test_volume_keys_change_the_media_volume(phone):
    phone.key(24)
    phone.key(24)
    phone.key(25)
    assert phone.settings["system"]["volume_music"] == "7"


def test_reset_brings_the_first_screen_back(hand):
    first = hand.phone.snapshot().paint()
    truth = hand.phone.truth()
    hand.tap("Notes")
    hand.hold("Shopping list")
    hand.tap("Delete")
    hand.phone.settings["global"]["wifi_on"] = "0"
    hand.phone.reset()
    assert hand.phone.snapshot().paint() == first
    assert hand.phone.truth() == truth


def test_listeners_hear_of_every_change(phone):
    heard = []
    phone.on_change.append(lambda: heard.append(phone.settings["global"]["wifi_on"]))
    phone.settings["global"]["wifi_on"] = "0"
    assert heard == ["0"]

"""Lists move as on Android: drag, fling, limits, clipped rows."""

from __future__ import annotations

import pytest

from device.virtual_phone.ui.gestures import (
    EdgeGesture,
    LongPress,
    Swipe,
    Tap,
    classify,
    edge_gesture,
    scroll_distance,
)

SCALE = 2.625


def test_scrolling_reveals_the_last_row_and_stops_there(hand):
    hand.tap("Settings")
    assert not hand.sees("About phone")
    for _ in range(4):
        hand.phone.swipe(540, 1900, 540, 700, 300)
    assert hand.sees("About phone") and not hand.sees("WLAN")
    lowest = hand.phone.snapshot()
    hand.phone.swipe(540, 1900, 540, 700, 300)
    assert hand.phone.snapshot().paint() == lowest.paint()
    hand.tap("About phone")
    assert hand.sees("Android version")


def test_scrolling_back_reveals_the_first_row(hand):
    hand.tap("Settings")
    start = hand.phone.snapshot().paint()
    hand.phone.swipe(540, 1900, 540, 900, 300)
    assert hand.phone.snapshot().paint() != start
    hand.phone.swipe(540, 700, 540, 2200, 200)
    assert hand.phone.snapshot().paint() == start


def test_a_page_that_fits_is_not_scrollable(hand):
    hand.tap("Settings")
    assert any(node.get("scrollable") == "true" for node in hand.nodes())
    hand.tap("Bluetooth")
    assert not any(node.get("scrollable") == "true" for node in hand.nodes())


def test_a_fast_swipe_runs_on_and_a_slow_one_stops_with_the_finger():
    fast = scroll_distance(Swipe(540, 1600, 540, 600, 200), SCALE)
    slow = scroll_distance(Swipe(540, 1600, 540, 600, 10_000), SCALE)
    assert slow == 1000 - 21
    assert fast > slow + 500


def test_the_content_follows_the_finger_both_ways():
    up = scroll_distance(Swipe(540, 1600, 540, 600, 300), SCALE)
    down = scroll_distance(Swipe(540, 600, 540, 1600, 300), SCALE)
    assert up == -down > 0


@pytest.mark.parametrize(
    ("path", "duration_ms", "kind"),
    [
        ((500, 500, 505, 503), 50, Tap),
        ((500, 500, 500, 500), 600, LongPress),
        ((500, 500, 500, 560), 600, Swipe),
    ],
)
def test_movements_have_names(path, duration_ms, kind):
    assert isinstance(classify(*path, duration_ms, SCALE), kind)


@pytest.mark.parametrize(
    ("swipe", "expected"),
    [
        (Swipe(0, 1000, 400, 1000, 100), EdgeGesture.BACK),
        (Swipe(1079, 1000, 700, 1000, 100), EdgeGesture.BACK),
        (Swipe(540, 2399, 540, 1500, 200), EdgeGesture.HOME),
        (Swipe(540, 2399, 540, 1500, 1500), EdgeGesture.RECENTS),
        (Swipe(540, 0, 540, 900, 200), EdgeGesture.SHADE),
        (Swipe(540, 2000, 540, 900, 200), None),
        (Swipe(300, 1000, 900, 1000, 200), None),
        (Swipe(0, 1000, 60, 1000, 200), None),
    ],
)
def test_only_long_swipes_from_an_edge_are_system_gestures(swipe, expected):
    assert edge_gesture(swipe, 1080, 2400, SCALE) is expected


def test_a_long_press_by_motion_events_counts_the_phone_clock(hand):
    hand.tap("Notes")
    left, top, right, bottom = hand.bounds(hand.find("Shopping list"))
    x, y = (left + right) / 2, (top + bottom) / 2
    hand.phone.motion("DOWN", x, y)
    hand.phone.advance(0.8)
    hand.phone.motion("UP", x, y)
    assert hand.phone.truth()["dialog"] == ["delete", "1"]

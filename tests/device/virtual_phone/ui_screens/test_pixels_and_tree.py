"""Pixels and UI tree come from the same boxes, and the picture is a picture."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from device.virtual_phone.ui.png import encode_png
from device.virtual_phone.ui.typeface import break_lines, measure_width

PACKAGES = (
    "com.android.launcher3",
    "com.android.settings",
    "com.android.notes",
    "com.android.contacts",
    "com.android.deskclock",
    "com.tencent.mm",
    "com.example.shop",
    "com.android.gallery3d",
    "com.android.browser",
)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("locale", ["zh", "en"])
def test_every_text_of_the_tree_is_painted_in_its_box(make_hand, package, locale):
    hand = make_hand(locale=locale)
    if package != "com.android.launcher3":
        hand.phone.start_activity(package)
    image = hand.image().convert("L")
    labelled = [box for box in _boxes(hand) if box.lines and box.visible == box.bounds]
    assert labelled
    for box in labelled:
        darkest, lightest = image.crop(tuple(box.visible)).getextrema()
        assert lightest - darkest > 40, box.view.text


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("locale", ["zh", "en"])
@pytest.mark.parametrize("rotation", ["0", "1"])
def test_no_text_is_wider_than_its_box_or_outside_the_screen(make_hand, package, locale, rotation):
    hand = make_hand(locale=locale)
    hand.phone.settings["system"].update({"accelerometer_rotation": "0", "user_rotation": rotation})
    if package != "com.android.launcher3":
        hand.phone.start_activity(package)
    shot = hand.phone.snapshot()
    for box in _boxes(hand):
        assert box.bounds.left >= 0 and box.bounds.right <= shot.width_px
        for line in box.lines:
            assert measure_width(line, box.size_px) <= box.bounds.width + 1, box.view.text


def test_every_tree_node_lies_inside_the_screen_and_is_not_empty(hand):
    hand.phone.start_activity("com.android.settings")
    for node in hand.nodes():
        left, top, right, bottom = hand.bounds(node)
        assert 0 <= left < right <= 1080
        assert 0 <= top < bottom <= 2400


def test_the_png_holds_the_painted_pixels(phone):
    shot = phone.snapshot()
    image = Image.open(io.BytesIO(shot.png()))
    image.load()
    assert (image.size, image.mode) == ((1080, 2400), "RGBA")
    assert image.tobytes() == shot.paint()


def test_a_png_of_the_wrong_size_is_refused():
    with pytest.raises(ValueError, match="not 2x2"):
        encode_png(b"1234", 2, 2)


def test_the_same_phone_paints_the_same_pixels(make_hand):
    first, second = make_hand(seed=7), make_hand(seed=7)
    assert first.phone.snapshot().paint() == second.phone.snapshot().paint()


def test_an_unchanged_screen_is_the_same_snapshot(phone):
    before = phone.snapshot()
    phone.advance(0.1)
    assert phone.snapshot() is before


def test_the_version_grows_only_when_the_screen_changes(phone):
    before = phone.snapshot().version
    phone.settings["system"]["screen_off_timeout"] = "30000"
    assert phone.snapshot().version == before
    phone.settings["global"]["bluetooth_on"] = "0"
    assert phone.snapshot().version == before + 1


def test_a_snapshot_does_not_change_when_the_phone_does(phone):
    before = phone.snapshot()
    pixels = before.paint()
    phone.start_activity("com.android.settings")
    assert before.paint() == pixels != phone.snapshot().paint()


def test_threads_may_paint_while_the_phone_goes_on(make_hand):
    hand = make_hand(locale="zh")
    expected = [make_hand(locale="zh").phone for _ in PACKAGES[1:]]
    for phone, package in zip(expected, PACKAGES[1:], strict=True):
        phone.start_activity(package)
    with ThreadPoolExecutor(4) as pool:
        shots = []
        for package in PACKAGES[1:]:
            hand.phone.start_activity(package)
            shots.append(pool.submit(hand.phone.snapshot().paint))
    for shot, phone in zip(shots, expected, strict=True):
        assert shot.result() == phone.snapshot().paint()


def test_newer_androids_add_drawing_order_and_hint(make_hand):
    assert " hint=" not in make_hand(sdk=34).phone.snapshot().xml()
    assert ' drawing-order="1" hint=""' in make_hand(sdk=35).phone.snapshot().xml()


def test_the_tree_escapes_what_the_user_wrote(hand):
    hand.phone.start_activity("com.android.notes")
    hand.tap("New note")
    hand.phone.commit_text('a<b & "c"')
    assert hand.find('a<b & "c"').get("class") == "android.widget.EditText"


def test_no_line_starts_with_closing_punctuation():
    words = "今天天气很好，我们去公园，看看花。"
    for width_px in range(60, 400, 7):
        lines = break_lines(words, 30, width_px)
        assert "".join(lines) == words
        assert not any(line[0] in "，。" for line in lines)


def test_a_text_that_does_not_fit_ends_in_an_ellipsis_within_the_width():
    (line,) = break_lines("Noise-cancelling headphones", 30, 200, 1)
    assert line.endswith("…")
    assert measure_width(line, 30) <= 200


def test_a_clipped_row_ends_where_the_list_ends(hand):
    hand.phone.start_activity("com.android.settings")
    scroll = next(box for box in _boxes(hand, all_kinds=True) if box.view.kind == "scroll")
    clipped = [b for b in scroll.walk() if b.bounds.bottom > scroll.bounds.bottom > b.bounds.top]
    assert clipped
    assert all(box.visible.bottom == scroll.bounds.bottom for box in clipped)


def _boxes(hand, all_kinds=False):
    root = hand.phone.snapshot().screen.active_window.root
    return [b for b in root.walk() if all_kinds or (b.view.kind == "text" and not b.visible.empty)]

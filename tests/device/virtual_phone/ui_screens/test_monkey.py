"""Fingers that know nothing: whatever they do, the phone stays whole."""

from __future__ import annotations

import random

import pytest

from device.virtual_phone.ui.typeface import measure_width

SIZES = (
    {"width_px": 1080, "height_px": 2400, "density": 420},
    {"width_px": 720, "height_px": 1280, "density": 320},
    {"width_px": 1600, "height_px": 2560, "density": 320},
    {"width_px": 480, "height_px": 800, "density": 240},
)
KEYS = (3, 4, 4, 4, 24, 61, 66, 67, 187)
WORDS = ("hello", "你好，世界", "🙂", "a" * 200, "1\n2\n3")


@pytest.mark.parametrize("seed", range(4))
def test_a_monkey_breaks_nothing_and_no_text_ever_overflows(make_hand, seed):
    hand = make_hand(locale=("zh", "en")[seed % 2], **SIZES[seed % len(SIZES)])
    phone = hand.phone
    monkey = random.Random(seed)
    visited = set()
    for _ in range(120):
        shot = phone.snapshot()
        _do_something(phone, monkey, shot)
        phone.advance(monkey.choice((0.1, 0.5, 3)))
        truth = phone.truth()
        visited.add((truth["front"], truth["page"][0]))
        _check_screen(phone.snapshot())
        assert hand.nodes()
    assert len(visited) > 8


def _do_something(phone, monkey, shot):
    x, y = monkey.uniform(0, shot.width_px - 1), monkey.uniform(0, shot.height_px - 1)
    match monkey.randrange(10):
        case 0:
            phone.key(monkey.choice(KEYS))
        case 1:
            phone.commit_text(monkey.choice(WORDS))
        case 2:
            phone.swipe(x, y, x + monkey.uniform(-500, 500), y + monkey.uniform(-900, 900), 200)
        case 3:
            phone.long_press(x, y, 700)
        case 4:
            rotation = str(monkey.randrange(2))
            phone.settings["system"].update(
                {"accelerometer_rotation": "0", "user_rotation": rotation}
            )
        case _:
            boxes = [b for b in shot.screen.active_window.root.walk() if b.view.on_click]
            if boxes:
                area = monkey.choice(boxes).visible
                phone.tap((area.left + area.right) / 2, (area.top + area.bottom) / 2)


def _check_screen(shot):
    for window in shot.screen.windows:
        for box in window.root.walk():
            assert box.bounds.left >= 0 and box.bounds.right <= shot.width_px
            room_px = box.bounds.width + 1
            if len(box.view.text) > 1 and box.view.kind == "text":
                for line in box.lines:
                    assert measure_width(line, box.size_px) <= room_px, (box.view.text, box)

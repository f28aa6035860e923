from __future__ import annotations

import io

from PIL import Image, ImageDraw

from parsers.action import Awake, Back, Click, Point, Type
from server.loop.rule import LoopRule, fingerprint_screen, is_same_action, looks_same

SIZE = (1080, 2400)


def a_screen(
    *, clock: str = "10:00", cursor: bool = False, knob_x_px: int = 900, image_format: str = "PNG"
) -> bytes:
    """A settings page: a status bar, rows, a switch, perhaps a text cursor."""
    picture = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(picture)
    draw.text((40, 20), clock, fill="black", font_size=60)
    for row in range(8):
        draw.rectangle((60, 300 + row * 220, 700, 340 + row * 220), fill="#444444")
    draw.rounded_rectangle((880, 500, 1010, 572), radius=36, fill="#8888cc")
    draw.ellipse((knob_x_px, 506, knob_x_px + 60, 566), fill="black")
    if cursor:
        draw.rectangle((300, 1400, 304, 1460), fill="black")
    out = io.BytesIO()
    picture.save(out, image_format)
    return out.getvalue()


def click(x: float, y: float, **words: str) -> Click:
    return Click(point=Point(x=x, y=y), **words)


def test_the_clock_does_not_make_another_screen() -> None:
    one, other = a_screen(clock="10:00"), a_screen(clock="23:59")
    assert looks_same(fingerprint_screen(one), fingerprint_screen(other))


def test_a_blinking_cursor_does_not_make_another_screen() -> None:
    one, other = a_screen(), a_screen(cursor=True)
    assert looks_same(fingerprint_screen(one), fingerprint_screen(other))


def test_a_switch_that_moved_makes_another_screen() -> None:
    one, other = a_screen(knob_x_px=886), a_screen(knob_x_px=944)
    assert not looks_same(fingerprint_screen(one), fingerprint_screen(other))


def test_the_same_screen_as_jpeg_is_the_same_screen() -> None:
    one, other = a_screen(), a_screen(image_format="JPEG")
    assert looks_same(fingerprint_screen(one), fingerprint_screen(other))


def test_a_trembling_finger_does_the_same() -> None:
    assert is_same_action(click(500, 500), click(510, 492))
    assert not is_same_action(click(500, 500), click(540, 500))


def test_other_words_do_not_make_another_action() -> None:
    assert is_same_action(click(1, 1, cot="first"), click(1, 1, cot="again", summary="more"))


def test_another_text_or_kind_is_another_action() -> None:
    assert not is_same_action(Type(value="a"), Type(value="b"))
    assert not is_same_action(Back(), Awake(value="x"))


def test_the_rule_counts_the_same_on_the_same_even_with_other_actions_between() -> None:
    rule = LoopRule()
    screen, other = fingerprint_screen(a_screen()), fingerprint_screen(a_screen(knob_x_px=944))
    counts = [
        rule.count(action, where)
        for action, where in [
            (click(500, 500), screen),
            (Type(value="milk"), screen),
            (click(505, 500), screen),
            (Type(value="milk"), screen),
            (click(500, 500), other),
            (click(500, 500), screen),
        ]
    ]
    assert counts == [1, 1, 2, 2, 1, 3]


def test_the_rule_forgets_the_oldest_so_that_a_long_run_costs_no_more() -> None:
    rule = LoopRule()
    screen = fingerprint_screen(a_screen())
    for number in range(100):
        rule.count(Type(value=str(number)), screen)
    assert rule.count(Type(value="99"), screen) == 2
    assert rule.count(Type(value="0"), screen) == 1

"""The shared readers: tolerant where the meaning is plain, strict where it is not."""

from __future__ import annotations

import pytest

from parsers.action import Element, Point, Size
from parsers.base import PixelSpace, RelativeSpace
from parsers.keys import press, read_key
from parsers.reading import (
    Refused,
    from_point,
    read_direction,
    read_flag,
    read_numbers,
    read_seconds,
    split_thought,
    strip_edges,
    to_element,
    to_point,
)

THOUSAND = RelativeSpace(scale=1000, maximum=1000)
NINES = RelativeSpace(scale=999, maximum=1000)
SENT = Size(width_px=1092, height_px=2408)


@pytest.mark.parametrize(
    "written",
    [
        "500,320",
        "500 320",
        "(500, 320)",
        "[500,320]",
        "[[500, 320]]",
        '"[500,320]"',
        "（500，320）",
        "<point>500 320</point>",
        "<point>500, 320</point>",
        "<|box_start|>(500,320)<|box_end|>",
        "<bbox>480 300 520 340</bbox>",
        "[480,300,520,340]",
        "[[480,300],[520,340]]",
        "x=500, y=320",
        "500.0、320.0",
        [500, 320],
        [[500, 320]],
        (500.0, "320"),
        ["500", "320"],
        {"x": 500, "y": "320"},
        {"X": 500, "Y": 320},
    ],
)
def test_a_point_is_read_in_every_way_it_is_written(written: object) -> None:
    assert to_point(written, THOUSAND) == Point(x=500, y=320)


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("", "missing_arg"),
        (None, "missing_arg"),
        ([], "missing_arg"),
        ("=", "bad_point"),
        ("x,y", "bad_point"),
        ("500", "bad_point"),
        ("500,320,7", "bad_point"),
        ("1,2,3,4,5", "bad_point"),
        ("NaN,1", "bad_point"),
        ("Infinity,1", "bad_point"),
        ("1e999,1", "bad_point"),
        ("5_00,1", "bad_point"),
        ("５００,１", "bad_point"),
        ("0x10,1", "bad_point"),
        ("1.2.3,1", "bad_point"),
        ("--5,1", "bad_point"),
        ("9" * 400 + ",1", "bad_point"),
        ([True, False], "bad_point"),
        ([float("nan"), 1.0], "bad_point"),
        ([float("inf"), 1.0], "bad_point"),
        ([10**400, 1], "bad_point"),
        ([10**5000, 1], "bad_point"),
        ({"a": 1}, "bad_point"),
        (b"12", "bad_point"),
        ([[[[[[[[1, 2]]]]]]]], "bad_point"),
        ("-1,-1", "out_of_range"),
        ("1000.01,5", "out_of_range"),
        ("5,1001", "out_of_range"),
        ([-9000, 999999], "out_of_range"),
        ("10,10,2000,10", "out_of_range"),
    ],
)
def test_what_is_no_point_is_refused_and_never_a_default(written: object, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        to_point(written, THOUSAND)
    assert refusal.value.code == code


@pytest.mark.parametrize("corner", ["0,0", "0,1000", "1000,0", "1000,1000"])
def test_the_corners_are_on_the_screen(corner: str) -> None:
    x, y = (float(part) for part in corner.split(","))
    assert to_point(corner, THOUSAND) == Point(x=x, y=y)


def test_nines_divide_by_999_and_take_the_closing_thousand() -> None:
    assert to_point("999,0", NINES) == Point(x=1000, y=0)
    assert to_point("1000,500", NINES) == Point(x=1000, y=500.5005)
    with pytest.raises(Refused):
        to_point("1001,0", NINES)


def test_pixels_are_read_in_the_frame_of_the_picture_that_was_sent() -> None:
    space = PixelSpace(factor=28)
    assert to_point("546,1204", space, SENT) == Point(x=500, y=500)
    assert to_point("1092,2408", space, SENT) == Point(x=1000, y=1000)
    with pytest.raises(Refused, match="off the screen"):
        to_point("546,2409", space, SENT)


def test_pixels_without_the_sent_size_are_refused() -> None:
    with pytest.raises(Refused) as refusal:
        to_point("5,5", PixelSpace())
    assert refusal.value.code == "bad_point"


def test_every_pixel_of_the_sent_picture_survives_reading_and_writing() -> None:
    space = PixelSpace(factor=28)
    for x in range(0, 1093):
        point = to_point(f"{x},{x}", space, SENT)
        assert from_point(point, space, SENT) == [x, x]


def test_a_pixel_of_the_screen_sent_as_it_is_is_tapped_exactly() -> None:
    size = Size(width_px=1080, height_px=2400)
    for x in range(1080):
        assert to_point([x, x], PixelSpace(), size).to_px(1080, 2400)[0] == x


@pytest.mark.parametrize("written", [7, "7", " 7 ", "#7", "[7]", '"7"', [7], 7.0])
def test_an_element_number_is_read(written: object) -> None:
    assert to_element(written, 1, 9) == Element(index=7, base=1)


@pytest.mark.parametrize(
    "written", [0, -1, 99, 7.5, "7.5", "seven", True, "7;8", "７", "1e0", [10**5000]]
)
def test_what_is_no_element_is_refused_and_told_which_exist(written: object) -> None:
    with pytest.raises(Refused, match="1-9") as refusal:
        to_element(written, 1, 9)
    assert refusal.value.code == "bad_element"


def test_elements_may_count_from_zero() -> None:
    assert to_element(0, 0, 3) == Element(index=0, base=0)
    with pytest.raises(Refused, match="0-2"):
        to_element(3, 0, 3)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (3, 3.0),
        ("3", 3.0),
        ("3秒", 3.0),
        ("3 seconds", 3.0),
        ("2.5s", 2.5),
        ("500 ms", 0.5),
        ("1 minute", 60.0),
        ("[2]", 2.0),
    ],
)
def test_a_time_is_read_with_its_unit(written: object, seconds: float) -> None:
    assert read_seconds(written) == seconds


@pytest.mark.parametrize("written", ["-5", -5, "x seconds", "1e9", "NaN", float("inf"), True, []])
def test_what_is_no_time_is_refused(written: object) -> None:
    with pytest.raises(Refused) as refusal:
        read_seconds(written)
    assert refusal.value.code == "bad_arg"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("enter", "ENTER"),
        ("Return", "ENTER"),
        ("KEYCODE_VOLUME_UP", "VOLUME_UP"),
        ("volume up", "VOLUME_UP"),
        ("app_switch", "RECENT"),
        ("Backspace", "DELETE"),
        (["ENTER"], "ENTER"),
    ],
)
def test_a_key_is_found_by_its_usual_names(name: object, key: str) -> None:
    assert read_key(name) == key


@pytest.mark.parametrize(
    "name", ["26; reboot", "ctrl+c", "ctrl c", "3", "x" * 1000, 26, ["a", "b"]]
)
def test_no_other_key_reaches_the_phone(name: object) -> None:
    with pytest.raises(Refused) as refusal:
        read_key(name)
    assert refusal.value.code == "bad_arg"


def test_back_and_home_keys_are_actions_of_their_own() -> None:
    assert press("BACK").action == "BACK"
    assert press("HOME").action == "HOME"
    assert press("ENTER").action == "HOT_KEY"


def test_directions_and_flags_are_words_not_guesses() -> None:
    assert read_direction(" UP ") == "up"
    assert read_direction("向下") == "down"
    assert read_flag("True", "clear") is True
    assert read_flag("false", "clear") is False
    for reader in (lambda: read_direction("sideways"), lambda: read_flag("maybe", "clear")):
        with pytest.raises(Refused):
            reader()


@pytest.mark.parametrize(
    ("text", "thought", "rest"),
    [
        ("<think>a</think>b", "a", "b"),
        ("< THINK >a</ think >b", "a", "b"),
        ("<thinking>a</think>b", "a", "b"),
        ("a</think>b", "a", "b"),
        ("<think>a", "a", ""),
        ("b", "", "b"),
        ("<think>it says </think> do x</think>b", "it says   do x", "b"),
        ("<think>a</think>b<think>c</think>d", "a\nc", "b\nd"),
    ],
)
def test_the_thought_is_split_off(text: str, thought: str, rest: str) -> None:
    assert split_thought(text) == (thought, rest)


def test_wrappers_come_off_the_ends_and_stay_inside() -> None:
    assert strip_edges("```python\n<answer>click(1)</answer><|im_end|>\n```") == "click(1)"
    assert strip_edges("say(`</answer>`, '```')") == "say(`</answer>`, '```')"


def test_numbers_stay_whole_when_they_have_decimals() -> None:
    assert read_numbers("0.4518, 0.7711") == [0.4518, 0.7711]

"""Switches and picture buttons are told by their pixels."""

from __future__ import annotations

import pytest

from server.model.demo.pixels import find_round_button, find_switches
from tests.server.demo.screens import draw_screen


@pytest.mark.parametrize("style", ["filled", "outlined", "thin"])
def test_a_switch_is_read_in_every_usual_style(style: str) -> None:
    screen = draw_screen([("蓝牙", 500)], switches=[(500, True), (800, False)], style=style)
    assert [s.on for s in find_switches(screen)] == [True, False]


def test_the_box_of_a_switch_is_where_it_was_painted() -> None:
    (switch,) = find_switches(draw_screen([], switches=[(500, True)]))
    assert abs(switch.box.x - (880 + 137 / 2)) < 3
    assert abs(switch.box.y - 500) < 3


def test_a_plain_screen_has_no_switches_and_no_button() -> None:
    screen = draw_screen([("设置", 300), ("蓝牙", 500)])
    assert find_switches(screen) == []
    assert find_round_button(screen) is None


def test_the_round_button_is_found_in_its_corner() -> None:
    box = find_round_button(draw_screen([], button=(930, 2100)))
    assert box is not None
    assert (round(box.x), round(box.y)) == (930, 2100)

"""AppAgent's grid: `grid()` asks for one, then parts of its cells are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from parsers.action import Action, Click, Element, LongPress, Point, Rejection, Scroll, Size, Slide
from parsers.base import Environment, Parser, ReplyContext
from parsers.grid import SUBAREAS, grid_cells
from parsers.registry import get_parser
from parsers.tools import read_case

SCREEN = Size(width_px=1080, height_px=2160)
CELLS = grid_cells(SCREEN, 1)
CONTEXT = ReplyContext(screen_size=SCREEN, element_count=len(CELLS), elements=CELLS)


def read(call: str, context: ReplyContext = CONTEXT) -> Action | Rejection:
    reply = f"Observation: a\nThought: b\nAction: {call}\nSummary: c"
    return get_parser("appagent").str2action(reply, context)


def deed(result: Action | Rejection) -> dict[str, Any]:
    assert not isinstance(result, Rejection), result
    words = {"cot", "explain", "summary", "meta", "confirm", "then"}
    return {k: v for k, v in result.model_dump(exclude_defaults=True).items() if k not in words}


def test_six_columns_of_square_cells_cover_the_screen() -> None:
    assert len(CELLS) == 72
    assert CELLS[0].bounds == (0, 0, pytest.approx(1000 / 6), pytest.approx(1000 / 12))
    assert CELLS[-1].bounds[2:] == (pytest.approx(1000), pytest.approx(1000))
    assert len(grid_cells(Size(width_px=2160, height_px=1080), 1)) == 72


def test_the_middle_of_a_cell_is_the_cell() -> None:
    for call in ('tap(5, "center")', "tap(5)", 'tap(area=5, subarea="center")'):
        assert deed(read(call)) == deed(Click(element=Element(index=5)))


@pytest.mark.parametrize("name", [name for name in SUBAREAS if name != "center"])
def test_each_part_lies_a_quarter_in_from_the_edges(name: str) -> None:
    across, down = SUBAREAS[name]
    point = Point(x=(1 + across) * 1000 / 6, y=(1 + down) * 1000 / 12)  # cell 8: second of both
    tapped, pressed = read(f'tap(8, "{name}")'), read(f"long_press(8, {name})")
    assert isinstance(tapped, Click) and isinstance(pressed, LongPress)
    for found in (tapped.point, pressed.point):
        assert found is not None
        assert (found.x, found.y) == (pytest.approx(point.x), pytest.approx(point.y))


def test_a_swipe_goes_from_one_part_to_another() -> None:
    for call in ('swipe(21, "center", 25, "right")', 'swipe(21, "left", 25, "right")'):
        assert isinstance(read(call), Slide), call
    moved = read('swipe(1, "top-left", 72, "bottom-right")')
    assert isinstance(moved, Slide)
    assert (moved.point1.x, moved.point2.x) == (pytest.approx(1000 / 24), pytest.approx(958.3333))


def test_the_swipe_of_an_element_stays_what_it_was() -> None:
    for side, revealed in (("up", "down"), ("left", "right"), ("right", "left")):
        scrolled = read(f'swipe(21, "{side}", "medium")')
        assert isinstance(scrolled, Scroll)
        assert (scrolled.finger, scrolled.direction) == (side, revealed)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ('tap(73, "top")', "bad_element"),
        ('tap(0, "center")', "bad_element"),
        ('tap(5, "middle")', "bad_arg"),
        ('tap(5, "")', None),
        ('swipe(1, "center", 99, "top")', "bad_element"),
        ('swipe(1, "center", 2)', "missing_arg"),
        ('swipe(1, "center", 2, "north")', "bad_arg"),
        ("tap(5, 'top', 3)", "bad_arg"),
    ],
)
def test_what_names_no_part_is_refused(call: str, code: str | None) -> None:
    result = read(call)
    assert (result.code if isinstance(result, Rejection) else None) == code


def test_a_part_of_what_is_no_known_cell_is_refused() -> None:
    unknown = ReplyContext(screen_size=SCREEN, element_count=9)
    refused = read('tap(5, "top")', unknown)
    assert isinstance(refused, Rejection)
    assert refused.code == "bad_element" and "grid()" in refused.message


def test_the_tools_know_the_grid_of_a_screen() -> None:
    line = {"dialect": "appagent", "screen": [1080, 2160], "elements": 72}
    answer = read_case({**line, "raw": 'Action: tap(8, "top-left")'})
    assert answer["out"] == {"action": "CLICK", "point": [208.33, 104.17], "px": [225, 225]}


def test_the_prompt_says_how_to_name_the_cells(make_parser: Callable[..., Parser]) -> None:
    parser = make_parser("appagent")
    for elements, shown in ((CELLS, True), ((), False)):
        environment = Environment("a.png", elements=elements, marked_image="b.jpeg")
        words = parser.env2messages4ask("t", [environment], [])[0]["content"][0]["text"]
        assert ('tap(5, "center")' in words) == shown

"""Agreement of two actions: kind, place inside the recorded target, text."""

from __future__ import annotations

import pytest

from device.ui_tree import parse_ui_tree
from parsers.action import (
    Action,
    Awake,
    Back,
    Click,
    Complete,
    HotKey,
    Point,
    Scroll,
    Size,
    Slide,
    Type,
)
from server.replay.agreement import Agreement, compare_actions, find_target, summarise

TREE = parse_ui_tree(
    '<hierarchy><node class="a" bounds="[0,0][100,200]" clickable="true">'
    '<node class="b" bounds="[10,20][50,60]" clickable="true"/>'
    '<node class="c" bounds="[12,22][20,30]"/></node></hierarchy>'
)
SIZE = Size(width_px=100, height_px=200)
BOX = (100.0, 100.0, 500.0, 300.0)


def at(x: float, y: float) -> Click:
    return Click(point=Point(x=x, y=y))


def score(recorded: Action, other: Action, target: tuple[float, ...] | None = None) -> Agreement:
    points = (getattr(recorded, "point", None), getattr(other, "point", None))
    return compare_actions(recorded, other, target=target, points=points)  # type: ignore[arg-type]


def test_the_target_is_the_smallest_thing_that_reacts_under_the_point() -> None:
    assert find_target(Point(x=150, y=125), TREE, SIZE, None) == BOX
    assert find_target(Point(x=900, y=900), TREE, SIZE, None) == (0, 0, 1000, 1000)
    assert find_target(Point(x=150, y=125), TREE, SIZE, [1, 2, 3, 4]) == (1, 2, 3, 4)
    assert find_target(None, TREE, SIZE, None) is None
    assert find_target(Point(x=1, y=1), None, SIZE, None) is None


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (at(110, 290), Agreement(True, True)),
        (at(90, 290), Agreement(True, False)),
        (Back(), Agreement(False, False)),
        (Complete(), Agreement(False, False)),
    ],
)
def test_a_tap_agrees_where_it_is_inside_the_target(other: Action, expected: Agreement) -> None:
    assert score(at(150, 125), other, BOX) == expected


def test_without_a_tree_a_point_may_be_so_far_away() -> None:
    assert score(at(500, 500), at(500, 639)).whole
    assert not score(at(500, 500), at(500, 641)).whole


def test_a_slide_and_a_scroll_agree_where_the_finger_goes_the_same_way() -> None:
    up = Slide(point1=Point(x=500, y=800), point2=Point(x=510, y=200))
    assert score(up, Scroll(direction="down", finger="up")) == Agreement(True, True)
    assert score(up, Scroll(direction="up", finger="down")) == Agreement(True, False)


def test_texts_apps_and_keys_must_be_the_same() -> None:
    assert score(Awake(value="WeChat "), Awake(value="wechat")) == Agreement(True, None, True)
    assert score(Type(value="１2"), Type(value="12")).whole
    assert not score(Type(value="12"), Type(value="13")).whole
    assert score(HotKey(key="BACK"), Back()).kind
    assert score(HotKey(key="ENTER"), HotKey(key="TAB")) == Agreement(True, None, False)


def test_shares_count_only_what_there_is_to_compare() -> None:
    scores = [Agreement(True, True), Agreement(True, False), Agreement(False), Agreement(True)]
    assert summarise(scores) == {
        "steps": 4, "agree": 0.5, "kind": 0.75, "place": 0.5, "text": None,
    }  # fmt: skip

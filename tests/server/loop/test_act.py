from __future__ import annotations

from typing import Any

import pytest

from device.errors import AppNotFoundError, AppNotStartedError, InputBlockedError
from device.protocol import App, Bounds, Screenshot, UiNode, UiTree
from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    DoubleClick,
    Element,
    Grid,
    Home,
    HotKey,
    Info,
    LongPress,
    Note,
    Point,
    Scroll,
    Size,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from server.act import ElementNotFoundError, Observation, act_on_device
from server.elements import Target, number_elements

WIDTH, HEIGHT = 1080, 2400
MIDDLE = Point(x=500, y=500)
SEEN = Observation(Screenshot(b"png", WIDTH, HEIGHT))


def do(action: Action, phone: Any, observation: Observation = SEEN, **how: Any) -> Any:
    return act_on_device(action, phone, observation, sleep=lambda seconds: None, **how)


@pytest.mark.parametrize(
    ("action", "journal"),
    [
        (Click(point=MIDDLE), [("tap", 540, 1200)]),
        (Click(point=Point(x=0, y=0)), [("tap", 0, 0)]),
        (Click(point=Point(x=1000, y=1000)), [("tap", 1079, 2399)]),
        (Click(point=Point(x=938, y=35)), [("tap", 1013, 84)]),
        (DoubleClick(point=MIDDLE), [("double_tap", 540, 1200)]),
        (LongPress(point=MIDDLE), [("long_press", 540, 1200, 0.8)]),
        (LongPress(point=MIDDLE, duration_s=2), [("long_press", 540, 1200, 2.0)]),
        (Slide(point1=MIDDLE, point2=Point(x=500, y=100)), [("swipe", 540, 1200, 540, 240, 0.4)]),
        (
            Slide(point1=Point(x=0, y=500), point2=MIDDLE, from_edge=True),
            [("swipe", 0, 1200, 540, 1200, 0.4, "from_edge")],
        ),
        (Type(value="milk"), [("type_text", "milk", False, False)]),
        (
            Type(value="牛奶", point=MIDDLE),
            [("tap", 540, 1200), ("type_text", "牛奶", False, False)],
        ),
        (Type(value="x", point=MIDDLE, keyboard_exists=True), [("type_text", "x", False, False)]),
        (Type(value="x", clear=True, submit=True), [("type_text", "x", True, True)]),
        (Awake(value="设置"), [("open_app", "com.android.settings")]),
        (Back(), [("press_key", "BACK")]),
        (Home(), [("press_key", "HOME")]),
        (HotKey(key="VOLUME_UP"), [("press_key", "VOLUME_UP")]),
    ],
)
def test_an_action_becomes_just_its_input(phone: Any, action: Action, journal: list[Any]) -> None:
    assert do(action, phone).status == "ok"
    assert phone.journal == journal


@pytest.mark.parametrize(
    "action",
    [
        Wait(value=0),
        Info(value="q"),
        Answer(value="a"),
        Complete(),
        Abort(),
        TakeOver(),
        Note(),
        CallApi(),
        Grid(),
    ],
)
def test_what_is_not_for_the_phone_never_reaches_it(phone: Any, action: Action) -> None:
    assert do(action, phone).status == "no_effect"
    assert phone.journal == []


@pytest.mark.parametrize(
    ("direction", "finger", "path"),
    [
        ("down", "up", (540, 1800, 540, 600)),
        ("up", "down", (540, 600, 540, 1800)),
        ("right", "left", (810, 1200, 270, 1200)),
        ("left", "right", (270, 1200, 810, 1200)),
    ],
)
def test_a_scroll_moves_the_finger_against_what_it_reveals(
    phone: Any, direction: Any, finger: Any, path: tuple[int, ...]
) -> None:
    do(Scroll(direction=direction, finger=finger), phone)
    assert phone.journal == [("swipe", *path, 0.5)]


@pytest.mark.parametrize("y", [0, 30, 970, 1000])
@pytest.mark.parametrize("distance", [None, 100, 1000])
def test_a_scroll_at_the_edge_keeps_off_the_systems_own_gestures(
    phone: Any, y: float, distance: float | None
) -> None:
    point = Point(x=500, y=y)
    do(Scroll(direction="down", finger="up", point=point, distance=distance), phone)
    _, _, start_y, _, end_y, _ = phone.journal[0]
    assert 240 <= end_y < start_y <= 2159
    assert start_y - end_y == min((distance or 500) / 1000 * HEIGHT, 1919)


def test_an_unknown_app_is_refused_with_nothing_pressed(phone: Any) -> None:
    with pytest.raises(AppNotFoundError):
        do(Awake(value="Chrome"), phone)
    assert phone.journal == []


def test_an_app_that_did_not_come_to_the_front_is_told(phone: Any) -> None:
    phone.open_app = lambda package: App("com.other")
    with pytest.raises(AppNotStartedError) as error:
        do(Awake(value="设置"), phone)
    assert error.value.details == {"package": "com.android.settings", "foreground": "com.other"}


def test_an_app_is_stopped_first_only_if_asked(phone: Any) -> None:
    do(Awake(value="设置"), phone, reflush_app=True)
    assert phone.journal == [
        ("stop_app", "com.android.settings"),
        ("open_app", "com.android.settings"),
    ]


def test_each_single_input_can_be_withheld(phone: Any) -> None:
    allowed = iter([True, False])

    def before_input() -> None:
        if not next(allowed):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        do(Type(value="x", point=MIDDLE), phone, before_input=before_input)
    assert phone.journal == [("tap", 540, 1200)]


def test_a_refusal_of_the_phone_is_raised_not_swallowed(phone: Any) -> None:
    def refuse() -> None:
        raise InputBlockedError("switch it on")

    phone.next("tap", refuse)
    with pytest.raises(InputBlockedError):
        do(Click(point=MIDDLE), phone)


# --- numbered elements ------------------------------------------------------------------------


def node(
    bounds: Bounds,
    *,
    text: str = "",
    kind: str = "android.widget.TextView",
    children: tuple[UiNode, ...] = (),
    **flags: bool,
) -> UiNode:
    names = "clickable long_clickable checkable checked scrollable focusable focused password"
    known = dict.fromkeys([*names.split(), "selected"], False)
    return UiNode(
        class_name=kind,
        package="com.android.settings",
        text=text,
        content_desc="",
        resource_id="",
        hint="",
        bounds=bounds,
        enabled=flags.pop("enabled", True),
        depth=0,
        children=children,
        **{**known, **flags},
    )


ROW = Bounds(0, 200, 1080, 400)
FIELD = Bounds(100, 500, 980, 600)
TREE = UiTree(
    node(
        Bounds(0, 0, WIDTH, HEIGHT),
        kind="android.widget.FrameLayout",
        children=(
            node(ROW, clickable=True, children=(node(ROW, text="蓝牙"), node(ROW, text="已开启"))),
            node(ROW, clickable=True, enabled=False),
            node(Bounds(5, 5, 5, 5), clickable=True),
            node(FIELD, kind="android.widget.EditText", text="名称"),
        ),
    ),
    "<hierarchy/>",
)
SEEN_TREE = Observation(SEEN.screenshot, TREE)


def test_what_can_be_acted_on_is_numbered_and_named_by_the_words_in_it() -> None:
    elements = number_elements(TREE, Size(width_px=WIDTH, height_px=HEIGHT), 1).elements
    assert [(one.index, one.label, one.kind) for one in elements] == [
        (1, "蓝牙 已开启", "TextView"),
        (2, "名称", "EditText"),
    ]
    assert elements[1].editable
    assert elements[0].bounds == (
        0,
        pytest.approx(83.33, abs=0.01),
        1000,
        pytest.approx(166.67, abs=0.01),
    )


@pytest.mark.parametrize(
    ("element", "tap"),
    [
        (Element(index=1), (540, 300)),
        (Element(index=2), (540, 550)),
        (Element(index=0, base=0), (540, 300)),
        (Element(index=1, base=0), (540, 550)),
    ],
)
def test_a_number_taps_the_middle_of_its_element(
    phone: Any, element: Element, tap: tuple[int, int]
) -> None:
    phone.tree = TREE
    do(Click(element=element), phone, SEEN_TREE)
    assert phone.journal == [("tap", *tap)]


@pytest.mark.parametrize("element", [Element(index=3), Element(index=0), Element(index=2, base=0)])
def test_a_number_that_is_not_on_the_screen_taps_nothing(phone: Any, element: Element) -> None:
    with pytest.raises(ElementNotFoundError) as error:
        do(Click(element=element), phone, SEEN_TREE)
    assert error.value.details == {"count": 2, "span": str(element.index)}
    assert phone.journal == []


def test_a_number_without_a_tree_taps_nothing(phone: Any) -> None:
    with pytest.raises(ElementNotFoundError):
        do(Click(element=Element(index=1)), phone)
    assert phone.journal == []


def test_a_box_that_hangs_over_the_edge_is_tapped_in_the_middle_of_what_is_seen(phone: Any) -> None:
    outside = UiTree(node(Bounds(1000, 2300, 1400, 3000), clickable=True), "<hierarchy/>")
    phone.tree = outside
    do(Click(element=Element(index=1)), phone, Observation(SEEN.screenshot, outside))
    assert phone.journal == [("tap", 1040, 2350)]


def seen_as(phone: Any, tree: UiTree | None, index: int = 1) -> Observation:
    """What the model saw: the phone's picture, and the element of that number as it was told."""
    numbered = number_elements(TREE, Size(width_px=WIDTH, height_px=HEIGHT), 1)
    target = numbered.target_of(Click(element=Element(index=index)))
    shot = Screenshot(phone.screenshot().data, WIDTH, HEIGHT)
    return Observation(shot, tree, None, target)


def test_on_an_unchanged_screen_the_tree_is_not_read_again(phone: Any) -> None:
    observation = seen_as(phone, TREE)
    phone.next("ui_tree", lambda: pytest.fail("a tree costs a second"))
    do(Click(element=Element(index=1)), phone, observation)
    assert phone.journal == [("tap", 540, 300)]


def test_an_element_that_moved_meanwhile_is_tapped_where_it_is_now(phone: Any) -> None:
    observation = seen_as(phone, TREE)
    phone.screen += 1
    lower = Bounds(0, 800, 1080, 1000)
    words = (node(lower, text="蓝牙"), node(lower, text="已开启"))
    phone.tree = UiTree(node(lower, clickable=True, children=words), "<hierarchy/>")
    do(Click(element=Element(index=1)), phone, observation)
    assert phone.journal == [("tap", 540, 900)]


def test_an_element_that_is_gone_taps_nothing_and_the_model_is_told_which_exist(phone: Any) -> None:
    observation = seen_as(phone, TREE)
    phone.screen += 1
    other = node(ROW, clickable=True, text="另一个")
    phone.tree = UiTree(other, "<hierarchy/>")
    with pytest.raises(ElementNotFoundError, match=r"no longer .* elements 1-1 exist") as error:
        do(Click(element=Element(index=1)), phone, observation)
    assert error.value.details == {"count": 1, "span": "1"}
    assert phone.journal == []


@pytest.mark.parametrize("source", ["text", "grid"])
def test_what_was_found_on_the_picture_is_tapped_without_a_tree(phone: Any, source: Any) -> None:
    seen = seen_as(phone, None)
    assert seen.target is not None
    phone.screen += 1
    target = Target(seen.target.element, source, 9)
    do(Click(element=Element(index=1)), phone, Observation(SEEN.screenshot, None, None, target))
    assert phone.journal == [("tap", 540, 300)]

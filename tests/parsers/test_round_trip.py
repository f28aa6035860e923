"""What a dialect writes it reads back the same, and what it reads it writes stably."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from parsers.action import (
    Abort,
    Action,
    ActionMeta,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    DoubleClick,
    Element,
    Home,
    HotKey,
    Info,
    LongPress,
    Note,
    Point,
    Rejection,
    Scroll,
    Size,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import PixelSpace, ReplyContext
from parsers.errors import InvalidActionError
from parsers.registry import get_parser

WRITERS = [
    ("step0920", None),
    ("ui_tars", "v1.5"),
    ("ui_tars", "v1.0"),
    ("ui_tars", "doubao"),
    ("autoglm", None),
    ("ui_venus", "1.0"),
    ("ui_venus", "1.5"),
    ("element_dsl", None),
]
SENT = Size(width_px=1092, height_px=2408)

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(
    lambda text: text.strip() == text and text.isprintable()
)
words = st.text(st.characters(categories=["L", "N"]), max_size=20)
points = st.builds(Point, x=st.integers(0, 1000), y=st.integers(0, 1000))
pixel_points = st.builds(
    Point,
    x=st.integers(0, 1092).map(lambda x: round(x / 1092 * 1000, 4)),
    y=st.integers(0, 2408).map(lambda y: round(y / 2408 * 1000, 4)),
)
elements = st.builds(Element, index=st.integers(1, 24))
seconds = st.integers(0, 600).map(lambda tenths: tenths / 10)
lengths = st.none() | st.integers(1, 100).map(lambda tenths: tenths / 10)
scrolls = st.sampled_from([("up", "down"), ("down", "up"), ("left", "right"), ("right", "left")])
keys = st.sampled_from(["ENTER", "RECENT", "MENU", "DELETE", "VOLUME_UP", "POWER", "DPAD_LEFT"])


def _actions(point: st.SearchStrategy[Point]) -> st.SearchStrategy[Action]:
    target = st.one_of(
        st.fixed_dictionaries({"point": point}), st.fixed_dictionaries({"element": elements})
    )
    return st.one_of(
        target.map(lambda t: Click(**t)),
        target.map(lambda t: DoubleClick(**t)),
        st.builds(lambda t, s: LongPress(**t, duration_s=s), target, lengths),
        st.builds(
            lambda t, v, k, s, c: Type(**t, value=v, keyboard_exists=k, submit=s, clear=c),
            target | st.just({}),
            texts,
            st.booleans(),
            st.booleans(),
            st.booleans(),
        ),
        st.builds(Slide, point1=point, point2=point, duration_s=lengths),
        st.builds(
            lambda d, p: Scroll(direction=d[0], finger=d[1], point=p), scrolls, st.none() | point
        ),
        st.builds(Awake, value=texts),
        st.builds(Info, value=texts),
        st.builds(Answer, value=texts),
        st.builds(Abort, value=st.just("") | texts),
        st.builds(TakeOver, value=st.just("") | texts),
        st.builds(Note, value=st.just("") | texts),
        st.builds(CallApi, value=texts),
        st.builds(lambda said: Complete(**{"return": said}), st.just("") | texts),
        st.builds(Wait, value=seconds),
        st.builds(HotKey, key=keys),
        st.just(Back()),
        st.just(Home()),
    )


def _comparable(action: Action, lost: set[str]) -> dict[str, Any]:
    return action.model_dump(exclude={"meta", "explain", "summary", *lost})


LOST: dict[str, set[str]] = {
    "step0920": {"duration_s", "clear", "submit"},
    "ui_tars": {"keyboard_exists", "clear", "duration_s"},
    "autoglm": {"keyboard_exists", "clear"},
    "ui_venus": {"keyboard_exists", "clear", "duration_s"},
    "element_dsl": {"cot", "distance", "duration_s", "keyboard_exists", "clear", "submit"},
}
"""Fields that a dialect has no words for."""
RENAMED = {"ui_tars": {"INFO": "TAKE_OVER"}}


@pytest.mark.parametrize(("dialect", "variant"), WRITERS)
def test_what_is_written_is_read_back_the_same(dialect: str, variant: str | None) -> None:
    parser = get_parser(dialect, variant=variant)
    in_pixels = isinstance(parser.space, PixelSpace)
    context = ReplyContext(sent_size=SENT if in_pixels else None, element_count=24)
    written = 0

    @given(_actions(pixel_points if in_pixels else points), words)
    @settings(max_examples=400, deadline=None)
    def check(action: Action, thought: str) -> None:
        nonlocal written
        meta = ActionMeta(sent_size=context.sent_size)
        action = action.model_copy(update={"cot": thought, "meta": meta})
        try:
            reply = parser.action2str(action)
        except InvalidActionError:
            assume(False)
        written += 1
        result = parser.str2action(reply, context)
        assert not isinstance(result, Rejection), (reply, result)
        renamed = RENAMED.get(dialect, {}).get(action.action)
        expected = _comparable(action, LOST[dialect])
        if renamed is not None:
            expected["action"] = renamed
        assert _comparable(result, LOST[dialect]) == expected, reply
        assert result.meta.repairs == () or action.action == "COMPLETE"
        assert parser.action2str(result) == parser.action2str(result.model_copy())

    check()
    assert written > 50


@pytest.mark.parametrize(("dialect", "variant"), WRITERS)
@given(action=st.sampled_from([Click(element=Element(index=3)), Click(point=Point(x=1, y=2))]))
def test_a_target_that_a_dialect_cannot_name_is_an_error_not_a_guess(
    dialect: str, variant: str | None, action: Action
) -> None:
    parser = get_parser(dialect, variant=variant)
    names_elements = parser.needs_elements
    if (action.element is not None) == names_elements and not isinstance(parser.space, PixelSpace):
        assert parser.action2str(action)
        return
    with pytest.raises(InvalidActionError):
        parser.action2str(action)

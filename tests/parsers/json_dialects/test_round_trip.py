"""What a dialect's writer writes, its reader reads as the same action."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.action import (
    Abort,
    Action,
    ActionMeta,
    Answer,
    Awake,
    Back,
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
from parsers.base import Parser, RelativeSpace, ReplyContext
from parsers.errors import InvalidActionError
from parsers.reading import to_point
from parsers.registry import get_parser

SENT = Size(width_px=1092, height_px=2408)
CONTEXT = ReplyContext(sent_size=SENT, screen_size=SENT, element_count=40)
WRITERS = [
    ("qwen_mobile_use", "qwen3"),
    ("qwen_mobile_use", "qwen2.5"),
    ("gui_owl", "1.5"),
    ("gui_owl", "1.0"),
    ("mai_ui", None),
    ("agentcpm", None),
    ("m3a", None),
]
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30
).filter(lambda text: "think" not in text.lower())
LINES = TEXTS.map(lambda text: " ".join(text.split())).filter(bool)
WORDS = st.text("abc 中文.,", max_size=12).map(lambda text: " ".join(text.split()).strip(" .,"))


def _points(parser: Parser) -> st.SearchStrategy[Point]:
    """Points that the dialect can write: whole numbers of its own space."""
    space = parser.space
    if isinstance(space, RelativeSpace):
        sides = (int(space.scale), int(space.scale))
    else:
        sides = (SENT.width_px, SENT.height_px)
    return st.tuples(*(st.integers(0, side) for side in sides)).map(
        lambda xy: to_point(list(xy), space, SENT)
    )


def _actions(parser: Parser) -> st.SearchStrategy[Action]:
    points = _points(parser)
    directions = st.sampled_from(
        [("up", "down"), ("down", "up"), ("left", "right"), ("right", "left")]
    )
    scrolls = st.tuples(directions, points).map(
        lambda pair: Scroll(direction=pair[0][0], finger=pair[0][1], point=pair[1])
    )
    tenths = st.integers(3, 100).map(lambda number: number / 10)
    common: list[st.SearchStrategy[Any]] = [
        st.builds(Click, point=points),
        st.builds(Type, value=TEXTS),
        st.sampled_from([Back(), Home(), HotKey(key="ENTER"), Complete()]),
        st.builds(Wait, value=tenths),
    ]
    if parser.name == "agentcpm":
        more = [
            st.builds(LongPress, point=points, duration_s=tenths),
            st.builds(Slide, point1=points, point2=points),
            st.builds(Type, value=TEXTS, point=points, clear=st.booleans()),
            scrolls,
            st.builds(Click, point=points, then=st.just("COMPLETE")),
            st.sampled_from([Abort(), HotKey(key="RECENT")]),
        ]
    elif parser.name == "m3a":
        elements = st.integers(0, 39).map(lambda index: Element(index=index, base=0))
        more = [
            st.builds(Click, element=elements),
            st.builds(DoubleClick, element=elements),
            st.builds(LongPress, element=elements),
            st.builds(
                Type, value=TEXTS, element=elements, clear=st.booleans(), submit=st.booleans()
            ),
            scrolls,
            st.builds(Awake, value=LINES),
            st.builds(Answer, value=LINES),
            st.builds(Abort, value=LINES),
        ]
    else:
        more = [
            st.builds(DoubleClick, point=points),
            st.builds(LongPress, point=points, duration_s=st.none() | tenths),
            st.builds(Slide, point1=points, point2=points),
            st.builds(Awake, value=LINES),
            st.builds(Abort, value=LINES),
            st.builds(lambda said: Complete(**{"return": said}), LINES),
            st.sampled_from([HotKey(key="RECENT"), HotKey(key="VOLUME_UP")]),
            st.builds(TakeOver, value=LINES)
            if parser.name == "gui_owl"
            else st.builds(Answer, value=LINES),
        ]
        if parser.name == "mai_ui":
            more += [scrolls, st.builds(Info, value=LINES)]
    return st.one_of(common + more)


def _written(action: Action) -> Action:
    return action.model_copy(update={"meta": ActionMeta(sent_size=SENT)})


def _bare(action: Action | Rejection) -> Action | Rejection:
    return action if isinstance(action, Rejection) else action.model_copy(
        update={"meta": ActionMeta()}
    )  # fmt: skip


@pytest.mark.parametrize(("dialect", "variant"), WRITERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_an_action_that_is_written_is_read_back(
    dialect: str, variant: str | None, data: st.DataObject
) -> None:
    parser = get_parser(dialect, variant=variant)
    action = data.draw(_actions(parser))
    cot = "" if isinstance(action, Abort) else data.draw(WORDS)
    action = action.model_copy(update={"cot": cot})
    reply = parser.action2str(_written(action))
    assert _bare(parser.str2action(reply, CONTEXT)) == action


@pytest.mark.parametrize(("dialect", "variant"), WRITERS)
@pytest.mark.parametrize(
    "action",
    [
        Click(element=Element(index=7, base=1)),
        Note(value="x"),
        Type(value="x", element=Element(index=1)),
        Click(point=Point(x=1, y=1), confirm="really?"),
        Scroll(direction="up", finger="down", distance=300),
    ],
    ids=lambda action: action.action,
)
def test_an_action_without_a_word_is_refused_rather_than_written_wrong(
    dialect: str, variant: str | None, action: Action
) -> None:
    parser = get_parser(dialect, variant=variant)
    if dialect == "m3a" and getattr(action, "element", None) is not None:
        assert '"index": ' in parser.action2str(_written(action))
        return
    with pytest.raises(InvalidActionError):
        parser.action2str(_written(action))


def test_a_pixel_dialect_writes_nothing_without_the_sent_size() -> None:
    parser = get_parser("qwen_mobile_use", variant="qwen2.5")
    with pytest.raises(InvalidActionError, match="sent_size"):
        parser.action2str(Click(point=Point(x=500, y=500)))


def test_gui_owl_1_0_carries_its_summary_through() -> None:
    parser = get_parser("gui_owl", variant="1.0")
    action = Home(cot="go", summary="went home")
    assert _bare(parser.str2action(parser.action2str(_written(action)), CONTEXT)) == action

"""A wrong `task_type` is told from the replies themselves."""

from __future__ import annotations

import pytest

from parsers.mismatch import guess_dialects


@pytest.mark.parametrize(
    ("dialect", "replies"),
    [
        ("step0920", ["<THINK> a </THINK>\nexplain:b\taction:CLICK\tpoint:5,6\tsummary:s"] * 3),
        ("ui_tars", ["Thought: a\nAction: click(start_box='(5,6)')", "Action: press_back()"]),
        ("autoglm", ['<think>a</think><answer>do(action="Back")</answer>'] * 3),
        (
            "ui_venus",
            ["<think>a</think><action>Click(box=(5,6))</action><conclusion>c</conclusion>"],
        ),
        ("agentcpm", ['{"thought":"a","POINT":[5,6]}', '{"PRESS":"HOME"}']),
        ("element_dsl", ["click(7)", 'type(3, "x")', 'finish("done")']),
        ("droidrun_xml", ['<invoke name="click"><parameter name="index">5</parameter></invoke>']),
    ],
)
def test_the_dialect_that_the_replies_are_written_in_is_among_the_likeliest(
    dialect: str, replies: list[str]
) -> None:
    # Two families may read the same words: Click(box=…) is a call to UI-TARS too.
    assert dialect in guess_dialects(replies)[:2]


@pytest.mark.parametrize("replies", [[], ["I am not sure."], [""]])
def test_replies_without_actions_look_like_no_dialect(replies: list[str]) -> None:
    assert guess_dialects(replies) == []

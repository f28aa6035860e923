"""The line that people's tools print for a reply."""

from __future__ import annotations

import json

import pytest

from parsers.errors import UnknownDialectError
from parsers.tools import element_base, read_case, read_reply


def test_an_action_is_printed_with_points_and_pixels() -> None:
    line = {
        "id": "a",
        "dialect": "ui_tars",
        "variant": "v1.5",
        "screen": [1080, 2400],
        "sent_image": [1092, 2408],
        "raw": "Action: long_press(start_box='(546,1204)', time=2)",
        "unknown": "ignored",
    }
    out = {"action": "LONGPRESS", "point": [500, 500], "px": [540, 1200], "seconds": 2}
    assert read_case(line) == {"id": "a", "out": out}


def test_a_rejection_is_printed_with_code_message_and_span() -> None:
    line = {"id": "b", "dialect": "element_dsl", "elements": 9, "raw": "click(99)"}
    result = read_case(line)
    assert set(result) == {"id", "rejection"}
    assert result["rejection"]["code"] == "bad_element"
    assert "1-9" in result["rejection"]["message"]
    assert result["rejection"]["span"] == "99"


def test_typed_text_and_its_flags_are_printed() -> None:
    line = {"dialect": "ui_tars", "variant": "doubao", "raw": "type(content='hi\\n')"}
    assert read_case(line)["out"] == {
        "action": "TYPE",
        "text": "hi",
        "clear": False,
        "submit": True,
    }


def test_a_distance_is_printed_in_the_dialect_s_own_word() -> None:
    line = {"dialect": "appagent", "elements": 24, "raw": 'Action: swipe(2, "up", "long")'}
    out = read_case(line)["out"]
    assert (out["distance"], out["direction"], out["finger"]) == ("long", "down", "up")


def test_a_message_in_several_fields_is_read() -> None:
    message = {
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "reasoning_content": "r",
        "tool_calls": None,
        "finish_reason": "stop",
    }
    reply = read_reply({"raw": "x", "message": message})
    assert (reply.content, reply.reasoning, reply.tool_calls) == ("a\nb", "r", ())
    assert reply.finish_reason == "stop"
    assert read_reply({"raw": None}).content == ""


def test_the_line_is_json() -> None:
    line = {"id": 1, "dialect": "step0920", "raw": "\ud800", "screen": [1080, 2400]}
    assert json.loads(json.dumps(read_case(line)))["rejection"]["code"] == "bad_arg"


def test_an_unknown_dialect_is_an_error() -> None:
    with pytest.raises(UnknownDialectError):
        read_case({"dialect": "nope", "raw": ""})


def test_element_dialects_say_where_they_count_from() -> None:
    assert element_base("element_dsl") == 1
    assert element_base("m3a") == 0
    assert element_base("step0920") is None

"""Tolerant JSON: repairs whose meaning is plain, refusals with a code, bounded time and depth."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.json_reading import BareWord, JsonFault, JsonObject, read_objects

REPAIRED: list[tuple[str, str, dict[str, Any]]] = [
    ("trailing commas", '{"a": [1, 2,],}', {"a": [1, 2]}),
    ("Python quotes", "{'a': 'b'}", {"a": "b"}),
    ("Python literals", '{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}),
    ("an apostrophe in Python quotes", "{'a': 'it's here', 'b': 1}", {"a": "it's here", "b": 1}),
    ("keys without quotes", "{a: 1, b: [2]}", {"a": 1, "b": [2]}),
    ("full-width punctuation", "{“甲”：“乙”，“a”：1}", {"甲": "乙", "a": 1}),
    ("a raw newline", '{"a": "x\ny"}', {"a": "x\ny"}),
    ("unescaped quotes", '{"a": "say "hi" now"}', {"a": 'say "hi" now'}),
    ("unescaped quotes round a comma", '{"a": "one", "two"}', {"a": 'one", "two'}),
    ("an object written into a text", '{"a": "{"b": "c"}"}', {"a": '{"b": "c"}'}),
    ("loose quotes behind brackets", '{"a": "if {x: "y"}} " then"}', {"a": 'if {x: "y"}} " then'}),
    ("a brace lost", '{"a": {"b": [1, 2]}', {"a": {"b": [1, 2]}}),
    ("all brackets lost before an end mark", '{"a": {"b": [1\n</tool_call>', {"a": {"b": [1]}}),
    ("the wrong bracket", '{"a": [1, 2}', {"a": [1, 2]}),
    ("a tuple", '{"a": (1, 2)}', {"a": [1, 2]}),
    ("a comma lost", '{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ("leading zeros", '{"a": 007}', {"a": 7}),
    ("a comment", '{"a": 1, // one\n"b": 2}', {"a": 1, "b": 2}),
    ("a foreign escape", '{"a": "C:\\dir",}', {"a": "C:\\dir"}),
    ("halves of a character", '{"a": "\\ud83d\\ude00",}', {"a": "😀"}),
    ("the same key twice, alike", '{"a": 1, "a": 1}', {"a": 1}),
    ("empty places in a list", '{"a": [[,,,]]}', {"a": [[None, None, None]]}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "text", "value"), REPAIRED, ids=[case[0] for case in REPAIRED])
def test_a_slip_with_one_meaning_is_repaired(why: str, text: str, value: dict[str, Any]) -> None:
    (found,) = read_objects(text)
    assert isinstance(found, JsonObject)
    assert found.value == value


REFUSED = [
    ("cut in a text", '{"a": "hel', "truncated"),
    ("cut in a list", '{"a": [1', "truncated"),
    ("cut in a bare number", '{"a": 50', "truncated"),
    ("cut after a comma", '{"a": 1,', "truncated"),
    ("cut after a colon", '{"a":', "truncated"),
    ("cut in a key", '{"a": 1, "b', "truncated"),
    ("a key twice", '{"a": 1, "a": 2}', "conflict"),
    ("a key twice, damaged", "{'a': 1, 'a': 2}", "conflict"),
    ("true is not 1", '{"a": 1, "a": true}', "conflict"),
    ("code", '{"a": __import__("os").system("id")}', "bad_arg"),
    ("rubbish", '{"a": 1 & 2; 3: }', "bad_arg"),
]


@pytest.mark.parametrize(("why", "text", "code"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_has_no_one_meaning_is_refused(why: str, text: str, code: str) -> None:
    found = read_objects(text)
    assert isinstance(found[0], JsonFault)
    assert found[0].code == code


def test_numbers_that_are_none_stay_visible() -> None:
    (found,) = read_objects('{"a": NaN, "b": -Infinity, "c": 1e999, "d": 5_00, "e": x}')
    assert isinstance(found, JsonObject)
    value = found.value
    assert math.isnan(value["a"])
    assert (value["b"], value["c"]) == (-math.inf, math.inf)
    assert [type(value["d"]), type(value["e"])] == [BareWord, BareWord]


def test_braces_in_prose_are_passed_over() -> None:
    found = read_objects('Use {name} or {} and then {"a": 1} (see {x}).')
    assert [piece.value for piece in found if isinstance(piece, JsonObject)] == [{}, {"a": 1}]
    assert len(found) == 2


def test_a_good_object_may_hold_an_end_mark_and_a_damaged_one_stops_at_it() -> None:
    (good,) = read_objects('{"a": "</tool_call>"}')
    assert isinstance(good, JsonObject)
    assert good.value == {"a": "</tool_call>"}
    damaged, second = read_objects('{"a": 1\n</tool_call>\n<tool_call>\n{"b": 2}')
    assert isinstance(damaged, JsonObject)
    assert isinstance(second, JsonObject)
    assert (damaged.value, second.value) == ({"a": 1}, {"b": 2})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5), st.booleans())
def test_good_json_is_read_unchanged(value: dict[str, Any], ascii_only: bool) -> None:
    found = read_objects("before " + json.dumps(value, ensure_ascii=ascii_only) + " after")
    assert isinstance(found[0], JsonObject)
    assert found[0].value == json.loads(json.dumps(value), parse_int=_as_read)
    assert found[0].repairs == ()


def _as_read(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


HEAVY = {
    "100k square brackets": "[" * 100_000,
    "100k nested objects": '{"a":' * 100_000,
    "100k nested lists": '{"a":' + "[" * 100_000,
    "a million braces": "{" * 1_000_000,
    "a million half keys": '{"' * 500_000,
    "half a million bare keys": "{aa" * 500_000,
    "a million quotes": '{"a":"' + '"' * 1_000_000,
    "10 MB of text": '{"a": "' + "x" * 10_000_000,
    "a million backslashes": '{"a": "' + "\\" * 1_000_001,
    "a million commas": '{"a": [' + "," * 1_000_000,
    "a million spaces": '{"a":' + " " * 1_000_000,
    "100k objects": '{"a": 1,}' * 100_000,
    "a number of a million digits": '{"a": ' + "9" * 1_000_000 + "}",
    "100k end marks": "{'a': 1</tool_call>" * 100_000,
    "100k XML parameters": "<function=f>" + "<parameter=a>" * 100_000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_a_hostile_text_ends_in_bounded_time(name: str) -> None:
    begun = time.process_time()
    read_objects(HEAVY[name])
    assert time.process_time() - begun < 10

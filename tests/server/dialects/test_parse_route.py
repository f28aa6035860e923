"""`POST /v1/parse` gives what the handed cases expect, and refuses what is no case."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parsers.tools import read_case
from tests.server.http.conftest import Service, shared

__all__ = ["shared"]
CASES = Path(__file__).resolve().parents[2] / "data" / "dialect_cases.jsonl"


def cases() -> Iterator[dict[str, Any]]:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def test_every_handed_case_is_answered_as_the_command_answers_it(shared: Service) -> None:
    lines = list(cases())
    assert len(lines) == 365
    for line in lines:
        response = shared.raw.post("/v1/parse", json=line)
        assert response.status_code == 200, (line["id"], response.text)
        assert response.json() == json.loads(json.dumps(read_case(line))), line["id"]


def test_a_native_call_is_read_from_its_own_field(shared: Service) -> None:
    arguments = json.dumps({"action": "click", "coordinate": [500, 300]})
    call = {"type": "function", "function": {"name": "mobile_use", "arguments": arguments}}
    case = {
        "id": 7,
        "dialect": "qwen_mobile_use",
        "variant": "qwen3",
        "screen": [1080, 2400],
        "message": {"content": "", "tool_calls": [call]},
    }
    answer = shared.raw.post("/v1/parse", json=case).json()
    assert (answer["id"], answer["out"]["action"]) == (7, "CLICK")
    assert answer["out"]["px"] == [541, 721]


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({"raw": "click(1)"}, "request.invalid"),
        ({"dialect": "klingon", "raw": "click(1)"}, "parser.unknown_dialect"),
        ({"dialect": "ui_tars", "variant": "v9", "raw": ""}, "parser.unknown_dialect"),
        ({"dialect": "ui_tars", "raw": 7}, "request.invalid"),
        ({"dialect": "ui_tars", "raw": "", "screen": [1080]}, "request.invalid"),
        ({"dialect": "ui_tars", "raw": "", "screen": [0, -1]}, "request.invalid"),
        ({"dialect": "m3a", "raw": "", "elements": -1}, "request.invalid"),
        ({"dialect": "m3a", "message": {"tool_calls": ["x"]}}, "request.invalid"),
    ],
)
def test_what_is_no_case_is_told(shared: Service, case: dict[str, Any], code: str) -> None:
    assert shared.error_of(shared.raw.post("/v1/parse", json=case)) == (422, code)

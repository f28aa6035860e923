"""What 22 families write, and the one right reading of each: the handed cases and our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.registry import BUILT_IN
from parsers.tools import read_case

DATA = Path(__file__).resolve().parents[1] / "data"


def _read_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


LINES = _read_lines("dialect_cases.jsonl")
MORE = _read_lines("more_dialect_cases.jsonl")
"""Cases of our own: kinds of damage that the handed ones do not have in that family."""
PX_TOLERANCE = 2
PX_TOLERANCE_SHARE = 0.003


def _is_same(name: str, wanted: object, got: object, screen: list[int]) -> bool:
    if not isinstance(wanted, list):
        return wanted == got
    if not isinstance(got, list) or len(got) != len(wanted):
        return False
    if not name.startswith("px"):
        return all(abs(w - g) <= 0.01 for w, g in zip(wanted, got, strict=True))
    return all(
        abs(w - g) <= max(PX_TOLERANCE, PX_TOLERANCE_SHARE * side)
        for w, g, side in zip(wanted, got, screen, strict=True)
    )


@pytest.mark.parametrize("line", LINES + MORE, ids=[line["id"] for line in LINES + MORE])
def test_a_reply_is_read_as_the_case_says(line: dict[str, Any]) -> None:
    result = read_case(line)
    expect = line["expect"]
    if "error" in expect:
        assert result.get("rejection", {}).get("code") == expect["error"], result
        assert result["rejection"]["message"]
        return
    out = result.get("out", {})
    wrong = {
        name: (wanted, out.get(name))
        for name, wanted in expect.items()
        if not _is_same(name, wanted, out.get(name), line["screen"])
    }
    assert not wrong, result


def test_all_365_cases_are_here_and_every_dialect_is_registered() -> None:
    assert len(LINES) == 365
    assert {line["dialect"] for line in LINES} <= set(BUILT_IN)

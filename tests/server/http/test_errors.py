from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from server.error_body import describe_error, http_status
from server.errors import ReplyUnreadableError
from server.http.error_table import (
    MEANINGS,
    REMEDIES,
    error_classes,
    error_rows,
    render_error_table,
)

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_every_error_class_has_a_code_of_its_own() -> None:
    counts = Counter(kind.code for kind in error_classes())
    assert {code for code, count in counts.items() if count > 1} == set()
    assert len(counts) > 60


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.code)
def test_every_error_has_a_status_of_a_fault_and_a_whole_body(kind: type) -> None:
    error = kind("what is wrong; what to do", field="x")
    assert 400 <= http_status(error) < 600
    assert describe_error(error) == {
        "code": kind.code,  # type: ignore[attr-defined]
        "message": "what is wrong; what to do",
        "retryable": kind.retryable,  # type: ignore[attr-defined]
        "details": {"field": "x"},
    }


def test_an_unreadable_reply_shows_what_was_wrong_with_it() -> None:
    error = ReplyUnreadableError("no point; look at the log", rejection="bad_point")
    assert describe_error(error)["code"] == "parser.bad_point"


def test_an_error_that_is_not_ours_keeps_its_words_to_itself() -> None:
    body = describe_error(ValueError("/home/me/.ssh/id"))
    assert body["code"] == "server.error"
    assert "ssh" not in str(body)


def test_the_table_in_the_docs_is_the_one_that_the_classes_give() -> None:
    written = (DOCS / "errors.md").read_text(encoding="utf-8")
    assert written == render_error_table(), "python -m server.http.error_table > docs/errors.md"


def test_every_code_has_a_meaning_and_a_remedy() -> None:
    bare = [row.code for row in error_rows() if not (row.meaning and row.remedy)]
    assert bare == [], "write them into server/http/error_table.py"


def test_the_table_explains_no_code_that_is_gone() -> None:
    codes = {row.code for row in error_rows()}
    assert (set(REMEDIES) | set(MEANINGS)) - codes == set()

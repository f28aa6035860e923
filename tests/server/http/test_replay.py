"""A session's replies are read again over HTTP."""

from __future__ import annotations

from tests.server.http.conftest import CLICK, Start, a_png


def test_replies_that_are_read_as_then_are_counted(start: Start) -> None:
    service = start([CLICK])
    session_id = service.client.get_session({"task": "tap"})
    service.raw.post(f"/v1/sessions/{session_id}/steps", files={"screenshot": a_png()})
    answer = service.raw.get(f"/v1/sessions/{session_id}/replay")
    assert answer.json() == {
        "session_id": session_id, "same": 1, "changed": 0, "not_read": 0, "replies": [],
    }  # fmt: skip


def test_a_session_that_is_not_there_is_told(start: Start) -> None:
    service = start()
    nowhere = "/v1/sessions/11111111-1111-4111-8111-111111111111/replay"
    assert service.error_of(service.raw.get(nowhere)) == (404, "session.not_found")

"""`DELETE /v1/sessions/{id}` really deletes, and is told to nobody but the one who asked."""

from __future__ import annotations

import pytest

from server.errors import SessionNotFoundError
from tests.server.http.conftest import Service, a_png


def test_a_deleted_session_is_gone_from_every_address_and_from_the_disk(shared: Service) -> None:
    session_id = shared.client.get_session({"task": "a task"})
    form = {"screenshot": ("s.png", a_png(), "image/png")}
    assert shared.raw.post(f"/v1/sessions/{session_id}/steps", files=form).status_code == 200
    address = f"/v1/sessions/{session_id}"
    assert shared.stranger.delete(address).status_code == 401
    done = shared.raw.delete(address)
    assert (done.status_code, done.content) == (204, b"")
    for path in (address, f"{address}/steps", f"{address}/events", f"{address}/steps/1/image"):
        assert shared.error_of(shared.raw.get(path)) == (404, "session.not_found")
    assert shared.error_of(shared.raw.delete(address)) == (404, "session.not_found")
    assert session_id not in shared.raw.get("/v1/sessions").text
    folders = (shared.settings.log_dir, shared.settings.image_dir)
    left = [path for folder in folders for path in folder.rglob("*") if session_id in str(path)]
    assert left == []


def test_an_id_that_is_none_of_ours_deletes_nothing(shared: Service) -> None:
    for odd in ("x", "..%2f..%2fetc", "%00", "a" * 5000):
        assert shared.raw.delete(f"/v1/sessions/{odd}").status_code in (404, 422)


def test_the_client_deletes_and_the_storage_tells_of_less(shared: Service) -> None:
    session_id = shared.client.get_session({"task": "a task"})
    before = shared.raw.get("/v1/storage").json()
    assert before["sessions"] >= 1 and before["bytes"] > 0
    assert (before["keep_days"], before["keep_bytes"]) == (None, None)
    shared.client.delete_session(session_id)
    after = shared.raw.get("/v1/storage").json()
    assert after["sessions"] == before["sessions"] - 1
    assert after["bytes"] < before["bytes"]
    with pytest.raises(SessionNotFoundError):
        shared.client.delete_session(session_id)

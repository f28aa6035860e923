"""A session leaves the service as a file."""

from __future__ import annotations

import io
import zipfile

from PIL import Image

from tests.server.http.conftest import CLICK, Start, a_png


def test_a_session_is_downloaded_as_one_file(start: Start) -> None:
    service = start([CLICK])
    session_id = service.client.get_session({"task": "mail ann@example.com"})
    service.raw.post(f"/v1/sessions/{session_id}/steps", files={"screenshot": a_png()})
    address = f"/v1/sessions/{session_id}/export"
    answer = service.raw.get(address, params={"format": "webp"})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="{session_id}.webp"'
    with Image.open(io.BytesIO(answer.content)) as film:
        assert film.format == "WEBP"


def test_several_files_come_as_a_zip_without_what_is_private(start: Start) -> None:
    service = start([CLICK])
    session_id = service.client.get_session({"task": "mail ann@example.com"})
    service.raw.post(f"/v1/sessions/{session_id}/steps", files={"screenshot": a_png()})
    address = f"/v1/sessions/{session_id}/export"
    answer = service.raw.get(address, params={"format": "sft"})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        samples = archive.read("train.jsonl")
    assert {"train.jsonl", "dataset_info.json"} < set(names)
    assert b"ann@example.com" not in samples
    assert b"[email]" in samples
    whole = service.raw.get(address, params={"format": "sft", "redact": "false"})
    with zipfile.ZipFile(io.BytesIO(whole.content)) as archive:
        assert b"ann@example.com" in archive.read("train.jsonl")


def test_what_cannot_be_exported_says_why(start: Start) -> None:
    service = start([CLICK])
    session_id = service.client.get_session({"task": "tap"})
    address = f"/v1/sessions/{session_id}/export"
    unknown = service.raw.get(address, params={"format": "betamax"})
    assert service.error_of(unknown) == (422, "request.invalid")
    empty = service.raw.get(address, params={"format": "adb"})
    assert service.error_of(empty) == (422, "export.not_possible")
    nowhere = "/v1/sessions/11111111-1111-4111-8111-111111111111/export"
    assert service.error_of(service.raw.get(nowhere)) == (404, "session.not_found")

"""Pictures are data: whatever they are, they open nothing, call nobody, and cost little."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.errors import ImageError, ImageTooLargeError
from server.images import check_screenshot
from tests.server.closed.image_cost import (
    claimed_webp,
    dear_pictures,
    many_scans,
    measure,
    png_of,
    text_bomb,
)
from tests.server.http.conftest import CLICK, Start, a_png

CASES = int(os.environ.get("LOCALSERVER_IMAGE_FUZZ_CASES", "3000"))
LIMIT_MB, LIMIT_CPU_S = 150.0, 1.0


def test_mutated_pictures_open_nothing_and_call_nobody() -> None:
    """100,000 by `make fuzz-images`."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.server.closed.image_fuzz", "--cases", str(CASES)],
        capture_output=True, text=True, encoding="utf-8", cwd=Path(__file__).parents[3],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["connects"] == []
    assert found["opened_outside"] == []
    assert found["slowest_s"] < LIMIT_CPU_S
    outcomes = found["outcomes"]
    codes = {outcome.split()[-1] for outcome in outcomes}
    assert codes <= {
        "taken", "image.invalid", "image.too_large", "image.source_not_allowed",
        "session.not_found",
    }  # fmt: skip
    assert outcomes["taken"] > CASES / 50, "the mutations never reach the decoder"
    assert outcomes["image.invalid"] > CASES / 2
    assert "id taken" not in outcomes


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's account of a process")
@pytest.mark.parametrize("name", ["rgba png, noise, small", "rgb png of 10 MB, as it is"])
def test_the_dearest_pictures_cost_little_memory_and_time(name: str, tmp_path: Path) -> None:
    """All of them by `make image-cost`."""
    [(make, size)] = [(make, size) for known, make, size in dear_pictures() if known == name]
    cost = measure(make(), size, tmp_path)
    assert cost["outcome"].startswith("sent")
    assert cost["added_mb"] <= LIMIT_MB
    assert cost["cpu_s"] <= LIMIT_CPU_S


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: png_of(13370, 13370), ImageTooLargeError),
        (lambda: png_of(178_000_000, 1), ImageTooLargeError),
        (lambda: png_of(16_385, 1), ImageTooLargeError),
        (claimed_webp, ImageTooLargeError),
        (text_bomb, ImageError),
        (lambda: many_scans(17), ImageError),
    ],
)
def test_a_bomb_is_refused_by_its_header(make: object, error: type[Exception]) -> None:
    assert callable(make)
    with pytest.raises(error):
        check_screenshot(make(), 10_000_000, 8_500_000)


def test_a_path_on_the_server_is_read_only_where_the_operator_allows_it(
    start: Start, tmp_path: Path
) -> None:
    picture = tmp_path / "screen.png"
    picture.write_bytes(a_png())
    part = {"type": "image_url", "image_url": {"url": str(picture)}}

    def code_of(**settings: bool) -> str:
        service = start(lambda request: CLICK, log_dir=tmp_path / str(settings), **settings)
        session_id = service.client.get_session({"task": "x"})
        body = {"session_id": session_id, "observation": {"screenshot": part}}
        answer = service.raw.post("/automate_step", json=body)
        service.close()
        return "taken" if answer.is_success else service.error_of(answer)[1]

    assert code_of() == "image.source_not_allowed"
    assert code_of(allow_image_file=True) == "taken"


@pytest.mark.parametrize(
    "switch", ["allow_image_file", "allow_image_url", "api_base", "api_key", "require_token"]
)
def test_no_request_switches_on_what_is_the_operators(
    start: Start, tmp_path: Path, switch: str
) -> None:
    service = start()
    for place in ({switch: True}, {"model_config": {switch: "x"}}):
        opened = service.raw.post("/get_session", json={"task": "x", **place})
        if not opened.is_success:
            continue
        part = {"type": "image_url", "image_url": {"url": str(tmp_path / "x.png")}}
        body = {"session_id": opened.json()["session_id"], "observation": {"screenshot": part}}
        answer = service.raw.post("/automate_step", json={**body, switch: True})
        assert service.error_of(answer)[0] == 422
        assert service.model.requests == []


def test_json_of_very_many_values_is_refused(start: Start) -> None:
    body = b'{"task": "x", "extra_info": {"x": [' + b"{}," * 1_000_001 + b"{}]}}"
    service = start()
    answer = service.raw.post(
        "/get_session", content=body, headers={"content-type": "application/json"}
    )
    assert service.error_of(answer) == (422, "request.invalid")

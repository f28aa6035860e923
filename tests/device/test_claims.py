"""Two processes never drive one phone: the system drops a claim with the process that has it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.claims import ForeignClaim, PhoneClaims

OTHER = """
import sys
from pathlib import Path
from device.claims import PhoneClaims
found = PhoneClaims(Path(sys.argv[1])).take(sys.argv[2], "bench 3", "2026-11-30T23:00:00.000Z")
print(found, flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def other_process(state_dir: Path, serial: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that asked for the phone, and keeps what it got."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(state_dir), serial],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_phone_of_another_process_is_not_had_and_its_holder_is_told(tmp_path: Path) -> None:
    claims = PhoneClaims(tmp_path)
    theirs = ForeignClaim("bench 3", "2026-11-30T23:00:00.000Z")
    with other_process(tmp_path, "S1") as process:
        assert said(process) == "None"
        assert (claims.foreign("S1"), claims.foreign("S2")) == (theirs, None)
        assert claims.take("S1", "me") == theirs
        assert claims.take("S2", "me") is None
    # It was killed, and could not tidy up.
    assert (claims.foreign("S1"), claims.take("S1", "me")) == (None, None)


def test_what_is_held_here_others_do_not_get_until_it_is_released(tmp_path: Path) -> None:
    claims = PhoneClaims(tmp_path)
    assert claims.take("S1", "task 7") is None
    assert claims.take("S1", "task 7 again") is None
    with other_process(tmp_path, "S1") as process:
        assert said(process) == f"{ForeignClaim('task 7 again')}"
    claims.release("S1")
    claims.release("S1")
    with other_process(tmp_path, "S1") as process:
        assert said(process) == "None"


def test_a_folder_that_cannot_be_written_keeps_nobody_from_a_phone(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("in the way", encoding="utf-8")
    claims = PhoneClaims(tmp_path)
    assert (claims.take("S1", "me"), claims.foreign("S1")) == (None, None)
    claims.release("S1")


@pytest.mark.parametrize("serial", ["../../etc", "a b:1", "手机"])
def test_any_serial_has_its_file_in_the_folder(tmp_path: Path, serial: str) -> None:
    PhoneClaims(tmp_path).take(serial, "me")
    assert {path.parent for path in tmp_path.rglob("*.*")} == {tmp_path / "claims"}

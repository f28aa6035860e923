"""`localserver verify`, `repair`, `delete`: exit codes and what they print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from server.commands.records import delete_command, format_size, repair_command, verify_command
from server.commands.sessions import show_command
from server.local_server import LocalServer
from tests.crash.child import CONFIGS
from tests.server.records.conftest import Start
from tests.server.records.house import take_step


@pytest.fixture
def folder(start: Start, tmp_path: Path) -> Path:
    """A log folder as `--log-dir` names it, with two sessions; pictures are inside it."""
    settings = {"log_dir": tmp_path / "logs", "image_dir": tmp_path / "logs" / "images"}
    server: LocalServer = start(**settings)
    for steps in (2, 3):
        session_id = server.get_session({"task": "t"})
        for number in range(1, steps + 1):
            take_step(server, session_id, number)
    server.close()
    return tmp_path / "logs"


def log_with_steps(folder: Path, steps: int) -> Path:
    logs = [path for path in folder.glob("*.jsonl") if ".events." not in path.name]
    return next(path for path in logs if path.read_bytes().count(b"\n") == steps + 1)


def verify(
    folder: Path, session: str | None, *, everything: bool = False, as_json: bool = True
) -> int:
    return verify_command(
        session, everything=everything, log_dir=folder, config_dir=CONFIGS, as_json=as_json
    )


def test_all_sound_sessions_are_verified_with_exit_0(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(folder, None, everything=True) == 0
    verdicts = json.loads(capsys.readouterr().out)
    assert sorted((one["steps"], one["sound"]) for one in verdicts) == [(2, True), (3, True)]
    assert verify(folder, None, everything=True, as_json=False) == 0
    assert "2 session(s)" in capsys.readouterr().out


def test_one_session_or_all_must_be_named(folder: Path) -> None:
    assert verify(folder, None) == 2
    assert verify(folder, "abc", everything=True) == 2


def test_a_damaged_session_is_told_with_the_command_that_mends_it_and_mended(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log_with_steps(folder, 3)
    path.write_bytes(path.read_bytes().replace(b'"step":2', b'"step":7'))
    assert verify(folder, path.stem[:8], as_json=False) == 1
    said = capsys.readouterr().out
    assert "log_broken: the log is broken at line 3" in said
    assert f"localserver repair {path.stem[:8]}" in said
    common = {"log_dir": folder, "config_dir": CONFIGS}
    assert repair_command(path.stem[:8], as_json=True, **common) == 0  # type: ignore[arg-type]
    done = json.loads(capsys.readouterr().out)
    assert (done["repair"]["steps"], done["verdict"]["sound"]) == (1, True)
    assert (folder / done["repair"]["kept_as"][0]).read_bytes().count(b"\n") == 4


def test_a_damaged_session_is_shown_with_a_warning_and_the_numbers_of_its_own_steps(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log_with_steps(folder, 3)
    path.write_bytes(path.read_bytes().replace(b'"step":2', b'"step":7'))

    def show(*, as_json: bool) -> tuple[str, str]:
        where = {"log_dir": folder, "config_dir": CONFIGS, "sheet": None}
        assert show_command(path.stem, as_json=as_json, **where) == 0  # type: ignore[arg-type]
        said = capsys.readouterr()
        return said.out, said.err

    out, err = show(as_json=True)
    assert [step["step"] for step in json.loads(out)["steps"]] == [1, 3]
    assert "session.damaged: the log is damaged at line 3" in err
    assert f"localserver repair {path.stem[:8]}" in err
    out, _ = show(as_json=False)
    assert re.findall(r"^ +(\d+) ", out, re.M) == ["1", "3"]


def test_a_session_whose_first_line_is_damaged_can_still_be_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = log_with_steps(folder, 2)
    path.write_bytes(b"x" + path.read_bytes())
    assert verify(folder, path.stem[:8]) == 1
    deleted = delete_command(path.stem[:8], yes=True, log_dir=folder, config_dir=CONFIGS)
    assert deleted == 0
    assert [one for one in folder.rglob("*") if path.stem in str(one)] == []
    assert "free again" in capsys.readouterr().out


def test_an_unknown_session_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(folder, "zzz") == 2
    assert "session.not_found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "text"),
    [(7, "7 bytes"), (2048, "2.0 KiB"), (5 << 20, "5.0 MiB"), (3 << 30, "3.0 GiB")],
)
def test_sizes_are_for_people(size: int, text: str) -> None:
    assert format_size(size) == text

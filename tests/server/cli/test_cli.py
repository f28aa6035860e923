"""The command line: it teaches, it answers at once, it mends typing mistakes."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMANDS = [
    "demo", "run", "serve", "devices", "doctor", "sessions", "show", "phone", "model",
    "verify", "repair", "delete", "replay", "record-test", "import",
    "connect", "pair", "disconnect", "keyboard", "task",
]  # fmt: skip
HEAVY = {"fastapi", "openai", "PIL", "pydantic", "adbutils", "smart_open", "numpy", "onnxruntime"}


def localserver(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


def test_help_lists_every_command_with_a_whole_sentence() -> None:
    done = localserver("--help")
    assert done.returncode == 0
    assert [name for name in COMMANDS if f"\n  {name} " not in done.stdout] == []
    assert "..." not in done.stdout.split("Commands:")[1]


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from server.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    app(['--help'], standalone_mode=False)\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself_and_its_options(command: str) -> None:
    done = localserver(command, "--help")
    assert done.returncode == 0
    assert "Usage: " in done.stdout and command in done.stdout
    assert done.stdout.count("--") >= 1


def test_a_wrong_option_suggests_the_right_one() -> None:
    done = localserver("run", "a task", "--seriel", "x")
    assert done.returncode == 2
    assert "--serial" in done.stderr


def test_an_empty_task_is_refused_before_a_phone_is_looked_for() -> None:
    done = localserver("run", "  ")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the task is empty; say what is to be done" in done.stderr


def test_a_wrong_command_suggests_the_right_one() -> None:
    done = localserver("sesions")
    assert done.returncode == 2
    assert "sessions" in done.stderr

"""Generated texts through typing and launching, read by a real `sh`: none runs, none changes.

`python -m tests.device.shell_values --values 1000000` (`make shell-values`).
"""

from __future__ import annotations

import argparse
import base64
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from device.errors import CommandMissingError
from device.keyboards import KNOWN_KEYBOARDS, Keyboards, KeyboardStore
from device.launching import launch
from device.protocol import App
from device.quoting import ShellCommand
from device.text_input import is_typed_by_keys, plan_key_commands, split_chunks
from device.transport import DEFAULT_TIMEOUT_S, CommandResult, Transport

BATCH = 4000
SHELL = "/bin/sh"
HELPER = KNOWN_KEYBOARDS[-1]
FRAGMENTS = (
    "x';id>F;'", "'$(id>F)'", "';touch${IFS}F;'", "$(>F)", ";>F", "&>F", "`>F`", "|>F", "\n>F\n",
    "' ;>F; '", "\\';>F;\\'", '";>F;"', "$((1+1))", "${IFS}", "$0", "$$", "don't", "%s", "% s",
    " && ", " || ", "<<E\n", "# ", "~/", "*", "?", "[a-z]", "{a,b}", "!!", "--", "-n", "\\", "\\n",
    "😀", "שלום", "你好", "\r", "\t", "\x7f", "\x01", "\x81", "\u2028", "\ufeff", "＇", "；",
)  # fmt: skip
ALPHABETS = (range(0x20, 0x7F), range(0x21, 0x30), range(1, 0x800), range(0x4E00, 0x9FFF),
             range(0x1F300, 0x1FAFF))  # fmt: skip
FUNCTIONS = "PATH=\nfor_each() { printf '%s\\0' \"$@\"; }\n" + "".join(
    f'{name}() {{ for_each {name} "$#" "$@"; }}\n' for name in ("input", "am", "cmd", "monkey")
)
Call = list[str]
Plan = Callable[[str], list[ShellCommand]]


class Recorder(Transport):
    """Keeps the commands; the phone has no `cmd package`, and each app comes to the front."""

    def __init__(self) -> None:
        self.commands: list[ShellCommand] = []

    def run(
        self,
        command: ShellCommand,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        shown: str = "",
    ) -> CommandResult:
        self.commands.append(command)
        return CommandResult(b"Broadcast completed: result=0\nEvents injected: 1\n", b"", 0)

    def read(self, command: ShellCommand, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> CommandResult:
        self.commands.append(command)
        raise CommandMissingError("this phone has no such command; use another")


def commands_for(value: str) -> list[ShellCommand]:
    """All that LocalServer sends to type a value and to open an app of that name."""
    recorder = Recorder()
    if is_typed_by_keys(value):
        recorder.commands += plan_key_commands(value)
    else:
        keyboards = Keyboards(recorder, KeyboardStore(Path("never-made")))
        for chunk in split_chunks(value):
            keyboards.commit(HELPER, base64.b64encode(chunk.encode()).decode())
    launch(recorder, value, lambda: App(value))
    return recorder.commands


def make_values(count: int, seed: int) -> Iterator[str]:
    """Texts of up to about 60 characters: shell syntax, quotes, controls, any script."""
    chance = random.Random(seed)
    for _ in range(count):
        alphabet = chance.choice(ALPHABETS)
        parts = [
            chance.choice(FRAGMENTS) if chance.random() < 0.4 else chr(chance.choice(alphabet))
            for _ in range(chance.randrange(12))
        ]
        yield "".join(parts)


def typed_by(words: Call) -> str:
    """What the words after `input` type (AOSP InputShellCommand)."""
    words = words[2:] if words[0] == "-d" else words
    if words[0] == "keyevent":
        assert words == ["keyevent", "66"]
        return "\n"
    assert words[0] == "text"
    assert len(words) == 2
    typed: list[str] = []
    escaped = False
    for character in words[1]:
        if escaped and character == "s":
            typed[-1] = " "
            escaped = False
            continue
        escaped = character == "%"
        typed.append(character)
    return "".join(typed)


def understood_from(calls: list[Call]) -> tuple[str, list[str]]:
    """The text that calls type, and the names of the apps that they open."""
    typed = ""
    names: list[str] = []
    for program, *words in calls:
        if program == "input":
            typed += typed_by(words)
        elif program == "am":
            extra = ["--es", HELPER.text_extra]
            begin = ["broadcast", "-a", HELPER.input_action, "-p", HELPER.package, *extra]
            assert words[:-1] == begin
            typed += base64.b64decode(words[-1], validate=True).decode()
        elif program == "cmd":
            assert (words[:3], len(words)) == (["package", "resolve-activity", "--brief"], 8)
            names.append(words[-1])
        else:
            assert (program, words[2], len(words)) == ("monkey", "-p", 7)
            names.append(words[3])
    return typed, names


def check_values(values: list[str], plan: Plan = commands_for) -> None:
    """Let one real shell read the commands of some values.

    Raises:
        AssertionError: Something ran, or a value is not what arrived.
    """
    lines = [FUNCTIONS]
    for value in values:
        lines += plan(value)
        lines.append("for_each end 0")
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile() as program:
        program.write("\n".join(lines).encode())
        program.flush()
        shell = [SHELL, program.name]
        run = subprocess.run(shell, cwd=folder, capture_output=True, check=False, timeout=300)
        assert (run.returncode, run.stderr) == (0, b""), run.stderr[:500]
        assert list(Path(folder).iterdir()) == [], "a value was executed"
    arrived = iter(run.stdout.decode().split("\0"))
    for value in values:
        calls: list[Call] = []
        while (name := next(arrived)) != "end":
            calls.append([name, *(next(arrived) for _ in range(int(next(arrived))))])
        assert next(arrived) == "0"
        assert understood_from(calls) == (value, [value, value])
    assert list(arrived) == [""]


def check_generated(count: int, seed: int) -> int:
    """Check many values, some thousands for each shell.

    Returns:
        How many different ones there were.
    """
    different: set[int] = set()
    for batch, start in enumerate(range(0, count, BATCH)):
        values = list(make_values(min(BATCH, count - start), seed * 1_000_003 + batch))
        check_values(values)
        different.update(map(hash, values))
    return len(different)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--values", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=2026)
    given = options.parse_args()
    different = check_generated(given.values, given.seed)
    print(f"{given.values} values ({different} different): 0 executions, 0 altered characters")


if __name__ == "__main__":
    main()

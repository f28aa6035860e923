"""Every text reaches the phone's shell as one word, unchanged: tried with a real shell."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.errors import BadArgumentError
from device.quoting import command, join, quote, script

HOSTILE = [
    "x';id>F;'",
    "'$(id>F)'",
    "';touch${IFS}F;'",
    "$(id>F)",
    "a;id>F",
    "a&id>F",
    "`id`",
    "don't",
    "it's 100%s sure",
    "$5",
    "a_b",
    "-n",
    "--",
    "",
    " ",
    "*",
    "~",
    "#x",
    "a\nb",
    "a\tb",
    "\\",
    '"',
    "!",
    "{a,b}",
    "[a-z]",
    "=",
    "😀 שלום 你好",
    "\r",
    "\x7f\x01",
]
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


def words_that_a_shell_reads(line: str) -> list[str]:
    """What a real POSIX shell makes of a command line, word by word."""
    shell = shutil.which("sh")
    assert shell is not None, "these tests need a POSIX shell"
    program = f'set -- {line}\nfor word; do printf "%s\\0" "$word"; done'
    run = subprocess.run([shell, "-c", program], capture_output=True, check=True, timeout=20)
    assert run.stderr == b""
    return run.stdout.decode().split("\0")[:-1]


def test_hostile_texts_arrive_as_they_are() -> None:
    assert words_that_a_shell_reads(command(*HOSTILE)) == HOSTILE


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=50))
def test_any_texts_arrive_as_they_are(texts: list[str]) -> None:
    assert words_that_a_shell_reads(command(*texts)) == texts


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "x\udcff"])
def test_what_cannot_be_an_argument_is_refused(text: str) -> None:
    with pytest.raises(BadArgumentError):
        quote(text)


def test_plain_words_stay_readable() -> None:
    line = command("input", "-d", 2, "tap", 540, 1200)
    assert line == "input -d 2 tap 540 1200"
    assert join([line, script("id | wc -c")]) == "input -d 2 tap 540 1200; id | wc -c"

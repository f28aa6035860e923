"""The shell reads command lines as a real one does."""

from __future__ import annotations

import asyncio
import shlex
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.virtual_phone.shell.lexer import ShellSyntaxError
from device.virtual_phone.shell.parser import Script, parse_script

SH = "/system/bin/sh: "


@pytest.mark.parametrize(
    ("line", "out", "status"),
    [
        ("echo a   b", "a b\n", 0),
        ("echo 'a   b' \"c  d\" e\\ f", "a   b c  d e f\n", 0),
        ("echo ''", "\n", 0),
        ('echo "it\'s" \'say "x"\'', 'it\'s say "x"\n', 0),
        ("false; echo $?", "1\n", 0),
        ("false && echo no || echo yes", "yes\n", 0),
        ("true || echo no; echo end", "end\n", 0),
        ("! true; echo $?", "1\n", 0),
        ("exit 7; echo never", "", 7),
        ("(exit 3); echo $?", "3\n", 0),
        ("X=5; echo $X ${X} ${X:-no} ${Y:-no} ${#X}", "5 5 5 no 1\n", 0),
        ("X=9 sh -c 'echo $X'; echo [$X]", "9\n[]\n", 0),
        ("P=/a/b.tar; echo ${P##*/} ${P%.*}", "b.tar /a/b\n", 0),
        ("echo $(echo a; echo b) \"$(printf 'c\\n\\n')\"", "a b c\n", 0),
        ("echo `echo \\`echo in\\``", "in\n", 0),
        ("echo $((2 + 3 * 4)) $(( (2+3)*4 % 7 ))", "14 6\n", 0),
        ("echo a | tr a b | cat", "b\n", 0),
        ("false | true; echo $?", "0\n", 0),
        ("(echo a | cat; echo b) | cat", "a\nb\n", 0),
        ("{ echo a; echo b; } | wc -l", "2\n", 0),
        ("for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; done", "1\n3\n", 0),
        ("i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i", "3\n", 0),
        ("if [ -d /sdcard ]; then echo d; elif true; then echo e; else echo f; fi", "d\n", 0),
        ("echo one > /sdcard/f; echo two >> /sdcard/f; cat < /sdcard/f", "one\ntwo\n", 0),
        ("nosuch 2>/dev/null || echo rc $?", "rc 127\n", 0),
        ("nosuch 2>&1 | grep -c inaccessible", "1\n", 0),
        ("cd /sdcard && pwd", "/sdcard\n", 0),
        (
            "touch /sdcard/a.x /sdcard/b.x; cd /sdcard; echo *.x '*.x' *.nope",
            "a.x b.x *.x *.nope\n",
            0,
        ),
        ("sh -c 'echo $0 $1 $#' name arg", "name arg 1\n", 0),
        ("echo 'echo $1' > /sdcard/s; sh /sdcard/s hi", "hi\n", 0),
        ("echo hi # a comment", "hi\n", 0),
        ("echo 'a;b|c&d>e'", "a;b|c&d>e\n", 0),
        ('echo "$HOME:$USER"', "/:shell\n", 0),
        ("exec echo last; echo never", "last\n", 0),
        ("yes | head -n 2", "y\ny\n", 0),
    ],
)
async def test_a_command_line_prints_what_a_posix_shell_prints(
    run: Any, line: str, out: str, status: int
) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == (out, "", status)


@pytest.mark.parametrize(
    ("line", "err", "status"),
    [
        ("foo", SH + "foo: inaccessible or not found\n", 127),
        ("/data/local/tmp/x", SH + "/data/local/tmp/x: inaccessible or not found\n", 127),
        ("echo a > /system/x", SH + "can't create /system/x: Read-only file system\n", 1),
        ("echo a > /data/x", SH + "can't create /data/x: Permission denied\n", 1),
        ("cat < /nope", SH + "can't open /nope: No such file or directory\n", 1),
        ("echo 'a", SH + "no closing quote\n", 1),
        ("echo (", SH + "syntax error: unexpected '('\n", 1),
        ("| cat", SH + "syntax error: unexpected '|'\n", 1),
        ("echo > ", SH + "syntax error: unexpected EOF\n", 1),
        ("echo a > /data/local/tmp/s; /data/local/tmp/s",
         SH + "/data/local/tmp/s: can't execute: Permission denied\n", 126),
        ("echo $((1/0))", SH + "zero divisor\n", 1),
    ],
)  # fmt: skip
async def test_a_mistake_is_told_in_the_shell_s_own_words(
    run: Any, line: str, err: str, status: int
) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == ("", err, status)


async def test_an_old_phone_says_not_found(run_on_profile: Any) -> None:
    from device.virtual_phone.profile import Profile

    result = await run_on_profile(Profile(sdk=26, release="8.0.0"), "foo")
    assert (result.err, result.status) == (SH + "foo: not found\n", 127)


async def test_a_background_job_can_be_killed_by_its_pid(run: Any) -> None:
    result = await run("sleep 60 & kill $!; wait; echo done")
    assert (result.out, result.status) == ("done\n", 0)


async def test_a_killed_command_reports_137(system: Any, run: Any) -> None:
    waiting = asyncio.create_task(run("sleep 60; echo rc $?"))
    while not any(name == "sleep" for _, _, name in system.process_rows()):
        await asyncio.sleep(0.001)
    assert (await run("kill $(pidof sleep)")).status == 0
    result = await waiting
    assert (result.out, result.err) == ("rc 137\n", "Killed \n")


async def test_timeout_ends_a_command(run: Any) -> None:
    started_s = time.monotonic()
    assert (await run("timeout 0.1 sleep 30")).status == 124
    assert time.monotonic() - started_s < 5


async def test_an_endless_loop_can_be_cancelled(run: Any) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await run("while true; do :; done")


async def test_nesting_has_a_limit(run: Any) -> None:
    deep = "(" * 500 + "echo x" + ")" * 500
    assert "nested too deep" in (await run(deep)).err
    recursive = "echo 'sh /sdcard/r' > /sdcard/r; sh /sdcard/r"
    assert "nested too deep" in (await run(recursive)).err


async def test_the_disk_has_a_limit(system: Any, run: Any) -> None:
    system.fs.capacity_bytes = 100_000
    result = await run("dd if=/dev/zero of=/sdcard/big bs=1024 count=500")
    assert result.status != 0
    assert "No space left on device" in result.err
    assert system.fs.used_bytes <= 100_000


_WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@settings(max_examples=300, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(words=st.lists(_WORDS, min_size=1, max_size=5))
async def test_quoted_words_arrive_unchanged(run: Any, words: list[str]) -> None:
    line = "printf '%s\\n' " + " ".join(shlex.quote(word) for word in words)
    result = await run(line)
    assert (result.out, result.err) == ("".join(word + "\n" for word in words), "")


_PIECES = [*"ab01 \t\n'\"\\$`(){}[]<>|&;#*?!=+-/~:%", "if ", "then ", "do ", "fi ", "$(", "${"]
_SHELL_LIKE = st.lists(st.sampled_from(_PIECES), max_size=60).map("".join)


@settings(max_examples=500, deadline=None)
@given(line=_SHELL_LIKE)
def test_any_line_is_a_script_or_a_syntax_error(line: str) -> None:
    try:
        script = parse_script(line)
    except ShellSyntaxError as error:
        assert str(error)
    else:
        assert isinstance(script, Script)


_COMMANDS = st.sampled_from(
    ["echo", "cat", "grep", "sed", "cut", "tr", "sort", "head", "tail", "input", "am", "pm", "wm",
     "ime", "settings", "dumpsys", "cmd", "ls", "rm", "stat", "expr", "printf", "seq", "test",
     "base64", "xargs", "content", "screencap -d", "monkey", "svc", "date", "find", "kill", "dd"]
)  # fmt: skip
_ARGUMENTS = st.text(st.sampled_from("ab09 -/%$'\"\\[]()*.,:=²٣\n"), max_size=10)


@settings(max_examples=300, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(command=_COMMANDS, arguments=st.lists(_ARGUMENTS, max_size=4))
async def test_no_argument_breaks_a_command(run: Any, command: str, arguments: list[str]) -> None:
    line = " ".join([command, *(shlex.quote(argument) for argument in arguments)])
    result = await run("timeout 1 " + line, b"input\n")
    assert 0 <= result.status <= 255
    assert "Aborted" not in result.err

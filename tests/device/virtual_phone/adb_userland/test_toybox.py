"""Small commands give what toybox gives."""

from __future__ import annotations

from typing import Any

import pytest

MD5 = "9a630ca9bcad1d522e69e6f324010966"
TEXT = b"gamma\nalpha\nbeta\nalpha\n"


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("cat", "gamma\nalpha\nbeta\nalpha\n"),
        ("head -n 1", "gamma\n"),
        ("head -2", "gamma\nalpha\n"),
        ("head -c 3", "gam"),
        ("tail -n 1", "alpha\n"),
        ("tail -n +3", "beta\nalpha\n"),
        ("wc -l", "4\n"),
        ("wc", "4 4 23\n"),
        ("sort", "alpha\nalpha\nbeta\ngamma\n"),
        ("sort -ru", "gamma\nbeta\nalpha\n"),
        ("sort | uniq -c", "      2 alpha\n      1 beta\n      1 gamma\n"),
        ("grep alpha", "alpha\nalpha\n"),
        ("grep -n ^b", "3:beta\n"),
        ("grep -vc alpha", "2\n"),
        ("grep -o 'a$' | wc -l", "4\n"),
        ("grep -E 'be|ga'", "gamma\nbeta\n"),
        ("grep -iA1 BETA", "beta\nalpha\n"),
        ("grep 'g\\(am\\)\\{1\\}ma'", "gamma\n"),
        ("sed -n '2,3p'", "alpha\nbeta\n"),
        ("sed 's/a/A/g;1d'", "AlphA\nbetA\nAlphA\n"),
        ("sed -n 's/^al\\(.*\\)$/<\\1>/p'", "<pha>\n<pha>\n"),
        ("cut -c1-2", "ga\nal\nbe\nal\n"),
        ("tr a-z A-Z | head -1", "GAMMA\n"),
        ("tr -d '\\n'", "gammaalphabetaalpha"),
        ("base64", "Z2FtbWEKYWxwaGEKYmV0YQphbHBoYQo=\n"),
        ("base64 | base64 -d", "gamma\nalpha\nbeta\nalpha\n"),
        ("gzip -1 | gunzip", "gamma\nalpha\nbeta\nalpha\n"),
        ("md5sum", MD5 + "  -\n"),
        ("tee /sdcard/t | wc -c; cat /sdcard/t | wc -l", "23\n4\n"),
        ("xargs -n 2 echo", "gamma alpha\nbeta alpha\n"),
        ("tac | head -n 1", "alpha\n"),
        ("xxd -l 4", "00000000: 6761 6d6d                                gamm\n"),
    ],
)
async def test_text_commands(run: Any, line: str, out: str) -> None:
    result = await run(line, TEXT)
    assert (result.out, result.err, result.status) == (out, "", 0)


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("echo a:b:c | cut -d: -f2,3", "b:c\n"),
        ("seq 3", "1\n2\n3\n"),
        ("seq 10 -4 1", "10\n6\n2\n"),
        ("expr 3 + 4", "7\n"),
        ("expr 7 \\* 6", "42\n"),
        ("printf '%s=%d;' a 1 b 2", "a=1;b=2;"),
        ("printf '%5d|%-3s|%x\\n' 7 a 255", "    7|a  |ff\n"),
        ("basename /a/b.c .c; dirname /a/b.c", "b\n/a\n"),
        ("dd if=/dev/zero bs=10 count=3 2>/dev/null | wc -c", "30\n"),
        ("id -u; whoami; uname -m", "2000\nshell\naarch64\n"),
        ("which screencap", "/system/bin/screencap\n"),
        ("toybox echo hi", "hi\n"),
        ("/system/bin/echo hi", "hi\n"),
        ("env A=1 sh -c 'echo $A'", "1\n"),
        ("echo -n a; echo -e 'b\\tc'", "ab\tc\n"),
        ("test 2 -gt 1 && [ -n x ] && [ ! -e /nope ] && echo ok", "ok\n"),
    ],
)
async def test_other_commands(run: Any, line: str, out: str) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == (out, "", 0)


async def test_files_are_made_moved_copied_and_removed(run: Any) -> None:
    result = await run(
        "cd /sdcard; mkdir -p d/e; echo hi > d/e/f; cp -r d g; mv g/e/f h; cat h; ls d g; "
        "ls g/e; stat -c '%n %s %F' h; rm -r d g; ls -d d 2>&1; find /sdcard -name h"
    )
    assert result.out == (
        "hi\nd:\ne\ng:\ne\nh 3 regular file\nls: d: No such file or directory\n/sdcard/h\n"
    )


@pytest.mark.parametrize(
    ("line", "err", "status"),
    [
        ("cat /sdcard/no", "cat: /sdcard/no: No such file or directory\n", 1),
        ("ls /nope", "ls: /nope: No such file or directory\n", 1),
        ("rm /sdcard/no", "rm: /sdcard/no: No such file or directory\n", 1),
        ("rm -f /sdcard/no", "", 0),
        ("rm /sdcard/Download", "rm: /sdcard/Download: Is a directory\n", 1),
        ("rm -rf /system/bin", "rm: /system/bin: Read-only file system\n", 1),
        ("mkdir /data/x", "mkdir: '/data/x': Permission denied\n", 1),
        ("mkdir /sdcard/DCIM", "mkdir: '/sdcard/DCIM': File exists\n", 1),
        ("ls /data", "ls: /data: Permission denied\n", 1),
        ("kill 1", "/system/bin/sh: kill: 1: Operation not permitted\n", 1),
        ("toybox nope", "toybox: Unknown command nope\n", 127),
        ("ls -j", "ls: Unknown option 'j' (see \"--help\")\n", 1),
        ("sleep x", "sleep: bad number 'x'\n", 1),
    ],
)
async def test_refusals(run: Any, line: str, err: str, status: int) -> None:
    result = await run(line)
    assert (result.out, result.err, result.status) == ("", err, status)


async def test_links_lead_to_one_place(run: Any) -> None:
    result = await run(
        "echo x > /sdcard/f; cat /storage/emulated/0/f /mnt/sdcard/f; readlink -f /sdcard"
    )
    assert result.out == "x\nx\n/storage/emulated/0\n"


async def test_removing_a_file_gives_its_room_back(system: Any, run: Any) -> None:
    before = system.fs.used_bytes
    await run("dd if=/dev/zero of=/sdcard/z bs=1024 count=64; cp /sdcard/z /sdcard/y")
    assert system.fs.used_bytes == before + 2 * 65536
    await run("mv /sdcard/y /sdcard/z; rm /sdcard/z")
    assert system.fs.used_bytes == before

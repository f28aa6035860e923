"""Both adb programs take the virtual phone for a device."""

from __future__ import annotations

import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

PNG = b"\x89PNG\r\n\x1a\n"


def shell(adb: Any, phone: Any, *args: str, stdin: bytes = b"") -> tuple[bytes, bytes, int]:
    result: tuple[bytes, bytes, int] = adb.run("-s", phone.serial, "shell", *args, stdin=stdin)
    return result


def test_the_phone_is_listed_as_a_device(adb: Any, phone: Any) -> None:
    out, _, status = adb.run("devices", "-l")
    row = next(line for line in out.decode().splitlines() if line.startswith(phone.serial))
    assert status == 0
    assert row.split()[1:5] == ["device", "product:shiba", "model:Pixel_8", "device:shiba"]


@pytest.mark.parametrize("code", [0, 1, 7, 127, 255])
def test_exit_codes_come_back(adb: Any, phone: Any, code: int) -> None:
    assert shell(adb, phone, f"exit {code}") == (b"", b"", code)


def test_stdout_and_stderr_stay_apart(adb: Any, phone: Any) -> None:
    assert shell(adb, phone, "echo out; echo err >&2; exit 3") == (b"out\n", b"err\n", 3)
    out, err, status = shell(adb, phone, "nosuch")
    assert (out, err, status) == (
        b"",
        b"/system/bin/sh: nosuch: inaccessible or not found\n",
        127,
    )


def test_the_old_shell_merges_them_and_has_no_exit_code(adb: Any, phone: Any) -> None:
    out, err, status = adb.run("-s", phone.serial, "shell", "-x", "echo out; echo err >&2; exit 3")
    assert (out, err, status) == (b"out\nerr\n", b"", 0)


def test_arguments_are_joined_by_spaces_without_quotes(adb: Any, phone: Any) -> None:
    assert shell(adb, phone, "echo", "a", "b   c")[0] == b"a b c\n"
    assert shell(adb, phone, "echo", "a", "'b   c'")[0] == b"a b   c\n"


def test_stdin_reaches_a_command(adb: Any, phone: Any) -> None:
    data = os.urandom(300_000)
    out, err, status = shell(adb, phone, "md5sum", stdin=data)
    assert (out, err, status) == (hashlib.md5(data).hexdigest().encode() + b"  -\n", b"", 0)


def test_a_script_on_stdin_is_run(adb: Any, phone: Any) -> None:
    out, _, status = shell(adb, phone, stdin=b"X=5\necho $X\nexit 4\n")
    assert (out, status) == (b"5\n", 4)


def test_a_terminal_session_echoes_and_ends(adb: Any, phone: Any) -> None:
    out, _, _ = adb.run("-s", phone.serial, "shell", "-tt", stdin=b"echo $((40 + 2))\nexit\n")
    assert b"\r\n42\r\n" in out


def test_ctrl_c_ends_a_command_and_not_the_session(adb: Any, phone: Any) -> None:
    client = adb.start("-s", phone.serial, "shell", "-tt")
    assert client.stdin is not None
    client.stdin.write(b"sleep 600\n")
    client.stdin.flush()
    wait_until(lambda: shell(adb, phone, "pidof sleep")[2] == 0)
    out, _ = client.communicate(b"\x03echo rc $?\nexit\n", timeout=10)
    assert b"^C\r\n" in out
    assert b"\r\nrc 130\r\n" in out


def test_exec_out_is_binary_clean(adb: Any, phone: Any) -> None:
    out, _, status = adb.run("-s", phone.serial, "exec-out", "screencap", "-p")
    assert (out[:8], out[-8:], status) == (PNG, b"IEND\xaeB`\x82", 0)
    raw, _, _ = adb.run("-s", phone.serial, "exec-out", "screencap")
    assert len(raw) == 16 + 1080 * 2400 * 4


def test_exec_in_feeds_a_command_to_its_end(adb: Any, phone: Any) -> None:
    data = os.urandom(2_000_000)
    adb.run("-s", phone.serial, "exec-in", "cat > /sdcard/fed", stdin=data)
    digest = hashlib.sha256(data).hexdigest().encode() + b"\n"
    wait_until(lambda: shell(adb, phone, "sha256sum -b /sdcard/fed")[0] == digest)


def test_a_file_of_5_mb_goes_there_and_back(adb: Any, phone: Any, tmp_path: Path) -> None:
    data = os.urandom(5_000_000)
    (tmp_path / "a").write_bytes(data)
    assert adb.run("-s", phone.serial, "push", str(tmp_path / "a"), "/sdcard/new/a")[2] == 0
    digest, _, _ = shell(adb, phone, "sha256sum -b /sdcard/new/a")
    assert digest.decode().strip() == hashlib.sha256(data).hexdigest()
    assert adb.run("-s", phone.serial, "pull", "/sdcard/new/a", str(tmp_path / "b"))[2] == 0
    assert (tmp_path / "b").read_bytes() == data


def test_a_folder_goes_there_and_back(adb: Any, phone: Any, tmp_path: Path) -> None:
    source = tmp_path / "folder"
    (source / "deep").mkdir(parents=True)
    (source / "one.txt").write_text("1")
    (source / "deep" / "二.txt").write_text("2", encoding="utf-8")
    assert adb.run("-s", phone.serial, "push", str(source), "/sdcard/")[2] == 0
    assert shell(adb, phone, "cat /sdcard/folder/one.txt /sdcard/folder/deep/二.txt")[0] == b"12"
    assert adb.run("-s", phone.serial, "pull", "/sdcard/folder", str(tmp_path / "back"))[2] == 0
    assert (tmp_path / "back" / "deep" / "二.txt").read_text(encoding="utf-8") == "2"


def test_refused_files_say_why(adb: Any, phone: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(os.urandom(300_000))
    out, err, status = adb.run("-s", phone.serial, "push", str(tmp_path / "a"), "/system/a")
    assert status == 1
    assert b"Read-only file system" in out + err
    out, err, status = adb.run("-s", phone.serial, "pull", "/sdcard/no", str(tmp_path / "b"))
    assert status == 1
    assert b"does not exist" in out + err or b"No such file" in out + err
    listing, _, _ = adb.run("-s", phone.serial, "ls", "/sdcard/")
    assert b"Download" in listing


def test_200_shells_16_at_a_time_all_answer_right(adb: Any, phone: Any) -> None:
    def one(number: int) -> tuple[bytes, bytes, int]:
        return shell(adb, phone, f"echo {number}; exit {number % 200}")

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(one, range(200)))
    assert results == [(b"%d\n" % n, b"", n % 200) for n in range(200)]


def test_a_command_ends_when_its_client_goes_away(adb: Any, phone: Any) -> None:
    client = adb.start("-s", phone.serial, "shell", "sleep 600")
    wait_until(lambda: shell(adb, phone, "pidof sleep")[2] == 0)
    client.kill()
    client.communicate()
    wait_until(lambda: shell(adb, phone, "pidof sleep")[2] == 1)


def test_a_log_streams_until_its_client_goes_away(adb: Any, phone: Any) -> None:
    client = adb.start("-s", phone.serial, "logcat")
    assert client.stdout is not None
    assert client.stdout.readline() == b"--------- beginning of main\n"
    client.kill()
    client.communicate()
    wait_until(lambda: shell(adb, phone, "pidof logcat")[2] == 1)


def test_install_root_remount_and_reverse_are_refused_in_words(
    adb: Any, phone: Any, tmp_path: Path
) -> None:
    (tmp_path / "a.apk").write_bytes(os.urandom(100_000))
    out, err, status = adb.run("-s", phone.serial, "install", str(tmp_path / "a.apk"))
    assert status == 1
    assert b"INSTALL_PARSE_FAILED_NOT_APK" in out + err
    out, err, _ = adb.run("-s", phone.serial, "root")
    assert b"adbd cannot run as root in production builds" in out + err
    out, err, status = adb.run("-s", phone.serial, "reverse", "tcp:9000", "tcp:9001")
    assert status == 1
    assert b"reverse is not supported by this phone" in out + err
    assert shell(adb, phone, "echo alive")[0] == b"alive\n"


def test_forward_works_on_the_host_and_a_dead_port_closes(adb: Any, phone: Any) -> None:
    import socket

    out, _, status = adb.run("-s", phone.serial, "forward", "tcp:0", "tcp:7912")
    assert status == 0
    with socket.create_connection(("127.0.0.1", int(out)), timeout=5) as client:
        assert client.recv(1) == b""
    assert adb.run("-s", phone.serial, "forward", "--remove-all")[2] == 0


def test_a_reboot_drops_the_phone_and_it_comes_back_with_its_files(adb: Any, phone: Any) -> None:
    shell(adb, phone, "echo kept > /sdcard/kept")
    before, _, _ = shell(adb, phone, "cat /proc/sys/kernel/random/boot_id")
    adb.run("-s", phone.serial, "reboot")

    def is_back() -> bool:
        adb.run("connect", phone.serial)
        out, _, status = shell(adb, phone, "cat /proc/sys/kernel/random/boot_id")
        return status == 0 and len(out) == len(before) and out != before

    wait_until(is_back, 20)
    assert shell(adb, phone, "cat /sdcard/kept")[0] == b"kept\n"


def test_a_tap_through_adb_changes_the_truth(adb: Any, phone: Any) -> None:
    shell(adb, phone, "am start -n com.android.settings/.Settings")
    assert phone.control.truth()["front"] == "com.android.settings"
    shell(adb, phone, "input", "keyevent", "KEYCODE_HOME")
    assert phone.control.truth()["front"] == "com.android.launcher3"
    assert [e["text"] for e in phone.control.journal(kind="gesture")][-1] == "keyevent 3"


def wait_until(holds: Any, timeout_s: float = 10) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline_s, "it didn't happen in time"
        time.sleep(0.05)

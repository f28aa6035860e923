"""The fixtures for other people's tests; the example of the docs runs as it is written there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from device.virtual_phone.faults import FAULTS
from device.virtual_phone.personalities import PERSONALITIES

DOCS = (Path(__file__).parents[4] / "docs" / "virtual-phone.md").read_text(encoding="utf-8")
EXAMPLES = {
    code.partition("\n")[0].removeprefix("# ").partition(":")[0]: code
    for code in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
}


def run_pytest(directory: Path, *options: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "device.virtual_phone.pytest_plugin",
         "-p", "no:cacheprovider", "-v", *options, str(directory)],
        cwd=directory,
        capture_output=True,
        timeout=120,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_the_example_of_the_docs_passes_on_another_phone_too(tmp_path: Path) -> None:
    (tmp_path / "test_my_agent.py").write_text(EXAMPLES["test_my_agent.py"], encoding="utf-8")
    status, output = run_pytest(tmp_path, "--virtual-phone", "samsung_oneui")
    assert (status, "3 passed" in output) == (0, True), output


def test_options_of_a_conftest_are_heard_and_a_killed_server_comes_back(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(EXAMPLES["conftest.py"], encoding="utf-8")
    (tmp_path / "test_it.py").write_text(
        "import subprocess\n"
        "from device.adb_server import find_adb\n"
        "def run(phone, server, line):\n"
        "    adb = [str(find_adb()), '-s', phone.serial, 'shell', line]\n"
        "    return subprocess.run(adb, env=server.env, capture_output=True).stdout\n"
        "def test_first(virtual_phone, private_adb_server):\n"
        "    assert run(virtual_phone, private_adb_server, 'getprop persist.sys.locale') == "
        "b'zh-CN\\n'\n"
        "    virtual_phone.control.fault('adb_server_killed')\n"
        "    assert run(virtual_phone, private_adb_server, 'echo x') == b''\n"
        "def test_second(virtual_phone, private_adb_server):\n"
        "    assert run(virtual_phone, private_adb_server, 'echo x') == b'x\\n'\n",
        encoding="utf-8",
    )
    status, output = run_pytest(tmp_path)
    assert (status, "2 passed" in output) == (0, True), output


@pytest.mark.parametrize("name", [*PERSONALITIES, *FAULTS])
def test_the_docs_name_every_kind_of_phone_and_every_fault(name: str) -> None:
    assert f"| `{name}` |" in DOCS

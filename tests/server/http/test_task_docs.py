"""What docs/tasks.md shows is done here as it stands there, in order, on a running service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.http.conftest import AWAKE, CLICK, COMPLETE, Start

ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(shutil.which("jq") is None, reason="the page's commands use jq")
def test_what_the_page_on_tasks_shows_works_by_copy_and_paste(start: Start, tmp_path: Path) -> None:
    service = start([AWAKE, CLICK, COMPLETE] * 2)
    home = tmp_path / "home"
    (home / ".localserver").mkdir(parents=True)
    (home / ".localserver" / "token").write_text(service.token, encoding="utf-8")
    page = (
        (ROOT / "docs" / "tasks.md")
        .read_text("utf-8")
        .replace("http://127.0.0.1:8704", service.url)
    )
    ran = {}
    for language, command in (("bash", ["bash", "-euc"]), ("python", [sys.executable, "-c"])):
        for block in re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL):
            done = subprocess.run(
                [*command, block],
                env={**os.environ, "HOME": str(home), "LOCALSERVER_API_TOKEN": service.token},
                cwd=ROOT,
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=60,
            )
            assert done.returncode == 0, done.stderr
            ran[language] = done.stdout
    assert "event: task_ended" in ran["bash"] and '"state":"done"' in ran["bash"]
    assert ran["python"].splitlines()[0] == "1 task_started"
    assert ran["python"].splitlines()[-1].endswith(" task_ended")
    reasons = [task["stop_reason"] for task in service.client.list_tasks()]
    assert reasons == ["TASK_COMPLETED_SUCCESSFULLY"] * 2

"""The same task through every door, and a session that outlives its server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.apps import AliasTable
from device.discovery import connect, open_device
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from server.agent_loop import LoopOptions, run_task
from server.http.client import RemoteLocalServer
from server.local_server import LocalServer
from server.settings import load_settings
from tests.e2e.house import Child, running, wait_done

ROOT = Path(__file__).parents[2]
TASK = "打开设置，进入蓝牙，关闭蓝牙"
ASKING_TASK = "问我要找谁，打开联系人，在搜索框中输入我的回答，点击第一个联系人，告诉我电话"
ACTING_TASK = "Open Settings, wait 3 seconds, turn off WLAN"
KINDS = ["AWAKE", "CLICK", "CLICK", "COMPLETE"]
OPTIONS = LoopOptions(reset_environment=True, max_steps=8)


def open_phone(phone: VirtualPhoneProcess, adb: PrivateAdbServer, state_dir: Path) -> AdbDevice:
    return open_device(
        phone.serial,
        server=AdbServer(adb.address, autostart=False),
        aliases=AliasTable.load(ROOT / "configs" / "apps.yaml"),
        state_dir=state_dir,
    )


def in_shell(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    def localserver(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "server", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=240,
        )

    return localserver


def bluetooth(phone: VirtualPhoneProcess) -> str:
    return str(phone.control.truth()["settings"]["global"]["bluetooth_on"])


def test_in_process_and_over_http_one_loop_does_the_same(
    adb_server: PrivateAdbServer,
    phones: dict[str, VirtualPhoneProcess],
    environment: dict[str, str],
    client: RemoteLocalServer,
    tmp_path: Path,
) -> None:
    phone = phones["zh"]
    device = open_phone(phone, adb_server, tmp_path)
    settings = load_settings(log_dir=tmp_path / "logs", image_dir=tmp_path / "images")
    demo = settings.providers["demo"].model_copy(
        update={"api_base": environment["LOCALSERVER_DEMO_API_BASE"]}
    )
    settings = settings.model_copy(update={"providers": {"demo": demo}})
    with LocalServer(settings) as in_process:
        for server in (in_process, client):
            phone.control.reset()
            result = run_task(server, device, TASK, options=OPTIONS)
            assert result.stop_reason == "TASK_COMPLETED_SUCCESSFULLY", result.error
            assert [step.action.action for step in result.steps] == KINDS
            assert bluetooth(phone) == "0"


def test_the_command_line_runs_it_and_shows_it_again(
    phones: dict[str, VirtualPhoneProcess], environment: dict[str, str], tmp_path: Path
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    logs = str(tmp_path / "logs")

    localserver = in_shell(environment)
    run = localserver("run", TASK, "-s", phone.serial, "--reset", "--log-dir", logs)
    assert run.returncode == 0, run.stdout + run.stderr
    assert bluetooth(phone) == "0"
    assert "TASK_COMPLETED_SUCCESSFULLY" in run.stdout
    listed = localserver("sessions", "--log-dir", logs, "--json")
    [session] = json.loads(listed.stdout)
    assert (session["task"], session["steps"]) == (TASK, 4)
    sheet = tmp_path / "run.png"
    shown = localserver("show", session["session_id"][:8], "--log-dir", logs, "--sheet", str(sheet))
    assert shown.returncode == 0, shown.stderr
    assert [kind for kind in KINDS if kind not in shown.stdout] == []
    assert sheet.read_bytes().startswith(b"\x89PNG")


def test_the_command_line_keeps_to_the_budget_of_the_policy(
    phones: dict[str, VirtualPhoneProcess], environment: dict[str, str], tmp_path: Path
) -> None:
    phones["zh"].control.reset()
    configs = tmp_path / "configs"
    shutil.copytree(ROOT / "configs", configs)
    arguments = ["run", TASK, "-s", phones["zh"].serial, "--config", str(configs), "--json"]
    arguments += ["--log-dir", str(tmp_path / "logs")]
    for budget, reason, steps in [
        ("max_total_tokens: 1", "COST_LIMIT_REACHED", 1),
        ("max_steps: 2", "MAX_STEPS_REACHED", 2),
    ]:
        (configs / "policy.yaml").write_text(f"budget: {{{budget}}}\n", "utf-8")
        run = in_shell(environment)(*arguments)
        result = json.loads(run.stdout)
        assert (run.returncode, result["stop_reason"]) == (1, reason), run.stdout + run.stderr
        assert result["global_step_idx"] == steps


def test_a_session_goes_on_after_the_server_was_killed_between_two_steps(
    adb_server: PrivateAdbServer,
    phones: dict[str, VirtualPhoneProcess],
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    device = open_phone(phone, adb_server, tmp_path)
    arguments = ["serve", "--log-dir", str(tmp_path / "logs")]
    with running(arguments, environment, tmp_path / "first.log", "/readyz") as first:
        with RemoteLocalServer(first.url) as client:
            before = run_task(client, device, TASK, options=LoopOptions(max_steps=2))
            assert before.stop_reason == "MAX_STEPS_REACHED"
        first.kill()
    kept = (tmp_path / "logs" / f"{before.session_id}.jsonl").read_bytes()
    with (
        running(arguments, environment, tmp_path / "second.log", "/readyz") as second,
        RemoteLocalServer(second.url) as client,
    ):
        steps = client.read_steps(before.session_id)
        assert [step["action"]["action"] for step in steps] == KINDS[:2]
        answer = client.automate_step(
            {
                "session_id": before.session_id,
                "observation": {
                    "screenshot": {
                        "type": "image_bytes",
                        "data": device.screenshot().data,
                    }
                },
            }
        )
    assert answer["current_step"] == 3
    assert answer["action"]["action"] == "CLICK"
    assert (tmp_path / "logs" / f"{before.session_id}.jsonl").read_bytes().startswith(kept)


def test_tasks_outlive_a_kill_of_the_server_and_end_as_they_were_meant_to(
    phones: dict[str, VirtualPhoneProcess], environment: dict[str, str], tmp_path: Path
) -> None:
    for phone in phones.values():
        phone.control.reset()
    arguments = ["serve", "--log-dir", str(tmp_path / "logs")]
    with running(arguments, environment, tmp_path / "first.log", "/readyz") as first:
        with RemoteLocalServer(first.url) as client:
            asking = client.start_task({"task": ASKING_TASK, "serial": phones["zh"].serial})
            acting = client.start_task({"task": ACTING_TASK, "serial": phones["en"].serial})
            asked = wait_until(client, asking, lambda info: info["state"] == "waiting_reply")
            client.pause_task(asking["task_id"])
            wait_until(client, acting, lambda info: info["steps"] >= 1)
        first.kill()
    with (
        running(arguments, environment, tmp_path / "second.log", "/readyz") as second,
        RemoteLocalServer(second.url) as client,
    ):
        waiting = client.get_task(asking["task_id"])
        assert (waiting["state"], waiting["hold"]) == ("waiting_reply", "paused")
        assert waiting["question"] == asked["question"]
        broken = client.get_task(acting["task_id"])
        assert (broken["state"], broken["stop_reason"]) == ("done", "INTERRUPTED")
        client.resume_task(acting["task_id"])
        client.reply_task(asking["task_id"], "李四")
        client.resume_task(asking["task_id"])
        for task in (asking, acting):
            done = wait_done(client, task["task_id"])
            assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done["result"]
    wifi = phones["en"].control.truth()["settings"]["global"]["wifi_on"]
    assert str(wifi) == "0"


def wait_until(
    client: RemoteLocalServer, task: dict[str, Any], is_so: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The task as soon as it is so."""
    until = time.monotonic() + 120
    while not is_so(info := client.get_task(task["task_id"])):
        assert time.monotonic() < until and info["state"] != "done", info
        time.sleep(0.1)
    return info


def test_a_phone_that_vanishes_ends_the_task_and_not_the_service(
    adb_server: PrivateAdbServer, service: Child, client: RemoteLocalServer
) -> None:
    with VirtualPhoneProcess(seed=7) as phone:
        connect(phone.serial, server=AdbServer(adb_server.address, autostart=False))
        task = client.start_task({"task": "等待3秒，等待3秒，返回", "serial": phone.serial})
    done = wait_done(client, task["task_id"])
    assert done["stop_reason"] == "DEVICE_FAILED"
    assert done["result"]["error"]["code"].startswith("device.")
    assert client.is_ready()

"""`localserver demo`: a whole run on real parts, for somebody who has no phone, GPU or key.

Four processes as in real life, each reached the way any other would be: the adb server, a phone
(a virtual one, connected by `adb connect`), a model (the demo model, over HTTP) and the service.
This file is the orchestrator: it starts a task over HTTP and shows its steps as they happen.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import httpx2
from rich.text import Text

from device.adb_server import PrivateAdbServer, free_port
from device.discovery import connect
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from server.commands.terminal import ask_person, console, errors, inert, print_error, print_step
from server.errors import ServerError
from server.http.client import RemoteLocalServer
from server.pictures.contact_sheet import SheetStep, draw_contact_sheet
from server.settings import load_settings

DEFAULT_TASK = "打开设置，进入蓝牙，关闭蓝牙开关"
NEXT_TASKS = (
    "Open Clock, then turn on the 07:00 alarm",
    "打开便签，新建便签，输入“明天买牛奶”，保存",
)
POLL_S = 0.15
START_TIMEOUT_S = 40.0
TASK_TIMEOUT_S = 600.0
Locale = Literal["zh", "en"]


def run_demo(task: str | None, *, locale: Locale | None = None) -> int:
    """Run one task from nothing; returns the exit code (0: the model completed it)."""
    task = task or DEFAULT_TASK
    locale = locale or ("zh" if re.search(r"[\u4e00-\u9fff]", task) else "en")
    language: Locale = locale
    started = time.monotonic()
    console.print(Text("LocalServer demo", style="bold"))
    console.print(f"  task   {inert(task)}")
    try:
        with contextlib.ExitStack() as stack:
            return _run(stack, task, language, started)
    except KeyboardInterrupt:
        errors.print("stopped")
        return 130
    except Exception as error:
        if getattr(error, "code", None) is None:
            raise
        print_error(error)
        return 2


def _run(stack: contextlib.ExitStack, task: str, locale: Locale, started: float) -> int:
    adb = stack.enter_context(PrivateAdbServer())
    model_port, service_port = free_port(), free_port()
    environment = {**adb.env, "LOCALSERVER_DEMO_API_BASE": f"http://127.0.0.1:{model_port}/v1"}
    model = stack.enter_context(_process(["model", "--port", str(model_port)], environment))
    service = stack.enter_context(_process(["serve", "--port", str(service_port)], environment))
    phone = stack.enter_context(VirtualPhoneProcess(locale=locale))
    connect(phone.serial, server=AdbServer(adb.address))
    console.print(f"  phone  {phone.serial} (virtual, connected by adb)")
    _wait_answer(f"http://127.0.0.1:{model_port}/healthz", model)
    console.print("  model  localserver-demo (OCR and rules, no vision-language model)")
    service_url = f"http://127.0.0.1:{service_port}"
    _wait_answer(f"{service_url}/readyz", service)
    console.print(f"  server {service_url} (all ready in {time.monotonic() - started:.1f} s)\n")

    client = stack.enter_context(RemoteLocalServer(service_url))
    settings = load_settings()
    before = phone.control.truth()
    task_info = client.start_task({"task": task, "serial": phone.serial, "reset_environment": True})
    final = _follow(client, task_info["task_id"])
    _show_end(final, before, phone.control.truth())
    session_id = final["session_id"]
    sheet = settings.log_dir / f"{session_id}.png"
    _draw_sheet(client, session_id, task, final, sheet)
    console.print(f"  log      {settings.log_dir / f'{session_id}.jsonl'}", soft_wrap=True)
    console.print(f"  picture  {sheet}", soft_wrap=True)
    next_task = NEXT_TASKS[0] if task == DEFAULT_TASK else NEXT_TASKS[1]
    console.print(f"\nNext: make demo TASK={shlex.quote(next_task)}", soft_wrap=True)
    console.print("      with your own phone and model: .venv/bin/localserver doctor")
    return 0 if final["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY" else 1


def _follow(client: RemoteLocalServer, task_id: str) -> dict[str, Any]:
    """Show steps as they come until the task is done; a question is asked here and now."""
    shown = 0
    deadline = time.monotonic() + TASK_TIMEOUT_S
    while time.monotonic() < deadline:
        info = client.get_task(task_id)
        steps = client.read_steps(info["session_id"], start=shown + 1) if info["session_id"] else []
        for step in steps:
            shown += 1
            print_step(shown, step["action"], step.get("llm_cost", {}).get("llm_time"))
        if info["state"] == "waiting_reply":
            answer = ask_person(f"the model asks: {info['question']}")
            if answer is None:
                client.stop_task(task_id)
            else:
                client.reply_task(task_id, answer)
        if info["state"] == "waiting_confirm":
            answer = ask_person(f"may it do this? {info['question']} [y/N]")
            client.confirm_task(task_id, (answer or "").lower() in ("y", "yes", "是"))
        if info["state"] == "done" and not steps:
            return info
        time.sleep(POLL_S)
    client.stop_task(task_id)
    raise ServerError("the demo task did not end in ten minutes; its log says where it stuck")


def _show_end(
    final: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> None:
    reason = str(final["stop_reason"])
    style = "bold green" if reason == "TASK_COMPLETED_SUCCESSFULLY" else "bold red"
    console.print()
    console.print(Text.assemble("  ended    ", (reason, style)))
    words = (final.get("result") or {}).get("message")
    if words:
        console.print(Text.assemble("  it says  ", inert(words)), soft_wrap=True)
    error = (final.get("result") or {}).get("error")
    if error:
        console.print(
            Text.assemble("  error    ", f"{error['code']}: {inert(error['message'])}"),
            soft_wrap=True,
        )
    changes = list(_changes(before, after))
    if not changes:
        console.print("  phone    nothing changed (asked of the phone itself)")
    for number, (path, old, new) in enumerate(changes[:6]):
        label = "phone   " if number == 0 else "        "
        console.print(f"  {label} {inert(path)}: {inert(old)} → {inert(new)}", soft_wrap=True)


def _changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two JSON values differ, leaf by leaf; what is on screen is no proof and left out."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            if not path and key not in ("settings", "apps"):
                continue
            yield from _changes(before.get(key), after.get(key), f"{path}.{key}".strip("."))
    elif before != after:
        if isinstance(before, list) and isinstance(after, list):
            new = [item for item in after if item not in before]
            gone = [item for item in before if item not in after]
            yield path, gone or "-", new or "-"
        else:
            yield path, before, after


def _draw_sheet(
    client: RemoteLocalServer, session_id: str, task: str, final: Mapping[str, Any], path: Path
) -> None:
    steps = client.read_steps(session_id, limit=100)
    cells = [
        SheetStep(number, client.read_image(session_id, number), step["action"])
        for number, step in enumerate(steps, start=1)
    ]
    if cells:
        path.write_bytes(draw_contact_sheet(cells, task, f"{final['stop_reason']} · {session_id}"))


@dataclass(frozen=True, slots=True)
class _Child:
    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]

    def last_words(self) -> str:
        self.output.seek(0)
        return self.output.read()[-1500:].decode("utf-8", "replace").strip()


@contextlib.contextmanager
def _process(arguments: list[str], environment: Mapping[str, str]) -> Iterator[_Child]:
    """A `localserver` command as a process of its own, ended when the demo ends."""
    command = [sys.executable, "-m", "server", *arguments]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, env=dict(environment), stdout=output, stderr=output)
        try:
            yield _Child(arguments[0], process, output)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_answer(url: str, child: _Child) -> None:
    """Wait until a child answers there; its last words are told if it does not."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            if httpx2.get(url, timeout=2.0).status_code == 200:
                return
        except httpx2.HTTPError:
            pass  # not listening yet
        if child.process.poll() is not None or time.monotonic() > deadline:
            raise ServerError(
                f"`localserver {child.name}` did not start: {child.last_words() or 'no output'}; "
                "mend that and run the demo again"
            )
        time.sleep(0.05)

"""What the commands of `localserver task` do, over HTTP with a running service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from server.commands.common import EXIT_NO, clear_errors, read_settings
from server.commands.terminal import console, inert, print_json, print_step, print_table
from server.config_files import read_config_file
from server.errors import TaskNotFoundError
from server.http.client import RemoteLocalServer

MAX_LISTED = 500
TaskCall = Callable[[RemoteLocalServer, str], dict[str, Any]]


@clear_errors
def start_task_command(
    body: Mapping[str, Any],
    *,
    policy: Path | None,
    watch: bool,
    server_url: str | None,
    as_json: bool,
) -> int:
    """Hand a task over and, if asked, follow it to its end."""
    wanted = {name: value for name, value in body.items() if value is not None}
    if policy is not None:
        wanted["policy"] = read_config_file(policy).data
    with _service(server_url) as service:
        info = service.start_task(wanted)
        if watch:
            return _watch(service, info["task_id"], 0, as_json)
    _print_info(info, as_json)
    return 0


@clear_errors
def list_tasks_command(*, limit: int, server_url: str | None, as_json: bool) -> int:
    """List tasks, newest first."""
    with _service(server_url) as service:
        tasks = service.list_tasks(limit)
    if as_json:
        print_json(tasks)
    else:
        print_table(
            ("TASK", "STATE", "ENDED", "STEPS", "PHONE", "WHAT"),
            [
                (
                    info["task_id"],
                    info["state"],
                    info["stop_reason"] or "-",
                    info["steps"],
                    info["serial"],
                    info["task"],
                )
                for info in tasks
            ],
        )
    return 0


@clear_errors
def steer_task_command(call: TaskCall, task: str, *, server_url: str | None, as_json: bool) -> int:
    """Do one thing with a task, and show how it stands after it."""
    with _service(server_url) as service:
        _print_info(call(service, _find(service, task)), as_json)
    return 0


@clear_errors
def watch_task_command(task: str, *, after: int, server_url: str | None, as_json: bool) -> int:
    """Follow a task; 1 when it ended otherwise than completed."""
    with _service(server_url) as service:
        return _watch(service, _find(service, task), after, as_json)


def _service(url: str | None) -> RemoteLocalServer:
    settings = read_settings(None, None)
    token = settings.api_token.get_secret_value() if settings.api_token else None
    return RemoteLocalServer(url or f"http://127.0.0.1:{settings.port}", token)


def _find(service: RemoteLocalServer, start: str) -> str:
    """The task whose id begins so; a whole id is taken as it is."""
    ids = [str(info["task_id"]) for info in service.list_tasks(MAX_LISTED)]
    fitting = [task_id for task_id in ids if task_id.startswith(start)]
    if start in fitting or not fitting:
        return start
    if len(fitting) > 1:
        raise TaskNotFoundError(f"{len(fitting)} tasks begin so; give more of the id")
    return fitting[0]


def _watch(service: RemoteLocalServer, task_id: str, after: int, as_json: bool) -> int:
    reason = None
    for event in service.watch_task(task_id, after):
        if as_json:
            print_json(event)
        else:
            _print_event(task_id, event)
        if event["kind"] == "task_ended":
            reason = event["data"].get("stop_reason")
    return 0 if reason == "TASK_COMPLETED_SUCCESSFULLY" else EXIT_NO


def _print_event(task_id: str, event: Mapping[str, Any]) -> None:
    facts = event["data"]
    match event["kind"]:
        case "task_started":
            console.print(Text.assemble(("task   ", "dim"), task_id))
        case "task_step":
            decide_s = (facts.get("times_s") or {}).get("decide")
            print_step(int(facts["local_step_idx"]), facts["agent_action"], decide_s)
        case "task_state" if facts.get("question") or facts.get("hold"):
            _print_waiting(task_id, str(facts["state"]), facts.get("question"))
        case "task_ended":
            _print_end(facts)
        case _:
            pass


def _print_info(info: Mapping[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(info)
        return
    console.print(Text.assemble(("task   ", "dim"), str(info["task_id"])))
    console.print(
        Text.assemble(
            ("state  ", "dim"), f"{info['state']} on {inert(info['serial'])}, step {info['steps']}"
        )
    )
    if info["question"] is not None or info["hold"] is not None:
        question = {"text": info["question"] or ""}
        _print_waiting(str(info["task_id"]), str(info["state"]), question)
    if info["result"] is not None:
        _print_end(info["result"])


def _print_waiting(task_id: str, state: str, question: Mapping[str, Any] | None) -> None:
    """What it waits for, and the command that it waits for."""
    answers = {
        "waiting_reply": 'reply {} "..."',
        "waiting_confirm": "confirm {} yes|no",
        "paused": "resume {}",
        "taken_over": "give-back {}",
    }
    if question and question.get("text"):
        console.print(Text.assemble(("asks   ", "yellow"), inert(question["text"])), soft_wrap=True)
    if state in answers:
        command = answers[state].format(task_id[:8])
        console.print(Text.assemble(("next   ", "dim"), f"localserver task {command}"))


def _print_end(facts: Mapping[str, Any]) -> None:
    reason = str(facts.get("stop_reason"))
    is_done = reason == "TASK_COMPLETED_SUCCESSFULLY"
    console.print(Text.assemble("ended  ", (reason, "bold green" if is_done else "bold red")))
    if facts.get("message"):
        console.print(Text.assemble(("said   ", "dim"), inert(facts["message"])), soft_wrap=True)
    if facts.get("replay"):
        console.print(Text.assemble(("look   ", "dim"), inert(facts["replay"])), soft_wrap=True)

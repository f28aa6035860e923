"""`localserver run`: one task, here or on a running service."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from server.commands.common import EXIT_NO, clear_errors, read_settings
from server.commands.terminal import (
    console,
    errors,
    inert,
    print_json,
    print_step,
)
from server.errors import BadRequestError
from server.settings import Settings

if TYPE_CHECKING:
    from server.agent_loop import LoopOptions
    from server.local_server import LocalServer
    from server.tasks.result import StepReport, TaskResult


ASK_TIMEOUT_S = 600.0
"""How long a question waits for the person at the terminal."""
NO_TIME_S = 0.001
"""Nobody is there: an action that needs a yes does not get one."""


@clear_errors
def run_task_command(
    task: str,
    *,
    serial: str | None,
    model: str | None,
    provider: str | None,
    dialect: str | None,
    max_steps: int,
    reset: bool,
    ask: bool,
    approve: list[str],
    privacy: str | None,
    server_url: str | None,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Run one task on a phone, in this process or with the decisions of a running service."""
    from device.claims import PhoneClaims
    from server.agent_loop import LoopOptions, run_task
    from server.control import TaskControl
    from server.http.client import RemoteLocalServer
    from server.leases import hold_for_command
    from server.local_server import LocalServer
    from server.phones import AdbPhones
    from server.tasks.attendant import attend
    from server.tasks.terms import read_privacy

    if not task.strip():
        raise BadRequestError("the task is empty; say what is to be done", field="task")
    settings = read_settings(config_dir, log_dir)
    phone = AdbPhones(settings).open(serial)
    chosen = {"model_name": model, "model_provider": provider}
    options = LoopOptions(
        task_type=dialect,
        model_config={key: value for key, value in chosen.items() if value is not None} or None,
        max_steps=max_steps,
        reset_environment=reset,
        reply_timeout_s=ASK_TIMEOUT_S if ask else 0.0,
        confirm_timeout_s=ASK_TIMEOUT_S if ask else NO_TIME_S,
        approve=tuple(approve),
        privacy=read_privacy(privacy),
    )
    control = TaskControl()
    if ask:
        attend(control)
    token = settings.api_token.get_secret_value() if settings.api_token else None
    decider = RemoteLocalServer(server_url, token) if server_url else LocalServer(settings)
    claim = hold_for_command(PhoneClaims(settings.state_dir), phone.serial, "localserver run")
    with claim, decider as server:
        if not as_json:
            console.print(Text.assemble(("phone ", "dim"), inert(phone.serial)))
            if server_url is None:
                _tell_where_pictures_go(settings, options)
        before_step = None
        if isinstance(server, LocalServer):
            options, before_step = _within_budget(server, settings, task, options)
        result = run_task(
            server,
            phone,
            task,
            options=options,
            control=control,
            on_step=None if as_json else _print_report,
            before_step=before_step,
        )
    if as_json:
        print_json(result.to_wire())
    else:
        _print_result(result, settings, local=server_url is None)
    return 0 if result.completed else EXIT_NO


def _within_budget(
    server: LocalServer, settings: Settings, task: str, options: LoopOptions
) -> tuple[LoopOptions, Callable[[str], None]]:
    """The task under the budget of policy.yaml, and what ends it when that is used up."""
    from server.tasks.limits import check_limits, check_price_known, price_finder
    from server.tasks.request import TaskRequest

    request = TaskRequest(task=task, options=options).within(server.policy.budget)
    price_of = price_finder(settings)
    check_price_known(request, price_of)
    return request.options, lambda session_id: check_limits(
        request, 0, server.read_usage(session_id), price_of
    )


def _tell_where_pictures_go(settings: Settings, options: LoopOptions) -> None:
    """Said before anything is sent: the model is somewhere else."""
    from server.model.providers import choose_model
    from server.privacy.levels import is_local, stricter

    chosen = options.model_config or {}
    target = choose_model(
        settings, chosen.get("model_provider"), chosen.get("model_name"), chosen.get("args")
    )
    if is_local(target.config.api_base):
        return
    level = stricter(settings.privacy, settings.remote_privacy, options.privacy)
    advice = "" if level == "strict" else "; --privacy strict masks what is private"
    errors.print(
        f"pictures of the screen leave this machine: {target.config.api_base} "
        f"(privacy {level}{advice})",
        soft_wrap=True,
        highlight=False,
    )


def _print_report(report: StepReport) -> None:
    print_step(report.local_step, report.action.to_wire(), report.decide_s)
    if report.outcome.status in ("failed", "unknown"):
        console.print(
            Text(
                f"              {report.outcome.code}: {inert(report.outcome.message)}",
                style="yellow",
            ),
            soft_wrap=True,
        )


def _print_result(result: TaskResult, settings: Settings, *, local: bool) -> None:
    style = "bold green" if result.completed else "bold red"
    console.print(Text.assemble("ended  ", (result.stop_reason, style)))
    if result.message:
        console.print(Text.assemble(("said   ", "dim"), inert(result.message)), soft_wrap=True)
    if result.error is not None:
        console.print(
            Text.assemble(
                ("error  ", "dim"), f"{result.error['code']}: {inert(result.error['message'])}"
            ),
            soft_wrap=True,
        )
    if local:
        console.print(
            Text.assemble(("log    ", "dim"), str(settings.log_dir / f"{result.session_id}.jsonl")),
            soft_wrap=True,
        )
    console.print(Text.assemble(("look   ", "dim"), f"localserver show {result.session_id[:8]}"))

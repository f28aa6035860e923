"""`localserver task ...`: options and help of the commands that hand tasks to a running service."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from server.commands.tasks import TaskCall

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Hand tasks to a running service and steer them.\n\n"
        "TASK is a task's id, or its first characters."
    ),
)

TaskArgument = Annotated[str, typer.Argument(metavar="TASK", help="Its id, or its beginning.")]
ServerOption = Annotated[
    str | None,
    typer.Option("--server", metavar="URL", help="The service. Default: the one on this machine."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


class ReplyMode(StrEnum):
    """Who answers the questions of a task."""

    PASS_TO_CLIENT = "pass_to_client"
    AUTO_REPLY = "auto_reply"
    NO_REPLY = "no_reply"


class Privacy(StrEnum):
    """What may leave the machine."""

    OFF = "off"
    STANDARD = "standard"
    STRICT = "strict"


class YesNo(StrEnum):
    YES = "yes"
    NO = "no"


@app.command("start")
def start(
    task: Annotated[str, typer.Argument(help="What to do, in the words you would tell a person.")],
    serial: Annotated[
        str | None, typer.Option("--serial", "-s", help="Which phone. Default: the only one.")
    ] = None,
    tag: Annotated[str | None, typer.Option(help="Or any ready phone with this tag.")] = None,
    priority: Annotated[int, typer.Option(help="Higher ones go first.")] = 0,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on in the session of an earlier task.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="Model name.")] = None,
    provider: Annotated[str | None, typer.Option(help="Provider of the model.")] = None,
    dialect: Annotated[str | None, typer.Option(help="How the model speaks.")] = None,
    max_steps: Annotated[int, typer.Option(min=1, max=400)] = 40,
    reset: Annotated[bool, typer.Option("--reset", help="Start from the home screen.")] = False,
    reply_mode: Annotated[
        ReplyMode, typer.Option(help="Who answers its questions.")
    ] = ReplyMode.PASS_TO_CLIENT,
    approve: Annotated[
        list[str] | None, typer.Option(metavar="CLASS", help="Say yes beforehand: send, ...")
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="The task's own policy: levels, apps, budget."),
    ] = None,
    privacy: Annotated[Privacy | None, typer.Option(help="What may leave the machine.")] = None,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="End it after so long.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="End it when so many tokens are used.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="End it at this cost (configs/prices.yaml).")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow it to its end.")] = False,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hand over a task; prints its id."""
    from server.commands.tasks import start_task_command

    llm = {"model_name": model, "model_provider": provider}
    body: dict[str, Any] = {
        "task": task,
        "serial": serial,
        "tag": tag,
        "priority": priority,
        "session_id": session,
        "task_type": dialect,
        "model_config": {name: value for name, value in llm.items() if value} or None,
        "max_steps": max_steps,
        "reset_environment": reset,
        "reply_mode": reply_mode.value,
        "approve": approve or [],
        "privacy": privacy.value if privacy else None,
        "deadline_s": deadline,
        "max_total_tokens": max_tokens,
        "max_cost": max_cost,
    }
    raise typer.Exit(
        start_task_command(body, policy=policy, watch=watch, server_url=server, as_json=as_json)
    )


@app.command("list")
def list_tasks(
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, newest first.")] = 20,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tasks, newest first."""
    from server.commands.tasks import list_tasks_command

    raise typer.Exit(list_tasks_command(limit=limit, server_url=server, as_json=as_json))


@app.command("show")
def show(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show how a task stands: its state, its question, its result."""
    _steer(lambda service, task_id: service.get_task(task_id), task, server, as_json)


@app.command("watch")
def watch(
    task: TaskArgument,
    after: Annotated[int, typer.Option(min=0, help="Go on behind this event.")] = 0,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow a task to its end; exit code 0 when it was completed."""
    from server.commands.tasks import watch_task_command

    raise typer.Exit(watch_task_command(task, after=after, server_url=server, as_json=as_json))


@app.command("reply")
def reply(
    task: TaskArgument,
    text: Annotated[str, typer.Argument(help="Your answer to its question.")],
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer the question that a task waits with."""
    _steer(lambda service, task_id: service.reply_task(task_id, text), task, server, as_json)


@app.command("confirm")
def confirm(
    task: TaskArgument,
    answer: Annotated[YesNo, typer.Argument(help="Whether the action may be done.")],
    question: Annotated[
        str | None, typer.Option("--id", help="Which question (confirm.id). Default: this one.")
    ] = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say yes or no to the action that a task waits with."""
    approve = answer is YesNo.YES
    _steer(
        lambda service, task_id: service.confirm_task(task_id, approve, question),
        task, server, as_json,
    )  # fmt: skip


@app.command("pause")
def pause(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Keep a task from its phone until it is resumed."""
    _steer(lambda service, task_id: service.pause_task(task_id), task, server, as_json)


@app.command("resume")
def resume(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Let a paused task go on, or one that was interrupted or failed from outside."""
    _steer(lambda service, task_id: service.resume_task(task_id), task, server, as_json)


@app.command("take-over")
def take_over(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Take the phone in hand; the task waits until you give it back."""
    _steer(lambda service, task_id: service.take_over_task(task_id), task, server, as_json)


@app.command("give-back")
def give_back(
    task: TaskArgument,
    note: Annotated[str, typer.Argument(help="What the model is told.")] = "",
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give the phone back: the next step sees the new screen, and your note."""
    _steer(lambda service, task_id: service.give_back_task(task_id, note), task, server, as_json)


@app.command("stop")
def stop(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """End a task: no input reaches its phone from now on."""
    _steer(lambda service, task_id: service.stop_task(task_id), task, server, as_json)


@app.command("retry")
def retry(task: TaskArgument, server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Start a task that is over again from the beginning."""
    _steer(lambda service, task_id: service.retry_task(task_id), task, server, as_json)


def _steer(call: TaskCall, task: str, server_url: str | None, as_json: bool) -> None:
    from server.commands.tasks import steer_task_command

    raise typer.Exit(steer_task_command(call, task, server_url=server_url, as_json=as_json))

"""The `localserver` command: options and help. What a command does is imported when it runs.

`--help` has to answer at once, so nothing heavy may be imported at the top of this file.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from server.cli.dialects import dialect_app
from server.cli.options import ConfigOption, JsonOption, Locale, LogDirOption, SerialOption
from server.cli.phones import phone_app
from server.cli.policy import policy_app
from server.cli.records import record_app
from server.cli.replay import replay_app
from server.cli.tasks import app as tasks

app = typer.Typer(
    name="localserver",
    help=(
        "The server between a vision-language model and an Android phone.\n\n"
        "First time here? localserver demo shows a whole run without a phone, a GPU "
        "or a key. With a phone: localserver doctor says what is missing, then "
        'localserver run "Open Settings and turn off Bluetooth".'
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (phone_app, record_app, replay_app, dialect_app, policy_app):
    app.add_typer(commands)


def print_version(wanted: bool) -> None:
    if wanted:
        from server.version import VERSION

        typer.echo(f"localserver {VERSION}")
        raise typer.Exit()


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and end.", is_eager=True, callback=print_version
        ),
    ] = False,
) -> None:
    """Options that stand before the command."""


@app.command()
def demo(
    task: Annotated[
        str | None, typer.Argument(help="What to do on the phone, in Chinese or English.")
    ] = None,
    locale: Annotated[
        Locale | None, typer.Option(help="Language of the phone. Default: the task's.")
    ] = None,
) -> None:
    """Show a whole run without a phone, a GPU or a key.

    A virtual phone, the demo model and the server work together over real adb and HTTP. The
    phone and the model are started for this run and stopped after it; the log and a picture of
    the run stay.
    """
    from server.demo import run_demo

    raise typer.Exit(run_demo(task, locale=None if locale is None else locale.value))


@app.command()
def run(
    task: Annotated[str, typer.Argument(help="What to do, in the words you would tell a person.")],
    serial: SerialOption = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="NAME", help="Model name.")
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Provider of configs/model_config.yaml."),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="How the model speaks. Default: that of the model."),
    ] = None,
    max_steps: Annotated[int, typer.Option(min=1, help="Stop after this many steps.")] = 40,
    reset: Annotated[
        bool, typer.Option("--reset", help="Go to the home screen before starting.")
    ] = False,
    no_reply: Annotated[
        bool,
        typer.Option("--no-reply", help="End the run when the model asks, instead of asking you."),
    ] = False,
    approve: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS", help="Say yes beforehand to a class of risk: send, delete, ..."
        ),
    ] = None,
    privacy_level: Annotated[
        str | None,
        typer.Option(
            "--privacy", metavar="LEVEL", help="What the model does not get: standard or strict."
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Ask a running service for the steps."),
    ] = None,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one task on a phone and show each step as it happens.

    The exit code is 0 when the task was completed, 1 when it ended otherwise, 2 when it could not
    start.
    """
    from server.commands.running import run_task_command

    raise typer.Exit(
        run_task_command(
            task,
            serial=serial,
            model=model,
            provider=provider,
            dialect=dialect,
            max_steps=max_steps,
            reset=reset,
            ask=not no_reply,
            approve=approve or [],
            privacy=privacy_level,
            server_url=server,
            log_dir=log_dir,
            config_dir=config,
            as_json=as_json,
        )
    )


@app.command()
def serve(
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address to listen on.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A Host header to accept besides loopback names."),
    ] = None,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    debug: Annotated[
        bool | None, typer.Option("--debug", help="Also log prompts, replies and timings.")
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Let anyone on this machine call; loopback only.")
    ] = False,
) -> None:
    """Start the service: HTTP API, sessions, tasks.

    It listens on loopback only; another address needs --allow-host. Callers send a token: the one
    in LOCALSERVER_API_TOKEN, else one that is made at the first start and kept in a file.
    """
    from server.commands.serving import serve_command

    raise typer.Exit(
        serve_command(
            host=host,
            port=port,
            allow_hosts=allow_host or [],
            log_dir=log_dir,
            config_dir=config,
            debug=debug,
            no_token=no_token,
        )
    )


@app.command()
def model(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8705,
) -> None:
    """Start the demo model, an OpenAI-compatible server.

    It reads the screen by OCR and follows plain rules: no vision-language model. It
    is there so that everything runs without one.
    """
    from server.commands.serving import model_command

    raise typer.Exit(model_command(port=port))


app.add_typer(tasks, name="task")


@app.command()
def mcp(log_dir: LogDirOption = None, config: ConfigOption = None) -> None:
    """Serve the phones as MCP tools on standard input and output.

    An MCP client starts this command itself. A service that runs (localserver serve) has the same
    tools at /mcp/.
    """
    from server.commands.mcp import mcp_command

    raise typer.Exit(mcp_command(log_dir=log_dir, config_dir=config))


def main() -> None:
    """Run the command; errors that we know end in one clear line, not in a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A Windows console may be set to a code page that has no Chinese.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

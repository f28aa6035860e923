"""`localserver replay`, `record-test`, `import`: options and help.

What a command does is imported when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.cli.options import ConfigOption, JsonOption, LogDirOption

replay_app = typer.Typer(rich_markup_mode=None)


@replay_app.command()
def replay(
    session: Annotated[
        str | None,
        typer.Argument(help="Session id, its first characters, or a published Step-GUI log."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Read every session again.")] = False,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit 1 when a reply is read differently.")
    ] = False,
    ask: Annotated[
        str | None,
        typer.Option("--ask", metavar="MODEL", help="Put the recorded prompts to this model."),
    ] = None,
    provider: Annotated[
        str | None, typer.Option(metavar="NAME", help="--ask: provider of model_config.yaml.")
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(metavar="NAME", help="--ask: write the prompts in this dialect.")
    ] = None,
    variant: Annotated[str | None, typer.Option(help="--ask: its variant.")] = None,
    act: Annotated[
        str | None,
        typer.Option("--act", metavar="SERIAL", help="Repeat the actions on this phone."),
    ] = None,
    reset: Annotated[
        bool, typer.Option("--reset", help="--act: go to the home screen before starting.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="--act: also do what the policy asks a person about.")
    ] = False,
    likeness: Annotated[
        float, typer.Option(min=0, max=1, help="--act: how like the recorded one a screen must be.")
    ] = 0.75,
    wait_s: Annotated[
        float, typer.Option("--wait-s", min=0, max=600, help="--act: how long to wait for it.")
    ] = 10.0,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a recorded session over again.

    Without --ask and --act each recorded reply is read with today's parser, and what changed is
    shown: no phone, no model. --ask scores how far another model or dialect agrees, step by step.
    --act repeats the actions on a phone and stops at the first screen that is another one.
    """
    from server.commands import replay as commands
    from server.replay.acting import RepeatOptions

    if (ask is not None) + (act is not None) + (everything or fail_on_change) > 1:
        raise typer.BadParameter("--ask, --act and --all/--fail-on-change exclude each other")
    if (ask is not None or act is not None) and session is None:
        raise typer.BadParameter("name the session")
    where = {"log_dir": log_dir, "config_dir": config}
    if ask is not None and session is not None:
        code = commands.ask_command(
            session, model=ask, provider=provider, dialect=dialect, variant=variant,
            as_json=as_json, **where,
        )  # fmt: skip
    elif act is not None and session is not None:
        options = RepeatOptions(likeness, wait_s, yes)
        code = commands.act_command(
            session, serial=act, options=options, reset=reset, as_json=as_json, **where
        )
    else:
        code = commands.reread_command(
            session, everything=everything, fail_on_change=fail_on_change, as_json=as_json, **where
        )
    raise typer.Exit(code)


@replay_app.command("record-test")
def record_test(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="Where the test goes.")] = Path(
        "recorded-tests"
    ),
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Take private texts out.")
    ] = True,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a recorded session as a pytest with its own fixture.

    Pictures, replies and the expected actions go into a folder beside the test, private texts
    taken out. The exit code is 1 when the test would fail today.
    """
    from server.commands.replay import record_test_command

    raise typer.Exit(
        record_test_command(
            session, to=to, redacted=redact, log_dir=log_dir, config_dir=config, as_json=as_json
        )
    )


@replay_app.command("import")
def import_logs(
    path: Annotated[
        Path, typer.Argument(help="A log of the published Step-GUI server, or a folder.")
    ],
    images: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Its pictures. Default: where that server puts them."),
    ] = None,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take over logs of the published Step-GUI server.

    Their pictures come along: they become sessions like any other. Stop the service first.
    """
    from server.commands.replay import import_command

    raise typer.Exit(
        import_command(path, images=images, log_dir=log_dir, config_dir=config, as_json=as_json)
    )

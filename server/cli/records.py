"""Commands on recorded sessions. Options and help.

What a command does is imported when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.cli.options import ConfigOption, JsonOption, LogDirOption

record_app = typer.Typer(rich_markup_mode=None)


@record_app.command()
def sessions(
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions in the log folder, newest first."""
    from server.commands.sessions import sessions_command

    raise typer.Exit(
        sessions_command(limit=limit, log_dir=log_dir, config_dir=config, as_json=as_json)
    )


@record_app.command()
def show(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    sheet: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Also draw all steps into one picture."),
    ] = None,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what happened in a session, step by step."""
    from server.commands.sessions import show_command

    raise typer.Exit(
        show_command(session, sheet=sheet, log_dir=log_dir, config_dir=config, as_json=as_json)
    )


privacy = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="What left this machine.",
)


record_app.add_typer(privacy, name="privacy")


@privacy.callback()
def privacy_commands() -> None:
    """What left this machine."""


@privacy.command("report")
def privacy_report(
    session: Annotated[str, typer.Argument(help="A session's id, or its beginning.")],
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show each request that a session sent to a model: host, bytes, hash, what was masked."""
    from server.commands.privacy import report_command

    raise typer.Exit(report_command(session, log_dir=log_dir, config_dir=config, as_json=as_json))


@record_app.command()
def verify(
    session: Annotated[
        str | None, typer.Argument(help="Session id, or its first characters.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Check every session.")] = False,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check that the records of a session are whole.

    Nothing is changed, and a running service is not disturbed. The exit code is 1 when something
    is wrong.
    """
    from server.commands.records import verify_command

    raise typer.Exit(
        verify_command(
            session, everything=everything, log_dir=log_dir, config_dir=config, as_json=as_json
        )
    )


@record_app.command()
def repair(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mend a damaged session up to its first bad line.

    The damaged file is kept whole under another name. Stop the service first.
    """
    from server.commands.records import repair_command

    raise typer.Exit(repair_command(session, log_dir=log_dir, config_dir=config, as_json=as_json))


@record_app.command()
def delete(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete a session for good: its log, events and pictures.

    Beside a running service use DELETE /v1/sessions/{id} instead.
    """
    from server.commands.records import delete_command

    raise typer.Exit(delete_command(session, yes=yes, log_dir=log_dir, config_dir=config))


@record_app.command()
def export(
    session: Annotated[
        str | None, typer.Argument(help="Session id, or its first characters.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every session.")] = False,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="KEY=VALUE",
            help="Sessions by task, model, dialect, stop_reason, app, since, until; may be "
            "repeated.",
        ),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="DIR", help="Where. Default: ./export-FORMAT.")
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="Without it: lists the formats."),
    ] = None,
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Take private texts out.")
    ] = True,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="sft: rebuild the prompts for this dialect.")
    ] = None,
    variant: Annotated[str | None, typer.Option("--variant", help="sft: its variant.")] = None,
    step_s: Annotated[
        float, typer.Option("--step-s", min=0.05, max=60, help="webp, gif, mp4: seconds a step.")
    ] = 1.2,
    width_px: Annotated[
        int, typer.Option("--width", min=64, max=2048, help="webp, gif, mp4: width in pixels.")
    ] = 480,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write sessions as training data, tables, films or scripts.

    Private texts are taken out and counted, unless you say --no-redact. Run again after an
    interruption: what is there already is kept.
    """
    from server.commands.export import export_command

    raise typer.Exit(
        export_command(
            session, everything=everything, filters=filters or [], to=to, format_name=format_name,
            redacted=redact, dialect=dialect, variant=variant, step_s=step_s, width_px=width_px,
            log_dir=log_dir, config_dir=config, as_json=as_json,
        )
    )  # fmt: skip

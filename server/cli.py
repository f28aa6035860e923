"""The `localserver` command: options and help. What a command does is imported when it runs.

`--help` has to answer at once, so nothing heavy may be imported at the top of this file.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from server.cli_options import ConfigOption, JsonOption, LogDirOption, SerialOption
from server.cli_policy import policy_app
from server.cli_replay import replay_app
from server.task_cli import app as tasks

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
app.add_typer(replay_app)
app.add_typer(policy_app)


class Locale(StrEnum):
    """Languages that the virtual phone speaks."""

    ZH = "zh"
    EN = "en"


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
    from server.commands import run_task_command

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
    from server.commands import serve_command

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
def devices(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the phones that adb sees, and how to mend bad ones."""
    from server.commands import devices_command

    raise typer.Exit(devices_command(config_dir=config, as_json=as_json))


@app.command()
def doctor(
    serial: SerialOption = None, config: ConfigOption = None, as_json: JsonOption = False
) -> None:
    """Say what is missing between you and the phone, and the fix."""
    from server.commands import doctor_command

    raise typer.Exit(doctor_command(serial=serial, config_dir=config, as_json=as_json))


@app.command()
def sessions(
    limit: Annotated[int, typer.Option(min=1, help="How many, newest first.")] = 20,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions in the log folder, newest first."""
    from server.commands import sessions_command

    raise typer.Exit(
        sessions_command(limit=limit, log_dir=log_dir, config_dir=config, as_json=as_json)
    )


@app.command()
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
    from server.commands import show_command

    raise typer.Exit(
        show_command(session, sheet=sheet, log_dir=log_dir, config_dir=config, as_json=as_json)
    )


@app.command()
def phone(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port for adb; 0 takes a free one.")
    ] = 0,
    locale: Annotated[Locale, typer.Option(help="Language of the phone.")] = Locale.ZH,
    size: Annotated[
        str | None, typer.Option(metavar="WxH", help="Screen size in pixels. Default: its own.")
    ] = None,
    personality: Annotated[
        str, typer.Option(metavar="NAME", help="Whose phone: pixel14, samsung_oneui, foldable, ...")
    ] = "pixel14",
    vendor_switch: Annotated[
        bool, typer.Option("--vendor-switch", help="The maker's second debugging switch is on.")
    ] = False,
    fault: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[:times=N]", help="Misbehave so; see docs/virtual-phone.md."),
    ] = None,
    connect: Annotated[bool, typer.Option(help="Connect it to this machine's adb server.")] = True,
) -> None:
    """Start a virtual phone: a device for adb with screen and apps."""
    from server.commands import phone_command

    raise typer.Exit(
        phone_command(
            port=port,
            locale=locale.value,
            size=size,
            personality=personality,
            vendor_switch=vendor_switch,
            faults=fault or [],
            connect=connect,
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
    from server.commands import model_command

    raise typer.Exit(model_command(port=port))


@app.command()
def dialects(as_json: JsonOption = False) -> None:
    """List the dialects that can be spoken, with their models."""
    from server.dialect_commands import dialects_command

    raise typer.Exit(dialects_command(as_json=as_json))


@app.command()
def parse(
    dialect: Annotated[
        str | None, typer.Option(metavar="NAME", help="See `localserver dialects`.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option(metavar="NAME", help="Model generation, such as v1.5.")
    ] = None,
    screen: Annotated[
        str, typer.Option(metavar="WxH", help="Size of the screenshot.")
    ] = "1080x2400",
    sent: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Size that the model saw. Default: what we would send."),
    ] = None,
    elements: Annotated[
        int | None, typer.Option(min=0, help="How many elements were numbered.")
    ] = None,
    elements_file: Annotated[
        Path | None,
        typer.Option(metavar="TREE.xml", help="Count them in this UI tree instead."),
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Read replies from a file, one JSON object a line: id, dialect, variant, screen, "
            "sent_image, elements, raw or message. Prints one line for each.",
        ),
    ] = None,
) -> None:
    """Read a model's reply from standard input; say what it means.

    Prints {"out": ...} and ends with 0, or {"rejection": ...} and ends with 2. For example:

    echo "Action: click(start_box='(500,300)')" | localserver parse --dialect ui_tars
    """
    from server.dialect_commands import parse_command

    raise typer.Exit(
        parse_command(
            dialect=dialect,
            variant=variant,
            screen=screen,
            sent=sent,
            elements=elements,
            elements_file=elements_file,
            jsonl=jsonl,
        )
    )


@app.command()
def prompt(
    task: Annotated[str, typer.Option(help="What the user wants.")],
    screenshot: Annotated[
        Path, typer.Option(metavar="FILE", exists=True, dir_okay=False, help="PNG, JPEG or WebP.")
    ],
    dialect: Annotated[
        str, typer.Option(metavar="NAME", help="How the model speaks.")
    ] = "step0920",
    variant: Annotated[str | None, typer.Option(metavar="NAME", help="Model generation.")] = None,
    elements_file: Annotated[
        Path | None,
        typer.Option(metavar="TREE.xml", help="UI tree, for dialects with numbered elements."),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="zh|en", help="Language of the prompt.")
    ] = None,
    hint: Annotated[list[str] | None, typer.Option(help="A remark for the model.")] = None,
    config: ConfigOption = None,
) -> None:
    """Print the messages that a model would get for a first step."""
    from server.dialect_commands import prompt_command

    raise typer.Exit(
        prompt_command(
            dialect=dialect,
            variant=variant,
            task=task,
            screenshot=screenshot,
            elements_file=elements_file,
            language=language,
            hints=hint or [],
            config_dir=config,
        )
    )


AddressArgument = Annotated[str, typer.Argument(metavar="HOST[:PORT]", help="Its address.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]
SerialArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SERIAL]", help="Serial or name. Default: the only one that is ready."),
]


@app.command()
def connect(address: AddressArgument, as_json: JsonOption = False) -> None:
    """Connect a phone over the network (wireless debugging)."""
    from server.device_commands import connect_command

    raise typer.Exit(connect_command(address, as_json=as_json))


@app.command()
def pair(
    address: AddressArgument,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code on the phone's screen.")],
) -> None:
    """Pair with a phone that shows a pairing code (--help: how).

    On the phone: Developer options, Wireless debugging, Pair device with pairing code. The port
    is that of the dialog; the port to connect to afterwards is on the page behind it.
    """
    from server.device_commands import pair_command

    raise typer.Exit(pair_command(address, code))


@app.command()
def disconnect(address: AddressArgument) -> None:
    """Let a network phone go, with its keyboard given back."""
    from server.device_commands import disconnect_command

    raise typer.Exit(disconnect_command(address))


keyboard = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Install or remove the keyboard that types Chinese and emoji.",
)
app.add_typer(keyboard, name="keyboard")
app.add_typer(tasks, name="task")

privacy = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="What left this machine.",
)
app.add_typer(privacy, name="privacy")


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
    from server.privacy_command import report_command

    raise typer.Exit(report_command(session, log_dir=log_dir, config_dir=config, as_json=as_json))


@keyboard.command("install")
def keyboard_install(
    serial: SerialArgument = None, yes: YesOption = False, config: ConfigOption = None
) -> None:
    """Say what it does, ask, and install the helper keyboard."""
    from server.device_commands import keyboard_install_command

    raise typer.Exit(keyboard_install_command(serial, yes=yes, config_dir=config))


@keyboard.command("remove")
def keyboard_remove(
    serial: SerialArgument = None, yes: YesOption = False, config: ConfigOption = None
) -> None:
    """Take the helper keyboard off the phone again."""
    from server.device_commands import keyboard_remove_command

    raise typer.Exit(keyboard_remove_command(serial, yes=yes, config_dir=config))


@app.command()
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
    from server.record_commands import verify_command

    raise typer.Exit(
        verify_command(
            session, everything=everything, log_dir=log_dir, config_dir=config, as_json=as_json
        )
    )


@app.command()
def repair(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Mend a damaged session up to its first bad line.

    The damaged file is kept whole under another name. Stop the service first.
    """
    from server.record_commands import repair_command

    raise typer.Exit(repair_command(session, log_dir=log_dir, config_dir=config, as_json=as_json))


@app.command()
def delete(
    session: Annotated[str, typer.Argument(help="Session id, or its first characters.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    log_dir: LogDirOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete a session for good: its log, events and pictures.

    Beside a running service use DELETE /v1/sessions/{id} instead.
    """
    from server.record_commands import delete_command

    raise typer.Exit(delete_command(session, yes=yes, log_dir=log_dir, config_dir=config))


@app.command()
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
    from server.export_commands import export_command

    raise typer.Exit(
        export_command(
            session, everything=everything, filters=filters or [], to=to, format_name=format_name,
            redacted=redact, dialect=dialect, variant=variant, step_s=step_s, width_px=width_px,
            log_dir=log_dir, config_dir=config, as_json=as_json,
        )
    )  # fmt: skip


@app.command()
def mcp(log_dir: LogDirOption = None, config: ConfigOption = None) -> None:
    """Serve the phones as MCP tools on standard input and output.

    An MCP client starts this command itself. A service that runs (localserver serve) has the same
    tools at /mcp/.
    """
    from server.mcp_command import mcp_command

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

"""Commands on dialects alone: no phone, no model, no session. Options and help.

What a command does is imported when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from server.cli.options import ConfigOption, JsonOption

dialect_app = typer.Typer(rich_markup_mode=None)


@dialect_app.command()
def dialects(as_json: JsonOption = False) -> None:
    """List the dialects that can be spoken, with their models."""
    from server.commands.dialects import dialects_command

    raise typer.Exit(dialects_command(as_json=as_json))


@dialect_app.command()
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
    from server.commands.dialects import parse_command

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


@dialect_app.command()
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
    from server.commands.dialects import prompt_command

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

"""`localserver policy ...`: whether the policy is right, and why it decides as it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

policy_app = typer.Typer(
    name="policy",
    help="Check the rules of configs/policy.yaml, explain a decision.",
    no_args_is_help=True,
)
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="DIR", help="Folder with policy.yaml. Default: ./configs."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@policy_app.command()
def check(config: ConfigOption = None) -> None:
    """Say whether configs/policy.yaml is right; where it is not, which line."""
    from server.commands.policy import check_command

    raise typer.Exit(check_command(config))


@policy_app.command()
def explain(
    action: Annotated[
        str,
        typer.Option(
            metavar="JSON", help='As the log has it: {"action":"CLICK","point":[500,900]}'
        ),
    ],
    screen: Annotated[
        Path | None,
        typer.Option(metavar="TREE.xml", help="Dump of the screen. Default: it was not read."),
    ] = None,
    package: Annotated[
        str | None, typer.Option("--package", "-P", help="The app in front.")
    ] = None,
    task: Annotated[str, typer.Option("--task", "-T", help="The user's words.")] = "",
    size: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="Size of the screenshot. Default: that of the dump."),
    ] = None,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which rule fires for an action on a screen, and why; all that hold, strictest first."""
    from server.commands.policy import explain_command

    raise typer.Exit(
        explain_command(
            action,
            screen=screen,
            package=package,
            task=task,
            size=size,
            config_dir=config,
            as_json=as_json,
        )
    )

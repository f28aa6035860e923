"""Options that several commands of `localserver` take."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Locale(StrEnum):
    """Languages that the virtual phone speaks."""

    ZH = "zh"
    EN = "en"


SerialOption = Annotated[
    str | None,
    typer.Option(
        "--serial", "-s", metavar="SERIAL",
        help="Which phone, as `localserver devices` lists it. Default: the only one that is ready.",
    ),
]  # fmt: skip
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="DIR",
        help="Folder with server.yaml, model_config.yaml, apps.yaml. Default: ./configs.",
    ),
]  # fmt: skip
LogDirOption = Annotated[
    Path | None,
    typer.Option("--log-dir", metavar="DIR", help="Where sessions are kept. Default: ./logs."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]

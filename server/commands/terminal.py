"""How runs and lists look in a terminal. Text from models and screens is shown as inert text."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from server.pictures.contact_sheet import describe_action

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


def inert(text: object) -> str:
    """Make text from outside safe for a terminal: no control or escape characters, one line."""
    return "".join(
        " " if char in "\n\r\t" else char
        for char in str(text)
        if char in "\n\r\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )


def print_step(step: int, action: Mapping[str, Any], took_s: float | None) -> None:
    """One step as it happened: number, time, thought, action."""
    time_text = f"{took_s:5.1f} s" if took_s is not None else "       "
    thought = inert(action.get("cot") or action.get("explain") or "")
    console.print(
        Text.assemble(
            (f" {step:>2} ", "bold"),
            (f"{time_text}  ", "dim"),
            (inert(describe_action(dict(action))), "bold cyan"),
        ),
        soft_wrap=True,
    )
    if thought:
        console.print(Text(f"              {thought}", style="dim"), soft_wrap=True)


def print_error(error: Exception) -> None:
    """One clear line for an error of ours: code, message, remedy."""
    code = getattr(error, "code", type(error).__name__)
    errors.print(
        Text.assemble((f"{code}: ", "bold red"), inert(getattr(error, "message", error))),
        soft_wrap=True,
    )


def ask_person(question: str) -> str | None:
    """What the person at the terminal answers; None where nobody is there."""
    try:
        answer = console.input(Text(f"  {inert(question)}\n  your answer: "))
    except EOFError:
        return None
    return answer.strip() or None


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        # The first column is what a person copies: it stays whole.
        table.add_column(column, overflow="fold", no_wrap=place == 0)
    for row in rows:
        table.add_row(*(Text(inert(cell)) for cell in row))
    console.print(table)


def print_json(value: object) -> None:
    """Plain JSON on standard output, without colours."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=str) + "\n")

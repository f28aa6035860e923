"""`localserver sessions` and `show`: which sessions there are, and what happened in one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.text import Text

from server.commands.common import clear_errors, find_session, open_reader, read_settings
from server.commands.terminal import console, errors, inert, print_json, print_step, print_table
from server.errors import SessionNotFoundError
from server.pictures.contact_sheet import SheetStep, draw_contact_sheet


@clear_errors
def sessions_command(
    *, limit: int, log_dir: Path | None, config_dir: Path | None, as_json: bool
) -> int:
    """List sessions, the newest first."""
    settings = read_settings(config_dir, log_dir)
    summaries = open_reader(settings).list_sessions(limit, 0)
    if as_json:
        print_json([asdict(summary) for summary in summaries])
    elif summaries:
        print_table(
            ("SESSION", "LAST WRITTEN", "STEPS", "ENDED", "TASK"),
            [
                (
                    summary.session_id,
                    summary.updated_at,
                    summary.steps,
                    summary.stop_reason or "-",
                    summary.task,
                )
                for summary in summaries
            ],
        )
        use = open_reader(settings).measure()
        console.print(f"{use.sessions} sessions take {use.bytes / 1e6:.1f} MB", highlight=False)
    else:
        console.print("no session yet: `localserver demo` makes one")
    return 0


@clear_errors
def show_command(
    session: str,
    *,
    sheet: Path | None,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Show one session: its steps, its trouble, how it ended."""
    settings = read_settings(config_dir, log_dir)
    reader = open_reader(settings)
    session_id = find_session(settings, session)
    record = reader.read_session(session_id)
    steps = reader.read_steps(session_id, 1, sys.maxsize)  # a lost one leaves a gap
    events = reader.read_events(session_id, 0)
    if as_json:
        print_json({"session": asdict(record), "steps": steps, "events": events})
    else:
        console.print(Text.assemble(("session  ", "dim"), session_id))
        console.print(Text.assemble(("task     ", "dim"), inert(record.task)))
        console.print(Text.assemble(("dialect  ", "dim"), inert(record.task_type)))
        for step in steps:
            cost = step.get("llm_cost") or {}
            print_step(_number_of(step), step["action"], cost.get("llm_time"))
        for event in events:
            _print_trouble(event)
        console.print(Text.assemble(("ended    ", "dim"), record.stop_reason or "not ended"))
    if record.damage is not None:
        errors.print(
            Text.assemble(
                ("session.damaged: ", "bold red"),
                f"the log is damaged at line {record.damage['line']}, what was there is not shown; "
                f"`localserver verify {session_id[:8]}` says more, "
                f"`localserver repair {session_id[:8]}` mends it",
            ),
            soft_wrap=True,
        )
    if sheet is not None:
        cells = [
            SheetStep(number, reader.read_image(session_id, number)[0], step["action"])
            for step in steps
            for number in (_number_of(step),)
        ]
        if not cells:
            raise SessionNotFoundError(
                "this session has no answered step to draw; show it without --sheet"
            )
        sheet.write_bytes(
            draw_contact_sheet(cells, record.task, f"{record.stop_reason or ''} · {session_id}")
        )
        errors.print(f"drawn into {sheet}")
    return 0


def _number_of(step: Mapping[str, Any]) -> int:
    """The step's own number; the earliest logs tell it by the line alone."""
    return int(step.get("step", step["seq"]))


def _print_trouble(event: Mapping[str, Any]) -> None:
    """Events that tell what went wrong; the rest is in the events file."""
    kind = str(event.get("kind", ""))
    if kind not in ("rejection", "step_failed", "observe_retry", "device_outcome"):
        return
    data = event.get("data") or {}
    problem = data.get("error") or data.get("rejection") or data
    if not isinstance(problem, Mapping) or not problem.get("code"):
        return
    console.print(
        Text(f"  ! {kind} {problem['code']}: {inert(problem.get('message', ''))}", style="yellow"),
        soft_wrap=True,
    )

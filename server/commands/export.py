"""`localserver export`: recorded sessions in the formats of other tools."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from server.commands.common import (
    EXIT_COULD_NOT_RUN,
    EXIT_NO,
    clear_errors,
    find_session,
    read_settings,
)
from server.commands.terminal import console, errors, inert, print_json, print_table
from server.errors import BadRequestError
from server.export.episode import Episode, open_episode
from server.export.exporter import Exported, export_sessions
from server.export.formats import ExportOptions, list_formats
from server.export.formats import Progress as StepProgress
from server.export.selection import read_filters, select_sessions
from server.records.opening import open_files


@clear_errors
def export_command(
    session: str | None,
    *,
    everything: bool,
    filters: Sequence[str],
    to: Path | None,
    format_name: str | None,
    redacted: bool,
    dialect: str | None,
    variant: str | None,
    step_s: float,
    width_px: int,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Write sessions in one format; 1 when one of them could not be written."""
    if format_name is None:
        print_table(
            ("FORMAT", "WHAT IT IS"), [(name, one.about) for name, one in list_formats().items()]
        )
        return 0
    if (session is not None) + everything + bool(filters) != 1:
        raise BadRequestError("name one session, or say --all, or --filter key=value")
    if dialect is not None and format_name != "sft":
        raise BadRequestError("--dialect rebuilds prompts: it goes with --format sft")
    settings = read_settings(config_dir, log_dir)
    store = open_files(settings)
    if session is not None:
        episodes = iter([open_episode(store, find_session(settings, session))])
    else:
        episodes = select_sessions(
            store, read_filters(filters), lambda text: errors.print(Text(f"left out {text}"))
        )
    folder = to or Path(f"export-{format_name}")
    options = ExportOptions(dialect, variant, step_s, width_px, settings.config_dir)
    with _bar(shown=not as_json) as bar:

        def follow(episode: Episode) -> StepProgress:
            line = bar.add_task(inert(episode.task)[:40], total=episode.step_count)
            return lambda: bar.advance(line)

        done = export_sessions(
            episodes, folder, format_name, redacted=redacted, options=options, progress=follow
        )
    if as_json:
        print_json([one.to_wire() for one in done])
    else:
        _print_results(done, folder, redacted=redacted)
    if not done:
        errors.print("no session fits; `localserver sessions` lists them")
        return EXIT_COULD_NOT_RUN
    return EXIT_NO if any(one.status == "failed" for one in done) else 0


def _bar(*, shown: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
        TimeRemainingColumn(), console=errors, transient=True, disable=not shown,
    )  # fmt: skip


def _print_results(done: Sequence[Exported], folder: Path, *, redacted: bool) -> None:
    kinds: dict[str, int] = {}
    unchecked = 0
    for one in done:
        if one.status == "failed":
            errors.print(Text(f"{one.session_id}  failed: {inert(one.problem)}", style="red"))
            continue
        console.print(
            f"{one.session_id}  {one.status}  {one.steps} step(s)  {folder / one.files[0]}",
            soft_wrap=True,
        )
        for note in one.notes:
            console.print(f"  {inert(note)}", soft_wrap=True)
        for kind, count in one.redacted.get("kinds", {}).items():
            kinds[kind] = kinds.get(kind, 0) + count
        unchecked += len(one.redacted.get("unchecked_pictures", ()))
    if all(one.status == "failed" for one in done):
        return  # nothing was written, so there is nothing to say of it
    if not redacted:
        console.print("nothing was taken out (--no-redact): look before you share it")
    else:
        listed = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "nothing"
        console.print(f"taken out: {listed}", soft_wrap=True)
    if unchecked:
        console.print(
            f"{unchecked} picture(s) have no UI tree and were not checked: look before you share "
            "them",
            soft_wrap=True,
        )

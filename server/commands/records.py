"""`localserver verify`, `repair` and `delete`: look after the records of sessions."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from server.commands.common import (
    EXIT_COULD_NOT_RUN,
    EXIT_NO,
    clear_errors,
    find_session,
    read_settings,
)
from server.commands.terminal import console, errors, inert, print_json
from server.errors import BadRequestError
from server.records.opening import open_files, open_store
from server.upkeep import (
    Verdict,
    delete_session,
    finish_deletions,
    repair_session,
    verify_session,
)


@clear_errors
def verify_command(
    session: str | None,
    *,
    everything: bool,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Check one session, or all; 1 when something is wrong."""
    if (session is None) != everything:
        raise BadRequestError("name one session, or say --all")
    settings = read_settings(config_dir, log_dir)
    store = open_files(settings)
    if session is not None:
        session_ids = [find_session(settings, session)]
    else:
        session_ids = [one.session_id for one in store.list_sessions()]
    verdicts = [verify_session(store, session_id) for session_id in session_ids]
    if as_json:
        print_json([verdict.to_wire() for verdict in verdicts])
    else:
        _print_verdicts(verdicts, one_by_one=not everything)
    return 0 if all(verdict.sound for verdict in verdicts) else EXIT_NO


@clear_errors
def repair_command(
    session: str, *, log_dir: Path | None, config_dir: Path | None, as_json: bool
) -> int:
    """Mend a damaged session up to its first damaged line."""
    settings = read_settings(config_dir, log_dir)
    session_id = find_session(settings, session)
    store = open_store(settings)
    try:
        repair = repair_session(store, session_id)
        verdict = verify_session(store, session_id)
    finally:
        store.close()
    if as_json:
        print_json({"repair": repair.to_wire(), "verdict": verdict.to_wire()})
    else:
        console.print(f"{session_id}  {repair.steps} step(s) can be read and gone on from")
        for name in repair.kept_as:
            console.print(f"  the damaged file is kept as {name}", soft_wrap=True)
        _print_verdicts([verdict], one_by_one=False)
    return 0 if verdict.sound else EXIT_NO


@clear_errors
def delete_command(
    session: str, *, yes: bool, log_dir: Path | None, config_dir: Path | None
) -> int:
    """Delete a session with all that belongs to it."""
    settings = read_settings(config_dir, log_dir)
    session_id = find_session(settings, session)
    if not yes:
        answer = console.input(f"delete session {session_id} with its pictures for good? [y/N] ")
        if answer.strip().lower() not in ("y", "yes"):
            errors.print("nothing was deleted")
            return EXIT_COULD_NOT_RUN
    store = open_store(settings)
    try:
        finish_deletions(store)
        freed_bytes = delete_session(store, session_id, "asked")
    finally:
        store.close()
    console.print(f"deleted; {format_size(freed_bytes)} are free again")
    return 0


def format_size(size_bytes: int) -> str:
    """A size for people."""
    size = float(size_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _print_verdicts(verdicts: list[Verdict], *, one_by_one: bool) -> None:
    bad = [verdict for verdict in verdicts if not verdict.sound]
    for verdict in verdicts if one_by_one else bad:
        mark, style = ("ok", "green") if verdict.sound else ("BAD", "red")
        console.print(
            Text.assemble(
                (f"{mark:>4}  ", style),
                f"{verdict.session_id}  {verdict.steps} step(s)  {format_size(verdict.size_bytes)}",
            ),
            soft_wrap=True,
        )
        for finding in verdict.findings:
            console.print(f"      {finding.code}: {inert(finding.message)}", soft_wrap=True)
        if verdict.can_repair:
            console.print(f"      -> localserver repair {verdict.session_id[:8]}", soft_wrap=True)
    size = format_size(sum(verdict.size_bytes for verdict in verdicts))
    console.print(f"{len(verdicts)} session(s), {size}; {len(bad)} with something wrong")

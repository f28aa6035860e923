"""`localserver privacy report`: what left this machine in a session."""

from __future__ import annotations

from pathlib import Path

from server.commands.common import clear_errors, find_session, read_settings
from server.commands.terminal import console, inert, print_json, print_table
from server.privacy.report import summarise_sends
from server.records.opening import open_files
from server.session_reading import SessionReader


@clear_errors
def report_command(
    session: str, *, log_dir: Path | None, config_dir: Path | None, as_json: bool
) -> int:
    """Print the egress record of a session."""
    settings = read_settings(config_dir, log_dir)
    session_id = find_session(settings, session)
    events = SessionReader(open_files(settings)).read_events(session_id, 0)
    report = summarise_sends(session_id, events)
    if as_json:
        print_json(report)
        return 0
    if not report["sends"]:
        console.print(
            f"{session_id}: nothing is on record: the model was on this machine, and privacy off",
            soft_wrap=True,
        )
        return 0
    for host, facts in report["hosts"].items():
        where = "NOT this machine" if facts["remote"] else "this machine"
        console.print(
            inert(f"{host} ({where}): {facts['requests']} request(s), {facts['bytes']} bytes"),
            soft_wrap=True,
        )
    print_table(
        ("STEP", "AT", "LEVEL", "HOST", "BYTES", "SHA-256", "MASKED"),
        [
            (
                str(send.get("step")),
                str(send.get("at"))[11:19],
                str(send.get("level")),
                str(send.get("host")),
                str(send.get("bytes")),
                str(send.get("sha256"))[:16],
                ", ".join(f"{kind} {count}" for kind, count in (send.get("masked") or {}).items())
                or "-",
            )
            for send in report["sends"]
        ],
    )
    return 0

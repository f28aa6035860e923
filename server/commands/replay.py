"""`localserver replay`, `record-test` and `import`: recorded sessions run over again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

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
from server.export.episode import open_episode
from server.records.opening import open_files, open_store
from server.records.published import PictureLimits, find_logs, import_log
from server.records.reader import find_damage
from server.records.store import ReadsRecords, RecordStore
from server.replay.acting import ENDS, RepeatedStep, RepeatOptions, repeat_session
from server.replay.agreement import Agreement, summarise
from server.replay.asking import AskedStep, ask_session
from server.replay.fixture import record_test
from server.replay.rereading import ReplyReadAgain, reread_session
from server.settings import Settings


@clear_errors
def reread_command(
    session: str | None,
    *,
    everything: bool,
    fail_on_change: bool,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Read recorded replies with today's parsers; 1 where one changed and that was asked."""
    if (session is None) != everything:
        raise BadRequestError("name one session or a published log, or say --all")
    settings = read_settings(config_dir, log_dir)
    changed = unread = replies = failed = 0
    report: list[dict[str, Any]] = []
    with _open_sessions(settings, session) as (store, session_ids):
        for session_id in session_ids:
            try:
                read = list(reread_session(open_episode(store, session_id)))
            except Exception as error:
                if getattr(error, "code", None) is None or not everything:
                    raise
                failed += 1
                errors.print(Text(f"{session_id}: {inert(str(error))}"), soft_wrap=True)
                continue
            if (damage := find_damage(store.log(session_id))) is not None:
                failed += 1
                errors.print(
                    Text(
                        f"{session_id}: its log is damaged from line {damage.line} on, what is "
                        "lost there was not read; `localserver verify` says more"
                    ),
                    soft_wrap=True,
                )
            replies += len(read)
            changed += sum(one.verdict == "changed" for one in read)
            unread += sum(one.verdict == "not_read" for one in read)
            if as_json:
                replay = [one.to_wire() for one in read]
                report.append({"session_id": session_id, "replies": replay})
            else:
                _print_reread(session_id, read, whole=not everything)
    if as_json:
        totals = {"replies": replies, "changed": changed, "not_read": unread, "failed": failed}
        print_json({**totals, "sessions": report})
    else:
        console.print(
            f"{replies} replies, {changed} changed, {unread} could not be tried"
            + (f"; {failed} session(s) with something wrong" if failed else "")
        )
    return EXIT_NO if fail_on_change and (changed or failed) else 0


@clear_errors
def ask_command(
    session: str,
    *,
    model: str,
    provider: str | None,
    dialect: str | None,
    variant: str | None,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Put a session's prompts to a model and score how far it agrees."""
    from server.dialect_table import AUTO, DialectTable
    from server.model.client import ModelClient
    from server.model.providers import choose_model, read_key
    from server.prompts import ParserShelf

    settings = read_settings(config_dir, log_dir)
    target = choose_model(settings, provider, model, None)
    read_key(target)
    with _open_sessions(settings, session) as (store, (session_id, *_)):
        episode = open_episode(store, session_id)
        name, chosen_variant = episode.dialect, episode.variant
        if dialect is not None:
            choice = DialectTable(settings.config_dir).choose(
                dialect, target.model, variant=variant, default=AUTO
            )
            name, chosen_variant = choice.dialect, choice.variant
        parser = ParserShelf(settings.config_dir).get(name, variant=chosen_variant)
        asked: list[AskedStep] = []

        async def ask() -> None:
            client = ModelClient()
            try:
                async for step in ask_session(episode, client, target, parser, settings):
                    asked.append(step)
                    if not as_json:
                        _print_asked(step)
            finally:
                await client.close()

        asyncio.run(ask())
    scores = [one.agreement or Agreement(kind=False) for one in asked if not one.skipped]
    summary = {**summarise(scores), "skipped": sum(bool(one.skipped) for one in asked)}
    if as_json:
        about = {"session_id": session_id, "model": target.model, "dialect": parser.name}
        print_json({**about, "summary": summary, "steps": [one.to_wire() for one in asked]})
    else:
        console.print("  ".join(f"{key} {_share(value)}" for key, value in summary.items()))
    return 0 if scores else EXIT_COULD_NOT_RUN


@clear_errors
def act_command(
    session: str,
    *,
    serial: str,
    options: RepeatOptions,
    reset: bool,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Repeat a session's actions on a phone; 1 where it ended before the session's end."""
    from device.claims import PhoneClaims
    from device.still import wait_until_still
    from server.leases import hold_for_command
    from server.phones import AdbPhones
    from server.policy.rule_policy import RulePolicy

    settings = read_settings(config_dir, log_dir)
    phone = AdbPhones(settings).open(serial)
    policy = RulePolicy.load(settings.config_dir)
    done: list[RepeatedStep] = []
    claim = hold_for_command(PhoneClaims(settings.state_dir), phone.serial, "localserver replay")
    with _open_sessions(settings, session) as (store, (session_id, *_)), claim:
        episode = open_episode(store, session_id)
        if reset:
            phone.press_key("HOME")
            wait_until_still(phone, options.wait_s)
        for step in repeat_session(episode, phone, policy, options):
            done.append(step)
            if not as_json:
                _print_repeated(step)
    whole = bool(done) and done[-1].verdict not in ENDS
    if as_json:
        steps = [one.to_wire() for one in done]
        print_json({"session_id": session_id, "whole": whole, "steps": steps})
    else:
        console.print(f"{len(done)} of {episode.step_count} step(s) {'repeated' if whole else ''}")
    return 0 if whole else EXIT_NO


@clear_errors
def record_test_command(
    session: str,
    *,
    to: Path,
    redacted: bool,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Write a session as a pytest with its fixture; 1 where it would fail today."""
    settings = read_settings(config_dir, log_dir)
    with _open_sessions(settings, session) as (store, (session_id, *_)):
        recorded = record_test(open_episode(store, session_id), to, redacted=redacted)
    if as_json:
        print_json(
            {
                "test": str(recorded.test),
                "fixture": str(recorded.fixture),
                "differing": list(recorded.differing),
                "redacted": dict(recorded.redacted),
            }
        )
    else:
        console.print(f"pytest {recorded.test}", soft_wrap=True)
        if recorded.differing:
            steps = ", ".join(map(str, recorded.differing))
            console.print(f"it fails today: step {steps} gives another action than was recorded")
        unchecked = recorded.redacted.get("unchecked_pictures") or ()
        if unchecked:
            console.print(
                f"{len(unchecked)} picture(s) have no UI tree and were not checked: look before "
                "you share them"
            )
    return EXIT_NO if recorded.differing else 0


@clear_errors
def import_command(
    path: Path,
    *,
    images: Path | None,
    log_dir: Path | None,
    config_dir: Path | None,
    as_json: bool,
) -> int:
    """Take over logs of the published server; 1 where one could not be."""
    settings = read_settings(config_dir, log_dir)
    limits = PictureLimits(settings.max_image_bytes, settings.max_image_pixels)
    if not path.exists():
        raise BadRequestError(f"{path} is not there; name a log or a folder of logs")
    store = open_store(settings)
    report: list[dict[str, Any]] = []
    failed = 0
    try:
        for log in find_logs(path):
            try:
                done = import_log(store, log, limits, images)
            except Exception as error:
                if getattr(error, "code", None) is None:
                    raise
                failed += 1
                errors.print(Text(inert(str(error)), style="red"), soft_wrap=True)
                continue
            report.append({"log": str(log), "session_id": done.session_id, "steps": done.steps})
            report[-1] |= {"is_new": done.is_new, "missing_pictures": list(done.missing_pictures)}
            if not as_json:
                _print_imported(report[-1])
    finally:
        store.close()
    if as_json:
        print_json({"imported": report, "failed": failed})
    return EXIT_NO if failed else 0


@contextmanager
def _open_sessions(
    settings: Settings, session: str | None
) -> Iterator[tuple[ReadsRecords, Sequence[str]]]:
    """The store and the sessions that are meant: all, one by its id, or a published log's."""
    if session is None:
        store = open_files(settings)
        yield store, [one.session_id for one in store.list_sessions()]
    elif session.endswith(".jsonl") and Path(session).is_file():
        with TemporaryDirectory() as scratch:
            taken = RecordStore(Path(scratch) / "traces", Path(scratch) / "images")
            limits = PictureLimits(settings.max_image_bytes, settings.max_image_pixels)
            try:
                yield taken, [import_log(taken, Path(session), limits).session_id]
            finally:
                taken.close()
    else:
        yield open_files(settings), [find_session(settings, session)]


def _print_reread(session_id: str, read: Sequence[ReplyReadAgain], *, whole: bool) -> None:
    shown = [one for one in read if whole or one.verdict == "changed"]
    if shown:
        console.print(session_id)
    for one in shown:
        which = "" if one.reask is None else f" (refused reply {one.reask + 1})"
        console.print(f"  step {one.step}{which}: {one.verdict.replace('_', ' ')} {one.why}")
        for change in one.changes:
            line = f"      {change.field}: {change.before!r} -> {change.now!r}"
            console.print(Text(inert(line), style="yellow"), soft_wrap=True)


def _print_asked(step: AskedStep) -> None:
    if step.skipped:
        console.print(Text(inert(f"  step {step.step}: left out: {step.skipped}")), soft_wrap=True)
        return
    score = step.agreement or Agreement(kind=False)
    proposed = step.proposed["action"] if step.proposed else (step.problem or {}).get("code", "")
    parts = {"kind": score.kind, "place": score.place, "text": score.text}
    said = " ".join(f"{name}={_yes(value)}" for name, value in parts.items() if value is not None)
    line = f"  step {step.step}: {step.recorded['action']} -> {proposed}  {said}"
    style = "green" if score.whole else "yellow"
    console.print(Text(inert(line), style=style), soft_wrap=True)


def _print_repeated(step: RepeatedStep) -> None:
    seen = step.likeness
    looks = "" if seen is None else f"  image {seen.image:.2f}"
    looks += "" if seen is None or seen.tree is None else f" tree {seen.tree:.2f}"
    line = f"  step {step.step}: {step.action} {step.verdict.replace('_', ' ')}{looks}"
    line += f"  {step.message}" if step.message else ""
    style = "red" if step.verdict in ENDS else ""
    console.print(Text(inert(line), style=style), soft_wrap=True)


def _print_imported(report: dict[str, Any]) -> None:
    state = "" if report["is_new"] else "  (is here already)"
    console.print(f"{report['session_id']}  {report['steps']} step(s){state}")
    if report["missing_pictures"]:
        steps = ", ".join(map(str, report["missing_pictures"]))
        console.print(f"  no picture was found for step {steps}; name their folder with --images")


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _share(value: object) -> str:
    return "-" if value is None else f"{value:.0%}" if isinstance(value, float) else str(value)

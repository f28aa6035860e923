"""Recorded replies are read again with today's parser, and what changed is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.cli import app
from server.local_server import LocalServer
from server.model.scripted_model import Say
from server.records.opening import open_files
from server.records.schema import FIRST_PREV, seal_line
from server.replay.rereading import Change, reread_session
from tests.server.core.conftest import paint, step_payload, step_reply
from tests.server.export.conftest import Record, Recording, think

TREE = """<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">
<node class="android.widget.FrameLayout" text="" bounds="[0,0][108,240]">
<node class="android.widget.Button" text="OK" bounds="[4,40][100,60]" clickable="true"
 enabled="true" /></node></hierarchy>"""
REPLIES = [
    think("explain:a|action:CLICK|point:500,320|summary:s"),
    think("explain:a|action:TYPE|value:牛奶|point:100,200|keyboard_exists:false|summary:s"),
    think("explain:a|action:COMPLETE|return:done|summary:s"),
]


def run_cli(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        app(list(arguments))
    return int(ended.value.code or 0), capsys.readouterr().out


def rewrite(recording: Recording, step: int, change: dict[str, Any]) -> None:
    """Make a step's logged action another one, as an older parser would have read it."""
    path = Path(recording.server.settings.log_dir) / f"{recording.session_id}.jsonl"
    lines, prev = [], FIRST_PREV
    for seq, raw in enumerate(path.read_text("utf-8").splitlines()):
        record = json.loads(raw)
        if record["message"].get("step") == step:
            record["message"]["action"].update(change)
        bare = {k: v for k, v in record.items() if k not in ("v", "seq", "prev", "hash")}
        line, prev = seal_line(bare, seq, prev)
        lines.append(line)
    path.write_bytes(b"".join(lines))


def test_replies_that_are_read_as_before_are_the_same(record: Record) -> None:
    read = list(reread_session(record(REPLIES).episode))
    assert [(one.step, one.reask, one.verdict) for one in read] == [
        (1, None, "same"), (2, None, "same"), (3, None, "same"),
    ]  # fmt: skip


def test_what_is_read_differently_is_named_field_by_field(record: Record) -> None:
    recording = record(REPLIES)
    rewrite(recording, 2, {"value": "牛", "clear": True})
    changed = [one for one in reread_session(recording.episode) if one.verdict == "changed"]
    assert [one.step for one in changed] == [2]
    assert changed[0].changes == (Change("value", "牛", "牛奶"), Change("clear", True, None))
    assert changed[0].raw == REPLIES[1]


def test_numbers_of_elements_are_checked_against_the_list_of_the_step(record: Record) -> None:
    replies = ["click(1)", "back()"]
    recording = record(replies, task_type="element_dsl", trees={1: TREE, 2: TREE})
    assert [one.verdict for one in reread_session(recording.episode)] == ["same", "same"]


def refused_session(serve: Any) -> tuple[LocalServer, str]:
    replies = [Say("no idea"), Say(step_reply()), *[Say("hm")] * 3]
    server, _ = serve(replies)
    task = {"task": "t", "task_type": "step0920", "model_config": {"model_name": "any"}}
    session_id = server.get_session(task)
    server.automate_step(step_payload(session_id, paint()))
    with pytest.raises(Exception, match="could not be read"):
        server.automate_step(step_payload(session_id, paint()))
    return server, session_id


def test_replies_that_were_refused_are_read_again_too(serve: Any) -> None:
    from server.export.episode import open_episode

    server, session_id = refused_session(serve)
    read = list(reread_session(open_episode(open_files(server.settings), session_id)))
    assert [(one.step, one.reask, one.verdict, one.raw[:4]) for one in read] == [
        (1, None, "same", "<THI"),
        (1, 0, "same", "no i"),
        (2, 0, "same", "hm"),
        (2, 1, "same", "hm"),
        (2, 2, "same", "hm"),
    ]
    assert read[1].before["rejection"] == read[1].now["rejection"]


def test_the_command_exits_1_where_a_change_must_fail(
    record: Record, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = record(REPLIES)
    recording.server.close()
    where = ["--log-dir", str(recording.server.settings.log_dir)]
    code, out = run_cli("replay", "--all", "--fail-on-change", "--json", *where, capsys=capsys)
    assert (code, json.loads(out)["changed"]) == (0, 0)
    rewrite(recording, 1, {"point": [1, 1]})
    code, out = run_cli("replay", "--all", "--json", *where, capsys=capsys)
    assert (code, json.loads(out)["changed"]) == (0, 1)
    code, out = run_cli("replay", "--all", "--fail-on-change", *where, capsys=capsys)
    assert code == 1
    assert "point: [1, 1] -> [500, 320]" in out
    code, out = run_cli("replay", recording.session_id[:8], "--json", *where, capsys=capsys)
    step = json.loads(out)["sessions"][0]["replies"][0]
    assert step["changes"] == {"point": {"before": [1, 1], "now": [500, 320]}}

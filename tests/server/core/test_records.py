"""The log: its form, its chain, and reading it whatever happened to it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import StorageBusyError, StorageError
from server.local_server import LocalServer
from server.model.scripted_model import Say, ScriptedModel
from server.records.lines import LocalLines
from server.records.logs import EventLog, SessionLog
from server.records.reader import read_events, read_log
from server.records.schema import (
    FIRST_PREV,
    dump_json,
    fold_texts,
    load_json,
    open_line,
    seal_line,
    unfold_texts,
)
from server.records.store import RecordStore
from server.settings import Settings

from .conftest import paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
SESSION_ID = "123e4567-e89b-42d3-a456-426614174000"


def write_log(path: Path, count: int) -> list[int]:
    """A log with `count` lines; the sizes of the file after each."""
    log = SessionLog(LocalLines(path), SESSION_ID)
    sizes = []
    for number in range(count):
        log.append({"number": number, "text": '你好 \u2028 \u0085 \\ " \n'})
        sizes.append(path.stat().st_size)
    return sizes


def test_a_session_s_log_is_what_step_gui_tools_read(serve: Serve) -> None:
    server, _ = serve([Say(step_reply()), Say(step_reply("action:HOME"))])
    model_config = {"model_name": "m", "args": {"temperature": 0.2}}
    payload = {
        "task": "打开设置",
        "task_type": "parser_0922_summary",
        "model_config": model_config,
        "extra_info": {"by": "me"},
    }
    session_id = server.get_session(payload)
    for _ in range(2):
        server.automate_step(step_payload(session_id, paint(), query="好"))
    path = server.settings.log_dir / f"{session_id}.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [list(line)[:3] for line in lines] == [["session_id", "timestamp", "message"]] * 3
    assert lines[0]["message"] == {
        "log_type": "session_start",
        "task": "打开设置",
        "task_type": "step0920",
        "model_config": model_config,
        "extra_info": {"by": "me"},
        "dialect": {"name": "step0920", "variant": None, "pattern": None},
    }
    for number, line in enumerate(lines[1:], start=1):
        message = line["message"]
        assert line["session_id"] == session_id
        assert {"environment", "action", "asked_messages", "model_response", "llm_cost"} <= set(
            message
        )
        assert message["environment"]["image"] == f"{session_id}/step_{number:04d}.png"
        assert message["environment"]["user_comment"] == "好"
        assert message["model_config"] == model_config
        assert set(message["llm_cost"]) == {"llm_time", "llm_start_time", "llm_end_time"}
        picture = server.settings.image_dir / message["environment"]["image"]
        assert picture.read_bytes() == paint()
    assert lines[1]["message"]["action"]["point"] == [500, 320]
    assert lines[2]["message"]["action"]["action"] == "HOME"
    assert [line["seq"] for line in lines] == [0, 1, 2]
    assert [line["prev"] for line in lines] == [FIRST_PREV, lines[0]["hash"], lines[1]["hash"]]


def test_a_log_holds_no_picture_and_no_constant_text_twice(serve: Serve) -> None:
    server, model = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    for _ in range(5):
        server.automate_step(step_payload(session_id, paint()))
    text = (server.settings.log_dir / f"{session_id}.jsonl").read_text(encoding="utf-8")
    assert "base64" not in text
    assert text.count("# 坐标") == 1
    asked = server.read_steps(session_id, start=5)[0]["asked_messages"]
    sent = model.requests[4].body["messages"]
    without_pictures = [
        [part for part in message["content"] if part["type"] == "text"]
        for message in (*asked, *sent)
    ]
    assert without_pictures[0] == without_pictures[1]


def test_lines_are_split_by_nothing_but_newlines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, 3)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3
    assert [line.message["text"] for line in read_log(path).lines] == [
        '你好 \u2028 \u0085 \\ " \n'
    ] * 3


def test_a_log_torn_at_any_byte_gives_all_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    sizes = write_log(path, 3)
    whole = path.read_bytes()
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        reading = read_log(path)
        good = [size for size in sizes if size <= length]
        assert [line.seq for line in reading.lines] == list(range(len(good)))
        assert reading.good_bytes == (good[-1] if good else 0)
        torn = length - reading.good_bytes
        if torn == 0:
            assert reading.damage is None
        else:
            assert reading.damage is not None
            assert (reading.damage.kind, reading.damage.cut_bytes) == ("torn_tail", torn)


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, 3)
    whole = path.read_bytes()
    for place in range(len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 0x01
        path.write_bytes(changed)
        assert read_log(path).damage is not None, f"byte {place}"


def test_a_line_that_is_gone_doubled_or_moved_is_noticed_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.jsonl"
    write_log(path, 4)
    one, two, three, four = path.read_bytes().splitlines(keepends=True)
    for lines, seqs in (
        ([one, three, four], [0, 2, 3]),
        ([one, two, two, three, four], [0, 1, 1, 2, 3]),
        ([one, three, two, four], [0, 2, 1, 3]),
        ([one, b"\0" * 40 + b"\n", two, three, four], [0, 1, 2, 3]),
    ):
        path.write_bytes(b"".join(lines))
        reading = read_log(path)
        assert reading.damage is not None and reading.damage.kind == "broken"
        assert [line.seq for line in reading.lines] == seqs


@given(st.binary(max_size=2000))
def test_a_reader_never_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(data)
    assert read_log(path).lines == ()
    read_events(path)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_what_is_sealed_is_what_is_opened(message: dict[str, Any]) -> None:
    line, digest = seal_line({"message": message}, 7, FIRST_PREV)
    assert line.count(b"\n") == 1 and line.endswith(b"\n")
    opened = open_line(line[:-1], 7, FIRST_PREV)
    assert opened is not None
    assert (opened.hash, opened.message) == (digest, message)


@given(st.text(st.characters(), max_size=20))
def test_any_text_survives_lone_surrogates_too(text: str) -> None:
    assert load_json(dump_json({"t": text + "\ud83d"})) == {"t": text + "\ud83d"}


def test_long_texts_are_folded_once_and_unfolded_whole() -> None:
    rules, short = "rule " * 100, "short"
    messages = [
        {"role": "system", "content": rules},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": rules},
                {"type": "text", "text": short},
                {"type": "image_url", "image_url": {"url": "s/step_0001.png"}},
            ],
        },
    ]
    folded, texts = fold_texts(messages, set())
    assert list(texts.values()) == [rules]
    assert rules not in json.dumps(folded)
    again, new_texts = fold_texts(messages, set(texts))
    assert (again, new_texts) == (folded, {})
    assert unfold_texts(folded, texts) == messages


def test_a_full_disk_leaves_the_log_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    path = tmp_path / "log.jsonl"
    log = SessionLog(LocalLines(path), SESSION_ID)
    log.append({"number": 0})
    before = path.read_bytes()
    real_write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: real_write(fd, data[:10]))
        with pytest.raises(StorageError, match="free space"):
            log.append({"number": 1})
    assert path.read_bytes() == before
    log.append({"number": 1})
    assert [line.message["number"] for line in read_log(path).lines] == [0, 1]


def test_events_from_many_threads_are_all_there_in_order(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    events = EventLog(LocalLines(tmp_path / "e.jsonl"), SESSION_ID)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: events.append("x", {"n": n}, False), range(200)))
    found = read_events(tmp_path / "e.jsonl").events
    assert [event["seq"] for event in found] == list(range(1, 201))
    assert {event["data"]["n"] for event in found} == set(range(200))


def test_a_second_process_is_refused_the_log_folder(
    serve: Serve, configure: Callable[..., Settings]
) -> None:
    import subprocess
    import sys

    server, _ = serve([])
    code = (
        "import sys; from pathlib import Path; from server.records.store import RecordStore\n"
        "from server.errors import StorageBusyError\n"
        "try: RecordStore(Path(sys.argv[1]), Path(sys.argv[2]))\n"
        "except StorageBusyError as error: print(error.code)\n"
        "else: print('taken')\n"
    )
    folders = [str(server.settings.log_dir), str(server.settings.image_dir)]

    def try_it() -> str:
        command = [sys.executable, "-c", code, *folders]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert try_it() == StorageBusyError.code
    server.close()
    assert try_it() == "taken"


def test_files_of_a_session_are_for_their_owner_alone(serve: Serve) -> None:
    server, _ = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    server.automate_step(step_payload(session_id, paint()))
    settings = server.settings
    files = [
        settings.log_dir / f"{session_id}.jsonl",
        settings.log_dir / f"{session_id}.events.jsonl",
        settings.image_dir / session_id / "step_0001.png",
    ]
    assert [path.stat().st_mode & 0o077 for path in files] == [0, 0, 0]


def test_a_store_makes_no_path_of_an_odd_name(tmp_path: Path) -> None:
    store = RecordStore(tmp_path / "l", tmp_path / "i")
    for name in ("../x.png", "/etc/passwd", "step_1.png/../../x", "a.png", "step_1.exe"):
        with pytest.raises(StorageError):
            store.image_path(SESSION_ID, name)
    store.close()

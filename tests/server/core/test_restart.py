"""A session goes on after the server was killed, at any moment, and says what it lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parsers.action import Info
from server.errors import SessionDamagedError, SessionNotFoundError
from server.local_server import LocalServer
from server.model.scripted_model import Hang, Say, ScriptedModel, wait_for_requests
from server.records.reader import read_log
from server.records.store import RecordStore
from server.recovery import rebuild_session
from server.settings import Settings

from .conftest import Script, paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
CHILD = """
import json, sys
from pathlib import Path
from server.local_server import LocalServer
from server.settings import ProviderConfig, load_settings

base_url, configs, log_dir, image_dir, picture = sys.argv[1:6]
settings = load_settings(
    Path(configs), log_dir=Path(log_dir), image_dir=Path(image_dir),
    providers={"scripted": ProviderConfig(api_base=base_url, default_model="any")},
)
server = LocalServer(settings)
for line in sys.stdin:
    command = json.loads(line)
    if command["do"] == "open":
        answer = server.get_session({"task": "a task"})
    else:
        answer = server.automate_step({
            "session_id": command["session_id"], "idempotency_key": command.get("key"),
            "observation": {
                "screenshot": {"type": "image_bytes", "data": Path(picture).read_bytes()},
                "query": command.get("query"),
            },
        })
    print(json.dumps(answer), flush=True)
"""


class Child:
    """A LocalServer in a process of its own, driven line by line."""

    def __init__(self, model: ScriptedModel, settings: Settings, picture: Path) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                CHILD,
                model.base_url,
                str(settings.config_dir),
                str(settings.log_dir),
                str(settings.image_dir),
                str(picture),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def send(self, **command: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def ask(self, **command: Any) -> Any:
        assert self.process.stdout is not None
        self.send(**command)
        return json.loads(self.process.stdout.readline())

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def spawn(
    play: Callable[[Script], ScriptedModel], configure: Callable[..., Settings], tmp_path: Path
) -> Iterator[Callable[[ScriptedModel], Child]]:
    children: list[Child] = []
    picture = tmp_path / "screen.png"
    picture.write_bytes(paint())

    def start(model: ScriptedModel) -> Child:
        children.append(Child(model, configure(model), picture))
        return children[-1]

    yield start
    for child in children:
        child.kill()


def test_a_session_goes_on_after_kill_9_between_and_in_the_middle_of_steps(
    play: Callable[[Script], ScriptedModel],
    spawn: Callable[[ScriptedModel], Child],
    configure: Callable[..., Settings],
) -> None:
    script = [
        Say(step_reply("action:INFO\tvalue:which day?", summary="asked for the day")),
        Say(step_reply("action:HOME", summary="went home")),
        Hang(),
        Say(step_reply("action:BACK", summary="went back")),
    ]
    model = play(script)
    child = spawn(model)
    session_id = child.ask(do="open")
    assert child.ask(do="step", session_id=session_id)["current_step"] == 1
    child.kill()

    child = spawn(model)
    answer = child.ask(do="step", session_id=session_id, query="friday", key="k")
    assert (answer["current_step"], answer["action"]["action"]) == (2, "HOME")
    prompt = json.dumps(model.requests[1].body["messages"], ensure_ascii=False)
    assert "asked for the day" in prompt and "which day?" in prompt and "friday" in prompt
    child.send(do="step", session_id=session_id)
    wait_for_requests(model, 3)
    child.kill()

    server = LocalServer(configure(model))
    try:
        payload = step_payload(session_id, paint(), query="friday")
        assert server.automate_step({**payload, "idempotency_key": "k"}) == answer
        assert server.automate_step(step_payload(session_id, paint()))["current_step"] == 3
        recovered = [e for e in server.read_events(session_id) if e["kind"] == "session_recovered"]
        assert [e["data"]["interrupted_step"] for e in recovered] == [3]
        record = server.read_session(session_id)
        assert (record.steps, record.damage, record.can_continue) == (3, None, True)
        folder = server.settings.image_dir / session_id
        names = sorted(path.name for path in folder.iterdir())
        assert names[:2] == ["step_0001.png", "step_0002.png"] and names[2] == "step_0003.png"
        assert len(names) == 4 and names[3] in recovered[0]["data"]["images"]
    finally:
        server.close()


def restart(server: LocalServer) -> LocalServer:
    settings = server.settings
    server.close()
    return LocalServer(settings)


def test_a_line_that_was_half_written_is_cut_off_and_reported(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    for _ in range(2):
        server.automate_step(step_payload(session_id, paint()))
    path = server.settings.log_dir / f"{session_id}.jsonl"
    whole = path.read_bytes()
    torn = whole[: whole.rindex(b"\n", 0, -1) + 1]
    path.write_bytes(whole[:-30])
    with (server.settings.log_dir / f"{session_id}.events.jsonl").open("ab") as events:
        events.write(b'{"seq": 99, "kind": "ha')

    server = restart(server)
    try:
        assert server.read_session(session_id).damage == {
            "kind": "torn_tail",
            "line": 3,
            "good_bytes": len(torn),
            "cut_bytes": len(whole) - 30 - len(torn),
        }
        assert server.automate_step(step_payload(session_id, paint()))["current_step"] == 2
        assert path.read_bytes().startswith(torn)
        assert server.read_session(session_id).damage is None
        events_now = server.read_events(session_id)
        recovered = next(e for e in events_now if e["kind"] == "session_recovered")
        assert recovered["data"]["log_damage"]["kind"] == "torn_tail"
        assert recovered["data"]["events_damage"]["kind"] == "torn_tail"
        assert recovered["data"]["steps"] == 1
        assert [event["seq"] for event in events_now] == list(range(1, len(events_now) + 1))
    finally:
        server.close()


def test_whatever_a_crash_leaves_of_a_step_the_session_goes_on_without_it(
    serve: Serve, tmp_path: Path
) -> None:
    server, _ = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    for _ in range(2):
        server.automate_step(step_payload(session_id, paint()))
    settings = server.settings
    server.close()
    whole = (settings.log_dir / f"{session_id}.jsonl").read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    images = settings.image_dir / session_id
    picture = (images / "step_0002.png").read_bytes()
    store = RecordStore(settings.log_dir, settings.image_dir)
    try:
        for length in (last, *range(last + 1, len(whole), 61), len(whole) - 1):
            (settings.log_dir / f"{session_id}.jsonl").write_bytes(whole[:length])
            (images / "step_0002.png").write_bytes(picture)
            (images / "step_0002.png.part").write_bytes(picture[:20])
            session = rebuild_session(store, session_id)
            assert session.next_number == 2
            assert session.log.size_bytes == last
            assert not (images / "step_0002.png").exists()
            assert list(images.glob("*.part")) == []
            session.log.append({"environment": {}, "action": {}})
            assert read_log(store.log(session_id)).damage is None
    finally:
        store.close()


def test_a_log_damaged_in_the_middle_can_be_read_and_not_continued(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    for _ in range(3):
        server.automate_step(step_payload(session_id, paint()))
    path = server.settings.log_dir / f"{session_id}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"did it", b"did IT")
    path.write_bytes(b"".join(lines))

    server = restart(server)
    try:
        with pytest.raises(SessionDamagedError) as caught:
            server.automate_step(step_payload(session_id, paint()))
        assert caught.value.details["damage"]["line"] == 3
        assert [step["step"] for step in server.read_steps(session_id)] == [1, 3]
        assert server.read_session(session_id).can_continue is False
        assert path.read_bytes() == b"".join(lines)
    finally:
        server.close()


def test_a_log_without_its_first_line_is_no_session(serve: Serve) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    path = server.settings.log_dir / f"{session_id}.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    server = restart(server)
    try:
        with pytest.raises(SessionNotFoundError):
            server.automate_step(step_payload(session_id, paint()))
        assert server.list_sessions() == []
    finally:
        server.close()


def test_a_rebuilt_session_is_the_session(serve: Serve) -> None:
    replies = iter(["action:INFO\tvalue:why?", "action:CLICK\tpoint:1,2", "action:WAIT\tvalue:2"])
    server, _ = serve(lambda _: Say(step_reply(next(replies))))
    session_id = server.get_session(
        {"task": "t", "task_type": "step0920", "extra_info": {"hints": ["a hint"]}}
    )
    for query in ("", "because", ""):
        server.automate_step(step_payload(session_id, paint(), query=query))
    before = server._book._sessions[session_id]
    server = restart(server)
    try:
        server.record_event(session_id, "note", {})
        after = server._book._sessions[session_id]
        for name in (
            "request",
            "dialect",
            "environments",
            "actions",
            "dialogue",
            "policies",
            "picture_hashes",
            "known_texts",
        ):
            assert getattr(after, name) == getattr(before, name), name
        assert isinstance(after.actions[0], Info)
        assert after.log.last_hash == before.log.last_hash
        server.close_session(session_id, "TASK_COMPLETED_SUCCESSFULLY")
        assert session_id not in server._book._sessions  # its log brings it back
    finally:
        server.close()


def test_a_session_that_left_memory_comes_back_from_its_log(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(step_reply()), max_sessions_in_memory=2)
    ids = [server.get_session({"task": f"task {n}"}) for n in range(6)]
    for number in (1, 2):
        for session_id in ids:
            answer = server.automate_step(step_payload(session_id, paint()))
            assert answer["current_step"] == number
    assert len(server._book._sessions) <= 2


def test_two_objects_of_one_process_see_each_other_s_steps(
    serve: Serve, configure: Callable[..., Settings]
) -> None:
    server, _ = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    other = LocalServer(server.settings)
    try:
        numbers = [
            one.automate_step(step_payload(session_id, paint()))["current_step"]
            for one in (server, other, server, other)
        ]
        assert numbers == [1, 2, 3, 4]
    finally:
        other.close()

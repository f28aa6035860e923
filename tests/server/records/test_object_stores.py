"""Sessions in object stores: real servers of S3's and Cloud Storage's protocols, over HTTP."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from gcp_storage_emulator.server import create_server
from moto.server import ThreadedMotoServer

from server.errors import ConfigError, SessionNotFoundError, StorageError
from server.local_server import LocalServer
from server.records.object_store import TRACES, ObjectLines, ObjectStore
from server.records.objects import Objects, open_objects
from server.records.reader import read_log
from server.session_reading import SessionReader
from server.settings import load_settings
from server.upkeep import repair_session, verify_session
from tests.crash.child import CONFIGS, settings_for, small_png
from tests.server.records.house import CountingModel, take_step


@pytest.fixture(scope="module")
def s3_address() -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="module")
def gcs_address() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket="traces")
    server.start()
    yield f"http://127.0.0.1:{port}"
    server.stop()


def use_s3(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    boto3.client("s3").create_bucket(Bucket="traces")


@pytest.fixture(params=["s3", "gs"])
def url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A prefix of its own in an empty-enough bucket."""
    if request.param == "s3":
        use_s3(request.getfixturevalue("s3_address"), monkeypatch)
    else:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", request.getfixturevalue("gcs_address"))
    return f"{request.param}://traces/{tmp_path.name}"


@pytest.fixture
def serve(url: str, tmp_path: Path) -> Iterator[Callable[[], LocalServer]]:
    """Start a server on the object store; a second start knows it from its objects alone."""
    servers: list[LocalServer] = []

    def start() -> LocalServer:
        for server in servers:
            server.close()
        settings = settings_for(tmp_path).model_copy(update={"record_url": url})
        servers.append(LocalServer(settings, model_client=CountingModel()))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def keys_of(objects: Objects) -> list[str]:
    return [one.key for one in objects.list("")]


def test_a_session_lives_in_the_object_store_and_goes_on_after_a_restart(
    serve: Callable[[], LocalServer], url: str, tmp_path: Path
) -> None:
    server = serve()
    session_id = server.get_session({"task": "打开设置"})
    answers = [take_step(server, session_id, n, idempotency_key=f"k{n}") for n in (1, 2)]
    objects = open_objects(url)
    lines = [f"{TRACES}{session_id}.jsonl.d/{number:010}" for number in range(3)]
    images = [f"images/{session_id}/step_{number:04}.png" for number in (1, 2)]
    assert [key for key in keys_of(objects) if ".events." not in key] == [*images, *lines]
    assert list(tmp_path.iterdir()) == [], "nothing is on this machine"

    server = serve()
    assert take_step(server, session_id, 2, idempotency_key="k2") == answers[1]
    assert take_step(server, session_id, 3)["current_step"] == 3
    assert server.read_image(session_id, 3) == (small_png(3), "image/png")
    assert [step["action"] for step in server.read_steps(session_id)][:2] == [
        answer["action"] for answer in answers
    ]
    assert [s.session_id for s in server.list_sessions()] == [session_id]
    assert verify_session(ObjectStore(objects), session_id).sound


def test_an_ended_session_is_one_object_and_may_still_go_on(
    serve: Callable[[], LocalServer], url: str
) -> None:
    server = serve()
    session_id = server.get_session({"task": "t"})
    take_step(server, session_id, 1)
    store = ObjectStore(open_objects(url))
    before = b"".join(store.log(session_id).read())
    server.close_session(session_id, "TASK_COMPLETED_SUCCESSFULLY")
    keys = [key for key in keys_of(open_objects(url)) if key.startswith(TRACES)]
    assert keys == [f"{TRACES}{session_id}.events.jsonl", f"{TRACES}{session_id}.jsonl"]
    assert b"".join(store.log(session_id).read()) == before
    assert take_step(server, session_id, 2)["current_step"] == 2
    server = serve()
    assert take_step(server, session_id, 3)["current_step"] == 3
    assert verify_session(store, session_id).sound
    assert SessionReader(store).read_session(session_id).steps == 3


def test_a_compaction_that_was_cut_short_doubles_no_line(url: str) -> None:
    objects = open_objects(url)
    lines = ObjectLines(objects, f"{TRACES}x.jsonl")
    for number in range(4):
        lines.append(b"line %d\n" % number, durable=True)
    whole = b"".join(lines.read())
    objects.put(f"{TRACES}x.jsonl", whole)  # as if killed before the single lines were removed
    assert b"".join(lines.read()) == whole
    assert (lines.count(), lines.size_bytes()) == (4, len(whole))
    objects.delete(f"{TRACES}x.jsonl.d/{3:010}")
    again = ObjectLines(objects, f"{TRACES}x.jsonl")
    again.append(b"line 4\n", durable=True)
    again.compact()
    assert b"".join(again.read()) == whole + b"line 4\n"
    assert [key for key in keys_of(objects) if key.startswith(TRACES)] == [f"{TRACES}x.jsonl"]


def test_of_two_writers_one_is_refused_and_nothing_is_overwritten(
    s3_address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_s3(s3_address, monkeypatch)  # Cloud Storage's emulator does not know the precondition
    objects = open_objects(f"s3://traces/{tmp_path.name}")
    one, other = (ObjectLines(objects, f"{TRACES}x.jsonl") for _ in range(2))
    one.append(b"0\n", durable=True)
    other.append(b"1\n", durable=True)
    with pytest.raises(FileExistsError):
        one.append(b"another 1\n", durable=True)
    assert b"".join(one.read()) == b"0\n1\n"


def test_a_damaged_session_is_repaired_and_a_deleted_one_is_gone(
    serve: Callable[[], LocalServer], url: str
) -> None:
    server = serve()
    session_id = server.get_session({"task": "t"})
    for number in (1, 2, 3):
        take_step(server, session_id, number)
    objects = open_objects(url)
    store = ObjectStore(objects)
    key = f"{TRACES}{session_id}.jsonl.d/{2:010}"
    objects.put(key, objects.get(key).replace(b"step", b"stop", 1))
    assert [one.code for one in verify_session(store, session_id).findings] == ["log_broken"]
    repair = repair_session(store, session_id)
    assert (repair.steps, len(repair.kept_as)) == (1, 1)
    assert verify_session(store, session_id).sound
    server = serve()
    assert take_step(server, session_id, 4)["current_step"] == 2
    server.delete_session(session_id)
    assert [key for key in keys_of(objects) if session_id in key] == []
    with pytest.raises(SessionNotFoundError):
        server.read_session(session_id)
    assert session_id.encode() in b"".join(store.deletions().read())


def test_a_store_that_cannot_be_used_is_told_at_the_start(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = url.replace("://traces/", "://no-such-bucket/")
    settings = settings_for(tmp_path).model_copy(update={"record_url": missing})
    with pytest.raises(StorageError, match="check the bucket's name"):
        LocalServer(settings)
    for name in ("AWS_DEFAULT_REGION", "STORAGE_EMULATOR_HOST"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("s3://bucket/a/prefix", "s3://bucket/a/prefix"),
        (Path("s3://bucket/a/prefix"), "s3://bucket/a/prefix"),
        ("gs://bucket", "gs://bucket"),
        ("/var/log/traces", None),
    ],
)
def test_a_log_folder_may_be_the_address_of_an_object_store(
    given: str | Path, expected: str | None
) -> None:
    settings = load_settings(CONFIGS, log_dir=given)
    assert settings.record_url == expected


def test_an_odd_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="record_url"):
        load_settings(CONFIGS, log_dir="s3://Bad Bucket/x")


def test_a_log_that_is_missing_has_no_lines(url: str) -> None:
    lines = ObjectLines(open_objects(url), f"{TRACES}none.jsonl")
    assert (lines.exists(), read_log(lines).lines, lines.read_tail()) == (False, (), [])

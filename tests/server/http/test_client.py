from __future__ import annotations

import base64
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from device.errors import AppNotFoundError, DeviceError
from device.scripted_device import ScriptedDevice
from parsers.errors import ParserError, UnknownDialectError
from server.agent_loop import run_task
from server.errors import (
    ImageError,
    ImageSourceError,
    ModelConfigError,
    ReplyUnreadableError,
    ServerError,
    SessionNotFoundError,
)
from server.http.client import (
    ForeignAnswerError,
    RemoteLocalServer,
    ServerUnreachableError,
    error_from_answer,
)
from server.http.errors import UnauthorizedError, error_response
from server.local_server import LocalServer
from server.loop.options import LoopOptions
from server.model.scripted_model import Say, wait_for_requests
from tests.server.http.conftest import AWAKE, CLICK, COMPLETE, INSTALLED, Service, Start, a_png

UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


def a_step(session_id: str, screenshot: dict[str, Any]) -> dict[str, Any]:
    return {"session_id": session_id, "observation": {"screenshot": screenshot}}


def pictures(folder: Path) -> Iterator[dict[str, Any]]:
    """One picture in all the ways that a caller in process may give it."""
    path = folder / "a b.png"
    path.write_bytes(a_png())
    encoded = base64.b64encode(a_png()).decode()
    yield {"type": "image_bytes", "data": a_png()}
    yield {"type": "image_url", "image_url": {"url": str(path)}}
    yield {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{encoded}"}}


def test_the_remote_server_answers_as_the_one_in_process_does(start: Start, tmp_path: Path) -> None:
    service = start(lambda request: CLICK)
    local = service.parts.server
    for picture in pictures(tmp_path):
        answers = [
            server.automate_step(a_step(server.get_session({"task": "打开设置"}), picture))
            for server in (local, service.client)
        ]
        assert answers[0] == answers[1]
    prompts = [request.body["messages"] for request in service.model.requests]
    assert all(prompt == prompts[0] for prompt in prompts)


def test_a_loop_runs_over_http_as_it_does_in_process(start: Start) -> None:
    service = start([AWAKE, CLICK, COMPLETE] * 2)
    servers: list[LocalServer | RemoteLocalServer] = [service.parts.server, service.client]
    journals = []
    for server in servers:
        phone = ScriptedDevice(["a", "b", "c"], installed=INSTALLED)
        result = run_task(server, phone, "打开设置", options=LoopOptions(max_still_s=0))
        assert result.completed
        session = service.client.read_session(result.session_id)
        assert session["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY"
        events = service.client.read_events(result.session_id)
        kinds = [event["kind"] for event in events]
        assert kinds.count("device_intent") == kinds.count("device_outcome") == 2
        journals.append([(call.name, call.args) for call in phone.inputs()])
    assert journals[0] == journals[1]


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        ({"task": "x", "task_type": "no_such"}, UnknownDialectError),
        ({"task": "x", "model_config": {"model_provider": "no_such"}}, ModelConfigError),
    ],
)
def test_the_same_mistake_raises_the_same_error_on_both_sides(
    shared: Service, payload: dict[str, Any], kind: type[Exception]
) -> None:
    raised = []
    for server in (shared.parts.server, shared.client):
        with pytest.raises(kind) as error:
            server.get_session(payload)
        assert type(error.value) is kind
        raised.append(str(error.value))
    assert raised[0] == raised[1]


def test_errors_of_steps_are_typed_over_http(start: Start) -> None:
    service = start([Say("no action here")] * 3)
    session_id = service.client.get_session({"task": "x"})
    with pytest.raises(SessionNotFoundError):
        service.client.automate_step(a_step(UNKNOWN_ID, {"type": "image_bytes", "data": a_png()}))
    with pytest.raises(ImageError):
        service.client.automate_step(a_step(session_id, {"type": "image_bytes", "data": b"x"}))
    with pytest.raises(ImageSourceError):
        url = {"type": "image_url", "image_url": {"url": "http://127.0.0.1:9/x"}}
        service.client.automate_step(a_step(session_id, url))
    with pytest.raises(ReplyUnreadableError) as unreadable:
        service.client.automate_step(a_step(session_id, {"type": "image_bytes", "data": a_png()}))
    assert unreadable.value.details["rejection"]


@pytest.mark.parametrize(
    "error",
    [
        AppNotFoundError("no such app; name another", candidates=["Notes"]),
        SessionNotFoundError("no such session; open one"),
        UnknownDialectError("no such dialect; see the list"),
        ReplyUnreadableError("unreadable; look at the log", rejection="bad_point", span="x"),
    ],
)
def test_every_error_comes_back_as_what_it_was(
    error: ServerError | DeviceError | ParserError,
) -> None:
    answer = error_response(error)
    back = error_from_answer(httpx2.Response(answer.status_code, content=bytes(answer.body)))
    assert type(back) is type(error)
    assert (str(back), getattr(back, "details", None)) == (str(error), error.details)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"error": "x"}', b'{"error": {"code": "x"}}']
)
def test_an_answer_of_something_else_is_called_so(body: bytes) -> None:
    assert isinstance(error_from_answer(httpx2.Response(502, content=body)), ForeignAnswerError)


def test_a_code_of_a_newer_server_keeps_its_name() -> None:
    body = {"error": {"code": "new.thing", "message": "m", "retryable": True, "details": {}}}
    error = error_from_answer(httpx2.Response(418, json=body))
    assert isinstance(error, ForeignAnswerError)
    assert error.details["code"] == "new.thing"


def test_nobody_there_is_a_typed_error_with_a_remedy() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    client = RemoteLocalServer(f"http://127.0.0.1:{port}")
    assert not client.is_ready()
    with pytest.raises(ServerUnreachableError) as error:
        client.get_session({"task": "x"})
    assert "localserver serve" in error.value.message


def test_the_token_is_sent(start: Start) -> None:
    service = start(api_token="the right token")
    with pytest.raises(UnauthorizedError):
        RemoteLocalServer(service.url, token="another").list_sessions()
    assert RemoteLocalServer(service.url, token="the right token").list_sessions() == []


def test_on_the_same_machine_the_token_is_found(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCALSERVER_API_TOKEN", raising=False)
    monkeypatch.setenv("LOCALSERVER_STATE_DIR", str(tmp_path / "state"))
    service = start(state_dir=tmp_path / "state")
    assert RemoteLocalServer(service.url).list_sessions() == []


def test_an_answer_that_is_lost_on_the_way_costs_no_second_step(start: Start) -> None:
    service = start([CLICK, AWAKE])
    relay = LossyRelay(service.url)
    client = RemoteLocalServer(relay.url, service.token)
    session_id = client.get_session({"task": "打开设置"})
    relay.lose_next_answer()
    answer = client.automate_step(a_step(session_id, {"type": "image_bytes", "data": a_png()}))
    assert (answer["current_step"], answer["action"]["action"]) == (1, "CLICK")
    assert len(service.model.requests) == 1
    assert relay.lost == 1
    relay.close()


def test_a_line_that_breaks_while_the_model_thinks_costs_no_second_step(start: Start) -> None:
    service = start([replace(CLICK, wait_s=1.0), AWAKE], session_busy_wait_s=0.1)
    relay = LossyRelay(service.url)
    client = RemoteLocalServer(relay.url, service.token)
    step = a_step(client.get_session({"task": "x"}), {"type": "image_bytes", "data": a_png()})
    cutting = threading.Thread(
        target=lambda: (wait_for_requests(service.model, 1), relay.cut()), daemon=True
    )
    cutting.start()
    answer = client.automate_step(step)
    assert (answer["current_step"], answer["action"]["action"]) == (1, "CLICK")
    assert len(service.model.requests) == 1
    relay.close()


class LossyRelay:
    """Stands between client and server, and cuts the line just before an answer."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.lost = 0
        self._lose = False
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def lose_next_answer(self) -> None:
        self._lose = True

    def cut(self) -> None:
        """Break every open line."""
        for end in self._open:
            _hang_up(end)

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            self._open += [near, far]
            threading.Thread(target=self._pump, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near, True), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        try:
            while data := source.recv(65536):
                if is_answer and self._lose:
                    self._lose = False
                    self.lost += 1
                    break
                sink.sendall(data)
        except OSError:
            pass  # the other side closed first
        _hang_up(source)
        _hang_up(sink)


def _hang_up(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it is down already

"""A model that follows a script: a real OpenAI-compatible HTTP server on the loopback.

For tests and for trying a client's error handling: it plays given replies and faults in order and
keeps every request.

Example:
    ```python
    with ScriptedModel([Say("action:HOME"), Fail(503)]) as model:
        ...  # point a provider's api_base at model.base_url
        assert model.requests[0].body["model"] == "any"
    ```
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, assert_never


@dataclass(frozen=True, slots=True)
class Say:
    """A chat completion."""

    content: str | None = ""
    reasoning: str | None = None
    reasoning_field: str = "reasoning_content"
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    refusal: str | None = None
    finish_reason: str | None = "stop"
    usage: Mapping[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    )
    wait_s: float = 0.0

    def to_body(self, number: int) -> bytes:
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            message[self.reasoning_field] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = list(self.tool_calls)
        if self.refusal is not None:
            message["refusal"] = self.refusal
        completion = {
            "id": f"scripted-{number}",
            "object": "chat.completion",
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
            "usage": self.usage,
        }
        return json.dumps(completion).encode("ascii")


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP error."""

    status: int
    message: str = "scripted failure"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """Any bytes as the body of an answer."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hang:
    """Take the request and stay silent for a while (or until the server is closed)."""

    seconds_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Drip:
    """One byte at a time."""

    body: bytes
    pause_s: float = 0.5


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection: before the answer, or in the middle of its body."""

    after_bytes: int | None = None


Turn = Say | Fail | Raw | Hang | Drip | Drop


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it came in; `raw` are the very bytes of its body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    raw: bytes = field(default=b"", repr=False)


class ScriptedModel:
    """The server; a context manager.

    Args:
        script: The turns in order, or a function from a request to its turn. When the turns are
            used up, a request is answered with HTTP 500 and that very message.
        port: 0 takes a free one.
    """

    def __init__(
        self, script: Iterable[Turn] | Callable[[RecordedRequest], Turn], port: int = 0
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self._script = script if callable(script) else list(script)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def next_turn(self, request: RecordedRequest) -> tuple[int, Turn]:
        """Take down the request; its number and what to answer."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        if callable(self._script):
            return number, self._script(request)
        if number > len(self._script):
            return number, Fail(500, f"the script has only {len(self._script)} turns")
        return number, self._script[number - 1]

    def sleep(self, seconds_s: float) -> None:
        """Sleep, but not past the closing of the server."""
        self._closing.wait(seconds_s)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], model: ScriptedModel) -> None:
        self.model = model
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of many scripts."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        self._answer(200, json.dumps(models).encode("ascii"), {})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        raw = self.rfile.read(length)
        body = json.loads(raw or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        model = self.server.model
        number, turn = model.next_turn(RecordedRequest(self.path, headers, body, raw))
        match turn:
            case Say():
                if turn.wait_s:
                    model.sleep(turn.wait_s)
                self._answer(200, turn.to_body(number), {})
            case Fail():
                error = {"error": {"message": turn.message, "type": "scripted"}}
                self._answer(turn.status, json.dumps(error).encode("ascii"), turn.headers)
            case Raw():
                self._answer(turn.status, turn.body, turn.headers)
            case Hang():
                model.sleep(turn.seconds_s)
                self._hang_up()
            case Drip():
                self._send_head(200, len(turn.body), {})
                for position in range(len(turn.body)):
                    self.wfile.write(turn.body[position : position + 1])
                    self.wfile.flush()
                    model.sleep(turn.pause_s)
            case Drop():
                if turn.after_bytes is not None:
                    self._send_head(200, turn.after_bytes + 100, {})
                    self.wfile.write(b"{" + b" " * turn.after_bytes)
                    self.wfile.flush()
                self._hang_up()
            case _:
                assert_never(turn)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the requests are kept instead."""

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self._send_head(status, len(body), headers)
        self.wfile.write(body)

    def _send_head(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        if "content-type" not in {name.lower() for name in headers}:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _hang_up(self) -> None:
        self.close_connection = True
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the client was faster


def wait_for_requests(model: ScriptedModel, count: int, timeout_s: float = 5.0) -> None:
    """Wait until the model has been asked `count` times.

    Raises:
        TimeoutError: It was not.
    """
    ends = time.monotonic() + timeout_s
    while len(model.requests) < count:
        if time.monotonic() > ends:
            raise TimeoutError(f"{len(model.requests)} of {count} requests came")
        time.sleep(0.005)

"""`RemoteLocalServer`: the in-process `LocalServer`'s methods over HTTP, with the same errors."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import quote, unquote, urlsplit

import httpx2

from device.errors import DeviceError
from parsers.errors import ParserError
from server.errors import ReplyUnreadableError, ServerError, SessionBusyError
from server.tokens import find_token

CONNECT_TIMEOUT_S = 5.0
TRANSPORT_ATTEMPTS = 3
TRANSPORT_PAUSE_S = 0.5
FORM_TEXTS = ("query", "ui_tree", "foreground", "last_result")


class ServerUnreachableError(ServerError):
    """No LocalServer answers at this address."""

    code: ClassVar[str] = "server.unreachable"
    status: ClassVar[int] = 503
    retryable: ClassVar[bool] = True


class ForeignAnswerError(ServerError):
    """Something answered, but not as LocalServer does, or with a code that we do not know."""

    code: ClassVar[str] = "server.foreign_answer"
    status: ClassVar[int] = 502


class RemoteLocalServer:
    """A LocalServer somewhere else. Safe to share between threads.

    Args:
        base_url: Its address, say `http://127.0.0.1:8704`.
        token: Its token; None: of a service on this machine it is found (`LOCALSERVER_API_TOKEN`,
            or the user's token file), to another machine none is sent.
        timeout_s: Longest wait for an answer; a step waits for the model.
    """

    def __init__(self, base_url: str, token: str | None = None, timeout_s: float = 300.0) -> None:
        self.base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._trees_wanted: dict[str, bool] = {}
        token = token or find_token(self.base_url)
        self._client = httpx2.Client(
            base_url=self.base_url,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx2.Timeout(timeout_s, connect=CONNECT_TIMEOUT_S),
            follow_redirects=False,
            trust_env=False,
            # Reading all certificates takes longer than a call: only where there is one to check.
            verify=self.base_url.lower().startswith("https:"),
        )

    # --- the walk, as in process ------------------------------------------------------------------

    def get_session(self, payload: Mapping[str, Any]) -> str:
        """Open a session; see `LocalServer.get_session`.

        Raises:
            ServerError: As in process, or `ServerUnreachableError`.
        """
        return str(self._json("POST", "/get_session", json=dict(payload))["session_id"])

    def automate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Give an observation, get an action; see `LocalServer.automate_step`.

        A picture given as bytes or as a local path is read here and sent as a file. The call
        carries an idempotency key, so that a connection that breaks costs no second step.

        Raises:
            ServerError: As in process, or `ServerUnreachableError`.
            OSError: The picture's path cannot be read.
        """
        session_id = str(payload["session_id"])
        key = str(payload.get("idempotency_key") or uuid.uuid4())
        observation = dict(payload["observation"])
        data = _picture_bytes(observation.get("screenshot"))
        path = f"/v1/sessions/{quote(session_id, safe='')}/steps"
        headers = {"Idempotency-Key": key}
        if data is None:
            body = {"observation": observation}
            return self._json("POST", path, json=body, headers=headers, attempts=TRANSPORT_ATTEMPTS)
        return self._json(
            "POST",
            path,
            files={"screenshot": ("screenshot", data, "application/octet-stream")},
            data=_form_texts(observation),
            headers=headers,
            attempts=TRANSPORT_ATTEMPTS,
        )

    def record_event(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None:
        """Write down what happened on a phone that is driven from here."""
        self._request("POST", _session(session_id, "events"), json={"kind": kind, "data": data})

    def close_session(self, session_id: str, stop_reason: str) -> None:
        """End a session: it takes no more steps."""
        self._request("POST", _session(session_id, "close"), json={"stop_reason": stop_reason})

    def delete_session(self, session_id: str) -> None:
        """Delete a session for good: its log, events and pictures; see `LocalServer`."""
        self._request("DELETE", f"/v1/sessions/{session_id}")

    def judge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Have an answered step judged by what the screen shows; see `LocalServer.judge_step`."""
        path = _session(session_id, "steps", str(step), "judge")
        return self._json("POST", path, json=dict(observation), attempts=TRANSPORT_ATTEMPTS)

    def wants_ui_tree(self, package: str | None) -> bool:
        """Whether the server's policy must read the screen while this app is in front."""
        name = package or ""
        if name not in self._trees_wanted:
            answer = self._json("GET", "/v1/policy", params={"package": name})
            self._trees_wanted[name] = bool(answer["wants_ui_tree"])
        return self._trees_wanted[name]

    # --- reading ----------------------------------------------------------------------------------

    def list_sessions(self, limit: int = 50, offset: int = 0) -> list[dict[str, Any]]:
        return self._list("/v1/sessions", "sessions", limit=limit, offset=offset)

    def read_session(self, session_id: str) -> dict[str, Any]:
        return self._json("GET", _session(session_id))

    def read_steps(self, session_id: str, start: int = 1, limit: int = 50) -> list[dict[str, Any]]:
        return self._list(_session(session_id, "steps"), "steps", start=start, limit=limit)

    def read_events(self, session_id: str, after_seq: int = 0) -> list[dict[str, Any]]:
        return self._list(_session(session_id, "events"), "events", after_seq=after_seq)

    def read_image(self, session_id: str, step: int) -> bytes:
        return self._request("GET", _session(session_id, "steps", str(step), "image")).content

    def is_ready(self) -> bool:
        """Whether a LocalServer answers there and can take steps."""
        try:
            return bool(self._json("GET", "/readyz")["status"] == "ready")
        except ServerError:
            return False

    # --- whole tasks and phones -------------------------------------------------------------------

    def start_task(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Hand over a whole task: `task`, `serial`, `max_steps`, ...; returns it with its ids.

        It carries an idempotency key: a connection that breaks starts no second task.
        """
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._json(
            "POST", "/v1/tasks", json=dict(body), headers=headers, attempts=TRANSPORT_ATTEMPTS
        )

    def get_task(self, task_id: str) -> dict[str, Any]:
        return self._json("GET", _task(task_id))

    def list_tasks(self, limit: int = 50, offset: int = 0) -> list[dict[str, Any]]:
        return self._list("/v1/tasks", "tasks", limit=limit, offset=offset)

    def stop_task(self, task_id: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "stop"))

    def reply_task(self, task_id: str, text: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "reply"), json={"text": text})

    def confirm_task(
        self, task_id: str, approve: bool, question_id: str | None = None
    ) -> dict[str, Any]:
        body = {"approve": approve, "id": question_id}
        return self._json("POST", _task(task_id, "confirm"), json=body)

    def pause_task(self, task_id: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "pause"))

    def resume_task(self, task_id: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "resume"))

    def take_over_task(self, task_id: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "take_over"))

    def give_back_task(self, task_id: str, note: str = "") -> dict[str, Any]:
        return self._json("POST", _task(task_id, "give_back"), json={"note": note})

    def retry_task(self, task_id: str) -> dict[str, Any]:
        return self._json("POST", _task(task_id, "retry"))

    def watch_task(self, task_id: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """What happens in the task, as it happens, until its end.

        Args:
            task_id: Which.
            after: Go on behind the event of this number.

        Raises:
            ServerError: As in process, or `ServerUnreachableError`; go on with the last `id`.
        """
        try:
            with self._client.stream(
                "GET", _task(task_id, "events"), params={"after": after}
            ) as response:
                if not response.is_success:
                    response.read()
                    raise error_from_answer(response)
                for line in response.iter_lines():
                    if line.startswith("data: "):
                        yield json.loads(line.removeprefix("data: "))
        except httpx2.TransportError as error:
            raise ServerUnreachableError(
                f"the stream of {self.base_url} broke off; watch again from the last event"
            ) from error

    def list_devices(self) -> list[dict[str, Any]]:
        return self._list("/v1/devices", "devices")

    def read_screenshot(self, serial: str) -> bytes:
        """What the phone shows now, as PNG."""
        return self._request("GET", f"/v1/devices/{quote(serial, safe='')}/screenshot").content

    # --- under it ---------------------------------------------------------------------------------

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _list(self, path: str, name: str, **params: int) -> list[dict[str, Any]]:
        found = self._json("GET", path, params=params)[name]
        return list(found)

    def _json(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        response = self._request(method, path, **request)
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise ForeignAnswerError(f"{self.base_url} answers, but not as LocalServer does")
        return answer

    def _request(
        self, method: str, path: str, *, attempts: int = 1, **request: Any
    ) -> httpx2.Response:
        """Send it; with more than one attempt only what carries an idempotency key may come here.

        After a broken line the first try may still be running there: that is waited for.
        """
        faults = 0
        until = time.monotonic() + self._timeout_s
        while True:
            try:
                response = self._client.request(method, path, **request)
            except httpx2.TransportError as error:
                faults += 1
                if faults == attempts or isinstance(error, httpx2.ReadTimeout):
                    raise ServerUnreachableError(
                        f"{self.base_url}: {type(error).__name__}; "
                        "start the server with `localserver serve`, or correct the address"
                    ) from error
                time.sleep(TRANSPORT_PAUSE_S)
                continue
            if response.is_success:
                return response
            fault = error_from_answer(response)
            is_ours = faults > 0 and isinstance(fault, SessionBusyError)
            if not is_ours or time.monotonic() > until:
                raise fault


def error_from_answer(response: httpx2.Response) -> Exception:
    """The error that the server raised, as the class that has its code."""
    try:
        body = response.json()["error"]
        code, message = str(body["code"]), str(body["message"])
        details = {str(name): value for name, value in dict(body.get("details") or {}).items()}
    except (ValueError, KeyError, TypeError):
        return ForeignAnswerError(
            f"status {response.status_code} without an error body; "
            "is there a LocalServer at this address?"
        )
    kind = _classes_by_code().get(code)
    if kind is not None:
        return kind(message, **details)
    if code.startswith("parser."):
        return ReplyUnreadableError(
            message, **{**details, "rejection": code.removeprefix("parser.")}
        )
    return ForeignAnswerError(f"{code}: {message}", **{**details, "code": code})


def _classes_by_code() -> dict[str, type[ServerError | DeviceError | ParserError]]:
    return {
        kind.code: kind for root in (ServerError, DeviceError, ParserError) for kind in _tree(root)
    }


def _tree(kind: type[Any]) -> Iterator[type[Any]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)


def _session(session_id: str, *rest: str) -> str:
    return "/".join(["/v1/sessions", quote(session_id, safe=""), *rest])


def _task(task_id: str, *rest: str) -> str:
    return "/".join(["/v1/tasks", quote(task_id, safe=""), *rest])


def _picture_bytes(screenshot: Any) -> bytes | None:
    """The picture's bytes where they are at hand; None where it is an address or a data URL."""
    if not isinstance(screenshot, Mapping):
        return None  # the server tells what is wrong with it
    if screenshot.get("type") == "image_bytes":
        return bytes(screenshot["data"])
    url = (screenshot.get("image_url") or {}).get("url")
    if not isinstance(url, str) or url.startswith(("data:", "http://", "https://")):
        return None
    if url.startswith("file://"):
        url = unquote(urlsplit(url).path)
    return Path(url).read_bytes()


def _form_texts(observation: Mapping[str, Any]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for name in FORM_TEXTS:
        value = observation.get(name)
        if isinstance(value, Mapping):
            value = f"{value.get('code')}: {value.get('message')}"
        if value:
            texts[name] = str(value)
    return texts

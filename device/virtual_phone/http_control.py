"""The phone's control port: a tiny loopback HTTP server for tests and for the console.

It shows the truth behind the screen and the journal, and switches state and faults. It is not
part of what a real phone offers; product code never talks to it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, urlsplit

from device.virtual_phone.faults import FAULTS, Fault, FaultError
from device.virtual_phone.framework.settings import NAMESPACES, put_setting
from device.virtual_phone.server import bind_loopback
from device.virtual_phone.userland import Userland

log = logging.getLogger(__name__)

_MAX_BODY_BYTES = 1024 * 1024
_JSON = "application/json; charset=utf-8"


class RequestError(Exception):
    """A request that can't be answered, with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ControlServer:
    """Answers on the control port."""

    def __init__(self, system: Userland, stop: Callable[[], None]) -> None:
        """Prepares to listen.

        Args:
            system: The phone.
            stop: Ends the process.
        """
        self._system = system
        self._stop = stop
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self, port: int = 0) -> None:
        """Starts to listen on loopback.

        Raises:
            OSError: The port is taken.
        """
        listener = bind_loopback(port)
        self.port = listener.getsockname()[1]
        self._server = await asyncio.start_server(self._accept, sock=listener)

    async def stop(self) -> None:
        """Closes the port."""
        if self._server is not None:
            self._server.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(30):
                status, kind, body = await self._respond(reader)
                reason = {200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found"}
                head = (
                    f"HTTP/1.1 {status} {reason.get(status, 'Error')}\r\nContent-Type: {kind}\r\n"
                    f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                )
                writer.write(head.encode() + body)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError) as error:
            log.debug("control connection ended: %r", error)
        finally:
            writer.close()

    async def _respond(self, reader: asyncio.StreamReader) -> tuple[int, str, bytes]:
        try:
            method, target, body = await self._read_request(reader)
            result = await self._answer(method, target, body)
        except (RequestError, FaultError) as error:
            status = error.status if isinstance(error, RequestError) else 400
            return status, _JSON, json.dumps({"error": str(error)}).encode()
        if isinstance(result, bytes):
            return 200, "image/png", result
        return 200, _JSON, json.dumps(result, ensure_ascii=False).encode()

    async def _read_request(self, reader: asyncio.StreamReader) -> tuple[str, str, dict[str, Any]]:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except asyncio.LimitOverrunError:
            raise RequestError(400, "the request's head is too large") from None
        first, *rest = head.split("\r\n")
        parts = first.split(" ")
        if len(parts) != 3:
            raise RequestError(400, "not an HTTP request")
        headers = {
            name.strip().lower(): value.strip()
            for name, colon, value in (line.partition(":") for line in rest)
            if colon
        }
        host = headers.get("host", "").rsplit(":", 1)[0]
        if host not in ("127.0.0.1", "localhost") or "origin" in headers:
            raise RequestError(403, "only programs on this machine may use the control port")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _MAX_BODY_BYTES:
            raise RequestError(400, f"send a Content-Length up to {_MAX_BODY_BYTES}")
        raw = await reader.readexactly(int(length))
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            raise RequestError(400, "the body is not JSON") from None
        if not isinstance(body, dict):
            raise RequestError(400, "the body must be a JSON object")
        return parts[0], parts[1], body

    async def _answer(self, method: str, target: str, body: dict[str, Any]) -> Any:
        url = urlsplit(target)
        system = self._system
        match method, url.path:
            case "GET", "/truth":
                system.catch_up()
                return system.phone.truth()
            case "GET", "/journal":
                query = parse_qs(url.query)
                after = query.get("after", ["0"])[-1]
                kind = query.get("kind", [None])[-1]
                return {
                    "entries": system.journal.as_json(int(after) if after.isdecimal() else 0, kind)
                }
            case "GET", "/screen.png":
                system.catch_up()
                return await system.in_thread(system.phone.snapshot().png)
            case "GET", "/screen.xml":
                system.catch_up()
                return {"xml": await system.in_thread(system.phone.snapshot().xml)}
            case "GET", "/faults":
                active = [asdict(fault) for fault in system.faults.active]
                return {"known": dict(FAULTS), "active": active}
            case "POST", "/fault":
                return self._add_fault(body)
            case "POST", "/faults/clear":
                system.clear_faults()
                return {"active": []}
            case "POST", "/reset":
                system.reset()
                return {"ok": True}
            case "POST", "/state":
                return self._set_state(body)
            case "POST", "/arrivals":
                return self._deliver(body)
            case "POST", "/shutdown":
                asyncio.get_running_loop().call_later(0.05, self._stop)
                return {"ok": True}
        raise RequestError(404, f"there is no {method} {url.path}")

    def _add_fault(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            fault = Fault(**body)
        except TypeError as error:
            raise RequestError(400, f"a fault that can't be read: {error}") from None
        self._system.add_fault(fault)
        return {"active": [asdict(active) for active in self._system.faults.active]}

    def _deliver(self, body: dict[str, Any]) -> dict[str, Any]:
        values = {name: value for name, value in body.items() if name != "kind"}
        try:
            self._system.phone.deliver(str(body.get("kind")), values)
        except ValueError as error:
            raise RequestError(400, str(error)) from None
        self._system.journal.add("state", "arrived", what=body)
        return {"ok": True}

    def _set_state(self, body: dict[str, Any]) -> dict[str, Any]:
        changes = body.get("set", body)
        if not isinstance(changes, dict):
            raise RequestError(400, "set must be an object")
        phone = self._system.phone
        for name, value in changes.items():
            match name, value:
                case "rotation", 0 | 1 | 2 | 3:
                    put_setting(phone, "system", "accelerometer_rotation", "0")
                    put_setting(phone, "system", "user_rotation", str(value))
                case "wakefulness", "Awake":
                    phone.key(224)
                case "wakefulness", "Asleep":
                    phone.key(223)
                case "locked", bool():
                    phone.locked = value
                case "clipboard", str():
                    phone.clipboard = value
                case "settings", dict():
                    for space, values in value.items():
                        if space not in NAMESPACES or not isinstance(values, dict):
                            raise RequestError(400, f"there are no settings {space}")
                        for key, setting in values.items():
                            put_setting(phone, space, key, str(setting))
                case "vendor_switch", bool():
                    self._system.set_vendor_switch(value)
                case "folded", bool():
                    self._system.set_folded(value)
                case "app", str():
                    phone.start_activity(value)
                case _:
                    raise RequestError(400, f"{name} can't be set to {value!r}")
        self._system.journal.add("state", "set", **changes)
        return {
            "rotation": phone.rotation,
            "wakefulness": phone.wakefulness,
            "locked": phone.locked,
        }

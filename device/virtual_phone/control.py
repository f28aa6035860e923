"""Client of the control port, for tests, demos and scoring: the truth behind the screen."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener


class PhoneControlError(Exception):
    """The control port refused a request or doesn't answer."""


class PhoneControl:
    """Talks to one virtual phone's control port."""

    def __init__(self, base_url: str, timeout_s: float = 10.0) -> None:
        """Takes the address.

        Args:
            base_url: `http://127.0.0.1:PORT`.
            timeout_s: Longest wait for an answer.

        Raises:
            ValueError: The address is not on this machine.
        """
        parts = urlsplit(base_url)
        if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost"):
            raise ValueError(f"the control port is on loopback: not {base_url}")
        self.base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._opener = build_opener(ProxyHandler({}))

    def truth(self) -> dict[str, Any]:
        """The state behind the screen: settings, the apps' data, the focus."""
        found: dict[str, Any] = self._json("GET", "/truth")
        return found

    def journal(self, after: int = 0, kind: str | None = None) -> list[dict[str, Any]]:
        """What happened, oldest first.

        Args:
            after: Only entries with a larger `seq`.
            kind: Only `transport`, `service`, `command`, `gesture`, `fault` or `state`.
        """
        query = {"after": after} | ({"kind": kind} if kind else {})
        entries: list[dict[str, Any]] = self._json("GET", f"/journal?{urlencode(query)}")["entries"]
        return entries

    def screen_png(self) -> bytes:
        """The screen as a PNG, past adb and its faults."""
        return self._send("GET", "/screen.png")

    def screen_xml(self) -> str:
        """The UI tree, past adb and its faults."""
        xml: str = self._json("GET", "/screen.xml")["xml"]
        return xml

    def reset(self) -> None:
        """Back to a fresh start: apps, settings, files, faults, journal."""
        self._json("POST", "/reset")

    def set_state(self, **changes: Any) -> dict[str, Any]:
        """Changes the phone from outside.

        Args:
            changes: `rotation=0..3`, `wakefulness="Awake"|"Asleep"`, `locked=bool`,
                `clipboard=str`, `settings={namespace: {key: value}}`, `app="package"`,
                `vendor_switch=bool` (the developer option that lets adb tap), `folded=bool` (of a
                foldable).

        Returns:
            Rotation, wakefulness and lock as they are then.
        """
        state: dict[str, Any] = self._json("POST", "/state", {"set": changes})
        return state

    def deliver(self, kind: str, **values: str) -> None:
        """Lets something arrive on the phone.

        Args:
            kind: `message` (name, text), `notification` (package, title, text) or `web_page`
                (address, title, text, alt: words that are only in the UI tree).
            values: The fields of the kind.
        """
        self._json("POST", "/arrivals", {"kind": kind, **values})

    def fault(self, name: str, **values: Any) -> None:
        """Switches a fault on.

        Args:
            name: A name that `faults()` lists.
            values: `times` (None = for ever), `after`, `probability`, `match`, `delay_s`, `keep`.
        """
        self._json("POST", "/fault", {"name": name, **values})

    def faults(self) -> dict[str, Any]:
        """All known faults with their meaning, and those that are on."""
        found: dict[str, Any] = self._json("GET", "/faults")
        return found

    def clear_faults(self) -> None:
        """Switches all faults off."""
        self._json("POST", "/faults/clear")

    def shutdown(self) -> None:
        """Ends the phone's process."""
        self._json("POST", "/shutdown")

    def _json(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return json.loads(self._send(method, path, body))

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> bytes:
        data = json.dumps(body or {}).encode() if method == "POST" else None
        headers = {"Content-Type": "application/json"}
        request = Request(self.base_url + path, data=data, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                content: bytes = response.read()
        except HTTPError as error:
            with error:
                reason = error.read().decode("utf-8", "replace")
            raise PhoneControlError(f"{method} {path}: {error.code} {reason}") from None
        except (URLError, OSError) as error:
            raise PhoneControlError(
                f"the virtual phone at {self.base_url} doesn't answer ({error}): is it running?"
            ) from error
        return content

"""What left this machine in a session, read back from its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from server.privacy.levels import FIRST_SEND, SENT


def summarise_sends(session_id: str, events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The egress record of a session.

    Args:
        session_id: The session.
        events: All of its events, in order.

    Returns:
        `sends`: one entry for each request body, in order: `at`, `step`, `level`, `provider`,
        `model`, `host`, `path`, `remote`, `bytes`, `sha256` (of the very body), `masked` (kinds
        and how often), `regions` ([kind, left, top, right, bottom] in pixels of the screenshot).
        `hosts`: requests and bytes by host. `masked`: kinds and how often, of all sends.
        `levels`: the levels that held. `first_remote_send`: when, where to; null: nothing left
        this machine.
    """
    sends: list[dict[str, Any]] = []
    first: dict[str, Any] | None = None
    for event in events:
        data = event.get("data")
        facts = dict(data) if isinstance(data, Mapping) else {}
        if event.get("kind") == SENT:
            sends.append({"at": event.get("timestamp"), **facts})
        elif event.get("kind") == FIRST_SEND and first is None:
            first = {"at": event.get("timestamp"), **facts}
    masked: Counter[str] = Counter()
    hosts: dict[str, dict[str, Any]] = {}
    for send in sends:
        masked.update(send.get("masked") or {})
        host = hosts.setdefault(
            str(send.get("host")), {"requests": 0, "bytes": 0, "remote": bool(send.get("remote"))}
        )
        host["requests"] += 1
        host["bytes"] += int(send.get("bytes") or 0)
    return {
        "session_id": session_id,
        "levels": sorted({str(send.get("level")) for send in sends}),
        "hosts": hosts,
        "masked": dict(masked),
        "first_remote_send": first,
        "sends": sends,
    }

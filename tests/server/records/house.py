"""What the tests of records share."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from parsers.base import Message
from server.local_server import LocalServer
from server.model.providers import ModelTarget
from server.model.reply import Attempt, ModelReply
from tests.crash.child import small_png

REPLY = "<THINK> t </THINK>\nexplain:e\taction:CLICK\tpoint:{x},{y}\tsummary:s"


class CountingModel:
    """Answers at once, each time with another point, and counts."""

    def __init__(self) -> None:
        self.calls = 0
        self._lock = threading.Lock()

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: object = None
    ) -> ModelReply:
        with self._lock:
            self.calls += 1
            number = self.calls
        reply = REPLY.format(x=number % 1000, y=number // 1000)
        return ModelReply(reply, finish_reason="stop", attempts=(Attempt("", 0.0, "ok"),))

    async def close(self) -> None:
        """Nothing is open."""


def take_step(server: LocalServer, session_id: str, number: int = 1, **more: Any) -> dict[str, Any]:
    screenshot = {"type": "image_bytes", "data": small_png(number)}
    payload = {"session_id": session_id, "observation": {"screenshot": screenshot}, **more}
    return server.automate_step(payload)

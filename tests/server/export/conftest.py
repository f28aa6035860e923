"""Sessions recorded by a real walk, to be exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.export.episode import Episode, open_episode
from server.export.exporter import Exported, export_sessions
from server.export.formats import ExportOptions
from server.local_server import LocalServer
from server.model.scripted_model import Say
from server.records.opening import open_files
from server.records.store import ReadsRecords
from tests.server.core.conftest import CONFIGS, configure, paint, play, serve, step_payload

__all__ = ["configure", "play", "serve"]

PRIVATE_TREE = """<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">
<node class="android.widget.FrameLayout" package="com.mail" text="" bounds="[0,0][108,240]">
<node class="android.widget.TextView" package="com.mail" text="write to ann@example.com"
 bounds="[4,40][100,60]" />
<node class="android.widget.EditText" package="com.mail" text="hunter2222" password="true"
 bounds="[4,100][100,120]" clickable="true" enabled="true" focused="true" />
<node class="android.widget.TextView" package="com.mail" text="Inbox" bounds="[4,140][100,160]" />
</node></hierarchy>"""


def think(fields: str, thought: str = "I look") -> str:
    """A reply of step0920: the thought and `key:value` fields parted by `|`."""
    return f"<THINK> {thought} </THINK>\n" + fields.replace("|", "\t")


@dataclass
class Recording:
    """One recorded session and the store that holds it."""

    server: LocalServer
    session_id: str
    store: ReadsRecords

    @property
    def episode(self) -> Episode:
        return open_episode(self.store, self.session_id)

    def export(
        self, folder: Path, format_name: str, *, redacted: bool = True, **options: Any
    ) -> Exported:
        chosen = ExportOptions(config_dir=CONFIGS, **options)
        [done] = export_sessions(
            [self.episode], folder, format_name, redacted=redacted, options=chosen
        )
        return done


Record = Callable[..., Recording]


@pytest.fixture
def record(serve: Callable[..., tuple[LocalServer, Any]]) -> Record:
    """Record a session: one reply for each step."""

    def make(
        replies: Sequence[str],
        *,
        task: str = "turn Bluetooth off",
        task_type: str = "step0920",
        trees: Mapping[int, str] | None = None,
        outcomes: Mapping[int, Mapping[str, Any]] | None = None,
        picture: bytes | None = None,
        extra_info: Mapping[str, Any] | None = None,
        model_config: Mapping[str, Any] | None = None,
        stop_reason: str | None = "TASK_COMPLETED_SUCCESSFULLY",
    ) -> Recording:
        server, _ = serve([Say(reply) for reply in replies])
        session_id = server.get_session(
            {
                "task": task,
                "task_type": task_type,
                "model_config": {"model_name": "any", **(model_config or {})},
                "extra_info": dict(extra_info or {}),
            }
        )
        for number in range(1, len(replies) + 1):
            more = {"ui_tree": trees[number]} if trees and number in trees else {}
            server.automate_step(step_payload(session_id, picture or paint(), **more))
            if outcomes and number in outcomes:
                server.record_event(
                    session_id, "device_outcome", {"step": number, **outcomes[number]}
                )
        if stop_reason is not None:
            server.close_session(session_id, stop_reason)
        return Recording(server, session_id, open_files(server.settings))

    return make

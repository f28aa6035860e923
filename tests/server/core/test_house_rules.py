"""What holds whatever happens: no key anywhere, no work that grows with the session."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

import pytest

from server.errors import ModelRefusedError
from server.local_server import LocalServer
from server.model.scripted_model import Fail, Say, ScriptedModel

from .conftest import paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
_opened: list[str] = []
_watching = False


def _watch(event: str, args: tuple[object, ...]) -> None:
    if _watching and event == "open":
        _opened.append(f"{args[0]} {args[2]}")


sys.addaudithook(_watch)


def test_a_key_is_in_no_file_no_message_and_no_log_record(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("CANARY_KEY", "canary-0123456789")
    server, model = serve(
        [Say(step_reply()), Fail(401, "your key canary-0123456789 is wrong")],
        provider={"api_key": "env:CANARY_KEY"},
        debug=True,
    )
    session_id = server.get_session({"task": "t"})
    server.automate_step(step_payload(session_id, paint()))
    with pytest.raises(ModelRefusedError) as caught:
        server.automate_step(step_payload(session_id, paint()))
    assert model.requests[0].headers["authorization"] == "Bearer canary-0123456789"
    told = [repr(caught.value), str(caught.value.details), repr(server.settings), caplog.text]
    settings = server.settings
    for folder in (settings.log_dir, settings.image_dir):
        told += [
            path.read_text(encoding="utf-8", errors="replace")
            for path in folder.rglob("*")
            if path.is_file()
        ]
    assert [text for text in told if "canary" in text] == []


def test_a_late_step_opens_the_same_files_as_an_early_one_and_reads_none(serve: Serve) -> None:
    global _watching
    server, _ = serve(lambda _: Say(step_reply()))
    session_id = server.get_session({"task": "t"})
    seen = []
    for number in range(1, 41):
        _opened.clear()
        _watching = number in (3, 40)
        server.automate_step(step_payload(session_id, paint()))
        if _watching:
            _watching = False
            name = f"step_{number:04d}"
            folders = (str(server.settings.log_dir), str(server.settings.image_dir))
            ours = [text for text in _opened if text.startswith(folders)]
            seen.append(sorted(text.replace(name, "STEP") for text in ours))
    early, late = seen
    assert early == late
    # The picture's part file, its folder (to make the new name durable), two events, the line.
    assert len(late) == 5

"""Everything that a model server can do wrong, through whole steps: the session survives it all."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from server.errors import ModelTimeoutError, ServerError
from server.local_server import LocalServer
from server.model.scripted_model import (
    Drip,
    Drop,
    Fail,
    Hang,
    Raw,
    RecordedRequest,
    Say,
    ScriptedModel,
    Turn,
)
from server.settings import ProviderConfig, load_settings
from tests.server.http.conftest import CLICK, CONFIGS, a_png

SOON = {"retry-after-ms": "1"}
GOOD = json.loads(CLICK.to_body(1))
STEP = {"screenshot": {"type": "image_bytes", "data": a_png((108, 240))}}


def completion(**message: Any) -> bytes:
    """A chat completion whose message differs from a good one."""
    choice = {**GOOD["choices"][0], "message": {**GOOD["choices"][0]["message"], **message}}
    return json.dumps({**GOOD, "choices": [choice]}).encode()


def in_choices(*choices: Any) -> bytes:
    return json.dumps({**GOOD, "choices": list(choices)}).encode()


SSE_CUT = Raw(b'data: {"choices": [{"delta": {"con', headers={"content-type": "text/event-stream"})
GZIP_BOMB = Raw(gzip.compress(bytes(50_000_000)), headers={"content-encoding": "gzip"})

FAULTS: dict[str, tuple[list[Turn], str, int]] = {
    # name: (turns, code of the step's error, requests that it costs)
    "400": ([Fail(400)], "model.refused", 1),
    "401": ([Fail(401)], "model.refused", 1),
    "403": ([Fail(403)], "model.refused", 1),
    "404": ([Fail(404)], "model.refused", 1),
    "408": ([Fail(408, headers=SOON)] * 2, "model.unavailable", 2),
    "409": ([Fail(409, headers=SOON)] * 2, "model.unavailable", 2),
    "413": ([Fail(413)], "model.refused", 1),
    "422": ([Fail(422)], "model.refused", 1),
    "425": ([Fail(425, headers=SOON)] * 2, "model.unavailable", 2),
    "429": ([Fail(429, headers=SOON)] * 2, "model.rate_limited", 2),
    "429 date": (
        [Fail(429, headers={"retry-after": formatdate(0, usegmt=True)})] * 2,
        "model.rate_limited",
        2,
    ),
    "429 absurd": ([Fail(429, headers={"retry-after": "99999999"})], "model.rate_limited", 1),
    "429 nonsense": ([Fail(429, headers={"retry-after": "soon"})] * 2, "model.rate_limited", 2),
    "500": ([Fail(500, headers=SOON)] * 2, "model.unavailable", 2),
    "502": ([Fail(502, headers=SOON)] * 2, "model.unavailable", 2),
    "503 html": ([Raw(b"<html>busy</html>", 503, SOON)] * 2, "model.unavailable", 2),
    "504": ([Fail(504, headers=SOON)] * 2, "model.unavailable", 2),
    "redirect": ([Raw(b"", 307, {"location": "http://127.0.0.1:9/v1"})], "model.refused", 1),
    "reset before headers": ([Drop()] * 2, "model.unreachable", 2),
    "reset after headers": ([Drop(after_bytes=0)] * 2, "model.unreachable", 2),
    "drop in the body": ([Drop(after_bytes=40)] * 2, "model.unreachable", 2),
    "slow headers": ([Hang(5)] * 2, "model.timeout", 2),
    "slow body": ([Drip(completion(), pause_s=0.05)] * 2, "model.timeout", 2),
    "long body": ([Raw(b" " * 5_000_000)], "model.bad_reply", 1),
    "gzip bomb": ([GZIP_BOMB], "model.bad_reply", 1),
    "not json": ([Raw(b"hello")], "model.bad_reply", 1),
    "cut json": ([Raw(completion()[:-20])], "model.bad_reply", 1),
    "cut stream": ([SSE_CUT], "model.bad_reply", 1),
    "no choices": ([Raw(in_choices())], "model.bad_reply", 1),
    "choices absent": ([Raw(b'{"id": "x"}')], "model.bad_reply", 1),
    "content null": ([Say(None)], "model.bad_reply", 1),
    "content number": ([Raw(completion(content=7))], "model.bad_reply", 1),
    "content list": ([Raw(completion(content=[7]))], "model.bad_reply", 1),
    "refusal": ([Say(None, refusal="no")], "model.declined", 1),
    "cut by length": ([Say(CLICK.content, finish_reason="length")], "model.cut", 1),
    "filtered": ([Say(CLICK.content, finish_reason="content_filter")], "model.cut", 1),
    "ended strangely": ([Say(CLICK.content, finish_reason="abort")], "model.cut", 1),
    "invalid utf-8": ([Raw(completion().replace(b"CLICK", b"\xff\xfe"))], "model.bad_reply", 1),
    "reasoning only": ([Say("", reasoning="I think")], "parser.rejected", 2),
    "lone surrogate": ([Say("\ud800")], "parser.rejected", 2),
    "nul": ([Say("\x00")], "parser.rejected", 2),
    "empty": ([Say("")], "parser.rejected", 2),
    "two actions": (
        [Say((CLICK.content or "") + "\n" + (CLICK.content or "").replace("500", "7"))],
        "parser.rejected",
        2,
    ),
}


class Script:
    """What the model does next; after that it repeats the last."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    def __call__(self, request: RecordedRequest) -> Turn:
        return self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]


@pytest.fixture(scope="module")
def house(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[LocalServer, ScriptedModel, Script]]:
    """One server for all faults, as in life."""
    script, folder = Script(), tmp_path_factory.mktemp("faults")
    with ScriptedModel(script) as model:
        provider = ProviderConfig(
            api_base=model.base_url,
            default_model="any",
            timeout_s=0.7,
            deadline_s=3,
            max_attempts=2,
        )
        settings = load_settings(
            CONFIGS,
            log_dir=folder / "logs",
            image_dir=folder / "images",
            providers={"scripted": provider},
            max_reasks=1,
        )
        with LocalServer(settings) as server:
            script.turns = [CLICK]  # the first call of a process is slow: not in a time-out's row
            session_id = server.get_session({"task": "x"})
            try:
                server.automate_step({"session_id": session_id, "observation": STEP})
            except ModelTimeoutError:
                pass  # slow indeed
            yield server, model, script


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_model_costs_its_step_and_never_the_session(
    house: tuple[LocalServer, ScriptedModel, Script], name: str
) -> None:
    server, model, script = house
    turns, code, cost = FAULTS[name]
    session_id = server.get_session({"task": "x"})
    asked_before, script.turns = len(model.requests), list(turns)
    with pytest.raises(ServerError) as caught:
        server.automate_step({"session_id": session_id, "observation": STEP})
    assert caught.value.code == code, caught.value.message
    assert len(model.requests) - asked_before == cost
    assert attempts_on_record(server, session_id) == cost
    script.turns = [CLICK]
    answer = server.automate_step({"session_id": session_id, "observation": STEP})
    assert (answer["current_step"], answer["action"]["point"]) == (1, [500, 320])


def attempts_on_record(server: LocalServer, session_id: str) -> int:
    """How many requests to the model the session's events tell of."""
    events = server.read_events(session_id)
    return sum(len(event["data"].get("attempts", ())) for event in events)


def test_of_two_choices_the_first_is_taken_and_a_byte_order_mark_is_forgiven(
    house: tuple[LocalServer, ScriptedModel, Script],
) -> None:
    server, _, script = house
    [choice] = GOOD["choices"]
    for body in (in_choices(choice, choice), b"\xef\xbb\xbf" + completion()):
        session_id = server.get_session({"task": "x"})
        script.turns = [Raw(body)]
        answer = server.automate_step({"session_id": session_id, "observation": STEP})
        assert answer["action"]["point"] == [500, 320]


@pytest.mark.parametrize("address", ["http://no-such-host.invalid/v1", "http://127.0.0.1:9/v1"])
def test_a_name_or_port_that_is_not_there_is_unreachable(tmp_path: Path, address: str) -> None:
    provider = ProviderConfig(api_base=address, default_model="any", max_attempts=1)
    settings = load_settings(
        CONFIGS,
        log_dir=tmp_path / "logs",
        image_dir=tmp_path / "images",
        providers={"absent": provider},
    )
    with LocalServer(settings) as server:
        session_id = server.get_session({"task": "x"})
        with pytest.raises(ServerError) as caught:
            server.automate_step({"session_id": session_id, "observation": STEP})
        assert caught.value.code == "model.unreachable"
        assert server.read_session(session_id).steps == 0

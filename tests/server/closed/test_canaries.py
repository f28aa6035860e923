"""25 secrets in every place where one may be, through all faults: none comes out anywhere."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from server.model.scripted_model import Fail, Raw, RecordedRequest, Say, ScriptedModel, Turn
from tests.e2e.house import Child, running
from tests.server.closed.test_model_faults import FAULTS
from tests.server.http.conftest import CLICK, CONFIGS, a_png

CANARIES = [f"canary-{number:02}-Zq7mXk4Pw9" for number in range(25)]
KEYS, TOKENS, FROM_CALLERS = CANARIES[:8], CANARIES[8:14], CANARIES[14:]


def repeat_key(request: RecordedRequest) -> list[Turn]:
    """Every way in which a provider may repeat the key that it was sent."""
    said = request.headers["authorization"]
    return [
        Fail(401, f"wrong key: {said}"),
        Fail(400, f"bad request with {said}"),
        Fail(429, f"{said} is over its limit", {"retry-after": "9999"}),
        Fail(500, f"crashed on {said}", {"retry-after": "9999", "x-request-id": said}),
        Raw(f"<html>{said}</html>".encode(), 503, {"retry-after": "9999"}),
        Raw(f"not json: {said}".encode()),
        Say(f"I was asked with {said}"),
        Say(CLICK.content, reasoning=f"the header is {said}"),
        Say(None, refusal=f"not with {said}"),
        Raw(b"", 302, {"location": f"http://127.0.0.1:9/?key={said}"}),
    ]


@dataclass
class House:
    """A service with secrets, and everything that came out of it."""

    child: Child
    folder: Path
    model: ScriptedModel
    http: httpx2.Client
    turns: list[Turn] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def call(self, method: str, path: str, token: str = TOKENS[0], **request: Any) -> Any:
        headers = {"authorization": f"Bearer {token}", **request.pop("headers", {})}
        with contextlib.suppress(httpx2.HTTPError):
            response = self.http.request(method, path, headers=headers, **request)
            self.answers.append(f"{response.headers} {response.text}")
            with contextlib.suppress(ValueError):
                return response.json()
        return None

    def take_step(self, provider: str) -> None:
        opened = self.call(
            "POST",
            "/get_session",
            json={"task": "x", "model_config": {"model_provider": provider}},
        )
        path = f"/v1/sessions/{opened['session_id']}/steps"
        self.call("POST", path, files={"screenshot": ("s", a_png((108, 240)))})


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("canaries")
    turns: list[Turn] = []

    def script(request: RecordedRequest) -> Turn:
        if not turns:
            return CLICK
        turn = turns.pop(0)
        return turn

    with ScriptedModel(script) as model:
        configs = folder / "configs"
        configs.mkdir()
        (configs / "prompts").symlink_to(CONFIGS / "prompts")
        providers = {
            f"p{number}": {
                "api_base": model.base_url,
                "api_key": key if number % 2 else f"env:KEY_{number}",
                "default_model": "any",
                "max_attempts": 1,
                "timeout_s": 1,
            }
            for number, key in enumerate(KEYS)
        }
        (configs / "model_config.yaml").write_text(json.dumps(providers), encoding="utf-8")
        tokens = {
            f"t{number}": {
                "token": token if number % 2 else f"env:TOKEN_{number}",
                "role": ("read", "act", "admin")[number % 3],
            }
            for number, token in enumerate(TOKENS)
            if number
        }
        server = {"tokens": tokens, "debug": True, "failed_attempt_delay_s": 0, "max_reasks": 0}
        (configs / "server.yaml").write_text(json.dumps(server), encoding="utf-8")
        environment = {
            **os.environ,
            "LOCALSERVER_API_TOKEN": TOKENS[0],
            "LOCALSERVER_LOG_FORMAT": "json",
            "LOCALSERVER_STATE_DIR": str(folder / "state"),
            **{f"KEY_{number}": key for number, key in enumerate(KEYS)},
            **{f"TOKEN_{number}": token for number, token in enumerate(TOKENS)},
        }
        arguments = ["serve", "--config", str(configs), "--log-dir", str(folder / "logs")]
        log = folder / "output.log"
        with (
            running(arguments, environment, log, "/readyz") as child,
            httpx2.Client(base_url=child.url, timeout=20, trust_env=False) as http,
        ):
            yield House(child, folder, model, http, turns)


def test_no_secret_comes_out_anywhere(house: House) -> None:
    assert len(set(CANARIES)) == 25
    provoke_model(house)
    provoke_callers(house)
    read_everything(house)
    assert_none(house)


def provoke_model(house: House) -> None:
    for number in range(len(KEYS)):
        house.take_step(f"p{number}")
        request = house.model.requests[-1]
        assert request.headers["authorization"] == f"Bearer {KEYS[number]}"
        repeated = repeat_key(request)
        for turn in repeated if number < 2 else repeated[number : number + 1]:
            house.turns.append(turn)
            house.take_step(f"p{number}")
    for name, (turns, _, _) in FAULTS.items():
        if "slow" not in name and "drop" not in name and "reset" not in name:
            house.turns[:] = turns[:1]
            house.take_step("p0")
    house.turns.clear()


def provoke_callers(house: House) -> None:
    """Secrets where a confused caller may put them."""
    secret = iter(FROM_CALLERS)
    house.call("GET", "/v1/sessions", token=next(secret))
    house.call("GET", "/v1/sessions", headers={"authorization": f"Basic {next(secret)}"})
    house.call("GET", "/v1/sessions", headers={"cookie": f"localserver={next(secret)}"})
    house.call("GET", f"/v1/sessions?api_key={next(secret)}")
    house.call("GET", f"/login/{next(secret)}")
    house.call("GET", f"/no/such/route?token={next(secret)}")
    for place in ("api_key", "authorization"):
        house.call(
            "POST", "/get_session", json={"task": "x", "model_config": {place: next(secret)}}
        )
    opened = house.call("POST", "/get_session", json={"task": "x"})
    url = f"http://user:{next(secret)}@127.0.0.1/x.png"
    part = {"type": "image_url", "image_url": {"url": url}}
    body = {"session_id": opened["session_id"], "observation": {"screenshot": part}}
    house.call("POST", "/automate_step", json=body)
    house.call("POST", "/v1/sessions", json={"task": {"password": next(secret)}})
    house.call("POST", "/get_session", content=b'{"task": "' + next(secret).encode())
    assert next(secret, None) is None


def read_everything(house: House) -> None:
    for path in ("/docs", "/openapi.json", "/metrics", "/v1/models", "/readyz", "/v1/tasks"):
        house.call("GET", path)
    for session in house.call("GET", "/v1/sessions?limit=500")["sessions"]:
        path = f"/v1/sessions/{session['session_id']}"
        for rest in ("", "/steps", "/events"):
            house.call("GET", path + rest)


def assert_none(house: House) -> None:
    command_lines = [
        path.read_bytes().decode("utf-8", "replace")
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.exists()
    ]
    places = {
        "answers over HTTP": "\n".join(house.answers),
        "process lists": "\n".join(command_lines),
        **{
            str(path.relative_to(house.folder)): path.read_bytes().decode("latin-1")
            for path in house.folder.rglob("*")
            if path.is_file() and "configs" not in path.parts
        },
    }
    assert len(house.answers) > 150
    assert sum(len(text) for name, text in places.items() if name.endswith(".jsonl")) > 10_000
    found = [
        (name, canary) for name, text in places.items() for canary in CANARIES if canary in text
    ]
    assert found == [], sorted({name for name, _ in found})

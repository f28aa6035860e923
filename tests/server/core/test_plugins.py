"""What operators bring along: their own prompts, their own parsers, sound or not."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from parsers import registry
from parsers.action import Home
from parsers.base import Message, Parser, PromptRequest, RelativeSpace
from parsers.errors import PromptError
from server.errors import ConfigError, ParserCrashedError
from server.local_server import LocalServer
from server.model.scripted_model import Say, ScriptedModel
from server.prompts import ParserShelf
from server.settings import ModelDefaults, ProviderConfig, load_settings

from .conftest import CONFIGS, Script, paint, step_payload, step_reply


class Foreign(Parser):
    """A third party's parser."""

    name = "foreign"
    fault = ""

    @property
    def space(self) -> RelativeSpace:
        return RelativeSpace(scale=1000, maximum=1000)

    def write_prompt(self, request: PromptRequest) -> list[Message]:
        if self.fault == "prompt":
            raise KeyError("oops")
        picture = {"type": "image_url", "image_url": {"url": request.current.image}}
        return [{"role": "user", "content": [{"type": "text", "text": request.task}, picture]}]

    def str2action(self, reply: Any, context: Any = None) -> Any:
        if self.fault == "reply":
            raise RecursionError
        return Home()


@pytest.fixture
def config_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config folder with a prompt for the foreign parser, and one for step0920."""
    module = types.ModuleType("foreign_parser")
    module.Foreign = Foreign  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "foreign_parser", module)
    monkeypatch.setitem(registry.BUILT_IN, "foreign", "foreign_parser:Foreign")
    folder = tmp_path / "configs"
    (folder / "prompts").mkdir(parents=True)
    shipped = (CONFIGS / "prompts/step0920.yaml").read_text(encoding="utf-8")
    (folder / "prompts/step0920.yaml").write_text(shipped, encoding="utf-8")
    (folder / "vendor.yaml").write_text(shipped.replace("你是一名", "VENDOR"), encoding="utf-8")
    (folder / "prompts/foreign.yaml").write_text(
        "dialect: foreign\ndefault_language: en\nlanguages: {en: {}}\n", encoding="utf-8"
    )
    return folder


@pytest.fixture
def server(
    config_dir: Path, tmp_path: Path, play: Callable[[Script], ScriptedModel]
) -> Iterator[tuple[LocalServer, ScriptedModel]]:
    model = play(lambda _: Say(step_reply()))
    defaults = {"tuned": ModelDefaults(prompt_file="vendor.yaml", max_side_px=120)}
    provider = ProviderConfig(api_base=model.base_url, default_model="m", models=defaults)
    settings = load_settings(
        config_dir,
        log_dir=tmp_path / "traces",
        image_dir=tmp_path / "images",
        providers={"p": provider},
    )
    with LocalServer(settings) as server:
        yield server, model


def test_a_third_party_s_parser_takes_the_same_walk(
    server: tuple[LocalServer, ScriptedModel],
) -> None:
    local, _ = server
    session_id = local.get_session({"task": "t", "task_type": "foreign"})
    assert local.automate_step(step_payload(session_id, paint()))["action"]["action"] == "HOME"


@pytest.mark.parametrize("fault", ["prompt", "reply"])
def test_a_parser_that_raises_fails_its_step_and_nothing_else(
    server: tuple[LocalServer, ScriptedModel], monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    local, _ = server
    session_id = local.get_session({"task": "t", "task_type": "foreign"})
    with monkeypatch.context() as patched:
        patched.setattr(Foreign, "fault", fault)
        with pytest.raises(ParserCrashedError, match="foreign failed"):
            local.automate_step(step_payload(session_id, paint()))
    failed = local.read_events(session_id)[-1]
    assert failed["data"]["error"]["code"] == "parser.crashed"
    assert len(failed["data"]["images"]) == 1
    assert local.automate_step(step_payload(session_id, paint()))["current_step"] == 1


def test_a_vendor_s_prompt_and_size_come_with_the_model_s_name(
    server: tuple[LocalServer, ScriptedModel],
) -> None:
    local, model = server
    for name in ("m", "tuned"):
        session_id = local.get_session({"task": "t", "model_config": {"model_name": name}})
        local.automate_step(step_payload(session_id, paint()))
    plain, tuned = (str(request.body["messages"][0]["content"][0]) for request in model.requests)
    assert "VENDOR" in tuned and "VENDOR" not in plain
    assert local.read_steps(session_id)[0]["sent_size"] == [54, 120]


def test_a_prompt_file_outside_the_config_folder_is_refused(config_dir: Path) -> None:
    with pytest.raises(ConfigError, match="inside the config folder"):
        ParserShelf(config_dir).get("step0920", prompt_file="../../etc/passwd")


def test_a_missing_prompt_or_language_is_told(config_dir: Path) -> None:
    shelf = ParserShelf(config_dir)
    with pytest.raises(PromptError, match=r"add configs/prompts/autoglm\.yaml"):
        shelf.get("autoglm")
    with pytest.raises(PromptError, match="no language 'fr'"):
        shelf.get("step0920", language="fr")


def test_a_parser_is_made_once(config_dir: Path) -> None:
    shelf = ParserShelf(config_dir)
    assert shelf.get("parser_0920") is shelf.get("step0920")
    assert shelf.get("step0920", language="en") is not shelf.get("step0920")

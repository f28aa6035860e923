"""Which dialect a session speaks: told, or found by the model's name; and when it does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from parsers.base import Reply
from parsers.errors import UnknownDialectError
from parsers.registry import DialectChoice, get_parser, list_dialects
from server.dialect_mismatch import MismatchWatch
from server.dialect_table import DialectTable
from server.errors import ConfigError, ReplyUnreadableError
from server.local_server import LocalServer
from server.model.scripted_model import Say, ScriptedModel
from server.settings import ProviderConfig
from tests.server.core.conftest import CONFIGS, paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
CASES = Path(__file__).resolve().parents[2] / "data" / "dialect_cases.jsonl"


def chosen(server: LocalServer, session_id: str) -> Any:
    path = server.settings.log_dir / f"{session_id}.jsonl"
    return json.loads(path.read_text(encoding="utf-8").splitlines()[0])["message"]["dialect"]


@pytest.mark.parametrize(
    ("model", "dialect", "variant"),
    [
        ("stepfun-ai/GELab-Zero-4B-preview", "step0920", None),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui_tars", "v1.5"),
        ("ByteDance-Seed/UI-TARS-7B-DPO", "ui_tars", "v1.0"),
        ("doubao-1-5-ui-tars-250428", "ui_tars", "doubao"),
        ("zai-org/AutoGLM-Phone-9B-Multilingual", "autoglm", None),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen_mobile_use", "qwen2.5"),
        ("Qwen/Qwen3-VL-8B-Instruct", "qwen_mobile_use", "qwen3"),
        ("mPLUG/GUI-Owl-7B", "gui_owl", "1.0"),
        ("mPLUG/GUI-Owl-1.5-8B-Instruct", "gui_owl", "1.5"),
        ("Tongyi-MAI/MAI-UI-8B", "mai_ui", None),
        ("openbmb/AgentCPM-GUI", "agentcpm", None),
        ("inclusionAI/UI-Venus-Navi-7B", "ui_venus", "1.0"),
        ("inclusionAI/UI-Venus-1.5-8B", "ui_venus", "1.5"),
        ("THUDM/cogagent-9b-20241220", "cogagent", None),
        ("zai-org/GLM-4.5V", "glm45v", None),
        ("OS-Copilot/OS-Atlas-Pro-7B", "os_atlas", None),
        ("OS-Copilot/OS-Genesis-7B-AC", "os_genesis", None),
        ("xlangai/Aguvis-7B-720P", "aguvis", None),
        ("showlab/ShowUI-2B", "showui", None),
        ("Hcompany/Holo1-7B", "holo1", None),
        ("Reallm-Labs/InfiGUI-R1-3B", "infigui", "r1"),
        ("computer-use-preview", "openai_cua", None),
        ("claude-sonnet-4", "claude_cu", None),
    ],
)
def test_auto_finds_each_published_family_by_its_name(
    serve: Serve, model: str, dialect: str, variant: str | None
) -> None:
    server, _ = serve([])
    payload = {"task": "t", "task_type": "auto", "model_config": {"model_name": model}}
    choice = chosen(server, server.get_session(payload))
    assert (choice["name"], choice["variant"]) == (dialect, variant)
    assert choice["pattern"]


def test_the_docs_show_a_setting_for_every_dialect_and_variant() -> None:
    page = (CONFIGS.parent / "docs" / "dialects.md").read_text(encoding="utf-8")
    block = re.search(r"```yaml\n(my-server:.*?)```", page, re.DOTALL)
    assert block is not None
    models = ProviderConfig.model_validate(yaml.safe_load(block[1])["my-server"]).models
    shown = {(model.task_type, model.variant) for model in models.values()}
    known = {
        (name, variant)
        for name in list_dialects()
        for variant in get_parser(name).variants or (None,)
    }
    assert shown == known


def test_a_model_of_a_known_family_needs_no_task_type(serve: Serve) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t", "model_config": {"model_name": "MAI-UI-2B"}})
    assert chosen(server, session_id) == {
        "name": "mai_ui",
        "variant": None,
        "pattern": "mai-?ui",
    }


def test_a_model_of_no_known_family_gets_the_default_dialect(serve: Serve) -> None:
    server, _ = serve([], default_task_type="autoglm")
    session_id = server.get_session({"task": "t", "model_config": {"model_name": "my-own"}})
    assert chosen(server, session_id) == {"name": "autoglm", "variant": None, "pattern": None}


def test_auto_never_guesses(serve: Serve) -> None:
    server, _ = serve([])
    payload = {"task": "t", "task_type": "auto", "model_config": {"model_name": "my-own"}}
    with pytest.raises(UnknownDialectError, match="name its dialect in task_type"):
        server.get_session(payload)


def test_what_the_caller_names_wins_over_the_table(serve: Serve) -> None:
    server, _ = serve([])
    model_config = {"model_name": "Qwen3-VL-8B", "variant": "qwen2.5"}
    payload = {"task": "t", "task_type": "qwen_mobile_use", "model_config": model_config}
    assert chosen(server, server.get_session(payload))["variant"] == "qwen2.5"
    payload["task_type"] = "gui_owl"
    payload["model_config"] = {"model_name": "Qwen3-VL-8B"}
    assert chosen(server, server.get_session(payload))["name"] == "gui_owl"


def test_a_named_dialect_gets_its_variant_by_the_model_s_name() -> None:
    table = DialectTable(CONFIGS)
    choice = table.choose("ui_tars", "UI-TARS-7B-DPO", variant=None, default="step0920")
    assert choice == DialectChoice("ui_tars", "v1.0", "ui-?tars")


def test_the_choice_outlives_the_server(serve: Serve) -> None:
    reply = "Thought: go\nAction: click(start_box='(500,250)')"
    server, _ = serve(lambda _: Say(reply))
    model_config = {"model_name": "UI-TARS-7B-DPO"}
    session_id = server.get_session(
        {"task": "t", "task_type": "auto", "model_config": model_config}
    )
    settings = server.settings
    server.close()
    with LocalServer(settings) as again:
        answer = again.automate_step(step_payload(session_id, paint()))
    assert answer["action"]["point"] == [500, 250]
    assert answer["action"]["meta"]["variant"] == "v1.0"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('- {pattern: "a(", dialect: ui_tars}', r"dialects.yaml:1: models.0: the pattern"),
        ("- {pattern: a, dialect: ui_tars}\n- {pattern: b, dialect: uitars}", r":2: .*'uitars'"),
        ("- {pattern: a, dialekt: ui_tars}", r":1: models.0: must be"),
        ("- {pattern: a, dialect: ui_tars, model: b}", r":1: models.0: must be"),
        ("pattern: a", r"must be a list"),
    ],
)
def test_a_wrong_line_of_the_table_is_told_at_the_start(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "dialects.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=problem):
        DialectTable(tmp_path)


TARS = "Thought: I see it.\nAction: click(start_box='(500,320)')"


def test_three_rejections_alike_say_which_dialect_the_replies_look_like(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(TARS))
    session_id = server.get_session({"task": "t", "task_type": "step0920"})
    with pytest.raises(ReplyUnreadableError, match="they look like ui_tars") as error:
        server.automate_step(step_payload(session_id, paint()))
    assert error.value.details["looks_like"][0] == "ui_tars"
    events = server.read_events(session_id)
    [mismatch] = [event["data"] for event in events if event["kind"] == "dialect_mismatch"]
    code = error.value.details["rejection"]
    assert mismatch == {
        "step": 1,
        "dialect": "step0920",
        "variant": None,
        "code": code,
        "in_a_row": 3,
        "looks_like": error.value.details["looks_like"],
    }


def test_the_row_goes_on_over_steps_and_ends_with_a_reply_that_is_read(serve: Serve) -> None:
    replies = iter([TARS, TARS, step_reply(), TARS, TARS, TARS])
    server, _ = serve(lambda _: Say(next(replies)), max_reasks=0)
    session_id = server.get_session({"task": "t", "task_type": "step0920"})
    hints = []
    for _ in range(6):
        try:
            server.automate_step(step_payload(session_id, paint()))
        except ReplyUnreadableError as error:
            hints.append(bool(error.details["looks_like"]))
    assert hints == [False, False, False, False, True]


def test_nonsense_looks_like_no_dialect(serve: Serve) -> None:
    server, _ = serve(lambda _: Say("I am sorry, I cannot see the picture."))
    session_id = server.get_session({"task": "t", "task_type": "ui_tars"})
    with pytest.raises(ReplyUnreadableError, match="check that task_type fits") as error:
        server.automate_step(step_payload(session_id, paint()))
    assert error.value.details["looks_like"] == []


def test_replies_of_a_foreign_dialect_are_nearly_always_recognised() -> None:
    """Over the handed cases: three times the same reply, refused by another dialect's parser."""
    lines = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    cases = [line for line in lines if "action" in line["expect"] and "raw" in line]
    missed = []
    for case in cases:
        watch = MismatchWatch(replies=[Reply(case["raw"])] * 3)
        other = "step0920" if case["dialect"] != "step0920" else "ui_tars"
        if case["dialect"] not in watch.find_dialects(other):
            missed.append(case["id"])
    assert len(cases) > 200
    assert len(missed) < 0.15 * len(cases), missed

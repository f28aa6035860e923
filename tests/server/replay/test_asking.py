"""A session's steps are put to a model of another dialect, numbered elements included."""

from __future__ import annotations

import asyncio

from server.model.client import ModelClient
from server.model.providers import choose_model
from server.model.scripted_model import Say, ScriptedModel
from server.prompts import ParserShelf
from server.replay.asking import AskedStep, ask_session
from server.settings import ProviderConfig, load_settings
from tests.server.core.conftest import CONFIGS
from tests.server.export.conftest import Record, Recording, think
from tests.server.replay.test_rereading import TREE

ON_THE_BUTTON = think("explain:ok|action:CLICK|point:500,200|summary:tapped")
DONE = think("explain:done|action:COMPLETE|return:it is off|summary:done")


def ask(recording: Recording, dialect: str, *replies: str) -> list[AskedStep]:
    model = ScriptedModel([Say(reply) for reply in replies])
    provider = ProviderConfig(api_base=model.base_url, default_model="any", max_attempts=1)
    settings = load_settings(CONFIGS, providers={"demo": provider})
    target = choose_model(settings, None, None, None)
    parser = ParserShelf(CONFIGS).get(dialect, variant=None)

    async def collect() -> list[AskedStep]:
        client = ModelClient()
        try:
            steps = ask_session(recording.episode, client, target, parser, settings)
            return [step async for step in steps]
        finally:
            await client.close()

    try:
        return asyncio.run(collect())
    finally:
        model.close()


def test_a_dialect_of_numbers_is_asked_about_every_step_of_a_dialect_of_points(
    record: Record,
) -> None:
    one = record([ON_THE_BUTTON, ON_THE_BUTTON, DONE], trees=dict.fromkeys((1, 2, 3), TREE))
    asked = ask(one, "element_dsl", "click(1)", "click(9)", 'finish("it is off")')
    assert [step.skipped for step in asked] == ["", "", ""]
    assert [step.to_wire()["agree"] for step in asked] == [True, False, True]
    assert asked[1].problem is not None and asked[1].problem["code"] == "parser.bad_element"


def test_a_step_without_a_tree_is_left_out_for_a_dialect_of_numbers(record: Record) -> None:
    one = record([ON_THE_BUTTON, DONE], trees={2: TREE})
    asked = ask(one, "m3a", 'Reason: r\nAction: {"action_type": "navigate_back"}')
    assert [bool(step.skipped) for step in asked] == [True, False]

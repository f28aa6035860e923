"""Finding a dialect by name, by alias, by the model's name, and from a third party."""

from __future__ import annotations

import subprocess
import sys

import pytest

from parsers.base import Parser
from parsers.errors import UnknownDialectError
from parsers.registry import ALIASES, BUILT_IN, get_parser, list_dialects, pick_dialect

TABLE = [
    {"pattern": "qwen.?3.*vl", "dialect": "qwen_mobile_use", "variant": "qwen3"},
    {"pattern": "ui-?tars-1[.]5", "dialect": "ui_tars", "variant": "v1.5"},
    {"pattern": "gelab", "dialect": "step0920"},
]


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_registered_dialect_can_be_made(name: str) -> None:
    parser = get_parser(name)
    assert isinstance(parser, Parser)
    assert parser.name == name
    assert parser.title
    assert parser.models


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_an_alias_gives_the_dialect_it_stands_for(alias: str) -> None:
    assert get_parser(alias).name == ALIASES[alias]


def test_an_unknown_dialect_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownDialectError, match="step0920") as error:
        get_parser("step0921")
    assert error.value.code == "parser.unknown_dialect"


def test_an_unknown_variant_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UnknownDialectError, match=r"v1\.0"):
        get_parser("ui_tars", variant="v9")


def test_a_model_name_picks_dialect_and_variant() -> None:
    choice = pick_dialect("Qwen/Qwen3-VL-8B-Instruct", TABLE)
    assert choice is not None
    assert (choice.dialect, choice.variant) == ("qwen_mobile_use", "qwen3")
    assert pick_dialect("stepfun-ai/GELab-Zero-4B-preview", TABLE) is not None
    assert pick_dialect("gpt-5", TABLE) is None


def test_importing_the_registry_imports_no_dialect() -> None:
    code = (
        "import sys, parsers.registry\n"
        "print([m for m in sys.modules if m in ('parsers.ui_tars', 'parsers.m3a', 'yaml', 'PIL')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_built_in_dialects_are_listed_in_their_documented_order() -> None:
    assert list_dialects()[: len(BUILT_IN)] == list(BUILT_IN)

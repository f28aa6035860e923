"""What the tests of the JSON-shaped dialects share: their prompts, as they ship."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from parsers.base import Parser
from parsers.prompting import choose_prompt
from parsers.registry import get_parser

PROMPTS = Path(__file__).parents[3] / "configs" / "prompts"
MakeParser = Callable[..., Parser]


@pytest.fixture(scope="session")
def make_parser() -> MakeParser:
    """`make_parser(dialect, variant=None, language=None)`: a parser with its shipped prompt."""

    def make(dialect: str, variant: str | None = None, language: str | None = None) -> Parser:
        data = yaml.safe_load((PROMPTS / f"{dialect}.yaml").read_text(encoding="utf-8"))
        return get_parser(dialect, {dialect: choose_prompt(data, language)}, variant)

    return make

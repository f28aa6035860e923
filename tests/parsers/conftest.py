"""What the parser tests share: the shipped prompts, the handed cases, the frames of replies."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, settings

from parsers.action import Size
from parsers.base import Parser, PixelSpace, ReplyContext
from parsers.prompting import choose_prompt
from parsers.registry import get_parser

ROOT = Path(__file__).resolve().parents[2]
SCREEN = Size(width_px=1080, height_px=2400)
SENT = Size(width_px=1092, height_px=2408)

settings.register_profile(
    "parsers",
    max_examples=int(os.environ.get("LOCALSERVER_FUZZ_EXAMPLES", "2000")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="session")
def make_parser() -> Callable[..., Parser]:
    """A parser with its shipped prompt: `make_parser("ui_tars", "v1.0", language="en")`."""

    def make(dialect: str, variant: str | None = None, language: str | None = None) -> Parser:
        path = ROOT / "configs" / "prompts" / f"{dialect}.yaml"
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return get_parser(dialect, {dialect: choose_prompt(data, language)}, variant)

    return make


@pytest.fixture(scope="session")
def frame_of() -> Callable[[Parser], ReplyContext]:
    """A 1080x2400 screen with 24 elements, sent at 1092x2408 to dialects that answer in pixels."""

    def frame(parser: Parser) -> ReplyContext:
        in_pixels = isinstance(parser.space, PixelSpace)
        return ReplyContext(
            sent_size=SENT if in_pixels else None, screen_size=SCREEN, element_count=24
        )

    return frame


@pytest.fixture(scope="session")
def cases() -> list[dict[str, Any]]:
    path = ROOT / "tests" / "data" / "dialect_cases.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

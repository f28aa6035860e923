"""What is logged: masked, inert, and saying what it is about."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.log_lines import JsonLines, TextLines, bind
from server.redaction import keep_secret, redact
from server.settings import load_settings


@pytest.fixture(params=["text", "json"])
def log(request: pytest.FixtureRequest) -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger that writes as the server does."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines() if request.param == "json" else TextLines())
    logger = logging.getLogger(f"test.{request.param}")
    logger.propagate = False
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield logger, out
    logger.removeHandler(handler)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer canary-1234567",
        "authorization: bearer canary-1234567",
        "key sk-canary-1234567 was refused",
        '{"api_key": "canary-1234567"}',
        "api_key=canary-1234567&x=1",
        "password: canary-1234567",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    assert "canary" not in redact(text)
    assert "***" in redact(text)


def test_what_is_known_to_be_a_secret_is_masked_wherever_it_stands() -> None:
    keep_secret("opensesame-77")
    keep_secret("opensesame-77-and-more")
    assert redact("x=opensesame-77-and-more, y(opensesame-77)") == "x=***, y(***)"


def test_plain_words_stay() -> None:
    text = "the model wrote 1200 tokens to /work/log in 3.5 s; the key BACK was pressed"
    assert redact(text) == text


def test_arguments_and_tracebacks_are_masked_too(
    log: tuple[logging.Logger, io.StringIO],
) -> None:
    logger, out = log
    keep_secret("canary-in-an-error")
    try:
        raise ValueError("canary-in-an-error")
    except ValueError:
        logger.exception("failed with %s", {"header": "Bearer canary-in-an-error"})
    assert "canary" not in out.getvalue()
    assert "ValueError: ***" in out.getvalue()


def test_a_secret_with_quotes_in_it_is_masked_in_json_too(
    log: tuple[logging.Logger, io.StringIO],
) -> None:
    logger, out = log
    keep_secret('canary"with\\quotes')
    logger.info('it is canary"with\\quotes')
    assert "canary" not in out.getvalue()


def test_control_characters_of_strangers_are_shown_and_not_obeyed(
    log: tuple[logging.Logger, io.StringIO],
) -> None:
    logger, out = log
    logger.warning("task \x1b]0;x\x07\x1b[2J")
    assert "\x1b" not in out.getvalue()
    assert "\x07" not in out.getvalue()


def test_a_json_line_says_what_it_is_about() -> None:
    record = logging.LogRecord("server.x", logging.WARNING, "f", 1, "slow: %d", (7,), None)
    with bind(session="s1", step=3), bind(device="phone"):
        line = json.loads(JsonLines().format(record))
    time = line.pop("time")
    assert time.endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "server.x",
        "session": "s1",
        "step": 3,
        "device": "phone",
        "message": "slow: 7",
    }
    assert "session" not in json.loads(JsonLines().format(record))


@pytest.mark.parametrize(
    ("name", "text", "mode", "warns"),
    [
        ("model_config", "p:\n  api_base: http://h/v1\n  api_key: sk-plain\n", 0o644, True),
        ("model_config", "p:\n  api_base: http://h/v1\n  api_key: sk-plain\n", 0o600, False),
        ("model_config", "p:\n  api_base: http://h/v1\n  api_key: env:NAME\n", 0o644, False),
        ("server", "api_token: plain-plain\n", 0o644, True),
        ("server", "tokens:\n  x:\n    token: plain-plain\n", 0o644, True),
        ("server", "port: 1\n", 0o644, False),
    ],
)
def test_a_file_with_a_secret_that_others_can_read_is_warned_of(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    text: str,
    mode: int,
    warns: bool,
) -> None:
    file = tmp_path / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    load_settings(tmp_path)
    assert ("chmod 600" in caplog.text) is warns
    assert "plain" not in caplog.text

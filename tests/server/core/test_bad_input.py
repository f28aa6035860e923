"""Bad input gets a typed error with a remedy, and nothing half written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parsers.errors import UnknownDialectError
from server.errors import (
    BadRequestError,
    ImageError,
    ImageSourceError,
    ImageTooLargeError,
    ModelConfigError,
    OverloadedError,
    SessionNotFoundError,
    StepNotFoundError,
    StorageError,
)
from server.local_server import LocalServer
from server.model.scripted_model import Say, ScriptedModel

from .conftest import data_url, paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]


def files_of(server: LocalServer) -> set[str]:
    settings = server.settings
    return {
        str(path.relative_to(folder))
        for folder in (settings.log_dir, settings.image_dir)
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (None, BadRequestError),
        ([], BadRequestError),
        ({}, BadRequestError),
        ({"task": ""}, BadRequestError),
        ({"task": "  \n"}, BadRequestError),
        ({"task": 7}, BadRequestError),
        ({"task": "x" * 100_001}, BadRequestError),
        ({"task": "\ud83d"}, BadRequestError),
        ({"task": "t", "task_type": "no_such"}, UnknownDialectError),
        ({"task": "t", "task_type": 7}, BadRequestError),
        ({"task": "t", "model_config": "m"}, BadRequestError),
        ({"task": "t", "model_config": {"model_provider": "nobody"}}, ModelConfigError),
        ({"task": "t", "model_config": {"model_name": 7}}, BadRequestError),
        ({"task": "t", "model_config": {"args": []}}, BadRequestError),
        ({"task": "t", "model_config": {"args": {"stream": True}}}, BadRequestError),
        ({"task": "t", "model_config": {"args": {"x": {1, 2}}}}, BadRequestError),
        ({"task": "t", "model_config": {"api_key": "sk-canary"}}, BadRequestError),
        ({"task": "t", "model_config": {"api_base": "http://evil/v1"}}, BadRequestError),
        (
            {"task": "t", "model_config": {"image_preprocess": {"target_image_size": [0, 1]}}},
            BadRequestError,
        ),
        (
            {"task": "t", "model_config": {"image_preprocess": {"target_image_size": [9000, 9]}}},
            BadRequestError,
        ),
        ({"task": "t", "model_config": {"resize_config": {"max_side": "big"}}}, BadRequestError),
        ({"task": "t", "extra_info": []}, BadRequestError),
        ({"task": "t", "extra_info": {"x": object()}}, BadRequestError),
    ],
)
def test_a_session_that_cannot_be_is_refused_and_leaves_no_file(
    serve: Serve, payload: Any, error: type[Exception]
) -> None:
    server, _ = serve([])
    before = files_of(server)
    with pytest.raises(error) as caught:
        server.get_session(payload)
    assert "canary" not in str(caught.value)
    assert files_of(server) == before


@pytest.mark.parametrize(
    "session_id",
    [
        "28b10012-1685-44e8-9c16-64d3a309c318",
        "../../etc/passwd",
        "/etc/passwd",
        "a\0b",
        "%2e%2e",
        "x" * 10_000,
        "CON",
        "3BE6EB06-2459-431D-9226-40D6642524D0",
        "65b58a6e-ed0b-11f1-a2eb-02fc00000001",
        "",
    ],
)
def test_a_foreign_id_is_no_session_and_no_path(serve: Serve, session_id: str) -> None:
    server, _ = serve([])
    before = files_of(server)
    for call in (
        lambda: server.automate_step(step_payload(session_id, paint())),
        lambda: server.read_session(session_id),
        lambda: server.read_steps(session_id),
        lambda: server.read_events(session_id),
        lambda: server.read_image(session_id, 1),
        lambda: server.record_event(session_id, "x", {}),
        lambda: server.close_session(session_id, "STOPPED_BY_USER"),
    ):
        with pytest.raises(SessionNotFoundError):
            call()
    assert files_of(server) == before


@pytest.mark.parametrize("session_id", [None, 7, ["x"]])
def test_a_missing_id_is_told(serve: Serve, session_id: Any) -> None:
    server, _ = serve([])
    with pytest.raises(BadRequestError, match="session_id is missing"):
        server.automate_step(step_payload(session_id, paint()))


@pytest.mark.parametrize(
    ("screenshot", "error"),
    [
        (None, ImageError),
        ("x", ImageError),
        ({}, ImageError),
        ({"type": "text", "text": "x"}, ImageError),
        ({"type": "image_url"}, ImageError),
        ({"type": "image_url", "image_url": {"url": ""}}, ImageError),
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}, ImageError),
        ({"type": "image_url", "image_url": {"url": data_url(b"not a picture")}}, ImageError),
        ({"type": "image_url", "image_url": {"url": data_url(paint()[:-20])}}, ImageError),
        ({"type": "image_url", "image_url": {"url": "http://127.0.0.1:1/x"}}, ImageSourceError),
        ({"type": "image_url", "image_url": {"url": "https://example.com/x"}}, ImageSourceError),
        ({"type": "image_url", "image_url": {"url": "file:///etc/passwd"}}, ImageSourceError),
        ({"type": "image_url", "image_url": {"url": "ftp://h/x"}}, ImageSourceError),
        ({"type": "image_bytes", "data": "text"}, ImageError),
        ({"type": "image_bytes", "data": b"\x89PNG\r\n\x1a\n" + b"\0" * 9}, ImageError),
        ({"type": "image_bytes", "data": b"\0" * 21_000_000}, ImageTooLargeError),
    ],
)
def test_a_screenshot_that_is_none_is_refused_before_the_model_is_paid(
    serve: Serve, screenshot: Any, error: type[Exception]
) -> None:
    server, model = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    before = files_of(server)
    with pytest.raises(error):
        server.automate_step({"session_id": session_id, "observation": {"screenshot": screenshot}})
    assert model.requests == []
    assert files_of(server) == before
    assert server.automate_step(step_payload(session_id, paint()))["current_step"] == 1


async def test_a_path_that_comes_over_the_network_is_not_read(serve: Serve, tmp_path: Path) -> None:
    server, model = serve([])
    (tmp_path / "screen.png").write_bytes(paint())
    session_id = await server.aget_session({"task": "t"})
    screenshot = {"type": "image_url", "image_url": {"url": str(tmp_path / "screen.png")}}
    with pytest.raises(ImageSourceError):
        await server.aautomate_step(
            {"session_id": session_id, "observation": {"screenshot": screenshot}}
        )
    assert model.requests == []


@pytest.mark.parametrize("observation", [None, [], "x"])
def test_a_missing_observation_is_told(serve: Serve, observation: Any) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    with pytest.raises(BadRequestError, match="observation must be an object"):
        server.automate_step({"session_id": session_id, "observation": observation})


@pytest.mark.parametrize(
    "observation", [{"query": 7}, {"query": "\ud800"}, {"ui_tree": b"x"}, {"foreground": ["x"]}]
)
def test_an_odd_field_of_an_observation_is_refused(
    serve: Serve, observation: dict[str, Any]
) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    with pytest.raises(BadRequestError):
        server.automate_step(step_payload(session_id, paint(), **observation))


def test_a_step_above_the_limit_of_running_steps_is_refused(serve: Serve) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from server.model.scripted_model import wait_for_requests

    server, model = serve([Say(step_reply(), wait_s=0.3)], max_running_steps=1)
    one, two = (server.get_session({"task": "t"}) for _ in range(2))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.automate_step, step_payload(one, paint()))
        wait_for_requests(model, 1)
        with pytest.raises(OverloadedError):
            server.automate_step(step_payload(two, paint()))
        assert first.result()["current_step"] == 1


def test_a_missing_key_is_told_before_the_session_is_opened(serve: Serve) -> None:
    server, _ = serve([], provider={"api_key": "env:NO_SUCH_KEY_IS_SET"})
    before = files_of(server)
    with pytest.raises(ModelConfigError, match="NO_SUCH_KEY_IS_SET"):
        server.get_session({"task": "t"})
    assert files_of(server) == before


def test_a_picture_that_cannot_be_stored_fails_the_step_before_the_model_is_paid(
    serve: Serve,
) -> None:
    server, model = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    in_the_way = server.settings.image_dir / session_id
    in_the_way.write_text("not a folder")
    with pytest.raises(StorageError, match="free space or mend"):
        server.automate_step(step_payload(session_id, paint()))
    assert model.requests == []
    in_the_way.unlink()
    assert server.automate_step(step_payload(session_id, paint()))["current_step"] == 1


def test_a_step_that_is_not_there_has_no_picture(serve: Serve) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    for step in (0, 1, -1, 10**9):
        with pytest.raises(StepNotFoundError):
            server.read_image(session_id, step)


def test_an_event_needs_a_plain_name(serve: Serve) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    for kind in ("", "Kind", "a b", "../x", "x" * 100):
        with pytest.raises(BadRequestError):
            server.record_event(session_id, kind, {})


def test_two_sizes_at_once_are_refused(serve: Serve) -> None:
    server, model = serve([])
    both = {"target_image_size": [100, 100], "max_side": 50}
    with pytest.raises(BadRequestError, match="two sizes"):
        server.get_session({"task": "t", "model_config": {"image_preprocess": both}})
    unlike = {"image_preprocess": {"max_side": 50}, "resize_config": {"max_side": 60}}
    with pytest.raises(BadRequestError, match="different things"):
        server.get_session({"task": "t", "model_config": unlike})
    assert model.requests == []

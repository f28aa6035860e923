"""The model client against a real HTTP server that misbehaves on cue."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from server.errors import (
    BadRequestError,
    ModelBadReplyError,
    ModelConfigError,
    ModelCutError,
    ModelDeclinedError,
    ModelError,
    ModelRateLimitedError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelUnavailableError,
    ModelUnreachableError,
)
from server.model.client import ModelClient
from server.model.preflight import check_models
from server.model.providers import choose_model
from server.model.reply import ModelReply, require_whole
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
from server.settings import ModelDefaults, ProviderConfig, Settings, load_settings

from .conftest import CONFIGS, Script

MESSAGES = [{"role": "user", "content": "hello"}]
FAST_RETRY = {"retry-after-ms": "1"}
COMPLETION = json.loads(Say("hi").to_body(1))


def settings_for(*configs: tuple[str, ProviderConfig]) -> Settings:
    return load_settings(CONFIGS, providers=dict(configs))


async def ask(
    model: ScriptedModel | str,
    *,
    args: dict[str, Any] | None = None,
    client: ModelClient | None = None,
    **provider: Any,
) -> ModelReply:
    base_url = model if isinstance(model, str) else model.base_url
    config = ProviderConfig(api_base=base_url, default_model="any", **provider)
    target = choose_model(settings_for(("p", config)), None, None, args)
    own = client or ModelClient()
    try:
        return await own.ask(target, MESSAGES)
    finally:
        if client is None:
            await own.close()


def completion(**changes: Any) -> bytes:
    message = {**COMPLETION["choices"][0]["message"], **changes}
    choice = {**COMPLETION["choices"][0], "message": message}
    return json.dumps({**COMPLETION, "choices": [choice]}).encode()


Play = Callable[[Script], ScriptedModel]


async def test_a_reply_comes_back_with_everything_that_the_log_wants(play: Play) -> None:
    model = play([Say("the answer", reasoning="the thought")])
    reply = await ask(model)
    assert (reply.content, reply.reasoning) == ("the answer", "the thought")
    assert (reply.finish_reason, reply.request_id, reply.model) == (
        "stop",
        "scripted-1",
        "scripted",
    )
    assert reply.usage == {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    assert [attempt.outcome for attempt in reply.attempts] == ["ok"]
    assert 0 < reply.duration_s < 5 and reply.started_at.endswith("Z")


async def test_the_request_is_the_merged_arguments_and_nothing_else(play: Play) -> None:
    model = play([Say("x")])
    await ask(model, args={"top_p": 0.5, "frequency_penalty": None}, api_key="sk-1")
    assert model.requests[0].path == "/v1/chat/completions"
    assert model.requests[0].body == {
        "model": "any",
        "messages": MESSAGES,
        "temperature": 0.1,
        "top_p": 0.5,
        "max_tokens": 4096,
    }
    assert model.requests[0].headers["authorization"] == "Bearer sk-1"


async def test_a_provider_without_a_key_gets_no_key_of_another(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-canary")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-canary")
    model = play([Say("x")])
    await ask(model)
    assert "authorization" not in model.requests[0].headers
    assert "canary" not in str(model.requests[0].headers)


async def test_reasoning_under_its_other_name_is_found_too(play: Play) -> None:
    reply = await ask(play([Say("a", reasoning="b", reasoning_field="reasoning")]))
    assert (reply.content, reply.reasoning) == ("a", "b")


async def test_content_in_text_parts_is_joined(play: Play) -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert (await ask(play([Raw(completion(content=parts))]))).content == "ab"


async def test_tool_calls_without_content_are_a_reply(play: Play) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "tap", "arguments": "{}"}}
    reply = await ask(play([Say(None, tool_calls=(call,), finish_reason="tool_calls")]))
    assert (reply.content, reply.tool_calls, reply.may_act) == ("", (call,), True)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504])
async def test_a_passing_fault_is_tried_again(play: Play, status: int) -> None:
    model = play([Fail(status, headers=FAST_RETRY), Fail(status, headers=FAST_RETRY), Say("ok")])
    reply = await ask(model)
    assert reply.content == "ok"
    assert [attempt.status for attempt in reply.attempts] == [status, status, 200]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ModelRefusedError),
        (401, ModelRefusedError),
        (403, ModelRefusedError),
        (404, ModelRefusedError),
        (413, ModelRefusedError),
        (422, ModelRefusedError),
    ],
)
async def test_a_lasting_fault_is_told_at_once(
    play: Play, status: int, error: type[ModelError]
) -> None:
    model = play([Fail(status, "no such thing")])
    with pytest.raises(error) as caught:
        await ask(model)
    assert f"HTTP {status}" in caught.value.message and "no such thing" in caught.value.message
    assert [attempt["status"] for attempt in caught.value.attempts] == [status]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(429, ModelRateLimitedError), (503, ModelUnavailableError)]
)
async def test_a_fault_that_stays_is_told_after_three_tries(
    play: Play, status: int, error: type[ModelError]
) -> None:
    model = play(lambda _: Fail(status, headers=FAST_RETRY))
    with pytest.raises(error) as caught:
        await ask(model)
    assert caught.value.retryable
    assert len(model.requests) == len(caught.value.attempts) == 3


async def test_an_absurd_retry_after_is_not_waited_for(play: Play) -> None:
    model = play([Fail(429, headers={"Retry-After": "86400"})])
    started = time.monotonic()
    with pytest.raises(ModelRateLimitedError) as caught:
        await ask(model)
    assert time.monotonic() - started < 5
    assert caught.value.details["retry_after_s"] == 86400


async def test_retry_after_is_waited_for(play: Play) -> None:
    model = play([Fail(503, headers={"Retry-After": "0.3"}), Say("ok")])
    started = time.monotonic()
    await ask(model)
    assert 0.3 <= time.monotonic() - started < 5


async def test_a_server_that_is_not_there_is_unreachable() -> None:
    with pytest.raises(ModelUnreachableError, match="is it running"):
        await ask("http://127.0.0.1:9/v1", max_attempts=1)


@pytest.mark.parametrize("turn", [Drop(), Drop(after_bytes=10), Drop(after_bytes=0)])
async def test_a_dropped_connection_is_tried_again(play: Play, turn: Turn) -> None:
    reply = await ask(play([turn, Say("ok")]))
    assert [a.outcome for a in reply.attempts] == ["model.unreachable", "ok"]


@pytest.mark.parametrize("turn", [Hang(), Drip(completion(), pause_s=0.1)])
async def test_silence_and_drip_end_at_the_time_out(play: Play, turn: Turn) -> None:
    model = play(lambda _: turn)
    started = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        await ask(model, timeout_s=0.4, max_attempts=1)
    assert 0.35 < time.monotonic() - started < 3


async def test_all_tries_together_end_at_the_deadline(play: Play) -> None:
    started = time.monotonic()
    with pytest.raises(ModelTimeoutError):
        await ask(play(lambda _: Hang()), timeout_s=0.4, deadline_s=0.6, max_attempts=10)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>bad gateway</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": []}',
        b'{"choices": null}',
        b'{"choices": [3]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"error": {"message": "out of memory"}}',
        b"\xff\xfe" + completion(),
        b"[" * 100_000,
        completion(content=None),
        completion(content=7),
        completion(content=[7]),
        completion()[:-9],
    ],
)
async def test_what_is_no_chat_completion_is_a_typed_error(play: Play, body: bytes) -> None:
    model = play([Raw(body)])
    with pytest.raises(ModelBadReplyError) as caught:
        await ask(model)
    assert [attempt["outcome"] for attempt in caught.value.attempts] == ["model.bad_reply"]
    assert len(model.requests) == 1


async def test_a_byte_order_mark_is_forgiven(play: Play) -> None:
    assert (await ask(play([Raw(b"\xef\xbb\xbf" + completion(content="hi"))]))).content == "hi"


async def test_a_refusal_is_told_as_one(play: Play) -> None:
    with pytest.raises(ModelDeclinedError, match="I must not"):
        await ask(play([Say(None, refusal="I must not")]))


@pytest.mark.parametrize("reason", ["length", "content_filter", "abort", "anything"])
async def test_a_reply_that_did_not_end_by_itself_may_not_act(play: Play, reason: str) -> None:
    reply = await ask(play([Say("action:CLICK", finish_reason=reason)]))
    assert not reply.may_act
    with pytest.raises(ModelCutError) as caught:
        require_whole(reply)
    assert caught.value.details == {"finish_reason": reason}


@pytest.mark.parametrize("reason", ["stop", "tool_calls", None])
async def test_a_reply_that_ended_by_itself_may_act(play: Play, reason: str | None) -> None:
    reply = await ask(play([Say("action:CLICK", finish_reason=reason)]))
    require_whole(reply)


@pytest.mark.parametrize("status", [200, 400, 500])
async def test_a_huge_answer_is_dropped_whatever_its_status(play: Play, status: int) -> None:
    with pytest.raises(ModelBadReplyError, match="larger than"):
        await ask(play([Raw(b" " * 6_000_000, status)]), max_attempts=1)


async def test_a_compressed_answer_is_not_unpacked(play: Play) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    with pytest.raises(ModelBadReplyError, match="compressed"):
        await ask(play([Raw(bomb, headers={"Content-Encoding": "gzip"})]))


async def test_the_key_is_not_sent_where_a_redirect_leads(play: Play) -> None:
    other = play([Say("stolen")])
    model = play([Fail(307, headers={"Location": other.base_url + "/chat/completions"})])
    with pytest.raises(ModelRefusedError, match="redirects elsewhere"):
        await ask(model, api_key="sk-canary")
    assert other.requests == []


async def test_a_key_that_the_provider_repeats_is_not_repeated_by_us(play: Play) -> None:
    model = play([Fail(401, "Incorrect API key provided: canary-key-123 (sk-abcdef***xyz)")])
    with pytest.raises(ModelRefusedError) as caught:
        await ask(model, api_key="canary-key-123")
    told = caught.value.message + str(caught.value.details)
    assert "canary" not in told and "sk-abcdef" not in told


async def test_a_key_comes_from_the_environment_and_its_absence_is_told(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = play([Say("x")])
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(ModelConfigError, match="set the environment variable SOME_KEY"):
        await ask(model, api_key="env:SOME_KEY")
    monkeypatch.setenv("SOME_KEY", "sk-some-9d1c")
    await ask(model, api_key="env:SOME_KEY")
    assert model.requests[0].headers["authorization"] == "Bearer sk-some-9d1c"


async def test_a_provider_teaches_us_max_completion_tokens_once(play: Play) -> None:
    def turn(request: RecordedRequest) -> Turn:
        if "max_tokens" in request.body:
            return Fail(
                400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            )
        return Say("ok")

    model = play(turn)
    client = ModelClient()
    await ask(model, client=client)
    await ask(model, client=client)
    await client.close()
    assert [r.body.get("max_completion_tokens") for r in model.requests] == [None, 4096, 4096]


async def test_a_default_that_the_model_does_not_take_is_dropped(play: Play) -> None:
    def turn(request: RecordedRequest) -> Turn:
        if "temperature" in request.body:
            return Fail(400, "Unsupported value: 'temperature' does not support 0.1")
        return Say("ok")

    reply = await ask(play(turn))
    assert [attempt.status for attempt in reply.attempts] == [400, 200]


async def test_an_argument_that_somebody_chose_is_not_dropped_silently(play: Play) -> None:
    model = play([Fail(400, "Unsupported value: 'temperature' does not support 0.7")])
    with pytest.raises(ModelRefusedError, match="temperature"):
        await ask(model, args={"temperature": 0.7})


async def test_two_providers_never_mix(play: Play) -> None:
    one, two = play([Say("1")] * 5), play([Say("2")] * 5)
    settings = settings_for(
        ("one", ProviderConfig(api_base=one.base_url, default_model="m1", api_key="k1")),
        ("two", ProviderConfig(api_base=two.base_url, default_model="m2", api_key="k2")),
    )
    client = ModelClient()
    targets = [choose_model(settings, name, None, None) for name in ("one", "two") * 5]
    replies = await asyncio.gather(*(client.ask(target, MESSAGES) for target in targets))
    await client.close()
    assert [reply.content for reply in replies] == ["1", "2"] * 5
    assert {r.headers["authorization"] for r in one.requests} == {"Bearer k1"}
    assert {r.headers["authorization"] for r in two.requests} == {"Bearer k2"}


def test_arguments_merge_per_key_and_the_nearest_wins() -> None:
    config = ProviderConfig(
        api_base="http://h/v1",
        default_model="a",
        args={"temperature": 0.3, "seed": 1},
        models={"b": ModelDefaults(args={"temperature": 0.4, "top_k": 2})},
    )
    settings = settings_for(("p", config))
    assert dict(choose_model(settings, None, None, None).args) == {
        "temperature": 0.3,
        "top_p": 1.0,
        "frequency_penalty": 0.0,
        "max_tokens": 4096,
        "seed": 1,
    }
    assert dict(choose_model(settings, "p", "b", {"seed": 9, "top_p": None}).args) == {
        "temperature": 0.4,
        "frequency_penalty": 0.0,
        "max_tokens": 4096,
        "seed": 9,
        "top_k": 2,
    }


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_args_may_not_replace_the_question(name: str) -> None:
    settings = settings_for(("p", ProviderConfig(api_base="http://h/v1", default_model="a")))
    with pytest.raises(BadRequestError, match=name):
        choose_model(settings, None, None, {name: 1})


def test_an_unknown_provider_is_told_with_those_that_there_are() -> None:
    settings = settings_for(("mine", ProviderConfig(api_base="http://h/v1")))
    with pytest.raises(ModelConfigError, match="configured: mine"):
        choose_model(settings, "yours", "m", None)
    with pytest.raises(ModelConfigError, match="send model_name"):
        choose_model(settings, "mine", None, None)


def test_a_model_that_is_not_there_is_told_in_words_and_without_a_number_of_the_system() -> None:
    [finding] = check_models(
        settings_for(("demo", ProviderConfig(api_base="http://127.0.0.1:9/v1", default_model="m")))
    )
    assert not finding.ok
    assert "cannot be reached: nothing listens there, or the name is unknown" in finding.message
    assert "Errno" not in finding.message
    assert "localserver model" in finding.remedy

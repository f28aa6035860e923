"""The walk of a step, in process, over real HTTP to a scripted model and real files."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.errors import (
    IdempotencyConflictError,
    ModelCutError,
    ModelUnavailableError,
    ReplyUnreadableError,
    SessionBusyError,
    SessionClosedError,
    ShuttingDownError,
)
from server.local_server import LocalServer
from server.loop.words import words_for
from server.model.scripted_model import (
    Fail,
    Hang,
    RecordedRequest,
    Say,
    ScriptedModel,
    wait_for_requests,
)

from .conftest import data_url, paint, step_payload, step_reply

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]


def texts_of(request: RecordedRequest) -> str:
    """All text of a prompt."""
    content = request.body["messages"][0]["content"]
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def pictures_of(request: RecordedRequest) -> list[str]:
    content = request.body["messages"][0]["content"]
    return [part["image_url"]["url"] for part in content if part["type"] == "image_url"]


def test_a_step_answers_with_the_action_its_number_and_the_policy(serve: Serve) -> None:
    server, _ = serve([Say(step_reply("action:CLICK\tpoint:500,320"))])
    session_id = server.get_session({"task": "打开设置", "task_type": "parser_0922_summary"})
    assert server.automate_step(step_payload(session_id, paint())) == {
        "action": {
            "cot": "I look",
            "explain": "go on",
            "action": "CLICK",
            "point": [500, 320],
            "summary": "did it",
            "meta": {
                "dialect": "step0920",
                "space": "relative-1000",
                "sent_size": {"width_px": 108, "height_px": 240},
            },
        },
        "current_step": 1,
        # No tree came with the screenshot: who acts asks a person, or has it judged with one.
        "policy": {
            "level": "confirm",
            "class": "unknown",
            "reason": "what this does cannot be read: the screen was not read",
            "needs_look": True,
        },
    }


def test_the_model_sees_task_history_and_the_very_picture(serve: Serve) -> None:
    server, model = serve([Say(step_reply(summary="opened the app")), Say(step_reply())])
    session_id = server.get_session({"task": "打开设置，关闭蓝牙"})
    first, second = paint(), paint(kind="JPEG")
    server.automate_step(step_payload(session_id, first))
    server.automate_step(step_payload(session_id, second))
    assert "打开设置，关闭蓝牙" in texts_of(model.requests[0])
    assert "暂无历史操作" in texts_of(model.requests[0])
    assert "opened the app" in texts_of(model.requests[1])
    assert pictures_of(model.requests[0]) == [data_url(first)]
    assert pictures_of(model.requests[1]) == [data_url(second, "image/jpeg")]


def test_the_users_words_reach_the_prompt_even_at_the_first_step(serve: Serve) -> None:
    server, model = serve([Say(step_reply())])
    session_id = server.get_session({"task": "订票"})
    server.automate_step(step_payload(session_id, paint(), query="坐高铁去"))
    assert "坐高铁去" in texts_of(model.requests[0])


def test_the_answer_to_a_question_reaches_the_prompt_with_the_question(serve: Serve) -> None:
    server, model = serve([Say(step_reply("action:INFO\tvalue:哪一天？")), Say(step_reply())])
    session_id = server.get_session({"task": "订票"})
    server.automate_step(step_payload(session_id, paint()))
    server.automate_step(step_payload(session_id, paint(), query="周五"))
    assert "哪一天？" in texts_of(model.requests[1])
    assert "周五" in texts_of(model.requests[1])


def test_the_error_of_the_last_action_reaches_the_prompt(serve: Serve) -> None:
    server, model = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    error = {"code": "device.app_not_found", "message": "no app is called 微亻言"}
    server.automate_step(step_payload(session_id, paint(), last_result=error))
    assert "device.app_not_found: no app is called 微亻言" in texts_of(model.requests[0])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_black_picture_is_never_sent_as_if_it_were_the_screen(serve: Serve, kind: str) -> None:
    """Nor is a dark page called black."""
    server, model = serve([Say(step_reply()), Say(step_reply())])
    session_id = server.get_session({"task": "打开设置", "task_type": "step0920"})
    for brightest in (0, 40):
        image = Image.new("RGB", (1080, 2400))
        image.paste((brightest,) * 3, (500, 2000, 580, 2080))
        file = io.BytesIO()
        image.save(file, kind)
        server.automate_step(step_payload(session_id, file.getvalue()))
    black, dark = (texts_of(request) for request in model.requests)
    assert words_for("打开设置").black in black
    assert "全黑" not in dark
    steps = server.read_steps(session_id)
    assert steps[0]["environment"]["last_result"] == words_for("打开设置").black


@pytest.mark.parametrize(
    "config",
    [
        {"image_preprocess": {"target_image_size": [50, 60]}},
        {"resize_config": {"is_resize": True, "target_image_size": [50, 60]}},
    ],
)
def test_the_asked_size_is_sent_logged_and_given_to_the_parser(
    serve: Serve, config: dict[str, Any]
) -> None:
    import io

    from PIL import Image

    server, model = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t", "model_config": {"model_name": "m", **config}})
    answer = server.automate_step(step_payload(session_id, paint()))
    body = pictures_of(model.requests[0])[0].partition(",")[2]
    assert Image.open(io.BytesIO(base64.b64decode(body))).size == (50, 60)
    assert server.read_steps(session_id)[0]["sent_size"] == [50, 60]
    assert answer["action"]["meta"]["sent_size"] == {"width_px": 50, "height_px": 60}


def test_a_picture_may_come_as_bytes_or_as_a_local_path(serve: Serve, tmp_path: Path) -> None:
    server, model = serve([Say(step_reply()), Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    picture = paint()
    (tmp_path / "screen.png").write_bytes(picture)
    for screenshot in (
        {"type": "image_bytes", "data": picture},
        {"type": "image_url", "image_url": {"url": str(tmp_path / "screen.png")}},
    ):
        payload = {"session_id": session_id, "observation": {"screenshot": screenshot}}
        server.automate_step(payload)
    assert pictures_of(model.requests[0]) == pictures_of(model.requests[1]) == [data_url(picture)]


def test_an_unreadable_reply_is_asked_again_with_the_reason(serve: Serve) -> None:
    server, model = serve([Say("I would rather not"), Say(step_reply("action:HOME"))])
    session_id = server.get_session({"task": "t"})
    answer = server.automate_step(step_payload(session_id, paint()))
    assert answer["action"]["action"] == "HOME"
    again = model.requests[1].body["messages"]
    assert again[:1] == model.requests[0].body["messages"]
    assert again[1] == {"role": "assistant", "content": "I would rather not"}
    assert again[2]["role"] == "user"
    kinds = [event["kind"] for event in server.read_events(session_id)]
    assert kinds == ["step_started", "reply", "rejection", "reply"]
    assert server.read_steps(session_id)[0]["reasks"] == 1


def test_a_step_whose_replies_stay_unreadable_takes_no_number(serve: Serve) -> None:
    server, _ = serve([Say("a"), Say("b"), Say("c"), Say(step_reply("action:BACK"))])
    session_id = server.get_session({"task": "t"})
    picture = paint()
    with pytest.raises(ReplyUnreadableError) as caught:
        server.automate_step(step_payload(session_id, picture))
    assert caught.value.details["rejection"] == "no_action"
    assert server.read_steps(session_id) == []
    events = server.read_events(session_id)
    assert [e["data"].get("content") for e in events if e["kind"] == "reply"] == ["a", "b", "c"]
    failed = events[-1]
    assert (failed["kind"], failed["data"]["step"]) == ("step_failed", 1)
    assert failed["data"]["error"]["code"] == "parser.rejected"
    folder = server.settings.image_dir / session_id
    assert [path.name for path in folder.iterdir()] == failed["data"]["images"]
    assert (folder / failed["data"]["images"][0]).read_bytes() == picture
    assert server.automate_step(step_payload(session_id, picture))["current_step"] == 1


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_cut_reply_never_acts_although_it_could_be_read(serve: Serve, reason: str) -> None:
    server, model = serve([Say(step_reply(), finish_reason=reason), Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    with pytest.raises(ModelCutError):
        server.automate_step(step_payload(session_id, paint()))
    assert len(model.requests) == 1
    assert server.read_steps(session_id) == []
    assert server.read_events(session_id)[1]["data"]["content"] == step_reply()


def test_a_model_that_is_down_fails_the_step_and_not_the_session(serve: Serve) -> None:
    server, _ = serve([Fail(503, headers={"retry-after-ms": "1"})] * 3 + [Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    with pytest.raises(ModelUnavailableError):
        server.automate_step(step_payload(session_id, paint()))
    failed = server.read_events(session_id)[-1]["data"]
    assert [attempt["status"] for attempt in failed["attempts"]] == [503, 503, 503]
    assert server.automate_step(step_payload(session_id, paint()))["current_step"] == 1


def test_reasoning_becomes_the_thought_and_is_not_glued_to_the_reply(serve: Serve) -> None:
    reply = "explain:x\taction:HOME\tsummary:s"
    server, _ = serve([Say(reply, reasoning="a private thought")])
    session_id = server.get_session({"task": "t"})
    answer = server.automate_step(step_payload(session_id, paint()))
    step = server.read_steps(session_id)[0]
    assert answer["action"]["cot"] == "a private thought"
    assert (step["model_response"], step["reasoning"]) == (reply, "a private thought")


def test_lone_surrogates_in_a_reply_harm_nothing(serve: Serve) -> None:
    server, _ = serve([Say("action:TYPE\tvalue:\ud83d"), Say(step_reply("action:HOME"))])
    session_id = server.get_session({"task": "t"})
    answer = server.automate_step(step_payload(session_id, paint()))
    assert answer["action"]["action"] == "HOME"
    assert server.read_events(session_id)[1]["data"]["content"] == "action:TYPE\tvalue:\ud83d"


def test_a_second_step_of_a_session_waits_and_then_is_told_busy(serve: Serve) -> None:
    server, model = serve([Hang()], session_busy_wait_s=0.1)
    session_id = server.get_session({"task": "t"})
    payload = step_payload(session_id, paint())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(server.automate_step, payload)
        wait_for_requests(model, 1)
        with pytest.raises(SessionBusyError) as caught:
            server.automate_step(payload)
        assert caught.value.retryable
        server.close_session(session_id, "STOPPED_BY_USER")
        with pytest.raises(SessionClosedError):
            first.result(timeout=5)


def test_steps_of_one_session_run_one_after_the_other_and_those_of_many_side_by_side(
    serve: Serve,
) -> None:
    running, most = 0, 0
    lock = threading.Lock()

    def turn(request: RecordedRequest) -> Say:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.1)
        with lock:
            running -= 1
        return Say(step_reply())

    server, _ = serve(turn)
    one = server.get_session({"task": "t"})
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda _: server.automate_step(step_payload(one, paint())), range(4))
        assert sorted(answer["current_step"] for answer in answers) == [1, 2, 3, 4]
    assert most == 1
    many = [server.get_session({"task": "t"}) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda sid: server.automate_step(step_payload(sid, paint())), many)
        assert [answer["current_step"] for answer in answers] == [1] * 8
    assert most >= 4


def test_closing_a_session_ends_its_running_step_at_once(serve: Serve) -> None:
    server, model = serve([Hang()])
    session_id = server.get_session({"task": "t"})
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(server.automate_step, step_payload(session_id, paint()))
        wait_for_requests(model, 1)
        started = time.monotonic()
        server.close_session(session_id, "STOPPED_BY_USER")
        with pytest.raises(SessionClosedError):
            step.result(timeout=5)
        assert time.monotonic() - started < 1
    kinds = [event["kind"] for event in server.read_events(session_id)]
    assert kinds == ["step_started", "step_failed", "session_closed"]
    assert server.read_session(session_id).stop_reason == "STOPPED_BY_USER"


def test_a_stopped_session_takes_no_step_and_one_that_waits_for_a_reply_does(serve: Serve) -> None:
    server, _ = serve([Say(step_reply())])
    stopped, waiting = (server.get_session({"task": "t"}) for _ in range(2))
    server.close_session(stopped, "STOPPED_BY_USER")
    server.close_session(waiting, "INFO_ACTION_NEEDS_REPLY")
    with pytest.raises(SessionClosedError):
        server.automate_step(step_payload(stopped, paint()))
    server.automate_step(step_payload(waiting, paint(), query="yes"))
    record = server.read_session(waiting)
    assert (record.state, record.stop_reason, record.steps) == ("open", None, 1)


def test_closing_the_server_ends_what_still_runs(serve: Serve) -> None:
    server, model = serve([Hang()])
    session_id = server.get_session({"task": "t"})
    with ThreadPoolExecutor(1) as pool:
        step = pool.submit(server.automate_step, step_payload(session_id, paint()))
        wait_for_requests(model, 1)
        server.close()
        with pytest.raises(ShuttingDownError):
            step.result(timeout=5)
    with pytest.raises(ShuttingDownError):
        server.get_session({"task": "t"})


def test_the_same_idempotency_key_gives_the_same_answer_from_one_model_call(serve: Serve) -> None:
    server, model = serve([Say(step_reply("action:HOME")), Say(step_reply("action:BACK"))])
    session_id = server.get_session({"task": "t"})
    payload = {**step_payload(session_id, paint()), "idempotency_key": "k-1"}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(server.automate_step, [payload] * 8))
    assert all(answer == answers[0] for answer in answers)
    assert len(model.requests) == 1
    assert server.read_session(session_id).steps == 1
    with pytest.raises(IdempotencyConflictError):
        server.automate_step({**step_payload(session_id, paint(100)), "idempotency_key": "k-1"})
    after = server.automate_step({**payload, "idempotency_key": "k-2"})
    assert (after["current_step"], after["action"]["action"]) == (2, "BACK")


@pytest.mark.parametrize("field", ["query", "ui_tree", "foreground", "last_result"])
def test_an_idempotency_key_stands_for_the_whole_observation(serve: Serve, field: str) -> None:
    server, model = serve([Say(step_reply("action:HOME"))])
    session_id = server.get_session({"task": "t"})
    observation = step_payload(session_id, paint())["observation"] | {
        "query": "", "ui_tree": "<hierarchy/>", "foreground": "com.one", "last_result": "ok",
    }  # fmt: skip
    payload = {"session_id": session_id, "observation": observation, "idempotency_key": "k"}
    answer = server.automate_step(payload)
    assert server.automate_step(payload) == answer
    other = {**payload, "observation": {**observation, field: "other"}}
    with pytest.raises(IdempotencyConflictError):
        server.automate_step(other)
    server.close()
    with LocalServer(server.settings) as again:  # told from the log
        with pytest.raises(IdempotencyConflictError):
            again.automate_step(other)
        assert again.automate_step(payload) == answer
    assert len(model.requests) == 1


async def test_it_can_be_awaited_from_another_loop(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(step_reply()))
    ids = await asyncio.gather(*(server.aget_session({"task": "t"}) for _ in range(5)))
    answers = await asyncio.gather(
        *(server.aautomate_step(step_payload(session_id, paint())) for session_id in ids)
    )
    assert [answer["current_step"] for answer in answers] == [1] * 5


def test_debug_keeps_the_whole_prompt_without_the_picture(serve: Serve) -> None:
    server, _ = serve([Say(step_reply())], debug=True)
    session_id = server.get_session({"task": "a task"})
    server.automate_step(step_payload(session_id, paint()))
    prompt = server.read_events(session_id)[1]
    assert prompt["kind"] == "prompt"
    text = json.dumps(prompt["data"]["messages"], ensure_ascii=False)
    assert "a task" in text and "# 坐标" in text and "base64" not in text


def test_an_orchestrator_may_put_its_own_events_on_record(serve: Serve) -> None:
    server, _ = serve([])
    session_id = server.get_session({"task": "t"})
    server.record_event(session_id, "device_intent", {"action": "CLICK"})
    server.record_event(session_id, "device_outcome", {"ok": True})
    events = server.read_events(session_id, after_seq=1)
    assert [(e["seq"], e["kind"], e["data"]) for e in events] == [
        (2, "device_outcome", {"ok": True})
    ]


def test_a_picture_is_read_back_as_it_came(serve: Serve) -> None:
    server, _ = serve([Say(step_reply())])
    session_id = server.get_session({"task": "t"})
    picture = paint(kind="WEBP")
    server.automate_step(step_payload(session_id, picture))
    assert server.read_image(session_id, 1) == (picture, "image/webp")


def test_sessions_are_listed_the_last_written_first(serve: Serve) -> None:
    server, _ = serve([Say(step_reply())])
    ids = [server.get_session({"task": f"task {n}"}) for n in range(3)]
    server.automate_step(step_payload(ids[0], paint()))
    listed = server.list_sessions()
    assert listed[0].session_id == ids[0]
    assert (listed[0].task, listed[0].steps, listed[0].state) == ("task 0", 1, "open")
    assert {summary.session_id for summary in listed} == set(ids)
    assert [s.session_id for s in server.list_sessions(limit=1, offset=1)] == [listed[1].session_id]


def test_an_english_prompt_is_used_where_the_model_s_config_asks_for_it(serve: Serve) -> None:
    server, model = serve([Say(step_reply())])
    session_id = server.get_session(
        {"task": "t", "model_config": {"model_name": "m", "prompt_language": "en"}}
    )
    server.automate_step(step_payload(session_id, paint()))
    assert "# Coordinates" in texts_of(model.requests[0])

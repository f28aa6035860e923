"""What a task waits for, and what people said to it, outlive the server."""

from __future__ import annotations

import pytest

from device.scripted_device import Frame, ScriptedDevice
from server.model.scripted_model import Fail, Hang, wait_for_requests
from tests.server.http.conftest import (
    AWAKE,
    CLICK,
    COMPLETE,
    INSTALLED,
    ScriptedPhones,
    Service,
    Start,
)
from tests.server.http.test_task_control import (
    DONE,
    INFO,
    QUICK,
    SHOP,
    Gate,
    button,
    phones_with,
    restarted,
    shop_phones,
)


def prompts(service: Service) -> list[str]:
    return [str(request.body["messages"]) for request in service.model.requests]


@pytest.mark.parametrize("approve", [True, False])
def test_after_a_restart_an_action_still_waits_for_its_yes(start: Start, approve: bool) -> None:
    pages = [Frame("some app"), Frame("pay", tree=button("立即支付"), app=SHOP), Frame("paid")]
    phones = ScriptedPhones(ScriptedDevice(pages, installed=INSTALLED))
    before = start([CLICK], phones=phones)
    task = before.client.start_task({**QUICK, "reset_environment": True})["task_id"]
    asked = before.wait_for(task, "waiting_confirm")
    with restarted(start, before, [COMPLETE]) as service:
        waiting = service.client.get_task(task)
        assert (waiting["state"], waiting["confirm"]) == ("waiting_confirm", asked["confirm"])
        other = service.raw.post(f"/v1/tasks/{task}/confirm", json={"approve": True, "id": "x"})
        assert service.error_of(other) == (409, "task.wrong_state")
        service.client.confirm_task(task, approve, asked["confirm"]["id"])
        done = service.wait_for(task, "done")
        # The very action that was asked about, without asking the model again.
        inputs = [call.name for call in service.phone.inputs()]
        kinds = [log["agent_action"]["action"] for log in done["result"]["intermediate_logs"]]
        if approve:
            assert (done["stop_reason"], inputs) == (DONE, ["press_key", "tap"])
            assert (kinds, len(service.model.requests)) == (["CLICK", "COMPLETE"], 1)
        else:
            assert (done["stop_reason"], inputs) == ("POLICY_DENIED", ["press_key"])
            assert (kinds, service.model.requests) == ([], [])
        answers = [e for e in service.client.watch_task(task) if e["kind"] == "confirm_answer"]
        assert [answer["data"]["approved"] for answer in answers] == [approve]


def test_after_a_restart_a_yes_to_a_screen_that_is_gone_does_nothing(start: Start) -> None:
    before = start([CLICK], phones=shop_phones(Frame("another page")))
    task = before.client.start_task(QUICK)["task_id"]
    before.wait_for(task, "waiting_confirm")
    before.phone.press_key("BACK")  # the screen changes by another hand
    with restarted(start, before, [COMPLETE, COMPLETE]) as service:
        service.client.confirm_task(task, True)
        done = service.wait_for(task, "done")
        assert done["result"]["intermediate_logs"][0]["outcome"]["status"] == "withheld"
        assert "屏幕发生了变化" in prompts(service)[0]
        assert [call.name for call in service.phone.inputs()] == ["press_key"]


def test_after_a_restart_no_yes_in_time_is_still_a_no(start: Start) -> None:
    before = start([CLICK], phones=shop_phones())
    task = before.client.start_task({**QUICK, "confirm_timeout_s": 1.0})["task_id"]
    before.wait_for(task, "waiting_confirm")
    with restarted(start, before, []) as service:
        assert service.wait_for(task, "done")["stop_reason"] == "POLICY_DENIED"
        assert service.phone.inputs() == []


@pytest.mark.parametrize("restarts_at", ["waiting_confirm", "waiting_reply"])
def test_after_a_restart_a_yes_for_the_rest_of_the_task_still_holds(
    start: Start, restarts_at: str
) -> None:
    page = Frame("shop", tree=button("首页"), app=SHOP)  # an app that the task does not name
    phones = ScriptedPhones(ScriptedDevice([page, page, page], installed=INSTALLED))
    script = [CLICK, INFO, CLICK, COMPLETE]
    before = start(script, phones=phones)
    task = before.client.start_task({**QUICK, "task": "打开设置"})["task_id"]
    before.wait_for(task, "waiting_confirm")
    if restarts_at == "waiting_reply":
        before.client.confirm_task(task, True)
        before.wait_for(task, "waiting_reply")
    rest = script[1:] if restarts_at == "waiting_confirm" else script[2:]
    with restarted(start, before, rest) as service:
        if restarts_at == "waiting_confirm":
            service.client.confirm_task(task, True)
            service.wait_for(task, "waiting_reply")
        service.client.reply_task(task, "第一个")
        assert service.wait_for(task, "done")["stop_reason"] == DONE
        asked = [e for e in service.client.watch_task(task) if e["kind"] == "confirm_question"]
        assert len(asked) == 1
        assert [call.name for call in service.phone.inputs()] == ["tap", "tap"]


@pytest.mark.parametrize("verb", ["pause", "take_over"])
def test_after_a_restart_a_held_question_is_still_held(start: Start, verb: str) -> None:
    before = start([INFO])
    task = before.client.start_task(QUICK)["task_id"]
    before.wait_for(task, "waiting_reply")
    held = before.raw.post(f"/v1/tasks/{task}/{verb}").json()["hold"]
    with restarted(start, before, [AWAKE, COMPLETE]) as service:
        waiting = service.client.get_task(task)
        assert (waiting["state"], waiting["hold"]) == ("waiting_reply", held)
        service.client.reply_task(task, "靠窗的那个")
        service.wait_for(task, held)
        assert (service.model.requests, service.phone.inputs()) == ([], [])
        if verb == "pause":
            service.client.resume_task(task)
        else:
            service.client.give_back_task(task, "我点过了")
        assert service.wait_for(task, "done")["stop_reason"] == DONE
        assert "靠窗的那个" in prompts(service)[0]
        assert verb == "pause" or "我点过了" in prompts(service)[0]


def test_an_answer_that_the_model_never_got_is_told_after_the_restart(start: Start) -> None:
    before = start([INFO, Hang(30)])
    task = before.client.start_task(QUICK)["task_id"]
    before.wait_for(task, "waiting_reply")
    before.client.reply_task(task, "靠窗的那个")
    wait_for_requests(before.model, 2)
    with restarted(start, before, [AWAKE, COMPLETE]) as service:
        assert service.client.get_task(task)["stop_reason"] == "INTERRUPTED"
        service.client.resume_task(task)
        assert service.wait_for(task, "done")["stop_reason"] == DONE
        told = [
            step["environment"]["user_comment"]
            for step in service.client.read_steps(task.partition(".")[0])
        ]
        assert told == ["", "靠窗的那个", ""]


def test_a_follow_up_that_was_queued_keeps_its_words_over_a_restart(start: Start) -> None:
    before = start([AWAKE, COMPLETE, Hang(30)])
    first = before.client.start_task(QUICK)
    before.wait_for(first["task_id"], "done")
    before.client.start_task(QUICK)
    wait_for_requests(before.model, 3)
    words = {"session_id": first["session_id"], "task": "再发给她", "max_still_s": 0}
    queued = before.client.start_task(words)["task_id"]
    with restarted(start, before, [COMPLETE]) as service:
        assert service.wait_for(queued, "done")["stop_reason"] == DONE
        assert "再发给她" in prompts(service)[0]


def test_words_are_told_once_and_not_again_when_the_task_is_resumed(start: Start) -> None:
    service = start([INFO, CLICK, Fail(500), COMPLETE])
    task = service.client.start_task(QUICK)["task_id"]
    service.wait_for(task, "waiting_reply")
    service.client.reply_task(task, "靠窗的那个")
    assert service.wait_for(task, "done")["stop_reason"] == "MODEL_FAILED"
    service.client.resume_task(task)
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    told = [step["environment"]["user_comment"] for step in service.client.read_steps(
        task.partition(".")[0]
    )]  # fmt: skip
    assert told == ["", "靠窗的那个", ""]


def test_a_person_who_takes_the_phone_while_a_question_waits_may_use_it(start: Start) -> None:
    service = start([INFO])
    task = service.client.start_task(QUICK)["task_id"]
    service.wait_for(task, "waiting_reply")
    tap = {"action": {"action": "CLICK", "point": [5, 5]}}
    refused = service.raw.post("/v1/devices/scripted-1/actions", json=tap)
    assert service.error_of(refused) == (409, "device.leased")
    service.client.take_over_task(task)
    assert service.raw.post("/v1/devices/scripted-1/actions", json=tap).status_code == 200


def test_a_note_is_told_though_the_phone_was_given_back_at_once(start: Start) -> None:
    gate = Gate()
    service = start([AWAKE, COMPLETE], phones=phones_with(gate))
    task = service.client.start_task(QUICK)["task_id"]
    assert gate.reached.wait(20)
    service.client.take_over_task(task)
    service.client.give_back_task(task, "按下面那个")  # before the loop came to wait
    gate.opened.set()
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    assert "按下面那个" in prompts(service)[1]


def test_a_paused_task_that_is_queued_does_not_touch_its_phone(start: Start) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    first = service.client.start_task(QUICK)["task_id"]
    service.wait_for(first, "waiting_reply")
    second = service.client.start_task({**QUICK, "reset_environment": True})["task_id"]
    assert service.client.pause_task(second)["hold"] == "paused"
    service.client.stop_task(first)
    service.wait_for(second, "paused")
    assert service.phone.inputs() == []
    service.client.resume_task(second)
    assert service.wait_for(second, "done")["stop_reason"] == DONE

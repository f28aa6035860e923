"""Tasks under control: watched, held, limited, gone on with, and taken up after a restart."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.errors import DeviceOfflineError
from device.protocol import App, Bounds, UiNode, UiTree
from device.scripted_device import Frame, ScriptedDevice
from server.model.scripted_model import Hang, Say, wait_for_requests
from tests.server.http.conftest import (
    AWAKE,
    CLICK,
    COMPLETE,
    INSTALLED,
    ScriptedPhones,
    Service,
    Start,
    step_reply,
)

QUICK: dict[str, Any] = {"task": "打开设置", "max_still_s": 0}
INFO = step_reply(action="INFO", value="哪一个？")
DONE = "TASK_COMPLETED_SUCCESSFULLY"


class Gate:
    """Holds the phone's next input until it is opened."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, call: Any) -> None:
        if call.name in ("tap", "open_app"):
            self.reached.set()
            assert self.opened.wait(20)


def phones_with(gate: Gate) -> ScriptedPhones:
    return ScriptedPhones(ScriptedDevice("abcdef", installed=INSTALLED, on_call=gate))


# --- watch --------------------------------------------------------------------------------------


def test_events_tell_the_whole_story_in_order(start: Start) -> None:
    service = start([AWAKE, CLICK, COMPLETE])
    task = service.client.start_task(QUICK)
    events = list(service.client.watch_task(task["task_id"]))
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["kind"] for event in events]
    assert kinds[0] == "task_started"
    assert kinds[-1] == "task_ended"
    assert kinds.count("task_step") == 3
    assert kinds.index("device_intent") < kinds.index("device_outcome") < kinds.index("task_step")
    assert events[-1]["data"]["stop_reason"] == DONE


def test_a_stream_that_broke_off_goes_on_behind_the_last_event(start: Start) -> None:
    service = start([AWAKE, CLICK, COMPLETE])
    task = service.client.start_task(QUICK)
    service.wait_for(task["task_id"], "done")
    everything = list(service.client.watch_task(task["task_id"]))
    url = f"/v1/tasks/{task['task_id']}/events"
    answer = service.raw.get(url, headers={"Last-Event-ID": "4"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    ids = [line[4:] for line in answer.text.splitlines() if line.startswith("id: ")]
    assert ids == [str(event["id"]) for event in everything[4:]]
    odd = service.raw.get(url, headers={"Last-Event-ID": "4;x"})
    assert odd.text.startswith("id: 1\n")


def test_the_result_has_what_it_used_and_how_to_see_it_again(start: Start) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    service = start([Say(AWAKE.content, usage=usage), Say(COMPLETE.content, usage=usage)])
    task = service.client.start_task(QUICK)
    result = service.wait_for(task["task_id"], "done")["result"]
    assert result["usage"] == {
        "replies": 2, "prompt_tokens": 200, "completion_tokens": 20, "total_tokens": 220,
    }  # fmt: skip
    assert result["cost"] == {"amount": 0.0, "currency": "USD"}
    assert result["replay"] == f"localserver show {task['session_id']}"
    assert [log["cot"] for log in result["intermediate_logs"]] == ["I think", "I think"]
    assert (result["local_step_idx"], result["global_step_idx"]) == (2, 2)
    assert result["device_info"] == {"device_id": "scripted-1", "device_wm_size": [1080, 2400]}


# --- hold ---------------------------------------------------------------------------------------


def test_a_paused_task_does_nothing_until_it_is_resumed(start: Start) -> None:
    gate = Gate()
    service = start([AWAKE, CLICK, COMPLETE], phones=phones_with(gate))
    task = service.client.start_task(QUICK)["task_id"]
    assert gate.reached.wait(20)
    service.client.pause_task(task)
    gate.opened.set()
    service.wait_for(task, "paused")
    assert len(service.model.requests) == 1
    assert len(service.phone.inputs()) == 1
    service.client.resume_task(task)
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    assert len(service.phone.inputs()) == 2


def test_an_action_that_was_chosen_before_the_pause_is_not_done_after_it(start: Start) -> None:
    service = start([Say(AWAKE.content, wait_s=0.5), AWAKE, COMPLETE])
    task = service.client.start_task(QUICK)["task_id"]
    wait_for_requests(service.model, 1)
    service.client.pause_task(task)
    service.wait_for(task, "paused")
    assert service.phone.inputs() == []
    service.client.resume_task(task)
    done = service.wait_for(task, "done")
    assert [log["outcome"]["status"] for log in done["result"]["intermediate_logs"]][:2] == [
        "withheld",
        "ok",
    ]
    assert "暂停" in str(service.model.requests[1].body["messages"])


def test_a_person_takes_the_phone_and_gives_it_back_with_a_note(start: Start) -> None:
    gate = Gate()
    service = start([AWAKE, CLICK, COMPLETE], phones=phones_with(gate))
    task = service.client.start_task(QUICK)["task_id"]
    assert gate.reached.wait(20)
    service.client.take_over_task(task)
    gate.opened.set()
    service.wait_for(task, "taken_over")
    shots = len([call for call in service.phone.journal if call.name == "screenshot"])
    service.client.give_back_task(task, "我已经登录了")
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    assert "我已经登录了" in str(service.model.requests[1].body["messages"])
    after = len([call for call in service.phone.journal if call.name == "screenshot"])
    assert after > shots  # the screen was looked at again
    kinds = [
        event["kind"]
        for event in service.client.read_events(service.client.get_task(task)["session_id"])
    ]
    assert "give_back" in kinds


def test_holding_and_letting_go_out_of_turn_is_refused(start: Start) -> None:
    service = start([INFO])
    task = service.client.start_task(QUICK)["task_id"]
    service.wait_for(task, "waiting_reply")
    for call in ("resume", "give_back"):
        body = {} if call == "give_back" else None
        answer = service.raw.post(f"/v1/tasks/{task}/{call}", json=body)
        assert service.error_of(answer) == (409, "task.wrong_state"), call
    service.client.stop_task(task)
    for call in ("pause", "take_over", "resume"):
        answer = service.raw.post(f"/v1/tasks/{task}/{call}")
        assert service.error_of(answer) == (409, "task.wrong_state"), call


# --- a yes --------------------------------------------------------------------------------------


def button(text: str) -> UiTree:
    node = UiNode(
        class_name="android.widget.Button", package="com.example.shop", text=text,
        content_desc="", resource_id="", hint="", bounds=Bounds(0, 600, 1080, 900),
        clickable=True, long_clickable=False, checkable=False, checked=False, scrollable=False,
        focusable=True, focused=False, enabled=True, password=False, selected=False, depth=1,
    )  # fmt: skip
    return UiTree(node, xml='<hierarchy rotation="0"><node text="' + text + '" '
        'class="android.widget.Button" package="com.example.shop" clickable="true" '
        'enabled="true" bounds="[0,600][1080,900]" /></hierarchy>')  # fmt: skip


SHOP = App("com.example.shop")


ANYWHERE = {"policy": {"scope": "off"}}


def shop_phones(*more: Frame) -> ScriptedPhones:
    frames = [Frame("pay", tree=button("立即支付"), app=SHOP), *(more or (Frame("paid"),))]
    return ScriptedPhones(ScriptedDevice(frames, installed=INSTALLED))


def test_an_action_that_may_pay_waits_for_a_yes_to_this_very_action(start: Start) -> None:
    service = start([CLICK, COMPLETE], phones=shop_phones())
    task = service.client.start_task(QUICK)["task_id"]
    waiting = service.wait_for(task, "waiting_confirm")
    assert waiting["confirm"]["class"] == "pay"
    assert waiting["confirm"]["action"]["point"] == [500, 320]
    assert "立即支付" in waiting["question"]
    other = service.raw.post(f"/v1/tasks/{task}/confirm", json={"approve": True, "id": "other"})
    assert service.error_of(other) == (409, "task.wrong_state")
    assert service.phone.inputs() == []
    service.client.confirm_task(task, True, waiting["confirm"]["id"])
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    assert [call.name for call in service.phone.inputs()] == ["tap"]


def test_a_yes_to_a_screen_that_is_gone_does_nothing(start: Start) -> None:
    phones = shop_phones(Frame("another page"), Frame("last"))
    service = start([CLICK, CLICK, COMPLETE], phones=phones)
    task = service.client.start_task(QUICK)["task_id"]
    service.wait_for(task, "waiting_confirm")
    service.phone.press_key("BACK")  # the screen changes by another hand
    service.client.confirm_task(task, True)
    done = service.wait_for(task, "done")
    statuses = [log["outcome"]["status"] for log in done["result"]["intermediate_logs"]]
    assert statuses[:2] == ["withheld", "ok"]
    assert [call.name for call in service.phone.inputs()] == ["press_key", "tap"]


def test_no_yes_is_a_no(start: Start) -> None:
    service = start([CLICK], phones=shop_phones())
    task = service.client.start_task({**QUICK, "confirm_timeout_s": 0.05})["task_id"]
    assert service.wait_for(task, "done")["stop_reason"] == "POLICY_DENIED"
    assert service.phone.inputs() == []


def test_a_yes_beforehand_covers_its_class_alone(start: Start) -> None:
    service = start([CLICK, COMPLETE], phones=shop_phones())
    task = service.client.start_task({**QUICK, **ANYWHERE, "approve": ["pay"]})["task_id"]
    assert service.wait_for(task, "done")["stop_reason"] == DONE
    other = start([CLICK], phones=shop_phones(), log_dir=service.settings.log_dir / "other")
    task = other.client.start_task({**QUICK, "approve": ["send"], "confirm_timeout_s": 0.05})
    assert other.wait_for(task["task_id"], "done")["stop_reason"] == "POLICY_DENIED"


# --- limits -------------------------------------------------------------------------------------


def test_a_task_ends_when_its_tokens_are_used_up(start: Start) -> None:
    usage = {"prompt_tokens": 500, "completion_tokens": 10}
    frames = [Say(CLICK.content, usage=usage)] * 6
    service = start(frames)
    task = service.client.start_task({**QUICK, "max_total_tokens": 1000})["task_id"]
    done = service.wait_for(task, "done")
    assert (done["stop_reason"], done["steps"]) == ("COST_LIMIT_REACHED", 2)
    assert len(service.model.requests) == 2


def test_a_cap_in_money_that_cannot_be_counted_is_refused(start: Start, tmp_path: Path) -> None:
    service = start([])
    body = {**QUICK, "max_cost": 1, "model_config": {"model_name": "scripted"}}
    accepted = service.raw.post("/v1/tasks", json=body)  # demo's models cost nothing
    assert accepted.status_code == 201
    service.client.stop_task(accepted.json()["task_id"])


def test_the_more_important_task_goes_first(start: Start) -> None:
    service = start([INFO, *[AWAKE, COMPLETE] * 3])
    first = service.client.start_task(QUICK)["task_id"]
    service.wait_for(first, "waiting_reply")
    low = service.client.start_task(QUICK)["task_id"]
    high = service.client.start_task({**QUICK, "task": "紧急", "priority": 5})["task_id"]
    service.client.reply_task(first, "x")
    service.wait_for(low, "done")
    prompts = [str(request.body["messages"]) for request in service.model.requests]
    assert ["紧急" in prompt for prompt in prompts[3:]] == [True, True, False, False]
    assert service.client.get_task(high)["state"] == "done"


def test_a_tag_takes_the_phone_with_the_fewest_tasks_and_leaves_out_the_sick_one(
    start: Start,
) -> None:
    sick = ScriptedDevice(serial="a", errors={"state": [DeviceOfflineError("it is offline")]})
    well = ScriptedDevice(serial="b", installed=INSTALLED)
    service = start([AWAKE, COMPLETE], phones=ScriptedPhones(sick, well))
    task = service.client.start_task({**QUICK, "tag": "any"})
    assert (task["serial"], service.wait_for(task["task_id"], "done")["stop_reason"]) == ("b", DONE)
    nobody = service.raw.post("/v1/tasks", json={**QUICK, "tag": "no-such"})
    assert service.error_of(nobody) == (409, "task.no_phone")


# --- go on --------------------------------------------------------------------------------------


def test_a_follow_up_goes_on_in_the_same_session(start: Start) -> None:
    service = start([AWAKE, COMPLETE, CLICK, COMPLETE])
    first = service.client.start_task(QUICK)
    service.wait_for(first["task_id"], "done")
    body = {"session_id": first["session_id"], "task": "现在发给她", "max_still_s": 0}
    second = service.client.start_task(body)
    assert second["session_id"] == first["session_id"]
    assert second["task_id"] != first["task_id"]
    done = service.wait_for(second["task_id"], "done")
    assert (done["stop_reason"], done["result"]["global_step_idx"]) == (DONE, 4)
    assert "现在发给她" in str(service.model.requests[2].body["messages"])


def test_an_unanswered_question_is_answered_later_in_a_new_task(start: Start) -> None:
    service = start([INFO, AWAKE, COMPLETE])
    first = service.client.start_task({**QUICK, "reply_timeout_s": 0})
    ended = service.wait_for(first["task_id"], "done")
    assert (ended["stop_reason"], ended["result"]["message"]) == (
        "INFO_ACTION_NEEDS_REPLY",
        "哪一个？",
    )
    body = {"session_id": first["session_id"], "reply_from_client": "第二个", "max_still_s": 0}
    second = service.client.start_task(body)
    assert service.wait_for(second["task_id"], "done")["stop_reason"] == DONE
    assert "第二个" in str(service.model.requests[1].body["messages"])


def test_two_tasks_never_run_in_one_session(start: Start) -> None:
    service = start([INFO])
    first = service.client.start_task(QUICK)
    service.wait_for(first["task_id"], "waiting_reply")
    body = {"session_id": first["session_id"], "task": "more"}
    assert service.error_of(service.raw.post("/v1/tasks", json=body)) == (409, "task.wrong_state")


def test_a_task_that_is_over_can_be_started_again(start: Start) -> None:
    service = start([step_reply(action="ABORT", value="no"), AWAKE, COMPLETE])
    first = service.client.start_task(QUICK)
    service.wait_for(first["task_id"], "done")
    again = service.client.retry_task(first["task_id"])
    assert again["session_id"] != first["session_id"]
    assert service.wait_for(again["task_id"], "done")["stop_reason"] == DONE


# --- restart ------------------------------------------------------------------------------------


@contextlib.contextmanager
def restarted(start: Start, service: Service, script: list[Any]) -> Iterator[Service]:
    """The same folders and phones, another process as far as the server can tell."""
    service.close()
    yield start(script, phones=service.phones)


def test_after_a_restart_a_waiting_task_still_waits_and_takes_its_answer(start: Start) -> None:
    before = start([INFO])
    task = before.client.start_task(QUICK)["task_id"]
    before.wait_for(task, "waiting_reply")
    with restarted(start, before, [AWAKE, COMPLETE]) as service:
        waiting = service.client.get_task(task)
        assert (waiting["state"], waiting["question"]) == ("waiting_reply", "哪一个？")
        assert [info["task_id"] for info in service.client.list_tasks()] == [task]
        service.client.reply_task(task, "第一个")
        done = service.wait_for(task, "done")
        assert (done["stop_reason"], done["steps"]) == (DONE, 3)
        assert "第一个" in str(service.model.requests[0].body["messages"])
        ids = [event["id"] for event in service.client.watch_task(task)]
        assert ids == list(range(1, len(ids) + 1))


def test_after_a_restart_a_question_still_has_its_deadline(start: Start) -> None:
    before = start([INFO])
    task = before.client.start_task({**QUICK, "reply_timeout_s": 1.0})["task_id"]
    before.wait_for(task, "waiting_reply")
    with restarted(start, before, []) as service:
        assert service.wait_for(task, "done")["stop_reason"] == "REPLY_TIMEOUT"


def test_after_a_restart_a_queued_task_runs(start: Start) -> None:
    before = start([Hang(30)])
    before.client.start_task(QUICK)
    wait_for_requests(before.model, 1)
    queued = before.client.start_task(QUICK)["task_id"]
    with restarted(start, before, [AWAKE, COMPLETE]) as service:
        assert service.wait_for(queued, "done")["stop_reason"] == DONE


def test_after_a_restart_a_running_task_is_interrupted_and_can_be_resumed(start: Start) -> None:
    before = start([AWAKE, Hang(30)])
    task = before.client.start_task({**QUICK, "reset_environment": True})["task_id"]
    wait_for_requests(before.model, 2)
    with restarted(start, before, [CLICK, COMPLETE]) as service:
        over = service.client.get_task(task)
        assert (over["state"], over["stop_reason"], over["steps"]) == ("done", "INTERRUPTED", 1)
        service.client.resume_task(task)
        done = service.wait_for(task, "done")
        assert (done["stop_reason"], done["steps"]) == (DONE, 3)
        assert [log["agent_action"]["action"] for log in done["result"]["intermediate_logs"]] == [
            "AWAKE", "CLICK", "COMPLETE",
        ]  # fmt: skip
        # Resumed where it was, not from the home screen.
        assert [call.name for call in service.phone.inputs()] == ["press_key", "open_app", "tap"]


def test_a_finished_task_can_be_read_after_a_restart(start: Start) -> None:
    before = start([AWAKE, COMPLETE])
    task = before.client.start_task(QUICK)["task_id"]
    first = before.wait_for(task, "done")
    with restarted(start, before, []) as service:
        assert service.client.get_task(task)["result"] == first["result"]
        missing = task.replace(task[:4], "0000" if task[:4] != "0000" else "1111", 1)
        assert service.error_of(service.raw.get(f"/v1/tasks/{missing}")) == (404, "task.not_found")


@pytest.mark.parametrize("task_id", ["..%2f..%2fx", "x", "a" * 5000, "../../x"])
def test_an_id_that_is_none_of_ours_is_no_task(start: Start, task_id: str) -> None:
    service = start()
    status = service.raw.get(f"/v1/tasks/{task_id}").status_code
    assert status == 404

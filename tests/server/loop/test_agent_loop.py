from __future__ import annotations

import io
import json
import logging
import threading
import time
from typing import Any

import pytest

from device.errors import (
    ConnectionLostError,
    DeviceNotFoundError,
    DeviceOfflineError,
    InputBlockedError,
    ScreenshotError,
)
from device.protocol import Bounds, UiNode, UiTree
from parsers.action import (
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    Element,
    Info,
    Point,
    TakeOver,
    Type,
    Wait,
)
from parsers.errors import UnsupportedInputError
from server.agent_loop import run_task
from server.control import TaskControl
from server.errors import (
    BadRequestError,
    ModelTimeoutError,
    PolicyDeniedError,
    ReplyUnreadableError,
    StorageError,
)
from server.log_lines import JsonLines
from server.loop.options import LoopOptions, Question
from server.tasks.result import StepReport, TaskResult
from server.worker import Worker

OPEN = Awake(value="设置", cot="I open it")
TAP = Click(point=Point(x=500, y=500), cot="I tap it")
DONE = Complete(**{"return": "it is off"})
QUICK = LoopOptions(max_still_s=0)


def run(server: Any, phone: Any, task: str = "turn it off", **how: Any) -> TaskResult:
    return run_task(server, phone, task, **{"options": QUICK, **how})


class InBackground:
    """A run beside the test, so that the test can steer it."""

    def __init__(self, server: Any, phone: Any, **how: Any) -> None:
        self.control = TaskControl()
        worker = Worker("run")
        self._future = worker.submit(lambda: run(server, phone, control=self.control, **how))
        worker.close()

    def result(self) -> TaskResult:
        return self._future.result(10)

    def wait_for(self, state: str) -> None:
        until = time.monotonic() + 5
        while self.control.state != state:
            assert time.monotonic() < until, f"never got {state}"
            time.sleep(0.002)


# --- the plain way ----------------------------------------------------------------------------


def test_a_task_runs_to_its_end_and_every_step_is_told(serve: Any, phone: Any) -> None:
    server = serve(OPEN, TAP, DONE)
    seen: list[StepReport] = []
    result = run(server, phone, on_step=seen.append)
    assert (result.stop_reason, result.message) == ("TASK_COMPLETED_SUCCESSFULLY", "it is off")
    assert phone.journal == [("open_app", "com.android.settings"), ("tap", 270, 600)]
    assert [report.action.action for report in seen] == ["AWAKE", "CLICK", "COMPLETE"]
    assert server.told() == [None, "ok", "ok"]
    assert server.closed == ["TASK_COMPLETED_SUCCESSFULLY"]
    assert phone.restored == 1


def test_the_result_has_the_names_that_step_gui_users_know(serve: Any, phone: Any) -> None:
    wire = run(serve(OPEN, DONE), phone).to_wire()
    assert wire["device_info"] == {"device_id": "fake-1", "device_wm_size": [540, 1200]}
    assert wire["session_id"] == "session-1"
    assert (wire["local_step_idx"], wire["global_step_idx"]) == (2, 2)
    assert [log["cot"] for log in wire["intermediate_logs"]] == ["I open it", ""]
    assert wire["final_action"]["agent_action"]["return"] == "it is off"
    assert wire["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY"


def test_the_session_is_opened_with_what_was_asked(serve: Any, phone: Any) -> None:
    server = serve(OPEN, DONE)
    options = LoopOptions(
        task_type="ui_tars", model_config={"model_name": "m"}, extra_info={"run": 7}, max_still_s=0
    )
    run(server, phone, "turn it off", options=options)
    assert server.sessions == [
        {
            "task": "turn it off",
            "task_type": "ui_tars",
            "model_config": {"model_name": "m"},
            "extra_info": {"run": 7},
        }
    ]


def test_the_server_gets_the_phones_own_bytes_and_what_is_in_front(serve: Any, phone: Any) -> None:
    server = serve(OPEN, DONE)
    first = phone.screenshot().data
    run(server, phone)
    assert server.asked[0] == {
        "screenshot": {"type": "image_bytes", "data": first},
        "foreground": "com.android.launcher3",
    }


def test_what_is_logged_while_an_action_is_done_says_where(serve: Any, phone: Any) -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("device.slow")
    logger.addHandler(handler)
    phone.next("screenshot", lambda: logger.warning("a slow look"))
    phone.next("tap", lambda: logger.warning("a slow tap"))
    try:
        run(serve(TAP, DONE), phone)
    finally:
        logger.removeHandler(handler)
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    where = [(line.get("session"), line.get("device"), line.get("step")) for line in told]
    assert where == [("session-1", "fake-1", None), ("session-1", "fake-1", 1)]


def test_a_fresh_start_goes_to_the_home_screen_first(serve: Any, phone: Any) -> None:
    run(serve(OPEN, DONE), phone, options=LoopOptions(reset_environment=True, max_still_s=0))
    assert phone.journal[0] == ("press_key", "HOME")


def test_an_app_is_stopped_before_its_launch_only_if_asked(serve: Any, phone: Any) -> None:
    run(serve(OPEN, DONE), phone, options=LoopOptions(reflush_app=True, max_still_s=0))
    assert phone.journal == [
        ("stop_app", "com.android.settings"),
        ("open_app", "com.android.settings"),
    ]


def test_a_session_goes_on_with_the_users_words(serve: Any, phone: Any) -> None:
    server = serve(TAP, DONE)
    result = run(server, phone, session_id="session-0", query="and now send it to her")
    assert (result.session_id, server.sessions) == ("session-0", [])
    assert [observation.get("query") for observation in server.asked] == [
        "and now send it to her",
        None,
    ]


def test_a_dialect_that_needs_the_ui_tree_gets_it_and_its_numbers_are_those_that_are_tapped(
    serve: Any, phone: Any
) -> None:
    phone.tree = a_tree(a_node(Bounds(0, 0, 540, 100)), a_node(Bounds(0, 100, 540, 300)))
    server = serve(
        UnsupportedInputError("send observation.ui_tree"), Click(element=Element(index=2)), DONE
    )
    assert run(server, phone).completed
    assert ["ui_tree" in observation for observation in server.asked] == [False, True, True]
    assert phone.journal == [("tap", 270, 200)]


def test_a_dialect_that_wants_what_cannot_be_had_ends_the_task(serve: Any, phone: Any) -> None:
    missing = UnsupportedInputError("send observation.ui_tree")
    result = run(serve(missing, missing), phone)
    assert (result.stop_reason, result.error and result.error["code"]) == (
        "PARSE_FAILED",
        "parser.unsupported_input",
    )


def a_node(bounds: Bounds, *, clickable: bool = True, children: tuple[UiNode, ...] = ()) -> UiNode:
    return UiNode(
        class_name="android.widget.TextView",
        package="com.android.settings",
        text="",
        content_desc="",
        resource_id="",
        hint="",
        bounds=bounds,
        clickable=clickable,
        long_clickable=False,
        checkable=False,
        checked=False,
        scrollable=False,
        focusable=False,
        focused=False,
        enabled=True,
        password=False,
        selected=False,
        depth=0,
        children=children,
    )


def a_tree(*nodes: UiNode) -> UiTree:
    root = a_node(Bounds(0, 0, 540, 1200), clickable=False, children=nodes)
    return UiTree(root, "<hierarchy/>")


def test_max_steps_ends_the_run_before_one_more_picture_is_paid_for(serve: Any, phone: Any) -> None:
    server = serve(Back(), TAP, DONE)
    result = run(server, phone, options=LoopOptions(max_steps=2, max_still_s=0))
    assert result.stop_reason == "MAX_STEPS_REACHED"
    assert (len(server.asked), len(result.steps)) == (2, 2)


def test_an_abort_keeps_its_reason(serve: Any, phone: Any) -> None:
    result = run(serve(Abort(value="no such app")), phone)
    assert (result.stop_reason, result.message) == ("TASK_ABORTED_BY_AGENT", "no such app")
    assert phone.journal == []


def test_an_act_may_carry_the_end_of_the_task(serve: Any, phone: Any) -> None:
    result = run(serve(Click(point=Point(x=1, y=1), then="COMPLETE")), phone)
    assert (result.stop_reason, len(phone.journal)) == ("TASK_COMPLETED_SUCCESSFULLY", 1)


def test_a_failed_act_never_carries_the_end_of_the_task(serve: Any, phone: Any) -> None:
    server = serve(Awake(value="nowhere", then="COMPLETE"), Abort(value="no"))
    assert run(server, phone).stop_reason == "TASK_ABORTED_BY_AGENT"


@pytest.mark.parametrize("action", [Answer(value="42"), CallApi(value="x")])
def test_actions_that_are_not_for_the_phone_do_not_reach_it(
    serve: Any, phone: Any, action: Action
) -> None:
    server = serve(action, OPEN, DONE)
    run(server, phone)
    assert phone.journal == [("open_app", "com.android.settings")]
    assert server.told() == [None, "ok", "ok"]


# --- what the phone does ----------------------------------------------------------------------


def test_every_act_has_its_intent_on_record_before_and_its_outcome_after(
    serve: Any, phone: Any
) -> None:
    server = serve(OPEN, DONE)
    phone.next("open_app", lambda: server.events.append(("the phone", {})))
    run(server, phone)
    assert [kind for kind, _ in server.events] == ["device_intent", "the phone", "device_outcome"]
    assert server.events[0][1]["action"]["value"] == "设置"
    assert server.events[2][1] == {
        "step": 1,
        "status": "ok",
        "details": {"package": "com.android.settings"},
    }


def test_a_failed_action_is_told_to_the_model_and_the_run_goes_on(serve: Any, phone: Any) -> None:
    server = serve(Awake(value="Settings"), OPEN, DONE)
    assert run(server, phone).completed
    assert server.told() == [
        None,
        "device.app_not_found: no app is called 'Settings'; look at the list of apps",
        "ok",
    ]


def fails_with(error: Exception) -> Any:
    def fail() -> None:
        raise error

    return fail


def test_a_connection_that_breaks_in_the_middle_is_unknown_and_not_repeated(
    serve: Any, phone: Any
) -> None:
    server = serve(TAP, Back(), DONE)
    phone.next("tap", fails_with(ConnectionLostError("the cable; plug it in")))
    assert run(server, phone).completed
    assert phone.journal == [("press_key", "BACK")]
    outcomes = [data["status"] for kind, data in server.events if kind == "device_outcome"]
    assert outcomes == ["unknown", "ok"]
    assert server.told()[1] == "device.connection_lost: the cable; plug it in"


def test_a_phone_that_is_gone_ends_the_task_with_its_own_reason(serve: Any, phone: Any) -> None:
    server = serve(OPEN)
    gone = DeviceNotFoundError("no such phone; plug it in", serial="fake-1")
    phone.next("open_app", lambda: phone.next("screenshot", *[fails_with(gone)] * 9))
    result = run(server, phone)
    assert result.stop_reason == "DEVICE_FAILED"
    assert result.error == {
        "code": "device.not_found",
        "message": "no such phone; plug it in",
        "retryable": False,
        "details": {"serial": "fake-1"},
    }
    assert server.closed == ["DEVICE_FAILED"]
    assert ("task_error", {"error": result.error}) in server.events


def test_a_fault_that_passes_is_waited_out(serve: Any, phone: Any) -> None:
    server = serve(OPEN, DONE)
    phone.next("screenshot", fails_with(DeviceOfflineError("offline; wait")))
    assert run(server, phone).completed
    assert server.events[0][0] == "observe_retry"


def test_a_sleeping_phone_is_woken(serve: Any, phone: Any) -> None:
    woken: list[str] = []
    phone.black = ["asleep"]
    phone.next("wake", lambda: woken.append("start"), lambda: woken.append("again"))
    assert run(serve(OPEN, DONE), phone).completed
    assert woken == ["start", "again"]


def test_switching_the_screen_off_stops_the_task_where_that_was_agreed(
    serve: Any, phone: Any
) -> None:
    phone.next("open_app", lambda: phone.black.append("asleep"))
    options = LoopOptions(stop_on_screen_off=True, max_still_s=0)
    result = run(serve(OPEN, TAP), phone, options=options)
    assert result.stop_reason == "MANUAL_STOP_SCREEN_OFF"
    assert phone.journal == [("open_app", "com.android.settings")]


@pytest.mark.parametrize("reason", ["secure_window", "wrong_panel", "unknown"])
def test_a_screen_that_cannot_be_seen_is_never_shown_to_the_model(
    serve: Any, phone: Any, reason: str
) -> None:
    server = serve(OPEN)
    phone.black = [reason] * 20
    result = run(server, phone)
    assert (result.stop_reason, result.error and result.error["code"]) == (
        "DEVICE_FAILED",
        "device.screen_black",
    )
    assert result.error["details"]["black"] == reason
    assert server.asked == []


def test_a_page_that_is_black_while_it_loads_is_waited_for(serve: Any, phone: Any) -> None:
    phone.black = ["unknown"] * 6
    assert run(serve(OPEN, Complete()), phone).stop_reason == "TASK_COMPLETED_SUCCESSFULLY"


def test_a_picture_that_was_not_taken_is_never_made_up(serve: Any, phone: Any) -> None:
    server = serve(OPEN)
    phone.next("screenshot", *[fails_with(ScreenshotError("none; try again"))] * 9)
    assert run(server, phone).stop_reason == "DEVICE_FAILED"
    assert server.asked == []


def test_a_phone_that_refuses_input_is_told_not_hidden(serve: Any, phone: Any) -> None:
    server = serve(TAP, Abort(value="cannot tap"))
    phone.next("tap", fails_with(InputBlockedError("switch on USB debugging (security)")))
    result = run(server, phone)
    assert result.steps[0].outcome.to_wire() == {
        "status": "failed",
        "code": "device.input_blocked",
        "message": "switch on USB debugging (security)",
    }


# --- what the model does ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "reason", "code"),
    [
        (ModelTimeoutError("60 s; start the model"), "MODEL_FAILED", "model.timeout"),
        (
            ReplyUnreadableError("no action in it", rejection="no_action"),
            "PARSE_FAILED",
            "parser.no_action",
        ),
        (PolicyDeniedError("not allowed; ask"), "POLICY_DENIED", "policy.denied"),
        (StorageError("disk full; make room"), "INTERRUPTED", "storage.failed"),
        (RuntimeError("secret path"), "INTERRUPTED", "server.error"),
    ],
)
def test_each_fault_of_the_server_has_its_own_end(
    serve: Any, phone: Any, error: Exception, reason: str, code: str
) -> None:
    result = run(serve(error), phone)
    assert (result.stop_reason, result.error and result.error["code"]) == (reason, code)
    assert "secret" not in str(result.to_wire())
    assert phone.journal == []


def test_a_done_before_anything_was_done_is_questioned_once(serve: Any, phone: Any) -> None:
    server = serve(DONE, DONE)
    result = run(server, phone)
    assert (result.completed, len(result.steps)) == (True, 2)
    assert "no action has been done" in str(server.told()[1])


def test_a_model_that_was_wrongly_done_may_still_do_it(serve: Any, phone: Any) -> None:
    assert run(serve(DONE, OPEN, DONE), phone).completed
    assert phone.journal == [("open_app", "com.android.settings")]


def test_waiting_counts_as_done_nothing(serve: Any, phone: Any) -> None:
    server = serve(Wait(value=0), DONE, DONE)
    assert len(run(server, phone).steps) == 3


def test_going_in_circles_is_told_at_the_third_time_and_ended_at_the_fifth(
    serve: Any, phone: Any
) -> None:
    phone.frozen = True
    server = serve(*[TAP] * 9)
    result = run(server, phone)
    assert result.stop_reason == "LOOP_DETECTED"
    assert len(phone.journal) == 4
    assert server.told()[:3] == [None, "ok", "ok"]
    assert str(server.told()[3]).startswith("ok - but you have chosen CLICK 3 times")


def test_the_same_action_on_a_screen_that_changes_is_no_circle(serve: Any, phone: Any) -> None:
    assert run(serve(*[TAP] * 8, DONE), phone).completed


def test_the_loop_speaks_the_language_of_the_task(serve: Any, phone: Any) -> None:
    server = serve(DONE, DONE)
    run(server, phone, "关闭蓝牙")
    assert "还没有执行过任何操作" in str(server.told()[1])


# --- the person -------------------------------------------------------------------------------


def test_a_question_pauses_the_task_until_the_answer_which_reaches_the_model(
    serve: Any, phone: Any
) -> None:
    server = serve(Info(value="which alarm?"), OPEN, DONE)
    running = InBackground(server, phone)
    running.wait_for("waiting_reply")
    assert running.control.question == "which alarm?"
    running.control.reply("the seven o'clock one")
    assert running.result().completed
    assert server.asked[1]["query"] == "the seven o'clock one"
    assert server.events[:2] == [
        ("question", {"text": "which alarm?"}),
        ("answer", {"text": "the seven o'clock one"}),
    ]


def test_a_question_that_nobody_answers_ends_the_task(serve: Any, phone: Any) -> None:
    options = LoopOptions(reply_timeout_s=0.01, max_still_s=0)
    result = run(serve(Info(value="which?")), phone, options=options)
    assert (result.stop_reason, result.message) == ("REPLY_TIMEOUT", "which?")


def test_a_caller_that_cannot_wait_gets_the_question_as_the_result(serve: Any, phone: Any) -> None:
    options = LoopOptions(reply_timeout_s=0, max_still_s=0)
    result = run(serve(Info(value="which?")), phone, options=options)
    assert (result.stop_reason, result.message) == ("INFO_ACTION_NEEDS_REPLY", "which?")


def test_with_no_reply_the_model_is_told_to_decide_itself(serve: Any, phone: Any) -> None:
    server = serve(Info(value="which?"), OPEN, DONE)
    options = LoopOptions(reply_mode="no_reply", max_still_s=0)
    assert run(server, phone, options=options).completed
    assert server.asked[1]["query"].startswith("Nobody can answer")


def test_an_answerer_is_given_the_question_with_thought_and_picture(serve: Any, phone: Any) -> None:
    asked: list[Question] = []

    def answer(question: Question) -> str:
        asked.append(question)
        return "this one"

    server = serve(Info(value="which?", cot="there are two"), OPEN, DONE)
    picture = phone.screenshot().data
    options = LoopOptions(reply_mode="manual_reply", max_still_s=0)
    assert run(server, phone, options=options, answer=answer).completed
    assert asked == [Question("turn it off", "which?", "there are two", picture)]
    assert server.asked[1]["query"] == "this one"


def test_a_mode_that_needs_an_answerer_is_refused_without_one(serve: Any, phone: Any) -> None:
    server = serve()
    with pytest.raises(BadRequestError):
        run(server, phone, options=LoopOptions(reply_mode="auto_reply"))
    assert server.sessions == []


def test_a_take_over_waits_until_the_phone_is_given_back(serve: Any, phone: Any) -> None:
    server = serve(TakeOver(value="please sign in"), OPEN, DONE)
    running = InBackground(server, phone)
    running.wait_for("taken_over")
    running.control.reply("")
    assert running.result().completed
    assert "gave the phone back" in server.asked[1]["query"]


def test_an_action_that_needs_a_yes_waits_for_it(serve: Any, phone: Any) -> None:
    server = serve()
    server.answers = [server.answer(TAP, level="confirm", reason="pays 5"), OPEN, DONE]
    running = InBackground(server, phone)
    running.wait_for("waiting_confirm")
    assert (running.control.question, phone.journal) == ("pays 5", [])
    running.control.confirm(True)
    assert running.result().completed
    assert phone.journal[0] == ("tap", 270, 600)


@pytest.mark.parametrize("level", ["confirm", "deny"])
def test_without_a_yes_nothing_is_done(serve: Any, phone: Any, level: str) -> None:
    server = serve()
    server.answers = [server.answer(TAP, level=level, reason="pays 5")]
    result = run(server, phone, options=LoopOptions(confirm_timeout_s=0.01, max_still_s=0))
    assert (result.stop_reason, phone.journal) == ("POLICY_DENIED", [])
    assert [step.outcome.status for step in result.steps] == ["withheld"]
    assert "pays 5" in result.message


# --- stop -------------------------------------------------------------------------------------


def stopped_within_a_second(running: InBackground) -> TaskResult:
    started = time.monotonic()
    running.control.stop()
    assert running.control.wait_done(1.0)
    assert time.monotonic() - started < 1.0
    return running.result()


def test_a_stop_during_a_model_call_ends_the_task_and_nothing_reaches_the_phone(
    serve: Any, phone: Any
) -> None:
    server = serve(30.0, TAP)
    running = InBackground(server, phone)
    while not server.asked:
        time.sleep(0.002)
    result = stopped_within_a_second(running)
    server.released.set()
    assert (result.stop_reason, phone.journal) == ("STOPPED_BY_USER", [])


def test_a_stop_during_a_long_wait_ends_the_task(serve: Any, phone: Any) -> None:
    server = serve(Wait(value=60))
    running = InBackground(server, phone)
    while not server.events:
        time.sleep(0.002)
    result = stopped_within_a_second(running)
    assert result.stop_reason == "STOPPED_BY_USER"
    assert [data.get("status") for _, data in server.events] == [None, "unknown"]
    assert [step.outcome.status for step in result.steps] == ["unknown"]


@pytest.mark.parametrize(
    ("answer", "state"), [(Info(value="which?"), "waiting_reply"), (TakeOver(), "taken_over")]
)
def test_a_stop_ends_a_waiting_question(serve: Any, phone: Any, answer: Action, state: str) -> None:
    running = InBackground(serve(answer), phone)
    running.wait_for(state)
    assert stopped_within_a_second(running).stop_reason == "STOPPED_BY_USER"


def test_a_stop_between_the_tap_and_the_text_withholds_the_text(serve: Any, phone: Any) -> None:
    server = serve(Type(value="milk", point=Point(x=500, y=100)))
    tapped, stopped = threading.Event(), threading.Event()

    def tap() -> None:
        tapped.set()
        stopped.wait(5)

    phone.next("tap", tap)
    running = InBackground(server, phone)
    assert tapped.wait(5)
    result = stopped_within_a_second(running)
    stopped.set()
    assert result.stop_reason == "STOPPED_BY_USER"
    assert phone.journal == [("tap", 270, 120)]


def test_a_stop_while_the_phone_hangs_ends_the_task_and_the_phone_is_still_restored(
    serve: Any, phone: Any
) -> None:
    hanging, release = threading.Event(), threading.Event()
    phone.next("tap", lambda: (hanging.set(), release.wait(10)))
    running = InBackground(serve(TAP), phone)
    assert hanging.wait(5)
    running.control.stop()
    assert running.control.wait_done(1.0)
    assert phone.restored == 0
    release.set()
    running.result()
    assert phone.restored == 1


def test_ctrl_c_stops_the_task_and_gives_the_phone_back(serve: Any, phone: Any) -> None:
    def press_ctrl_c(report: StepReport) -> None:
        raise KeyboardInterrupt

    server = serve(OPEN, TAP)
    result = run(server, phone, on_step=press_ctrl_c)
    assert (result.stop_reason, phone.restored) == ("STOPPED_BY_USER", 1)
    assert server.closed == ["STOPPED_BY_USER"]
    assert phone.journal == [("open_app", "com.android.settings")]


def test_a_stop_before_the_start_lets_nothing_happen(serve: Any, phone: Any) -> None:
    server = serve(TAP)
    woken: list[str] = []
    phone.next("wake", lambda: woken.append("wake"))
    control = TaskControl()
    control.stop("INTERRUPTED")
    result = run(server, phone, control=control)
    assert (result.stop_reason, server.asked, woken) == ("INTERRUPTED", [], [])


def test_after_a_stop_at_any_moment_no_input_reaches_the_phone(serve: Any, phone: Any) -> None:
    """Fifty runs, each stopped at another moment of a busy loop."""
    for moment in range(50):
        server = serve(*[TAP, Type(value="x", point=Point(x=1, y=1)), Back()] * 40)
        running = InBackground(server, phone, options=LoopOptions(max_still_s=0.01))
        time.sleep(moment * 0.004)
        stopped_within_a_second(running)
        inputs = len(phone.journal)
        time.sleep(0.02)
        assert len(phone.journal) == inputs


def test_a_deadline_ends_the_task_during_a_model_call(serve: Any, phone: Any) -> None:
    server = serve(30.0, TAP)
    result = run(server, phone, control=TaskControl(deadline_s=0.2))
    server.released.set()
    assert (result.stop_reason, phone.journal) == ("DEADLINE_REACHED", [])

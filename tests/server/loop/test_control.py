from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from server.control import TaskControl
from server.errors import TaskStateError
from server.tasks.result import TaskResult
from server.tasks.states import TaskEnd
from server.worker import Worker

SOON_S = 1.0


def in_thread(call: Callable[[], object]) -> Callable[[], object]:
    """Run `call` beside the test; the returned function waits and gives its value or error."""
    worker = Worker("test")
    future = worker.submit(call)
    worker.close()
    return lambda: future.result(10)


def wait_for_state(control: TaskControl, state: str) -> None:
    until = time.monotonic() + 5
    while control.state != state:
        assert time.monotonic() < until, f"never got {state}"
        time.sleep(0.002)


def a_result() -> TaskResult:
    return TaskResult("s", "p", None, "t", "STOPPED_BY_USER", "", None, (), 0, 0.0)


def test_a_stop_ends_a_long_sleep_within_a_second() -> None:
    control = TaskControl()
    sleeping = in_thread(lambda: control.sleep(60))
    started = time.monotonic()
    control.stop()
    with pytest.raises(TaskEnd) as end:
        sleeping()
    assert end.value.reason == "STOPPED_BY_USER"
    assert time.monotonic() - started < SOON_S


def test_a_stop_leaves_a_hung_call_behind() -> None:
    control = TaskControl()
    hung = threading.Event()
    calling = in_thread(lambda: control.call_model(lambda: hung.wait(30)))
    started = time.monotonic()
    control.stop()
    with pytest.raises(TaskEnd):
        calling()
    assert time.monotonic() - started < SOON_S
    hung.set()


def test_a_device_call_that_was_queued_before_the_stop_does_not_run_after_it() -> None:
    control = TaskControl()
    entered, gate = threading.Event(), threading.Event()
    done: list[str] = []
    control.device_calls.submit(lambda: (entered.set(), gate.wait(10)))
    tapping = in_thread(lambda: control.call_device(lambda: done.append("tap")))
    assert entered.wait(5)
    control.stop()
    gate.set()
    with pytest.raises(TaskEnd):
        tapping()
    control.finish(a_result())
    assert control.device_calls.join(5)
    assert done == []


def test_the_first_reason_to_stop_stays() -> None:
    control = TaskControl()
    control.stop("INTERRUPTED")
    control.stop("STOPPED_BY_USER")
    with pytest.raises(TaskEnd) as end:
        control.checkpoint()
    assert end.value.reason == "INTERRUPTED"


def test_a_question_waits_for_its_answer_and_shows_itself_meanwhile() -> None:
    control = TaskControl()
    control.start()
    asking = in_thread(lambda: control.ask_reply("which one?", 10))
    wait_for_state(control, "waiting_reply")
    assert control.question == "which one?"
    control.reply("the red one")
    assert asking() == "the red one"
    assert (control.state, control.question) == ("running", None)


def test_an_answer_to_no_question_is_refused() -> None:
    control = TaskControl()
    control.start()
    with pytest.raises(TaskStateError):
        control.reply("hello?")


def test_a_yes_is_no_answer_to_a_question() -> None:
    control = TaskControl()
    asking = in_thread(lambda: control.ask_reply("which one?", 10))
    wait_for_state(control, "waiting_reply")
    with pytest.raises(TaskStateError):
        control.confirm(True)
    control.reply("this")
    assert asking() == "this"


@pytest.mark.parametrize(("answer", "approved"), [(True, True), (False, False)])
def test_a_confirmation_is_what_the_person_said(answer: bool, approved: bool) -> None:
    control = TaskControl()
    asking = in_thread(lambda: control.ask_confirm("pay 5?", 10))
    wait_for_state(control, "waiting_confirm")
    control.confirm(answer)
    assert asking() is approved


def test_no_answer_in_time_is_no_approval_and_no_reply() -> None:
    control = TaskControl()
    assert control.ask_confirm("pay 5?", 0.01) is False
    assert control.ask_reply("which?", 0.01) is None


def test_a_deadline_ends_every_wait() -> None:
    control = TaskControl(deadline_s=0.05)
    with pytest.raises(TaskEnd) as end:
        control.ask_reply("which?", 60)
    assert end.value.reason == "DEADLINE_REACHED"


def test_a_worker_gives_back_what_a_call_raised() -> None:
    worker = Worker("test")

    def fail() -> None:
        raise KeyError("gone")

    with pytest.raises(KeyError):
        worker.submit(fail).result(5)
    assert worker.submit(lambda: 7).result(5) == 7

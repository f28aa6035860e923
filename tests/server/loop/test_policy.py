"""What the policy says of a step holds in the loop: look again, ask, hand over, leave alone."""

from __future__ import annotations

import time
from typing import Any

import pytest

from device.errors import UiTreeEncodingError, UiTreeError
from device.protocol import App
from device.scripted_device import PLAIN_PAGE
from parsers.action import Action, Awake, Click, Complete, Point, Type
from server.agent_loop import run_task
from server.control import TaskControl
from server.loop.options import LoopOptions, ReplyMode
from server.tasks.result import TaskResult
from server.worker import Worker

TAP = Click(point=Point(x=500, y=500))
SECRET = Type(value="hunter2", point=Point(x=500, y=500))
OPEN = Awake(value="设置")
DONE = Complete(**{"return": "it is done"})
TAPPED = ("tap", 270, 600)
ALLOWED = {"level": "allow", "class": "none", "reason": ""}
UNREAD = {"level": "confirm", "class": "unknown", "needs_look": True}
SEND = {"level": "confirm", "class": "send", "reason": "this reaches other people"}


def run(server: Any, phone: Any, control: TaskControl | None = None, **how: Any) -> TaskResult:
    options = LoopOptions(max_still_s=0, **how)
    return run_task(server, phone, "write to Alice", options=options, control=control)


def answers(server: Any, *steps: tuple[Action, dict[str, Any]]) -> list[Any]:
    """The server's answers, numbered from 1, and a last one that ends the task."""
    told = [server.answer(action, **policy) for action, policy in steps]
    return [{**answer, "current_step": n} for n, answer in enumerate(told, 1)] + [DONE]


class Watched:
    """A run beside the test, whose questions the test answers."""

    def __init__(self, server: Any, phone: Any) -> None:
        self.control = TaskControl()
        self._server = server
        worker = Worker("run")
        self._future = worker.submit(lambda: run(server, phone, self.control))
        worker.close()

    def wait_for(self, state: str, questions: int = 0) -> None:
        """Until it is in this state and has asked so many questions for a yes."""
        until = time.monotonic() + 5
        while self.control.state != state or self._asked() < questions:
            assert time.monotonic() < until, f"never got {state}, {questions}"
            time.sleep(0.002)

    def answer(self, question: int, approve: bool) -> None:
        self.wait_for("waiting_confirm", question)
        self.control.confirm(approve)

    def result(self) -> TaskResult:
        return self._future.result(10)

    def _asked(self) -> int:
        return sum(kind == "confirm_question" for kind, _ in self._server.events)


# --- look again -------------------------------------------------------------------------------


def test_a_step_that_needs_no_look_is_neither_dumped_nor_judged_again(
    serve: Any, phone: Any
) -> None:
    server = serve(TAP, DONE)
    phone.next("ui_tree", lambda: pytest.fail("the screen was read"))
    assert run(server, phone).completed
    assert (server.judged, phone.journal) == ([], [TAPPED])


@pytest.mark.parametrize("level", ["allow", "deny", "hand_over"])
def test_a_step_that_needs_a_look_is_judged_by_the_dump_and_that_verdict_holds(
    serve: Any, phone: Any, level: str
) -> None:
    server = serve()
    server.answers = answers(server, (TAP, UNREAD))
    server.judgement = {**ALLOWED, "level": level, "reason": "what the dump said"}
    if level == "hand_over":
        server.judgement |= {"level": "deny", "hand_over": True}
    phone.front = App("com.example.chat")
    result = run(server, phone, reply_timeout_s=0)
    look = {"ui_tree": PLAIN_PAGE.xml, "foreground": "com.example.chat"}
    assert server.judged == [(1, look)]
    assert phone.journal == ([TAPPED] if level == "allow" else [])
    assert (
        result.stop_reason
        == {
            "allow": "TASK_COMPLETED_SUCCESSFULLY",
            "deny": "POLICY_DENIED",
            "hand_over": "INFO_ACTION_NEEDS_REPLY",
        }[level]
    )


def test_a_screen_that_gives_no_tree_is_told_as_such_not_left_out(serve: Any, phone: Any) -> None:
    def refuse() -> None:
        raise UiTreeEncodingError("the dumper fails on this screen; look at the picture")

    server = serve()
    server.answers = answers(server, (TAP, UNREAD))
    server.judgement = {**ALLOWED, "level": "deny", "class": "unknown", "reason": "unreadable"}
    phone.next("ui_tree", refuse)
    result = run(server, phone)
    assert [look["ui_tree"] for _, look in server.judged] == [""]
    assert (result.stop_reason, result.message) == ("POLICY_DENIED", "unreadable")
    assert phone.journal == []


def test_a_fault_that_passes_asks_nobody(serve: Any, phone: Any) -> None:
    def kill() -> None:
        raise UiTreeError("the dump was killed; try again")

    server = serve()
    server.answers = answers(server, (TAP, UNREAD))
    server.judgement = ALLOWED
    phone.next("ui_tree", kill)
    result = run(server, phone)
    assert [look["ui_tree"] for _, look in server.judged] == [PLAIN_PAGE.xml]
    assert result.stop_reason == "TASK_COMPLETED_SUCCESSFULLY"
    assert phone.journal == [TAPPED]


# --- hand over --------------------------------------------------------------------------------


def test_a_secret_goes_to_a_person_and_nothing_is_typed(serve: Any, phone: Any) -> None:
    server = serve()
    handed = {"level": "deny", "hand_over": True, "class": "sign_in", "reason": "a password"}
    server.answers = [server.answer(SECRET, **handed), OPEN, DONE]
    running = Watched(server, phone)
    running.wait_for("taken_over")
    running.control.reply("I am signed in")
    result = running.result()
    assert result.completed
    assert phone.journal == [("open_app", "com.android.settings")]
    assert [step.outcome.status for step in result.steps] == ["withheld", "ok", "no_effect"]
    assert server.asked[1]["query"] == "I am signed in"
    assert server.events[:2] == [
        ("take_over", {"text": "a password", "by": "model"}),
        ("give_back", {"text": "I am signed in"}),
    ]


@pytest.mark.parametrize(
    ("reply_mode", "stop_reason"),
    [("pass_to_client", "INFO_ACTION_NEEDS_REPLY"), ("no_reply", "POLICY_DENIED")],
)
def test_a_secret_that_no_person_takes_over_ends_the_task(
    serve: Any, phone: Any, reply_mode: ReplyMode, stop_reason: str
) -> None:
    server = serve()
    server.answers = [server.answer(SECRET, level="deny", hand_over=True, reason="a password")]
    result = run(server, phone, reply_mode=reply_mode, reply_timeout_s=0)
    assert (result.stop_reason, result.message) == (stop_reason, "a password")
    assert [step.outcome.status for step in result.steps] == ["withheld"]
    assert phone.journal == []


# --- a yes ------------------------------------------------------------------------------------


def test_a_yes_to_a_recipient_holds_for_that_recipient_alone(serve: Any, phone: Any) -> None:
    server = serve()
    alice, bob = {**SEND, "once_for": "send:Alice"}, {**SEND, "once_for": "send:Bob"}
    server.answers = answers(server, (TAP, alice), (TAP, alice), (TAP, bob))
    running = Watched(server, phone)
    running.answer(1, True)
    running.answer(2, False)
    assert running.result().stop_reason == "POLICY_DENIED"
    assert phone.journal == [TAPPED, TAPPED]
    told = [(kind, data.get("step")) for kind, data in server.events if "confirm" in kind]
    assert told == [
        ("confirm_question", 1), ("confirm_answer", 1),
        ("confirm_question", 3), ("confirm_answer", 3),
    ]  # fmt: skip
    assert ("notice", {"step": 2, "class": "send", "text": SEND["reason"]}) in server.events


def test_a_yes_without_a_recipient_is_for_one_action(serve: Any, phone: Any) -> None:
    server = serve()
    server.answers = answers(server, (TAP, SEND), (TAP, SEND))
    running = Watched(server, phone)
    running.answer(1, True)
    running.answer(2, False)
    assert running.result().stop_reason == "POLICY_DENIED"
    assert phone.journal == [TAPPED]


def test_a_screen_that_changed_before_the_yes_is_not_touched_and_the_yes_is_spent(
    serve: Any, phone: Any
) -> None:
    server = serve()
    alice = {**SEND, "once_for": "send:Alice"}
    server.answers = answers(server, (TAP, alice), (TAP, alice))
    running = Watched(server, phone)
    running.wait_for("waiting_confirm")
    phone.screen += 1
    running.answer(1, True)
    running.answer(2, False)
    result = running.result()
    assert (result.stop_reason, phone.journal) == ("POLICY_DENIED", [])
    assert [step.outcome.status for step in result.steps] == ["withheld", "withheld"]
    assert "screen" in str(server.told()[1])

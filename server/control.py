"""How a person holds a running task: stop it, answer it, say yes or no.

The loop waits only through a `TaskControl`, so that a stop, a deadline or an answer wakes it at
once from any state. Blocking calls (the phone, the model) run on a `Worker`: a stop leaves them
behind instead of waiting for them.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from server.errors import BadRequestError, TaskStateError
from server.tasks.result import StopReason, TaskResult
from server.tasks.states import (
    HOLD_LIMIT_S,
    LENDING_STATES,
    WAITING_STATES,
    Asked,
    Hold,
    TaskEnd,
    TaskState,
)
from server.worker import Worker

T = TypeVar("T")


class TaskControl:
    """The state of one task, shared by the loop and by the people who watch and steer it.

    Args:
        deadline_s: Seconds from now until the task ends with `DEADLINE_REACHED`; None for never.
        on_state: Told of each new state with its question and hold, in their order, by the thread
            that brought it about.
    """

    def __init__(
        self,
        *,
        deadline_s: float | None = None,
        on_state: Callable[[TaskState, Asked | None, Hold | None], None] | None = None,
    ) -> None:
        self._changed = threading.Condition()
        self._announcing = threading.Lock()
        self._on_state = on_state or (lambda state, question, hold: None)
        self._state: TaskState = "queued"
        self._question: Asked | None = None
        self._hold: Hold | None = None
        self._left: tuple[Hold, str] | None = None
        self._is_parked = False
        self._answer: str | bool | None = None
        self._stop: StopReason | None = None
        self._result: TaskResult | None = None
        self._deadline = None if deadline_s is None else time.monotonic() + deadline_s
        self.model_calls = Worker("task-model")
        self.device_calls = Worker("task-device")

    # --- what a person does ---------------------------------------------------------------------

    @property
    def state(self) -> TaskState:
        return self._state

    @property
    def question(self) -> str | None:
        """What the task waits to be told, in the waiting states."""
        return self._question.text if self._question else None

    @property
    def asked(self) -> Asked | None:
        """The question with its id and its facts."""
        return self._question

    @property
    def result(self) -> TaskResult | None:
        """How the task ended; there as soon as the state is `done`."""
        return self._result

    @property
    def stop_requested(self) -> bool:
        return self._stop is not None

    def stop(self, reason: StopReason = "STOPPED_BY_USER") -> None:
        """End the task: no input goes to the phone from now on. A second stop changes nothing."""
        with self._changed:
            if self._stop is None and self._state != "done":
                self._stop = reason
                self._changed.notify_all()

    def park(self) -> bool:
        """Leave a task that waits for a person where it is: its log lets it wait on later.

        Returns:
            Whether it was waiting; one that runs is not parked.
        """
        with self._changed:
            if self._stop is None and self._state in ("queued", *WAITING_STATES):
                self._stop, self._is_parked = "INTERRUPTED", True
                self._changed.notify_all()
            return self._is_parked

    @property
    def is_parked(self) -> bool:
        return self._is_parked

    def reply(self, text: str) -> None:
        """Answer the task's question, or give the phone back after a take-over.

        Raises:
            TaskStateError: Nothing was asked.
            BadRequestError: A question got a blank answer.
        """
        is_blank = not text.strip()
        if self._hold == "taken_over" and (self._state != "waiting_reply" or is_blank):
            self.give_back(text)
            return
        if self._state == "waiting_reply" and is_blank:
            raise BadRequestError("the answer is blank; answer in words", field="text")
        self._give(("waiting_reply", "taken_over"), text)

    def confirm(self, approve: bool, question_id: str | None = None) -> None:
        """Say yes or no to the action that waits.

        Args:
            approve: Yes or no.
            question_id: Which question is meant; None for the one that waits now.

        Raises:
            TaskStateError: No action waits for a yes, or it is another one.
        """
        self._give(("waiting_confirm",), approve, question_id)

    def pause(self) -> None:
        """Keep the loop from the phone until `resume`; the action that runs still ends.

        Raises:
            TaskStateError: The task is over, or taken over.
        """
        self._ask_to_hold("paused")

    def take_over(self) -> None:
        """Take the phone in hand; the loop waits until it is given back.

        Raises:
            TaskStateError: The task is over.
        """
        self._ask_to_hold("taken_over")

    def resume(self) -> None:
        """Let a paused task go on.

        Raises:
            TaskStateError: It is not paused.
        """
        self._let_go("paused", "")

    def give_back(self, note: str = "") -> None:
        """Give the phone back: the next step sees the new screen, and the note.

        Raises:
            TaskStateError: It was not taken over.
        """
        if self._hold is None:
            self._give(("taken_over",), note)  # the model itself had asked for a person
        else:
            self._let_go("taken_over", note)

    @property
    def hold(self) -> Hold | None:
        """Why a person keeps the loop from the phone; it may still be ending an action."""
        return self._hold

    @property
    def is_lent(self) -> bool:
        """Whether a person may give the phone input now: the loop is kept from it, and waits."""
        with self._changed:
            return self._state in LENDING_STATES or (
                self._hold is not None and self._state in WAITING_STATES
            )

    def _ask_to_hold(self, hold: Hold) -> None:
        with self._changed:
            if self._state == "done" or self._stop is not None:
                raise self._wrong_state()
            if "taken_over" in (self._state, self._hold):
                if hold == "taken_over":
                    return  # it is in their hands already
                raise self._wrong_state()
            self._hold = hold
            self._changed.notify_all()
        self._announce()

    def _let_go(self, hold: Hold, note: str) -> None:
        with self._changed:
            if self._hold != hold or self._stop is not None:
                raise self._wrong_state()
            self._hold, self._left = None, (hold, note)
            self._changed.notify_all()
        if self._state not in LENDING_STATES:
            self._announce()  # out of those the loop itself goes, and tells

    def _give(
        self, states: tuple[TaskState, ...], answer: str | bool, question_id: str | None = None
    ) -> None:
        with self._changed:
            if self._state not in states or self._answer is not None or self._stop is not None:
                raise self._wrong_state()
            asked = self._question
            if question_id is not None and (asked is None or asked.id != question_id):
                raise TaskStateError(
                    "another question waits now; read the task again before answering",
                    state=self._state,
                )
            self._answer, self._question = answer, None
            self._changed.notify_all()

    def _wrong_state(self) -> TaskStateError:
        state = self._state
        if state == "done":
            text = "the task is over; start it again (retry), or go on in its session"
        elif self._stop is not None:
            text = "the task is being stopped; wait for its end"
        else:
            text = (
                f"a task that is {state} does not take this; read it again to see what it waits for"
            )
        return TaskStateError(text, state=state)

    def restore(self, state: TaskState, asked: Asked | None, hold: Hold | None) -> None:
        """Wait on where the task waited before the program's restart; no loop runs yet."""
        with self._changed:
            self._state, self._question, self._hold = state, asked, hold

    # --- what the loop does ---------------------------------------------------------------------

    def start(self) -> None:
        self._enter("running")

    def finish(self, result: TaskResult) -> None:
        """The task is over; calls that were left behind still end on their workers."""
        with self._changed:
            self._result = result
        self._enter("done")
        self.model_calls.close()
        self.device_calls.close()

    def wait_done(self, timeout_s: float | None = None) -> bool:
        """Wait until the task is over; False if it is not within `timeout_s`."""
        with self._changed:
            return self._changed.wait_for(lambda: self._state == "done", timeout_s)

    def checkpoint(self) -> None:
        """Raise `TaskEnd` if the task was stopped or is past its deadline."""
        if self._stop is not None:
            raise TaskEnd(self._stop, "stopped")
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise TaskEnd("DEADLINE_REACHED", "the task's deadline has passed")

    def sleep(self, seconds: float) -> None:
        """Wait, unless the task ends first."""
        self._wait(lambda: False, seconds)

    def call_device(self, call: Callable[[], T]) -> T:
        """Run a call on the phone's worker and wait for it, unless the task ends first."""

        def checked() -> T:
            self.checkpoint()  # a stop may have come while this call was queued
            return call()

        return self.wait_for(self.device_calls.submit(checked))

    def call_model(self, call: Callable[[], T]) -> T:
        """Run a call on the model's worker and wait for it, unless the task ends first."""
        return self.wait_for(self.model_calls.submit(call))

    def wait_for(self, future: Future[T]) -> T:
        """The future's result, unless the task ends first."""
        future.add_done_callback(lambda _: self._notify())
        self._wait(future.done, None)
        return future.result()

    def ask_reply(self, question: str, timeout_s: float | None) -> str | None:
        """Wait for a person's words; None if none came in time."""
        answer = self._ask("waiting_reply", Asked(question), timeout_s)
        return None if answer is None else str(answer)

    def ask_take_over(self, question: str, timeout_s: float | None) -> str | None:
        """Wait until the person gives the phone back, with a note; None if that never came."""
        answer = self._ask("taken_over", Asked(question), timeout_s)
        return None if answer is None else str(answer)

    def ask_confirm(self, question: Asked, timeout_s: float | None) -> bool:
        """Wait for a person's yes; no answer is a no."""
        return self._ask("waiting_confirm", question, timeout_s) is True

    def wait_while_held(self) -> tuple[Hold, str] | None:
        """Wait as long as a person keeps the task from the phone.

        Returns:
            How it was held last, and the note it was given back with; None: it was not held
            since the last call.
        """
        was_held = False
        while (hold := self._hold) is not None:
            was_held = True
            self._enter(hold)
            if not self._wait(functools.partial(self._is_let_go, hold), HOLD_LIMIT_S):
                raise TaskEnd("REPLY_TIMEOUT", f"{hold} for too long")
        if was_held:
            self._enter("running")
        left, self._left = self._left, None
        return left

    def _is_let_go(self, hold: Hold) -> bool:
        return self._hold != hold

    def _ask(self, state: TaskState, question: Asked, timeout_s: float | None) -> Any:
        with self._changed:
            self._question, self._answer = question, None
        self._enter(state)
        try:
            self._wait(lambda: self._answer is not None, timeout_s)
            return self._answer
        finally:
            if self._stop is None:
                self._question = None
                self._enter("running")

    def _enter(self, state: TaskState) -> None:
        with self._changed:
            self._state = state
            if state == "done":
                self._question = None
            self._changed.notify_all()
        self._announce()

    def _announce(self) -> None:
        """One at a time, so that the last that is told is how things are."""
        with self._announcing:
            with self._changed:
                state, question, hold = self._state, self._question, self._hold
            self._on_state(state, question, hold)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self, ready: Callable[[], bool], timeout_s: float | None) -> bool:
        """Until `ready` (True), the time-out (False), a stop or the deadline (`TaskEnd`)."""
        until = None if timeout_s is None else time.monotonic() + timeout_s
        with self._changed:
            while True:
                self.checkpoint()
                ends = [moment for moment in (until, self._deadline) if moment is not None]
                left_s = min(ends) - time.monotonic() if ends else None
                if ready():
                    return True
                if until is not None and time.monotonic() >= until:
                    return False
                # Not for ever at a time: on Windows a wait without end is deaf to Ctrl-C.
                self._changed.wait(1.0 if left_s is None else min(left_s, 1.0))

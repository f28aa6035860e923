"""The loop that runs one task on one phone: observe, decide, act, until there is a reason to stop.

It drives anything with `get_session` and `automate_step`: a `LocalServer` in this process or a
`RemoteLocalServer` over HTTP. Every wait goes through the `TaskControl`, so that a stop takes
effect at once; no input goes to the phone after it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from device.protocol import Device
from parsers.action import (
    Abort,
    Answer,
    Complete,
    Info,
    Size,
    TakeOver,
    action_from_wire,
)
from parsers.errors import UnsupportedInputError
from server.act import Observation, Outcome
from server.control import TaskControl
from server.elements import Target
from server.error_body import describe_error
from server.errors import ScreenWithheldError, TreeNeededError
from server.log_lines import bind
from server.loop.decision import Decision
from server.loop.options import LoopOptions, Question, StepServer, check_answerer
from server.loop.phone import LoopPhone
from server.loop.rule import END_AT, TELL_AT, LoopRule, fingerprint_screen, looks_same
from server.loop.words import words_for
from server.tasks.person import Person
from server.tasks.result import StepReport, TaskResult, stop_reason_for
from server.tasks.states import Asked, TaskEnd
from server.worker import Worker

logger = logging.getLogger(__name__)

__all__ = ["LoopOptions", "StepServer", "TaskControl", "TaskResult", "run_task"]

CLOSE_WAIT_S = 0.5
"""How long the task's end waits for its session's: a stop must show within a second."""


def run_task(
    server: StepServer,
    device: Device,
    task: str,
    *,
    options: LoopOptions | None = None,
    control: TaskControl | None = None,
    session_id: str | None = None,
    query: str = "",
    on_step: Callable[[StepReport], None] | None = None,
    answer: Callable[[Question], str | None] | None = None,
    last_result: str | None = None,
    confirmed: Asked | None = None,
    granted: Iterable[str] = (),
    before_step: Callable[[str], None] | None = None,
) -> TaskResult:
    """Run one task to its end. Blocks; the phone is idle and restored when it returns.

    Ctrl-C, where it reaches this call, stops the task as `TaskControl.stop` does.

    Args:
        server: Who decides.
        device: Who is driven.
        task: What the user wants.
        options: How; None for the defaults.
        control: How to stop and answer it from another thread.
        session_id: Go on in this session instead of opening one.
        query: The user's first words to the model in that session (a reply, a follow-up).
        on_step: Called after each step.
        answer: Who answers in the reply modes `manual_reply` and `auto_reply`.
        last_result: What the model is told first: what became of an action of an earlier run.
        confirmed: The question of an action that got its yes while no loop ran: it is done first,
            if the screen is still the one that it was chosen on.
        granted: What earlier runs of the task got a lasting yes to.
        before_step: Called before each step with the session; it raises `TaskEnd` to end the task
            (a cost cap).

    Raises:
        ServerError: The session could not be opened; after that, whatever happens is in the result.
    """
    options = options or LoopOptions()
    check_answerer(options, answer)
    if session_id is None:
        session_id = server.get_session(options.session_payload(task))
    loop = _AgentLoop(
        server=server,
        device=device,
        task=task,
        session_id=session_id,
        options=options,
        control=control or TaskControl(),
        on_step=on_step or (lambda report: None),
        answer=answer,
        query=query,
        last_result=last_result,
        confirmed=confirmed,
        granted=granted,
        before_step=before_step or (lambda session_id: None),
    )
    with bind(session=session_id, device=device.serial):
        return loop.run()


class _AgentLoop:
    def __init__(
        self,
        *,
        server: StepServer,
        device: Device,
        task: str,
        session_id: str,
        options: LoopOptions,
        control: TaskControl,
        on_step: Callable[[StepReport], None],
        answer: Callable[[Question], str | None] | None,
        query: str,
        last_result: str | None,
        confirmed: Asked | None,
        granted: Iterable[str],
        before_step: Callable[[str], None],
    ) -> None:
        self.server = server
        self.phone = LoopPhone(device, control, options, self._record)
        self.task = task
        self.session_id = session_id
        self.options = options
        self.control = control
        self.on_step = on_step
        self.before_step = before_step
        self.words = words_for(task)
        self.person = Person(task, options, control, self._record, answer, self.words, granted)
        self.rule = LoopRule()
        self.steps: list[StepReport] = []
        self.screen: Size | None = None
        self.query = query
        self.last_result = last_result
        self.confirmed = confirmed
        self.has_acted = False
        self.was_questioned = False
        self.observe_s = 0.0

    # --- the loop, readable aloud -----------------------------------------------------------------

    def run(self) -> TaskResult:
        started = time.monotonic()
        self.control.start()
        try:
            self.wait_while_held()
            self.phone.prepare()
            if self.confirmed is not None:
                self.do_confirmed(self.confirmed)
            while True:
                self.wait_while_held()
                observation = self.observe()
                decision = self.decide(observation)
                if decision is not None:
                    with bind(step=decision.step):
                        self.follow(decision, observation)
        except TaskEnd as end:
            return self.end(end, started)
        except KeyboardInterrupt:
            self.control.stop()
            return self.end(TaskEnd("STOPPED_BY_USER", "stopped from the keyboard"), started)
        except Exception as error:
            return self.end(TaskEnd(stop_reason_for(error), error=_body(error)), started)

    def wait_while_held(self) -> None:
        """A person may hold the task; after that the screen is another one."""
        held = self.person.wait_while_held()
        if held is None:
            return
        self.phone.forget_screen()
        if held[1]:
            self.query = "\n".join(filter(None, (self.query, held[1])))

    def observe(self) -> Observation:
        """See the screen. A picture is never invented: without one the task ends."""
        self.before_step(self.session_id)
        if len(self.steps) >= self.options.step_limit:
            raise TaskEnd("MAX_STEPS_REACHED", f"not done after {len(self.steps)} steps")
        started = time.monotonic()
        observation = self.phone.look()
        self.observe_s = time.monotonic() - started
        shot = observation.screenshot
        self.screen = Size(width_px=shot.width_px, height_px=shot.height_px)
        return observation

    def decide(self, observation: Observation) -> Decision | None:
        """Ask the server for the next action; None where it must see the UI tree first."""
        started = time.monotonic()
        data = observation.screenshot.data
        payload = {"session_id": self.session_id, "observation": self._payload(observation)}
        screen = self.control.device_calls.submit(lambda: fingerprint_screen(data))
        try:
            answer = self.control.call_model(lambda: self.server.automate_step(payload))
        except (UnsupportedInputError, TreeNeededError):
            if self.phone.with_ui_tree:
                raise
            self.phone.with_ui_tree = True  # numbered elements, or privacy: look again, with it
            return None
        except ScreenWithheldError as error:
            self.query = self.person.hand_over(TakeOver(value=error.message))
            self.phone.forget_screen()  # the model goes on where the person left the phone
            return None
        self.query, self.last_result = "", None
        return Decision(
            action=action_from_wire(answer["action"]),
            policy=dict(answer.get("policy") or {"level": "allow"}),
            screen=self.control.wait_for(screen),
            step=int(answer["current_step"]),
            took_s=time.monotonic() - started,
            target=Target.from_wire(answer["element"]) if answer.get("element") else None,
        )

    def follow(self, decision: Decision, observation: Observation) -> None:
        """Do what was decided, tell what became of it, and end the task if it is over."""
        started = time.monotonic()
        action = decision.action
        times = self.rule.count(action, decision.screen)
        if times >= END_AT and not isinstance(action, Complete | Abort):
            self._report(decision, Outcome("no_effect"), started)
            raise TaskEnd(
                "LOOP_DETECTED",
                f"{action.action} was chosen {times} times on the same screen",
            )
        match action:
            case Complete():
                self._report(decision, Outcome("no_effect"), started)
                self._complete(action.return_)
            case Abort():
                self._report(decision, Outcome("no_effect"), started)
                raise TaskEnd("TASK_ABORTED_BY_AGENT", action.value)
            case Info():
                self._report(decision, Outcome("no_effect"), started)
                self.query = self.person.ask(action, observation.screenshot)
            case TakeOver():
                self._report(decision, Outcome("no_effect"), started)
                self.query = self.person.hand_over(action)
            case _:
                decision = self._look_closer(decision, observation)
                self._tell(decision, self._act(decision, observation, started), started)
        if times >= TELL_AT:
            self.last_result = self.words.repeated.format(
                action=action.action, times=times, result=self.last_result or "ok"
            )

    def do_confirmed(self, asked: Asked) -> None:
        """Do what was decided before the restart: the yes is for that action on that screen."""
        decision = Decision.of_question(asked)
        observation = self.observe()
        started = time.monotonic()
        if looks_same(fingerprint_screen(observation.screenshot.data), decision.screen):
            self.person.grant(decision.policy, decision.step)
            outcome = self._do(decision, observation)
        else:
            outcome = Outcome("withheld", message=self.words.screen_changed)
        self._tell(decision, outcome, started)

    def _tell(self, decision: Decision, outcome: Outcome, started: float) -> None:
        """Tell the model and the watchers what became of an action."""
        self.last_result = _words_of(outcome)
        self._report(decision, outcome, started)
        self.control.checkpoint()
        if decision.action.then == "COMPLETE" and outcome.status in ("ok", "no_effect"):
            raise TaskEnd("TASK_COMPLETED_SUCCESSFULLY")

    def _look_closer(self, decision: Decision, observation: Observation) -> Decision:
        """Have a risky action judged by what is really under the finger now."""
        if not decision.policy.get("needs_look"):
            return decision
        look = self.phone.look_closer(observation)
        policy = self.control.call_model(
            lambda: self.server.judge_step(self.session_id, decision.step, look)
        )
        return replace(decision, policy=policy)

    # --- acting -----------------------------------------------------------------------------------

    def _act(self, decision: Decision, observation: Observation, started: float) -> Outcome:
        """Do one action on the phone, if neither policy nor person keeps it from it."""
        if isinstance(decision.action, Answer):
            return Outcome("no_effect", message=decision.action.value)
        if decision.policy.get("hand_over"):
            return self._hand_over(decision, started)
        try:
            verdict = self.person.check(
                decision.action,
                decision.policy,
                decision.to_question(),
                lambda: self.phone.still_shows(decision.screen),
            )
        except TaskEnd:
            if not self.control.is_parked:  # else it waits on, and is not decided yet
                self._report(decision, Outcome("withheld"), started)
            raise
        if verdict == "screen_changed":
            return Outcome("withheld", message=self.words.screen_changed)
        if self.control.hold is not None:
            return Outcome("withheld", message=self.words.held)
        return self._do(decision, observation)

    def _hand_over(self, decision: Decision, started: float) -> Outcome:
        """What only the person may do (a password, a PIN): they do it, then the model looks."""
        reason = str(decision.policy.get("reason") or "")
        try:
            if self.options.reply_mode == "no_reply":
                raise TaskEnd("POLICY_DENIED", reason)
            self.query = self.person.hand_over(TakeOver(value=reason))
        except TaskEnd:
            if not self.control.is_parked:
                self._report(decision, Outcome("withheld"), started)
            raise
        self.phone.forget_screen()
        return Outcome("withheld", message=self.words.handed_over)

    def _do(self, decision: Decision, observation: Observation) -> Outcome:
        seen = replace(observation, target=decision.target)
        outcome = self.phone.do(decision.action, seen, decision.step)
        self.has_acted = self.has_acted or outcome.status == "ok"
        return outcome

    # --- the person -------------------------------------------------------------------------------

    def _complete(self, said: str) -> None:
        """A "done" before anything was done is questioned, once."""
        if self.has_acted or self.was_questioned or self.steps[0].global_step > 1:
            raise TaskEnd("TASK_COMPLETED_SUCCESSFULLY", said)
        self.was_questioned = True
        self.last_result = self.words.nothing_done

    # --- records ----------------------------------------------------------------------------------

    def _payload(self, observation: Observation) -> dict[str, Any]:
        shot = observation.screenshot
        payload: dict[str, Any] = {"screenshot": {"type": "image_bytes", "data": shot.data}}
        if self.query:
            payload["query"] = self.query
        if observation.ui_tree is not None:
            payload["ui_tree"] = observation.ui_tree.xml
        elif self.phone.with_ui_tree:
            payload["ui_tree"] = ""  # looked for; this screen gives none
        if observation.foreground is not None and observation.foreground.package:
            payload["foreground"] = observation.foreground.package
        if self.last_result is not None:
            payload["last_result"] = self.last_result
        return payload

    def _report(self, decision: Decision, outcome: Outcome, started: float) -> None:
        report = StepReport(
            local_step=len(self.steps) + 1,
            global_step=decision.step,
            action=decision.action,
            policy=decision.policy,
            outcome=outcome,
            observe_s=self.observe_s,
            decide_s=decision.took_s,
            act_s=time.monotonic() - started,
        )
        self.steps.append(report)
        self.on_step(report)

    def _record(self, kind: str, data: Mapping[str, Any]) -> None:
        self.server.record_event(self.session_id, kind, data)

    def end(self, end: TaskEnd, started: float) -> TaskResult:
        """Close the session, give the phone back, and say how it ended."""
        result = TaskResult(
            session_id=self.session_id,
            serial=self.phone.device.serial,
            screen=self.screen,
            task=self.task,
            stop_reason=end.reason,
            message=end.message or (str(end.error["message"]) if end.error else ""),
            error=end.error,
            steps=tuple(self.steps),
            global_step=self.steps[-1].global_step if self.steps else 0,
            duration_s=time.monotonic() - started,
        )
        restored = self.control.device_calls.submit(self.phone.restore)
        closing = Worker("task-close")  # of its own: the model's may be busy with a hung call
        closed = closing.submit(lambda: self._close(result))
        closing.close()
        _wait_for(closed, CLOSE_WAIT_S)
        self.control.finish(result)
        _wait_for(restored, None)
        _wait_for(closed, None)
        return result

    def _close(self, result: TaskResult) -> None:
        if self.control.is_parked:
            return  # it waits on after a restart: its session stays open
        if result.error is not None:
            self._record("task_error", {"error": result.error})
        self.server.close_session(self.session_id, result.stop_reason)


def _wait_for(future: Future[None], timeout_s: float | None) -> None:
    """The task's end stands, whether or not its last lines could be written."""
    try:
        future.result(timeout_s)
    except TimeoutError:
        pass
    except Exception as error:
        logger.error("a task's end could not be put on record", exc_info=error)


def _words_of(outcome: Outcome) -> str:
    """What the model hears of its last action."""
    if outcome.status in ("ok", "no_effect"):
        return "ok"
    return f"{outcome.code}: {outcome.message}" if outcome.code else outcome.message


def _body(error: Exception) -> dict[str, Any]:
    return dict(describe_error(error))

"""Whole tasks that the server runs itself: handed over, watched, answered, held, stopped.

What happens in a task is in its session's events: after a restart a task that waited still waits,
and one that ran is `INTERRUPTED` and can be resumed.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from device.errors import DeviceError
from device.protocol import Device
from server.agent_loop import run_task
from server.error_body import describe_error
from server.errors import (
    IdempotencyConflictError,
    ServerError,
    SessionClosedError,
    TaskNotFoundError,
    TaskStateError,
)
from server.leases import Leases
from server.loop_options import LoopOptions, Question, StepServer, check_answerer
from server.loop_words import words_for
from server.phone_choice import NoPhoneForTagError, PhoneChoice
from server.phone_lines import PhoneLines
from server.records.schema import utc_now
from server.session_reading import SessionRecord, SessionSummary
from server.sessions import CAN_GO_ON
from server.task_feed import TaskFeed
from server.task_limits import PriceOf, check_limits, check_price_known, describe_cost
from server.task_records import RecordedSteps, name_task, read_tasks, session_of
from server.task_request import TaskInfo, TaskRequest
from server.task_result import StepReport, StopReason
from server.task_run import (
    RESUMABLE,
    TaskRun,
    restore_run,
    seconds_since,
    unrun_result,
    with_error,
)
from server.task_states import LENDING_STATES, TaskEnd
from server.usage import Usage

__all__ = ["TaskInfo", "TaskRequest", "TaskRunner"]

logger = logging.getLogger(__name__)

MAX_KEPT = 1000
"""How many tasks are kept in memory; older ones are read from their session's log."""
MAX_RESTORED_SESSIONS = 200
"""How many of the latest sessions are looked through for unfinished tasks at the start."""


class TaskServer(StepServer, Protocol):
    """What the runner needs of the server besides the steps."""

    def read_events(self, session_id: str, after_seq: int = 0) -> list[dict[str, Any]]: ...
    def read_session(self, session_id: str) -> SessionRecord: ...
    def list_sessions(self, limit: int = 50, offset: int = 0) -> list[SessionSummary]: ...
    def read_usage(self, session_id: str) -> Usage: ...


class TaskRunner:
    """Runs tasks on phones, one at a time per phone, the more important ones first.

    Args:
        server: Who decides the steps and keeps the log.
        open_device: Gives the phone of a serial; None means the only ready one.
        answerer: Gives who answers the questions of a task in `auto_reply`; None: nobody can.
        find_tagged: The serials of the ready phones with a tag.
        price_of: The price of a task's model, where it is known.
        leases: Who drives which phone; shared with those who give single inputs.
    """

    def __init__(
        self,
        server: TaskServer,
        open_device: Callable[[str | None], Device],
        *,
        answerer: Callable[[LoopOptions], Callable[[Question], str]] | None = None,
        find_tagged: Callable[[str], Sequence[str]] = lambda tag: (),
        price_of: PriceOf = lambda options: None,
        leases: Leases | None = None,
    ) -> None:
        self._server = server
        self._answerer = answerer
        self._price_of = price_of
        self.leases = leases or Leases()
        self._lines: PhoneLines[TaskRun] = PhoneLines(self._drive)
        self._phones = PhoneChoice(open_device, find_tagged, self._lines.length)
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, TaskRun] = OrderedDict()
        self._on_close: list[Callable[[], None]] = []
        self._start_lock = threading.Lock()
        self._tasks_by_key: OrderedDict[str, str] = OrderedDict()

    # --- hand over --------------------------------------------------------------------------------

    def start(self, request: TaskRequest, *, idempotency_key: str | None = None) -> TaskInfo:
        """Take a task over; it runs as soon as its phone is free.

        Args:
            request: What to do, where and how.
            idempotency_key: A key that came before gives the task that it started then.

        Raises:
            DeviceError: There is no such phone, or several and none was named.
            NoPhoneForTagError: No phone with the tag is ready.
            ServerError: The session could not be opened, or takes no more steps.
            OverloadedError: Too many tasks wait for this phone.
            PhoneLeasedError: A client that holds a lease drives this phone.
            IdempotencyConflictError: The key started another task.
        """
        if idempotency_key is None:
            return self._start(request)
        with self._start_lock:
            task_id = self._tasks_by_key.get(idempotency_key)
            if task_id is None:
                info = self._start(request)
                self._tasks_by_key[idempotency_key] = info.task_id
                if len(self._tasks_by_key) > MAX_KEPT:
                    self._tasks_by_key.popitem(last=False)
                return info
        run = self._find(task_id)
        if run.request != request:
            raise IdempotencyConflictError(
                "this idempotency key started another task; use a new key for a new task",
                task_id=task_id,
            )
        return run.info()

    def _start(self, request: TaskRequest) -> TaskInfo:
        check_answerer(request.options, self._answerer)
        check_price_known(request, self._price_of)
        session_id, number, serial = self._choose_session(request)
        if serial is None and request.tag is not None:
            device = self._phones.by_tag(request.tag)
        else:
            device = self._phones.by_serial(serial)
        self._lines.check_room(device.serial)
        self.leases.check(device.serial, request.lease_id)
        if session_id is None:
            session_id = self._server.get_session(request.options.session_payload(request.task))
        task_id = name_task(session_id, number)
        feed = TaskFeed()
        run = TaskRun(
            task_id=task_id,
            session_id=session_id,
            serial=device.serial,
            request=request,
            created_at=utc_now(),
            server=RecordedSteps(self._server, feed, task_id),
            feed=feed,
        )
        run.query = request.reply
        run.usage_base = self._server.read_usage(session_id)
        run.record("task_started", {"serial": run.serial, "request": request.to_record()})
        self._keep(run)
        self._lines.add(run)
        return run.info()

    def _choose_session(self, request: TaskRequest) -> tuple[str | None, int, str | None]:
        """The session to go on in, the task's number in it, and the phone it was on."""
        if request.session_id is None:
            return None, 1, request.serial
        session = self._server.read_session(request.session_id)
        if session.stop_reason is not None and session.stop_reason not in CAN_GO_ON:
            raise SessionClosedError(
                f"this session has ended ({session.stop_reason}); open a new one",
                stop_reason=session.stop_reason,
            )
        earlier = read_tasks(self._server.read_events(request.session_id))
        for task_id in earlier:
            if self._find(task_id).info().state != "done":
                raise TaskStateError(
                    f"task {task_id} of this session is not over; answer or stop it first",
                    task_id=task_id,
                )
        last = list(earlier.values())[-1] if earlier else None
        return (
            request.session_id,
            len(earlier) + 1,
            request.serial or (last.serial if last else None),
        )

    # --- watch ------------------------------------------------------------------------------------

    def get(self, task_id: str) -> TaskInfo:
        """The task as it is now.

        Raises:
            TaskNotFoundError: No such task.
        """
        return self._find(task_id).info()

    def list(self, limit: int = 50, offset: int = 0) -> list[TaskInfo]:
        """Tasks of this process and unfinished ones of before, newest first."""
        with self._lock:
            runs = sorted(self._runs.values(), key=lambda run: run.created_at, reverse=True)
        return [run.info() for run in runs[offset : offset + limit]]

    def feed(self, task_id: str) -> TaskFeed:
        """What happens in the task, numbered.

        Raises:
            TaskNotFoundError: No such task.
        """
        return self._find(task_id).feed

    # --- steer ------------------------------------------------------------------------------------

    def stop(self, task_id: str) -> TaskInfo:
        """End a task. No input goes to its phone from now on; stopping twice changes nothing.

        Raises:
            TaskNotFoundError: No such task.
        """
        run = self._find(task_id)
        self._stop(run, "STOPPED_BY_USER")
        run.control.wait_done(1.0)
        return run.info()

    def reply(self, task_id: str, text: str) -> TaskInfo:
        """Answer the task's question, or give the phone back with a note.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It asked nothing.
        """
        run = self._find(task_id)
        run.control.reply(text)
        return self._wake(run, "answer", text)

    def confirm(self, task_id: str, approve: bool, question_id: str | None = None) -> TaskInfo:
        """Say yes or no to the action that waits.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: No action waits, or it is another question that does.
        """
        run = self._find(task_id)
        run.control.confirm(approve, question_id)
        return run.info()

    def pause(self, task_id: str) -> TaskInfo:
        """Keep the task from the phone until `resume`; an action that is being done still ends.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is over.
        """
        run = self._find(task_id)
        run.control.pause()
        return run.info()

    def take_over(self, task_id: str) -> TaskInfo:
        """Take the phone in hand; the task waits until it is given back.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is over.
        """
        run = self._find(task_id)
        run.control.take_over()
        return run.info()

    def give_back(self, task_id: str, note: str = "") -> TaskInfo:
        """Give the phone back: the next step sees the new screen, and the note.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It was not taken over.
        """
        run = self._find(task_id)
        run.control.give_back(note)
        return self._wake(run, "give_back", note or words_for(run.request.task).given_back)

    def resume(self, task_id: str) -> TaskInfo:
        """Let a paused task go on, or one that was interrupted or failed from outside.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is neither.
        """
        run = self._find(task_id)
        with self._start_lock:
            info = run.info()
            if info.state != "done":
                run.control.resume()
                return self._wake(run, "resume", "")
            if info.stop_reason not in RESUMABLE:
                raise TaskStateError(
                    f"the task has ended ({info.stop_reason}); start a new one, "
                    "or go on in its session",
                    state="done",
                )
            self._lines.check_room(run.serial)
            run.usage_base = self._server.read_usage(run.session_id).minus(run.usage)
            run.renew()
            self._lines.add(run)
        return run.info()

    def retry(self, task_id: str) -> TaskInfo:
        """Start the same task again from the beginning, in a session of its own.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is not over.
        """
        run = self._find(task_id)
        if run.info().state != "done":
            raise TaskStateError("the task is not over; stop it first", state=run.control.state)
        return self.start(run.request)

    def _wake(self, run: TaskRun, kind: str, words: str) -> TaskInfo:
        """A task that waited without a loop goes on with the words that it waited for."""
        with self._lock:
            was_dormant, run.is_dormant = run.is_dormant, False
        if was_dormant:
            self._lines.check_room(run.serial)
            run.record(kind, {"text": words})
            run.query = words
            run.usage_base = self._server.read_usage(run.session_id).minus(run.usage)
            run.renew()
            self._lines.add(run)
        return run.info()

    def _stop(self, run: TaskRun, reason: StopReason, message: str = "") -> None:
        """A task without a loop ends here and now, a running one by itself."""
        is_queued = self._lines.remove(run)
        with self._lock:
            was_dormant, run.is_dormant = run.is_dormant, False
        run.control.stop(reason)
        if is_queued or was_dormant:
            self._end_unrun(run, reason, message)

    def why_set_aside(self, serial: str) -> str | None:
        """Why tasks by tag pass over a phone just now; None if they do not."""
        return self._phones.set_aside.reason(serial)

    # --- run --------------------------------------------------------------------------------------

    def _drive(self, run: TaskRun) -> None:
        """One task on its phone's thread, from its first look to its end."""
        try:
            device = self._ready_phone(run)
            if device is None:
                return
            is_lent = functools.partial(_is_lent, run)
            lease_id = run.request.lease_id
            with self.leases.hold(
                device.serial,
                run.task_id,
                is_lent,
                lease_id=lease_id,
                while_waiting=run.control.checkpoint,
            ):
                result = run_task(
                    run.server,
                    device,
                    run.request.task,
                    options=run.options(),
                    control=run.control,
                    session_id=run.session_id,
                    query=run.query,
                    last_result=run.last_result,
                    on_step=functools.partial(self._note_step, run),
                    answer=self._answerer(run.request.options) if self._answerer else None,
                    before_step=lambda: check_limits(
                        run.request, run.steps, run.usage, self._price_of
                    ),
                )
            if result.stop_reason == "DEVICE_FAILED" and result.error is not None:
                self._phones.set_aside.add(
                    device.serial, f"{result.error['code']}: {result.message}"
                )
            if not run.control.is_parked:
                self._put_end_on_record(run)
        except TaskEnd as end:  # while it waited for a client that has the phone
            if run.control.is_parked:
                run.control.finish(unrun_result(run, end.reason, end.message))
            else:
                self._end_unrun(run, end.reason, end.message)
        except Exception as error:
            logger.exception("task %s ended before its loop began", run.task_id)
            if run.control.result is None:
                is_phone = isinstance(error, DeviceError | NoPhoneForTagError)
                reason: StopReason = "DEVICE_FAILED" if is_phone else "INTERRUPTED"
                self._end_unrun(run, reason, error=dict(describe_error(error)))

    def _ready_phone(self, run: TaskRun) -> Device | None:
        """The task's phone; one that was chosen by tag and fails is changed for another."""
        tag = run.request.tag
        if tag is None or run.steps:
            return self._phones.by_serial(run.serial)
        if self._phones.set_aside.reason(run.serial) is None:
            device = self._phones.open_healthy(run.serial)
            if device is not None:
                return device
        failed, run.serial = run.serial, self._phones.by_tag(tag).serial
        reason = self._phones.set_aside.reason(failed)
        run.record("device_changed", {"from": failed, "to": run.serial, "reason": reason})
        self._lines.add(run)
        return None

    def _note_step(self, run: TaskRun, report: StepReport) -> None:
        run.usage = self._server.read_usage(run.session_id).minus(run.usage_base)
        run.note_step(report)

    def _end_unrun(
        self,
        run: TaskRun,
        reason: StopReason,
        message: str = "",
        *,
        error: dict[str, Any] | None = None,
    ) -> None:
        result = unrun_result(run, reason, message)
        run.control.finish(with_error(result, error) if error else result)
        self._put_end_on_record(run)
        self._server.close_session(run.session_id, reason)

    def _put_end_on_record(self, run: TaskRun) -> None:
        result = run.control.result
        if result is None:
            return
        run.usage = self._server.read_usage(run.session_id).minus(run.usage_base)
        cost = describe_cost(self._price_of(run.request.options), run.usage)
        ended = run.describe_end(result, cost)
        run.ended = ended
        brief = {name: value for name, value in ended.items() if name != "intermediate_logs"}
        try:
            run.record("task_ended", brief)
        except ServerError as error:
            logger.error("the end of task %s is not on record: %s", run.task_id, error.message)

    # --- restart and end --------------------------------------------------------------------------

    def restore(self) -> None:
        """Take up what an earlier process left: waiting tasks wait on, running ones are over.

        Blocking file work; called once, before the first request.
        """
        for session in self._server.list_sessions(limit=MAX_RESTORED_SESSIONS):
            if session.state == "open":
                try:
                    self._restore_session(session.session_id)
                except ServerError as error:
                    logger.error("the tasks of %s are not read: %s", session.session_id, error)

    def _restore_session(self, session_id: str) -> None:
        for record in read_tasks(self._server.read_events(session_id)).values():
            with self._lock:
                if record.task_id in self._runs:
                    continue
            run = restore_run(record, session_id, self._server)
            self._keep(run)
            if run.ended is not None:
                continue
            closed_as = self._server.read_session(session_id).stop_reason
            if closed_as is not None:
                run.ended = run.describe_end(unrun_result(run, closed_as), None)  # type: ignore[arg-type]
            elif record.state == "queued":
                run.control.restore("queued", None)
                self._lines.add(run)
            elif record.state in ("waiting_reply", *LENDING_STATES):
                run.control.restore(record.state, record.asked)
                run.is_dormant = True
                self._end_in_time(run, record.state_at)
            else:
                message = f"the server was restarted; the task was {record.state}"
                self._end_unrun(run, "INTERRUPTED", message)

    def _end_in_time(self, run: TaskRun, waiting_since: str) -> None:
        """A question that nobody answers ends its task, also after a restart."""
        left_s = run.request.options.reply_timeout_s - seconds_since(waiting_since)
        deadline_s = run.left_s()
        reason: StopReason = "REPLY_TIMEOUT"
        if deadline_s is not None and deadline_s < left_s:
            left_s, reason = deadline_s, "DEADLINE_REACHED"
        message = run.control.question or ""
        timer = threading.Timer(max(0.0, left_s), self._stop_dormant, (run, reason, message))
        timer.daemon = True
        run.timer = timer
        timer.start()

    def _stop_dormant(self, run: TaskRun, reason: StopReason, message: str) -> None:
        if run.is_dormant:
            self._stop(run, reason, message)

    def close(self) -> None:
        """Leave waiting tasks to wait on, end the others with `INTERRUPTED`, free the phones."""
        self._lines.shut()
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            if run.timer is not None:
                run.timer.cancel()
            if run.info().state == "done" or run.is_dormant:
                continue
            if run.control.park():
                self._lines.remove(run)
            else:
                self._stop(run, "INTERRUPTED")
        self._lines.join()
        for run in runs:
            run.feed.close()
        for call in self._on_close:
            call()

    def on_close(self, call: Callable[[], None]) -> None:
        """Have something else ended with the tasks; called from any thread."""
        self._on_close.append(call)

    def _find(self, task_id: str) -> TaskRun:
        with self._lock:
            run = self._runs.get(task_id)
        if run is not None:
            return run
        session_id = session_of(task_id)
        if session_id is not None:
            try:
                self._restore_session(session_id)
            except ServerError:
                pass  # no such session: no such task
        with self._lock:
            run = self._runs.get(task_id)
        if run is None:
            raise TaskNotFoundError("no such task; GET /v1/tasks lists those that there are")
        return run

    def _keep(self, run: TaskRun) -> None:
        with self._lock:
            self._runs[run.task_id] = run
            if len(self._runs) <= MAX_KEPT:
                return
            for task_id, old in self._runs.items():
                if old.ended is not None:
                    del self._runs[task_id]
                    return


def _is_lent(run: TaskRun) -> bool:
    return run.control.state in LENDING_STATES

"""Whole tasks that the server runs itself: handed over, watched, answered, held, stopped.

What happens in a task is in its session's events: after a restart a task that waited still waits,
and one that ran is `INTERRUPTED` and can be resumed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from device.protocol import Device
from server.errors import IdempotencyConflictError, SessionClosedError, TaskStateError
from server.leases import Leases
from server.loop.options import check_answerer
from server.loop.words import words_for
from server.policy.config import Budget
from server.records.schema import utc_now
from server.sessions import CAN_GO_ON
from server.tasks.book import MAX_KEPT, TaskBook
from server.tasks.driver import Answerer, TaskDriver, TaskServer
from server.tasks.feed import TaskFeed
from server.tasks.limits import PriceOf, check_price_known
from server.tasks.records import RecordedSteps, name_task, read_tasks
from server.tasks.request import TaskInfo, TaskRequest
from server.tasks.run import RESUMABLE, TaskRun

__all__ = ["TaskInfo", "TaskRequest", "TaskRunner"]


class TaskRunner:
    """Runs tasks on phones, one at a time per phone, the more important ones first.

    Args:
        server: Who decides the steps and keeps the log.
        open_device: Gives the phone of a serial; None means the only ready one.
        answerer: Gives who answers the questions of a task in `auto_reply`; None: nobody can.
        find_tagged: The serials of the ready phones with a tag.
        price_of: The price of a task's model, where it is known.
        budget: The most that any task may use up; None: the defaults.
        leases: Who drives which phone; shared with those who give single inputs.
    """

    def __init__(
        self,
        server: TaskServer,
        open_device: Callable[[str | None], Device],
        *,
        answerer: Answerer | None = None,
        find_tagged: Callable[[str], Sequence[str]] = lambda tag: (),
        price_of: PriceOf = lambda options: None,
        budget: Budget | None = None,
        leases: Leases | None = None,
    ) -> None:
        self._server = server
        self._answerer = answerer
        self._price_of = price_of
        self._budget = budget or Budget()
        self.leases = leases or Leases()
        self._driver = TaskDriver(server, open_device, find_tagged, answerer, price_of, self.leases)
        self._book = TaskBook(server, self._driver)
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
        request = request.within(self._budget)
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
        run = self._book.find(task_id)
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
            device = self._driver.phones.by_tag(request.tag)
        else:
            device = self._driver.phones.by_serial(serial)
        self._driver.lines.check_room(device.serial)
        self.leases.check(device.serial, request.lease_id)
        if session_id is None:
            session_id = self._server.get_session(request.options.session_payload(request.task))
        else:
            self._server.check_approved(request.options.approve)
            self._server.reopen_session(session_id)
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
        run.usage_base = self._server.read_usage(session_id)
        run.record("task_started", {"serial": run.serial, "request": request.to_record()})
        self._book.keep(run)
        self._driver.lines.add(run)
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
            if self._book.find(task_id).info().state != "done":
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
        return self._book.find(task_id).info()

    def list(self, limit: int = 50, offset: int = 0) -> list[TaskInfo]:
        """Tasks of this process and unfinished ones of before, newest first."""
        runs = sorted(self._book.all(), key=lambda run: run.created_at, reverse=True)
        return [run.info() for run in runs[offset : offset + limit]]

    def feed(self, task_id: str) -> TaskFeed:
        """What happens in the task, numbered.

        Raises:
            TaskNotFoundError: No such task.
        """
        return self._book.find(task_id).feed

    # --- steer ------------------------------------------------------------------------------------

    def stop(self, task_id: str) -> TaskInfo:
        """End a task. No input goes to its phone from now on; stopping twice changes nothing.

        Raises:
            TaskNotFoundError: No such task.
        """
        run = self._book.find(task_id)
        self._driver.stop(run, "STOPPED_BY_USER")
        run.control.wait_done(1.0)
        return run.info()

    def reply(self, task_id: str, text: str) -> TaskInfo:
        """Answer the task's question, or give the phone back with a note.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It asked nothing.
        """
        run = self._book.find(task_id)
        self._check_wakeable(run)
        run.control.reply(text)
        return self._wake(run, "answer", {"text": text})

    def confirm(self, task_id: str, approve: bool, question_id: str | None = None) -> TaskInfo:
        """Say yes or no to the action that waits.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: No action waits, or it is another question that does.
        """
        run = self._book.find(task_id)
        self._check_wakeable(run)
        asked = run.control.asked
        run.control.confirm(approve, question_id)
        if asked is None or not run.is_dormant:
            return run.info()
        answer = {"id": asked.id, "step": asked.facts.get("step"), "approved": approve}
        if approve:
            run.confirmed = asked
            return self._wake(run, "confirm_answer", answer)
        run.record("confirm_answer", answer)
        self._driver.stop(run, "POLICY_DENIED", f"not approved: {asked.text}")
        return run.info()

    def pause(self, task_id: str) -> TaskInfo:
        """Keep the task from the phone until `resume`; an action that is being done still ends.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is over.
        """
        run = self._book.find(task_id)
        run.control.pause()
        return run.info()

    def take_over(self, task_id: str) -> TaskInfo:
        """Take the phone in hand; the task waits until it is given back.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is over.
        """
        run = self._book.find(task_id)
        run.control.take_over()
        return run.info()

    def give_back(self, task_id: str, note: str = "") -> TaskInfo:
        """Give the phone back: the next step sees the new screen, and the note.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It was not taken over.
        """
        run = self._book.find(task_id)
        self._check_wakeable(run)
        run.control.give_back(note)
        words = note or words_for(run.request.task).given_back
        return self._wake(run, "give_back", {"text": words})

    def resume(self, task_id: str) -> TaskInfo:
        """Let a paused task go on, or one that was interrupted or failed from outside.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is neither.
        """
        run = self._book.find(task_id)
        with self._start_lock:
            info = run.info()
            if info.state != "done":
                self._check_wakeable(run)
                run.control.resume()
                return self._wake(run, "resume", {"text": ""})
            if info.stop_reason not in RESUMABLE:
                raise TaskStateError(
                    f"the task has ended ({info.stop_reason}); start a new one, "
                    "or go on in its session",
                    state="done",
                )
            self._driver.lines.check_room(run.serial)
            self._run_again(run)
        return run.info()

    def retry(self, task_id: str) -> TaskInfo:
        """Start the same task again; a follow-up goes on in its own session once more.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It is not over.
        """
        run = self._book.find(task_id)
        if run.info().state != "done":
            raise TaskStateError("the task is not over; stop it first", state=run.control.state)
        return self.start(run.request)

    def _check_wakeable(self, run: TaskRun) -> None:
        """Refuse before the answer is taken: without a loop it needs room in its phone's line."""
        if run.is_dormant:
            self._driver.lines.check_room(run.serial)

    def _wake(self, run: TaskRun, kind: str, facts: dict[str, Any]) -> TaskInfo:
        """A task that waited without a loop goes on, if this is what it waited for."""
        if run.is_dormant:
            run.record(kind, facts)
            if run.control.asked is None and run.wake():
                self._run_again(run)
        return run.info()

    def _run_again(self, run: TaskRun) -> None:
        self._server.reopen_session(run.session_id)
        run.usage_base = self._server.read_usage(run.session_id).minus(run.usage)
        run.renew()
        self._driver.lines.add(run)

    def why_set_aside(self, serial: str) -> str | None:
        """Why tasks by tag pass over a phone just now; None if they do not."""
        return self._driver.phones.set_aside.reason(serial)

    # --- begin and end ----------------------------------------------------------------------------

    def restore(self) -> None:
        """Take up what an earlier process left: waiting tasks wait on, running ones are over.

        Blocking file work; called once, before the first request.
        """
        self._book.restore()

    def close(self) -> None:
        """Leave waiting tasks to wait on, end the others with `INTERRUPTED`, free the phones."""
        self._driver.lines.shut()
        runs = self._book.all()
        for run in runs:
            if run.timer is not None:
                run.timer.cancel()
            if run.info().state == "done" or run.is_dormant:
                continue
            if run.control.park():
                self._driver.lines.remove(run)
            else:
                self._driver.stop(run, "INTERRUPTED")
        self._driver.lines.join()
        for run in runs:
            run.feed.close()
        for call in self._on_close:
            call()

    def on_close(self, call: Callable[[], None]) -> None:
        """Have something else ended with the tasks; called from any thread."""
        self._on_close.append(call)

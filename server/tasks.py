"""Whole tasks that the server runs itself: one thread per busy phone, the rest wait in line."""

from __future__ import annotations

import logging
import threading
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from device.protocol import Device
from server.agent_loop import run_task
from server.control import TaskControl, TaskState
from server.errors import (
    IdempotencyConflictError,
    OverloadedError,
    ShuttingDownError,
    TaskNotFoundError,
)
from server.loop_options import LoopOptions, Question, StepServer, check_answerer
from server.records.schema import utc_now
from server.task_result import StepReport, StopReason, TaskResult

logger = logging.getLogger(__name__)

MAX_QUEUED_PER_PHONE = 100
MAX_KEPT = 1000
"""How many tasks are remembered; the oldest that are done are forgotten, their logs stay."""
CLOSE_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task as it is handed over.

    Attributes:
        task: What the user wants.
        serial: Which phone; None for the only one that is ready.
        options: How to run it.
        deadline_s: Seconds until it ends with `DEADLINE_REACHED`; None for never.
    """

    task: str
    serial: str | None = None
    options: LoopOptions = field(default_factory=LoopOptions)
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """A task at one moment."""

    task_id: str
    session_id: str
    serial: str
    task: str
    state: TaskState
    created_at: str
    steps: int
    question: str | None = None
    result: TaskResult | None = None

    @property
    def stop_reason(self) -> StopReason | None:
        return self.result.stop_reason if self.result else None

    def to_wire(self) -> dict[str, Any]:
        return {
            "task_id": self.task_id,
            "session_id": self.session_id,
            "serial": self.serial,
            "task": self.task,
            "state": self.state,
            "created_at": self.created_at,
            "steps": self.steps,
            "question": self.question,
            "stop_reason": self.stop_reason,
            "result": self.result.to_wire() if self.result else None,
        }


@dataclass(slots=True)
class _Run:
    task_id: str
    session_id: str
    device: Device
    request: TaskRequest
    control: TaskControl
    created_at: str
    steps: int = 0

    def count_step(self, report: StepReport) -> None:
        self.steps = report.local_step

    def info(self) -> TaskInfo:
        result = self.control.result
        return TaskInfo(
            task_id=self.task_id,
            session_id=self.session_id,
            serial=self.device.serial,
            task=self.request.task,
            state="done" if result else self.control.state,
            created_at=self.created_at,
            steps=self.steps,
            question=self.control.question,
            result=result,
        )


class TaskRunner:
    """Runs tasks on phones, one at a time per phone, in the order in which they came.

    Args:
        server: Who decides the steps and keeps the log.
        open_device: Gives the phone of a serial; None means the only ready one.
        answerer: Gives who answers the questions of a task in `auto_reply`; None: nobody can.
    """

    def __init__(
        self,
        server: StepServer,
        open_device: Callable[[str | None], Device],
        *,
        answerer: Callable[[LoopOptions], Callable[[Question], str]] | None = None,
    ) -> None:
        self._server = server
        self._open_device = open_device
        self._answerer = answerer
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self._queues: dict[str, deque[_Run]] = {}
        self._threads: set[threading.Thread] = set()
        self._key_lock = threading.Lock()
        self._tasks_by_key: OrderedDict[str, str] = OrderedDict()
        self._is_closed = False

    def start(self, request: TaskRequest, *, idempotency_key: str | None = None) -> TaskInfo:
        """Take a task over; it runs as soon as its phone is free.

        Args:
            request: What to do, where and how.
            idempotency_key: A key that came before gives the task that it started then.

        Raises:
            DeviceError: There is no such phone, or several and none was named.
            ServerError: The session could not be opened.
            OverloadedError: Too many tasks wait for this phone.
            IdempotencyConflictError: The key started another task.
        """
        if idempotency_key is None:
            return self._start(request)
        with self._key_lock:
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
        device = self._open_device(request.serial)
        with self._lock:
            self._check_room(device.serial)
        run = _Run(
            task_id=str(uuid.uuid4()),
            session_id=self._server.get_session(request.options.session_payload(request.task)),
            device=device,
            request=request,
            control=TaskControl(deadline_s=request.deadline_s),
            created_at=utc_now(),
        )
        with self._lock:
            self._check_room(device.serial)
            self._runs[run.task_id] = run
            self._forget_oldest()
            queue = self._queues.get(device.serial)
            if queue is not None:
                queue.append(run)
            else:
                self._queues[device.serial] = deque([run])
                self._start_thread(device.serial)
        return run.info()

    def get(self, task_id: str) -> TaskInfo:
        """The task as it is now.

        Raises:
            TaskNotFoundError: No such task.
        """
        return self._find(task_id).info()

    def list(self, limit: int = 50, offset: int = 0) -> list[TaskInfo]:
        """Tasks, newest first."""
        with self._lock:
            runs = list(reversed(self._runs.values()))
        return [run.info() for run in runs[offset : offset + limit]]

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
        """Answer the task's question.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: It asked nothing.
        """
        run = self._find(task_id)
        run.control.reply(text)
        return run.info()

    def confirm(self, task_id: str, approve: bool) -> TaskInfo:
        """Say yes or no to the action that waits.

        Raises:
            TaskNotFoundError: No such task.
            TaskStateError: No action waits.
        """
        run = self._find(task_id)
        run.control.confirm(approve)
        return run.info()

    def close(self) -> None:
        """End all tasks with `INTERRUPTED` and wait until the phones are given back."""
        with self._lock:
            self._is_closed = True
            runs = list(self._runs.values())
            threads = list(self._threads)
        for run in runs:
            self._stop(run, "INTERRUPTED")
        for thread in threads:
            thread.join(CLOSE_TIMEOUT_S)

    def _find(self, task_id: str) -> _Run:
        with self._lock:
            run = self._runs.get(task_id)
        if run is None:
            raise TaskNotFoundError("no such task; GET /v1/tasks lists those that there are")
        return run

    def _check_room(self, serial: str) -> None:
        if self._is_closed:
            raise ShuttingDownError("the server is closing; try again when it is back")
        if len(self._queues.get(serial, ())) >= MAX_QUEUED_PER_PHONE:
            raise OverloadedError(
                f"{MAX_QUEUED_PER_PHONE} tasks wait for {serial} already; try again later"
            )

    def _forget_oldest(self) -> None:
        if len(self._runs) <= MAX_KEPT:
            return
        for task_id, run in self._runs.items():
            if run.control.result is not None:
                del self._runs[task_id]
                return

    def _stop(self, run: _Run, reason: StopReason) -> None:
        """A queued task ends here and now, a running one by itself."""
        with self._lock:
            queue = self._queues.get(run.device.serial)
            is_queued = queue is not None and run in queue
            if queue is not None and is_queued:
                queue.remove(run)
        run.control.stop(reason)
        if is_queued:
            self._end_unrun(run, reason)

    def _end_unrun(self, run: _Run, reason: StopReason) -> None:
        run.control.finish(
            TaskResult(
                session_id=run.session_id,
                serial=run.device.serial,
                screen=None,
                task=run.request.task,
                stop_reason=reason,
                message="",
                error=None,
                steps=(),
                global_step=0,
                duration_s=0.0,
            )
        )
        self._server.close_session(run.session_id, reason)

    def _start_thread(self, serial: str) -> None:
        thread = threading.Thread(
            target=self._drive, args=(serial,), name=f"phone-{serial}", daemon=True
        )
        self._threads.add(thread)
        thread.start()

    def _drive(self, serial: str) -> None:
        """One phone's thread: its tasks one after the other, until none waits."""
        while True:
            with self._lock:
                queue = self._queues[serial]
                if not queue:
                    del self._queues[serial]
                    self._threads.discard(threading.current_thread())
                    return
                run = queue.popleft()
            try:
                run_task(
                    self._server,
                    run.device,
                    run.request.task,
                    options=run.request.options,
                    control=run.control,
                    session_id=run.session_id,
                    on_step=run.count_step,
                    answer=self._answerer(run.request.options) if self._answerer else None,
                )
            except Exception:
                logger.exception("task %s ended before its loop began", run.task_id)
                if run.control.result is None:
                    self._end_unrun(run, "INTERRUPTED")

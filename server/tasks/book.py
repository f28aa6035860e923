"""The tasks that this process knows; those of before are taken up from their sessions' events."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict

from server.control import TaskControl
from server.errors import ServerError, TaskNotFoundError
from server.tasks.driver import TaskDriver, TaskServer
from server.tasks.records import TaskRecord, read_tasks, session_of
from server.tasks.result import StopReason
from server.tasks.run import TaskRun, restore_run, seconds_since, unrun_result
from server.tasks.states import HOLD_LIMIT_S, WAITING_STATES

logger = logging.getLogger(__name__)

MAX_KEPT = 1000
"""How many tasks are kept in memory; older ones are read from their session's log."""
MAX_RESTORED_SESSIONS = 200
"""How many of the latest sessions are looked through for unfinished tasks at the start."""


class TaskBook:
    """Tasks by id.

    Args:
        server: Who keeps the log.
        driver: Who runs them, or ends those that wait in vain.
    """

    def __init__(self, server: TaskServer, driver: TaskDriver) -> None:
        self._server = server
        self._driver = driver
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, TaskRun] = OrderedDict()

    def keep(self, run: TaskRun) -> None:
        """Add a task; the oldest one that is over may be forgotten for it."""
        with self._lock:
            self._runs[run.task_id] = run
            if len(self._runs) <= MAX_KEPT:
                return
            for task_id, old in self._runs.items():
                if old.ended is not None:
                    del self._runs[task_id]
                    return

    def all(self) -> list[TaskRun]:
        with self._lock:
            return list(self._runs.values())

    def find(self, task_id: str) -> TaskRun:
        """The task of that id, from memory or from its session's events.

        Raises:
            TaskNotFoundError: No such task.
        """
        run = self._known(task_id)
        if run is not None:
            return run
        session_id = session_of(task_id)
        if session_id is not None:
            try:
                self._restore_session(session_id)
            except ServerError:
                pass  # no such session: no such task
        run = self._known(task_id)
        if run is None:
            raise TaskNotFoundError(
                "no task has this id; give the whole `task_id` that its start answered"
            )
        return run

    def _known(self, task_id: str) -> TaskRun | None:
        with self._lock:
            return self._runs.get(task_id)

    # --- after a restart --------------------------------------------------------------------------

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
            if self._known(record.task_id) is None:
                run = restore_run(record, session_id, self._server)
                self.keep(run)
                if run.ended is None:
                    self._take_up(run, record)

    def _take_up(self, run: TaskRun, record: TaskRecord) -> None:
        closed_as = self._server.read_session(run.session_id).stop_reason
        if closed_as is not None:
            run.ended = run.describe_end(unrun_result(run, closed_as), None)  # type: ignore[arg-type]
        elif record.state == "queued":
            run.control.restore("queued", None, record.hold)
            self._driver.lines.add(run)
        elif record.state in WAITING_STATES:
            run.control.restore(record.state, record.asked, record.hold)
            run.is_dormant = True
            self._end_in_time(run, record.state_at)
        else:
            message = f"the server was restarted; the task was {record.state}"
            self._driver.end_unrun(run, "INTERRUPTED", message)

    def _end_in_time(self, run: TaskRun, waiting_since: str) -> None:
        """A question that nobody answers ends its task, also after a restart."""
        wait_s, reason = _patience(run, run.control)
        left_s = wait_s - seconds_since(waiting_since)
        deadline_s = run.left_s()
        if deadline_s is not None and deadline_s < left_s:
            left_s, reason = deadline_s, "DEADLINE_REACHED"
        message = run.control.question or ""
        timer = threading.Timer(max(0.0, left_s), self._stop_dormant, (run, reason, message))
        timer.daemon = True
        run.timer = timer
        timer.start()

    def _stop_dormant(self, run: TaskRun, reason: StopReason, message: str) -> None:
        if run.is_dormant:
            self._driver.stop(run, reason, message)


def _patience(run: TaskRun, control: TaskControl) -> tuple[float, StopReason]:
    """How long a person is waited for in this state, and how the task ends after it."""
    options = run.request.options
    if control.state == "waiting_confirm":
        return options.confirm_timeout_s, "POLICY_DENIED"
    if control.hold is not None:
        return HOLD_LIMIT_S, "REPLY_TIMEOUT"
    return options.reply_timeout_s, "REPLY_TIMEOUT"

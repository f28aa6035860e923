"""Drives tasks on their phones: one thread per busy phone, from a task's first look to its end."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from device.errors import DeviceError
from device.protocol import Device
from server.agent_loop import run_task
from server.error_body import describe_error
from server.errors import ServerError
from server.leases import Leases
from server.loop.options import LoopOptions, Question, StepServer
from server.session_summaries import SessionRecord, SessionSummary
from server.tasks.limits import PriceOf, check_limits, describe_cost
from server.tasks.phone_choice import NoPhoneForTagError, PhoneChoice
from server.tasks.phone_lines import PhoneLines
from server.tasks.result import StepReport, StopReason
from server.tasks.run import TaskRun, unrun_result, with_error
from server.tasks.states import TaskEnd
from server.usage import Usage

logger = logging.getLogger(__name__)

Answerer = Callable[
    [LoopOptions, Callable[[str, Mapping[str, Any]], None]], Callable[[Question], str]
]
"""Gives, for a task's options and its record, who answers its questions."""


class TaskServer(StepServer, Protocol):
    """What tasks need of the server besides the steps."""

    def read_events(self, session_id: str, after_seq: int = 0) -> list[dict[str, Any]]: ...
    def read_session(self, session_id: str) -> SessionRecord: ...
    def list_sessions(self, limit: int = 50, offset: int = 0) -> list[SessionSummary]: ...
    def reopen_session(self, session_id: str) -> None: ...
    def check_approved(self, names: Iterable[str]) -> None: ...
    def read_usage(self, session_id: str) -> Usage: ...


class TaskDriver:
    """Runs the loop of each task when its phone is free, and puts its end on record.

    Args:
        server: Who decides the steps and keeps the log.
        open_device: Gives the phone of a serial; None means the only ready one.
        find_tagged: The serials of the ready phones with a tag.
        answerer: Gives who answers the questions of a task in `auto_reply`; None: nobody can.
        price_of: The price of a task's model, where it is known.
        leases: Who drives which phone.
    """

    def __init__(
        self,
        server: TaskServer,
        open_device: Callable[[str | None], Device],
        find_tagged: Callable[[str], Sequence[str]],
        answerer: Answerer | None,
        price_of: PriceOf,
        leases: Leases,
    ) -> None:
        self._server = server
        self._answerer = answerer
        self._price_of = price_of
        self._leases = leases
        self.lines: PhoneLines[TaskRun] = PhoneLines(self._drive)
        self.phones = PhoneChoice(open_device, find_tagged, self.lines.length)

    def stop(self, run: TaskRun, reason: StopReason, message: str = "") -> None:
        """End a task: one without a loop here and now, a running one by itself."""
        is_queued = self.lines.remove(run)
        was_dormant = run.wake()
        run.control.stop(reason)
        if is_queued or was_dormant:
            self.end_unrun(run, reason, message)

    def _drive(self, run: TaskRun) -> None:
        """One task on its phone's thread, from its first look to its end."""
        try:
            device = self._ready_phone(run)
            if device is None:
                return
            lease_id = run.request.lease_id
            with self._leases.hold(
                device.serial,
                run.task_id,
                lambda: run.control.is_lent,
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
                    confirmed=run.confirmed,
                    granted=run.granted,
                    on_step=functools.partial(self._note_step, run),
                    answer=self._answerer(run.request.options, run.record)
                    if self._answerer
                    else None,
                    before_step=lambda session_id: check_limits(
                        run.request, run.steps, run.usage, self._price_of
                    ),
                )
            if result.stop_reason == "DEVICE_FAILED" and result.error is not None:
                self.phones.set_aside.add(
                    device.serial, f"{result.error['code']}: {result.message}"
                )
            if not run.control.is_parked:
                self._put_end_on_record(run)
        except TaskEnd as end:  # while it waited for a client that has the phone
            if run.control.is_parked:
                run.control.finish(unrun_result(run, end.reason, end.message))
            else:
                self.end_unrun(run, end.reason, end.message)
        except Exception as error:
            logger.exception("task %s ended before its loop began", run.task_id)
            if run.control.result is None:
                is_phone = isinstance(error, DeviceError | NoPhoneForTagError)
                reason: StopReason = "DEVICE_FAILED" if is_phone else "INTERRUPTED"
                self.end_unrun(run, reason, error=dict(describe_error(error)))

    def _ready_phone(self, run: TaskRun) -> Device | None:
        """The task's phone; one that was chosen by tag and fails is changed for another."""
        tag = run.request.tag
        if tag is None or run.steps:
            return self.phones.by_serial(run.serial)
        if self.phones.set_aside.reason(run.serial) is None:
            device = self.phones.open_healthy(run.serial)
            if device is not None:
                return device
        failed, run.serial = run.serial, self.phones.by_tag(tag).serial
        reason = self.phones.set_aside.reason(failed)
        run.record("device_changed", {"from": failed, "to": run.serial, "reason": reason})
        self.lines.add(run)
        return None

    def _note_step(self, run: TaskRun, report: StepReport) -> None:
        run.usage = self._server.read_usage(run.session_id).minus(run.usage_base)
        run.note_step(report)

    def end_unrun(
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

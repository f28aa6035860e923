"""The phone as the loop uses it: through the task's control, so that a stop is felt at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from device.command_record import CommandRecord
from device.errors import ConnectionLostError, DeviceError
from device.protocol import Device, Screenshot, UiTree
from device.still import settle
from parsers.action import Action
from server.act import ElementNotFoundError, Observation, Outcome, act_on_device
from server.control import TaskControl
from server.error_body import describe_error
from server.killpoints import reach
from server.loop.options import LoopOptions
from server.loop.rule import fingerprint_screen, looks_same
from server.observe import look_at_screen, patiently
from server.tasks.states import TaskEnd

Record = Callable[[str, Mapping[str, Any]], None]


class LoopPhone:
    """One task's phone: looked at, given input with its intent on record, and restored.

    Args:
        device: The phone.
        control: How the task is stopped.
        options: How it is run.
        record: Puts intents and outcomes on record.
    """

    def __init__(
        self,
        device: Device,
        control: TaskControl,
        options: LoopOptions,
        record: Record,
    ) -> None:
        self.device = device
        self.with_ui_tree = options.with_ui_tree
        self._control = control
        self._options = options
        self._record = record
        self._seen: Screenshot | None = None

    def prepare(self) -> None:
        """Wake the phone, keep it awake and, if asked, start from the home screen."""
        self._patiently(self.device.wake)
        self._patiently(self.device.prepare)
        if self._options.reset_environment:
            self._patiently(lambda: self.device.press_key("HOME"))
            self._control.call_device(self._settle)

    def look(self) -> Observation:
        """See the screen.

        Raises:
            TaskEnd: The task was stopped, or the screen was switched off.
            DeviceError: It cannot be seen.
        """
        return self._control.call_device(self._look)

    def look_closer(self, observation: Observation) -> dict[str, Any]:
        """What the screen says right now, for the policy: what an action would meet.

        A screen that gives no tree is no error: the policy is the stricter for it. So that nobody
        is asked for a fault that passes, it is read again first.
        """

        def read() -> dict[str, Any]:
            tree = self._read_tree()
            try:
                front = self.device.foreground()
            except DeviceError:
                front = observation.foreground
            look: dict[str, Any] = {"ui_tree": tree.xml if tree is not None else ""}
            if front is not None and front.package:
                look["foreground"] = front.package
            if tree is None and observation.screenshot.black is not None:
                look["is_black"] = True
            return look

        return self._control.call_device(read)

    def forget_screen(self) -> None:
        """Others had the phone: what was seen before is worth nothing."""
        self._seen = None

    def do(self, action: Action, observation: Observation, step: int) -> Outcome:
        """Do one action with its intent on record before it and its outcome after it.

        If the task ends meanwhile the outcome may be `unknown`; the control's next checkpoint
        raises `TaskEnd`.
        """
        wire = action.to_wire(include_meta=False)
        self._record("device_intent", {"step": step, "action": wire})
        reach("K12")
        outcome = Outcome("unknown", message="the program ended meanwhile")
        sent = CommandRecord()
        try:
            outcome = self._control.call_device(lambda: self._attempt(action, observation, sent))
        except TaskEnd as end:
            outcome = Outcome("unknown", message=f"the task ended meanwhile: {end.reason}")
        finally:
            reach("K13")
            self._record("device_outcome", {"step": step, **outcome.to_wire(), **sent.to_wire()})
        if outcome.status == "ok":
            try:
                self._control.call_device(self._settle)
            except TaskEnd:
                pass  # what was done is reported first
        return outcome

    def still_shows(self, screen: bytes) -> bool:
        """Whether the screen is still the one with this fingerprint."""
        shot = self._control.call_device(self.device.screenshot)
        return looks_same(fingerprint_screen(shot.data), screen)

    def restore(self) -> None:
        """Give the phone back as it was; runs on the phone's worker."""
        try:
            self.device.restore()
        except DeviceError as error:
            self._record("restore_failed", {"error": dict(describe_error(error))})

    def _look(self) -> Observation:
        seen, self._seen = self._seen, None
        return look_at_screen(
            self.device,
            seen=seen,
            wants_tree=lambda front: self.with_ui_tree,
            wake=self._wake,
            sleep=self._control.sleep,
            on_retry=self._note_retry,
        )

    def _read_tree(self) -> UiTree | None:
        try:
            tree = patiently(self.device.ui_tree, self._control.sleep, self._note_retry)
        except DeviceError:
            return None
        if tree is None:  # it moved: once more, now that the dump has given it time
            with contextlib.suppress(DeviceError):
                return self.device.ui_tree()
        return tree

    def _patiently(self, call: Callable[[], None]) -> None:
        """What may be done twice on the way to the first step."""
        self._control.call_device(lambda: patiently(call, self._control.sleep, self._note_retry))

    def _note_retry(self, error: DeviceError) -> None:
        self._record("observe_retry", {"error": dict(describe_error(error))})

    def _wake(self) -> None:
        if self._options.stop_on_screen_off:
            raise TaskEnd("MANUAL_STOP_SCREEN_OFF", "the screen was switched off")
        self._control.checkpoint()
        self.device.wake()

    def _attempt(self, action: Action, observation: Observation, sent: CommandRecord) -> Outcome:
        """Runs on the phone's worker: an error is an outcome that the model will hear of."""
        try:
            with sent.recording():
                return act_on_device(
                    action,
                    self.device,
                    observation,
                    reflush_app=self._options.reflush_app,
                    before_input=self._control.checkpoint,
                    sleep=self._control.sleep,
                )
        except ConnectionLostError as error:
            return Outcome("unknown", error.code, error.message, error.details)
        except (DeviceError, ElementNotFoundError) as error:
            return Outcome("failed", error.code, error.message, error.details)

    def _settle(self) -> None:
        """Wait until the screen is still; the last picture serves as the next observation."""
        try:
            self._seen = settle(self.device, self._options.max_still_s).screenshot
        except DeviceError:
            pass  # only a courtesy wait: the next observation tells what is wrong

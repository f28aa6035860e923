"""What a task leaves behind: one report per step, and one result with the reason it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from device.errors import DeviceError
from parsers.action import Action, Size
from parsers.errors import ParserError
from server.act import Outcome
from server.errors import ServerError

StopReason = Literal[
    "NOT_STARTED",
    "TASK_COMPLETED_SUCCESSFULLY",
    "TASK_ABORTED_BY_AGENT",
    "INFO_ACTION_NEEDS_REPLY",
    "MAX_STEPS_REACHED",
    "PARSE_FAILED",
    "MODEL_FAILED",
    "DEVICE_FAILED",
    "POLICY_DENIED",
    "LOOP_DETECTED",
    "STOPPED_BY_USER",
    "REPLY_TIMEOUT",
    "DEADLINE_REACHED",
    "COST_LIMIT_REACHED",
    "INTERRUPTED",
    "MANUAL_STOP_SCREEN_OFF",
]


@dataclass(frozen=True, slots=True)
class StepReport:
    """One step as it happened.

    Attributes:
        local_step: Counts from 1 within this run.
        global_step: Counts from 1 within the session.
        action: What the model chose.
        policy: What the policy said of it: level, class, reason.
        outcome: What became of it on the phone.
        observe_s: Time to see the screen.
        decide_s: Time until the model's action was there.
        act_s: Time to do it and to wait until the screen was still.
    """

    local_step: int
    global_step: int
    action: Action
    policy: dict[str, Any]
    outcome: Outcome
    observe_s: float
    decide_s: float
    act_s: float

    def to_wire(self) -> dict[str, Any]:
        wire = self.action.to_wire()
        return {
            "local_step_idx": self.local_step,
            "global_step_idx": self.global_step,
            "agent_action": wire,
            "cot": self.action.cot,
            "policy": self.policy,
            "outcome": self.outcome.to_wire(),
            "times_s": {
                "observe": round(self.observe_s, 3),
                "decide": round(self.decide_s, 3),
                "act": round(self.act_s, 3),
            },
        }


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How a task ended; `to_wire` has the names that Step-GUI users know.

    Attributes:
        session_id: Where its log is.
        serial: The phone.
        screen: Size of the phone's picture, None if none was taken.
        task: What was asked.
        stop_reason: Why it ended.
        message: What the agent tells the user: the answer, the reason, the question.
        error: The error that ended it (`code`, `message`, `retryable`, `details`), if one did.
        steps: All steps of this run.
        global_step: The session's last step.
        duration_s: Wall time of the run.
    """

    session_id: str
    serial: str
    screen: Size | None
    task: str
    stop_reason: StopReason
    message: str
    error: dict[str, Any] | None
    steps: tuple[StepReport, ...] = field(repr=False)
    global_step: int
    duration_s: float

    @property
    def completed(self) -> bool:
        return self.stop_reason == "TASK_COMPLETED_SUCCESSFULLY"

    def to_wire(self) -> dict[str, Any]:
        logs = [step.to_wire() for step in self.steps]
        size = [self.screen.width_px, self.screen.height_px] if self.screen else None
        return {
            "session_id": self.session_id,
            "device_info": {"device_id": self.serial, "device_wm_size": size},
            "task": self.task,
            "final_action": logs[-1] if logs else None,
            "intermediate_logs": logs,
            "stop_reason": self.stop_reason,
            "message": self.message,
            "error": self.error,
            "local_step_idx": len(logs),
            "global_step_idx": self.global_step,
            "duration_s": round(self.duration_s, 3),
        }


def stop_reason_for(error: Exception) -> StopReason:
    """Why a task ends that this error ends: it is the phone, the model, the rules, or us."""
    if isinstance(error, DeviceError):
        return "DEVICE_FAILED"
    if isinstance(error, ParserError):
        return "PARSE_FAILED"
    if isinstance(error, ServerError):
        room = error.code.partition(".")[0]
        reasons: dict[str, StopReason] = {
            "parser": "PARSE_FAILED",
            "model": "MODEL_FAILED",
            "image": "DEVICE_FAILED",
            "policy": "POLICY_DENIED",
            "privacy": "POLICY_DENIED",
        }
        return reasons.get(room, "INTERRUPTED")
    return "INTERRUPTED"

"""What a loop needs to be told: who decides, how to run, who answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from server.errors import BadRequestError
from server.privacy.levels import PrivacyLevel
from server.tasks.terms import TaskPolicy

ReplyMode = Literal["pass_to_client", "auto_reply", "no_reply", "manual_reply"]


class StepServer(Protocol):
    """What the loop needs of a server; see `server.local_server` for the payloads."""

    def get_session(self, payload: Mapping[str, Any]) -> str: ...
    def automate_step(self, payload: Mapping[str, Any]) -> dict[str, Any]: ...
    def record_event(self, session_id: str, kind: str, data: Mapping[str, Any]) -> None: ...
    def close_session(self, session_id: str, stop_reason: str) -> None: ...
    def judge_step(
        self, session_id: str, step: int, observation: Mapping[str, Any]
    ) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Question:
    """What the model asks the person, with what an answerer may need."""

    task: str
    text: str
    thought: str
    screenshot: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How a task is run.

    Attributes:
        task_type: The dialect; None for the server's default.
        model_config: Which model and how, as in `get_session`; None for the server's default.
        extra_info: Kept with the session.
        max_steps: Most steps of this run.
        max_still_s: After an action, wait until the screen is still, at most this long.
        reset_environment: Go to the home screen first.
        reflush_app: Stop an app before launching it.
        stop_on_screen_off: A screen that is off in the middle of the run means that the person
            wants it to stop; else it is woken (a slow model may outlast the screen's own time-out).
        with_ui_tree: Read the UI tree at each step from the first on. Where the dialect turns out
            to need it, it is read in any case.
        reply_mode: Who answers the model's questions: `pass_to_client` (the task waits for
            `TaskControl.reply`), `manual_reply` and `auto_reply` (the `answer` callback does),
            `no_reply` (the model is told that nobody can).
        reply_timeout_s: How long a question or a take-over waits; 0 ends the task with
            `INFO_ACTION_NEEDS_REPLY`, to be gone on with by `session_id` and `query`.
        confirm_timeout_s: How long an action waits for a yes.
        approve: Classes of risk (`send`, `delete`, ...) to which whoever starts the task says yes
            beforehand; what the policy denies stays denied.
        policy: The task's own policy, on top of the server's.
        privacy: What may leave the machine; None: as the server is set. The stricter one holds.
    """

    task_type: str | None = None
    model_config: Mapping[str, Any] | None = None
    extra_info: Mapping[str, Any] | None = None
    max_steps: int = 40
    max_still_s: float = 3.0
    reset_environment: bool = False
    reflush_app: bool = False
    stop_on_screen_off: bool = False
    with_ui_tree: bool = False
    reply_mode: ReplyMode = "pass_to_client"
    reply_timeout_s: float = 600.0
    confirm_timeout_s: float = 60.0
    approve: tuple[str, ...] = ()
    policy: TaskPolicy | None = None
    privacy: PrivacyLevel | None = None

    @property
    def step_limit(self) -> int:
        """Most steps: the lower of `max_steps` and the policy's budget."""
        budget = self.policy.budget.max_steps if self.policy else None
        return min(self.max_steps, budget or self.max_steps)

    @property
    def approved(self) -> frozenset[str]:
        """All classes of risk to which the starter said yes."""
        return frozenset(self.approve) | frozenset(self.policy.approve if self.policy else ())

    def session_payload(self, task: str) -> dict[str, Any]:
        """The payload of `get_session` for a task that is run so."""
        payload: dict[str, Any] = {"task": task}
        if self.task_type is not None:
            payload["task_type"] = self.task_type
        if self.model_config is not None:
            payload["model_config"] = dict(self.model_config)
        if self.extra_info is not None:
            payload["extra_info"] = dict(self.extra_info)
        if self.approve:
            payload["approve"] = list(self.approve)
        if self.policy is not None:
            payload["policy"] = self.policy.model_dump(exclude_defaults=True)
        if self.privacy is not None:
            payload["privacy"] = self.privacy
        return payload


def check_answerer(options: LoopOptions, answer: object) -> None:
    """Refuse a mode in which somebody else answers, where there is nobody.

    Raises:
        BadRequestError: There is nobody.
    """
    if options.reply_mode in ("manual_reply", "auto_reply") and answer is None:
        raise BadRequestError(
            f"reply_mode {options.reply_mode} needs somebody who answers; use pass_to_client"
        )

"""Bodies of requests, as the API's documentation shows them. Meaning is checked further in."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from server.errors import BadRequestError
from server.loop.options import LoopOptions
from server.privacy.levels import PrivacyLevel
from server.tasks.request import TaskRequest
from server.tasks.result import StopReason
from server.tasks.terms import TaskPolicy

MAX_TEXT = 20_000


class _Lenient(BaseModel):
    """Bodies of Step-GUI clients: fields that they add are let pass."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)


class _Strict(BaseModel):
    """Bodies of our own routes: a mistyped field is told, not dropped."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class SessionBody(_Lenient):
    """A new session: the task, how the model speaks, which model."""

    task: str = Field(min_length=1, max_length=MAX_TEXT, examples=["打开设置，关闭蓝牙"])
    task_type: str | None = Field(default=None, examples=["parser_0920_summary"])
    llm: dict[str, Any] | None = Field(
        default=None,
        alias="model_config",
        description="model_name, model_provider, args, image_preprocess; default: the server's.",
    )
    extra_info: dict[str, Any] | None = None
    policy: TaskPolicy | None = None
    privacy: PrivacyLevel | None = None
    approve: list[str] | None = Field(
        default=None,
        max_length=20,
        description="Classes of risk that the caller's loop approves; checked, not kept.",
    )

    def to_payload(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, exclude_none=True)


class ObservationBody(_Lenient):
    """What is seen before the step; the picture is a data URL."""

    screenshot: dict[str, Any] = Field(
        examples=[
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo..."}}
        ]
    )
    query: str | None = Field(
        default=None, max_length=MAX_TEXT, description="The user's reply or a new remark."
    )
    ui_tree: str | None = Field(default=None, description="The UI hierarchy as XML.")
    foreground: str | None = Field(default=None, max_length=500)
    last_result: str | dict[str, Any] | None = Field(
        default=None, description='What became of the last action: "ok", or the error.'
    )


class LookBody(_Lenient):
    """A closer look at the screen of a step, for the policy."""

    ui_tree: str = Field(description="The UI hierarchy as XML; empty: the screen gives none.")
    foreground: str | None = Field(default=None, max_length=500)
    is_black: bool = Field(default=False, description="The picture shows nothing.")


class StepBody(_Lenient):
    """One step in an open session."""

    observation: ObservationBody

    def to_payload(self, session_id: str) -> dict[str, Any]:
        observation = self.observation.model_dump(exclude_none=True)
        return {"session_id": session_id, "observation": observation}


class AutomateStepBody(StepBody):
    session_id: str = Field(min_length=1, max_length=100)


class CloseBody(_Strict):
    stop_reason: StopReason = "STOPPED_BY_USER"


class EventBody(_Strict):
    """What a loop outside the server tells of its run."""

    kind: Literal[
        "device_intent",
        "device_outcome",
        "question",
        "answer",
        "take_over",
        "give_back",
        "confirm_question",
        "confirm_answer",
        "grant",
        "notice",
        "resume",
        "observe_retry",
        "restore_failed",
        "task_error",
    ]
    data: dict[str, Any]


class TaskBody(_Strict):
    """A whole task that the server runs on a phone."""

    task: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_TEXT,
        examples=["打开设置，关闭蓝牙"],
        description="What to do. With session_id: a follow-up in the user's words.",
    )
    serial: str | None = Field(default=None, description="Default: the only phone that is ready.")
    tag: str | None = Field(
        default=None,
        min_length=1,
        max_length=100,
        description="Any ready phone with this tag (configs/devices.yaml); `any`: any ready phone.",
    )
    priority: int = Field(default=0, ge=-100, le=100, description="Higher ones go first.")
    task_type: str | None = None
    llm: dict[str, Any] | None = Field(default=None, alias="model_config")
    extra_info: dict[str, Any] | None = None
    max_steps: int = Field(default=40, ge=1, le=400)
    max_still_s: float = Field(default=3.0, ge=0, le=30)
    reset_environment: bool = False
    reflush_app: bool = False
    stop_on_screen_off: bool = False
    reply_mode: Literal["pass_to_client", "auto_reply", "no_reply"] = Field(
        default="pass_to_client",
        description="Who answers: /reply, a model in the user's place, or nobody (it decides).",
    )
    reply_timeout_s: float = Field(default=600, ge=0, le=86_400)
    confirm_timeout_s: float = Field(default=60, gt=0, le=3_600)
    approve: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="Classes of risk to which you say yes beforehand: send, delete, pay, ...",
    )
    policy: TaskPolicy | None = Field(
        default=None, description="This task's own policy, on top of configs/policy.yaml."
    )
    privacy: PrivacyLevel | None = Field(
        default=None, description="What may leave the machine; the stricter of this and the server."
    )
    deadline_s: float | None = Field(default=None, gt=0, le=604_800)
    max_total_tokens: int | None = Field(default=None, ge=1)
    max_cost: float | None = Field(default=None, gt=0, description="Needs configs/prices.yaml.")
    session_id: str | None = Field(
        default=None, max_length=100, description="Go on in this session of an earlier task."
    )
    reply_from_client: str | None = Field(
        default=None, max_length=MAX_TEXT, description="With session_id: the answer it waited for."
    )

    lease_id: str | None = Field(
        default=None, max_length=200, description="Your lease of the phone, if you hold one."
    )

    def to_request(self) -> TaskRequest:
        words = self.reply_from_client or self.task
        if words is None or (self.session_id is None and self.task is None):
            raise BadRequestError(
                "task is missing; say what to do, or name session_id with reply_from_client",
                field="task",
            )
        return TaskRequest(
            task=self.task or words,
            serial=self.serial,
            tag=self.tag,
            priority=self.priority,
            deadline_s=self.deadline_s,
            max_total_tokens=self.max_total_tokens,
            max_cost=self.max_cost,
            session_id=self.session_id,
            lease_id=self.lease_id,
            reply=words if self.session_id is not None else "",
            options=LoopOptions(
                task_type=self.task_type,
                model_config=self.llm,
                extra_info=self.extra_info,
                max_steps=self.max_steps,
                max_still_s=self.max_still_s,
                reset_environment=self.reset_environment,
                reflush_app=self.reflush_app,
                stop_on_screen_off=self.stop_on_screen_off,
                reply_mode=self.reply_mode,
                reply_timeout_s=self.reply_timeout_s,
                confirm_timeout_s=self.confirm_timeout_s,
                approve=tuple(self.approve),
                policy=self.policy,
                privacy=self.privacy,
            ),
        )


class ReplyBody(_Strict):
    text: str = Field(
        max_length=MAX_TEXT, description="The answer; it may be empty only to give a phone back."
    )


class NoteBody(_Strict):
    note: str = Field(default="", max_length=MAX_TEXT, description="What the model is told.")


class ConfirmBody(_Strict):
    approve: bool
    id: str | None = Field(
        default=None,
        max_length=100,
        description="The question's id: the yes is for that action on that screen alone.",
    )

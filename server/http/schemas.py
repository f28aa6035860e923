"""Bodies of requests, as the API's documentation shows them. Meaning is checked further in."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from server.loop_options import LoopOptions
from server.tasks import TaskRequest

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


class StepBody(_Lenient):
    """One step in an open session."""

    observation: ObservationBody

    def to_payload(self, session_id: str) -> dict[str, Any]:
        observation = self.observation.model_dump(exclude_none=True)
        return {"session_id": session_id, "observation": observation}


class AutomateStepBody(StepBody):
    session_id: str = Field(min_length=1, max_length=100)


class CloseBody(_Strict):
    stop_reason: str = Field(default="STOPPED_BY_USER", pattern=r"^[A-Z][A-Z_]{2,60}$")


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
        "observe_retry",
        "restore_failed",
        "task_error",
    ]
    data: dict[str, Any]


class TaskBody(_Strict):
    """A whole task that the server runs on a phone."""

    task: str = Field(min_length=1, max_length=MAX_TEXT, examples=["打开设置，关闭蓝牙"])
    serial: str | None = Field(default=None, description="Default: the only phone that is ready.")
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
    deadline_s: float | None = Field(default=None, gt=0, le=604_800)

    def to_request(self) -> TaskRequest:
        return TaskRequest(
            task=self.task,
            serial=self.serial,
            deadline_s=self.deadline_s,
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
            ),
        )


class ReplyBody(_Strict):
    text: str = Field(max_length=MAX_TEXT)


class ConfirmBody(_Strict):
    approve: bool

"""The two kinds of message in a session's log, built and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from parsers.action import Action, Size, action_from_wire
from parsers.base import Environment, Message
from parsers.errors import InvalidActionError
from parsers.registry import DialectChoice
from server.elements import Target
from server.model.reply import ModelReply
from server.payloads import SessionRequest
from server.tasks.terms import read_policy, read_privacy


@dataclass(frozen=True, slots=True)
class Picture:
    """The stored files of one observation.

    Attributes:
        name: File name in the session's image folder.
        sha256: First 128 bits of the file's SHA-256, in hex.
        ui_tree_name: File name of the UI tree, where one came.
        source_sha256: The same of the picture as it came, where a masked one is kept: it tells
            whether a repeated request is the same one.
        is_kept: Whether the picture's file is kept.
    """

    name: str
    sha256: str
    ui_tree_name: str | None = None
    source_sha256: str | None = None
    is_kept: bool = True

    @property
    def origin(self) -> str:
        """The hash of the picture as it came."""
        return self.source_sha256 or self.sha256

    @property
    def marked_name(self) -> str:
        """File name of the copy with numbered elements, for dialects that are shown one."""
        return f"{self.name.rpartition('.')[0]}_marked.jpeg"


@dataclass(frozen=True, slots=True)
class StepRecord:
    """An answered step, read back from the log."""

    number: int
    environment: Environment
    action: Action
    picture_sha256: str
    policy: Mapping[str, Any]
    idempotency_key: str | None
    fingerprint: str = ""
    target: Target | None = None


def build_session_start(request: SessionRequest, dialect: DialectChoice) -> dict[str, Any]:
    message: dict[str, Any] = {
        "log_type": "session_start",
        "task": request.task,
        "task_type": dialect.dialect,
        "model_config": request.model_config,
        "extra_info": request.extra_info,
        "dialect": {
            "name": dialect.dialect,
            "variant": dialect.variant,
            "pattern": dialect.pattern or None,
        },
    }
    if request.policy is not None:
        message["policy"] = request.policy.model_dump(exclude_defaults=True)
    if request.privacy is not None:
        message["privacy"] = request.privacy
    return message


def read_dialect(message: Mapping[str, Any]) -> DialectChoice | None:
    """What `build_session_start` wrote of the dialect; None in logs that name none."""
    wire = message.get("dialect")
    fields = wire if isinstance(wire, dict) else {}
    name = fields.get("name") or message.get("task_type")
    if not name:
        return None
    variant = fields.get("variant")
    return DialectChoice(
        str(name), None if variant is None else str(variant), str(fields.get("pattern") or "")
    )


def read_session_start(message: Mapping[str, Any]) -> SessionRequest:
    """The inverse of `build_session_start`; tolerant, for logs of any age."""
    model_config = message.get("model_config")
    extra_info = message.get("extra_info")
    return SessionRequest(
        task=str(message.get("task", "")),
        task_type=str(message.get("task_type", "")) or None,
        model_config=model_config if isinstance(model_config, dict) else {},
        extra_info=extra_info if isinstance(extra_info, dict) else None,
    )


def read_terms(message: Mapping[str, Any], request: SessionRequest) -> SessionRequest:
    """The request with the policy and the privacy that a session's first line keeps.

    Raises:
        BadRequestError: They cannot be read: going on without them would protect nobody.
    """
    return replace(
        request,
        policy=read_policy(message.get("policy")),
        privacy=read_privacy(message.get("privacy")),
    )


def name_pictures(messages: Sequence[Message]) -> list[str]:
    """The pictures that a prompt names, in order, each once."""
    names = [
        part["image_url"]["url"]
        for message in messages
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if isinstance(part, dict) and part.get("type") == "image_url"
    ]
    return list(dict.fromkeys(names))


def build_step(
    *,
    number: int,
    environment: Environment,
    picture: Picture,
    action: Action,
    asked: Sequence[Message],
    texts: Mapping[str, str],
    reply: ModelReply,
    reasks: int,
    request: SessionRequest,
    sent_size: Size,
    policy: Mapping[str, str],
    idempotency_key: str | None,
    fingerprint: str | None = None,
    target: Target | None = None,
) -> dict[str, Any]:
    """The message of an answered step: what Step-GUI tools read first, then ours."""
    message: dict[str, Any] = {
        "environment": _build_environment(environment, picture),
        "action": action.to_wire(),
        "asked_messages": asked,
        "model_response": reply.content,
        "model_config": request.model_config,
        "llm_cost": {
            "llm_time": reply.duration_s,
            "llm_start_time": reply.started_at,
            "llm_end_time": reply.ended_at,
        },
        "step": number,
        "sent_size": [sent_size.width_px, sent_size.height_px],
        "images": len(name_pictures(asked)),
        "policy": policy,
        "attempts": len(reply.attempts),
    }
    optional = {
        "element": target.to_wire() if target is not None else None,
        "texts": texts,
        "reasoning": reply.reasoning,
        "tool_calls": reply.tool_calls,
        "finish_reason": reply.finish_reason,
        "usage": reply.usage,
        "request_id": reply.request_id,
        "reasks": reasks,
        "idempotency_key": idempotency_key,
        "fingerprint": fingerprint,
    }
    message.update({name: value for name, value in optional.items() if value})
    return message


def read_step(message: Mapping[str, Any]) -> StepRecord:
    """The inverse of `build_step`, as far as going on needs it.

    Raises:
        ValueError: The message is not an answered step.
    """
    try:
        wire = message["environment"]
        size = wire.get("size")
        environment = Environment(
            image=wire["image"],
            user_comment=wire.get("user_comment", ""),
            marked_image=wire.get("marked_image"),
            foreground=wire.get("foreground"),
            last_result=wire.get("last_result"),
            size=Size(width_px=size[0], height_px=size[1]) if size else None,
            marker=wire.get("marker", ""),
        )
        raw = message.get("model_response") or message.get("reasoning") or ""
        answered = message["action"]
        # The reply is put in before the one validation: copying models costs as much again.
        action = action_from_wire({**answered, "meta": {**answered.get("meta", {}), "raw": raw}})
        return StepRecord(
            number=message["step"],
            environment=environment,
            action=action,
            picture_sha256=wire.get("source_sha256") or wire.get("sha256", ""),
            policy=message.get("policy") or {},
            idempotency_key=message.get("idempotency_key"),
            fingerprint=message.get("fingerprint") or "",
            target=Target.from_wire(message["element"]) if message.get("element") else None,
        )
    except (KeyError, TypeError, IndexError, AttributeError, InvalidActionError) as error:
        raise ValueError("not an answered step") from error


def _build_environment(environment: Environment, picture: Picture) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "image": environment.image,
        "user_comment": environment.user_comment,
        "sha256": picture.sha256,
    }
    if environment.size is not None:
        wire["size"] = [environment.size.width_px, environment.size.height_px]
    optional = {
        "marked_image": environment.marked_image,
        "ui_tree": picture.ui_tree_name,
        "source_sha256": picture.source_sha256,
        "kept": None if picture.is_kept else False,
        "foreground": environment.foreground,
        "last_result": environment.last_result,
        "marker": environment.marker or None,
    }
    wire.update({name: value for name, value in optional.items() if value is not None})
    return wire

"""What callers send: the payloads of `get_session` and `automate_step`, checked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from server.errors import BadRequestError
from server.images import ResizeRequest, read_target_size
from server.privacy.levels import PrivacyLevel
from server.tasks.terms import TaskPolicy, read_policy, read_privacy

TEXT_MAX_CHARS = 100_000
UI_TREE_MAX_CHARS = 16_000_000
FINGERPRINT_CHARS = 32
KEY_MAX_CHARS = 200
_SECRET_FIELDS = frozenset({"api_key", "api_base", "base_url", "headers", "authorization"})


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """A session as it was asked for; the same object is rebuilt from the log's first line.

    Attributes:
        task: What the user wants.
        task_type: The dialect; None: the model's or the server's default.
        model_config: As it was sent; see the properties for what is read of it.
        extra_info: Kept; `hints` in it (a list of texts) reaches the prompt.
        policy: The session's own policy, on top of the server's.
        privacy: What may leave the machine; None: as the server is set.
    """

    task: str
    task_type: str | None = None
    model_config: Mapping[str, Any] = field(default_factory=dict)
    extra_info: Mapping[str, Any] | None = None
    policy: TaskPolicy | None = None
    privacy: PrivacyLevel | None = None

    @classmethod
    def read(cls, payload: Any) -> SessionRequest:
        """Check the payload of `get_session`.

        Raises:
            BadRequestError: A field is missing or wrong; nothing was done.
        """
        data = _mapping(payload, "the payload")
        task = _text(data, "task", max_chars=TEXT_MAX_CHARS)
        if task is None or not task.strip():
            raise BadRequestError("task is missing; say what is to be done", field="task")
        model_config = _mapping(data.get("model_config") or {}, "model_config")
        secret = sorted(_SECRET_FIELDS & model_config.keys())
        if secret:
            raise BadRequestError(
                f"model_config may not bring {secret[0]}; addresses and keys are set in "
                "model_config.yaml",
                field="model_config",
            )
        extra_info = data.get("extra_info")
        if extra_info is not None:
            extra_info = _mapping(extra_info, "extra_info")
        for name in ("model_name", "model_provider", "variant", "prompt_language"):
            _text(model_config, name, max_chars=300)
        if model_config.get("args") is not None:
            _mapping(model_config["args"], "model_config.args")
        _require_json({"model_config": model_config, "extra_info": extra_info})
        return cls(
            task,
            _text(data, "task_type", max_chars=100),
            model_config,
            extra_info,
            read_policy(data.get("policy")),
            read_privacy(data.get("privacy") or (extra_info or {}).get("privacy")),
        )

    @property
    def model_name(self) -> str | None:
        return self.model_config.get("model_name") or None

    @property
    def model_provider(self) -> str | None:
        return self.model_config.get("model_provider") or None

    @property
    def args(self) -> Mapping[str, Any]:
        return self.model_config.get("args") or {}

    @property
    def hints(self) -> tuple[str, ...]:
        hints = (self.extra_info or {}).get("hints")
        return tuple(str(hint) for hint in hints) if isinstance(hints, list | tuple) else ()

    def read_resize(self, *, default_max_side_px: int, max_pixels: int) -> ResizeRequest:
        """The size that is asked for: `image_preprocess` or, the same thing, `resize_config`.

        Raises:
            BadRequestError: Not a size, or too large.
        """
        ours = self.model_config.get("image_preprocess")
        theirs = self.model_config.get("resize_config")
        if ours and theirs and ours != theirs:
            raise BadRequestError(
                "image_preprocess and resize_config say different things; send one of them",
                field="resize_config",
            )
        return read_resize(
            ours or theirs,
            default_max_side_px=default_max_side_px,
            max_pixels=max_pixels,
        )


def read_approve(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The classes of risk that whoever opens a session says yes to beforehand.

    Raises:
        BadRequestError: Not a list of names.
    """
    names = payload.get("approve") or ()
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise BadRequestError("approve must be a list of names of classes", field="approve")
    return tuple(names)


def read_resize(
    config: Any, *, default_max_side_px: int = 0, max_pixels: int = 8_500_000
) -> ResizeRequest:
    """Read `{target_image_size: [w, h]}` or `{max_side: n}`, with `is_resize: false` to switch off.

    Raises:
        BadRequestError: Not of that form, or too large.
    """
    default = ResizeRequest(max_side_px=default_max_side_px)
    if config is None:
        return default
    config = _mapping(config, "image_preprocess")
    if config.get("is_resize") is False:
        return default
    if config.get("target_image_size") is not None and config.get("max_side") is not None:
        raise BadRequestError(
            "target_image_size and max_side ask for two sizes; send one of them", field="max_side"
        )
    if config.get("target_image_size") is not None:
        return ResizeRequest(read_target_size(config["target_image_size"], max_pixels=max_pixels))
    max_side_px = config.get("max_side")
    if max_side_px is None:
        return default
    if isinstance(max_side_px, bool) or not isinstance(max_side_px, int) or max_side_px < 1:
        raise BadRequestError("max_side must be a whole number of pixels", field="max_side")
    return ResizeRequest(max_side_px=max_side_px)


@dataclass(frozen=True, slots=True)
class StepRequest:
    """One observation.

    Attributes:
        session_id: As it was sent.
        screenshot: The message part that holds the picture.
        query: The user's reply or a new remark.
        ui_tree: The UI hierarchy as XML.
        foreground: Package of the app on screen.
        last_result: What became of the last action: "ok", or the error in words.
        idempotency_key: The same key gives the same answer.
    """

    session_id: Any
    screenshot: Any
    query: str = ""
    ui_tree: str | None = None
    foreground: str | None = None
    last_result: str | None = None
    idempotency_key: str | None = None

    @classmethod
    def read(cls, payload: Any) -> StepRequest:
        """Check the payload of `automate_step`.

        Raises:
            BadRequestError: A field is missing or wrong; nothing was done.
        """
        data = _mapping(payload, "the payload")
        observation = _mapping(data.get("observation"), "observation")
        return cls(
            session_id=data.get("session_id"),
            screenshot=observation.get("screenshot"),
            query=_text(observation, "query", max_chars=TEXT_MAX_CHARS) or "",
            ui_tree=_text(observation, "ui_tree", max_chars=UI_TREE_MAX_CHARS),
            foreground=_text(observation, "foreground", max_chars=500),
            last_result=_read_last_result(observation),
            idempotency_key=_text(data, "idempotency_key", max_chars=KEY_MAX_CHARS),
        )

    def fingerprint(self, picture_sha256: str) -> str:
        """The same for the same observation, whatever form its picture came in."""
        told = [picture_sha256, self.query, self.ui_tree, self.foreground, self.last_result]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()[:FINGERPRINT_CHARS]


@dataclass(frozen=True, slots=True)
class Look:
    """A closer look at the screen that an action was chosen on.

    Attributes:
        ui_tree: The UI hierarchy as XML; "": the screen gives none.
        foreground: Package of the app on screen.
        is_black: The picture shows nothing.
    """

    ui_tree: str
    foreground: str | None = None
    is_black: bool = False

    @classmethod
    def read(cls, payload: Any) -> Look:
        """Check the payload of `judge_step`.

        Raises:
            BadRequestError: A field is missing or wrong.
        """
        data = _mapping(payload, "observation")
        ui_tree = _text(data, "ui_tree", max_chars=UI_TREE_MAX_CHARS)
        if ui_tree is None:
            raise BadRequestError(
                "observation.ui_tree is missing; send the dump, or an empty text if the screen "
                "gives none",
                field="observation.ui_tree",
            )
        foreground = _text(data, "foreground", max_chars=500)
        return cls(ui_tree, foreground, data.get("is_black") is True)


def _read_last_result(observation: Mapping[str, Any]) -> str | None:
    """Words, or an error body `{"code", "message"}` (also under `error`)."""
    value = observation.get("last_result")
    if isinstance(value, Mapping):
        body = value.get("error", value)
        if isinstance(body, Mapping):
            code, message = str(body.get("code", "")), str(body.get("message", ""))
            return f"{code}: {message}".strip(": ")[:TEXT_MAX_CHARS] or None
    return _text(observation, "last_result", max_chars=TEXT_MAX_CHARS)


def _mapping(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise BadRequestError(f"{name} must be an object", field=name)
    return value


def _text(data: Mapping[str, Any], name: str, *, max_chars: int) -> str | None:
    value = data.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadRequestError(f"{name} must be text", field=name)
    if len(value) > max_chars:
        raise BadRequestError(f"{name} is longer than {max_chars} characters", field=name)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadRequestError(f"{name} is not valid Unicode; mend it", field=name) from error
    return value


def _require_json(value: Mapping[str, Any]) -> None:
    try:
        orjson.dumps(value)
    except TypeError as error:
        raise BadRequestError(
            "model_config and extra_info must hold plain JSON values", field="model_config"
        ) from error

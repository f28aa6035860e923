"""Settings: `configs/*.yaml`, then `LOCALSERVER_*` variables, then overrides: one frozen object."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from server.config_files import (
    ConfigFile,
    KeyPath,
    explain_validation_error,
    read_config_file,
    suggest,
)
from server.errors import ConfigError
from server.privacy.levels import McpPrivacyLevel, PrivacyLevel, StoredPictures
from server.tokens import default_state_dir, is_open_to_others

logger = logging.getLogger(__name__)

ENV_PREFIX = "LOCALSERVER_"
SERVER_FILE = "server.yaml"
MODELS_FILE = "model_config.yaml"
MIB = 1024 * 1024
RECORD_URL = r"^(s3|gs)://[a-z0-9][a-z0-9._-]{1,221}(/[A-Za-z0-9._/-]*)?$"
Role = Literal["read", "act", "admin"]
LogFormat = Literal["text", "json"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelDefaults(_Frozen):
    """What one model of a provider needs differently.

    Attributes:
        args: Sampling arguments, over the provider's.
        task_type: The dialect that the model speaks.
        variant: The dialect's variant.
        max_side_px: Longest side of the picture sent (aspect kept); 0: no limit.
        prompt_language: "zh" or "en"; None: the dialect's default.
        prompt_file: A prompt file that replaces the dialect's, relative to the config folder.
    """

    args: dict[str, Any] = Field(default_factory=dict)
    task_type: str | None = None
    variant: str | None = None
    max_side_px: int = Field(default=0, ge=0, le=16384)
    prompt_language: str | None = None
    prompt_file: str | None = None


class ProviderConfig(_Frozen):
    """One OpenAI-compatible endpoint.

    Attributes:
        api_base: Its address up to and with `/v1`.
        api_key: The key, or `env:NAME` for a key that is read from the environment.
        default_model: Taken where a request names no model.
        args: Sampling arguments for all of its models.
        models: What single models need differently.
        timeout_s: Longest wait for one attempt.
        deadline_s: Longest wait for all attempts together.
        max_attempts: How often one question is put, at most.
    """

    api_base: str = Field(pattern=r"^https?://[^\s@]+$")
    api_key: SecretStr | None = None
    default_model: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    models: dict[str, ModelDefaults] = Field(default_factory=dict)
    timeout_s: float = Field(default=60.0, gt=0, le=3600)
    deadline_s: float = Field(default=120.0, gt=0, le=7200)
    max_attempts: int = Field(default=3, ge=1, le=10)


class TokenConfig(_Frozen):
    """A token of one more caller.

    Attributes:
        token: The token, or `env:NAME` for one that is read from the environment.
        role: `read` looks, `act` also opens sessions and drives phones, `admin` also deletes.
    """

    token: SecretStr
    role: Role = "act"


class Settings(_Frozen):
    """Everything that can be set, checked once at start.

    Attributes:
        log_dir: One `<session_id>.jsonl` and `<session_id>.events.jsonl` per session.
        image_dir: One folder of screenshots per session.
        record_url: Where sessions are kept instead: `s3://bucket/prefix` or `gs://bucket/prefix`;
            given as `log_dir`. The two folders are not used then.
        min_free_bytes: With less room left than this, steps are refused before the model is asked.
        keep_days: Closed sessions older than this are deleted; None: never.
        keep_bytes: The oldest closed sessions above this are deleted; None: never.
        config_dir: Where the configuration was read.
        debug: Log full prompts (without pictures), replies and timings.
        host: Address to listen on.
        port: Port to listen on.
        allowed_hosts: Values of the `Host` header that are served.
        state_dir: The user's folder for what outlives a process: the token file is in it.
        require_token: Whether HTTP callers must send a token; false only on loopback.
        api_token: The `admin` token; None: the one in the user's token file, made at first.
        tokens: More tokens, by the name of their caller.
        failed_attempt_delay_s: How long a wrong token waits for its refusal, after a few.
        session_busy_wait_s: How long a second step of a session waits for the first.
        max_body_bytes: Largest request body.
        max_held_bytes: Most bytes of request bodies in work at a time; more is refused (429).
        max_image_bytes: Largest screenshot file.
        max_image_pixels: Most pixels in a screenshot (a 4K screen has 8.3 million), checked before
            it is decoded.
        max_running_steps: Steps that may run at a time; one more is refused (429).
        max_sessions_in_memory: Idle sessions above this are dropped; their log brings them back.
        drain_s: How long steps may go on after the server was told to stop.
        log_format: The server's own log on standard error: lines for people, or JSON.
        allow_image_file: Whether HTTP callers may name a picture by a path on the server.
        allow_image_url: Whether a screenshot may be given as an http(s) URL.
        image_url_hosts: Hosts that such a URL may name although they are in a private network.
        privacy: What is masked before a picture or a text is kept or sent to a model: `off`,
            `standard` or `strict`; a session or a task may ask for more, never for less.
        remote_privacy: The same for models that are not on this machine; the stricter holds.
        mcp_privacy: What an outer model behind MCP gets: `open`, `summary` or `private`.
        store_pictures: Whether a level that masks keeps the masked pictures, or none.
        privacy_ocr: Whether `strict` also reads each picture (a second or so of one core), where
            the extra `ocr` is installed; else it masks what the UI tree does not tell.
        summary_provider: Who writes `state_summary` for outer models; a provider on this machine.
        max_reasks: How often the model is asked again when its reply cannot be read.
        default_task_type: Dialect where neither the request nor the model's config names one.
        default_provider: Provider where a request names none; None: the first one configured.
        default_model: Model where a request names none; None: the provider's default.
        providers: The configured providers by name.
    """

    log_dir: Path
    image_dir: Path
    config_dir: Path
    record_url: str | None = Field(default=None, pattern=RECORD_URL)
    min_free_bytes: int = Field(default=64 * MIB, ge=0)
    keep_days: float | None = Field(default=None, gt=0)
    keep_bytes: int | None = Field(default=None, gt=0)
    debug: bool = False
    host: str = "127.0.0.1"
    port: int = Field(default=8704, ge=0, le=65535)
    allowed_hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    state_dir: Path = Field(default_factory=default_state_dir)
    require_token: bool = True
    api_token: SecretStr | None = None
    tokens: dict[str, TokenConfig] = Field(default_factory=dict)
    failed_attempt_delay_s: float = Field(default=1.0, ge=0, le=60)
    session_busy_wait_s: float = Field(default=5.0, ge=0, le=600)
    max_body_bytes: int = Field(default=20 * MIB, gt=0)
    max_held_bytes: int = Field(default=1024 * MIB, gt=0)
    max_image_bytes: int = Field(default=10 * MIB, gt=0)
    max_image_pixels: int = Field(default=8_500_000, gt=0)
    max_running_steps: int = Field(default=500, gt=0)
    max_sessions_in_memory: int = Field(default=1000, gt=0)
    drain_s: float = Field(default=10.0, ge=0, le=600)
    log_format: LogFormat = "text"
    allow_image_file: bool = False
    allow_image_url: bool = False
    image_url_hosts: tuple[str, ...] = ()
    privacy: PrivacyLevel = "off"
    remote_privacy: PrivacyLevel = "off"
    mcp_privacy: McpPrivacyLevel = "open"
    store_pictures: StoredPictures = "masked"
    privacy_ocr: bool = True
    summary_provider: str | None = None
    max_reasks: int = Field(default=2, ge=0, le=10)
    default_task_type: str = "step0920"
    default_provider: str | None = None
    default_model: str | None = None
    providers: dict[str, ProviderConfig] = Field(default_factory=dict)


def find_config_dir() -> Path:
    """`$LOCALSERVER_CONFIG_DIR`, else `./configs` where it exists, else the checkout's."""
    named = os.environ.get(ENV_PREFIX + "CONFIG_DIR")
    if named:
        return Path(named).expanduser()
    here = Path.cwd() / "configs"
    return here if here.is_dir() else Path(__file__).resolve().parent.parent / "configs"


def load_settings(config_dir: Path | None = None, **overrides: Any) -> Settings:
    """Read the configuration.

    Relative folders in `server.yaml` count from the folder that holds the config folder; those in
    variables and overrides from the working directory.

    Args:
        config_dir: Where to read; None: see `find_config_dir`.
        **overrides: Single settings by name; None means: not given.

    Raises:
        ConfigError: A file, variable or override is wrong; the message says where.
    """
    folder = (config_dir or find_config_dir()).absolute()
    if not folder.is_dir():
        raise ConfigError(
            f"{folder}: no such folder; create it or set {ENV_PREFIX}CONFIG_DIR to the right one"
        )
    server_file = _read_optional(folder / SERVER_FILE)
    values: dict[str, Any] = {
        "log_dir": "logs/traces",
        "image_dir": "logs/images",
        **server_file.data,
    }
    for key in ("config_dir", "providers"):
        if key in server_file.data:
            raise server_file.error((key,), f"is not set in this file; see {MODELS_FILE}")
    _take_record_url(values, values)
    for key in ("log_dir", "image_dir"):
        if isinstance(values[key], str):
            values[key] = folder.parent / Path(values[key]).expanduser()
    values["providers"] = _read_providers(folder)
    values["config_dir"] = folder
    sources: dict[str, str] = {}
    for source, given in (
        ("environment variable", _read_environment()),
        ("override", {k: v for k, v in overrides.items() if v is not None}),
    ):
        _take_record_url(given, values)
        for key, value in given.items():
            if key in ("log_dir", "image_dir") and isinstance(value, str | Path):
                value = Path(value).expanduser().absolute()
            values[key] = value
            sources[key] = source
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        raise _explain(error, server_file, sources) from error
    if (
        settings.default_provider is not None
        and settings.default_provider not in settings.providers
    ):
        raise server_file.error(
            ("default_provider",),
            f"`{settings.default_provider}` is not in {MODELS_FILE}; "
            f"configured: {', '.join(settings.providers) or 'none'}",
        )
    _warn_of_open_files(settings, server_file)
    return settings


def settings_from_server_config(server_config: Mapping[str, Any]) -> Settings:
    """Settings for `LocalServer({"log_dir": ..., "image_dir": ..., "debug": ...})`.

    Args:
        server_config: Step-GUI's mapping; any other setting may be in it too. `config_dir` says
            where to read the rest.

    Raises:
        ConfigError: An unknown key or a wrong value.
    """
    given = dict(server_config)
    config_dir = given.pop("config_dir", None)
    return load_settings(Path(config_dir) if config_dir is not None else None, **given)


def _read_optional(path: Path) -> ConfigFile:
    return read_config_file(path) if path.exists() else ConfigFile(path, {}, {})


def _read_providers(folder: Path) -> dict[str, ProviderConfig]:
    file = _read_optional(folder / MODELS_FILE)
    providers: dict[str, ProviderConfig] = {}
    for name, value in file.data.items():
        address = os.environ.get(f"{ENV_PREFIX}{name.upper()}_API_BASE")
        if address and isinstance(value, dict):
            value = {**value, "api_base": address}
        try:
            providers[name] = ProviderConfig.model_validate(value)
        except ValidationError as error:
            key_path, problem = explain_validation_error(error, ProviderConfig)
            raise file.error((name, *key_path), problem) from error
    return providers


def _take_record_url(given: dict[str, Any], values: dict[str, Any]) -> None:
    """`log_dir` may name an object store; a path that a shell made of it has lost one slash."""
    kind, colon, rest = str(given.get("log_dir", "")).replace("\\", "/").partition(":/")
    if colon and kind in ("s3", "gs"):
        del given["log_dir"]
        given.pop("image_dir", None)
        values["record_url"] = f"{kind}://{rest.strip('/')}"
        values.setdefault("log_dir", "logs/traces")
        values.setdefault("image_dir", "logs/images")
    elif given is not values and "log_dir" in given:
        values.pop("record_url", None)


def move_logs(settings: Settings, log_dir: Path) -> Settings:
    """The same settings with the logs elsewhere, their pictures beside them.

    The folder that is configured anyway keeps the pictures where they are configured.
    """
    if log_dir.expanduser().resolve() == settings.log_dir.resolve() and not settings.record_url:
        return settings
    given: dict[str, Any] = {"log_dir": log_dir, "image_dir": log_dir / "images"}
    values: dict[str, Any] = {"record_url": settings.record_url}
    _take_record_url(given, values)
    folders = {name: path.expanduser().absolute() for name, path in given.items()}
    return settings.model_copy(update={"record_url": values.get("record_url"), **folders})


def _warn_of_open_files(settings: Settings, server_file: ConfigFile) -> None:
    """Say which files hold a secret that every user of this machine may read."""
    keys = [config.api_key for config in settings.providers.values()]
    tokens = [server_file.data.get("api_token")]
    tokens += [
        entry.get("token")
        for entry in (server_file.data.get("tokens") or {}).values()
        if isinstance(entry, dict)
    ]
    for path, secrets in (
        (settings.config_dir / MODELS_FILE, [key and key.get_secret_value() for key in keys]),
        (server_file.path, tokens),
    ):
        is_plain = any(secret and not str(secret).startswith("env:") for secret in secrets)
        if is_plain and is_open_to_others(path):
            logger.warning(
                "%s holds a secret and can be read by other users of this machine; run chmod 600 "
                "on it, or write env:NAME instead",
                path,
            )


def _read_environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    known = {
        name.upper(): name for name in Settings.model_fields if name not in ("providers", "tokens")
    }
    for variable, text in os.environ.items():
        if not variable.startswith(ENV_PREFIX) or variable == ENV_PREFIX + "CONFIG_DIR":
            continue
        suffix = variable.removeprefix(ENV_PREFIX)
        name = known.get(suffix)
        if name is None:
            near = get_close_matches(suffix, known, n=1, cutoff=0.8)
            if near:
                raise ConfigError(
                    f"environment variable {variable}: unknown; did you mean {ENV_PREFIX}{near[0]}?"
                )
            continue
        is_list = name in ("allowed_hosts", "image_url_hosts")
        values[name] = (
            [part.strip() for part in text.split(",") if part.strip()] if is_list else text
        )
    return values


def _explain(
    error: ValidationError, server_file: ConfigFile, sources: Mapping[str, str]
) -> ConfigError:
    first = error.errors(include_url=False, include_input=False)[0]
    key_path: KeyPath = tuple(first["loc"])
    key = str(key_path[0]) if key_path else ""
    problem = first["msg"]
    if first["type"] == "extra_forbidden":
        problem = f"unknown key{suggest(key, Settings)}"
    source = sources.get(key)
    if source is None:
        return server_file.error(key_path, problem)
    name = ENV_PREFIX + key.upper() if source == "environment variable" else key
    return ConfigError(f"{source} {name}: {problem}", key=key)

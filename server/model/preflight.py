"""Is the model there? One harmless request to the endpoint that would be asked by default."""

from __future__ import annotations

import httpx2

from device.doctor import Finding
from server.errors import ModelConfigError
from server.model.providers import choose_model
from server.settings import Settings

TIMEOUT_S = 3.0


def check_models(settings: Settings) -> list[Finding]:
    """Ask the default endpoint for its list of models. Never raises; nothing is changed."""
    try:
        target = choose_model(settings, None, None, None)
    except ModelConfigError as error:
        return [Finding("model", False, error.message, "edit configs/model_config.yaml")]
    key = target.config.api_key
    headers = {}
    if key is not None:
        headers["Authorization"] = f"Bearer {key.get_secret_value()}"
    address = target.config.api_base.rstrip("/")
    name = f"{target.model} at {target.provider} ({address})"
    try:
        answer = httpx2.get(f"{address}/models", headers=headers, timeout=TIMEOUT_S)
    except httpx2.HTTPError as error:
        remedy = (
            "start it with `localserver model`, or name your own in configs/model_config.yaml"
            if target.provider == "demo"
            else "start the model server, or correct api_base in configs/model_config.yaml"
        )
        return [Finding("model", False, f"{name} {_why(error)}", remedy)]
    if answer.status_code in (401, 403):
        return [
            Finding(
                "model", False, f"{name} refuses the key", "check the key's environment variable"
            )
        ]
    if answer.status_code != 200:
        # Not every endpoint lists its models: that alone is no fault.
        return [
            Finding(
                "model",
                False,
                f"{name} answers its model list with {answer.status_code}",
                "if a run fails, check api_base: it ends in /v1 for most servers",
                optional=True,
            )
        ]
    return [Finding("model", True, f"{name} answers")]


def _why(error: httpx2.HTTPError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return f"does not answer within {TIMEOUT_S:g} s"
    if isinstance(error, httpx2.ConnectError):
        return "cannot be reached: nothing listens there, or the name is unknown"
    return f"breaks off its answer ({type(error).__name__})"

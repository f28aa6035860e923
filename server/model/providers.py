"""Which model is asked, where, and with which arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.errors import BadRequestError, ModelConfigError
from server.redaction import keep_secret
from server.settings import ModelDefaults, ProviderConfig, Settings

STEP_ARGS: Mapping[str, Any] = {
    "temperature": 0.1,
    "top_p": 1.0,
    "frequency_penalty": 0.0,
    "max_tokens": 4096,
}
"""Defaults of a step; max_tokens leaves room for models that think first."""
ASK_ARGS: Mapping[str, Any] = {**STEP_ARGS, "temperature": 0.5}
"""Defaults of the plain `ask_llm_anything`."""
FIXED_ARGS = frozenset(
    {"model", "messages", "stream", "n", "stream_options"}
    | {"api_key", "api_base", "base_url", "extra_headers", "extra_query", "timeout"}
)
"""What a caller's `args` may not set: the client sets it, cannot read what would come back, or it
is no sampling argument but a key or an address, which belong into the configuration."""
NUMBER_ARGS = frozenset(
    {"temperature", "top_p", "frequency_penalty", "presence_penalty", "max_tokens", "top_k", "seed"}
)


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """One model at one provider, ready to be asked.

    Attributes:
        provider: Its name in the configuration.
        config: Its configuration.
        model: The model's name there.
        args: All arguments of the request.
        given_args: Names of those that somebody chose; the others are mere defaults and may be
            dropped where the provider does not know them.
        defaults: What the configuration says about this model.
    """

    provider: str
    config: ProviderConfig
    model: str
    args: Mapping[str, Any]
    given_args: frozenset[str]
    defaults: ModelDefaults


def choose_model(
    settings: Settings,
    provider: str | None,
    model: str | None,
    args: Mapping[str, Any] | None,
    base_args: Mapping[str, Any] = STEP_ARGS,
) -> ModelTarget:
    """Find the provider and model; merge the arguments per key.

    The order is: built-in, the provider's, the model's, the caller's; None removes a key.

    Args:
        settings: With the configured providers.
        provider: Its name; None: the default one.
        model: Its name; None: the default one.
        args: The caller's arguments.
        base_args: The built-in ones.

    Raises:
        ModelConfigError: Unknown provider, or no model named anywhere.
        BadRequestError: `args` holds something that is not the caller's to set.
    """
    name = provider or settings.default_provider or next(iter(settings.providers), None)
    if name is None:
        raise ModelConfigError("no model provider is configured; add one to model_config.yaml")
    config = settings.providers.get(name)
    if config is None:
        raise ModelConfigError(
            f"no model provider is called {name[:100]!r}; configured: "
            f"{', '.join(settings.providers) or 'none'}; add it to model_config.yaml",
            known=list(settings.providers),
        )
    chosen = model or (settings.default_model if not provider else None) or config.default_model
    if chosen is None:
        raise ModelConfigError(
            f"no model is named for the provider {name}; send model_name, or set default_model "
            "in model_config.yaml"
        )
    given = dict(args or {})
    refused = sorted(FIXED_ARGS & given.keys())
    if refused:
        raise BadRequestError(f"args may not set {', '.join(refused)}; remove it", field="args")
    defaults = config.models.get(chosen, ModelDefaults())
    for name in sorted(NUMBER_ARGS & given.keys()):
        value = given[name]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise BadRequestError(f"args.{name} must be a number; correct it", field="args")
    named = {**config.args, **defaults.args, **given}
    merged = {**base_args, **named}
    return ModelTarget(
        provider=name,
        config=config,
        model=chosen,
        args={key: value for key, value in merged.items() if value is not None},
        given_args=frozenset(named),
        defaults=defaults,
    )


def read_key(target: ModelTarget) -> str | None:
    """The provider's key; None where it needs none.

    Raises:
        ModelConfigError: The environment variable that holds it is not set.
    """
    if target.config.api_key is None:
        return None
    value = target.config.api_key.get_secret_value()
    if not value.startswith("env:"):
        keep_secret(value)
        return value or None
    variable = value.removeprefix("env:")
    key = os.environ.get(variable, "")
    if not key:
        raise ModelConfigError(
            f"the key of the provider {target.provider} is missing; "
            f"set the environment variable {variable}",
            provider=target.provider,
        )
    keep_secret(key)
    return key

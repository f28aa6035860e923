"""`ask_llm_anything`: one question to one model, as a plain function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from parsers.base import Message
from server.engine import Engine
from server.model.client import ModelClient, Witness
from server.model.pictures import inline_pictures
from server.model.providers import ASK_ARGS, choose_model
from server.model.reply import require_whole
from server.payloads import read_resize
from server.pictures.sources import SourceRules
from server.settings import Settings, load_settings

IMAGE_THREADS = 2


def ask_llm_anything(
    model_provider: str | None,
    model_name: str | None,
    messages: Sequence[Message],
    args: Mapping[str, Any] | None = None,
    resize_config: Mapping[str, Any] | None = None,
    *,
    settings: Settings | None = None,
    before_send: Witness | None = None,
) -> str:
    """Ask a configured model and give its answer.

    Trusted callers only: pictures may be named by path or URL. The model's `reasoning_content` is
    not part of the answer.

    Args:
        model_provider: A provider of `configs/model_config.yaml`; None: the first one.
        model_name: Its model; None: the provider's default.
        messages: OpenAI messages; pictures as `image_url` (data URL, path, URL) or `image_b64`.
        args: Sampling arguments, merged per key over the configured ones.
        resize_config: `{"target_image_size": [w, h]}` (exactly) or `{"max_side": n}` (aspect kept).
        settings: Where providers are configured; None: `load_settings()`, once.
        before_send: Told of each body before it is sent.

    Raises:
        ModelError: No whole answer.
        ImageError: A picture cannot be used.
        BadRequestError: A message, an argument or the size is wrong.
    """
    settings = settings or _default_settings()
    target = choose_model(settings, model_provider, model_name, args, ASK_ARGS)
    resize = read_resize(resize_config, max_pixels=settings.max_image_pixels)
    rules = SourceRules(
        max_bytes=settings.max_image_bytes,
        allow_path=True,
        allow_url=True,
        private_hosts=frozenset(settings.image_url_hosts),
    )
    engine, client = _default_client()

    async def ask() -> str:
        sent = await inline_pictures(messages, rules, resize, max_pixels=settings.max_image_pixels)
        reply = await client.ask(target, sent, before_send)
        require_whole(reply)
        return reply.content

    return engine.run(ask())


@cache
def _default_client() -> tuple[Engine, ModelClient]:
    """The connections that calls of the plain function share; one client per provider address."""
    return Engine(IMAGE_THREADS), ModelClient()


@cache
def _default_settings() -> Settings:
    return load_settings()

"""Pictures in messages of any of the known forms become data URLs, resized if asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from parsers.base import ImageNeeds, Message, RelativeSpace
from server.errors import BadRequestError
from server.images import ResizeRequest, check_screenshot, encode_for_model, plan_sent_size
from server.pictures.sources import SourceRules, fetch_if_web, read_picture

_ANY_SIZE = RelativeSpace(scale=1000, maximum=1000)


async def inline_pictures(
    messages: Sequence[Message], rules: SourceRules, resize: ResizeRequest, *, max_pixels: int
) -> list[Message]:
    """A copy of the messages in which every picture is an `image_url` with a data URL.

    The media type is told by the bytes, not by what the caller claims.

    Args:
        messages: Content is text, or parts `text`, `image_url` (data URL, path, http URL) or
            `image_b64`.
        rules: Which sources are allowed.
        resize: The size to send at.
        max_pixels: Most pixels that a picture may have.

    Raises:
        BadRequestError: A part of an unknown form.
        ImageError: A picture is missing, broken, or from a source that is not allowed.
    """

    async def inline(part: Any) -> Any:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text":
            return part
        if kind not in ("image_url", "image_b64", "image_bytes"):
            raise BadRequestError(
                "a message's parts must be text, image_url or image_b64", field="messages"
            )
        return await asyncio.to_thread(encode, await fetch_if_web(part, rules))

    def encode(part: Any) -> dict[str, Any]:
        picture = check_screenshot(read_picture(part, rules), rules.max_bytes, max_pixels)
        size = plan_sent_size(picture.size, _ANY_SIZE, ImageNeeds(), resize)
        return {"type": "image_url", "image_url": {"url": encode_for_model(picture, size).data_url}}

    inlined = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            message = {**message, "content": [await inline(part) for part in content]}
        inlined.append(message)
    return inlined

"""The `Idempotency-Key` header: a retried POST gets the first answer."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Header

KEY_MAX_CHARS = 200
IdempotencyKey = Annotated[str | None, Header(min_length=1, max_length=KEY_MAX_CHARS)]


def with_key(payload: dict[str, Any], key: str | None) -> dict[str, Any]:
    """The payload of a step with the key in it, if one came."""
    return payload if key is None else {**payload, "idempotency_key": key}

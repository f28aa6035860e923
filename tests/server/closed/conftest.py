"""The services of tests/server/http."""

from __future__ import annotations

from tests.server.http.conftest import shared, start

__all__ = ["shared", "start"]

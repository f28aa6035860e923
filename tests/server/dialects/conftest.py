"""The core's fixtures: a server on temporary folders that asks a scripted model."""

from __future__ import annotations

from tests.server.core.conftest import configure, play, serve

__all__ = ["configure", "play", "serve"]

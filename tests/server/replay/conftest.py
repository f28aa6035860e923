"""Sessions recorded by a real walk, to be run over again."""

from __future__ import annotations

from tests.server.core.conftest import configure, play, serve
from tests.server.export.conftest import record

__all__ = ["configure", "play", "record", "serve"]

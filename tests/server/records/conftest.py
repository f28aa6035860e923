"""A server whose model answers at once, on a store that can be looked at and broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.local_server import LocalServer
from server.records.disk import Disk
from server.records.store import RecordStore
from tests.crash.child import settings_for
from tests.server.records.house import CountingModel

Start = Callable[..., LocalServer]


@pytest.fixture
def model() -> CountingModel:
    return CountingModel()


@pytest.fixture
def start(tmp_path: Path, model: CountingModel) -> Iterator[Start]:
    """Start a server on the test's folder; a second start goes on with it."""
    servers: list[LocalServer] = []

    def begin(
        *, disk: Disk | None = None, min_free_bytes: int = 0, **options: object
    ) -> LocalServer:
        for server in servers:
            server.close()
        settings = settings_for(tmp_path).model_copy(update=options)
        store = RecordStore(
            settings.log_dir, settings.image_dir, min_free_bytes=min_free_bytes, disk=disk
        )
        servers.append(LocalServer(settings, model_client=model, store=store))
        return servers[-1]

    yield begin
    for server in servers:
        server.close()

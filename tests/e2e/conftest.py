"""One house for all end-to-end tests: starting it once keeps the suite short."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from device.adb_server import PrivateAdbServer
from device.discovery import connect
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess
from server.http.client import RemoteLocalServer
from tests.e2e.house import Child, running


@pytest.fixture(scope="session", autouse=True)
def state_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's folder of these tests: the token that services make and clients find is in it."""
    folder = tmp_path_factory.mktemp("state")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCALSERVER_STATE_DIR", str(folder))
        patch.delenv("LOCALSERVER_API_TOKEN", raising=False)
        yield folder


@pytest.fixture(scope="session")
def adb_server(state_dir: Path) -> Iterator[PrivateAdbServer]:
    with PrivateAdbServer() as server:
        yield server


@pytest.fixture(scope="session")
def phones(adb_server: PrivateAdbServer) -> Iterator[dict[str, VirtualPhoneProcess]]:
    """A Chinese and an English phone, both connected by adb."""
    with VirtualPhoneProcess(locale="zh") as zh, VirtualPhoneProcess(locale="en", seed=1) as en:
        for phone in (zh, en):
            connect(phone.serial, server=AdbServer(adb_server.address, autostart=False))
        yield {"zh": zh, "en": en}


@pytest.fixture(scope="session")
def demo_model(
    adb_server: PrivateAdbServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Child]:
    log = tmp_path_factory.mktemp("model") / "model.log"
    with running(["model"], adb_server.env, log, "/healthz") as child:
        yield child


@pytest.fixture(scope="session")
def environment(adb_server: PrivateAdbServer, demo_model: Child) -> dict[str, str]:
    """Where a `localserver` process finds the adb server and the model."""
    return {**adb_server.env, "LOCALSERVER_DEMO_API_BASE": f"{demo_model.url}/v1"}


@pytest.fixture(scope="session")
def service(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Child]:
    folder = tmp_path_factory.mktemp("service")
    arguments = ["serve", "--log-dir", str(folder / "logs")]
    with running(arguments, environment, folder / "service.log", "/readyz") as child:
        yield child


@pytest.fixture
def client(service: Child) -> Iterator[RemoteLocalServer]:
    with RemoteLocalServer(service.url) as remote:
        yield remote


@pytest.fixture
def settings_folder(tmp_path: Path) -> Path:
    """A log folder of a test's own."""
    return tmp_path / "logs"

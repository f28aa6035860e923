"""The whole service over a real socket: real sessions and log, scripted model and phone."""

from __future__ import annotations

import contextlib
import io
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from PIL import Image

from device.discovery import DeviceInfo
from device.doctor import Finding
from device.errors import DeviceAmbiguousError, DeviceNotFoundError
from device.protocol import Device, InstalledApp
from device.scripted_device import ScriptedDevice
from server.app import Parts, create_app
from server.http.client import RemoteLocalServer
from server.model.scripted_model import RecordedRequest, Say, ScriptedModel, Turn
from server.settings import Settings, load_settings

CONFIGS = Path(__file__).resolve().parents[3] / "configs"
INSTALLED = (InstalledApp("com.android.settings", ("设置", "Settings")),)


class ScriptedPhones:
    """Phones that are always there, by serial."""

    def __init__(self, *devices: ScriptedDevice) -> None:
        self.devices = {device.serial: device for device in devices}

    def list(self) -> Sequence[DeviceInfo]:
        return [DeviceInfo(serial, "device") for serial in self.devices]

    def diagnose(self, serial: str | None) -> Sequence[Finding]:
        return [Finding("screenshot", True, "a scripted screen", serial=serial or "")]

    def find_tagged(self, tag: str) -> Sequence[str]:
        return [serial for serial in self.devices if tag == "any"]

    def open(self, serial: str | None) -> Device:
        if serial is None:
            if len(self.devices) != 1:
                raise DeviceAmbiguousError("several phones are ready; name one")
            return next(iter(self.devices.values()))
        if serial not in self.devices:
            raise DeviceNotFoundError("no such phone; plug it in", serial=serial)
        return self.devices[serial]


class Service:
    """A running service.

    Attributes:
        url: Its address.
        client: Our client to it.
        token: The token that it asks for.
        raw: A plain HTTP client to it, with the token.
        stranger: A plain HTTP client to it, without the token.
        model: The model that it asks.
        phone: Its first phone.
    """

    def __init__(
        self, settings: Settings, model: ScriptedModel, phones: ScriptedPhones | None
    ) -> None:
        self.settings = settings
        self.model = model
        self.phones = phones
        self.app = create_app(settings, phones=phones)
        config = uvicorn.Config(self.app, port=0, log_level="critical", lifespan="on")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        until = time.monotonic() + 20
        while not self._server.started:
            assert time.monotonic() < until and self._thread.is_alive(), "the service did not start"
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.authorization = {"Authorization": f"Bearer {self.token}"}
        self.client = RemoteLocalServer(self.url, self.token, timeout_s=30)
        plain: dict[str, Any] = {"timeout": 30, "trust_env": False, "verify": False}
        self.raw = httpx2.Client(base_url=self.url, headers=self.authorization, **plain)
        self.stranger = httpx2.Client(base_url=self.url, **plain)

    @property
    def phone(self) -> ScriptedDevice:
        assert self.phones is not None, "the phones of this service are adb's"
        return next(iter(self.phones.devices.values()))

    @property
    def token(self) -> str:
        if self.settings.api_token is not None:
            return self.settings.api_token.get_secret_value()
        file = self.parts.access.file
        return file.token if file else "none is needed"

    @property
    def parts(self) -> Parts:
        parts: Parts = self.app.state.parts
        return parts

    def error_of(self, response: httpx2.Response) -> tuple[int, str]:
        """Status and code of a fault, after checking that its body has the one shape."""
        body = response.json()
        assert set(body) == {"error"}
        assert set(body["error"]) == {"code", "message", "retryable", "details"}
        assert body["error"]["message"]
        return response.status_code, body["error"]["code"]

    def wait_for(self, task_id: str, *states: str) -> dict[str, Any]:
        until = time.monotonic() + 20
        while (info := self.client.get_task(task_id))["state"] not in states:
            assert time.monotonic() < until, f"never got {states}: {info}"
            time.sleep(0.01)
        return info

    def close(self) -> None:
        self.raw.close()
        self.stranger.close()
        self.client.close()
        self._server.should_exit = True
        self._thread.join(20)
        self.model.close()


def step_reply(**fields: str) -> Say:
    """A reply in the step0920 dialect."""
    body = "\t".join(f"{name}:{value}" for name, value in fields.items())
    return Say(f"<THINK> I think </THINK>\nexplain:because\t{body}\tsummary:so far")


AWAKE = step_reply(action="AWAKE", value="设置")
CLICK = step_reply(action="CLICK", point="500,320")
COMPLETE = step_reply(action="COMPLETE", **{"return": "it is off"})


def a_png(size: tuple[int, int] = (540, 1200), color: str = "white") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, "PNG")
    return out.getvalue()


Script = Iterable[Turn] | Callable[[RecordedRequest], Turn]
Start = Callable[..., Service]


def starter(stack: contextlib.ExitStack, folder: Path) -> Start:
    """Start a service: its model's script, its phones, settings that differ."""

    def start_service(
        script: Script = (),
        *,
        phones: ScriptedPhones | None = None,
        adb_phones: bool = False,
        configs: Path = CONFIGS,
        **settings: Any,
    ) -> Service:
        model = ScriptedModel(script)
        if phones is None and not adb_phones:
            frames = ["a", "b", "c", "d", "e", "f"]
            phones = ScriptedPhones(ScriptedDevice(frames, installed=INSTALLED))
        provider = {"api_base": model.base_url, "default_model": "scripted", "max_attempts": 1}
        given = {
            "log_dir": folder / "log",
            "image_dir": folder / "images",
            "state_dir": folder / "state",
            "failed_attempt_delay_s": 0,
            "providers": {"demo": provider},
            **settings,
        }
        service = Service(load_settings(configs, **given), model, phones)
        stack.callback(service.close)
        return service

    return start_service


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """A service of the test's own."""
    with contextlib.ExitStack() as stack:
        yield starter(stack, tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for many tests that must leave no trace in it; its model says CLICK."""
    with contextlib.ExitStack() as stack:
        yield starter(stack, tmp_path_factory.mktemp("shared"))(lambda request: CLICK)

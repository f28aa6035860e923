"""A server on temporary folders, asking a scripted model; pictures of a phone's size."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw

from server.local_server import LocalServer
from server.model.scripted_model import RecordedRequest, ScriptedModel, Turn
from server.settings import ProviderConfig, Settings, load_settings

CONFIGS = Path(__file__).resolve().parents[3] / "configs"
Script = Iterable[Turn] | Callable[[RecordedRequest], Turn]


def paint(width_px: int = 108, height_px: int = 240, kind: str = "PNG", **options: Any) -> bytes:
    """A small picture with a blue bar at the top and a red square in the middle."""
    image = Image.new("RGB", (width_px, height_px), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width_px, height_px // 10), fill="blue")
    middle = (width_px // 2, height_px // 2)
    draw.rectangle((middle[0] - 9, middle[1] - 9, middle[0] + 9, middle[1] + 9), fill="red")
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def data_url(data: bytes, media_type: str = "image/png") -> str:
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def step_payload(session_id: str, picture: bytes, **observation: Any) -> dict[str, Any]:
    screenshot = {"type": "image_url", "image_url": {"url": data_url(picture)}}
    return {"session_id": session_id, "observation": {"screenshot": screenshot, **observation}}


def step_reply(action: str = "action:CLICK\tpoint:500,320", summary: str = "did it") -> str:
    return f"<THINK> I look </THINK>\nexplain:go on\t{action}\tsummary:{summary}"


@pytest.fixture
def play() -> Iterator[Callable[[Script], ScriptedModel]]:
    """Start scripted models; they are closed at the end."""
    models: list[ScriptedModel] = []

    def start(script: Script) -> ScriptedModel:
        models.append(ScriptedModel(script))
        return models[-1]

    yield start
    for model in models:
        model.close()


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., Settings]:
    """Settings with the one provider `scripted`."""

    def make(model: ScriptedModel | str, provider: Any = None, **overrides: Any) -> Settings:
        base_url = model if isinstance(model, str) else model.base_url
        config = ProviderConfig(api_base=base_url, default_model="any", **(provider or {}))
        return load_settings(
            CONFIGS,
            log_dir=tmp_path / "traces",
            image_dir=tmp_path / "images",
            providers={"scripted": config},
            **overrides,
        )

    return make


@pytest.fixture
def serve(
    play: Callable[[Script], ScriptedModel], configure: Callable[..., Settings]
) -> Iterator[Callable[..., tuple[LocalServer, ScriptedModel]]]:
    """Start a LocalServer whose model follows a script."""
    servers: list[LocalServer] = []

    def start(script: Script, **options: Any) -> tuple[LocalServer, ScriptedModel]:
        model = play(script)
        servers.append(LocalServer(configure(model, **options)))
        return servers[-1], model

    yield start
    for server in servers:
        server.close()

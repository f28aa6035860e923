"""The demo model as an OpenAI-compatible server."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from PIL import Image
from starlette.testclient import TestClient

from server.model.demo.reading import PictureError, ScreenReader
from server.model.demo.screen import Pixels, Text
from server.model.demo_model import MODEL_NAME, create_demo_app
from tests.server.demo.screens import draw_screen, place_text, png_of

SETTINGS = [place_text("设置", 180), place_text("蓝牙", 700), place_text("显示", 900)]
PROMPT = """<THINK> </THINK> action:CLICK action:AWAKE
用户的任务是：{task}

到目前为止的操作历史：{history}"""


class PlainReader:
    """Finds the same texts on every picture and counts how often it was asked."""

    def __init__(self) -> None:
        self.count = 0

    def read(self, pixels: Pixels) -> list[Text]:
        self.count += 1
        return SETTINGS


@pytest.fixture
def reader() -> PlainReader:
    return PlainReader()


@pytest.fixture
def client(reader: PlainReader) -> Iterator[TestClient]:
    with TestClient(create_demo_app(ScreenReader(reader))) as client:
        yield client


def body_of(task: str, history: str = "暂无历史操作", **more: Any) -> dict[str, Any]:
    url = "data:image/png;base64," + base64.b64encode(png_of(draw_screen([]))).decode()
    content = [
        {"type": "text", "text": PROMPT.format(task=task, history=history)},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    return {"model": MODEL_NAME, "messages": [{"role": "user", "content": content}], **more}


def test_it_says_what_it_is(client: TestClient) -> None:
    (model,) = client.get("/v1/models").json()["data"]
    assert model["id"] == "localserver-demo"
    assert "no vision-language model" in model["description"]
    assert client.get("/healthz").json() == {"status": "ok", "model": "localserver-demo"}


def test_a_reply_is_a_chat_completion_in_the_dialect_of_the_prompt(client: TestClient) -> None:
    answer = client.post("/v1/chat/completions", json=body_of("打开设置")).json()
    (choice,) = answer["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["content"].startswith("<THINK> 接下来：打开应用设置。 </THINK>\n")
    assert "\taction:AWAKE\tvalue:设置\t" in choice["message"]["content"]


def test_the_same_picture_is_read_once(client: TestClient, reader: PlainReader) -> None:
    for label in ("蓝牙", "显示"):
        answer = client.post("/v1/chat/completions", json=body_of(f"点击{label}")).json()
        assert "action:CLICK" in answer["choices"][0]["message"]["content"]
    assert reader.count == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "`messages` must be"),
        (b'{"messages": ["hi"]}', "`messages` must be"),
        (b'{"messages": []}', "no dialect"),
        (json.dumps(body_of("打开设置", stream=True)).encode(), "does not stream"),
        (b"[" * 200_000, "not JSON"),
    ],
)
def test_a_bad_request_gets_a_400_that_says_what_to_change(
    client: TestClient, content: bytes, says: str
) -> None:
    answer = client.post("/v1/chat/completions", content=content)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]


def test_a_broken_picture_gets_a_400(client: TestClient) -> None:
    body = body_of("点击蓝牙")
    cut = base64.b64encode(png_of(draw_screen([]))[:400]).decode()
    body["messages"][0]["content"][1]["image_url"]["url"] = f"data:image/png;base64,{cut}"
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 400
    assert "no whole PNG" in answer.json()["error"]["message"]


def test_a_request_that_is_too_large_gets_a_400_before_it_is_read(client: TestClient) -> None:
    answer = client.post("/v1/chat/completions", content=b" " * (49 * 1024 * 1024))
    assert answer.status_code == 400
    assert "larger than" in answer.json()["error"]["message"]


def test_a_picture_of_too_many_pixels_is_refused() -> None:
    buffer = io.BytesIO()
    Image.new("1", (8000, 8000)).save(buffer, "PNG")
    with pytest.raises(PictureError, match="too large"):
        ScreenReader(PlainReader()).read(buffer.getvalue())


def test_the_process_announces_its_port_and_answers_an_openai_client() -> None:
    command = [sys.executable, "-m", "server.model.demo_model", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert ready["base_url"] == f"http://127.0.0.1:{ready['port']}/v1"
        with openai.OpenAI(base_url=ready["base_url"], api_key="none") as client:
            assert [model.id for model in client.models.list()] == [MODEL_NAME]
            reply = client.chat.completions.create(**body_of("打开设置"))
            assert "action:AWAKE" in (reply.choices[0].message.content or "")
    finally:
        process.terminate()
        process.communicate(timeout=20)

"""Where pictures may come from; `ask_llm_anything` takes them all."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.errors import (
    BadRequestError,
    ImageError,
    ImageSourceError,
    ImageTooLargeError,
    ModelCutError,
)
from server.model.ask import ask_llm_anything
from server.model.scripted_model import Say, ScriptedModel
from server.pictures.sources import SourceRules, fetch_if_web, read_picture
from server.settings import Settings

from .conftest import Script, data_url, paint


async def load_image(part: Any, rules: SourceRules) -> bytes:
    return read_picture(await fetch_if_web(part, rules), rules)


class PictureServer:
    """Serves one answer at every address; counts who came."""

    def __init__(self) -> None:
        self.status, self.body = 200, paint()
        self.headers: dict[str, str] = {}
        self.hosts: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.hosts.append(self.headers["host"])
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}
        )
        self.thread.start()

    @property
    def port(self) -> int:
        return self.server.server_address[1]


@pytest.fixture
def pictures() -> Iterator[PictureServer]:
    server = PictureServer()
    yield server
    server.server.shutdown()
    server.server.server_close()
    server.thread.join()


def image_url(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


async def test_a_private_address_is_not_fetched_even_where_urls_are_allowed(
    pictures: PictureServer,
) -> None:
    rules = SourceRules(max_bytes=100_000, allow_url=True)
    for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "169.254.169.254", "10.0.0.1"):
        with pytest.raises(ImageSourceError):
            await load_image(image_url(f"http://{host}:{pictures.port}/x.png"), rules)
    assert pictures.hosts == []


async def test_a_listed_host_is_fetched_from_with_its_own_name(pictures: PictureServer) -> None:
    rules = SourceRules(
        max_bytes=100_000, allow_url=True, private_hosts=frozenset({"localhost", "127.0.0.1"})
    )
    for host in ("127.0.0.1", "localhost"):
        url = f"http://{host}:{pictures.port}/x.png"
        assert await load_image(image_url(url), rules) == paint()
    assert pictures.hosts == [f"127.0.0.1:{pictures.port}", f"localhost:{pictures.port}"]


async def test_a_redirect_is_not_followed(pictures: PictureServer) -> None:
    pictures.status, pictures.headers = 302, {"Location": "http://127.0.0.1/admin"}
    rules = SourceRules(max_bytes=100_000, allow_url=True, private_hosts=frozenset({"127.0.0.1"}))
    with pytest.raises(ImageError, match="HTTP 302"):
        await load_image(image_url(f"http://127.0.0.1:{pictures.port}/"), rules)
    assert len(pictures.hosts) == 1


async def test_a_download_stops_at_the_limit(pictures: PictureServer) -> None:
    pictures.body = b"x" * 3_000_000
    rules = SourceRules(max_bytes=100_000, allow_url=True, private_hosts=frozenset({"127.0.0.1"}))
    with pytest.raises(ImageTooLargeError):
        await load_image(image_url(f"http://127.0.0.1:{pictures.port}/"), rules)


@pytest.mark.parametrize(
    "url", ["http://", "http://[", "http://a b/", "https://no.such.host.invalid/x", "http:///x"]
)
async def test_an_odd_url_is_an_image_error(url: str) -> None:
    with pytest.raises(ImageError):
        await load_image(image_url(url), SourceRules(max_bytes=100, allow_url=True))


async def test_a_path_must_lead_to_a_regular_file_that_is_not_too_large(tmp_path: Path) -> None:
    rules = SourceRules(max_bytes=1000, allow_path=True)
    (tmp_path / "big").write_bytes(b"x" * 1001)
    (tmp_path / "ok").write_bytes(b"ok")
    assert await load_image(image_url(str(tmp_path / "ok")), rules) == b"ok"
    with pytest.raises(ImageTooLargeError):
        await load_image(image_url(str(tmp_path / "big")), rules)
    for odd in (str(tmp_path), str(tmp_path / "none"), "\0", "x" * 5000):
        with pytest.raises(ImageError):
            await load_image(image_url(odd), rules)


# --- ask_llm_anything ---------------------------------------------------------------------


@pytest.fixture
def asked(
    play: Callable[[Script], ScriptedModel], configure: Callable[..., Settings]
) -> Callable[..., tuple[str, ScriptedModel]]:
    """Ask with one user message made of the given parts."""

    def ask(*parts: dict[str, Any], reply: Say | None = None, **options: Any) -> Any:
        model = play([reply or Say("the answer")])
        messages = [{"role": "user", "content": list(parts)}]
        args = options.pop("args", None)
        resize = options.pop("resize_config", None)
        settings = configure(model, **options)
        answer = ask_llm_anything("scripted", "m", messages, args, resize, settings=settings)
        return answer, model

    return ask


def sent_parts(model: ScriptedModel) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = model.requests[0].body["messages"][0]["content"]
    return parts


def test_every_form_of_a_picture_becomes_the_same_data_url(asked: Any, tmp_path: Path) -> None:
    picture = paint(kind="JPEG")
    (tmp_path / "misnamed.png").write_bytes(picture)
    answer, model = asked(
        {"type": "text", "text": "look"},
        image_url(str(tmp_path / "misnamed.png")),
        image_url(data_url(picture, "image/png")),
        {"type": "image_b64", "image_b64": {"b64_json": base64.b64encode(picture).decode()}},
        {"type": "image_bytes", "data": picture},
    )
    assert answer == "the answer"
    right = image_url(data_url(picture, "image/jpeg"))
    assert sent_parts(model) == [{"type": "text", "text": "look"}, right, right, right, right]
    assert model.requests[0].body["temperature"] == 0.5
    assert model.requests[0].body["max_tokens"] == 4096


def test_a_picture_is_fetched_where_the_operator_listed_the_host(
    asked: Any, pictures: PictureServer
) -> None:
    _, model = asked(
        image_url(f"http://127.0.0.1:{pictures.port}/a"), image_url_hosts=("127.0.0.1",)
    )
    assert sent_parts(model) == [image_url(data_url(paint()))]


@pytest.mark.parametrize(
    ("resize_config", "size"),
    [
        ({"is_resize": True, "target_image_size": [40, 40]}, (40, 40)),
        ({"max_side": 120}, (54, 120)),
        ({"is_resize": False, "target_image_size": [40, 40]}, (108, 240)),
        (None, (108, 240)),
    ],
)
def test_pictures_are_resized_as_asked(
    asked: Any, resize_config: dict[str, Any] | None, size: tuple[int, int]
) -> None:
    _, model = asked({"type": "image_bytes", "data": paint()}, resize_config=resize_config)
    url = sent_parts(model)[0]["image_url"]["url"]
    assert Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size == size


def test_the_thought_is_not_glued_in_front_of_the_answer(asked: Any) -> None:
    answer, _ = asked({"type": "text", "text": "x"}, reply=Say("a", reasoning="b"))
    assert answer == "a"


def test_a_cut_answer_is_an_error(asked: Any) -> None:
    with pytest.raises(ModelCutError):
        asked({"type": "text", "text": "x"}, reply=Say("half an ans", finish_reason="length"))


def test_an_unknown_part_is_refused(asked: Any) -> None:
    with pytest.raises(BadRequestError):
        asked({"type": "video_url", "video_url": {"url": "http://h/x"}})


def test_plain_text_messages_are_sent_as_they_are(
    play: Callable[[Script], ScriptedModel], configure: Callable[..., Settings]
) -> None:
    model = play([Say("hi")])
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
    assert ask_llm_anything(None, None, messages, settings=configure(model)) == "hi"
    assert model.requests[0].body["messages"] == messages
    assert model.requests[0].body["model"] == "any"

"""Every dialect goes through the same walk: pictures of now and before, elements, sizes."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from parsers.registry import list_dialects
from server.errors import BadRequestError, ReplyUnreadableError
from server.local_server import LocalServer
from server.model.scripted_model import RecordedRequest, Say, ScriptedModel

from .conftest import data_url, paint, step_payload

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
UI_TREE = """<?xml version='1.0' encoding='UTF-8'?>
<hierarchy rotation="0">
  <node class="android.widget.FrameLayout" package="com.example" bounds="[0,0][108,240]">
    <node text="Bluetooth" class="android.widget.TextView" clickable="true" enabled="true"
      bounds="[0,24][108,48]" />
    <node text="Search" class="android.widget.EditText" clickable="true" enabled="true"
      bounds="[0,48][108,72]" />
  </node>
</hierarchy>"""


def pictures_of(request: RecordedRequest) -> list[Any]:
    found = []
    for message in request.body["messages"]:
        if isinstance(message["content"], list):
            found += [part for part in message["content"] if part.get("type") == "image_url"]
    return [part["image_url"]["url"] for part in found]


def size_of(url: str) -> tuple[int, int]:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size


@pytest.mark.parametrize("dialect", list_dialects())
def test_each_dialect_gets_the_picture_and_refuses_a_senseless_reply(
    serve: Serve, dialect: str
) -> None:
    server, model = serve(lambda _: Say(" ?? "))
    session_id = server.get_session({"task": "turn Bluetooth off", "task_type": dialect})
    with pytest.raises(ReplyUnreadableError):
        server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert len(model.requests) == 3
    for request in model.requests:
        urls = pictures_of(request)
        assert all(url.startswith("data:image/") for url in urls)
    assert "turn Bluetooth off" in str(model.requests[0].body["messages"])


def test_pictures_of_earlier_steps_go_along_as_far_as_the_dialect_wants(serve: Serve) -> None:
    reply = "Thought: go\nAction: press_back()"
    server, model = serve(lambda _: Say(reply))
    model_config = {"model_name": "m", "image_preprocess": {"target_image_size": [56, 112]}}
    session_id = server.get_session(
        {"task": "t", "task_type": "ui_tars", "model_config": model_config}
    )
    for _ in range(7):
        server.automate_step(step_payload(session_id, paint()))
    counts = [len(pictures_of(request)) for request in model.requests]
    assert counts == [1, 2, 3, 4, 5, 5, 5]
    assert {size_of(url) for url in pictures_of(model.requests[6])} == {(56, 112)}
    before = pictures_of(model.requests[6])

    settings = server.settings
    server.close()
    with LocalServer(settings) as again:
        again.automate_step(step_payload(session_id, paint()))
    assert pictures_of(model.requests[7]) == before


def test_a_pixel_dialect_gets_a_size_that_its_model_leaves_alone(serve: Serve) -> None:
    reply = "Thought: go\nAction: click(start_box='(546,1204)')"
    server, model = serve(lambda _: Say(reply))
    session_id = server.get_session(
        {
            "task": "t",
            "task_type": "ui_tars",
            "model_config": {"model_name": "m", "variant": "v1.5"},
        }
    )
    answer = server.automate_step(step_payload(session_id, paint(1080, 2400, kind="JPEG")))
    assert size_of(pictures_of(model.requests[0])[0]) == (1092, 2408)
    assert server.read_steps(session_id)[0]["sent_size"] == [1092, 2408]
    assert answer["action"]["point"] == [500, 500]


def test_an_element_dialect_shows_the_elements_and_the_tree_is_kept(serve: Serve) -> None:
    server, model = serve(lambda _: Say("click(1)"))
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    answer = server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert answer["action"]["action"] == "CLICK"
    assert answer["action"]["element"] == {"index": 1, "base": 1}
    prompt = str(model.requests[0].body["messages"])
    assert "Bluetooth" in prompt and "Search" in prompt
    environment = server.read_steps(session_id)[0]["environment"]
    assert environment["ui_tree"] == "step_0001.xml"
    stored = server.settings.image_dir / session_id / "step_0001.xml"
    assert stored.read_text(encoding="utf-8") == UI_TREE


def test_an_element_beyond_the_list_is_told_to_the_model(serve: Serve) -> None:
    replies = iter(["click(9)", "click(2)"])
    server, model = serve(lambda _: Say(next(replies)))
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    answer = server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert answer["action"]["element"]["index"] == 2
    assert len(model.requests) == 2


def test_a_tree_that_cannot_be_read_is_bad_input(serve: Serve) -> None:
    server, model = serve([])
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    with pytest.raises(BadRequestError, match="dump it again"):
        server.automate_step(step_payload(session_id, paint(), ui_tree="<hierarchy><node"))
    assert model.requests == []


def test_the_walk_sends_the_very_bytes_where_the_dialect_is_content_with_them(
    serve: Serve,
) -> None:
    server, model = serve(lambda _: Say("x"), max_reasks=0)
    session_id = server.get_session({"task": "t", "task_type": "autoglm"})
    with pytest.raises(ReplyUnreadableError):
        server.automate_step(step_payload(session_id, paint()))
    assert pictures_of(model.requests[0]) == [data_url(paint())]

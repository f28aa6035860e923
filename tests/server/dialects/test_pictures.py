"""Pictures in prompts: marked ones, those of earlier steps, and where numbers come from."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from parsers.errors import UnsupportedInputError
from server.local_server import LocalServer
from server.model.scripted_model import RecordedRequest, Say, ScriptedModel
from tests.server.core.conftest import paint, step_payload

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
NUMBERED = {
    "element_dsl": ("click(2)", 1, ["jpeg"]),
    "m3a": ('Reason: r\nAction: {"action_type": "click", "index": 1}', 0, ["png", "jpeg"]),
    "appagent": ("Observation: o\nThought: t\nAction: tap(2)\nSummary: s", 1, ["jpeg"]),
    "droidrun_xml": (
        '<function_calls><invoke name="click"><parameter name="index">2</parameter></invoke>'
        "</function_calls>",
        1,
        ["png"],
    ),
}


def urls_of(request: RecordedRequest) -> list[str]:
    return [
        part["image_url"]["url"]
        for message in request.body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


def kinds_of(request: RecordedRequest) -> list[str]:
    return [url.partition(";")[0].removeprefix("data:image/") for url in urls_of(request)]


@pytest.mark.parametrize("dialect", sorted(NUMBERED))
def test_a_dialect_of_numbers_gets_its_pictures_and_the_caller_gets_the_element(
    serve: Serve, dialect: str
) -> None:
    reply, base, kinds = NUMBERED[dialect]
    server, model = serve(lambda _: Say(reply))
    session_id = server.get_session({"task": "t", "task_type": dialect})
    answer = server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert kinds_of(model.requests[0]) == kinds
    assert f"[{base}] TextView" in str(model.requests[0].body["messages"])
    assert answer["element"] == {
        "index": base + 1,
        "label": "Search",
        "kind": "EditText",
        "bounds": [0, 200, 1000, 300],
        "source": "tree",
        "count": 2,
    }


def test_the_marked_picture_is_stored_named_and_counted(serve: Serve) -> None:
    server, _ = serve(lambda _: Say(NUMBERED["m3a"][0]))
    session_id = server.get_session({"task": "t", "task_type": "m3a"})
    server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    [step] = server.read_steps(session_id)
    name = f"{session_id}/step_0001_marked.jpeg"
    assert step["environment"]["marked_image"] == name
    assert step["images"] == 2
    assert step["element"]["label"] == "Search"
    assert name in str(step["asked_messages"])
    assert "base64" not in str(step)
    stored = (server.settings.image_dir / name).read_bytes()
    with Image.open(io.BytesIO(stored)) as image:
        assert image.size == (108, 240)


def test_a_repeated_request_gets_the_element_too_even_after_a_restart(serve: Serve) -> None:
    server, model = serve(lambda _: Say("click(1)"))
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    payload = step_payload(session_id, paint(), ui_tree=UI_TREE) | {"idempotency_key": "k"}
    first = server.automate_step(payload)
    settings = server.settings
    server.close()
    with LocalServer(settings) as again:
        assert again.automate_step(payload) == first
    assert len(model.requests) == 1
    assert first["element"]["label"] == "Bluetooth"


PAST = {
    "ui_tars": ("Thought: t\nAction: press_back()", 5),
    "gui_owl": (
        'Action: a\n<tool_call>{"name": "mobile_use", "arguments": '
        '{"action": "system_button", "button": "Back"}}</tool_call>',
        5,
    ),
    "mai_ui": (
        '<thinking>t</thinking>\n<tool_call>{"name": "mobile_use", "arguments": '
        '{"action": "system_button", "button": "back"}}</tool_call>',
        3,
    ),
    "autoglm": ('<think>t</think><answer>do(action="Back")</answer>', 1),
    "step0920": ("<THINK>t</THINK>\nexplain:e\taction:BACK\tsummary:s", 1),
}


@pytest.mark.parametrize("dialect", sorted(PAST))
def test_pictures_of_earlier_steps_are_the_session_s_own_bounded_and_logged(
    serve: Serve, dialect: str
) -> None:
    reply, most = PAST[dialect]
    server, model = serve(lambda _: Say(reply))
    session_id = server.get_session({"task": "t", "task_type": dialect})
    shots = [paint(108 + 28 * number, 252) for number in range(7)]
    for shot in shots:
        server.automate_step(step_payload(session_id, shot))
    counts = [len(urls_of(request)) for request in model.requests]
    assert counts == [min(number, most) for number in range(1, 8)]
    assert [step["images"] for step in server.read_steps(session_id)] == counts
    last = urls_of(model.requests[6])
    assert len(set(last)) == most
    assert last[:-1] == urls_of(model.requests[5])[-(most - 1) :][: most - 1] or most == 1


def test_a_screen_without_a_tree_that_nobody_looked_for_asks_for_it(serve: Serve) -> None:
    server, model = serve([])
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    with pytest.raises(UnsupportedInputError, match="send `ui_tree`"):
        server.automate_step(step_payload(session_id, paint()))
    assert model.requests == []


def write_words(*words: str) -> bytes:
    image = Image.new("RGB", (720, 1280), "white")
    draw = ImageDraw.Draw(image)
    for number, word in enumerate(words):
        draw.text((80, 200 + 300 * number), word, fill="black", font=ImageFont.load_default(64))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("tree", ["", '<hierarchy rotation="0" />'])
def test_a_screen_that_gives_no_tree_is_numbered_by_its_texts(serve: Serve, tree: str) -> None:
    server, model = serve(lambda _: Say("click(2)"))
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    shot = write_words("START GAME", "SETTINGS", "QUIT")
    answer = server.automate_step(step_payload(session_id, shot, ui_tree=tree))
    assert answer["element"]["source"] == "text"
    assert answer["element"]["label"] == "SETTINGS"
    left, top, right, bottom = answer["element"]["bounds"]
    assert 80 < left < 140 and 380 < top < bottom < 460 and right < 700
    assert kinds_of(model.requests[0]) == ["jpeg"]


def test_without_ocr_such_a_screen_is_a_clear_error(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    server, model = serve([])
    session_id = server.get_session({"task": "t", "task_type": "element_dsl"})
    with pytest.raises(UnsupportedInputError, match="install the extra `demo`"):
        server.automate_step(step_payload(session_id, paint(), ui_tree=""))
    assert model.requests == []


def test_a_grid_that_was_asked_for_is_on_the_next_picture(serve: Serve) -> None:
    replies = iter(["Action: grid()\nSummary: s", "Action: tap(78)\nSummary: s"])
    server, _ = serve(lambda _: Say(next(replies)))
    session_id = server.get_session({"task": "t", "task_type": "appagent"})
    first = server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert first["action"]["action"] == "GRID" and "element" not in first
    second = server.automate_step(step_payload(session_id, paint(), ui_tree=UI_TREE))
    assert second["element"]["source"] == "grid"
    assert second["element"]["bounds"][2:] == pytest.approx([1000, 1000], abs=0.01)


def test_native_tool_calls_and_a_separate_thought_go_through_the_real_client(serve: Serve) -> None:
    call = {
        "id": "call_1",
        "type": "function",
        "function": {
            "name": "mobile_use",
            "arguments": '{"action": "click", "coordinate": [500, 250]}',
        },
    }
    say = Say("", reasoning="I tap it", tool_calls=(call,), finish_reason="tool_calls")
    server, model = serve(lambda _: say)
    model_config: dict[str, Any] = {"model_name": "qwen3-vl-8b"}
    session_id = server.get_session({"task": "t", "model_config": model_config})
    answer = server.automate_step(step_payload(session_id, paint(), query="go on"))
    assert answer["action"]["action"] == "CLICK"
    assert answer["action"]["point"] == pytest.approx([500.5, 250.25], abs=0.01)
    assert answer["action"]["cot"] == "I tap it"
    [step] = server.read_steps(session_id)
    assert step["tool_calls"] == [call]
    assert step["reasoning"] == "I tap it"
    server.automate_step(step_payload(session_id, paint()))  # the history holds it too
    assert len(model.requests) == 2

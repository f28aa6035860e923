from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import httpx2
import pytest
from PIL import Image

from device.protocol import App, Bounds, UiNode, UiTree
from device.scripted_device import Frame, ScriptedDevice
from tests.server.http.conftest import (
    INSTALLED,
    ScriptedPhones,
    Service,
    Start,
    step_reply,
)
from tests.server.mcp.conftest import Answerer, call, connected, fail, image_of, text_of

TOOLS = {
    "get_device_list", "list_connected_devices", "get_screenshot", "get_ui_tree", "list_apps",
    "click", "double_click", "long_press", "swipe", "drag", "input_text", "hotkey", "awake", "wait",
    "execute_task", "ask_agent", "task_status", "task_wait", "task_reply", "task_confirm",
    "task_stop", "task_result", "task_pause", "task_resume", "task_take_over", "task_give_back",
    "task_retry",
}  # fmt: skip
LOOKING = {
    "get_device_list", "list_connected_devices", "get_screenshot", "get_ui_tree", "list_apps",
    "wait", "task_status", "task_wait", "task_result",
}  # fmt: skip


def a_node(text: str, bounds: Bounds) -> UiNode:
    return UiNode(
        class_name="android.widget.Button", package="com.example.shop", text=text,
        content_desc="", resource_id="", hint="", bounds=bounds, clickable=True,
        long_clickable=False, checkable=False, checked=False, scrollable=False, focusable=True,
        focused=False, enabled=True, password=False, selected=False, depth=1,
    )  # fmt: skip


PAY_PAGE = Frame(
    "pay",
    tree=UiTree(a_node("提交订单", Bounds(0, 1200, 1080, 1400)), xml="<hierarchy/>"),
    app=App("com.example.shop"),
)


async def test_the_tools_say_what_they_are(start: Start, era: str) -> None:
    service = start()
    async with connected(service, era) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    read_only = {t.name for t in tools if t.annotations and t.annotations.read_only_hint}
    assert read_only == LOOKING
    click = next(tool for tool in tools if tool.name == "click")
    assert "0-1000" in str(click.input_schema)
    assert click.annotations is not None and click.annotations.destructive_hint


@pytest.mark.parametrize("image_format", ["jpeg", "webp"])
async def test_a_screenshot_is_an_image_block_within_its_limit(
    start: Start, era: str, image_format: str
) -> None:
    service = start()
    async with connected(service, era) as client:
        arguments = {"image_format": image_format}
        result = await client.call_tool("get_screenshot", arguments)
        small = await client.call_tool("get_screenshot", {**arguments, "max_bytes": 20_000})
    block, facts = image_of(result), text_of(result)
    assert block.mime_type == f"image/{image_format}"
    data = base64.b64decode(block.data)
    assert len(data) == facts["bytes"] <= 700_000
    with Image.open(io.BytesIO(data)) as picture:
        assert list(picture.size) == facts["picture_px"] == [720, 1600]
    assert facts["screen_px"] == [1080, 2400]
    assert text_of(small)["bytes"] <= 20_000


async def test_each_input_reaches_the_phone_as_it_was_meant(start: Start, era: str) -> None:
    service = start()
    async with connected(service, era) as client:
        await call(client, "click", x=500, y=250)
        await call(client, "click", x=270, y=600, unit="px")
        await call(client, "double_click", x=0, y=0)
        await call(client, "long_press", x=1000, y=1000, duration_s=1.5)
        await call(client, "swipe", x1=500, y1=800, x2=500, y2=200)
        await call(client, "drag", x1=100, y1=100, x2=900, y2=900)
        await call(client, "input_text", text="don't; $(id)", clear=True)
        await call(client, "hotkey", key="BACK")
        opened = await call(client, "awake", app="设置")
        apps = await call(client, "list_apps")
    assert [(done.name, done.args) for done in service.phone.inputs()] == [
        ("tap", (540, 600)),
        ("tap", (270, 600)),
        ("double_tap", (0, 0)),
        ("long_press", (1079, 2399, 1.5)),
        ("swipe", (540, 1920, 540, 480, 0.4)),
        ("swipe", (108, 240, 972, 2160, 1.5)),
        ("type_text", ("don't; $(id)",)),
        ("press_key", ("BACK",)),
        ("open_app", ("com.android.settings",)),
    ]
    assert opened["status"] == "ok"
    assert apps["apps"][0]["package"] == "com.android.settings"


async def test_an_input_that_makes_no_sense_is_an_error_and_does_nothing(
    start: Start, era: str
) -> None:
    service = start()
    async with connected(service, era) as client:
        off = await fail(client, "click", x=1200, y=10)
        off_px = await fail(client, "click", x=1080, y=5000, unit="px")
        key = await fail(client, "hotkey", key="SELF_DESTRUCT")
        app = await fail(client, "awake", app="no such app")
        phone = await fail(client, "click", x=1, y=1, device="x;id>F;")
    assert off.startswith("request.invalid: ") and off_px.startswith("request.invalid: ")
    assert key.startswith("request.invalid: key: ") and key.endswith("the tool's input schema")
    assert app.startswith("device.app_not_found: ")
    assert phone.startswith("device.not_found: ")
    assert service.phone.inputs() == []


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("click", {"x": 1, "y": 1, "button": 2}, "button: there is no such argument; there are x, y,"),
    ("click", {"x": "left", "y": 1}, "x: Input should be a valid number"),
    ("click", {"x": 1}, "y: Field required; see the tool's input schema"),
    ("get_device_list", {"all": True}, "all: there is no such argument; this tool takes none"),
    ("tap", {"x": 1, "y": 1}, "there is no tool of that name; there are ask_agent, awake, click,"),
    ("execute_task", {"task": "x"}, "task: there is no such argument; there are task_description,"),
    ("task_wait", {"task_id": "x", "timeout_s": 60}, "timeout_s: Input should be less than or"),
)


async def test_a_wrong_argument_is_a_typed_error_that_names_the_right_ones(
    start: Start, era: str
) -> None:
    service = start()
    async with connected(service, era) as client:
        for tool, arguments, words in WRONG:
            told = await fail(client, tool, **arguments)
            assert told.startswith(f"request.invalid: {words}"), told
        # Told in words that fit every door: there is no HTTP behind this one.
        gone = await fail(client, "task_status", task_id="nothing")
    assert gone == (
        "task.not_found: no task has this id; give the whole `task_id` that its start answered"
    )
    assert service.phone.inputs() == []


async def test_while_a_task_drives_the_phone_single_inputs_are_refused(
    start: Start, era: str
) -> None:
    service = start([step_reply(action="INFO", value="which?")])
    async with connected(service, era) as client:
        waiting = await call(client, "execute_task", task_description="x")
        refused = await fail(client, "click", x=5, y=5)
        seen = await client.call_tool("get_screenshot", {})
        service.client.take_over_task(waiting["task_id"])
        service.client.reply_task(waiting["task_id"], "")
        await call(client, "task_stop", task_id=waiting["task_id"])
        await call(client, "click", x=5, y=5)
    assert refused.startswith("device.leased: ") and waiting["task_id"] in refused
    assert not seen.is_error
    assert [done.name for done in service.phone.inputs()] == ["tap"]


def shop(start: Start) -> Service:
    device = ScriptedDevice([PAY_PAGE, Frame("done")], installed=INSTALLED)
    return start(phones=ScriptedPhones(device))


async def test_an_input_that_may_pay_needs_a_persons_yes(start: Start, era: str) -> None:
    service = shop(start)
    asked: list[str] = []

    def yes(question: str) -> dict[str, Any]:
        asked.append(question)
        return {"approve": True}

    async with connected(service, era, yes) as client:
        await call(client, "click", x=500, y=540)
    assert [done.name for done in service.phone.inputs()] == ["tap"]
    assert len(asked) == 1 and "提交订单" in asked[0]


@pytest.mark.parametrize(
    "answerer", [None, lambda question: None, lambda question: {"approve": False}]
)
async def test_without_a_yes_nothing_is_paid(
    start: Start, era: str, answerer: Answerer | None
) -> None:
    service = shop(start)
    async with connected(service, era, answerer) as client:
        refused = await fail(client, "click", x=500, y=540)
    assert refused.startswith("policy.denied: ")
    assert service.phone.inputs() == []


async def test_the_same_guard_stands_before_mcp(start: Start) -> None:
    service = start()
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Accept": "application/json, text/event-stream"}
    for path in ("/mcp", "/mcp/"):
        for more, status in (
            ({}, 401),
            ({"Authorization": "Bearer wrong"}, 401),
            ({**service.authorization, "Host": "evil.example"}, 421),
            ({**service.authorization, "Origin": "https://evil.example"}, 403),
        ):
            response = httpx2.post(
                service.url + path, json=body, headers={**headers, **more}, trust_env=False
            )
            assert response.status_code == status, (path, more)


def test_a_server_without_mcp_clients_does_not_load_the_sdk() -> None:
    source = (Path(__file__).parents[3] / "server" / "app.py").read_text("utf-8")
    heads = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert not any("server.mcp " in line or "import mcp" in line for line in heads)

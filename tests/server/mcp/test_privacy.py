"""What an outer model behind MCP gets at each level: every tool, its errors and questions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, ImageContent

from device.protocol import App, InstalledApp
from device.scripted_device import Frame, ScriptedDevice
from device.ui_tree import parse_ui_tree
from server.model.scripted_model import RecordedRequest, Say
from tests.server.http.conftest import ScriptedPhones, Service, Start
from tests.server.mcp.conftest import connected

PHONE, NAME, SERIAL = "13800138777", "欧阳娜", "scripted-1"
TREE = parse_ui_tree(
    '<hierarchy><node class="android.widget.FrameLayout" package="a" bounds="[0,0][1080,2400]">'
    f'<node class="android.widget.TextView" package="a" text="{NAME}" bounds="[40,600][900,680]"/>'
    f'<node class="android.widget.TextView" package="a" text="{PHONE}" '
    'bounds="[40,700][900,780]"/><node class="android.widget.Button" package="a" text="保存" '
    'clickable="true" bounds="[40,900][900,1000]"/></node></hierarchy>'
)
THINKS = "<THINK> think-secret </THINK>\nexplain:explain-secret\t"
STEPS = [
    Say(f"{THINKS}action:TYPE\tvalue:typed-secret\tkeyboard_exists:true\tsummary:sum-secret"),
    Say(f"{THINKS}action:INFO\tvalue:存 {PHONE} 吗？\tsummary:sum-secret"),
    Say(f"{THINKS}action:COMPLETE\treturn:存好了 {PHONE}\tsummary:sum-secret"),
]
THOUGHTS = ("think-secret", "explain-secret", "sum-secret")
PRIVATE = (PHONE, NAME, SERIAL, "typed-secret", "com.android.settings", "1080")


def open_service(start: Start, level: str) -> Service:
    """A phone that shows a contact, and a local model that tells all it can."""
    left = iter(STEPS)

    def write(request: RecordedRequest) -> Say:
        if "四句话" in json.dumps(request.body["messages"], ensure_ascii=False):
            return Say(f"联系人页面：{NAME}，电话 {PHONE}。有“保存”按钮。")
        if "four sentences" in json.dumps(request.body["messages"]):
            return Say(f"A contact: {NAME}, {PHONE}. There is a button to save.")
        return next(left)

    frames = [Frame(str(number), TREE, App("a")) for number in range(6)]
    installed = (InstalledApp("com.android.settings", ("设置", "Settings")),)
    phones = ScriptedPhones(ScriptedDevice(frames, installed=installed))
    return start(write, phones=phones, mcp_privacy=level)


async def use_every_tool(client: Client) -> dict[str, CallToolResult]:
    """Everything that an outer model may call, errors included."""
    results: dict[str, CallToolResult] = {}

    async def call(label: str, tool: str, **arguments: Any) -> dict[str, Any]:
        results[label] = await client.call_tool(tool, arguments)
        return dict(results[label].structured_content or {})

    await call("list", "get_device_list")
    await call("connected", "list_connected_devices")
    await call("screenshot", "get_screenshot")
    await call("tree", "get_ui_tree", xml=True)
    await call("apps", "list_apps")
    await call("click", "click", x=500, y=900)
    await call("input", "input_text", text="hello")
    await call("hotkey", "hotkey", key="BACK")
    await call("awake", "awake", app="设置")
    await call("unknown phone", "get_screenshot", device=f"{SERIAL}0")
    await call("unknown app", "awake", app=PHONE)
    facts = await call(
        "execute", "execute_task", task_description="新建联系人", approve=["unknown"], wait_s=20
    )
    task_id = facts["task_id"]
    await call("status", "task_status", task_id=task_id)
    await call("too early", "task_result", task_id=task_id)
    await call("reply", "task_reply", task_id=task_id, text="对")
    await call("wait", "task_wait", task_id=task_id, timeout_s=20)
    await call("result", "task_result", task_id=task_id)
    return results


def leaks(results: dict[str, CallToolResult], secrets: Sequence[str]) -> list[tuple[str, str]]:
    """Which secrets can be read in which answer."""
    found = []
    for label, result in results.items():
        told = json.dumps(result.model_dump(mode="json"), ensure_ascii=False)
        found += [(label, secret) for secret in secrets if secret in told]
    return found


def pictures(results: dict[str, CallToolResult]) -> list[str]:
    return [
        label
        for label, result in results.items()
        if any(isinstance(block, ImageContent) for block in result.content)
    ]


async def test_open_tells_all_pictures_too(start: Start) -> None:
    async with connected(open_service(start, "open"), "auto") as client:
        results = await use_every_tool(client)
    assert pictures(results) == ["screenshot"]
    assert {secret for _, secret in leaks(results, (*THOUGHTS, *PRIVATE))} == {*THOUGHTS, *PRIVATE}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_private_tells_no_picture_person_number_serial_thought_or_typed_value(
    start: Start, mode: str
) -> None:
    async with connected(open_service(start, "private"), mode) as client:
        results = await use_every_tool(client)
    assert pictures(results) == []
    assert leaks(results, (*THOUGHTS, *PRIVATE)) == []
    facts = {label: result.structured_content or {} for label, result in results.items()}
    assert facts["connected"]["devices"] == ["phone-1"]
    assert facts["screenshot"]["state_summary"] == (
        "A contact: [person], [phone]. There is a button to save."
    )
    labels = [element["label"] for element in facts["tree"]["elements"]]
    assert labels == ["[person]", "[phone]", "保存"]
    assert facts["execute"]["question"] == "存 [phone] 吗？"
    assert facts["result"]["state_summary"] == "联系人页面：[person]，电话 [phone]。有“保存”按钮。"
    assert facts["result"]["message"] == "存好了 [phone]"


async def test_summary_tells_texts_and_no_picture_or_thought(start: Start) -> None:
    async with connected(open_service(start, "summary"), "auto") as client:
        results = await use_every_tool(client)
    assert pictures(results) == []
    assert leaks(results, THOUGHTS) == []
    facts = results["screenshot"].structured_content or {}
    assert facts["state_summary"].startswith(f"A contact: {NAME}, {PHONE}")
    assert facts["device"] == SERIAL and "xml" not in (results["tree"].structured_content or {})


async def test_a_phone_is_driven_by_its_alias(start: Start) -> None:
    service = open_service(start, "private")
    async with connected(service, "auto") as client:
        result = await client.call_tool("click", {"x": 500, "y": 900, "device": "phone-1"})
    assert (result.structured_content or {})["device"] == "phone-1", result.content


async def test_without_a_model_on_this_machine_the_summary_is_what_the_tree_says(
    start: Start,
) -> None:
    service = open_service(start, "private")
    service.model.close()
    async with connected(service, "auto") as client:
        result = await client.call_tool("get_screenshot", {})
    said = (result.structured_content or {})["state_summary"]
    assert said == "App: a. On the screen: [person]; [phone]; 保存"


async def test_in_private_the_writer_itself_sees_no_secret(start: Start) -> None:
    service = open_service(start, "private")
    async with connected(service, "auto") as client:
        await client.call_tool("get_screenshot", {})
    (request,) = service.model.requests
    (picture,) = [
        part["image_url"]["url"]
        for part in request.body["messages"][0]["content"]
        if part["type"] == "image_url"
    ]
    assert picture.startswith("data:image/jpeg")
    assert PHONE not in json.dumps(request.body["messages"])

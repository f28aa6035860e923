"""MCP as a new user has it: a client, a virtual phone, the demo model; over HTTP and stdio."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

from device.virtual_phone.process import VirtualPhoneProcess
from server.tokens import find_token
from tests.e2e.house import Child

NOTE_TASK = "打开便签，新建便签，输入“明天买牛奶”，保存"
ASKING_TASK = "问我要找谁，打开联系人，在搜索框中输入我的回答，点击第一个联系人，告诉我电话"


def bearer(service: Child) -> dict[str, str]:
    return {"Authorization": f"Bearer {find_token(service.url)}"}


@contextlib.asynccontextmanager
async def over_http(service: Child, mode: str, **options: Any) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=bearer(service), timeout=60, trust_env=False) as http,
        Client(
            streamable_http_client(f"{service.url}/mcp/", http_client=http),
            mode=mode,  # type: ignore[arg-type]
            **options,
        ) as connected,
    ):
        yield connected


def command(environment: dict[str, str], folder: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "server", "mcp", "--log-dir", str(folder)],
        env={**os.environ, **environment},
    )


async def call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    facts: dict[str, Any] = json.loads(result.content[-1].text)
    return facts


async def finish(client: Any, facts: dict[str, Any]) -> dict[str, Any]:
    while facts["status"] == "running":
        facts = await call(client, "task_wait", task_id=facts["task_id"])
    return facts


def notes_of(phone: VirtualPhoneProcess) -> str:
    return json.dumps(phone.control.truth(), ensure_ascii=False)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_new_user_delegates_a_note_and_drives_by_hand(
    service: Child, phones: dict[str, VirtualPhoneProcess], mode: str
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    async with over_http(service, mode) as mcp:
        found = await call(mcp, "get_device_list")
        assert phone.serial in [row["serial"] for row in found["devices"]]
        facts = await call(mcp, "execute_task", task_description=NOTE_TASK, device=phone.serial)
        done = await finish(mcp, facts)
        assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done
        assert "明天买牛奶" in notes_of(phone)
        # The second task by single inputs alone: Bluetooth, switched by hand.
        before = phone.control.truth()
        await call(mcp, "awake", app="设置", device=phone.serial)
        for label in ("蓝牙", "蓝牙"):
            tree = await call(mcp, "get_ui_tree", device=phone.serial)
            x, y = next(e["center"] for e in tree["elements"] if label in e["label"])
            await call(mcp, "click", x=x, y=y, device=phone.serial)
            await call(mcp, "wait", seconds=1)
        assert phone.control.truth() != before
        shot = await mcp.call_tool("get_screenshot", {"device": phone.serial})
        assert len(shot.content[0].data) * 3 / 4 <= 700_000


async def test_its_question_is_answered_by_the_person(
    service: Child, phones: dict[str, VirtualPhoneProcess]
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"answer": "李四"})

    async with over_http(service, "auto", elicitation_callback=answer) as mcp:
        facts = await call(mcp, "execute_task", task_description=ASKING_TASK, device=phone.serial)
        done = await finish(mcp, facts)
    assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done
    assert len(asked) == 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_same_tools_over_stdio_and_nothing_else_on_stdout(
    environment: dict[str, str], tmp_path: Path, phones: dict[str, VirtualPhoneProcess], mode: str
) -> None:
    phone = phones["zh"]
    phone.control.reset()
    async with Client(command(environment, tmp_path), mode=mode) as mcp:  # type: ignore[arg-type]
        facts = await call(
            mcp,
            "execute_task",
            task_description="打开设置，进入蓝牙，关闭蓝牙",
            device=phone.serial,
        )
        done = await finish(mcp, facts)
        assert done["stop_reason"] == "TASK_COMPLETED_SUCCESSFULLY", done
    assert (tmp_path / f"{done['session_id']}.jsonl").exists()


async def test_the_fastmcp_client_works_as_well(
    service: Child,
    environment: dict[str, str],
    tmp_path: Path,
    phones: dict[str, VirtualPhoneProcess],
) -> None:
    phone = phones["zh"]
    stdio = command(environment, tmp_path)
    transports: list[Any] = [
        StreamableHttpTransport(f"{service.url}/mcp/", headers=bearer(service)),
        StdioTransport(stdio.command, stdio.args, env=stdio.env),
    ]
    for transport in transports:
        async with fastmcp.Client(transport) as mcp:
            tools = {tool.name for tool in await mcp.list_tools()}
            assert {"execute_task", "get_screenshot", "ask_agent"} <= tools
            shot = await mcp.call_tool("get_screenshot", {"device": phone.serial})
            assert shot.content[0].mime_type == "image/jpeg"
            pressed = await call(mcp, "hotkey", key="HOME", device=phone.serial)
            assert pressed["status"] == "ok"

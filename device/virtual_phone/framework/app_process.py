"""`app_process`: Java programs that clients bring along. One is known: uiautomator2's server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from device.virtual_phone.agents.automation import Automation
from device.virtual_phone.agents.http_agent import HttpAgent
from device.virtual_phone.shell.process import Command, Process

_SERVER: Final = "com.wetest.uia2.Main"
_DEFAULT_PORT: Final = 9008


async def _app_process(process: Process) -> int:
    main = next((arg for arg in process.args if "." in arg and not arg.startswith(("-", "/"))), "")
    jar = process.shell.variables.get("CLASSPATH", "")
    if main == _SERVER and jar and process.system.fs.exists(jar):
        return await _serve_automation(process)
    await process.err(
        f"Error: Could not find or load main class {main}: this phone knows no such program\n"
        "Aborted \n"
    )
    return 134


async def _serve_automation(process: Process) -> int:
    """Holds the phone's UiAutomation and answers on a port until the stream closes."""
    system = process.system
    args = process.args
    text = args[args.index("-p") + 1] if "-p" in args[:-1] else str(_DEFAULT_PORT)
    port = int(text) if text.isdecimal() else _DEFAULT_PORT
    await process.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
    if system.agents:
        await process.err(
            "java.lang.IllegalStateException: UiAutomationService android.accessibilityservice."
            "IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!\n"
            "\tat android.os.Parcel.readException(Parcel.java:1692)\n"
        )
        return 1
    agent = HttpAgent(Automation(system))
    system.agents[port] = agent
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        if system.agents.get(port) is agent:
            del system.agents[port]
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"app_process": _app_process, "dalvikvm": _app_process}

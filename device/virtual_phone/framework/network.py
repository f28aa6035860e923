"""Network commands: addresses, routes, ping. The phone has no real network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.framework.settings import get_setting
from device.virtual_phone.shell.process import Command, Process

_ADDRESS: Final = "192.168.1.105"
_MAC: Final = "02:00:00:44:55:66"


def _wifi_on(process: Process) -> bool:
    return get_setting(process.system.phone, "global", "wifi_on") != "0"


async def _ip(process: Process) -> int:
    args = [arg for arg in process.args if not arg.startswith("-") and arg not in ("show", "list")]
    match args:
        case ["route" | "r", *_]:
            if _wifi_on(process):
                await process.out(
                    f"192.168.1.0/24 dev wlan0 proto kernel scope link src {_ADDRESS} \n"
                )
            return 0
        case ["addr" | "address" | "a", *rest]:
            names = [name for name in rest if name != "dev"]
            return await _addresses(process, names[0] if names else None)
        case ["link" | "l", *_]:
            await process.out(f"2: wlan0: <BROADCAST,MULTICAST,UP>\n    link/ether {_MAC}\n")
            return 0
        case _:
            await process.err(f"ip: unknown command '{' '.join(process.args)}'\n")
            return 1


async def _addresses(process: Process, only: str | None) -> int:
    if only not in (None, "lo", "wlan0"):
        await process.err(f'Device "{only}" does not exist.\n')
        return 1
    if only in (None, "lo"):
        await process.out(
            "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default "
            "qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n"
            "    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n"
        )
    if only in (None, "wlan0"):
        on = _wifi_on(process)
        flags, state = ("UP,LOWER_UP", "UP") if on else ("NO-CARRIER", "DOWN")
        await process.out(
            f"30: wlan0: <BROADCAST,MULTICAST,{flags}> mtu 1500 qdisc mq state {state} group "
            f"default qlen 3000\n    link/ether {_MAC} brd ff:ff:ff:ff:ff:ff\n"
        )
        if on:
            await process.out(
                f"    inet {_ADDRESS}/24 brd 192.168.1.255 scope global wlan0\n"
                "       valid_lft forever preferred_lft forever\n"
            )
    return 0


async def _ifconfig(process: Process) -> int:
    name = process.args[0] if process.args else "wlan0"
    if name != "wlan0":
        await process.err(f"ifconfig: {name}: No such device\n")
        return 1
    await process.out(f"wlan0     Link encap:Ethernet  HWaddr {_MAC}\n")
    if _wifi_on(process):
        await process.out(
            f"          inet addr:{_ADDRESS}  Bcast:192.168.1.255  Mask:255.255.255.0 \n"
        )
    return 0


async def _ping(process: Process) -> int:
    target = process.args[-1] if process.args else ""
    await process.err(f"ping: unknown host {target}\n")
    return 2


async def _netstat(process: Process) -> int:
    await process.out(
        "Active Internet connections (w/o servers)\n"
        "Proto Recv-Q Send-Q Local Address           Foreign Address         State\n"
    )
    return 0


COMMANDS: Final[Mapping[str, Command]] = {
    "ifconfig": _ifconfig,
    "ip": _ip,
    "netstat": _netstat,
    "ping": _ping,
}

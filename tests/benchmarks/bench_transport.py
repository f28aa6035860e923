"""What the transport costs above the adb server, beside adbutils, in one run.

Everything goes through one real adb server to one virtual phone, and the targets take turns, so
that only the ratios matter. Exits 1 if a goal is missed.
"""

from __future__ import annotations

import socket
import statistics
import sys
import time
from collections.abc import Callable

import adbutils

from device.adb_server import PrivateAdbServer, ServerAddress, bundled_adb
from device.discovery import connect
from device.quoting import command, script
from device.transport import AdbServer, Transport
from device.virtual_phone.process import VirtualPhoneProcess

ROUNDS = 60
RAW_ROUNDS = 15
ABOVE_SERVER_GOAL_MS = 1.0
COPY_RATIO_GOAL = 2.0


def bare_shell(address: ServerAddress, serial: str, line: str) -> bytearray:
    """The least that any client must do: two requests on one socket, and keep what comes."""
    kept = bytearray()
    with socket.create_connection((address.host, address.port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for request in (f"host:transport:{serial}", f"shell,v2:{line}"):
            sock.sendall(b"%04x" % len(request) + request.encode())
            status = sock.recv(4, socket.MSG_WAITALL)
            if status != b"OKAY":
                raise RuntimeError(f"the adb server said {status!r}")
        buffer = bytearray(1 << 20)
        while count := sock.recv_into(buffer):
            kept += memoryview(buffer)[:count]
    return kept


def medians_ms(
    rounds: int, targets: dict[str, Callable[[], object]], warm_ups: int = 2
) -> dict[str, float]:
    """Median time of each target; they take turns."""
    times: dict[str, list[float]] = {name: [] for name in targets}
    for number in range(warm_ups + rounds):
        for name, run in targets.items():
            start = time.perf_counter()
            run()
            if number >= warm_ups:
                times[name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    with PrivateAdbServer(adb=bundled_adb()) as server, VirtualPhoneProcess() as phone:
        ours = Transport(phone.serial, AdbServer(server.address))
        connect(phone.serial, server=ours.server)
        theirs = adbutils.AdbClient(server.address.host, server.address.port).device(phone.serial)
        small = medians_ms(
            ROUNDS,
            {
                "bare": lambda: bare_shell(server.address, phone.serial, "true"),
                "ours": lambda: ours.run(command("true")),
                "adbutils": lambda: theirs.shell("true"),
            },
        )
        raw = medians_ms(
            RAW_ROUNDS,
            {
                "bare": lambda: bare_shell(server.address, phone.serial, "screencap"),
                "ours": lambda: ours.run(script("screencap")),
            },
        )
        # Seconds each: its reading is quadratic.
        raw |= medians_ms(1, {"adbutils": lambda: theirs.shell("screencap", encoding=None)}, 0)
        size_mb = len(ours.run(script("screencap")).stdout) / 1e6
    above_ms = small["ours"] - small["bare"]
    copy_ratio = raw["ours"] / raw["bare"]
    print(f"shell true, ms:      bare {small['bare']:.2f}  ours {small['ours']:.2f}  "
          f"adbutils {small['adbutils']:.2f}")  # fmt: skip
    print(f"raw {size_mb:.1f} MB, ms:     bare {raw['bare']:.1f}  ours {raw['ours']:.1f}  "
          f"adbutils {raw['adbutils']:.1f}")  # fmt: skip
    print(f"above the adb server: {above_ms:.2f} ms (goal < {ABOVE_SERVER_GOAL_MS:g} ms)")
    print(f"raw against a bare copy: {copy_ratio:.2f}x (goal < {COPY_RATIO_GOAL:g}x)")
    print(f"ours / adbutils: shell {small['ours'] / small['adbutils']:.3f}, "
          f"raw {raw['ours'] / raw['adbutils']:.3f}")  # fmt: skip
    return 0 if above_ms < ABOVE_SERVER_GOAL_MS and copy_ratio < COPY_RATIO_GOAL else 1


if __name__ == "__main__":
    sys.exit(main())

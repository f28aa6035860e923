"""`python -m device.virtual_phone`: runs one virtual phone until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace

from device.virtual_phone.faults import Fault, FaultError, read_fault
from device.virtual_phone.http_control import ControlServer
from device.virtual_phone.personalities import (
    DEFAULT_PERSONALITY,
    PERSONALITIES,
    personality_table,
    profile_of,
)
from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.profile import Profile
from device.virtual_phone.server import AdbServer, bind_loopback
from device.virtual_phone.userland import Userland


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not WIDTHxHEIGHT, as in 1080x2400")
    return int(width), int(height)


def _fault(text: str) -> Fault:
    try:
        return read_fault(text)
    except FaultError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class _ListPersonalities(argparse.Action):
    """Prints the table and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> None:
        print(personality_table(), end="")
        parser.exit()


def read_arguments(args: list[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m device.virtual_phone",
        description="An Android phone without a phone: connect with 'adb connect 127.0.0.1:PORT'.",
    )
    parser.add_argument("--port", type=int, default=0, help="adb port (default: a free one)")
    parser.add_argument(
        "--control-port", type=int, default=0, help="control port (default: a free one)"
    )
    parser.add_argument(
        "--personality",
        choices=tuple(PERSONALITIES),
        default=DEFAULT_PERSONALITY,
        metavar="NAME",
        help=f"kind of phone: {', '.join(PERSONALITIES)} (default: {DEFAULT_PERSONALITY})",
    )
    parser.add_argument(
        "--list-personalities", action=_ListPersonalities, nargs=0, help="describe them and end"
    )
    parser.add_argument(
        "--vendor-switch",
        action="store_true",
        help="switch on the vendor's developer option that lets adb tap and change settings",
    )
    parser.add_argument(
        "--fault",
        type=_fault,
        action="append",
        default=[],
        metavar="NAME[:times=N,probability=P,...]",
        help="misbehave so; may be given several times; a wrong name lists them all",
    )
    parser.add_argument("--size", type=_size, metavar="WxH", help="natural size in pixels")
    parser.add_argument("--density", type=int, help="dots per inch")
    parser.add_argument("--locale", choices=("zh", "en"), default="zh")
    parser.add_argument("--seed", type=int, default=0, help="seed of everything random")
    parser.add_argument(
        "--watch-stdin", action="store_true", help="end when standard input is closed"
    )
    parser.add_argument("--verbose", action="store_true", help="log to standard error")
    return parser.parse_args(args)


async def run_phone(
    profile: Profile,
    port: int,
    control_port: int,
    watch_stdin: bool,
    faults: Sequence[Fault] = (),
) -> None:
    """Runs a phone until a signal, a closed standard input or `POST /shutdown` ends it."""
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    listener = bind_loopback(port)
    # Clients take two entries with the same serial number for one phone on two ways.
    number = f"VIRTUAL{listener.getsockname()[1]:05d}"
    profile = replace(profile, serialno=number)
    system = Userland(VirtualPhone(profile), profile)
    for fault in faults:
        system.add_fault(fault)
    adb = AdbServer(system)
    control = ControlServer(system, stopped.set)
    await adb.start(listener)
    await control.start(control_port)
    for name in ("SIGINT", "SIGTERM"):
        try:
            loop.add_signal_handler(getattr(signal, name), stopped.set)
        except NotImplementedError:
            pass  # Windows: KeyboardInterrupt and process termination do it there.
    if watch_stdin:

        def wait_for_end() -> None:
            while os.read(sys.stdin.fileno(), 1):
                pass
            loop.call_soon_threadsafe(stopped.set)

        threading.Thread(target=wait_for_end, daemon=True).start()
    ticking = asyncio.create_task(system.tick_forever())
    ready = {
        "adb_port": adb.port,
        "control_port": control.port,
        "serial": f"127.0.0.1:{adb.port}",
    }
    print(json.dumps(ready), flush=True)
    await stopped.wait()
    ticking.cancel()
    await adb.stop()
    await control.stop()
    await system.stop()


def main() -> int:
    """Entry point; gives the exit code."""
    options = read_arguments()
    level = logging.DEBUG if options.verbose else logging.WARNING
    logging.basicConfig(level=level, stream=sys.stderr)
    try:
        width_px, height_px = options.size or (None, None)
        profile = profile_of(
            options.personality,
            width_px=width_px,
            height_px=height_px,
            density=options.density,
            locale=options.locale,
            seed=options.seed,
            vendor_switch_on=options.vendor_switch,
        )
        asyncio.run(
            run_phone(
                profile, options.port, options.control_port, options.watch_stdin, options.fault
            )
        )
    except (ValueError, OSError) as error:
        print(f"the virtual phone can't start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())

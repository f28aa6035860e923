"""Which phones are there: listing, connecting, opening. One bad phone never hides the others."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from device.adb_device import AdbDevice, default_state_dir
from device.apps import AliasTable
from device.claims import PhoneClaims
from device.connection import error_from_failure
from device.errors import (
    AdbServerError,
    AdbTooOldError,
    BadAddressError,
    ConnectFailedError,
    DeviceAmbiguousError,
    DeviceBootingError,
    DeviceError,
    DeviceNotFoundError,
    DeviceOfflineError,
    DeviceUnauthorizedError,
    PairingFailedError,
)
from device.protocol import DeviceStateName
from device.quoting import command
from device.state import ask_all
from device.transport import AdbServer, Transport, is_network_serial

_LOG = logging.getLogger(__name__)
DEFAULT_PORT = 5555
_PASSING_STATES = frozenset({"offline", "authorizing", "connecting"})
_READY_TIMEOUT_S = 3.0
_READY_POLL_S = 0.1
_STATES = (
    "device|offline|unauthorized|authorizing|connecting|recovery|sideload|bootloader|rescue|host"
    "|detached|unknown"
)
_ROW = re.compile(
    rf"(?P<serial>\S.*)\s+(?P<state>{_STATES})(?P<rest>(?:\s+(?:[a-z_]+:\S*|[\d.-]+X?))*)\s*"
)
_NO_PERMISSIONS = re.compile(r"(?P<serial>\S.*?)\s+no permissions\b(?P<rest>.*)")
_TRANSPORT_ID = re.compile(r"\btransport_id:(\d+)")
_PATH = re.compile(r"(?:^|\s)(?:usb:)?(\d+-[\d.]+X?)(?=\s|$)")
_ADDRESS = re.compile(r"(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+(?:%\w+)?\])(?::(?P<port>\d+))?", re.ASCII)
_PAIRING_CODE = re.compile(r"[0-9A-Za-z-]{4,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A row of `adb devices -l`.

    Attributes:
        serial: adb's name of the device; may hold spaces.
        state: Only `device` is ready.
        model: Model, product and device name as adb prints them, or "".
        usb: USB path, or "" for a network device.
        transport_id: adb's number of this connection, where printed.
        hint: What to do about a state that is not ready.
        name: What its owner calls it, where known.
        tags: What its owner chooses it by.
    """

    serial: str
    state: DeviceStateName
    model: str = ""
    product: str = ""
    device: str = ""
    usb: str = ""
    transport_id: int | None = None
    hint: str = field(default="", compare=False)
    name: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        return self.state == "device"


_HINTS: dict[DeviceStateName, str] = {
    "offline": "unplug and plug it again; over the network disconnect and connect",
    "unauthorized": "accept the debugging question on the phone's screen",
    "authorizing": "wait a moment, then accept the question on the phone's screen",
    "connecting": "wait a moment",
    "no_permissions": "add a udev rule for this phone and plug it again",
    "recovery": "restart the phone into Android",
    "sideload": "restart the phone into Android",
    "bootloader": "restart the phone into Android",
    "rescue": "restart the phone into Android",
    "host": "this is no phone",
    "detached": "attach it with `adb attach`",
    "unknown": "unplug the phone and plug it again",
}


def parse_devices(text: str) -> list[DeviceInfo]:
    """Read `adb devices`, with `-l` or without, from any platform's adb.

    Serials may hold spaces, so a row is read from its state backwards; lines that are no row (the
    headline, what the daemon says while it starts) are passed over.
    """
    devices = []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith(("*", "List of devices", "adb server", "adb:")):
            continue
        if match := _NO_PERMISSIONS.fullmatch(line):
            state: DeviceStateName = "no_permissions"
        elif match := _ROW.fullmatch(line):
            state = _state(match["state"])
        else:
            continue
        rest = match["rest"]
        path = _PATH.search(rest)
        number = _TRANSPORT_ID.search(rest)
        devices.append(
            DeviceInfo(
                match["serial"].strip(),
                state,
                model=_value(rest, "model"),
                product=_value(rest, "product"),
                device=_value(rest, "device"),
                usb=path[1] if path else "",
                transport_id=int(number[1]) if number else None,
                hint=_HINTS.get(state, ""),
            )
        )
    return devices


def list_devices(server: AdbServer | None = None) -> list[DeviceInfo]:
    """All devices that adb sees, in whatever state.

    Raises:
        AdbMissingError: There is no adb program to start the server with.
        AdbServerError: The server does not answer.
    """
    return parse_devices((server or AdbServer()).query("host:devices-l"))


def open_device(
    serial: str | None = None,
    *,
    server: AdbServer | None = None,
    aliases: AliasTable | None = None,
    state_dir: Path | None = None,
) -> AdbDevice:
    """Open a phone by its serial, or the only one that is ready.

    A keyboard that an earlier run could not give back is given back now, unless another process
    is driving the phone just now.

    Args:
        serial: Serial as `list_devices` gives it, or None for the only ready one. An address that
            is not listed is connected first.
        server: The adb server.
        aliases: Human names of apps, from `configs/apps.yaml`.
        state_dir: Where borrowed keyboards are written down.

    Raises:
        DeviceNotFoundError: There is none, or none of this serial.
        DeviceAmbiguousError: Several are ready and none was named.
        ConnectFailedError: Nothing answers at the address.
        DeviceError: It is there, but not ready.
    """
    server = server or AdbServer()
    devices = list_devices(server)
    listed = any(info.serial == serial for info in devices)
    if serial is not None and not listed and is_network_serial(serial):
        connect(serial, server=server)  # adb forgets network phones that were away
        devices = list_devices(server)
    info = _named(serial, devices) if serial is not None else _only_ready(devices, server)
    if info.state in _PASSING_STATES:
        info = _wait_ready(info, server)
    if not info.is_ready:
        raise not_ready_error(info)
    state_dir = state_dir or default_state_dir()
    opened = AdbDevice(Transport(info.serial, server), aliases=aliases, state_dir=state_dir)
    if PhoneClaims(state_dir).foreign(info.serial) is not None:
        return opened  # what is borrowed now is that process's to give back
    try:
        opened.restore()
    except DeviceError as error:  # it stays written down for the next time
        _LOG.warning("the keyboard of %s could not be given back: %s", info.serial, error)
    return opened


def connect(address: str, *, server: AdbServer | None = None, timeout_s: float = 15.0) -> str:
    """Connect a phone over the network.

    Args:
        address: `HOST` or `HOST:PORT`; the port is 5555 by default.
        server: The adb server.
        timeout_s: Deadline; a silent peer holds adb itself for 10 s.

    Returns:
        The serial to use.

    Raises:
        BadAddressError: Not an address.
        ConnectFailedError: Nothing accepted the connection.
        DeviceUnauthorizedError: The phone asks whether to allow this computer.
    """
    target = _read_address(address)
    answer = (server or AdbServer()).query(f"host:connect:{target}", timeout_s=timeout_s)
    check_connected(answer, target)
    return target


def disconnect(address: str, *, server: AdbServer | None = None) -> None:
    """Disconnect a network phone.

    Raises:
        DeviceNotFoundError: It is not connected.
    """
    (server or AdbServer()).query(f"host:disconnect:{_read_address(address)}")


def pair(
    address: str, code: str, *, server: AdbServer | None = None, timeout_s: float = 20.0
) -> None:
    """Pair with a phone that shows a pairing code (Android 11 and newer).

    Args:
        address: `HOST:PORT` of the pairing dialog: not the port to connect to later.
        code: The code that the dialog shows.
        server: The adb server.
        timeout_s: Deadline.

    Raises:
        AdbTooOldError: This adb server cannot pair (before 30).
        PairingFailedError: The code or the port is not the dialog's.
    """
    target = _read_address(address)
    if not _PAIRING_CODE.fullmatch(code):
        raise PairingFailedError("This is no pairing code; type the one on the phone's screen.")
    try:
        answer = (server or AdbServer()).query(f"host:pair:{code}:{target}", timeout_s=timeout_s)
    except AdbServerError as error:
        raise AdbTooOldError("This adb server cannot pair; use adb 30 or newer.") from error
    check_paired(answer)


def check_connected(answer: str, address: str) -> None:
    """Read what `adb connect` says: it exits 0 on every failure.

    Raises:
        DeviceError: It is not connected.
    """
    text = answer.strip()
    if text.startswith(("connected to", "already connected to")):
        return
    low = text.lower()
    if "failed to authenticate" in low or "unauthorized" in low:
        raise DeviceUnauthorizedError(
            f"{address} has not allowed this computer; accept the question on its screen.",
            output=text,
        )
    if any(words in low for words in ("failed to resolve", "bad port", "empty host", "malformed")):
        raise BadAddressError(f"{address} cannot be reached: {text}; correct it.", output=text)
    raise ConnectFailedError(
        f"{address} did not accept the connection ({text or 'no answer'}); check that wireless "
        "debugging is on, and the address and port.",
        output=text,
        refused="refused" in low,
    )


def check_paired(answer: str) -> None:
    """Read what `adb pair` says.

    Raises:
        AdbTooOldError: This adb cannot pair.
        PairingFailedError: It did not pair.
    """
    text = answer.strip()
    if text.startswith("Successfully paired"):
        return
    if "unknown command" in text or "unknown host service" in text:
        raise AdbTooOldError("This adb cannot pair; use adb 30 or newer.", output=text)
    raise PairingFailedError(
        f"The phone did not pair ({text or 'no answer'}); use the code and the port of its dialog.",
        output=text,
    )


def not_ready_error(info: DeviceInfo) -> DeviceError:
    """The typed error of a device that is listed but not ready."""
    message = f"Phone {info.serial} is {info.state}; {_HINTS.get(info.state, 'wait')}."
    if info.state in {"unauthorized", "no_permissions"}:
        return DeviceUnauthorizedError(message, serial=info.serial, state=info.state)
    if info.state in {"recovery", "sideload", "bootloader", "rescue"}:
        return DeviceBootingError(message, serial=info.serial, state=info.state)
    return DeviceOfflineError(message, serial=info.serial, state=info.state)


def _named(serial: str, devices: list[DeviceInfo]) -> DeviceInfo:
    found = [info for info in devices if info.serial == serial]
    if found:
        return next((info for info in found if info.is_ready), found[0])
    listed = ", ".join(info.serial for info in devices) or "none"
    error = error_from_failure("device not found", serial=serial)
    raise DeviceNotFoundError(
        f"{error.message.rstrip('.')} (connected: {listed}).",
        serial=serial,
        connected=[info.serial for info in devices],
    )


def _only_ready(devices: list[DeviceInfo], server: AdbServer) -> DeviceInfo:
    ready = [info for info in devices if info.is_ready]
    if len(ready) > 1:
        ready = _merge_same_phone(ready, server)
    if len(ready) == 1:
        return ready[0]
    if ready:
        raise DeviceAmbiguousError(
            f"{len(ready)} phones are ready; name one: {', '.join(i.serial for i in ready)}.",
            candidates=[info.serial for info in ready],
        )
    if len(devices) == 1:
        return devices[0]  # its own state says more than "none is ready"
    states = ", ".join(f"{info.serial} is {info.state}" for info in devices)
    raise DeviceNotFoundError(
        f"No phone is ready ({states or 'none is connected'}); plug one in, or "
        "`localserver connect HOST:PORT`."
    )


def _merge_same_phone(ready: list[DeviceInfo], server: AdbServer) -> list[DeviceInfo]:
    """One phone by cable and by network, or an emulator under two names, is one phone."""
    chosen: dict[tuple[str, ...], DeviceInfo] = {}
    for info in ready:
        try:
            told = ask_all(
                Transport(info.serial, server),
                {
                    "serialno": command("getprop", "ro.serialno"),
                    "boot": command("cat", "/proc/sys/kernel/random/boot_id"),
                },
            )
        except DeviceError:
            told = {}
        known = told.get("serialno", "").strip(), told.get("boot", "").strip()
        identity = known if known[0] else (info.serial,)
        best = chosen.get(identity)
        if best is None or (info.usb and not best.usb):
            chosen[identity] = info
    return list(chosen.values())


def _wait_ready(info: DeviceInfo, server: AdbServer) -> DeviceInfo:
    """Give a phone that is coming back a few seconds; a network one is connected again."""
    deadline = time.monotonic() + _READY_TIMEOUT_S
    if is_network_serial(info.serial) and info.state == "offline":
        try:
            server.query(f"host:disconnect:{info.serial}")
            server.query(f"host:connect:{info.serial}", timeout_s=_READY_TIMEOUT_S)
        except DeviceError:
            pass  # its state, read below, tells how it went
    while True:
        now = next((i for i in list_devices(server) if i.serial == info.serial), info)
        if now.state not in _PASSING_STATES or time.monotonic() >= deadline:
            return now
        time.sleep(_READY_POLL_S)


def _read_address(address: str) -> str:
    match = _ADDRESS.fullmatch(address.strip())
    port = int(match["port"]) if match and match["port"] else DEFAULT_PORT
    if match is None or not 0 < port < 65536:
        raise BadAddressError(f"{address!r} is no address; write HOST or HOST:PORT.")
    return f"{match['host']}:{port}"


def _value(rest: str, key: str) -> str:
    match = re.search(rf"(?:^|\s){key}:(\S*)", rest)
    return match[1] if match else ""


def _state(text: str) -> DeviceStateName:
    for name in get_args(DeviceStateName):
        if name == text:
            known: DeviceStateName = name
            return known
    return "unknown"

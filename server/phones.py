"""Where the server's phones come from: those that adb lists, each opened once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from device.apps import AliasTable
from device.discovery import DeviceInfo, list_devices, open_device
from device.doctor import Finding, diagnose
from device.protocol import Device
from server.device_names import DeviceNames
from server.settings import Settings

ALIASES_FILE = "apps.yaml"


class Phones(Protocol):
    """Who knows the phones. Calls block, and may raise `DeviceError`."""

    def list(self) -> Sequence[DeviceInfo]:
        """All phones, in every state, with the names and tags that people gave them."""

    def open(self, serial: str | None) -> Device:
        """The phone of that serial or name, or the only ready one."""

    def diagnose(self, serial: str | None) -> Sequence[Finding]:
        """What is missing between this machine and one phone, or all of them."""


class AdbPhones:
    """The phones of this machine's adb server.

    A phone is opened once and shared: opening gives back a keyboard that an earlier run could not
    give back, which must not happen while another caller is typing.

    Args:
        settings: Where the names of apps and phones are.

    Raises:
        AliasTableError: The table of apps cannot be read.
        ConfigError: The table of phones is wrong.
    """

    def __init__(self, settings: Settings) -> None:
        path = settings.config_dir / ALIASES_FILE
        self._aliases = AliasTable.load(path) if path.exists() else AliasTable()
        self._names = DeviceNames.load(settings.config_dir)
        self._state_dir = settings.state_dir
        self._opened: dict[str, Device] = {}
        self._lock = threading.Lock()

    def list(self) -> Sequence[DeviceInfo]:
        return self._names.label(list_devices())

    def diagnose(self, serial: str | None) -> Sequence[Finding]:
        return diagnose(self._names.serial_of(serial))

    def open(self, serial: str | None) -> Device:
        serial = self._names.serial_of(serial)
        ready = [info.serial for info in list_devices() if info.is_ready]
        wanted = ready[0] if serial is None and len(ready) == 1 else serial
        with self._lock:
            if wanted in ready and wanted in self._opened:
                return self._opened[wanted]
        device = open_device(serial, aliases=self._aliases, state_dir=self._state_dir)
        with self._lock:
            return self._opened.setdefault(device.serial, device)

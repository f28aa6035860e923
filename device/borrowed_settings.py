"""Settings that a run changes and gives back: animations off, no sleep meanwhile.

What the person had is written down before it is changed, so that it comes back after a crash too.
A vendor may refuse such changes: then the run goes on without them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from device.errors import DeviceError
from device.failures import check
from device.properties import read_setting
from device.quoting import ShellCommand, command, join
from device.state import ask_all
from device.state_files import StateFiles
from device.transport import Transport

_LOG = logging.getLogger(__name__)

RUN_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "global/window_animation_scale": "0",
        "global/transition_animation_scale": "0",
        "global/animator_duration_scale": "0",
        "global/stay_on_while_plugged_in": "7",
        "system/screen_off_timeout": "1800000",
    }
)
"""What a run wants: no animations, awake on any charger (a bit each), else for half an hour."""


class BorrowedSettings:
    """The settings of one phone that are not as its owner has them.

    Args:
        transport: The phone.
        directory: Where the owner's values are written down.
    """

    def __init__(self, transport: Transport, directory: Path) -> None:
        self._transport = transport
        self._files = StateFiles(directory)

    def borrow(self) -> tuple[str, ...]:
        """Set what a run wants; returns the names of what is changed now.

        Raises:
            DeviceError: The phone could not be asked at all.
            OSError: The owner's values could not be written down; nothing was changed.
        """
        owned = self._read_owned()
        found = self._ask(RUN_SETTINGS)
        changing = {n: v for n, v in RUN_SETTINGS.items() if n not in owned and found[n] != v}
        if not changing:
            return tuple(owned)
        # A run that crashed has not given back yet: its values are the owner's, not today's.
        owned = {**{name: found[name] for name in changing}, **owned}
        self._files.write(self._transport.serial, {"settings": owned})
        try:
            self._set(changing)
        except DeviceError as error:
            _LOG.info("%s keeps its settings: %s", self._transport.serial, error)
        now = self._ask(owned)
        kept = {name: value for name, value in owned.items() if now[name] != value}
        self._write(kept)
        return tuple(kept)

    def give_back(self) -> None:
        """Set the owner's values again, but for those that somebody has changed meanwhile.

        Raises:
            DeviceError: It could not be done; the values stay written down for the next time.
        """
        owned = self._read_owned()
        if not owned:
            return
        now = self._ask(owned)
        self._set({n: value for n, value in owned.items() if now[n] == RUN_SETTINGS[n]})
        self._files.forget(self._transport.serial)

    def _read_owned(self) -> dict[str, str | None]:
        written = self._files.read(self._transport.serial).get("settings")
        if not isinstance(written, dict):
            return {}
        return {
            name: value
            for name, value in written.items()
            if name in RUN_SETTINGS and (value is None or isinstance(value, str))
        }

    def _write(self, owned: Mapping[str, str | None]) -> None:
        if owned:
            self._files.write(self._transport.serial, {"settings": dict(owned)})
        else:
            self._files.forget(self._transport.serial)

    def _ask(self, names: Mapping[str, str | None]) -> dict[str, str | None]:
        questions = {name: command("settings", "get", *name.split("/")) for name in names}
        told = ask_all(self._transport, questions)
        return {name: read_setting(told.get(name, "")) for name in names}

    def _set(self, values: Mapping[str, str | None]) -> None:
        commands: list[ShellCommand] = []
        for name, value in values.items():
            place = name.split("/")
            words = ("delete", *place) if value is None else ("put", *place, value)
            commands.append(command("settings", *words))
        if commands:
            check(self._transport.run(join(commands)), "change its settings")

"""What people call their phones: names and tags by serial, from `configs/devices.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from device.discovery import DeviceInfo
from server.config_files import explain_validation_error, read_config_file

DEVICES_FILE = "devices.yaml"


class DeviceEntry(BaseModel):
    """A phone of the file: at least a name or a tag.

    Attributes:
        name: What people call it; serves wherever a serial is asked for.
        tags: What it can be chosen by: `{tag: office}` runs a task on any ready one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    name: str = Field(default="", max_length=60)
    tags: tuple[str, ...] = ()


class DeviceNames:
    """Names and tags of phones.

    Args:
        entries: By serial.
    """

    def __init__(self, entries: Mapping[str, DeviceEntry] | None = None) -> None:
        self._entries = dict(entries or {})
        self._serials = {entry.name: serial for serial, entry in self._entries.items()}
        self._serials.pop("", None)

    @classmethod
    def load(cls, config_dir: Path) -> DeviceNames:
        """Read the file of a config folder; none is no mistake.

        Raises:
            ConfigError: It is wrong; the message names file, line and key.
        """
        path = config_dir / DEVICES_FILE
        if not path.exists():
            return cls()
        file = read_config_file(path)
        entries: dict[str, DeviceEntry] = {}
        taken: dict[str, str] = {}
        for key, value in file.data.items():
            serial = str(key)
            try:
                entry = DeviceEntry.model_validate(value)
            except ValidationError as error:
                key_path, problem = explain_validation_error(error, DeviceEntry)
                raise file.error((serial, *key_path), problem) from error
            if entry.name and (other := taken.setdefault(entry.name, serial)) != serial:
                raise file.error((serial, "name"), f"{other} has this name already; take another")
            entries[serial] = entry
        return cls(entries)

    def serial_of(self, name: str | None) -> str | None:
        """The serial of a phone's name; anything else is taken as a serial itself."""
        return self._serials.get(name, name) if name is not None else None

    def label(self, infos: Iterable[DeviceInfo]) -> list[DeviceInfo]:
        """Put names and tags to listed phones."""
        unknown = DeviceEntry()
        entries = ((info, self._entries.get(info.serial, unknown)) for info in infos)
        return [replace(info, name=entry.name, tags=entry.tags) for info, entry in entries]

"""What apps are called on this phone: read from their packages once, and kept on disk.

No command of Android prints the names. They are in each app's package, which the shell may read
(`unzip` is there from Android 10 on). A name stays true as long as the package lies where it lay:
an update moves it.
"""

from __future__ import annotations

import logging
import time
import zlib
from collections.abc import Mapping
from pathlib import Path

from device.apk_label import ApkError, read_labels
from device.errors import CommandMissingError, DeviceError
from device.failures import check
from device.quoting import command, join, script
from device.state_files import StateFiles
from device.transport import Transport

_LOG = logging.getLogger(__name__)
_READ_MAX_S = 30.0
_APP_TIMEOUT_S = 10.0
_RESOURCES_MAX_BYTES = 64_000_000


class AppLabels:
    """The names of one phone's apps, by package.

    Args:
        transport: The phone.
        directory: Where they are kept.
    """

    def __init__(self, transport: Transport, directory: Path) -> None:
        self._transport = transport
        self._files = StateFiles(directory)
        self._is_readable = True

    def known(self, paths: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The names that were read before, without asking the phone.

        Args:
            paths: Where each package lies, as `pm list packages -f` prints it.
        """
        kept = self._read_kept()
        return {package: kept[path] for package, path in paths.items() if path in kept}

    def read(self, paths: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """The names of these packages; those that are not known are read, for half a minute.

        A package that cannot be read has no name; a phone without `unzip` is not asked again.
        """
        kept = self._read_kept()
        missing = [path for path in paths.values() if path not in kept]
        deadline = time.monotonic() + _READ_MAX_S
        for path in missing:
            if not self._is_readable or time.monotonic() > deadline:
                break
            try:
                kept[path] = self._read_package(path)
            except CommandMissingError:
                self._is_readable = False
            except (DeviceError, ApkError) as error:
                _LOG.info("the name of %s cannot be read: %s", path, error)
                kept[path] = ()
        if missing:
            self._keep(kept)
        return {package: kept[path] for package, path in paths.items() if path in kept}

    def _read_package(self, path: str) -> tuple[str, ...]:
        manifest = self._transport.read(
            command("unzip", "-p", path, "AndroidManifest.xml"), timeout_s=_APP_TIMEOUT_S
        )
        check(manifest, "read an app's package")
        if not manifest.stdout:
            raise ApkError("no manifest")
        squeezed = join([command("unzip", "-p", path, "resources.arsc"), script("gzip -1")], " | ")
        answer = self._transport.read(squeezed, timeout_s=_APP_TIMEOUT_S)
        try:
            inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
            resources = inflater.decompress(answer.stdout, _RESOURCES_MAX_BYTES)
        except zlib.error as error:
            raise ApkError(f"its resources came damaged: {error}") from error
        return read_labels(manifest.stdout, resources)

    def _read_kept(self) -> dict[str, tuple[str, ...]]:
        written = self._files.read(self._transport.serial).get("labels")
        if not isinstance(written, dict):
            return {}
        return {
            path: tuple(name for name in names if isinstance(name, str))
            for path, names in written.items()
            if isinstance(names, list)
        }

    def _keep(self, labels: Mapping[str, tuple[str, ...]]) -> None:
        try:
            self._files.write(self._transport.serial, {"labels": dict(labels)})
        except OSError as error:
            _LOG.warning("the names of apps cannot be kept: %s", error)

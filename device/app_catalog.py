"""What is installed on one phone, by package and by name, for the Android user in front."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from device.app_labels import AppLabels
from device.apps import AliasTable, is_package, match_app, read_packages
from device.errors import AppNotFoundError, UserNotAccessibleError
from device.failures import check
from device.focus import full_component
from device.launching import list_launchers
from device.protocol import InstalledApp
from device.quoting import command
from device.transport import Transport


class AppCatalog:
    """The apps of one phone.

    Args:
        transport: The phone.
        aliases: Human names of apps.
        labels_dir: Where names that were read from the phone are kept.
    """

    def __init__(self, transport: Transport, aliases: AliasTable, labels_dir: Path) -> None:
        self._transport = transport
        self._aliases = aliases
        self._labels = AppLabels(transport, labels_dir)
        self._installed: list[InstalledApp] | None = None
        self._paths: Mapping[str, str] = {}
        self._lock = threading.Lock()

    def resolve(self, name: str) -> str:
        """The package of an installed app by its human name or package; never a lookalike.

        The names that the phone itself shows are read only when no other name fits.

        Raises:
            AppNotFoundError: Nothing installed has this name; `details["candidates"]`.
            AppAmbiguousError: Several have; `details["candidates"]`.
        """
        known = self._installed
        if known is not None:
            try:
                return match_app(name, known, self._aliases)
            except AppNotFoundError:
                pass  # it may have been installed since
        try:
            return match_app(name, self.installed(), self._aliases)
        except AppNotFoundError:
            named = self._named()
            if named is None:
                raise
            return match_app(name, named, self._aliases)

    def installed(self) -> list[InstalledApp]:
        """All packages of the user in front, with all names that are known."""
        everything = set(self._list_packages())
        own = self._list_packages("-3", "-f")
        openable = {
            parts[0] for c in list_launchers(self._transport) if (parts := full_component(c))
        }
        paths = {package: path for package, path in own.items() if path}
        read = self._labels.known(paths)
        apps = [
            InstalledApp(
                package,
                _merge(self._aliases.labels(package), read.get(package, ())),
                system=package not in own,
                launchable=package in openable if openable else None,
            )
            for package in sorted(everything | openable)
        ]
        with self._lock:
            self._installed, self._paths = apps, paths
        return list(apps)

    def check_installed(self, package: str) -> None:
        """Refuse what is no installed package.

        Raises:
            AppNotFoundError: It is not installed.
        """
        known = {app.package for app in self._installed or ()}
        if is_package(package) and package in known:
            return
        if not is_package(package) or package not in {app.package for app in self.installed()}:
            raise AppNotFoundError(
                f"{package!r} is not installed on the phone; name an installed package.",
                candidates=[],
            )

    def current_user(self) -> str:
        """The Android user in front: not always 0 on tablets and in cars."""
        told = self._transport.read(command("am", "get-current-user")).text.strip()
        return told if told.isascii() and told.isdigit() else "0"

    def _named(self) -> list[InstalledApp] | None:
        """The apps with the names that the phone shows; None where that tells nothing new."""
        with self._lock:
            apps, paths = list(self._installed or ()), dict(self._paths)
        nameless = [a.package for a in apps if not a.labels and a.launchable is not False]
        asked = {package: paths[package] for package in nameless if package in paths}
        read = self._labels.read(asked)
        named = [replace(app, labels=_merge(app.labels, read.get(app.package, ()))) for app in apps]
        if named == apps:
            return None
        with self._lock:
            self._installed = named
        return named

    def _list_packages(self, *options: str) -> dict[str, str | None]:
        """List for the user in front; others (work profile, second space) are closed to adb."""
        words = ("pm", "list", "packages", *options, "--user", self.current_user())
        result = self._transport.read(command(*words), timeout_s=30.0)
        listed = read_packages(result.merged_text)
        if listed.error is not None and not (
            isinstance(listed.error, UserNotAccessibleError) and listed.rows
        ):
            raise listed.error
        if not listed.rows and not options:
            check(result, "list its apps")
        return {row.package: row.path for row in listed.rows}


def _merge(names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *more)))

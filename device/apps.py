"""From an app's human name to the package that is installed: pure functions and the alias table.

Exact before partial; an unclear name returns its candidates, and nothing is ever opened or closed
on a likeness. The table (`configs/apps.yaml`) only says which packages a name *may* mean; what
counts is what the phone has.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import yaml

from device.errors import (
    AliasTableError,
    AppAmbiguousError,
    AppNotFoundError,
    DeviceError,
    UserNotAccessibleError,
)
from device.failures import error_from_output
from device.focus import full_component
from device.protocol import InstalledApp

_CANDIDATES_MAX = 8
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)*", re.ASCII)
_ROW = re.compile(r"^package:(?P<rest>\S.*?)\s*$", re.MULTILINE)
_UID = re.compile(r"\s+uid:(?P<uid>[\d,]+)(?=\s|$)")
_EXTRAS = re.compile(r"\s+(?:uid:[\d,]+|versionCode:\d+|installer=\S+)")
_USER = re.compile(r"UserInfo\{(?P<id>\d+):(?P<name>.*):(?P<flags>[0-9a-fA-F]+)\}(?P<rest>.*)")
_COMPONENT = re.compile(r"[A-Za-z][\w.]*/[\w.$]+", re.ASCII)
_CHOOSERS = ("ResolverActivity", "ChooserActivity")
_FILLER = re.compile(r"(?:的)?(?:app|application|应用程序|应用|软件)$")


@dataclass(frozen=True, slots=True)
class PackageRow:
    """A row of `pm list packages`, with what was asked for."""

    package: str
    path: str | None = None
    uid: int | None = None


@dataclass(frozen=True, slots=True)
class PackageList:
    """What `pm list packages` printed, and the error that cut it off, if one did."""

    rows: tuple[PackageRow, ...]
    error: DeviceError | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(row.package for row in self.rows)


@dataclass(frozen=True, slots=True)
class AndroidUser:
    """A row of `pm list users`; names are personal and stay out of logs."""

    id: int
    name: str
    running: bool


class AliasTable:
    """Names of apps and the packages that each may stand for, best first.

    Args:
        entries: Pairs of names and packages; a name may occur in several entries.
    """

    def __init__(self, entries: Iterable[tuple[Sequence[str], Sequence[str]]] = ()) -> None:
        self.entries = tuple((tuple(names), tuple(packages)) for names, packages in entries)
        by_name: dict[str, list[tuple[str, ...]]] = {}
        labels: dict[str, list[str]] = {}
        for names, packages in self.entries:
            for name in names:
                by_name.setdefault(normalise(name), []).append(tuple(packages))
            for package in packages:
                labels.setdefault(package, []).extend(names)
        self._by_name = MappingProxyType(by_name)
        self._labels = MappingProxyType({key: tuple(names) for key, names in labels.items()})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a table such as `configs/apps.yaml`: `apps: [{names: […], packages: […]}]`.

        Raises:
            AliasTableError: The file is missing or says something else; the message names the
                entry.
        """
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise AliasTableError(f"{path} cannot be read: {error}; correct the file.") from error
        rows = content.get("apps") if isinstance(content, dict) else None
        if not isinstance(rows, list):
            raise AliasTableError(f"{path} has no list `apps`; see the shipped file for the form.")
        return cls(_read_entry(path, number, row) for number, row in enumerate(rows, 1))

    def packages(self, name: str) -> list[tuple[str, ...]]:
        """For each entry with this name, its packages, best first."""
        return self._by_name.get(normalise(name), [])

    def labels(self, package: str) -> tuple[str, ...]:
        """All names of a package."""
        return self._labels.get(package, ())


def normalise(name: str) -> str:
    """The form in which names are compared: width, case, spaces, punctuation and "app" left out."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    bare = "".join(c for c in folded if c.isalnum())
    return _FILLER.sub("", bare) or bare


def match_app(name: str, installed: Sequence[InstalledApp], aliases: AliasTable) -> str:
    """Find the installed package that a name means.

    In this order, the first that gives something decides: the package itself, an alias or label,
    a part of the package, the beginning or (Chinese) a piece of a label. More than one app in the
    deciding step is an ambiguity.

    Args:
        name: What the model or the user wrote.
        installed: What the phone has.
        aliases: Which packages a name may mean.

    Raises:
        AppNotFoundError: Nothing fits; `details["candidates"]` holds near names.
        AppAmbiguousError: Several fit; `details["candidates"]` holds them.
    """
    packages = {app.package for app in installed}
    if name.strip() in packages:
        return name.strip()
    wanted = normalise(name)
    if not wanted:
        raise AppNotFoundError("No app was named; give its name or package.", candidates=[])
    openable = [app for app in installed if app.launchable is not False]
    for found in (
        _by_alias(name, openable, aliases),
        _by_package_part(wanted, openable),
        _by_partial_label(wanted, openable),
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise AppAmbiguousError(
                f"{name!r} fits {len(found)} installed apps; name one of the candidates.",
                name=name,
                candidates=found[:_CANDIDATES_MAX],
            )
    raise AppNotFoundError(
        f"No installed app is called {name!r}; name one that is installed, or look in the "
        "launcher.",
        name=name,
        candidates=_near(wanted, openable),
    )


def is_package(text: str) -> bool:
    """Whether a text has the form of a package name."""
    return _PACKAGE.fullmatch(text) is not None


def read_packages(text: str) -> PackageList:
    """Read `pm list packages`, with `-f` and `-U` too; rows before an error are kept."""
    rows = []
    for match in _ROW.finditer(text):
        rest, path, uid = match["rest"], None, None
        if found := _UID.search(rest):
            uid = int(found["uid"].split(",")[0])
        rest = _EXTRAS.sub("", rest)
        if "=" in rest:
            path, rest = rest.rsplit("=", 1)
        if is_package(rest):
            rows.append(PackageRow(rest, path, uid))
    error = error_from_output(_ROW.sub("", text))
    if error is None and re.search(r"^\s*(?:Error|Exception occurred)\b", text, re.MULTILINE):
        error = DeviceError("The phone lists its apps only in part; try again.", output=text[-600:])
    if isinstance(error, UserNotAccessibleError):
        user = re.search(r"user (\d+)", text)
        error.details["user"] = int(user[1]) if user else None
    return PackageList(tuple(rows), error)


def read_users(text: str) -> tuple[AndroidUser, ...]:
    """Read `pm list users`; names may hold colons and are read from both ends."""
    return tuple(
        AndroidUser(int(m["id"]), m["name"], "running" in m["rest"]) for m in _USER.finditer(text)
    )


def read_launchers(text: str) -> tuple[str, ...]:
    """Read the components of `cmd package query-activities --brief`, in order."""
    return tuple(line.strip() for line in text.splitlines() if _COMPONENT.fullmatch(line.strip()))


def read_resolved(text: str) -> str:
    """Read the component of `cmd package resolve-activity --brief`: the last line with a slash.

    Raises:
        AppNotFoundError: `No activity found`, which is printed with exit code 0.
        AppAmbiguousError: The system's chooser: the app has several launcher entries.
        DeviceError: What else the phone said.
    """
    components = read_launchers(text)
    if not components:
        if "No activity found" not in text and (error := error_from_output(text)):
            raise error
        raise AppNotFoundError(
            "The app has nothing to open; name another app.", candidates=[], output=text[:600]
        )
    if components[-1].endswith(_CHOOSERS):
        raise AppAmbiguousError(
            "The app has several launcher entries; open it from the launcher.", candidates=[]
        )
    return components[-1]


def components_of(package: str, components: Iterable[str]) -> list[str]:
    """Those components that belong to a package, in order."""
    split = ((component, full_component(component)) for component in components)
    return [component for component, parts in split if parts and parts[0] == package]


def _read_entry(path: Path, number: int, row: Any) -> tuple[list[str], list[str]]:
    if not isinstance(row, dict) or set(row) != {"names", "packages"}:
        raise AliasTableError(f"{path}: app {number} needs just `names` and `packages`.")
    for key in ("names", "packages"):
        values = row[key]
        if (
            not isinstance(values, list)
            or not values
            or not all(isinstance(v, str) for v in values)
        ):
            raise AliasTableError(f"{path}: `{key}` of app {number} must be a list of texts.")
    wrong = [package for package in row["packages"] if not is_package(package)]
    if wrong:
        raise AliasTableError(f"{path}: {wrong[0]!r} of app {number} is no package name.")
    return row["names"], row["packages"]


def _by_alias(name: str, installed: Sequence[InstalledApp], aliases: AliasTable) -> list[str]:
    packages = {app.package for app in installed}
    found = []
    for entry in aliases.packages(name):
        # Packages of one entry are the same app of several vendors: the first installed is it.
        first = next((package for package in entry if package in packages), None)
        if first is not None:
            found.append(first)
    wanted = normalise(name)
    variants = {package for entry in aliases.packages(name) for package in entry}
    found += [
        app.package
        for app in installed
        if app.package not in variants and wanted in map(normalise, app.labels)
    ]
    return list(dict.fromkeys(found))


def _by_package_part(wanted: str, installed: Sequence[InstalledApp]) -> list[str]:
    if not wanted.isascii():
        return []
    last = [app.package for app in installed if app.package.rsplit(".", 1)[-1].casefold() == wanted]
    return last or [
        app.package for app in installed if wanted in app.package.casefold().split(".")[1:]
    ]


def _by_partial_label(wanted: str, installed: Sequence[InstalledApp]) -> list[str]:
    if len(wanted) < 2 or (wanted.isascii() and len(wanted) < 4):
        return []
    return [
        app.package
        for app in installed
        if any(_is_part(wanted, normalise(label)) for label in app.labels)
    ]


def _is_part(wanted: str, label: str) -> bool:
    """Latin words match from the label's start only: `art` is no part of `smart home`."""
    return label.startswith(wanted) or (not wanted.isascii() and wanted in label)


def _near(wanted: str, installed: Sequence[InstalledApp]) -> list[str]:
    names: dict[str, str] = {}
    for app in installed:
        for label in (*app.labels, app.package.rsplit(".", 1)[-1]):
            names.setdefault(normalise(label), app.labels[0] if app.labels else app.package)
    near = difflib.get_close_matches(wanted, names, n=_CANDIDATES_MAX, cutoff=0.5)
    return list(dict.fromkeys(names[key] for key in near))

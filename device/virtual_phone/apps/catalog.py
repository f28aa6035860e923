"""What is installed."""

from __future__ import annotations

from dataclasses import dataclass

from device.virtual_phone.apps.base import App
from device.virtual_phone.apps.browser import BrowserApp
from device.virtual_phone.apps.chat import ChatApp
from device.virtual_phone.apps.clock import ClockApp
from device.virtual_phone.apps.contacts import ContactsApp
from device.virtual_phone.apps.gallery import GalleryApp
from device.virtual_phone.apps.launcher import Launcher
from device.virtual_phone.apps.notes import NotesApp
from device.virtual_phone.apps.settings import SettingsApp
from device.virtual_phone.apps.shop import ShopApp

APPS: tuple[type[App], ...] = (
    Launcher,
    SettingsApp,
    NotesApp,
    ContactsApp,
    ClockApp,
    ChatApp,
    ShopApp,
    GalleryApp,
    BrowserApp,
)
_ADDED_BY_USER = frozenset({"com.tencent.mm", "com.example.shop", "com.android.adbkeyboard"})
_FIRST_APP_UID = 10100


@dataclass(frozen=True, slots=True)
class PackageInfo:
    """An installed package.

    Attributes:
        launcher_activity: "package/.Activity" behind its icon; None when it has no icon.
    """

    package: str
    label_zh: str
    label_en: str
    launcher_activity: str | None
    system: bool
    version_name: str
    version_code: int
    uid: int


def added_package(package: str, version_name: str, version_code: int, uid: int) -> PackageInfo:
    """A package that was installed later: it has no icon and no screen."""
    label = package.rpartition(".")[2]
    return PackageInfo(package, label, label, None, False, version_name, version_code, uid)


def installed_packages() -> list[PackageInfo]:
    """Every package, in the order of installation."""
    entries: list[tuple[str, str, str, str | None, str]] = [
        ("com.android.systemui", "系统界面", "System UI", None, "14"),
        ("com.android.inputmethod.latin", "键盘", "Keyboard", None, "14"),
        ("com.android.adbkeyboard", "ADB Keyboard", "ADB Keyboard", None, "2.0"),
    ]
    for app in APPS:
        component = None if app is Launcher else f"{app.package}/{app.main_activity}"
        entries.append((app.package, *app.label, component, app.version))
    return [
        PackageInfo(
            package=package,
            label_zh=zh,
            label_en=en,
            launcher_activity=component,
            system=package not in _ADDED_BY_USER,
            version_name=version,
            version_code=int(float(".".join(version.split(".")[:2])) * 100),
            uid=_FIRST_APP_UID + index,
        )
        for index, (package, zh, en, component, version) in enumerate(entries)
    ]

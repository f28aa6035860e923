"""What is installed, and how the phone is set at its start."""

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
from device.virtual_phone.keyboard import ADB_IME, LATIN_IME
from device.virtual_phone.profile import Profile

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


def start_settings(profile: Profile) -> dict[str, dict[str, str]]:
    """The settings of a phone that was just set up."""
    return {
        "system": {
            "accelerometer_rotation": "1",
            "user_rotation": "0",
            "screen_brightness": "102",
            "screen_brightness_mode": "0",
            "screen_off_timeout": "60000",
            "font_scale": "1.0",
            "volume_music": "6",
            "volume_ring": "5",
            "volume_notification": "5",
            "volume_alarm": "6",
            "vibrate_when_ringing": "1",
            "haptic_feedback_enabled": "1",
            "sound_effects_enabled": "1",
            "time_12_24": "24",
        },
        "secure": {
            "default_input_method": LATIN_IME,
            "enabled_input_methods": LATIN_IME,
            "ui_night_mode": "1",
            "location_mode": "3",
            "flashlight_enabled": "0",
            "lock_screen_show_notifications": "1",
            "accessibility_enabled": "0",
            "android_id": f"{0x1F3C5A7900000000 + profile.seed:016x}",
        },
        "global": {
            "airplane_mode_on": "0",
            "bluetooth_on": "1",
            "wifi_on": "1",
            "mobile_data": "1",
            "data_roaming": "0",
            "auto_time": "1",
            "auto_time_zone": "1",
            "low_power": "0",
            "adb_enabled": "1",
            "development_settings_enabled": "1",
            "device_name": profile.model,
            "heads_up_notifications_enabled": "1",
            "wifi_network": "Home-5G",
            "window_animation_scale": "1.0",
            "transition_animation_scale": "1.0",
            "animator_duration_scale": "1.0",
            "device_provisioned": "1",
        },
    }


ALL_IMES = (LATIN_IME, ADB_IME)

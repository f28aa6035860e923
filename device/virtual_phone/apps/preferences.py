"""The settings of the phone: what `settings get` reads and every switch on the screen shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from device.virtual_phone.keyboard import LATIN_IME
from device.virtual_phone.profile import Profile


class Namespace(dict[str, str]):
    """One namespace of settings; tells when a value changes, whoever changes it."""

    def __init__(self, values: Mapping[str, str], changed: Callable[[], None]) -> None:
        super().__init__(values)
        self._changed = changed

    def __setitem__(self, key: str, value: str) -> None:
        """Sets a value."""
        if self.get(key) != value:
            super().__setitem__(key, value)
            self._changed()

    def __delitem__(self, key: str) -> None:
        """Forgets a value."""
        super().__delitem__(key)
        self._changed()

    def pop(self, key: str, *default: Any) -> Any:
        """Forgets a value and gives it back."""
        value = super().pop(key, *default)
        self._changed()
        return value

    def update(self, *values: Any, **more: str) -> None:
        """Sets several values."""
        super().update(*values, **more)
        self._changed()

    def clear(self) -> None:
        """Forgets everything."""
        super().clear()
        self._changed()


def watched_settings(profile: Profile, changed: Callable[[], None]) -> dict[str, dict[str, str]]:
    """The settings of a fresh phone, by namespace; `changed` is called after every change."""
    return {name: Namespace(values, changed) for name, values in start_settings(profile).items()}


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
            "camera_access": "1",
            "microphone_access": "1",
            "clipboard_notes": "1",
            "android_id": f"{0x1F3C5A7900000000 + profile.seed:016x}",
        },
        "global": {
            "airplane_mode_on": "0",
            "bluetooth_on": "1",
            "wifi_on": "1",
            "mobile_data": "1",
            "data_roaming": "0",
            "auto_time": "1",
            "auto_sync": "1",
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

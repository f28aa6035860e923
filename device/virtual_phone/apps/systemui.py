"""What the system paints around apps: status bar, gesture bar, shade, keyguard, toasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from device.virtual_phone.apps.base import Host, Route
from device.virtual_phone.ui.view import (
    FILL,
    Event,
    Insets,
    View,
    column,
    icon,
    insets,
    picture,
    row,
    scroll,
    space,
    text,
)
from device.virtual_phone.ui.widgets import slider, text_button, tinted_icon

PACKAGE = "com.android.systemui"
STATUS_BAR_DP = 40
GESTURE_BAR_DP = 24
CLOCK = "10:24"

ShadeState = Literal["closed", "notifications", "settings"]

_WHITE = "#ffffff"


@dataclass(frozen=True, slots=True)
class Notification:
    """One entry of the shade."""

    number: int
    package: str
    title: str
    words: str
    route: Route


@dataclass(frozen=True, slots=True)
class Tile:
    """A quick settings tile and the setting behind it."""

    icon: str
    zh: str
    en: str
    namespace: str
    key: str
    on: str = "1"
    off: str = "0"


TILES = (
    Tile("wifi", "WLAN", "Internet", "global", "wifi_on"),
    Tile("bluetooth", "蓝牙", "Bluetooth", "global", "bluetooth_on"),
    Tile("torch", "手电筒", "Flashlight", "secure", "flashlight_enabled"),
    Tile("airplane", "飞行模式", "Airplane mode", "global", "airplane_mode_on"),
    Tile("rotate", "自动旋转", "Auto-rotate", "system", "accelerometer_rotation"),
    Tile("moon", "深色模式", "Dark theme", "secure", "ui_night_mode", "2", "1"),
    Tile("location", "位置信息", "Location", "secure", "location_mode", "3", "0"),
    Tile("data", "移动数据", "Mobile data", "global", "mobile_data"),
)


def status_bar(host: Host, ink: str) -> View:
    """Time on the left, radios and battery on the right."""
    flying = host.setting("global", "airplane_mode_on") == "1"
    return row(
        text(CLOCK, 15, color=ink, bold=True),
        space(weight=1),
        icon("bluetooth", 16, color=ink) if host.setting("global", "bluetooth_on") == "1" else None,
        icon("wifi", 17, color=ink) if host.setting("global", "wifi_on") == "1" else None,
        icon("airplane" if flying else "signal", 16, color=ink),
        icon("battery", 18, color=ink),
        text("85%", 14, color=ink, bold=True),
        height=STATUS_BAR_DP,
        gap=6,
        padding=Insets(24, 4, 20, 0),
    )


def gesture_bar(ink: str) -> View:
    """The handle at the bottom."""
    return column(
        column(width=110, height=4, radius=2, background=ink),
        height=GESTURE_BAR_DP,
        align="center",
        justify="center",
    )


def toast_view(words: str) -> View:
    """A short message above the bottom edge."""
    pill = text(words, 15, color="on_toast", background="toast", radius=22, padding=insets(22, 12))
    return column(pill, align="center", justify="end", height=FILL, padding=Insets(32, 0, 32, 96))


def keyguard_view(host: Host, notifications: list[Notification]) -> View:
    """The lock screen; a swipe up opens it."""
    wide = host.screen_is_wide()
    cards = [_notification(host, note, None) for note in notifications[: 1 if wide else 3]]
    return column(
        space(8 if wide else 90),
        text(CLOCK, 48 if wide else 88, color=_WHITE, resource_id="lockscreen_clock_view"),
        text(
            host.say("11月30日 星期一", "Monday, November 30"),
            18,
            color=_WHITE,
            resource_id="keyguard_date",
        ),
        space(30),
        column(*cards, gap=8, padding=insets(16, 0)),
        space(weight=1),
        icon("lock", 26, color=_WHITE, content_desc=host.say("设备已锁定", "Device locked")),
        space(12),
        text(
            host.say("向上滑动即可解锁", "Swipe up to unlock"),
            16,
            color=_WHITE,
            resource_id="keyguard_indication_text",
        ),
        space(24),
        align="center",
        height=FILL,
        resource_id="keyguard_root_view",
        on_swipe_up=("unlock",),
    )


def wallpaper() -> View:
    """What lies behind the lock screen."""
    return picture("wallpaper", width=FILL, height=FILL)


def shade_view(host: Host, state: ShadeState, notifications: list[Notification]) -> View:
    """The notification shade with quick settings."""
    full = state == "settings"
    shown = TILES if full else TILES[:4]
    columns = 4 if host.screen_is_wide() else 2
    tiles = []
    for start in range(0, len(shown), columns):
        tiles.append(row(*(_tile(host, t) for t in shown[start : start + columns]), gap=10))
    brightness = int(host.setting("system", "screen_brightness") or "102") / 255
    say = host.say
    body = [
        row(
            text(CLOCK, 30, resource_id="clock"),
            text(say("11月30日 星期一", "Mon, Nov 30"), 16, color="on_surface_variant"),
            gap=14,
            padding=insets(6, 0),
        ),
        column(*tiles, gap=10),
        row(
            icon("sun", 24),
            slider("brightness", brightness, say("亮度", "Display brightness")).having(
                weight=1, width=None
            ),
            gap=10,
            padding=insets(6, 4),
        )
        if full
        else None,
    ]
    if notifications:
        body += [
            text(say("通知", "Notifications"), 15, bold=True, padding=insets(6, 4)),
            *(_notification(host, n, ("swipe_away", str(n.number))) for n in notifications),
            row(text_button(say("全部清除", "Clear all"), ("clear_notifications",)), justify="end"),
        ]
    else:
        note = say("没有通知", "No notifications")
        body.append(
            text(
                note,
                16,
                color="on_surface_variant",
                align="center",
                width=FILL,
                padding=insets(0, 40),
            )
        )
    return column(
        scroll("shade", column(*body, gap=14, padding=insets(18, 10))),
        height=FILL,
        background="shade",
        resource_id="notification_panel",
    )


def _tile(host: Host, tile: Tile) -> View:
    on = host.setting(tile.namespace, tile.key) == tile.on
    say = host.say
    label = say(tile.zh, tile.en)
    ink = "on_primary" if on else "on_surface"
    return row(
        icon(tile.icon, 22, color=ink),
        column(
            text(label, 15, color=ink, max_lines=1, bold=True),
            text(say("开启", "On") if on else say("关闭", "Off"), 13, color=ink),
            weight=1,
        ),
        gap=12,
        weight=1,
        height=68,
        padding=insets(18, 0),
        radius=26,
        background="primary" if on else "surface",
        class_name="android.widget.Switch",
        content_desc=label,
        checkable=True,
        checked=on,
        on_click=("tile", tile.key),
    )


def _notification(host: Host, note: Notification, away: Event | None) -> View:
    return row(
        tinted_icon("message", "#2f9e5b")
        if "mm" in note.package
        else tinted_icon("bell", "#5b6b8a"),
        column(
            text(note.title, 16, bold=True, max_lines=1, resource_id="android:id/title"),
            text(
                note.words,
                15,
                color="on_surface_variant",
                max_lines=2,
                resource_id="android:id/text",
            ),
            weight=1,
        ),
        gap=14,
        radius=22,
        background="surface",
        padding=insets(16, 14),
        on_click=("open_notification", str(note.number)),
        on_swipe_left=away,
        on_swipe_right=away,
    )

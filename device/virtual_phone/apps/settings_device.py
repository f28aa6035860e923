"""Settings pages: display, sound, apps, battery, storage, security."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from device.virtual_phone.apps.base import app_icon
from device.virtual_phone.apps.settings_network import sub_page
from device.virtual_phone.ui.view import FILL, Event, View, column, icon, insets, row, text
from device.virtual_phone.ui.widgets import (
    button,
    card,
    dialog_card,
    list_row,
    quiet_button,
    section,
    slider,
    text_button,
)

if TYPE_CHECKING:
    from device.virtual_phone.apps.settings import SettingsApp

FONT_SIZES = (("0.85", "小", "Small"), ("1.0", "标准", "Default"), ("1.15", "大", "Large"))
TIMEOUTS = (
    ("30000", "30 秒", "30 seconds"),
    ("60000", "1 分钟", "1 minute"),
    ("300000", "5 分钟", "5 minutes"),
    ("600000", "10 分钟", "10 minutes"),
)
_VOLUMES = (
    ("volume_music", "媒体音量", "Media volume"),
    ("volume_ring", "铃声音量", "Ring volume"),
    ("volume_notification", "通知音量", "Notification volume"),
    ("volume_alarm", "闹钟音量", "Alarm volume"),
)


def _slider_row(label: str, name: str, key: str, value: float) -> View:
    return column(
        text(label, 16),
        row(icon(name, 22), slider(key, value, label).having(weight=1, width=None), gap=8),
        padding=insets(20, 10),
    )


def _chosen(app: SettingsApp, key: str, choices: tuple[tuple[str, str, str], ...]) -> str:
    value = app.host.setting("system", key)
    names = {choice: app.host.say(zh, en) for choice, zh, en in choices}
    return names.get(value, value)


def _display(app: SettingsApp) -> View:
    say = app.host.say
    brightness = int(app.host.setting("system", "screen_brightness") or "102") / 255
    return sub_page(
        app,
        say("显示", "Display"),
        card(
            _slider_row(say("亮度", "Brightness level"), "sun", "brightness", brightness),
            app.switch("自动调节亮度", "Adaptive brightness", "system", "screen_brightness_mode"),
        ),
        card(
            app.switch("深色模式", "Dark theme", "secure", "ui_night_mode", values=("2", "1")),
            list_row(
                say("字体大小", "Font size"),
                _chosen(app, "font_scale", FONT_SIZES),
                event=("dialog", "font_size"),
            ),
            list_row(
                say("自动锁屏", "Screen timeout"),
                _chosen(app, "screen_off_timeout", TIMEOUTS),
                event=("dialog", "timeout"),
            ),
            app.switch("自动旋转屏幕", "Auto-rotate screen", "system", "accelerometer_rotation"),
        ),
    )


def _sound(app: SettingsApp) -> View:
    say = app.host.say
    sliders = [
        _slider_row(say(zh, en), "sound", key, int(app.host.setting("system", key) or "0") / 15)
        for key, zh, en in _VOLUMES
    ]
    return sub_page(
        app,
        say("声音与振动", "Sound & vibration"),
        card(*sliders),
        card(
            app.switch("响铃时振动", "Vibrate when ringing", "system", "vibrate_when_ringing"),
            app.switch("触感反馈", "Touch feedback", "system", "haptic_feedback_enabled"),
            app.switch("触摸提示音", "Touch sounds", "system", "sound_effects_enabled"),
        ),
    )


def _notifications(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("通知", "Notifications"),
        card(
            app.switch("横幅通知", "Pop on screen", "global", "heads_up_notifications_enabled"),
            app.switch(
                "锁屏显示通知",
                "Notifications on lock screen",
                "secure",
                "lock_screen_show_notifications",
            ),
        ),
    )


def _apps(app: SettingsApp) -> View:
    say = app.host.say
    rows = [
        list_row(other.title(), lead=app_icon(other, 40), event=("open", "app", other.package))
        for other in app.host.installed_apps()
    ]
    return sub_page(app, say("应用", "Apps"), section(say("全部应用", "All apps")), card(*rows))


def _app(app: SettingsApp) -> View:
    say = app.host.say
    package = app.route[1]
    other = next(a for a in app.host.installed_apps() if a.package == package)
    running = package in app.host.recent_packages()
    return sub_page(
        app,
        say("应用信息", "App info"),
        column(
            app_icon(other, 72),
            text(other.title(), 22, resource_id="entity_header_title"),
            text(say(f"版本 {other.version}", f"Version {other.version}"), 14, color="hint"),
            align="center",
            gap=6,
            padding=insets(0, 12),
        ),
        row(
            button(say("打开", "Open"), ("launch", package), weight=1),
            quiet_button(
                say("强行停止", "Force stop"),
                ("dialog", "stop_app", package),
                weight=1,
                enabled=running,
            ),
            gap=12,
        ),
        card(
            list_row(say("存储和缓存", "Storage & cache"), say("已使用 86 MB", "86 MB used")),
            list_row(say("权限", "Permissions"), say("未授予任何权限", "No permissions granted")),
            list_row(say("软件包名称", "Package"), package),
        ),
    )


def _battery(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("电池", "Battery"),
        column(
            text("85%", 56, bold=True),
            text(say("预计还可使用 1 天 4 小时", "About 1 day, 4 hr left"), 16, color="hint"),
            align="center",
            padding=insets(0, 20),
        ),
        card(
            app.switch("省电模式", "Battery Saver", "global", "low_power"),
            list_row(say("屏幕", "Screen"), "41%", lead=icon("sun")),
            list_row(say("微信", "WeChat"), "12%", lead=icon("message")),
            list_row(say("系统", "System"), "9%", lead=icon("gear")),
        ),
    )


def _storage(app: SettingsApp) -> View:
    say = app.host.say
    parts = (
        ("图片", "Images", "21 GB", "image"),
        ("应用", "Apps", "18 GB", "apps"),
        ("系统", "System", "8.6 GB", "gear"),
        ("其他", "Other", "1.4 GB", "storage"),
    )
    used = row(
        column(weight=38, height=12, radius=6, background="primary"),
        column(weight=62, height=12),
        background="surface_variant",
        radius=6,
    )
    return sub_page(
        app,
        say("存储", "Storage"),
        column(
            text("49 GB", 34, bold=True),
            text(say("已使用，共 128 GB", "used of 128 GB"), 15, color="hint"),
            used,
            gap=10,
            padding=insets(20, 10),
        ),
        card(*(list_row(say(zh, en), size, lead=icon(name)) for zh, en, size, name in parts)),
    )


def _security(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("密码与安全", "Security"),
        card(
            list_row(say("锁屏方式", "Screen lock"), say("滑动", "Swipe")),
            list_row(say("指纹", "Fingerprint"), say("未添加指纹", "No fingerprint added")),
            list_row(say("查找我的设备", "Find my device"), say("已关闭", "Off")),
        ),
    )


def _location(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("定位", "Location"),
        card(app.switch("使用位置信息", "Use location", "secure", "location_mode", "", ("3", "0"))),
        section(say("最近访问", "Recent access")),
        card(list_row(say("浏览器", "Browser"), say("昨天 18:02", "Yesterday 18:02"))),
    )


def _accessibility(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("无障碍", "Accessibility"),
        card(
            list_row(say("屏幕阅读器", "Screen reader"), say("已关闭", "Off")),
            list_row(say("放大手势", "Magnification"), say("已关闭", "Off")),
            list_row(
                say("字体大小", "Font size"),
                _chosen(app, "font_scale", FONT_SIZES),
                event=("dialog", "font_size"),
            ),
        ),
    )


def _choices(
    app: SettingsApp, title: str, key: str, choices: tuple[tuple[str, str, str], ...]
) -> View:
    say = app.host.say
    current = app.host.setting("system", key)
    rows = []
    for value, zh, en in choices:
        event: Event = ("choose", "system", key, value)
        mark = View("radio", checked=value == current, checkable=True, width=24, height=24)
        rows.append(row(mark, text(say(zh, en), 17), gap=16, padding=insets(0, 12), on_click=event))
    return dialog_card(
        title,
        column(*rows, width=FILL),
        buttons=(text_button(say("取消", "Cancel"), ("dismiss",)),),
    )


def _font_size_dialog(app: SettingsApp) -> View:
    return _choices(app, app.host.say("字体大小", "Font size"), "font_scale", FONT_SIZES)


def _timeout_dialog(app: SettingsApp) -> View:
    title = app.host.say("自动锁屏", "Screen timeout")
    return _choices(app, title, "screen_off_timeout", TIMEOUTS)


def _stop_dialog(app: SettingsApp) -> View:
    say = app.host.say
    package = app.dialog[1] if app.dialog else ""
    return dialog_card(
        say("要强行停止吗？", "Force stop?"),
        text(say("强行停止应用可能会导致其异常。", "An app that is stopped may misbehave."), 16),
        buttons=(
            text_button(say("取消", "Cancel"), ("dismiss",)),
            text_button(say("确定", "OK"), ("stop_app", package)),
        ),
    )


DEVICE_PAGES: dict[str, Callable[[SettingsApp], View]] = {
    "display": _display,
    "sound": _sound,
    "notifications": _notifications,
    "apps": _apps,
    "app": _app,
    "battery": _battery,
    "storage": _storage,
    "security": _security,
    "location": _location,
    "accessibility": _accessibility,
}
DEVICE_DIALOGS: dict[str, Callable[[SettingsApp], View]] = {
    "font_size": _font_size_dialog,
    "timeout": _timeout_dialog,
    "stop_app": _stop_dialog,
}

"""Settings pages: wallpaper, privacy, accounts, language, date, update, developer, about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from device.virtual_phone.apps.settings_network import sub_page
from device.virtual_phone.ui.view import FILL, View, column, icon, insets, picture, row, text
from device.virtual_phone.ui.widgets import (
    button,
    card,
    dialog_card,
    list_row,
    text_button,
)

if TYPE_CHECKING:
    from device.virtual_phone.apps.settings import SettingsApp


def _wallpaper(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("壁纸与个性化", "Wallpaper & style"),
        row(
            picture("wallpaper", width=150, height=300, radius=18),
            picture("wallpaper", width=150, height=300, radius=18),
            justify="center",
            gap=20,
            padding=insets(0, 12),
        ),
        card(
            app.switch("深色模式", "Dark theme", "secure", "ui_night_mode", values=("2", "1")),
            list_row(say("主屏幕布局", "Home screen grid"), "4 x 5"),
        ),
    )


def _privacy(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("隐私保护", "Privacy"),
        card(
            app.switch("允许使用相机", "Camera access", "secure", "camera_access"),
            app.switch("允许使用麦克风", "Microphone access", "secure", "microphone_access"),
            app.switch("剪贴板访问提示", "Show clipboard access", "secure", "clipboard_notes"),
        ),
    )


def _accounts(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("账号与同步", "Accounts & sync"),
        card(
            list_row("robin@mail.example", say("邮件", "Mail"), lead=icon("message")),
            app.switch("自动同步数据", "Sync data automatically", "global", "auto_sync"),
        ),
    )


def _update(app: SettingsApp) -> View:
    say = app.host.say
    current = say("已是最新版本", "Your system is up to date")
    return sub_page(
        app,
        say("系统更新", "System update"),
        column(
            icon("check", 64, color="primary"),
            text(current, 22, bold=True, align="center"),
            text(f"Android {app.host.about()['android']}", 16, color="hint"),
            button(say("检查更新", "Check for update"), ("toast", current)),
            align="center",
            gap=14,
            padding=insets(0, 40),
        ),
    )


def _language(app: SettingsApp) -> View:
    say = app.host.say
    ime = app.host.setting("secure", "default_input_method").partition("/")[0]
    return sub_page(
        app,
        say("语言与输入法", "Language & input"),
        card(
            list_row(say("系统语言", "System language"), say("简体中文", "English")),
            list_row(say("当前输入法", "Current keyboard"), ime),
        ),
    )


def _date(app: SettingsApp) -> View:
    say = app.host.say
    on = app.on("global", "auto_time")
    return sub_page(
        app,
        say("日期和时间", "Date & time"),
        card(
            app.switch("自动设置时间", "Set time automatically", "global", "auto_time"),
            list_row(
                say("日期", "Date"), say("2026年11月30日", "November 30, 2026"), enabled=not on
            ),
            list_row(say("时间", "Time"), "10:24", enabled=not on),
            app.switch("自动设置时区", "Set time zone automatically", "global", "auto_time_zone"),
            list_row(say("时区", "Time zone"), say("GMT+08:00 中国标准时间", "GMT+08:00 China")),
            app.switch("24 小时制", "Use 24-hour format", "system", "time_12_24", "", ("24", "12")),
        ),
    )


def _developer(app: SettingsApp) -> View:
    return sub_page(
        app,
        app.host.say("开发者选项", "Developer options"),
        card(
            app.switch(
                "使用开发者选项",
                "Use developer options",
                "global",
                "development_settings_enabled",
            ),
            app.switch("USB 调试", "USB debugging", "global", "adb_enabled"),
        ),
    )


def _about(app: SettingsApp) -> View:
    say = app.host.say
    facts = app.host.about()
    return sub_page(
        app,
        say("关于手机", "About phone"),
        card(
            list_row(
                say("设备名称", "Device name"),
                app.host.setting("global", "device_name"),
                event=("rename_dialog",),
            ),
            list_row(say("型号", "Model"), facts["model"]),
            list_row(say("制造商", "Manufacturer"), facts["manufacturer"]),
            list_row(say("Android 版本", "Android version"), facts["android"]),
            list_row(say("序列号", "Serial number"), facts["serial"]),
            list_row(say("屏幕分辨率", "Resolution"), facts["resolution"]),
            list_row(say("IP 地址", "IP address"), "192.168.1.23"),
            list_row(say("版本号", "Build number"), "LS1A.261130.001"),
        ),
    )


def _rename_dialog(app: SettingsApp) -> View:
    say = app.host.say
    field = app.edit("device_name", say("名称", "Name"), max_length=40, size=18)
    return dialog_card(
        say("设备名称", "Device name"),
        column(
            field.having(weight=0, width=FILL, padding=insets(14, 12)),
            border="primary",
            background="surface",
            radius=10,
        ),
        buttons=(
            text_button(say("取消", "Cancel"), ("dismiss",)),
            text_button(say("保存", "Save"), ("rename",)),
        ),
    )


SYSTEM_PAGES: dict[str, Callable[[SettingsApp], View]] = {
    "wallpaper": _wallpaper,
    "privacy": _privacy,
    "accounts": _accounts,
    "update": _update,
    "language": _language,
    "date": _date,
    "developer": _developer,
    "about": _about,
}
SYSTEM_DIALOGS: dict[str, Callable[[SettingsApp], View]] = {"rename": _rename_dialog}

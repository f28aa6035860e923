"""Settings pages: WLAN, Bluetooth, mobile network, hotspot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from device.virtual_phone.ui.view import FILL, View, column, icon, insets, scroll, space, text
from device.virtual_phone.ui.widgets import (
    card,
    dialog_card,
    list_row,
    page,
    section,
    switch_row,
    text_button,
    toolbar,
)

if TYPE_CHECKING:
    from device.virtual_phone.apps.settings import SettingsApp

NETWORKS = ("Home-5G", "Home-2.4G", "Office-WiFi", "Guest", "TP-LINK_8A3C")
NEARBY_DEVICES = ("Keyboard K380", "Living Room TV")


def sub_page(app: SettingsApp, title: str, *parts: View | None) -> View:
    """A page with a back arrow and cards that scroll."""
    body = column(*parts, space(24), gap=12, padding=insets(16, 4))
    back = app.host.say("返回", "Navigate up")
    return page(toolbar(title, back=back), scroll(app.route[0], body))


def _wlan(app: SettingsApp) -> View:
    say = app.host.say
    on = app.on("global", "wifi_on")
    joined = app.host.setting("global", "wifi_network")
    parts: list[View] = [card(app.switch("开启 WLAN", "Use WLAN", "global", "wifi_on"))]
    if on:
        rows = []
        for name in sorted(NETWORKS, key=lambda n: n != joined):
            if name == joined:
                state = say("已连接", "Connected")
            elif name in app.radio.saved:
                state = say("已保存", "Saved")
            else:
                state = say("开放", "Open") if name == "Guest" else ""
            lock = None if name == "Guest" else icon("lock", 18, color="hint")
            rows.append(
                list_row(name, state, lead=icon("wifi"), trail=lock, event=("network", name))
            )
        parts += [section(say("可用网络", "Available networks")), card(*rows)]
    else:
        note = say("开启 WLAN 后可查看附近的网络", "Turn on WLAN to see networks nearby")
        parts.append(text(note, 15, color="on_surface_variant", padding=insets(20, 8)))
    return sub_page(app, "WLAN", *parts)


def _bluetooth(app: SettingsApp) -> View:
    say = app.host.say
    on = app.on("global", "bluetooth_on")
    name = app.host.setting("global", "device_name")
    parts: list[View] = [
        card(
            app.switch("开启蓝牙", "Use Bluetooth", "global", "bluetooth_on"),
            list_row(say("设备名称", "Device name"), name, event=("rename_dialog",)),
        )
    ]
    if on:
        paired = [
            list_row(
                device,
                say("已连接", "Connected") if connected else say("未连接", "Not connected"),
                lead=icon("headset"),
                event=("device", device),
            )
            for device, connected in app.radio.paired.items()
        ]
        nearby = [
            list_row(device, lead=icon("bluetooth"), event=("dialog", "pair", device))
            for device in NEARBY_DEVICES
            if device not in app.radio.paired
        ]
        parts += [section(say("已配对的设备", "Paired devices")), card(*paired)]
        if nearby:
            parts += [section(say("可用设备", "Available devices")), card(*nearby)]
    else:
        note = say(
            "蓝牙已关闭，无法连接附近的设备", "Bluetooth is off; nearby devices cannot connect"
        )
        parts.append(text(note, 15, color="on_surface_variant", padding=insets(20, 8)))
    return sub_page(app, say("蓝牙", "Bluetooth"), *parts)


def _mobile(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("移动网络", "Mobile network"),
        card(
            app.switch("移动数据", "Mobile data", "global", "mobile_data"),
            app.switch("数据漫游", "Data roaming", "global", "data_roaming"),
            list_row(say("SIM 卡", "SIM card"), say("中国移动 5G", "Operator 5G")),
            list_row(say("本月已用流量", "Data used this month"), "3.2 GB / 20 GB"),
        ),
    )


def _hotspot(app: SettingsApp) -> View:
    say = app.host.say
    return sub_page(
        app,
        say("个人热点", "Personal hotspot"),
        card(
            switch_row(
                say("便携式 WLAN 热点", "Portable WLAN hotspot"),
                "",
                app.radio.hotspot,
                ("hotspot",),
            ),
            list_row(say("热点名称", "Hotspot name"), app.host.setting("global", "device_name")),
        ),
    )


def _password_dialog(app: SettingsApp) -> View:
    say = app.host.say
    name = app.dialog[1] if app.dialog else ""
    field = app.edit(
        "wlan_password", say("密码", "Password"), password=True, size=18, padding=insets(14, 12)
    )
    return dialog_card(
        name,
        column(
            field.having(weight=0, width=FILL), border="primary", background="surface", radius=10
        ),
        buttons=(
            text_button(say("取消", "Cancel"), ("dismiss",)),
            text_button(say("连接", "Connect"), ("join", name)),
        ),
    )


def _network_dialog(app: SettingsApp) -> View:
    say = app.host.say
    name = app.dialog[1] if app.dialog else ""
    return dialog_card(
        name,
        text(say("状态：已连接\n信号强度：强", "Status: connected\nSignal: strong"), 16),
        buttons=(
            text_button(say("忘记网络", "Forget"), ("forget_network", name)),
            text_button(say("确定", "OK"), ("dismiss",)),
        ),
    )


def _pair_dialog(app: SettingsApp) -> View:
    say = app.host.say
    name = app.dialog[1] if app.dialog else ""
    return dialog_card(
        say(f"与“{name}”配对？", f"Pair with {name}?"),
        text(say("配对码：482 915", "Pairing code: 482 915"), 17),
        buttons=(
            text_button(say("取消", "Cancel"), ("dismiss",)),
            text_button(say("配对", "Pair"), ("pair", name)),
        ),
    )


NETWORK_PAGES: dict[str, Callable[[SettingsApp], View]] = {
    "wlan": _wlan,
    "bluetooth": _bluetooth,
    "mobile": _mobile,
    "hotspot": _hotspot,
}
NETWORK_DIALOGS: dict[str, Callable[[SettingsApp], View]] = {
    "password": _password_dialog,
    "network": _network_dialog,
    "pair": _pair_dialog,
}

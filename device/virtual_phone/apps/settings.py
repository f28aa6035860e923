"""The settings app: the main list, search, and what its switches change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from device.virtual_phone.apps.base import App, Route
from device.virtual_phone.apps.settings_device import DEVICE_DIALOGS, DEVICE_PAGES
from device.virtual_phone.apps.settings_network import NETWORK_DIALOGS, NETWORK_PAGES
from device.virtual_phone.apps.settings_system import SYSTEM_DIALOGS, SYSTEM_PAGES
from device.virtual_phone.ui.view import Event, Insets, View, column, icon, insets, scroll, space
from device.virtual_phone.ui.widgets import (
    big_title,
    card,
    empty_note,
    list_row,
    page,
    switch_row,
    tinted_icon,
)

ACTION_PAGES: Mapping[str, Route] = {
    "android.settings.SETTINGS": ("home",),
    "android.settings.BLUETOOTH_SETTINGS": ("bluetooth",),
    "android.settings.WIFI_SETTINGS": ("wlan",),
    "android.settings.DISPLAY_SETTINGS": ("display",),
    "android.settings.SOUND_SETTINGS": ("sound",),
    "android.settings.DATE_SETTINGS": ("date",),
    "android.settings.APPLICATION_SETTINGS": ("apps",),
    "android.settings.LOCATION_SOURCE_SETTINGS": ("location",),
    "android.settings.LOCALE_SETTINGS": ("language",),
    "android.settings.DEVICE_INFO_SETTINGS": ("about",),
    "android.settings.ACCESSIBILITY_SETTINGS": ("accessibility",),
    "android.intent.action.POWER_USAGE_SUMMARY": ("battery",),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the main list."""

    page: str
    icon: str
    color: str
    zh: str
    en: str
    words: str = ""
    """Further words that the search finds it by."""


GROUPS: tuple[tuple[Entry, ...], ...] = (
    (
        Entry("wlan", "wifi", "#2f7de1", "WLAN", "WLAN", "无线 网络 wifi internet"),
        Entry("bluetooth", "bluetooth", "#2f7de1", "蓝牙", "Bluetooth", "耳机 设备 devices"),
        Entry("mobile", "data", "#27a35a", "移动网络", "Mobile network", "流量 sim data roaming"),
        Entry("airplane", "airplane", "#e08a1e", "飞行模式", "Airplane mode", "flight"),
        Entry("hotspot", "link", "#27a35a", "个人热点", "Personal hotspot", "tethering 共享"),
    ),
    (
        Entry(
            "display", "sun", "#e0a21e", "显示", "Display", "亮度 深色 字体 brightness dark font"
        ),
        Entry("wallpaper", "image", "#c74f86", "壁纸与个性化", "Wallpaper & style", "主题 theme"),
        Entry("sound", "sound", "#8a57d6", "声音与振动", "Sound & vibration", "音量 volume ring"),
        Entry("notifications", "bell", "#d6574f", "通知", "Notifications", "横幅 banner"),
    ),
    (
        Entry("apps", "apps", "#2f7de1", "应用", "Apps", "程序 管理 applications"),
        Entry("battery", "battery", "#27a35a", "电池", "Battery", "省电 电量 power saver"),
        Entry("storage", "storage", "#5b6b8a", "存储", "Storage", "空间 space"),
    ),
    (
        Entry(
            "security", "lock", "#27a35a", "密码与安全", "Security", "锁屏 指纹 lock fingerprint"
        ),
        Entry("privacy", "person", "#8a57d6", "隐私保护", "Privacy", "权限 相机 麦克风 camera"),
        Entry("location", "location", "#2f7de1", "定位", "Location", "位置 gps"),
        Entry("accessibility", "star", "#1f9aa8", "无障碍", "Accessibility", "talkback 放大"),
    ),
    (
        Entry("accounts", "people", "#2f7de1", "账号与同步", "Accounts & sync", "邮件 mail"),
        Entry("language", "globe", "#2f7de1", "语言与输入法", "Language & input", "键盘 keyboard"),
        Entry("date", "clock", "#5b6b8a", "日期和时间", "Date & time", "时区 time zone"),
        Entry("update", "refresh", "#27a35a", "系统更新", "System update", "升级 upgrade"),
        Entry("developer", "gear", "#5b6b8a", "开发者选项", "Developer options", "usb adb 调试"),
        Entry("about", "info", "#5b6b8a", "关于手机", "About phone", "型号 版本 model version"),
    ),
)


@dataclass
class Radio:
    """What the network pages know besides the settings."""

    saved: set[str] = field(default_factory=lambda: {"Home-5G"})
    paired: dict[str, bool] = field(
        default_factory=lambda: {"LS Buds Pro": False, "Car Audio": False}
    )
    hotspot: bool = False


class SettingsApp(App):
    """com.android.settings."""

    package = "com.android.settings"
    label = ("设置", "Settings")
    icon_name = "gear"
    icon_color = "#6b7487"
    main_activity = ".Settings"
    activities: ClassVar[Mapping[str, str]] = {
        "bluetooth": ".Settings$BluetoothSettingsActivity",
        "date": ".Settings$DateTimeSettingsActivity",
        "location": ".Settings$LocationSettingsActivity",
        "about": ".Settings$MyDeviceInfoActivity",
        "wlan": ".Settings$WifiSettingsActivity",
        "display": ".Settings$DisplaySettingsActivity",
        "sound": ".Settings$SoundSettingsActivity",
        "apps": ".Settings$ManageApplicationsActivity",
        "app": ".applications.InstalledAppDetails",
        "developer": ".Settings$DevelopmentSettingsDashboardActivity",
        "accessibility": ".Settings$AccessibilitySettingsActivity",
    }
    version = "14.0"

    def forget(self) -> None:
        """Forgets networks and devices."""
        self.radio = Radio()

    def page(self) -> View:
        """The page in front."""
        name = self.route[0]
        if name == "home":
            return self._main()
        if name == "search":
            return self._search()
        builders: dict[str, Callable[[SettingsApp], View]] = {
            **NETWORK_PAGES,
            **DEVICE_PAGES,
            **SYSTEM_PAGES,
        }
        return builders[name](self)

    def dialog_view(self) -> View | None:
        """The dialog in front."""
        if self.dialog is None:
            return None
        builders: dict[str, Callable[[SettingsApp], View]] = {
            **NETWORK_DIALOGS,
            **DEVICE_DIALOGS,
            **SYSTEM_DIALOGS,
        }
        return builders[self.dialog[0]](self)

    def route_of(self, activity: str) -> Route:
        """Most pages of settings are activities of their own."""
        pages = {name: page for page, name in self.activities.items() if page != "app"}
        page = pages.get(activity)
        return (page,) if page else ()

    def truth(self) -> dict[str, Any]:
        """Networks and devices; the switches are in the settings themselves."""
        return {
            "wlan": {
                "on": self.on("global", "wifi_on"),
                "network": self.host.setting("global", "wifi_network") or None,
                "saved": sorted(self.radio.saved),
            },
            "bluetooth": {
                "on": self.on("global", "bluetooth_on"),
                "devices": dict(self.radio.paired),
            },
            "hotspot": self.radio.hotspot,
        }

    def on(self, namespace: str, key: str, on: str = "1") -> bool:
        """A switch is on."""
        return self.host.setting(namespace, key) == on

    def switch(
        self,
        zh: str,
        en: str,
        namespace: str,
        key: str,
        summary: str = "",
        values: tuple[str, str] = ("1", "0"),
    ) -> View:
        """A row that switches one setting; `values` are those of on and off."""
        is_on = self.on(namespace, key, values[0])
        event = ("put", namespace, key, values[1] if is_on else values[0])
        return switch_row(self.host.say(zh, en), summary, is_on, event)

    def on_event(self, event: Event) -> None:
        """Changes settings, networks and devices."""
        match event:
            case ("put", namespace, key, value):
                self.host.put_setting(namespace, key, value)
            case ("choose", namespace, key, value):
                self.host.put_setting(namespace, key, value)
                self.close_dialog()
            case ("network", name):
                self._choose_network(name)
            case ("join", name):
                self._join(name)
            case ("forget_network", name):
                self.radio.saved.discard(name)
                if self.host.setting("global", "wifi_network") == name:
                    self.host.put_setting("global", "wifi_network", "")
                self.close_dialog()
            case ("device", name):
                self.radio.paired[name] = not self.radio.paired[name]
            case ("pair", name):
                self.radio.paired[name] = True
                self.close_dialog()
            case ("hotspot",):
                self.radio.hotspot = not self.radio.hotspot
            case ("rename",):
                name = self.text_of("device_name").strip()
                if name:
                    self.host.put_setting("global", "device_name", name)
                self.close_dialog()
            case ("rename_dialog",):
                self.field("device_name").set_text(self.host.setting("global", "device_name"))
                self.dialog = ("rename",)
                self.focus_on("device_name")
            case ("stop_app", package):
                self.host.force_stop(package)
                self.close_dialog()
                self.host.toast(self.host.say("应用已停止", "App stopped"))
            case _:
                super().on_event(event)

    def on_slide(self, key: str, value: float) -> None:
        """Brightness and volumes."""
        if key == "brightness":
            level = max(1, round(value * 255))
            self.host.put_setting("system", "screen_brightness", str(level))
        elif key.startswith("volume_"):
            self.host.put_setting("system", key, str(round(value * 15)))

    def submit(self, key: str) -> None:
        """Enter in a dialog's field is its main button."""
        if key == "wlan_password" and self.dialog is not None:
            self._join(self.dialog[1])
        elif key == "device_name":
            self.on_event(("rename",))
        else:
            super().submit(key)

    def _choose_network(self, name: str) -> None:
        secured = name != "Guest"
        if self.host.setting("global", "wifi_network") == name:
            self.handle(("dialog", "network", name))
        elif secured and name not in self.radio.saved:
            self.field("wlan_password").set_text("")
            self.dialog = ("password", name)
            self.focus_on("wlan_password")
        else:
            self.radio.saved.add(name)
            self.host.put_setting("global", "wifi_network", name)

    def _join(self, name: str) -> None:
        if len(self.text_of("wlan_password")) < 8:
            self.host.toast(self.host.say("密码至少 8 位", "The password has 8 characters or more"))
            return
        self.radio.saved.add(name)
        self.host.put_setting("global", "wifi_network", name)
        self.field("wlan_password").set_text("")
        self.close_dialog()

    def _main(self) -> View:
        say = self.host.say
        groups = [card(*(self._entry(entry) for entry in group)) for group in GROUPS]
        body = column(
            big_title(self.title()),
            self.search_entry(),
            *groups,
            space(16),
            gap=14,
            padding=insets(16, 0),
        )
        return page(
            scroll("home", body, resource_id="main_content"),
            content_desc=say("设置主页", "Settings home"),
        )

    def search_entry(self) -> View:
        """The box at the top of the main list that leads to the search page."""
        words = self.host.say("搜索设置", "Search settings")
        return list_row(
            words,
            lead=icon("search", 22),
            title_color="hint",
            event=("open_search",),
            background="surface_variant",
            radius=28,
            resource_id="search_action_bar",
        )

    def _entry(self, entry: Entry) -> View:
        lead = tinted_icon(entry.icon, entry.color)
        title = self.host.say(entry.zh, entry.en)
        if entry.page == "airplane":
            on = self.on("global", "airplane_mode_on")
            event = ("put", "global", "airplane_mode_on", "0" if on else "1")
            return switch_row(title, "", on, event, lead=lead)
        return list_row(
            title,
            self._summary(entry.page),
            lead=lead,
            trail=icon("chevron", 20, color="hint"),
            event=("open", entry.page),
        )

    def _summary(self, name: str) -> str:
        say = self.host.say
        off = say("已关闭", "Off")
        match name:
            case "wlan":
                network = self.host.setting("global", "wifi_network")
                on = self.on("global", "wifi_on")
                return (network or say("未连接", "Not connected")) if on else off
            case "bluetooth":
                return say("已开启", "On") if self.on("global", "bluetooth_on") else off
            case "display":
                return say("亮度、深色模式、字体大小", "Brightness, dark theme, font size")
            case "battery":
                return "85%"
            case "storage":
                return say("已使用 38% - 剩余 79 GB", "38% used - 79 GB free")
            case "about":
                return self.host.setting("global", "device_name")
            case _:
                return ""

    def handle(self, event: Event) -> None:
        """Also opens the search with the keyboard up."""
        if event == ("open", "airplane"):
            on = self.on("global", "airplane_mode_on")
            self.host.put_setting("global", "airplane_mode_on", "0" if on else "1")
        elif event == ("open_search",):
            self.field("search").set_text("")
            self.open(("search",))
            self.focus_on("search")
        else:
            super().handle(event)

    def _search(self) -> View:
        say = self.host.say
        wanted = self.text_of("search").strip().lower()
        found = [
            entry
            for group in GROUPS
            for entry in group
            if wanted and wanted in f"{entry.zh} {entry.en} {entry.words}".lower()
        ]
        rows = [
            list_row(
                say(entry.zh, entry.en),
                lead=tinted_icon(entry.icon, entry.color),
                event=("open", entry.page),
            )
            for entry in found
        ]
        body = column(card(*rows), padding=insets(16, 8)) if rows else space()
        if wanted and not rows:
            body = empty_note(say("未找到结果", "No results"))
        return page(
            column(
                self.search("search", say("搜索设置", "Search settings")),
                padding=Insets(16, 10, 16, 8),
            ),
            scroll("search", body),
        )

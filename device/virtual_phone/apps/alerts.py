"""What the system puts over an app: not responding, stopped, a question, not there yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from device.virtual_phone.apps.base import App, Host
from device.virtual_phone.apps.tasks import Focus
from device.virtual_phone.profile import Profile
from device.virtual_phone.ui.view import FILL, View, column, icon, insets, space, text
from device.virtual_phone.ui.widgets import dialog_card, text_button

AlertKind = Literal["anr", "crash", "permission"]
Answer = Literal["wait", "close", "allow", "deny"]


@dataclass(frozen=True, slots=True)
class Alert:
    """A question of the system about an app; nothing below it can be touched.

    Attributes:
        kind: What it is about: not responding, stopped, or asking for a permission.
        package: The app.
    """

    kind: AlertKind
    package: str


@dataclass(frozen=True, slots=True)
class Splash:
    """An app that is in front but shows nothing yet.

    Attributes:
        package: The app.
        end_s: When it is there, by the phone's clock.
    """

    package: str
    end_s: float


def owner_of(alert: Alert, profile: Profile) -> str:
    """The package whose window the alert is; the name of the permission dialog's changed."""
    if alert.kind != "permission":
        return "android"
    if profile.sdk <= 28:
        return "com.android.packageinstaller"
    google = profile.manufacturer == "Google"
    return f"com.{'google.' if google else ''}android.permissioncontroller"


def focus_of_alert(alert: Alert, profile: Profile) -> Focus:
    """Its window, as the window manager names it."""
    owner = owner_of(alert, profile)
    match alert.kind:
        case "anr":
            return Focus(owner, "", f"Application Not Responding: {alert.package}")
        case "crash":
            return Focus(owner, "", f"Application Error: {alert.package}")
        case "permission":
            space_name = "packageinstaller" if profile.sdk <= 28 else "permissioncontroller"
            name = f"com.android.{space_name}.permission.ui.GrantPermissionsActivity"
            return Focus(owner, name, f"{owner}/{name}")


def alert_view(host: Host, alert: Alert, app: App) -> View:
    """The card."""
    say, name = host.say, app.title()
    close = text_button(say("关闭应用", "Close app"), ("alert", "close"))
    match alert.kind:
        case "anr":
            title = say(f"{name}没有响应", f"{name} isn't responding")
            wait = text_button(say("等待", "Wait"), ("alert", "wait"))
            return dialog_card(title, buttons=(close, wait))
        case "crash":
            return dialog_card(
                say(f"{name}屡次停止运行", f"{name} keeps stopping"), buttons=(close,)
            )
        case "permission":
            title = say(f"要允许“{name}”发送通知吗？", f"Allow {name} to send you notifications?")
            allow = text_button(say("允许", "Allow"), ("alert", "allow"))
            deny = text_button(say("不允许", "Don't allow"), ("alert", "deny"))
            return dialog_card(title, buttons=(deny, allow))


def splash_view(host: Host, app: App) -> View:
    """An app before its first page: an icon and a word."""
    return column(
        space(weight=1),
        icon(app.icon_name, 96, color=app.icon_color),
        text(
            host.say("正在加载…", "Loading…"),
            16,
            color="on_surface_variant",
            padding=insets(0, 24),
        ),
        space(weight=1),
        align="center",
        height=FILL,
        background="background",
        resource_id="android:id/content",
        class_name="android.widget.FrameLayout",
    )

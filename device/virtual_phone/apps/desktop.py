"""Puts apps and system UI together into the windows of one screen."""

from __future__ import annotations

from dataclasses import dataclass

from device.virtual_phone.apps import systemui
from device.virtual_phone.apps.alerts import Alert, Splash, alert_view, owner_of, splash_view
from device.virtual_phone.apps.base import App, Host
from device.virtual_phone.apps.shade import Shade
from device.virtual_phone.apps.system import System
from device.virtual_phone.apps.systemui import GESTURE_BAR_DP, STATUS_BAR_DP
from device.virtual_phone.keyboard import LATIN_IME, Keyboard, adb_strip
from device.virtual_phone.ui.geometry import Rect
from device.virtual_phone.ui.layout import Layout
from device.virtual_phone.ui.view import FILL, View, column, space, stack
from device.virtual_phone.ui.window import Window

_IME_PACKAGE = "com.android.inputmethod.latin"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is to be shown.

    Attributes:
        app: The app in front.
        ime: Component of the keyboard that is up; empty for none.
        shade: The notification shade.
        locked: The lock screen is in front.
        toast: A short message; empty for none.
        alert: A question of the system, with the app that it is about.
        splash: The app that is not there yet.
    """

    app: App
    ime: str
    keyboard: Keyboard
    shade: Shade
    locked: bool
    toast: str
    alert: tuple[Alert, App] | None = None
    splash: Splash | None = None


def compose(
    host: System, scene: Scene, width_px: int, height_px: int, scale: float, font_scale: float
) -> tuple[Window, ...]:
    """Windows from the bottom up."""
    screen = Rect(0, 0, width_px, height_px)
    app = scene.app
    layout = Layout(scale, font_scale, app.scrolls)
    # System surfaces keep their size when the user enlarges the text.
    system = Layout(scale, 1, scene.shade.scrolls)
    windows: list[Window] = []
    keyboard = None if scene.locked else _keyboard_view(host, scene)
    keyboard_px = 0 if keyboard is None else system.measure(keyboard, width_px)[1]
    backdrop = app.backdrop()
    on_wallpaper = scene.locked or (backdrop is not None and app.route == app.home)

    if not scene.locked:
        late = scene.splash is not None and scene.splash.package == app.package
        if late:
            decor = splash_view(host, app)
        else:
            decor = _decor(app, backdrop, on_wallpaper, keyboard_px / scale)
        windows.append(Window("app", app.package, layout.place(decor, screen), secure=app.secure))
        card = app.dialog_view() if app.dialog is not None and not late else None
        if card is not None:
            windows.append(_dialog(app, card, layout, screen, keyboard_px, scale))
        if keyboard is not None:
            area = Rect(0, height_px - keyboard_px, width_px, height_px)
            windows.append(Window("keyboard", _IME_PACKAGE, system.place(keyboard, area)))
        if scene.alert is not None:
            windows.append(_alert(host, scene.alert, system, screen))
    else:
        guard = stack(
            systemui.wallpaper(),
            systemui.keyguard_view(host, scene.shade.notifications),
            height=FILL,
        )
        windows.append(Window("keyguard", systemui.PACKAGE, system.place(guard, screen)))
    if scene.shade.is_open:
        shade = column(
            space(STATUS_BAR_DP),
            systemui.shade_view(host, scene.shade.state, scene.shade.notifications).having(
                weight=1
            ),
            space(GESTURE_BAR_DP),
            height=FILL,
            background="shade",
        )
        windows.append(Window("shade", systemui.PACKAGE, system.place(shade, screen)))

    light_ink = on_wallpaper and not scene.shade.is_open
    ink = "#ffffff" if light_ink else "on_surface"
    top = Rect(0, 0, width_px, round(STATUS_BAR_DP * scale))
    bottom = Rect(0, height_px - round(GESTURE_BAR_DP * scale), width_px, height_px)
    bars = ((systemui.status_bar(host, ink), top), (systemui.gesture_bar(ink), bottom))
    for bar, area in bars:
        windows.append(Window("bar", systemui.PACKAGE, system.place(bar, area)))
    if scene.toast:
        toast = system.place(systemui.toast_view(scene.toast), screen)
        windows.append(Window("toast", systemui.PACKAGE, toast))
    return tuple(windows)


def _decor(app: App, backdrop: View | None, on_wallpaper: bool, keyboard_dp: float) -> View:
    """The app's window: its page between status bar and gesture bar or keyboard."""
    content = column(
        app.page(),
        height=FILL,
        resource_id="android:id/content",
        class_name="android.widget.FrameLayout",
    )
    frame = column(
        space(STATUS_BAR_DP),
        content.having(weight=1),
        space(max(GESTURE_BAR_DP, keyboard_dp)),
        height=FILL,
    )
    if on_wallpaper:
        return stack(backdrop, frame, height=FILL)
    return stack(frame, height=FILL, background="background")


def _dialog(
    app: App, card: View, layout: Layout, screen: Rect, keyboard_px: int, scale: float
) -> Window:
    """A card in the middle of what the keyboard leaves free, over a dimmed app."""
    top = round(STATUS_BAR_DP * scale)
    bottom = screen.bottom - max(keyboard_px, round(GESTURE_BAR_DP * scale))
    width_px, height_px = layout.measure(card, screen.width - round(32 * scale))
    height_px = min(height_px, bottom - top)
    left = (screen.width - width_px) // 2
    if app.dialog is not None and app.dialog[0].startswith("sheet"):
        y = bottom - height_px
    else:
        y = top + (bottom - top - height_px) // 2
    area = Rect(left, y, left + width_px, y + height_px)
    return Window("dialog", app.package, layout.place(card, area), dim=0.45, secure=app.secure)


def _alert(host: System, alert: tuple[Alert, App], layout: Layout, screen: Rect) -> Window:
    """A card in the middle of the screen."""
    card = alert_view(host, *alert)
    width_px, height_px = layout.measure(card, screen.width)
    left, top = (screen.width - width_px) // 2, (screen.bottom - height_px) // 2
    area = Rect(left, top, left + width_px, top + height_px)
    owner = owner_of(alert[0], host.profile)
    return Window("alert", owner, layout.place(card, area), dim=0.45)


def _keyboard_view(host: Host, scene: Scene) -> View | None:
    if not scene.ime:
        return None
    say = host.say
    if scene.ime != LATIN_IME:
        keys = adb_strip("ADB Keyboard {ON}")
    else:
        app = scene.app
        multiline = app.focused is not None and app.field(app.focused).multiline
        done = say("换行", "Enter") if multiline else say("完成", "Done")
        keys = scene.keyboard.view(done, host.screen_is_wide())
    return column(keys, space(GESTURE_BAR_DP), background="keyboard")

"""The home screen: two pages of icons, a dock, the app drawer, recent apps."""

from __future__ import annotations

from device.virtual_phone.apps.base import App, app_icon
from device.virtual_phone.ui.view import (
    FILL,
    Event,
    Insets,
    View,
    column,
    insets,
    picture,
    row,
    scroll,
    space,
    text,
)
from device.virtual_phone.ui.widgets import button, empty_note, page

_DOCK = ("com.android.contacts", "com.tencent.mm", "com.android.browser", "com.android.gallery3d")
_PAGES = (
    (
        "com.android.settings",
        "com.android.notes",
        "com.android.deskclock",
        "com.tencent.mm",
        "com.android.gallery3d",
    ),
    ("com.example.shop", "com.android.contacts", "com.android.browser"),
)
_WHITE = "#ffffff"


class Launcher(App):
    """com.android.launcher3."""

    package = "com.android.launcher3"
    label = ("桌面", "Home")
    main_activity = ".uioverrides.QuickstepLauncher"

    def restart(self) -> None:
        """Shows the first page."""
        super().restart()
        self.shown_page = 0

    def backdrop(self) -> View:
        """The wallpaper."""
        return picture("wallpaper", width=FILL, height=FILL)

    def page(self) -> View:
        """Home, drawer or recent apps."""
        match self.route:
            case ("drawer",):
                return self._drawer()
            case ("recents",):
                return self._recents()
            case _:
                return self._home()

    def on_event(self, event: Event) -> None:
        """Turns pages and opens apps."""
        match event:
            case ("page", number):
                self.shown_page = max(0, min(len(_PAGES) - 1, int(number)))
            case ("start", package):
                self.host.launch(package)
                self.go_home()
            case ("end", package):
                self.host.force_stop(package)
            case ("end_all",):
                for package in self.host.recent_packages():
                    self.host.force_stop(package)
                self.go_home()
            case _:
                super().on_event(event)

    def _apps(self) -> dict[str, App]:
        return {app.package: app for app in self.host.installed_apps()}

    def _home(self) -> View:
        apps = self._apps()
        shown = [apps[name] for name in _PAGES[self.shown_page] if name in apps]
        dock = [apps[name] for name in _DOCK if name in apps]
        wide = self.host.screen_is_wide()
        say = self.host.say
        head = column(
            text("10:24", 32 if wide else 64, color=_WHITE, resource_id="clock"),
            text(
                say("11月30日 星期一", "Mon, Nov 30"),
                18,
                color=_WHITE,
                resource_id="date",
            ),
            padding=Insets(28, 4 if wide else 36, 0, 4 if wide else 36),
        )
        dots = row(
            *(
                column(
                    width=8,
                    height=8,
                    radius=4,
                    background=_WHITE if index == self.shown_page else "#7382c4",
                )
                for index in range(len(_PAGES))
            ),
            gap=8,
            justify="center",
            height=28,
            content_desc=say(
                f"第 {self.shown_page + 1} 页，共 {len(_PAGES)} 页",
                f"Page {self.shown_page + 1} of {len(_PAGES)}",
            ),
        )
        return page(
            head,
            self._grid(shown, 8 if wide else 4, _WHITE),
            space(weight=1),
            dots,
            row(
                *(self._app(app, _WHITE) for app in dock),
                padding=insets(12, 8),
                resource_id="hotseat",
            ),
            resource_id="workspace",
            on_swipe_left=("page", str(self.shown_page + 1)),
            on_swipe_right=("page", str(self.shown_page - 1)),
            on_swipe_up=("open", "drawer"),
        )

    def _grid(self, apps: list[App], columns: int, ink: str) -> View:
        rows = []
        for start in range(0, len(apps), columns):
            cells = [self._app(app, ink) for app in apps[start : start + columns]]
            cells += [space(weight=1)] * (columns - len(cells))
            rows.append(row(*cells, align="start"))
        return column(*rows, gap=20, padding=insets(12, 0))

    def _app(self, app: App, ink: str) -> View:
        return column(
            app_icon(app, 48 if self.host.screen_is_wide() else 60),
            text(app.title(), 14, color=ink, max_lines=1, resource_id="icon_label"),
            gap=6,
            align="center",
            weight=1,
            content_desc=app.title(),
            on_click=("start", app.package),
            on_long_click=("toast", app.title()),
        )

    def _drawer(self) -> View:
        say = self.host.say
        wanted = self.text_of("search").strip().lower()
        apps = [
            app
            for app in self.host.installed_apps()
            if wanted in app.title().lower() or wanted in app.label[1].lower()
        ]
        grid = self._grid(apps, 8 if self.host.screen_is_wide() else 4, "on_surface")
        if not apps:
            grid = empty_note(say("没有找到应用", "No apps found"))
        return page(
            column(
                self.search("search", say("搜索应用", "Search apps")),
                padding=Insets(16, 12, 16, 24),
            ),
            scroll("drawer", grid),
            background="background",
            resource_id="apps_view",
        )

    def _recents(self) -> View:
        say = self.host.say
        apps = self._apps()
        recent = [apps[name] for name in self.host.recent_packages() if name in apps]
        if not recent:
            body = empty_note(say("近期没有任何内容", "No recent items"))
            return page(space(weight=1), body, space(weight=1), background="background")
        cards = [
            row(
                app_icon(app, 48),
                text(app.title(), 18, weight=1, max_lines=1),
                background="surface",
                radius=20,
                padding=insets(20, 24),
                gap=16,
                content_desc=app.title(),
                on_click=("start", app.package),
                on_swipe_left=("end", app.package),
                on_swipe_right=("end", app.package),
            )
            for app in recent
        ]
        return page(
            text(
                say("最近使用的应用", "Recent apps"), 20, bold=True, padding=Insets(24, 24, 24, 12)
            ),
            scroll("recents", column(*cards, gap=14, padding=insets(20, 8))),
            row(
                button(say("全部清除", "Clear all"), ("end_all",), resource_id="clear_all"),
                justify="center",
                padding=insets(0, 20),
            ),
            background="background",
            resource_id="overview_panel",
        )

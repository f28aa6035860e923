"""What every app of the virtual phone has: pages, fields, a dialog, and a host to ask.

An app is state plus `page()`: state in, view tree out. Views name events; `handle` changes state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from device.virtual_phone.ui.text_field import TextField
from device.virtual_phone.ui.view import Event, View, icon
from device.virtual_phone.ui.widgets import icon_button, search_box

Route = tuple[str, ...]


class Host(Protocol):
    """What an app may ask of the phone that it runs on."""

    clipboard: str

    def say(self, zh: str, en: str) -> str:
        """The text in the phone's language."""
        ...

    def setting(self, namespace: str, key: str) -> str:
        """A value of `settings get`; empty when it is not set."""
        ...

    def put_setting(self, namespace: str, key: str, value: str) -> None:
        """What `settings put` does."""
        ...

    def toast(self, words: str) -> None:
        """Shows a short message that goes away by itself."""
        ...

    def launch(self, package: str, route: Route = ()) -> None:
        """Brings another app to the front, at a page of it."""
        ...

    def notify(self, package: str, title: str, words: str, route: Route) -> None:
        """Puts a notification in the shade; a tap on it opens the route."""
        ...

    def after(self, delay_s: float, package: str, event: Event) -> None:
        """Sends an event to an app later."""
        ...

    def in_front(self, package: str) -> bool:
        """The app is what the user sees."""
        ...

    def installed_apps(self) -> list[App]:
        """All apps with an icon, in the order of the app drawer."""
        ...

    def recent_packages(self) -> list[str]:
        """Apps with a task, the latest first."""
        ...

    def force_stop(self, package: str) -> None:
        """Ends an app and its task."""
        ...

    def screen_is_wide(self) -> bool:
        """The screen is in landscape."""
        ...

    def about(self) -> Mapping[str, str]:
        """Facts about the phone: model, android, manufacturer, serial, resolution."""
        ...


class App:
    """One app. Data survives `restart`; pages, fields and dialogs do not.

    Attributes:
        pages: Open pages, the one in front last.
        dialog: The dialog over the page, if any.
        focused: Name of the text field with the input focus.
        scrolls: Scroll offsets in pixels by scroll key.
    """

    package: ClassVar[str]
    label: ClassVar[tuple[str, str]]
    icon_name: ClassVar[str] = "apps"
    icon_color: ClassVar[str] = "#5b6b8a"
    icon_ink: ClassVar[str] = "#ffffff"
    home: ClassVar[Route] = ("home",)
    main_activity: ClassVar[str] = ".MainActivity"
    activities: ClassVar[Mapping[str, str]] = {}
    secure_pages: ClassVar[frozenset[str]] = frozenset()
    version: ClassVar[str] = "1.0.0"

    def __init__(self, host: Host) -> None:
        self.host = host
        self.forget()
        self.restart()

    def forget(self) -> None:
        """Drops all data: what the app is after `pm clear`."""

    def load_start_data(self) -> None:
        """Puts in what the phone holds at its start."""

    def restart(self) -> None:
        """Goes to the first page, as a fresh process does."""
        self.pages: list[Route] = [self.home]
        self.dialog: Route | None = None
        self.fields: dict[str, TextField] = {}
        self.focused: str | None = None
        self.scrolls: dict[str, int] = {}

    # What it shows

    def page(self) -> View:
        """The page in front."""
        raise NotImplementedError

    def dialog_view(self) -> View | None:
        """The card of the dialog in front."""
        return None

    def backdrop(self) -> View | None:
        """What lies behind status bar, page and gesture bar."""
        return None

    @property
    def route(self) -> Route:
        """The page in front."""
        return self.pages[-1]

    @property
    def activity(self) -> str:
        """Class name of the activity in front, from a dot on."""
        return self.activities.get(self.route[0], self.main_activity)

    @property
    def secure(self) -> bool:
        """The page must not be captured."""
        return self.route[0] in self.secure_pages

    def truth(self) -> dict[str, Any]:
        """The data, JSON-able."""
        return {}

    # What happens to it

    def handle(self, event: Event) -> None:
        """Does what a view named."""
        match event:
            case ("open", *route):
                self.open(tuple(route))
            case ("back",):
                self.back()
            case ("dialog", *route):
                self.unfocus()
                self.dialog = tuple(route)
            case ("dismiss",):
                self.close_dialog()
            case ("launch", package):
                self.host.launch(package)
            case ("toast", words):
                self.host.toast(words)
            case ("empty_field", key):
                self.field(key).set_text("")
                self.text_changed(key)
            case _:
                self.on_event(event)

    def on_event(self, event: Event) -> None:
        """Does what only this app knows."""
        raise ValueError(f"{self.package} does not know the event {event!r}; handle it in on_event")

    def on_slide(self, key: str, value: float) -> None:
        """A slider was moved to `value`, 0..1."""

    def text_changed(self, key: str) -> None:
        """The user changed a field."""

    def submit(self, key: str) -> None:
        """The user pressed the keyboard's action key in a single-line field."""
        self.unfocus()

    def open_link(self, data: str) -> bool:
        """Opens what `am start -d` names; False if it cannot."""
        return False

    @property
    def animating(self) -> bool:
        """The page keeps moving by itself."""
        return False

    def tick(self, dt_s: float) -> bool:
        """Lets time pass; True if something to see changed."""
        return False

    def route_of(self, activity: str) -> Route:
        """The page that an activity opens by itself; empty when it is just the main one."""
        return ()

    def arrive(self) -> None:
        """The app came to the front."""

    # Pages and fields

    def open(self, route: Route) -> None:
        """Puts a page on top."""
        self.unfocus()
        self.dialog = None
        self.pages.append(route)
        for key in [k for k in self.scrolls if k.startswith(route[0])]:
            del self.scrolls[key]

    def show(self, route: Route) -> None:
        """Puts a page in the place of the one in front."""
        self.pages.pop()
        self.open(route)

    def go_home(self) -> None:
        """Drops every page but the first."""
        self.unfocus()
        self.dialog = None
        self.pages = self.pages[:1]

    def back(self) -> bool:
        """Closes a dialog or a page; False when there is nothing left to close."""
        if self.dialog is not None:
            self.close_dialog()
            return True
        if len(self.pages) > 1:
            self.unfocus()
            self.pages.pop()
            return True
        return False

    def close_dialog(self) -> None:
        """Closes the dialog."""
        self.unfocus()
        self.dialog = None

    def field(self, key: str) -> TextField:
        """The text field of that name; made on first use."""
        return self.fields.setdefault(key, TextField())

    def text_of(self, key: str) -> str:
        """What a field holds."""
        return self.field(key).text

    def focus_on(self, key: str) -> None:
        """Gives a field the input focus; the keyboard comes up."""
        field = self.field(key)
        if field.select_on_focus:
            field.select_all()
        self.focused = key

    def unfocus(self) -> None:
        """No field has the input focus any more; the keyboard goes."""
        self.focused = None

    def edit(
        self,
        key: str,
        hint: str,
        *,
        multiline: bool = False,
        password: bool = False,
        max_length: int = 10_000,
        select_on_focus: bool = False,
        **attributes: Any,
    ) -> View:
        """The view of a text field."""
        field = self.field(key)
        field.multiline = multiline
        field.max_length = max_length
        field.secret = password
        field.select_on_focus = select_on_focus
        shown = "•" * len(field.text) if password else field.text
        attributes.setdefault("resource_id", key)
        attributes.setdefault("max_lines", 0 if multiline else 1)
        attributes.setdefault("weight", 1)
        return View(
            "field",
            text=shown,
            hint=hint,
            key=key,
            password=password,
            focused=self.focused == key,
            cursor=field.cursor if self.focused == key else -1,
            selection=field.selection if self.focused == key else (0, 0),
            **attributes,
        )

    def search(self, key: str, hint: str) -> View:
        """A search box with a button that empties it."""
        clear = None
        if self.text_of(key):
            say = self.host.say
            clear = icon_button("close", say("清除", "Clear"), ("empty_field", key))
        return search_box(self.edit(key, hint, size=16), clear)

    def title(self) -> str:
        """The app's name in the phone's language."""
        return self.host.say(*self.label)


def app_icon(app: App, size: float) -> View:
    """The app's icon as on the home screen."""
    return View(
        "stack",
        (icon(app.icon_name, size * 0.56, color=app.icon_ink),),
        width=size,
        height=size,
        radius=size * 0.28,
        background=app.icon_color,
        align="center",
        justify="center",
    )

"""The notification shade: how far it is open, and what is in it."""

from __future__ import annotations

from device.virtual_phone.apps.base import Host, Route
from device.virtual_phone.apps.systemui import TILES, Notification, ShadeState
from device.virtual_phone.ui.view import Event


class Shade:
    """State of the shade.

    Attributes:
        state: How far it is open.
        notifications: The latest first.
        scrolls: Its scroll offsets in pixels.
    """

    def __init__(self) -> None:
        self.state: ShadeState = "closed"
        self.notifications: list[Notification] = []
        self.scrolls: dict[str, int] = {}
        self._count = 0

    @property
    def is_open(self) -> bool:
        """It covers the screen."""
        return self.state != "closed"

    def pull(self) -> None:
        """A pull from the top opens it; a second one opens it fully."""
        self.state = "settings" if self.is_open else "notifications"

    def close(self) -> None:
        """Goes up."""
        self.state = "closed"

    def add(self, package: str, title: str, words: str, route: Route) -> None:
        """Puts in a notification; a tap on it opens the route."""
        self._count += 1
        self.notifications.insert(0, Notification(self._count, package, title, words, route))

    def handle(self, event: Event, host: Host) -> None:
        """Does what a view of the shade or the lock screen named.

        Raises:
            ValueError: The event is unknown.
        """
        match event:
            case ("tile", key):
                self._flip(key, host)
            case ("swipe_away", number):
                self._take(number)
            case ("clear_notifications",):
                self.notifications.clear()
            case ("open_notification", number):
                note = self._take(number)
                self.close()
                host.launch(note.package, note.route)
            case _:
                raise ValueError(f"the shade does not know {event!r}; handle it here")

    def _take(self, number: str) -> Notification:
        note = next(n for n in self.notifications if str(n.number) == number)
        self.notifications.remove(note)
        return note

    def _flip(self, key: str, host: Host) -> None:
        for tile in TILES:
            if tile.key == key:
                on = host.setting(tile.namespace, tile.key) == tile.on
                host.put_setting(tile.namespace, tile.key, tile.off if on else tile.on)

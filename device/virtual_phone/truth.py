"""What tests may know of the phone: the state behind its screen."""

from __future__ import annotations

from typing import Any

from device.virtual_phone.apps.base import App
from device.virtual_phone.apps.system import System
from device.virtual_phone.apps.tasks import Focus


def tell_truth(system: System, focus: Focus | None, ime_shown: bool) -> dict[str, Any]:
    """The state behind the screen, JSON-able.

    Args:
        system: The apps and their settings.
        focus: The window in front.
        ime_shown: Whether the on-screen keyboard is up.
    """
    app = system.tasks.front
    return {
        "settings": {name: dict(values) for name, values in system.settings.items()},
        "apps": {_short_name(each): each.truth() for each in system.apps.values()},
        "focus": None if focus is None else focus.window,
        "front": app.package,
        "page": list(app.route),
        "alert": None if system.alert is None else system.alert.kind,
        "dialog": None if app.dialog is None else list(app.dialog),
        "text_fields": {key: field.text for key, field in app.fields.items()},
        "focused_field": app.focused,
        "tasks": list(system.tasks.recent),
        "wakefulness": system.wakefulness,
        "locked": system.locked,
        "shade": system.shade.state,
        "ime_shown": ime_shown,
        "rotation": system.rotation,
        "clipboard": system.clipboard,
        "toast": system.timeline.toast or None,
        "notifications": [
            {"package": note.package, "title": note.title, "text": note.words}
            for note in system.shade.notifications
        ],
    }


def _short_name(app: App) -> str:
    """Name of an app in the ground truth: its English label in lower case."""
    return app.label[1].lower()

"""The pieces that screens are made of: rows, cards, bars, buttons, dialogs."""

from __future__ import annotations

from typing import Any

from device.virtual_phone.ui.view import (
    FILL,
    Event,
    Insets,
    View,
    column,
    icon,
    insets,
    row,
    space,
    stack,
    text,
)


def page(*children: View | None, **attributes: Any) -> View:
    """A whole screen below the status bar."""
    attributes.setdefault("height", FILL)
    return column(*children, **attributes)


def icon_button(name: str, label: str, event: Event, **attributes: Any) -> View:
    """A 48 dp square that can be tapped; the label is for the UI tree."""
    color = attributes.pop("color", "on_surface")
    enabled = attributes.get("enabled", True)
    return stack(
        icon(name, color=color, enabled=enabled),
        width=48,
        height=48,
        align="center",
        justify="center",
        content_desc=label,
        on_click=event,
        **attributes,
    )


def toolbar(title: str, *actions: View | None, back: str = "") -> View:
    """The bar at the top of a page; `back` is the label of a back arrow, empty for none."""
    lead = icon_button("back", back, ("back",), resource_id="back") if back else space(0, 12)
    return row(
        lead,
        text(title, 20, bold=True, weight=1, max_lines=1, resource_id="title"),
        *actions,
        height=60,
        padding=Insets(4, 0, 4, 0),
        gap=4,
    )


def big_title(words: str) -> View:
    """The large title of an app's first page."""
    return column(
        text(words, 30, bold=True, max_lines=1, resource_id="title"),
        padding=Insets(20, 20, 20, 10),
    )


def card(*children: View | None, **attributes: Any) -> View:
    """A white rounded block; its rows are divided by thin lines."""
    kept = [child for child in children if child is not None]
    parts: list[View] = []
    for index, child in enumerate(kept):
        if index:
            parts.append(divider())
        parts.append(child)
    attributes.setdefault("background", "surface")
    attributes.setdefault("radius", 20)
    attributes.setdefault("padding", insets(0, 4))
    return column(*parts, **attributes)


def divider() -> View:
    """A thin line that leaves room at the left and right."""
    return column(column(height=1, background="divider"), height=1, padding=Insets(20, 0, 20, 0))


def list_row(
    title: str,
    summary: str = "",
    *,
    lead: View | None = None,
    trail: View | None = None,
    event: Event | None = None,
    **attributes: Any,
) -> View:
    """A row with a title, a second line, something before and something after."""
    title_color = attributes.pop("title_color", "on_surface")
    words = column(
        text(title, 17, max_lines=2, color=title_color, resource_id="android:id/title"),
        text(summary, 14, color="on_surface_variant", max_lines=2, resource_id="android:id/summary")
        if summary
        else None,
        weight=1,
        gap=1,
    )
    return row(
        lead,
        words,
        trail,
        gap=16,
        padding=insets(20, 14 if not summary else 11),
        on_click=event,
        **attributes,
    )


def switch_row(
    title: str,
    summary: str,
    on: bool,
    event: Event,
    *,
    lead: View | None = None,
    enabled: bool = True,
    **attributes: Any,
) -> View:
    """A row that turns something on and off; the whole row is the target."""
    switch = View(
        "switch",
        checkable=True,
        checked=on,
        enabled=enabled,
        width=52,
        height=32,
        resource_id="android:id/switch_widget",
    )
    return list_row(
        title,
        summary,
        lead=lead,
        trail=switch,
        event=event,
        enabled=enabled,
        title_color="on_surface" if enabled else "hint",
        **attributes,
    )


def slider(key: str, value: float, label: str) -> View:
    """A horizontal slider; its owner hears ("slide", key, value) with a value in 0..1."""
    return View(
        "slider",
        key=key,
        value=value,
        width=FILL,
        height=44,
        content_desc=label,
        on_click=("slide", key),
        resource_id=key,
    )


def tinted_icon(name: str, color: str) -> View:
    """A white icon on a coloured disc."""
    return stack(
        icon(name, 20, color="#ffffff"),
        width=36,
        height=36,
        radius=18,
        background=color,
        align="center",
        justify="center",
    )


def avatar(name: str, color: str, size: float = 40) -> View:
    """The first letter of a name on a coloured disc."""
    return stack(
        text(name[:1], size * 0.45, color="#ffffff", bold=True),
        width=size,
        height=size,
        radius=size / 2,
        background=color,
        align="center",
        justify="center",
    )


def button(label: str, event: Event, **attributes: Any) -> View:
    """A filled button."""
    attributes.setdefault("background", "primary")
    attributes.setdefault("color", "on_primary")
    attributes.setdefault("radius", 24)
    attributes.setdefault("padding", insets(24, 11))
    size = attributes.pop("size", 16)
    return text(label, size, align="center", on_click=event, max_lines=1, **attributes)


def quiet_button(label: str, event: Event, **attributes: Any) -> View:
    """A button of lesser weight."""
    attributes.setdefault("background", "primary_container")
    attributes.setdefault("color", "on_primary_container")
    return button(label, event, **attributes)


def text_button(label: str, event: Event, **attributes: Any) -> View:
    """A button that is only words."""
    attributes.setdefault("color", "primary")
    attributes.setdefault("class_name", "android.widget.Button")
    attributes.setdefault("padding", insets(16, 11))
    return text(label, 16, bold=True, align="center", on_click=event, max_lines=1, **attributes)


def floating_button(name: str, label: str, event: Event) -> View:
    """The round button that floats over the bottom right of a page."""
    return stack(
        icon(name, 26, color="on_primary"),
        width=60,
        height=60,
        radius=18,
        background="primary",
        align="center",
        justify="center",
        content_desc=label,
        on_click=event,
        resource_id="fab",
    )


def with_floating_button(body: View, floating: View) -> View:
    """A page body with a floating button over it."""
    corner = column(floating, width=84, height=84, padding=Insets(0, 0, 24, 24), align="end")
    return stack(body, corner, weight=1, align="end", justify="end")


def section(words: str) -> View:
    """A small heading between cards."""
    return column(text(words, 14, color="primary", bold=True), padding=Insets(24, 16, 20, 6))


def empty_note(words: str) -> View:
    """What a list says when it has nothing to show."""
    return column(
        text(words, 16, color="on_surface_variant", align="center", width=FILL),
        padding=insets(24, 60),
    )


def search_box(field: View, clear: View | None = None) -> View:
    """A rounded box around a search field."""
    return row(
        icon("search", 22),
        field,
        clear,
        gap=12,
        padding=Insets(18, 0, 6 if clear else 18, 0),
        height=52,
        radius=26,
        background="surface_variant",
    )


def bottom_tabs(tabs: list[tuple[str, str, Event]], selected: int) -> View:
    """The bar at the bottom of an app: icon, label and event per tab."""
    parts = []
    for index, (name, label, event) in enumerate(tabs):
        chosen = index == selected
        color = "primary" if chosen else "on_surface_variant"
        parts.append(
            column(
                icon(name, 24, color=color),
                text(label, 13, color=color, bold=chosen, max_lines=1),
                align="center",
                justify="center",
                gap=2,
                weight=1,
                height=FILL,
                on_click=event,
                selected=chosen,
            )
        )
    return row(*parts, height=64, background="surface")


def dialog_card(title: str, *body: View | None, buttons: tuple[View, ...] = ()) -> View:
    """A dialog: title, content, and buttons at the bottom right."""
    return column(
        text(title, 21, bold=True, resource_id="alertTitle", max_lines=2),
        *body,
        row(*buttons, justify="end", gap=4) if buttons else None,
        gap=10,
        padding=Insets(24, 20, 16, 10),
        radius=28,
        background="surface",
        width=320,
    )

"""What a screen shows, as an immutable tree of views.

Screens are functions of state: an app builds a fresh tree after every change. Sizes are in dp
(1/160 inch), text sizes in sp, colours are theme roles ("surface") or "#rrggbb". A view says what
happens to it by naming an event, which its owner handles; it never holds code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Event = tuple[str, ...]

Kind = Literal[
    "column",
    "row",
    "stack",
    "scroll",
    "text",
    "field",
    "icon",
    "picture",
    "switch",
    "check",
    "radio",
    "slider",
    "space",
]
Align = Literal["start", "center", "end"]
Justify = Literal["start", "center", "end", "between"]

FILL = -1.0
"""As a width or height: take all the room that the parent has."""


@dataclass(frozen=True, slots=True)
class Insets:
    """Room between a view's edge and its content, in dp."""

    left: float = 0
    top: float = 0
    right: float = 0
    bottom: float = 0


def insets(horizontal: float = 0, vertical: float = 0) -> Insets:
    """Same room left and right, same room above and below."""
    return Insets(horizontal, vertical, horizontal, vertical)


@dataclass(frozen=True, slots=True)
class View:
    """One thing on the screen, with what is inside it.

    Attributes:
        kind: How it is laid out and painted.
        key: Name of the scroll position, text field, picture or slider behind it.
        value: Slider position in 0..1.
        align: Where children (or lines of text) go across the main direction.
        justify: Where left-over room goes along the main direction.
        weight: Share of the left-over room along the parent's main direction; 0 = own size.
        max_lines: Text beyond this many lines ends in an ellipsis; 0 = any number.
        on_swipe_left: The finger moves left, so content on the right comes in.
    """

    kind: Kind
    children: tuple[View, ...] = ()
    text: str = ""
    hint: str = ""
    content_desc: str = ""
    resource_id: str = ""
    class_name: str = ""
    key: str = ""
    icon: str = ""
    value: float = 0
    cursor: int = -1
    selection: tuple[int, int] = (0, 0)

    size: float = 16
    bold: bool = False
    color: str = "on_surface"
    background: str = ""
    border: str = ""
    radius: float = 0
    max_lines: int = 0
    strike: bool = False

    width: float | None = None
    height: float | None = None
    weight: float = 0
    padding: Insets = Insets()
    gap: float = 0
    align: Align = "start"
    justify: Justify = "start"

    checkable: bool = False
    checked: bool = False
    selected: bool = False
    enabled: bool = True
    focused: bool = False
    password: bool = False

    on_click: Event | None = None
    on_long_click: Event | None = None
    on_double_tap: Event | None = None
    on_swipe_left: Event | None = None
    on_swipe_right: Event | None = None
    on_swipe_up: Event | None = None

    def having(self, **changes: Any) -> View:
        """The same view with some attributes changed."""
        return replace(self, **changes)


def column(*children: View | None, **attributes: Any) -> View:
    """Children one below the other; as wide as the parent unless told otherwise."""
    attributes.setdefault("width", FILL)
    return View("column", tuple(c for c in children if c is not None), **attributes)


def row(*children: View | None, **attributes: Any) -> View:
    """Children side by side, centred on one line; as wide as the parent unless told otherwise."""
    attributes.setdefault("width", FILL)
    attributes.setdefault("align", "center")
    return View("row", tuple(c for c in children if c is not None), **attributes)


def stack(*children: View | None, **attributes: Any) -> View:
    """Children on top of each other; `align` places them across, `justify` down."""
    attributes.setdefault("width", FILL)
    return View("stack", tuple(c for c in children if c is not None), **attributes)


def scroll(key: str, child: View, **attributes: Any) -> View:
    """A window onto a child that may be taller; takes the left-over room of a column."""
    attributes.setdefault("weight", 1)
    return View("scroll", (child,), key=key, width=FILL, **attributes)


def text(words: str, size: float = 16, **attributes: Any) -> View:
    """Words, wrapped at the width that the parent has."""
    return View("text", text=words, size=size, **attributes)


def icon(name: str, size: float = 24, **attributes: Any) -> View:
    """A drawn icon of `icons.ICONS`, square."""
    attributes.setdefault("color", "on_surface_variant")
    return View("icon", icon=name, width=size, height=size, **attributes)


def picture(key: str, **attributes: Any) -> View:
    """A painted picture of `pictures.paint_picture`, filling its box."""
    return View("picture", key=key, **attributes)


def space(height: float = 0, width: float | None = None, weight: float = 0) -> View:
    """Empty room."""
    return View("space", width=width, height=height, weight=weight)

"""The UI tree of a window, as `uiautomator dump` writes it."""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from device.virtual_phone.ui.layout import Box
from device.virtual_phone.ui.view import View

_DECLARATION = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
_FIRST_SDK_WITH_HINT = 35
_CLASSES = {
    "column": "android.widget.LinearLayout",
    "row": "android.widget.LinearLayout",
    "stack": "android.widget.FrameLayout",
    "scroll": "androidx.recyclerview.widget.RecyclerView",
    "text": "android.widget.TextView",
    "field": "android.widget.EditText",
    "icon": "android.widget.ImageView",
    "picture": "android.widget.ImageView",
    "switch": "android.widget.Switch",
    "check": "android.widget.CheckBox",
    "radio": "android.widget.RadioButton",
    "slider": "android.widget.SeekBar",
    "space": "android.view.View",
}
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_hierarchy(root: Box, package: str, rotation: int, sdk: int) -> str:
    """XML of one window.

    Args:
        root: The window's boxes.
        package: Whose window it is.
        rotation: 0..3, quarter turns.
        sdk: Android API level; it decides which attributes exist.
    """
    parts = [_DECLARATION, f'<hierarchy rotation="{rotation}">']
    _write(parts, root, 0, package, sdk)
    parts.append("</hierarchy>")
    return "".join(parts)


def _write(parts: list[str], box: Box, index: int, package: str, sdk: int) -> None:
    children = [child for child in _children(box) if _dumped(child)]
    parts.append("<node ")
    parts.append(_attributes(box, index, package, sdk))
    if not children:
        parts.append(" />")
        return
    parts.append(">")
    for position, child in enumerate(children):
        _write(parts, child, position, package, sdk)
    parts.append("</node>")


def _children(box: Box) -> tuple[Box, ...]:
    """A scroll container holds its rows directly, as a list does."""
    if box.view.kind == "scroll" and len(box.children) == 1:
        content = box.children[0]
        if content.view.kind == "column" and not content.view.on_click:
            return content.children
    return box.children


def _dumped(box: Box) -> bool:
    return box.view.kind != "space" and not box.visible.empty


def _class_name(view: View) -> str:
    if view.class_name:
        return view.class_name
    if view.on_click and view.kind == "text" and view.background:
        return "android.widget.Button"
    if view.on_click and view.kind in ("icon", "stack") and view.content_desc:
        return "android.widget.ImageButton"
    return _CLASSES[view.kind]


def _attributes(box: Box, index: int, package: str, sdk: int) -> str:
    view = box.view
    words = view.text or view.hint
    if view.password:
        words = "•" * len(view.text) or view.hint
    resource_id = view.resource_id
    if resource_id and ":" not in resource_id:
        resource_id = f"{package}:id/{resource_id}"
    clickable = view.on_click is not None or view.kind == "field"
    scrollable = view.kind == "scroll" and box.limit_px > 0
    area = box.visible
    pairs: list[tuple[str, str]] = [
        ("index", str(index)),
        ("text", words),
        ("resource-id", resource_id),
        ("class", _class_name(view)),
        ("package", package),
        ("content-desc", view.content_desc),
        ("checkable", _flag(view.checkable)),
        ("checked", _flag(view.checked)),
        ("clickable", _flag(clickable)),
        ("enabled", _flag(view.enabled)),
        ("focusable", _flag(clickable or scrollable)),
        ("focused", _flag(view.focused)),
        ("scrollable", _flag(scrollable)),
        ("long-clickable", _flag(view.on_long_click is not None or view.kind == "field")),
        ("password", _flag(view.password)),
        ("selected", _flag(view.selected)),
        ("bounds", f"[{area.left},{area.top}][{area.right},{area.bottom}]"),
    ]
    if sdk >= _FIRST_SDK_WITH_HINT:
        pairs += [("drawing-order", str(index + 1)), ("hint", view.hint)]
    return " ".join(f"{name}={_quoted(value)}" for name, value in pairs)


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _quoted(value: str) -> str:
    # A real dump writes "." for what XML cannot hold.
    clean = _NOT_XML.sub(".", value)
    return quoteattr(clean, {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})

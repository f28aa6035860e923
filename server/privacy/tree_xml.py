"""A UI tree's document with its private texts taken out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape, unescape

_TAG = re.compile(r"<[A-Za-z](?:\"[^\"]*\"|'[^']*'|[^\"'>])*>")
_ATTRIBUTE = re.compile(r"(\s)([\w:.-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")
_NO_TEXT = frozenset(
    {"index", "class", "package", "resource-id", "bounds", "rotation", "checkable", "checked"}
    | {"clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password"}
    | {"selected", "visible-to-user", "drawing-order", "displayed", "width", "height"}
)
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&#10;": "\n", "&#xA;": "\n", "&#xa;": "\n"}
_ESCAPES = {'"': "&quot;", "\n": "&#10;"}


def mask_xml(xml: str, texts: Mapping[int, Mapping[str, str]], mask: Callable[[str], str]) -> str:
    """Rewrite the attributes that hold texts.

    Args:
        xml: The document, legal XML, as `UiTree.xml` has it.
        texts: New values of single nodes, by their number in document order.
        mask: What becomes of every other value that is text.
    """
    number = -1

    def rewrite(match: re.Match[str]) -> str:
        nonlocal number
        tag = match[0]
        if tag.startswith("<hierarchy") and number < 0:
            return tag
        number += 1
        values = texts.get(number, {})

        def attribute(found: re.Match[str]) -> str:
            name = found[2]
            if name in _NO_TEXT:
                return found[0]
            value = unescape(found[3][1:-1], _ENTITIES)
            new = values.get(name)
            if new is None:
                new = mask(value) if value else value
            return found[0] if new == value else f'{found[1]}{name}="{escape(new, _ESCAPES)}"'

        return _ATTRIBUTE.sub(attribute, tag)

    return _TAG.sub(rewrite, xml)

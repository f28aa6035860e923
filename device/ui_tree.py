"""Reading the XML of `uiautomator dump`: pure functions, tolerant of what phones really print.

Text may stand before and behind the document (and glued to its end), characters may be illegal in
XML, trees may be hundreds of levels deep, and every attribute may be missing on some Android.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from device.displays import read_quarter_turns
from device.errors import AutomationBusyError, UiTreeError
from device.failures import error_from_output
from device.protocol import Bounds, Rotation, UiNode, UiTree

DOCUMENT_MAX_CHARS = 16_000_000
_REFERENCE = re.compile(r"&#(?:x(?P<hex>[0-9a-fA-F]{1,8})|(?P<decimal>\d{1,10}));")
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BARE_AMPERSAND = re.compile(r"&(?!(?:#x?[0-9a-fA-F]+|amp|lt|gt|quot|apos);)")
_BOUNDS = re.compile(r"\[(-?\d+), ?(-?\d+)\] ?\[(-?\d+), ?(-?\d+)\]")
_WEB_VIEW = re.compile(r"\bWebView$")


def parse_ui_tree(text: str) -> UiTree:
    """Read a dump.

    Args:
        text: Everything that the dump command and the file gave.

    Returns:
        The tree; `root` is None where the document holds no node.

    Raises:
        AutomationBusyError: Another automation client holds the phone's UI automation.
        UiTreeEncodingError: The phone's dumper failed on a character.
        UiTreeError: There is no document, or it is cut off or broken; `details["reason"]`.
    """
    end = text.rfind("</hierarchy>")
    # Of several documents (a dump that was tried again) the last whole one counts.
    start = text.find("<hierarchy") if end < 0 else text.rfind("<hierarchy", 0, end)
    if start < 0:
        raise _no_document(text)
    if len(text) > DOCUMENT_MAX_CHARS:
        raise _bad("too_large", "more than 16 million characters")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise _bad("doctype", "a document type, which no dump has")
    if end >= 0:
        document = text[start : end + len("</hierarchy>")]
    elif empty := re.match(r"<hierarchy[^<>]*/>", text[start:]):
        document = empty[0]
    else:
        raise _bad("truncated", "a document that is cut off")
    document, repairs = _repair(document)
    builder = _TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    try:
        parser.Parse(document.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise _bad("broken", f"a document that is no XML ({error})") from error
    roots = builder.roots
    return UiTree(
        roots[0] if roots else None, document, builder.rotation, tuple(repairs), tuple(roots[1:])
    )


def has_empty_web_view(tree: UiTree) -> bool:
    """Whether a web page has not filled its place yet: worth one more read."""
    return any(_WEB_VIEW.search(node.class_name) and not node.children for node in tree.nodes())


def focused_field(tree: UiTree) -> UiNode | None:
    """The node that typing goes to: the focused text field, else the focused node."""
    focused = [node for node in tree.nodes() if node.focused]
    return next((node for node in focused if is_editable(node)), focused[-1] if focused else None)


def is_focus_elsewhere(tree: UiTree, at_px: tuple[float, float]) -> bool:
    """Whether a text field is at a point, and another one has the focus.

    Where no field is at the point (its label was tapped), or none has the focus, nothing is known.
    """
    fields = [node for node in tree.nodes() if is_editable(node)]
    at_point = [node.focused for node in fields if node.bounds.contains(*at_px)]
    return bool(at_point) and not any(at_point) and any(node.focused for node in fields)


def is_editable(node: UiNode) -> bool:
    """Whether a node is a text field, by its class."""
    return node.class_name.endswith(("EditText", "AutoCompleteTextView", "SearchAutoComplete"))


def label(node: UiNode) -> str:
    """What a person would call a node: its own words, else those of its descendants.

    Compose puts the label and the click on different nodes, Flutter all lines in the description.
    """
    own = node.text or node.content_desc
    if own.strip():
        return own.strip()
    words: list[str] = []
    stack = list(reversed(node.children))
    while stack:
        child = stack.pop()
        part = (child.text or child.content_desc).strip()
        if part and part not in words:
            words.append(part)
        if not child.clickable:
            stack.extend(reversed(child.children))
    return " ".join(words) or node.hint.strip()


class _TreeBuilder:
    """Builds frozen nodes bottom up, on a stack of our own: depth is bounded by memory only."""

    def __init__(self) -> None:
        self.roots: list[UiNode] = []
        self.rotation: Rotation | None = None
        self._open: list[tuple[dict[str, str], list[UiNode]]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "hierarchy" and not self._open:
            self.rotation = read_quarter_turns(attributes.get("rotation", ""))
        else:
            # Other dumpers name the element after the class: <android.widget.TextView …>.
            if name != "node":
                attributes.setdefault("class", name)
            self._open.append((attributes, []))

    def end(self, name: str) -> None:
        if not self._open:
            return
        attributes, children = self._open.pop()
        node = _read_node(attributes, tuple(children), depth=len(self._open))
        (self._open[-1][1] if self._open else self.roots).append(node)


def _read_node(a: dict[str, str], children: tuple[UiNode, ...], depth: int) -> UiNode:
    return UiNode(
        class_name=a.get("class", ""),
        package=a.get("package", ""),
        text=a.get("text", ""),
        content_desc=a.get("content-desc", ""),
        resource_id=a.get("resource-id", ""),
        hint=a.get("hint", ""),
        bounds=_read_bounds(a.get("bounds", "")),
        clickable=a.get("clickable") == "true",
        long_clickable=a.get("long-clickable") == "true",
        checkable=a.get("checkable") == "true",
        checked=a.get("checked") == "true",
        scrollable=a.get("scrollable") == "true",
        focusable=a.get("focusable") == "true",
        focused=a.get("focused") == "true",
        enabled=a.get("enabled", "true") == "true",
        password=a.get("password") == "true",
        selected=a.get("selected") == "true",
        depth=depth,
        children=children,
    )


def _read_bounds(text: str) -> Bounds:
    match = _BOUNDS.fullmatch(text)
    return Bounds(*(int(part) for part in match.groups())) if match else Bounds(0, 0, 0, 0)


def _repair(document: str) -> tuple[str, list[str]]:
    """Make the document legal XML; says what it did."""
    repairs: list[str] = []
    references = _REFERENCE.sub(_resolve_reference, document)
    if references != document:
        repairs.append("references")
    # Halves of a pair that were written as two references are now two surrogates side by side.
    joined = references.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if joined != references:
        repairs.append("surrogates")
    clean = _ILLEGAL.sub("", joined)
    if clean != joined:
        repairs.append("control_characters")
    escaped = _BARE_AMPERSAND.sub("&amp;", clean)
    if escaped != clean:
        repairs.append("ampersands")
    return escaped, repairs


def _resolve_reference(match: re.Match[str]) -> str:
    """Keep a legal reference as it is; turn a surrogate into itself and drop the illegal."""
    code = int(match["hex"], 16) if match["hex"] else int(match["decimal"])
    if 0xD800 <= code <= 0xDFFF:
        return chr(code)
    if code > 0x10FFFF or _ILLEGAL.match(chr(code)):
        return ""
    return match[0]


def _no_document(text: str) -> UiTreeError:
    error = error_from_output(text)
    if isinstance(error, UiTreeError):
        reason = "no_idle" if "idle state" in text else "null_root" if "null root" in text else ""
        error.details["reason"] = reason or error.code.removeprefix("device.")
        return error
    if re.search(r"^\s*Killed\s*$", text, re.MULTILINE):
        return AutomationBusyError(
            "The phone killed the dump, most likely for another automation client; stop that one.",
            reason="killed",
            output=text[:600],
        )
    return _bad("no_document", "no document", text)


def _bad(reason: str, what: str, output: str = "") -> UiTreeError:
    return UiTreeError(
        f"Instead of a UI tree the phone gave {what}; try again, or go by the picture.",
        reason=reason,
        output=output[:600],
    )

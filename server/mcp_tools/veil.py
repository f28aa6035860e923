"""What an outer model behind MCP gets, by level: every answer, question and error passes here.

open      all of it, pictures too
summary   texts only: no picture, no thoughts of the agent; `state_summary` instead
private   the same, masked; phones are called phone-1, phone-2; no typed values, no apps, no
          sizes, no details of errors
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ParamSpec

from mcp_types import CallToolResult, ContentBlock, ImageContent, InputRequiredResult, TextContent

from device.protocol import App, Screenshot, UiTree
from device.ui_tree import parse_ui_tree
from parsers.action import Size
from server.elements import number_elements
from server.mcp_tools.calls import answer, tells_errors
from server.privacy.finding import Finder, OwnWords
from server.privacy.levels import McpPrivacyLevel
from server.privacy.screen import find_private
from server.privacy.state_summary import StateWriter
from server.privacy.tree_xml import mask_xml
from server.privacy.words import PrivateWords
from server.settings import Settings

P = ParamSpec("P")

_THOUGHTS = frozenset({"cot", "explain", "summary", "reasoning", "thought", "meta", "raw"})
_PICTURES = frozenset({"screenshot", "image", "screen", "xml"})
_DETAILS = frozenset(
    {"device_info", "model", "manufacturer", "android_release", "sdk", "product", "battery_percent"}
    | {"width_px", "height_px", "screen_px", "picture_px", "foreground", "transport", "tags"}
    | {"details", "host", "address", "lease", "names", "replay", "apps", "aliases", "name"}
)
_SERIALS = frozenset({"serial", "device", "device_id", "devices"})
_FIXED = frozenset(
    {"task_id", "session_id", "status", "state", "stop_reason", "code", "next", "action", "id"}
    | {"level", "class", "kind", "created_at", "confirm_id", "method", "state_summary"}
)
"""Values that are ours: ids, codes, states."""
_TYPED = frozenset({"value", "text", "typed"})
WITHHELD = "[withheld]"


class Veil:
    """What one MCP server lets through.

    Args:
        settings: With the level, and the model that writes summaries.
        serials: The serials of all phones, to be replaced wherever they stand.
    """

    def __init__(self, settings: Settings, serials: Callable[[], list[str]]) -> None:
        self.level: McpPrivacyLevel = settings.mcp_privacy
        self._serials = serials
        self._aliases: dict[str, str] = {}
        self._lock = threading.Lock()
        if self.level != "open":
            self._words = PrivateWords.load(settings.config_dir)
            self._writer = StateWriter(settings, self.level)

    @property
    def is_open(self) -> bool:
        return self.level == "open"

    def serial(self, device: str | None) -> str | None:
        """The phone that a client names: by its alias where serials are withheld."""
        if self.level != "private" or device is None:
            return device
        self._know_phones()
        return next((one for one, alias in self._aliases.items() if alias == device), device)

    def describe(self, task: str, shot: Screenshot, tree: UiTree | None, front: App | None) -> str:
        """`state_summary` of a screen; blocking."""
        return self._writer.write(task, shot, tree, front)

    def labels(
        self, elements: list[dict[str, Any]], tree: UiTree | None, shot: Screenshot
    ) -> list[dict[str, Any]]:
        """The elements of a screen as they may be told: with masked labels in `private`."""
        if self.level != "private" or tree is None:
            return elements
        size = Size(width_px=shot.width_px, height_px=shot.height_px)
        finder = self._finder("")
        screen = find_private("strict", tree, size, finder)
        masked = parse_ui_tree(mask_xml(tree.xml, screen.texts, finder.mask))
        told = number_elements(masked, size, base=1).elements
        return [
            {**element, "label": one.label} for element, one in zip(elements, told, strict=True)
        ]

    def answer(self, facts: Mapping[str, Any], *blocks: ContentBlock, own: str = "") -> Any:
        """An answer as the level lets it through.

        Args:
            facts: What the tool found.
            blocks: Pictures.
            own: What the client itself said: its task.
        """
        if self.is_open:
            return answer(facts, *blocks)
        kept = [block for block in blocks if not isinstance(block, ImageContent)]
        return answer(self._clean(dict(facts), self._finder(own)), *kept)

    def text(self, text: str, own: str = "") -> str:
        """Words to the person or the model behind the client, as the level lets them through."""
        return text if self.is_open else self._clean_text(text, self._finder(own))

    def guards(self, tool: Callable[P, Awaitable[Any]]) -> Callable[P, Awaitable[Any]]:
        """A tool whose errors pass the veil too."""
        told = tells_errors(tool)

        @functools.wraps(tool)
        async def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            result = await told(*args, **kwargs)
            if self.is_open or isinstance(result, InputRequiredResult):
                return result
            if isinstance(result, CallToolResult) and result.is_error:
                return self._clean_error(result)
            return result

        return call

    def _clean_error(self, result: CallToolResult) -> CallToolResult:
        body = dict((result.structured_content or {}).get("error") or {})
        clean = self._clean(body, self._finder(""))
        text = TextContent(type="text", text=f"{clean.get('code')}: {clean.get('message')}")
        return CallToolResult(content=[text], structured_content={"error": clean}, is_error=True)

    def _finder(self, own: str) -> Finder:
        return Finder(self._words, OwnWords.of([own]))

    def _clean(self, value: Any, finder: Finder, name: str = "") -> Any:
        if isinstance(value, Mapping):
            is_typing = self.level == "private" and value.get("action") == "TYPE"
            return {
                key: WITHHELD
                if is_typing and key in _TYPED
                else self._clean(inner, finder, str(key))
                for key, inner in value.items()
                if not self._withholds(str(key))
            }
        if isinstance(value, list | tuple):
            return [self._clean(inner, finder, name) for inner in value]
        if not isinstance(value, str):
            return value
        if name in _SERIALS and self.level == "private":
            return self._alias(value)
        return value if name in _FIXED else self._clean_text(value, finder)

    def _withholds(self, key: str) -> bool:
        if key in _THOUGHTS or key in _PICTURES:
            return True
        return self.level == "private" and key in _DETAILS

    def _clean_text(self, text: str, finder: Finder) -> str:
        if self.level != "private":
            return text
        self._know_phones()
        for serial, alias in sorted(self._aliases.items(), key=lambda one: -len(one[0])):
            text = re.sub(rf"(?<![\w.]){re.escape(serial)}(?![\w.]*\w)", alias, text)
        return finder.mask_spans(text)

    def _know_phones(self) -> None:
        for serial in self._serials():
            self._alias(serial)

    def _alias(self, serial: str) -> str:
        if not serial:
            return serial
        with self._lock:
            return self._aliases.setdefault(serial, f"phone-{len(self._aliases) + 1}")

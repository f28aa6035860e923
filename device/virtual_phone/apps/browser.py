"""Browser: an address bar, a start page, offline articles, history, find in page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from device.virtual_phone.apps.articles import ARTICLES, Article, article
from device.virtual_phone.apps.base import App, Route
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
from device.virtual_phone.ui.widgets import (
    card,
    empty_note,
    icon_button,
    list_row,
    page,
    section,
    text_button,
    tinted_icon,
)

_COLORS = ("#3ba06b", "#d8673b", "#2f7de1", "#8a5bd1")


class BrowserApp(App):
    """com.android.browser."""

    package = "com.android.browser"
    label = ("浏览器", "Browser")
    icon_name = "compass"
    icon_color = "#1f8fc4"
    main_activity = ".BrowserActivity"
    activities: ClassVar[Mapping[str, str]] = {}
    version = "12.4.0"

    def forget(self) -> None:
        """No history, and no pages but those that came with the phone."""
        self.history: list[str] = []
        self.pages_known: tuple[Article, ...] = ARTICLES

    def restart(self) -> None:
        """Opens the start page."""
        super().restart()
        self.ahead: list[Route] = []
        self.finding = False

    def truth(self) -> dict[str, Any]:
        """Addresses in the order in which they were opened, and the one in front."""
        return {"history": list(self.history), "address": self._address()}

    def _address(self) -> str:
        return self.route[1] if self.route[0] in ("article", "missing") else ""

    def page(self) -> View:
        """Start page, article, search results, or a page that could not be loaded."""
        match self.route:
            case ("article", address):
                found = article(address, self.pages_known)
                body = self._article(found) if found else self._missing(address)
            case ("results", words):
                body = self._results(words)
            case ("missing", address):
                body = self._missing(address)
            case _:
                body = self._start()
        return page(
            self._bar(),
            self._find_bar() if self.finding else None,
            scroll(self.route[0], body),
            # While something is typed the tools make room for the keyboard.
            self._tools() if self.focused is None else None,
        )

    def open(self, route: Route) -> None:
        """Shows a page and writes its address into the bar."""
        super().open(route)
        self.finding = False
        self._write_address()
        if route[0] == "article":
            self.history.append(route[1])

    def publish(self, page: Article) -> None:
        """Puts a page on the web, before those that are there."""
        self.pages_known = (page, *self.pages_known)

    def open_link(self, data: str) -> bool:
        """Opens a web address."""
        self._go(data)
        return True

    def on_event(self, event: Event) -> None:
        """Follows links, goes back and forward, finds words."""
        match event:
            case ("visit", address):
                self.ahead.clear()
                self.open(("article", address))
            case ("forward",):
                if self.ahead:
                    self.open(self.ahead.pop())
            case ("start",):
                self.ahead.clear()
                self.go_home()
                self._write_address()
            case ("reload",):
                self.scrolls.pop(self.route[0], None)
            case ("find",):
                self.finding = not self.finding
                self.field("find").set_text("")
                if self.finding:
                    self.focus_on("find")
                else:
                    self.unfocus()
            case _:
                super().on_event(event)

    def back(self) -> bool:
        """Goes back; the page can be reached again with forward."""
        if self.finding:
            self.finding = False
            self.unfocus()
            return True
        left = self.route
        if not super().back():
            return False
        self.ahead.append(left)
        self._write_address()
        return True

    def submit(self, key: str) -> None:
        """Enter in the address bar loads or searches."""
        if key == "url":
            self._go(self.text_of("url"))
        else:
            super().submit(key)

    def _go(self, words: str) -> None:
        words = words.strip()
        if not words:
            return
        self.ahead.clear()
        found = article(words, self.pages_known)
        if found is not None:
            self.open(("article", found.address))
        elif "://" in words or ("." in words and " " not in words):
            self.open(("missing", words))
        else:
            self.open(("results", words))

    def _write_address(self) -> None:
        shown = self.route[1] if len(self.route) > 1 else ""
        self.field("url").set_text(shown)

    def _bar(self) -> View:
        say = self.host.say
        return column(
            self.search("url", say("搜索或输入网址", "Search or type a web address")),
            padding=Insets(12, 8, 12, 8),
        )

    def _find_bar(self) -> View:
        say = self.host.say
        wanted = self.text_of("find").strip().lower()
        count = 0
        found = article(self._address(), self.pages_known)
        if wanted and found is not None:
            words = "\n".join(say(zh, en) for zh, en in found.paragraphs).lower()
            count = words.count(wanted)
        return row(
            self.search("find", say("在网页中查找", "Find in page")).having(weight=1),
            text(say(f"{count} 处", f"{count} found"), 15, resource_id="matches"),
            text_button(say("关闭", "Close"), ("find",)),
            gap=8,
            padding=Insets(12, 0, 4, 8),
        )

    def _tools(self) -> View:
        say = self.host.say
        return row(
            icon_button("back", say("后退", "Back"), ("back",)),
            icon_button("forward", say("前进", "Forward"), ("forward",), enabled=bool(self.ahead)),
            icon_button("home", say("主页", "Home page"), ("start",)),
            icon_button("refresh", say("刷新", "Reload"), ("reload",)),
            icon_button("search", say("查找", "Find"), ("find",)),
            justify="between",
            height=56,
            padding=insets(18, 0),
            background="surface",
        )

    def _start(self) -> View:
        say = self.host.say
        rows = [self._link(found, index) for index, found in enumerate(self.pages_known)]
        return column(
            text(self.title(), 34, bold=True, padding=Insets(8, 28, 0, 8)),
            section(say("推荐阅读", "Recommended")),
            card(*rows),
            padding=insets(16, 0),
        )

    def _link(self, found: Article, index: int) -> View:
        return list_row(
            self.host.say(found.zh, found.en),
            found.address,
            lead=tinted_icon("note", _COLORS[index % len(_COLORS)]),
            event=("visit", found.address),
        )

    def _article(self, found: Article) -> View:
        say = self.host.say
        wanted = self.text_of("find").strip().lower() if self.finding else ""
        parts: list[View] = [
            picture(
                f"photo:{self.pages_known.index(found)}",
                width=FILL,
                height=190,
                radius=16,
                content_desc=found.alt,
            ),
            text(say(found.zh, found.en), 28, bold=True, resource_id="headline"),
            text(say("2026年11月 · 阅读约 3 分钟", "November 2026 · 3 minutes"), 14, color="hint"),
        ]
        for zh, en in found.paragraphs:
            words = say(zh, en)
            mark = bool(wanted) and wanted in words.lower()
            parts.append(
                text(
                    words,
                    19,
                    background="primary_container" if mark else "",
                    color="on_primary_container" if mark else "on_surface",
                    radius=8,
                )
            )
        others = [a for a in self.pages_known if a.address != found.address]
        parts += [
            section(say("接着读", "Read on")),
            card(*(self._link(other, index) for index, other in enumerate(others))),
            space(16),
        ]
        return column(*parts, gap=18, padding=insets(20, 12))

    def _results(self, words: str) -> View:
        say = self.host.say
        wanted = words.lower()
        found = [
            a
            for a in self.pages_known
            if wanted in " ".join((a.zh, a.en, *(p for pair in a.paragraphs for p in pair))).lower()
        ]
        if not found:
            return empty_note(say(f"没有找到“{words}”", f'Nothing found for "{words}"'))
        rows = [self._link(each, index) for index, each in enumerate(found)]
        return column(
            section(say(f"“{words}”的搜索结果", f'Results for "{words}"')),
            card(*rows),
            padding=insets(16, 0),
        )

    def _missing(self, address: str) -> View:
        say = self.host.say
        return column(
            empty_note(say("无法打开网页", "This page cannot be reached")),
            text(address, 15, color="hint", align="center", width=FILL),
            padding=insets(24, 0),
        )

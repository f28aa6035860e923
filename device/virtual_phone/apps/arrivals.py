"""What comes to the phone from outside: messages, notifications, pages of the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from device.virtual_phone.apps.articles import Article
from device.virtual_phone.apps.browser import BrowserApp
from device.virtual_phone.apps.chat import ChatApp
from device.virtual_phone.apps.system import System


def deliver(system: System, kind: str, values: Mapping[str, Any]) -> None:
    """Lets something arrive.

    Args:
        system: The phone that it comes to.
        kind: `message` {name, text}: somebody writes in the chat app; `notification` {package,
            title, text}: an app's entry in the shade; `web_page` {address, title, text, alt?}: the
            browser can open it, and lists it first; `alt` describes its picture: it is in the UI
            tree and not in the pixels.
        values: All text; one line of a web page's text is one paragraph.

    Raises:
        ValueError: The kind or a value is unknown.
    """
    match kind, dict(values):
        case "message", {"name": str(name), "text": str(words)}:
            system.apps[ChatApp.package].handle(("receive", name, words))
        case "notification", {"package": str(package), "title": str(title), "text": str(words)} if (
            package in system.apps
        ):
            system.notify(package, title, words, ())
        case "web_page", {"address": str(address), "title": str(title), "text": str(words), **rest}:
            browser = system.apps[BrowserApp.package]
            assert isinstance(browser, BrowserApp)
            paragraphs = tuple((line, line) for line in words.split("\n") if line.strip())
            browser.publish(Article(address, title, title, paragraphs, str(rest.get("alt", ""))))
        case _:
            raise ValueError(f"{kind} {sorted(values)} can't arrive; see apps/arrivals.py")
    system.changed()

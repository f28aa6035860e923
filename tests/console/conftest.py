"""A person at the console: Debian's Chromium on a real service, with a scripted model and phone."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.server.http.conftest import Service, Start, starter

SIZES = {"desk": (1280, 800), "phone": (390, 844)}
PATIENCE_MS = 15_000
expect.set_options(timeout=PATIENCE_MS)


def find_chromium() -> str:
    """`make install` brings it; a browser of another name serves as well."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    pytest.fail("the console is tested in Chromium: install `chromium`, then run make again")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if is_root else []
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=arguments)
        yield browser
        browser.close()


@dataclass(slots=True)
class Visitor:
    """One person with a browser of their own, signed in by a one-time link."""

    page: Page
    context: BrowserContext
    service: Service
    complaints: list[str] = field(default_factory=list)
    """What the browser complained of: refused by the policy, scripts that failed."""

    def go(self, place: str) -> Page:
        self.page.goto(f"{self.service.url}/#/{place}")
        return self.page

    def hash(self) -> str:
        return str(self.page.evaluate("location.hash"))


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Open the console of a service as somebody does; at the end nothing was complained of."""
    visitors: list[Visitor] = []

    def open_console(
        service: Service, size: str = "desk", *, language: str = "en-US", theme: str = "light"
    ) -> Visitor:
        width_px, height_px = SIZES[size]
        context = browser.new_context(
            viewport={"width": width_px, "height": height_px},
            locale=language,
            color_scheme="dark" if theme == "dark" else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        visitor = Visitor(page, context, service)
        page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                visitor.complaints.append(message.text) if message.type == "error" else None
            ),
        )
        link = service.raw.post("/v1/login_links").json()["path"]
        page.goto(service.url + link)
        visitors.append(visitor)
        return visitor

    yield open_console
    for visitor in visitors:
        visitor.context.close()
    assert [visitor.complaints for visitor in visitors] == [[] for _ in visitors]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with contextlib.ExitStack() as stack:
        yield starter(stack, tmp_path)


@pytest.fixture(scope="module")
def start_shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Services for a whole module."""
    with contextlib.ExitStack() as stack:
        yield starter(stack, tmp_path_factory.mktemp("shared"))

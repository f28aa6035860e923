"""The exported page is opened from the disk in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from server.errors import ServerError
from tests.server.core.conftest import paint, step_payload
from tests.server.export.conftest import PRIVATE_TREE, Record, think

CLICK = think("explain:tap the switch|action:CLICK|point:500,320|summary:tapped")
DONE = think("explain:done|action:COMPLETE|return:it is off|summary:done")
HOSTILE = (
    "</script><script>document.title='pwned'</script><img src=x onerror=\"document.title='pwned'\">"
)
CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page opened from disk, and what it did meanwhile."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("session-trace h2")


@pytest.fixture
def look(browser: Any) -> Iterator[Any]:
    context = browser.new_context(locale="en-US", offline=True)
    yield lambda path: Opened(context.new_page(), path)
    context.close()


def test_the_page_shows_steps_and_pictures_without_a_network(
    record: Record, tmp_path: Path, look: Any
) -> None:
    one = record([CLICK, DONE], picture=paint(1080, 2400))
    done = one.export(tmp_path, "html")
    opened = look(tmp_path / done.files[0])
    page = opened.page
    assert page.title() == "turn Bluetooth off"
    assert page.text_content("h1") == "turn Bluetooth off"
    assert page.text_content("session-trace h2") == "Step 1 of 2"
    assert "tap the switch" in page.text_content("session-trace")
    sizes = page.eval_on_selector_all(".picture img", "all => all.map(one => one.naturalWidth)")
    assert sizes == [720, 720]
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Next step").click()
    assert page.text_content("session-trace h2") == "Step 2 of 2"
    assert page.url.endswith("#2")
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.complaints == []


def test_a_link_to_a_step_opens_it(record: Record, tmp_path: Path, look: Any) -> None:
    done = record([CLICK, CLICK, DONE]).export(tmp_path, "html")
    opened = look(tmp_path / done.files[0])
    opened.page.goto((tmp_path / done.files[0]).as_uri() + "#3")
    opened.page.reload()
    assert opened.page.text_content("session-trace h2") == "Step 3 of 3"


def test_hostile_texts_stay_texts(record: Record, tmp_path: Path, look: Any) -> None:
    reply = f"<THINK> {HOSTILE} </THINK>\nexplain:{HOSTILE}\taction:CLICK\tpoint:1,1\tsummary:s"
    done = record([reply], task=HOSTILE).export(tmp_path, "html")
    opened = look(tmp_path / done.files[0])
    assert opened.page.title() == HOSTILE
    assert opened.page.text_content("h1") == HOSTILE
    assert [url for url in opened.asked if not url.startswith(("file:", "data:"))] == []
    assert opened.complaints == []


def test_a_session_of_failed_tries_shows_what_the_model_was_to_see(
    record: Record, tmp_path: Path, look: Any
) -> None:
    one = record([], stop_reason=None)
    chat = PRIVATE_TREE.replace("Inbox", "张伟")
    with pytest.raises(ServerError):  # the scripted model has nothing to say
        one.server.automate_step(step_payload(one.session_id, paint(108, 240), ui_tree=chat))
    one.server.close_session(one.session_id, "MODEL_FAILED")
    done = one.export(tmp_path / "out", "html")
    assert done.redacted["kinds"]["picture_person"] == 1
    opened = look(tmp_path / "out" / done.files[0])
    seen = opened.page.get_by_role("img", name="What the model saw")
    assert seen.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 108
    assert opened.complaints == []


def test_what_is_private_is_not_in_the_page(record: Record, tmp_path: Path) -> None:
    one = record([CLICK], task="mail ann@example.com", trees={1: PRIVATE_TREE})
    done = one.export(tmp_path, "html")
    text = (tmp_path / done.files[0]).read_text(encoding="utf-8")
    assert "ann@example.com" not in text
    assert "[email]" in text

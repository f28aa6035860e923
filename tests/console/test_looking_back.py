"""Sessions and traces: long ones open at once, foreign texts stay texts, two runs are compared."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.console.conftest import SIZES, Visit
from tests.console.written_sessions import write_session
from tests.server.http.conftest import Start

MEASURED = bool(os.environ.get("LOCALSERVER_TIMINGS"))
"""On a machine that does nothing else, the times of the promises are asserted too."""
SHOWS = "words => document.querySelector('main')?.textContent.includes(words) && performance.now()"
THEMES, LANGUAGES = ("light", "dark"), ("en-US", "zh-CN")
LOOKS = (("desk", "light", "en-US"), ("phone", "dark", "zh-CN"))
EVERY_LOOK = bool(os.environ.get("LOCALSERVER_EVERY_LOOK"))
"""The pages in all mixes of size, theme and language, not in the two that differ most."""
HOSTILE = (
    "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>"
    "![x](https://evil.example/x.png)\x1b[2J\x1b]0;owned\x07\u202ename.exe javascript:alert(1)"
)


def open_s(page: Page, words: str) -> float:
    """Open the page anew: how long until it shows some words. The page itself takes the time."""
    page.reload()
    seen = page.wait_for_function(SHOWS, arg=words)
    return float(seen.json_value()) / 1000


def test_a_list_of_a_thousand_and_a_trace_of_five_hundred_open_at_once(
    start: Start, visit: Visit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(999):
        write_session(tmp_path, f"task {number}", 0)
    long = write_session(tmp_path, "the long one", 500)
    visitor = visit(start())
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))

    page = visitor.go("sessions")
    list_s = open_s(page, "of 1,000")
    expect(page.locator("li.session")).to_have_count(50)
    page.get_by_role("button", name="Older").click()
    expect(page.get_by_text("51–100 of 1,000")).to_be_visible()

    page = visitor.go(f"sessions/{long}/steps/250")
    expect(page.get_by_role("heading", name="Step 250 of 500")).to_be_visible()
    asked.clear()
    trace_s = open_s(page, "Step 250 of 500")
    page.wait_for_load_state("networkidle")
    assert 0 < len([url for url in asked if url.endswith("/thumbnail")]) < 250
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Step 500 of 500")).to_be_visible()
    if MEASURED:
        with capsys.disabled():
            print(f"\nopen: list of 1,000 {list_s:.2f} s, trace of 500 {trace_s:.2f} s")
        assert (list_s < 1, trace_s < 1) == (True, True), (list_s, trace_s)


def test_a_person_goes_through_a_trace_by_keyboard_alone(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    session = write_session(tmp_path, "step by step", 3)
    visitor = visit(start())
    page = visitor.go(f"sessions/{session}")
    expect(page.get_by_role("heading", name="Step 1 of 3")).to_be_visible()
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "option":
            break
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Step 2 of 3")).to_be_visible()
    assert visitor.hash() == f"#/sessions/{session}/steps/2"
    expect(page.get_by_role("option", name="Step 2: CLICK (74, 182)")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("heading", name="Step 3 of 3")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_text("% of the screen changed")).to_have_text("100 % of the screen changed")
    page.get_by_role("button", name="Difference").press("Enter")
    expect(page.locator(".difference img")).to_have_count(2)
    page.get_by_text("Prompt as sent").press("Enter")
    expect(page.get_by_text("# step by step")).to_be_visible()
    marked = page.locator("pre.reply mark")
    assert [(mark.inner_text(), mark.get_attribute("title")) for mark in marked.all()] == [
        ("I look", "thought"), ("because", "explanation"), ("CLICK", "action"),
        ("37,91", "point"), ("so far", "summary"),
    ]  # fmt: skip


def test_a_trace_tells_what_todays_parser_reads_differently(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    then = {"cot": "I look", "explain": "because", "action": "CLICK", "point": [1, 2]}
    now = "<THINK> I look </THINK>\nexplain:because\taction:CLICK\tpoint:7,2\tsummary:so far"
    session = write_session(tmp_path, "read again", 2, action=then, model_response=now)
    page = visit(start()).go(f"sessions/{session}")
    page.get_by_role("button", name="Read again with today's parser").click()
    told = page.get_by_role("region", name="Read again")
    expect(told).to_contain_text("0 replies are read as then, 2 differently")
    expect(told.get_by_role("listitem").last).to_contain_text("point: [1,2] → [7,2]")
    told.get_by_role("link", name="Step 2").click()
    expect(page.get_by_role("heading", name="Step 2 of 2")).to_be_visible()
    expect(told).to_be_visible()


def test_hostile_texts_stay_texts(start: Start, visit: Visit, tmp_path: Path) -> None:
    action = {"cot": HOSTILE, "explain": HOSTILE, "action": "TYPE", "value": HOSTILE, "summary": ""}
    session = write_session(
        tmp_path, HOSTILE, 2, model_response=HOSTILE, action=action, reasoning=HOSTILE,
        element={"index": 1, "label": HOSTILE, "bounds": [1, 2, 3, 4]},
    )  # fmt: skip
    visitor = visit(start())
    # The first page shows phones live, in pictures that it makes itself: it is left before.
    expect(visitor.go("sessions").get_by_text("onerror=document.title").first).to_be_visible()
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    for place in (f"sessions/{session}", "sessions", f"compare?a={session}&b={session}", "new"):
        page = visitor.go(place)
        expect(page.get_by_text("onerror=document.title").first).to_be_visible()
        for panel in page.locator("summary").all():
            panel.click()
        assert page.evaluate("document.title").find("owned") != 0
        assert page.locator("img[src=x], main script, main a[href^='javascript']").count() == 0
        assert "\x1b" not in page.inner_text("main") and "\u202e" not in page.inner_text("main")
    foreign = [url for url in asked if not url.startswith(visitor.service.url)]
    assert foreign == []


def test_two_runs_are_compared_and_one_is_deleted(
    start: Start, visit: Visit, tmp_path: Path
) -> None:
    write_session(tmp_path, "the same task", 2)
    write_session(tmp_path, "the same task", 3)
    visitor = visit(start())
    page = visitor.go("sessions")
    boxes = page.get_by_role("checkbox")
    expect(page.get_by_role("button", name="Compare two")).to_be_disabled()
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Compare two").click()
    expect(page.get_by_text("They part at step 3.")).to_be_visible()
    expect(page.get_by_text("ended before")).to_have_count(1)
    page.go_back()
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("li.session")).to_have_count(1)
    assert len(visitor.service.client.list_sessions()) == 1


def test_every_page_fits_and_can_be_read(start: Start, visit: Visit, tmp_path: Path) -> None:
    session = write_session(tmp_path, "A task with-a-word-that-is-much-too-long-for-a-phone" * 2, 3)
    service = start()
    task = service.client.start_task({"task": "nothing to say"})["task_id"]
    for look in product(SIZES, THEMES, LANGUAGES) if EVERY_LOOK else LOOKS:
        size, theme, language = look
        visitor = visit(service, size, language=language, theme=theme)
        for place in ("phones", "phones/scripted-1", "new", "runs", f"runs/{task}", "sessions",
                      f"sessions/{session}", f"compare?a={session}&b={session}"):  # fmt: skip
            page = visitor.go(place)
            expect(page.locator("main h1, main h2").first).to_be_visible()
            page.wait_for_function("!document.querySelector('main').textContent.includes('…）')")
            for panel in page.locator("summary").all():
                panel.click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
                look,
                place,
            )
            assert page.evaluate(FAINT) == [], (look, place)
            assert page.evaluate(NAMELESS) == [], (look, place)
        visitor.context.close()


FAINT = (Path(__file__).parent / "faint_texts.js").read_text(encoding="utf-8")
NAMELESS = """[...document.querySelectorAll("button, a, input, select, textarea")]
  .filter((one) => !(one.textContent.trim() || one.ariaLabel || one.title || one.labels?.length
    || one.querySelector("img[alt]:not([alt=''])")))
  .map((one) => one.outerHTML.slice(0, 120))"""

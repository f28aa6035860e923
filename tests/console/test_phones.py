"""A phone at the console: its live picture, its state, the doctor, and the phone in the hand."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.console.conftest import Visit
from tests.server.http.conftest import Start


def test_a_phone_is_seen_examined_taken_used_and_given_back(start: Start, visit: Visit) -> None:
    service = start()
    visitor = visit(service)
    page = visitor.go("phones")
    expect(page.locator("live-phone img")).to_be_visible()
    page.get_by_role("link", name="scripted-1", exact=True).first.click()
    expect(page.get_by_text("1080 × 2400 px")).to_be_visible()
    page.get_by_role("button", name="Examine").click()
    expect(page.get_by_text("a scripted screen")).to_be_visible()

    picture = page.locator("live-phone img")
    expect(picture).to_be_visible()
    picture.click()
    page.get_by_role("button", name="Take the phone").click()
    expect(page.get_by_role("button", name="Give it back")).to_be_visible()
    lease = service.raw.get("/v1/devices/scripted-1").json()["lease"]
    assert (lease["kind"], lease["holder"]) == ("client", "console")
    assert service.phone.inputs() == []  # a click on a phone that is not in the hand does nothing

    before = page.locator("live-phone").get_attribute("data-frame")
    picture.click(position={"x": 10, "y": 10})
    page.get_by_label("Text to type").fill("你好")
    page.get_by_role("button", name="Type", exact=True).click()
    page.get_by_role("button", name="Home", exact=True).click()
    until = time.monotonic() + 15
    while len(service.phone.inputs()) < 3:
        assert time.monotonic() < until, service.phone.inputs()
        time.sleep(0.02)
    kinds = sorted((call.name, call.args[0]) for call in service.phone.inputs()[1:])
    assert {("press_key", "HOME"), ("type_text", "你好")} >= set(kinds) - {("tap", kinds[-1][1])}
    expect(page.locator("live-phone")).not_to_have_attribute("data-frame", before or "")

    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    until = time.monotonic() + 5
    while service.raw.get("/v1/devices/scripted-1").json()["lease"] is not None:
        assert time.monotonic() < until, "leaving the page gives the phone back"
        time.sleep(0.05)


def test_who_is_not_signed_in_is_told_how_and_then_comes_back_to_the_same_place(
    start: Start, visit: Visit
) -> None:
    service = start()
    visitor = visit(service)
    visitor.context.clear_cookies()
    page = visitor.go("phones/scripted-1")
    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert service.token not in page.content()
    other = visitor.context.new_page()
    other.goto(service.url + service.raw.post("/v1/login_links").json()["path"])
    page.get_by_role("button", name="I am signed in: try again").click()
    expect(page.get_by_role("heading", name="scripted-1")).to_be_visible()
    visitor.complaints.clear()  # the browser reports the 401 that this is about


def test_the_language_and_the_theme_are_the_persons_choice(start: Start, visit: Visit) -> None:
    visitor = visit(start(), language="zh-CN", theme="dark")
    page = visitor.go("new")
    expect(page.get_by_role("heading", name="新任务")).to_be_visible()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="New task")).to_be_visible()
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark
    page.reload()
    expect(page.get_by_role("heading", name="New task")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark

"""Three failures on a virtual phone, their causes found from the console alone.

`docs/debugging.md` tells a newcomer the same way through them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Page, expect

from device.adb_server import PrivateAdbServer
from device.discovery import connect
from device.virtual_phone.process import VirtualPhoneProcess
from server.model.scripted_model import Say
from tests.console.conftest import Visit
from tests.server.http.conftest import AWAKE, COMPLETE, Start, step_reply


@pytest.fixture(scope="module")
def phone() -> Iterator[VirtualPhoneProcess]:
    with PrivateAdbServer() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.env.items():
            patch.setenv(name, value)
        with VirtualPhoneProcess(locale="zh") as phone:
            connect(phone.serial)
            yield phone


def run(start: Start, visit: Visit, replies: Sequence[Say], task: str) -> Page:
    """Let the model say that, and open the trace of what became of it."""
    service = start(list(replies), adb_phones=True)
    info = service.client.start_task({"task": task, "reset_environment": True})
    service.wait_for(info["task_id"], "done")
    page = visit(service).go(f"runs/{info['task_id']}")
    page.get_by_role("link", name="trace").click()
    expect(page.locator("session-trace")).to_be_visible()
    return page


def picture(page: Page, name: str) -> None:
    """Keep what is seen, for `docs/images`, where that is asked for."""
    folder = os.environ.get("LOCALSERVER_DOCS_SHOTS")
    if folder:
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.evaluate("scrollTo(0, document.querySelector('.step-view').offsetTop - 20)")
        page.wait_for_timeout(1500)
        page.screenshot(path=f"{folder}/{name}.png")


def test_a_model_that_answers_in_pixels_is_seen_by_its_ring_and_by_the_refusal(
    start: Start, visit: Visit, phone: VirtualPhoneProcess
) -> None:
    words = "<THINK> 蓝牙在第二行 </THINK>\nexplain:点击蓝牙\taction:CLICK\t"
    in_pixels = Say(f"{words}point:274,744\tsummary:正在点击蓝牙")
    further_down = Say(f"{words}point:274,1344\tsummary:正在点击蓝牙")
    page = run(start, visit, [AWAKE, in_pixels, further_down, COMPLETE], "打开蓝牙设置")
    page.get_by_role("option", name="Step 2").click()
    expect(page.get_by_role("heading", name="Step 2 of 3")).to_be_visible()
    facts = page.locator("dl.facts", has_text="Coordinate space")
    expect(facts).to_contain_text("relative-1000")
    expect(facts).to_contain_text("1080 × 2400 px")
    ring = page.locator("svg.target circle.line")
    expect(ring).to_have_attribute("cy", "1785.6")  # far below 蓝牙, which is at 744
    page.get_by_text("Device commands").click()
    expect(page.locator("ol.sent li").last).to_contain_text("input tap 296 1786")
    expect(page.locator("ol.sent li").last).to_contain_text("exit 0")
    expect(page.locator(".action-line .badge")).to_have_text("done")  # the screen was harmless
    picture(page, "wrong-space")
    page.get_by_role("option", name="Step 3").click()
    trouble = page.locator(".detail .troubles")
    expect(trouble).to_contain_text("reply rejected: out_of_range")
    expect(trouble).to_contain_text("1344")
    expect(page.locator("mark.span-refused")).to_contain_text("1344")


def test_a_keyboard_that_is_not_installed_is_named_with_its_remedy(
    start: Start, visit: Visit, phone: VirtualPhoneProcess
) -> None:
    uninstall = ["adb", "-s", phone.serial, "shell", "pm uninstall com.android.adbkeyboard"]
    subprocess.run(uninstall, check=True, capture_output=True)
    typing = step_reply(action="TYPE", value="买牛奶", point="500,90")
    page = run(start, visit, [AWAKE, typing, COMPLETE], "在设置里搜索")
    page.get_by_role("option", name="Step 2").click()
    trouble = page.locator(".detail .troubles")
    expect(trouble).to_contain_text("action failed: device.keyboard_missing")
    page.get_by_text("Device commands").click()
    expect(page.locator("ol.commands")).to_contain_text("买牛奶")
    expect(page.locator("ol.commands")).to_contain_text("device.keyboard_missing")
    picture(page, "no-keyboard")


def test_a_reply_cut_by_max_tokens_says_so_and_shows_where(
    start: Start, visit: Visit, phone: VirtualPhoneProcess
) -> None:
    thought = "<THINK> 我需要先打开设置，然后找到蓝牙这一项，"
    cut = Say(thought * 3, finish_reason="length")
    page = run(start, visit, [AWAKE, cut, cut, cut], "关闭蓝牙")
    failed = page.get_by_role("option", name="failed")
    failed.click()
    trouble = page.locator(".detail .troubles")
    expect(trouble).to_contain_text("max_tokens")
    expect(page.locator("[data-panel=reply]")).to_contain_text("finish_reason: length")
    expect(page.locator("pre.reply")).to_contain_text("我需要先打开设置")
    seen = page.get_by_role("img", name="What the model saw")
    expect(seen).to_be_visible()
    assert seen.evaluate("(image) => image.naturalWidth") == 1080
    picture(page, "cut-reply")

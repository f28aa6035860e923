"""A person runs a task: starts, watches, answers, confirms, takes over, stops, finds it again."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from device.scripted_device import Call, Frame, ScriptedDevice
from server.model.scripted_model import Hang
from tests.console.conftest import Visit
from tests.server.http.conftest import (
    AWAKE,
    CLICK,
    COMPLETE,
    INSTALLED,
    ScriptedPhones,
    Service,
    Start,
    step_reply,
)
from tests.server.http.test_task_control import SHOP, button

INFO = step_reply(action="INFO", value="which size?")
SLIDE = step_reply(action="SLIDE", point1="500,800", point2="500,200")


def tab_to(page: Page, wanted: Locator) -> None:
    """Go to a control as somebody without a mouse does."""
    expect(wanted).to_be_visible()
    for _ in range(80):
        if wanted.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"the keyboard does not reach {wanted}")


def press(page: Page, name: str) -> None:
    tab_to(page, page.get_by_role("button", name=name))
    page.keyboard.press("Enter")


def type_into(page: Page, label: str, text: str) -> None:
    tab_to(page, page.get_by_label(label, exact=True))
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


def test_a_task_is_started_watched_answered_confirmed_and_found_again_by_keyboard_alone(
    start: Start, visit: Visit
) -> None:
    frames = [Frame("home"), Frame("pay", tree=button("提交订单"), app=SHOP), Frame("paid")]
    phones = ScriptedPhones(ScriptedDevice(frames, installed=INSTALLED))
    service = start([INFO, AWAKE, CLICK, COMPLETE], phones=phones)
    visitor = visit(service)
    page = visitor.go("new")

    type_into(page, "What is to be done", "order a coffee")
    type_into(page, "Most seconds", "120")
    press(page, "Start")

    question = page.get_by_role("alertdialog", name="The model asks")
    expect(question).to_contain_text("which size?")
    type_into(page, "Your answer", "a big one")
    page.keyboard.press("Enter")

    confirm = page.get_by_role("alertdialog", name="May it do this?")
    expect(confirm).to_contain_text("CLICK (500, 320)")
    expect(confirm).to_contain_text("提交订单")
    expect(confirm.locator("img")).to_be_visible()
    expect(confirm.locator("svg.target .line")).to_have_count(1)
    assert [call.name for call in service.phone.inputs()] == ["open_app"]
    page.reload()  # whoever comes only now sees the same
    expect(confirm.locator("svg.target .line")).to_have_count(1)
    press(page, "Yes, do it")

    expect(page.locator(".badge", has_text="TASK_COMPLETED_SUCCESSFULLY")).to_be_visible()
    assert [call.name for call in service.phone.inputs()] == ["open_app", "tap"]
    steps = page.get_by_role("list", name="Steps").locator(".step")
    expect(steps).to_have_count(4)
    third = steps.nth(1)
    expect(third).to_contain_text("CLICK (500, 320)")
    expect(third).to_contain_text("Thought: I think")
    expect(third).to_contain_text("Explanation: because")
    expect(third).to_contain_text("10 tokens in, 5 out")
    expect(third).to_contain_text("model 0.")
    expect(page.locator("main")).to_contain_text("it is off")

    tab_to(page, page.get_by_role("link", name="Sessions", exact=True))
    page.keyboard.press("Enter")
    type_into(page, "Words of the task", "COFFEE")
    type_into(page, "App", "shop")
    expect(page.get_by_role("link", name="order a coffee")).to_be_visible()
    type_into(page, "App", "no such app")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
    type_into(page, "App", "shop")
    tab_to(page, page.get_by_role("link", name="order a coffee"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Step 1 of 4")).to_be_visible()


def test_the_phone_is_taken_over_used_by_hand_given_back_and_the_task_stopped(
    start: Start, visit: Visit
) -> None:
    slow_click = replace(CLICK, wait_s=1.5)
    turns = [CLICK, slow_click]
    service = start(lambda request: turns.pop(0) if turns else Hang(60))
    visitor = visit(service)
    task = service.client.start_task({"task": "tap on", "max_still_s": 0})
    page = visitor.go(f"runs/{task['task_id']}")
    page.get_by_role("button", name="Take over").click()
    expect(page.locator(".badge", has_text="in your hand")).to_be_visible()

    by_model = len(service.phone.inputs())
    picture = page.locator("live-phone img")
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.click(*middle)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0], middle[1] - box["height"] / 4, steps=3)
    page.mouse.up()
    page.keyboard.type("ok")
    page.get_by_role("button", name="Back", exact=True).click()
    inputs = wait_for_inputs(service, by_model + 4)[by_model:]
    assert sorted(call.name for call in inputs) == ["press_key", "swipe", "tap", "type_text"]
    tap = next(call for call in inputs if call.name == "tap")
    assert abs(tap.args[0] - 540) <= 4 and abs(tap.args[1] - 1200) <= 8
    typed = next(call for call in inputs if call.name == "type_text")
    assert typed.args == ("ok",)

    page.get_by_role("button", name="Give back").click()
    expect(page.locator(".badge", has_text="running")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".badge", has_text="STOPPED_BY_USER")).to_be_visible()
    expect(page.get_by_text("Take over to use the phone by hand.")).to_be_visible()


def wait_for_inputs(service: Service, count: int) -> list[Call]:
    until = time.monotonic() + 15
    while len(inputs := service.phone.inputs()) < count:
        assert time.monotonic() < until, inputs
        time.sleep(0.02)
    return inputs


def test_a_task_is_paused_goes_on_and_is_stopped_at_once(start: Start, visit: Visit) -> None:
    service = start(lambda request: Hang(60))
    visitor = visit(service, "phone")
    task = service.client.start_task({"task": "wait for ever"})
    page = visitor.go(f"runs/{task['task_id']}")
    for name in ("Pause", "Take over", "Stop"):  # within reach without scrolling
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".badge", has_text="STOPPED_BY_USER")).to_be_visible()
    page.get_by_role("link", name="Run it again").click()
    expect(page.get_by_label("What is to be done")).to_have_value("wait for ever")


def test_a_step_is_handed_on_as_a_command_and_as_a_test_case(start: Start, visit: Visit) -> None:
    service = start([AWAKE, SLIDE, COMPLETE])
    task = service.client.start_task({"task": "it's $(here)", "max_still_s": 0})
    session = service.wait_for(task["task_id"], "done")["session_id"]
    visitor = visit(service)
    page = visitor.go(f"sessions/{session}/steps/2")
    expect(page.get_by_role("heading", name="Step 2 of 3")).to_be_visible()
    expect(page.locator("svg.target path.line")).to_have_count(1)
    page.get_by_text("Hand on").click()

    page.get_by_role("button", name="Copy as test case").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    case = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert case["dialect"] == "step0920"
    assert case["expect"] == {"action": "SLIDE", "point1": [500, 800], "point2": [500, 200]}
    read = service.raw.post("/v1/parse", json=case).json()["out"]
    assert {name: read[name] for name in case["expect"]} == case["expect"]

    page.get_by_role("button", name="Copy curl: read this reply again").click()
    command = page.evaluate("navigator.clipboard.readText()")
    ran = subprocess.run(
        ["sh", "-c", command],
        env={"PATH": "/usr/bin:/bin", "TOKEN": service.token},
        capture_output=True,
        check=True,
    )
    assert json.loads(ran.stdout)["out"]["action"] == "SLIDE"

    page.get_by_role("button", name="Copy link to this step").click()
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit(service, "phone")
    other.page.goto(link)
    expect(other.page.get_by_role("heading", name="Step 2 of 3")).to_be_visible()

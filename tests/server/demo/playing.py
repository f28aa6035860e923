"""A whole task on the phone itself without OCR: the UI tree tells the texts, the pixels the rest.

So a hundred steps take seconds; the plan is the same as with OCR.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

from device.virtual_phone.phone import VirtualPhone
from parsers.action import (
    Abort,
    Action,
    Awake,
    Back,
    Click,
    Complete,
    Home,
    HotKey,
    LongPress,
    Slide,
    Type,
    Wait,
)
from server.model.demo.planner import Request, choose_action
from server.model.demo.reading import fingerprint
from server.model.demo.screen import Box, Pixels, Screen, Text

MAX_STEPS = 30
BACK_KEY, HOME_KEY, ENTER_KEY = 4, 3, 66
OTHER_NAMES = {"通讯录": "联系人", "备忘录": "便签"}


def look(phone: VirtualPhone) -> Screen:
    """What the phone shows now."""
    phone.advance(0.5)
    snapshot = phone.snapshot()
    pixels: Pixels = np.asarray(snapshot.image().convert("RGB"), dtype=np.uint8)
    texts = []
    for node in ElementTree.fromstring(snapshot.xml()).iter("node"):
        words = node.get("text") or node.get("hint") or ""
        box = Box(*(float(number) for number in re.findall(r"-?\d+", node.get("bounds", ""))))
        if words.strip() and box.height > 0:
            lines = words.split("\n")
            high = box.height / len(lines)
            for place, line in enumerate(lines):
                top = box.top + place * high
                texts.append(Text(line, Box(box.left, top, box.right, top + high)))
    return Screen(pixels, fingerprint(pixels), lambda _: texts)


def play_on(phone: VirtualPhone, task: str, max_steps: int = MAX_STEPS) -> list[Action]:
    """Let the model do a task; each reply's summary is all that it remembers."""
    actions: list[Action] = []
    history = error = ""
    while len(actions) < max_steps:
        action = choose_action(Request(task, history, error=error), look(phone))
        actions.append(action)
        if isinstance(action, Complete | Abort):
            break
        history, error = action.summary, _do(phone, action)
    return actions


def _do(phone: VirtualPhone, action: Action) -> str:
    """Do one action as the device layer would; the error that the model is told, or ""."""
    width_px, height_px = phone.snapshot().width_px, phone.snapshot().height_px
    match action:
        case Awake():
            name = OTHER_NAMES.get(action.value, action.value)
            for app in phone.packages():
                if app.launcher_activity and name in (app.label_zh, app.label_en):
                    phone.start_activity(app.package)
                    return ""
            return f"device.app_not_found: No installed app is called {name!r}"
        case Click() if action.point is not None:
            phone.tap(*action.point.to_px(width_px, height_px))
        case LongPress() if action.point is not None:
            phone.long_press(*action.point.to_px(width_px, height_px), 800)
        case Slide():
            start = action.point1.to_px(width_px, height_px)
            phone.swipe(*start, *action.point2.to_px(width_px, height_px), 400)
        case Type():
            if action.point is not None:
                phone.tap(*action.point.to_px(width_px, height_px))
            if not phone.focused_editable:
                return "device.no_focus: no field has the focus"
            phone.clear_text()
            phone.commit_text(action.value)
        case HotKey():
            phone.key(ENTER_KEY)
        case Back():
            phone.key(BACK_KEY)
        case Home():
            phone.key(HOME_KEY)
        case Wait():
            phone.advance(action.value)
        case _:
            raise AssertionError(f"no such action is expected here: {action}")
    return ""

"""A hand that uses the phone as a person does: it sees the UI tree, it taps and swipes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from PIL import Image

from device.virtual_phone.phone import VirtualPhone
from device.virtual_phone.profile import Profile

Bounds = tuple[int, int, int, int]


class Hand:
    """Touches a phone at what it reads on the screen."""

    def __init__(self, phone: VirtualPhone) -> None:
        self.phone = phone

    def nodes(self) -> list[ET.Element]:
        return list(ET.fromstring(self.phone.snapshot().xml().encode()).iter("node"))

    def texts(self) -> list[str]:
        return [node.get("text", "") for node in self.nodes() if node.get("text")]

    def find(self, label: str) -> ET.Element:
        for attribute in ("text", "content-desc"):
            for node in self.nodes():
                if node.get(attribute) == label:
                    return node
        raise LookupError(f"{label!r} is not among {self.texts()}")

    def sees(self, label: str) -> bool:
        return any(label in (n.get("text"), n.get("content-desc")) for n in self.nodes())

    def tap(self, label: str) -> None:
        left, top, right, bottom = self.bounds(self.find(label))
        self.phone.tap((left + right) / 2, (top + bottom) / 2)
        self.phone.advance(1)

    def reach(self, label: str) -> None:
        """Scrolls down until the label is seen, then taps it."""
        for _ in range(6):
            if self.sees(label):
                break
            self.phone.swipe(540, 1700, 540, 1000, 400)
        self.tap(label)

    def tap_id(self, resource_id: str) -> None:
        node = next(n for n in self.nodes() if n.get("resource-id", "").endswith(resource_id))
        left, top, right, bottom = self.bounds(node)
        self.phone.tap((left + right) / 2, (top + bottom) / 2)
        self.phone.advance(1)

    def hold(self, label: str) -> None:
        left, top, right, bottom = self.bounds(self.find(label))
        self.phone.long_press((left + right) / 2, (top + bottom) / 2, 800)

    def press_keys(self, names: str) -> None:
        """Taps the keys that are painted on the screen."""
        for name in names:
            self.press_key("space" if name == " " else name)

    def press_key(self, name: str) -> None:
        screen = self.phone.snapshot().screen
        keyboard = next(window for window in screen.windows if window.name == "keyboard")
        box = next(b for b in keyboard.root.walk() if b.view.on_click == ("key", name))
        area = box.bounds
        self.phone.tap((area.left + area.right) / 2, (area.top + area.bottom) / 2)
        self.phone.advance(1)

    @staticmethod
    def bounds(node: ET.Element) -> Bounds:
        left, top, right, bottom = (int(n) for n in re.findall(r"-?\d+", node.get("bounds", "")))
        return left, top, right, bottom

    def image(self) -> Image.Image:
        shot = self.phone.snapshot()
        return Image.frombytes("RGBA", (shot.width_px, shot.height_px), shot.paint())


@pytest.fixture
def phone() -> VirtualPhone:
    return VirtualPhone(Profile(locale="en"))


@pytest.fixture
def hand(phone: VirtualPhone) -> Hand:
    return Hand(phone)


@pytest.fixture
def make_hand() -> Callable[..., Hand]:
    def make(**profile: object) -> Hand:
        return Hand(VirtualPhone(Profile(**profile)))  # type: ignore[arg-type]

    return make

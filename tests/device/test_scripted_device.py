"""The scripted phone shows its frames, keeps its journal, and fails where it was told to."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from device.errors import AppNotFoundError, DeviceOfflineError, UnknownKeyError
from device.protocol import App, Device, InstalledApp
from device.scripted_device import Call, Frame, ScriptedDevice


def test_it_is_a_device_with_real_pictures() -> None:
    device: Device = ScriptedDevice(["one", "two"], size=(200, 300))
    shot = device.screenshot()
    with Image.open(io.BytesIO(shot.data)) as image:
        assert image.size == (shot.width_px, shot.height_px) == (200, 300)
    assert device.screenshot().data == shot.data


def test_each_input_shows_the_next_frame_and_looking_does_not() -> None:
    device = ScriptedDevice(["a", "b", "c"])
    pictures = [device.screenshot().data]
    device.foreground()
    device.ui_tree()
    for _ in range(3):
        device.tap(1, 2)
        pictures.append(device.screenshot().data)
    assert len(set(pictures)) == 3
    assert pictures[2] == pictures[3]


def test_planned_errors_strike_in_order_and_an_input_that_failed_changes_nothing() -> None:
    offline = DeviceOfflineError("gone; plug it in")
    device = ScriptedDevice(["a", "b"], errors={"tap": [None, offline]})
    device.tap(1, 1)
    with pytest.raises(DeviceOfflineError):
        device.tap(2, 2)
    device.tap(3, 3)
    assert device.frame == Frame("b")
    assert device.inputs() == [Call("tap", (1, 1)), Call("tap", (2, 2)), Call("tap", (3, 3))]


def test_the_journal_holds_what_it_was_told() -> None:
    apps = [InstalledApp("com.example.notes", ("Notes",))]
    device = ScriptedDevice(["", Frame(app=App("com.example.notes"))], installed=apps)
    assert device.resolve_app("notes") == "com.example.notes"
    assert device.open_app("com.example.notes") == App("com.example.notes")
    device.type_text("hi", submit=True)
    assert device.journal == [
        Call("resolve_app", ("notes",)),
        Call("open_app", ("com.example.notes",)),
        Call("type_text", ("hi",), {"clear": False, "submit": True}),
    ]


def test_it_refuses_what_a_phone_refuses() -> None:
    device = ScriptedDevice()
    with pytest.raises(AppNotFoundError):
        device.open_app("com.example.none")
    with pytest.raises(UnknownKeyError):
        device.press_key("NOPE")
    assert device.inputs() == []


def test_a_black_frame_is_black_and_says_why() -> None:
    shot = ScriptedDevice([Frame(black="asleep")]).screenshot()
    with Image.open(io.BytesIO(shot.data)) as image:
        assert image.convert("RGB").getbbox() is None
    assert shot.black == "asleep"

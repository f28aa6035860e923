"""One task in many dialects and on many screens: each tap hits what it means, over HTTP and adb.

The demo model looks at the pixels and answers in the dialect that the prompt asks for; the phone
itself says whether the task was done.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.adb_server import PrivateAdbServer
from device.apps import AliasTable
from device.discovery import connect, open_device
from device.protocol import UiNode
from device.transport import AdbServer
from device.ui_tree import label, parse_ui_tree
from device.virtual_phone.process import VirtualPhoneProcess
from parsers.action import Click
from parsers.base import ElementSpace
from parsers.registry import get_parser
from parsers.spaces import PixelSpace
from server.agent_loop import LoopOptions, run_task
from server.http.client import RemoteLocalServer
from server.prompts import ParserShelf

ROOT = Path(__file__).parents[2]
TASK = "打开设置，进入蓝牙，关闭蓝牙"
KINDS = ["AWAKE", "CLICK", "CLICK", "COMPLETE"]
DIALECTS = [
    ("step0920", None),
    ("ui_tars", "v1.5"),
    ("ui_tars", "doubao"),
    ("autoglm", None),
    ("qwen_mobile_use", "qwen2.5"),
    ("qwen_mobile_use", "qwen3"),
    ("gui_owl", "1.0"),
    ("mai_ui", None),
    ("ui_venus", "1.5"),
    ("element_dsl", None),
    ("m3a", None),
]
SIZES = [(1440, 3200), (800, 1280), (2400, 1080)]
SIZED = [("qwen_mobile_use", "qwen2.5"), ("autoglm", None), ("element_dsl", None)]


class WatchedPhone:
    """A phone whose taps are noted with what was under them; everything else is the phone's."""

    def __init__(self, device: Any, phone: VirtualPhoneProcess) -> None:
        self._device = device
        self._phone = phone
        self.tapped: list[str | None] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    def tap(self, x_px: float, y_px: float) -> None:
        node = node_under(self._phone.control.screen_xml(), x_px, y_px)
        self.tapped.append(None if node is None else label(node) or node.class_name)
        self._device.tap(x_px, y_px)


def node_under(xml: str, x_px: float, y_px: float) -> UiNode | None:
    """The innermost node at a place that reacts to a tap."""
    found = None
    for node in parse_ui_tree(xml).nodes():
        box = node.bounds
        inside = box.left <= x_px < box.right and box.top <= y_px < box.bottom
        if inside and (node.clickable or node.checkable):
            found = node
    return found


@pytest.fixture(scope="module")
def sized_phones(
    adb_server: PrivateAdbServer, phones: dict[str, VirtualPhoneProcess]
) -> Iterator[dict[tuple[int, int], VirtualPhoneProcess]]:
    """A phone of each size, connected by adb."""
    started = {size: VirtualPhoneProcess(size=size, locale="zh") for size in SIZES}
    try:
        for phone in started.values():
            connect(phone.serial, server=AdbServer(adb_server.address, autostart=False))
        yield {(1080, 2400): phones["zh"], **started}
    finally:
        for phone in started.values():
            phone.stop()


def do_task(
    phone: VirtualPhoneProcess,
    adb_server: PrivateAdbServer,
    client: RemoteLocalServer,
    dialect: str,
    variant: str | None,
    folder: Path,
) -> None:
    device = open_device(
        phone.serial,
        server=AdbServer(adb_server.address, autostart=False),
        aliases=AliasTable.load(ROOT / "configs" / "apps.yaml"),
        state_dir=folder,
    )
    phone.control.reset()
    before = phone.control.truth()["settings"]["global"]["bluetooth_on"]
    watched = WatchedPhone(device, phone)
    language = None if dialect == "m3a" else "zh"  # its prompt is English
    model = {"model_name": "localserver-demo", "variant": variant, "prompt_language": language}
    options = LoopOptions(
        task_type=dialect,
        model_config={name: value for name, value in model.items() if value},
        reset_environment=True,
        max_steps=8,
    )
    result = run_task(client, watched, TASK, options=options)  # type: ignore[arg-type]
    assert result.stop_reason == "TASK_COMPLETED_SUCCESSFULLY", (result.message, result.error)
    assert [step.action.action for step in result.steps] == KINDS
    assert {step.action.meta.dialect for step in result.steps} == {dialect}
    by_number = [isinstance(step.action, Click) and step.action.element for step in result.steps]
    is_numbered = isinstance(get_parser(dialect).space, ElementSpace)
    assert [bool(number) for number in by_number] == [False, is_numbered, is_numbered, False]
    assert watched.tapped[0] is not None and watched.tapped[0].startswith("蓝牙")
    assert watched.tapped[1] is not None and len(watched.tapped) == 2
    after = phone.control.truth()["settings"]["global"]["bluetooth_on"]
    assert (str(before), str(after)) == ("1", "0")


@pytest.mark.parametrize(("dialect", "variant"), DIALECTS)
def test_a_task_is_done_in_each_dialect(
    phones: dict[str, VirtualPhoneProcess],
    adb_server: PrivateAdbServer,
    client: RemoteLocalServer,
    dialect: str,
    variant: str | None,
    tmp_path: Path,
) -> None:
    do_task(phones["zh"], adb_server, client, dialect, variant, tmp_path)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(("dialect", "variant"), SIZED)
def test_every_tap_hits_its_element_on_every_screen(
    sized_phones: dict[tuple[int, int], VirtualPhoneProcess],
    adb_server: PrivateAdbServer,
    client: RemoteLocalServer,
    dialect: str,
    variant: str | None,
    size: tuple[int, int],
    tmp_path: Path,
) -> None:
    do_task(sized_phones[size], adb_server, client, dialect, variant, tmp_path)


def test_absolute_and_relative_dialects_are_both_among_them() -> None:
    shelf = ParserShelf(ROOT / "configs")
    for dialects in (DIALECTS, SIZED):
        spaces = [shelf.get(name, variant=variant).space for name, variant in dialects]
        assert {isinstance(space, PixelSpace) for space in spaces} == {True, False}

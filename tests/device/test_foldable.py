"""A foldable that is closed and opened while it is driven: its picture moves to the other panel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from device.adb_device import AdbDevice
from device.discovery import connect, open_device
from device.errors import BadPointError, ScreenTurnedError
from device.transport import AdbServer
from device.virtual_phone.process import VirtualPhoneProcess

OPEN, CLOSED = (1812, 2176), (904, 2316)


@pytest.fixture(scope="module")
def fold_process(private_adb: AdbServer) -> Iterator[VirtualPhoneProcess]:
    with VirtualPhoneProcess(personality="foldable") as process:
        connect(process.serial, server=private_adb)
        yield process


@pytest.fixture
def foldable(
    fold_process: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> Iterator[AdbDevice]:
    fold_process.control.reset()
    yield open_device(fold_process.serial, server=private_adb, state_dir=tmp_path)


def size(device: AdbDevice) -> tuple[int, int]:
    shot = device.screenshot()
    assert shot.black is None
    return shot.width_px, shot.height_px


def gestures(phone: VirtualPhoneProcess) -> list[str]:
    return [entry["text"] for entry in phone.control.journal(kind="gesture")]


def test_the_picture_follows_the_fold_in_both_directions(
    foldable: AdbDevice, fold_process: VirtualPhoneProcess
) -> None:
    sizes = [size(foldable)]
    for folded in (True, False, True):
        fold_process.control.set_state(folded=folded)
        sizes.append(size(foldable))
    assert sizes == [OPEN, CLOSED, OPEN, CLOSED]
    state = foldable.state()
    assert (state.width_px, state.height_px) == CLOSED


def test_a_tap_meant_for_the_other_panel_is_withheld(
    foldable: AdbDevice, fold_process: VirtualPhoneProcess
) -> None:
    fold_process.control.fault("folds_after_screenshot", times=1)
    assert size(foldable) == OPEN
    with pytest.raises(ScreenTurnedError, match="folded"):
        foldable.tap(1500, 1000)
    with pytest.raises(ScreenTurnedError):
        foldable.tap(400, 1000)  # on both panels, but another place on each
    assert gestures(fold_process) == []
    assert size(foldable) == CLOSED
    with pytest.raises(BadPointError):
        foldable.tap(1500, 1000)
    foldable.tap(400, 1000)
    assert gestures(fold_process) == ["tap 400 1000"]


def test_a_tree_after_the_fold_is_that_of_the_panel_in_use(
    foldable: AdbDevice, fold_process: VirtualPhoneProcess
) -> None:
    foldable.open_app("com.android.settings")
    fold_process.control.set_state(folded=True)
    tree = foldable.ui_tree()
    assert tree is not None and tree.root is not None
    assert tree.root.bounds.width_px == CLOSED[0]
    front = foldable.foreground()
    assert front is not None and front.package == "com.android.settings"

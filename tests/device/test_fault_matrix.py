"""Each fault of a phone, for each thing that is done with it: its outcome, no false success."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from device.adb_device import AdbDevice
from device.adb_server import PrivateAdbServer
from device.discovery import connect, open_device
from device.errors import DeviceError
from device.transport import AdbServer
from device.virtual_phone.faults import FAULTS
from device.virtual_phone.process import VirtualPhoneProcess

OPERATIONS: dict[str, Callable[[AdbDevice], object]] = {
    "screenshot": lambda device: device.screenshot().black or "ok",
    "tap": lambda device: device.tap(500, 700),
    "type": lambda device: device.type_text("hello w", clear=True).verified,
    "type_chinese": lambda device: device.type_text("你好", clear=True).verified,
    "open_app": lambda device: device.open_app("com.android.settings").package,
    "ui_tree": lambda device: "tree" if device.ui_tree() else None,
}
OPERATION_MAX_S = 15.0
STALLED_MAX_S = 45.0
HEALTHY: dict[str, object] = {
    "screenshot": "ok",
    "tap": None,
    "type": True,
    "type_chinese": True,
    "open_app": "com.android.settings",
    "ui_tree": "tree",
}
LOST = {"device.connection_lost", "device.not_found", "device.offline"}
# What differs from the healthy outcome: the value or the codes that are allowed instead.
OUTCOMES: dict[str, dict[str, set[object]]] = {
    "offline_mid_command": {name: set(LOST) for name in OPERATIONS},
    "service_refused": {name: {"device.service_refused"} for name in OPERATIONS},
    "slow_screencap": {},
    "truncated_screenshot": {"screenshot": {"device.screenshot"}},
    "display_warning": {},
    "screenshot_refused": {"screenshot": {"device.screenshot_refused"}},
    "secure_black": {"screenshot": {"secure_window", "unknown"}},
    "asleep": {
        "screenshot": {"asleep"},
        "type": {"device.text_not_typed"},
        "type_chinese": {"device.text_not_typed"},
        "open_app": {"device.app_not_started"},
    },
    # The helper keyboard needs no right to inject.
    "inject_denied": {"tap": {"device.input_blocked"}},
    # A tap that does nothing cannot be seen by the device layer; text that is missing can.
    "input_ignored": {"type": {"device.text_not_typed"}},
    "dump_no_idle": {"type": {None}, "type_chinese": {None}, "ui_tree": {None}},
    "dump_null_root": {"type": {None}, "type_chinese": {None}, "ui_tree": {"device.ui_tree"}},
    "dump_killed": {
        "type": {None},
        "type_chinese": {None},
        "ui_tree": {"device.automation_busy"},
    },
    "settings_denied": {"type_chinese": {"device.secure_settings_denied"}},
    "screenshot_crlf": {},
    "screenshot_refused_stdout": {"screenshot": {"device.screenshot_refused"}},
    # What is touched after a turn is withheld: see `test_adb_device.py`.
    "rotates_after_screenshot": {},
    "folds_after_screenshot": {},
    # A tap on the lock screen is a tap; what is typed or opened behind it is not done.
    "locked": {
        "type": {"device.text_not_typed"},
        "type_chinese": {"device.text_not_typed"},
        "open_app": {"device.app_not_started"},
    },
    "keyboard_gone": {"type_chinese": {"device.keyboard_missing", "device.text_not_typed"}},
    "app_slow": {},
    "app_crash": {"open_app": {"device.app_not_started"}},
    "app_anr": {
        "type": {"device.text_not_typed"},
        "type_chinese": {"device.text_not_typed"},
        "open_app": {"device.app_not_started"},
    },
    # The question about the app is in front: the caller is told so by its package.
    "permission_dialog": {"open_app": {"com.google.android.permissioncontroller"}},
    "late_ui": {},
    # The tree comes through the terminal where no file can be written.
    "disk_full": {},
    "unauthorized": {
        name: {"device.unauthorized", "device.service_refused", *LOST} for name in OPERATIONS
    },
}
NOT_IN_THE_MATRIX = {
    "stalled",  # it costs every deadline, so all operations wait at once: its own test below
    "adb_server_killed",  # it ends the server of all other tests: its own test below
}


def outcome(run: Callable[[], object]) -> object:
    try:
        return run()
    except DeviceError as error:
        return error.code


def open_again(phone: VirtualPhoneProcess, server: AdbServer, state_dir: Path) -> AdbDevice:
    """The phone may still be coming back from the fault before."""
    deadline = time.monotonic() + 10
    while True:
        try:
            return open_device(phone.serial, server=server, state_dir=state_dir)
        except DeviceError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def ready_to_type(phone: VirtualPhoneProcess, server: AdbServer, state_dir: Path) -> AdbDevice:
    phone.control.reset()
    device = open_again(phone, server, state_dir)
    device.open_app("com.android.notes")
    tree = device.ui_tree()
    assert tree is not None
    field = next(n for n in tree.nodes() if n.class_name.endswith("EditText"))
    device.tap(*field.bounds.center)
    return device


def typed_text(phone: VirtualPhoneProcess) -> str:
    fields: dict[str, Any] = phone.control.truth()["text_fields"]
    return "".join(fields.values())


@pytest.mark.parametrize("fault", OUTCOMES)
def test_a_fault_has_its_outcome_in_every_operation(
    fault: str, phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> None:
    found: dict[str, object] = {}
    for name, operation in OPERATIONS.items():
        device = ready_to_type(phone, private_adb, tmp_path)
        phone.control.fault(fault, times=None, delay_s=0.5)
        start = time.monotonic()
        found[name] = outcome(lambda run=operation, on=device: run(on))  # type: ignore[misc]
        assert time.monotonic() - start < OPERATION_MAX_S
        phone.control.clear_faults()
        if found[name] is True:
            assert typed_text(phone) == ("hello w" if name == "type" else "你好")
    allowed = {name: OUTCOMES[fault].get(name, {HEALTHY[name]}) for name in OPERATIONS}
    assert {n: v for n, v in found.items() if v not in allowed[n]} == {}
    open_again(phone, private_adb, tmp_path)


def test_every_fault_is_in_the_matrix() -> None:
    assert set(OUTCOMES) == set(FAULTS) - NOT_IN_THE_MATRIX


def test_on_a_stalled_phone_every_operation_ends_at_its_deadline(
    phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> None:
    ready_to_type(phone, private_adb, tmp_path)
    devices = {name: open_again(phone, private_adb, tmp_path) for name in OPERATIONS}
    phone.control.fault("stalled", times=None)
    start = time.monotonic()
    with ThreadPoolExecutor(len(OPERATIONS)) as pool:
        running = {
            name: pool.submit(outcome, lambda run=run, on=devices[name]: run(on))
            for name, run in OPERATIONS.items()
        }
        found = {name: future.result() for name, future in running.items()}
    assert time.monotonic() - start < STALLED_MAX_S
    phone.control.clear_faults()
    assert found == dict.fromkeys(OPERATIONS, "device.timeout")
    assert typed_text(phone) == ""
    assert open_again(phone, private_adb, tmp_path).screenshot().black is None


@pytest.mark.parametrize("name", OPERATIONS)
def test_after_a_killed_adb_server_the_phone_is_there_again(
    name: str, phone: VirtualPhoneProcess, tmp_path: Path
) -> None:
    """The server of this test is started again by whoever needs it next."""
    with PrivateAdbServer() as private:
        server = AdbServer(private.address, autostart=True)
        connect(phone.serial, server=server)
        try:
            device = ready_to_type(phone, server, tmp_path)
            phone.control.fault("adb_server_killed", times=1)
            start = time.monotonic()
            found = outcome(lambda: OPERATIONS[name](device))
            assert time.monotonic() - start < OPERATION_MAX_S
            phone.control.clear_faults()
            assert found in {HEALTHY[name], "device.text_not_typed", *LOST, "device.adb_server"}
            if found is True:
                assert typed_text(phone) == ("hello w" if name == "type" else "你好")
            assert device.screenshot().black is None
        finally:
            with contextlib.suppress(DeviceError):
                server.query("host:kill")


def test_passing_faults_never_end_in_a_false_success(
    phone: VirtualPhoneProcess, private_adb: AdbServer, tmp_path: Path
) -> None:
    """A third of all commands fail in one way or another; what is called typed, is typed."""
    claimed = 0
    for number in range(12):
        device = ready_to_type(phone, private_adb, tmp_path)
        for fault in ("offline_mid_command", "input_ignored", "dump_killed"):
            phone.control.fault(fault, times=None, probability=0.12)
        text = f"memo {number}" if number % 2 else f"第{number}条"
        result = outcome(lambda d=device, t=text: d.type_text(t, clear=True).verified)  # type: ignore[misc]
        phone.control.clear_faults()
        assert result in {True, False, None} | LOST | {"device.text_not_typed"}
        if result is True:
            claimed += 1
            assert typed_text(phone) == text
    assert claimed > 0
    open_again(phone, private_adb, tmp_path)

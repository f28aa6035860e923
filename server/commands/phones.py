"""Commands on phones, real and virtual: list them, examine them, make one."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from server.commands.common import EXIT_COULD_NOT_RUN, EXIT_NO, clear_errors, read_settings
from server.commands.terminal import (
    console,
    errors,
    inert,
    print_json,
    print_table,
)
from server.errors import ConfigError, ServerError
from server.settings import load_settings

if TYPE_CHECKING:
    from device.doctor import Finding


@clear_errors
def devices_command(*, config_dir: Path | None, as_json: bool) -> int:
    """List the phones with their names and tags; exit code 1 when none is ready."""
    from device.discovery import list_devices, not_ready_error
    from server.device_names import DeviceNames

    names = DeviceNames.load(load_settings(config_dir).config_dir)
    devices = names.label(list_devices())
    if as_json:
        print_json([asdict(info) for info in devices])
        return 0 if any(info.is_ready for info in devices) else EXIT_NO
    if not devices:
        console.print(
            "adb sees no phone: plug one in with USB debugging on, or start a virtual one with "
            "`localserver phone`; `localserver doctor` looks closer",
            soft_wrap=True,
        )
        return EXIT_NO
    print_table(
        ("SERIAL", "NAME", "TAGS", "STATE", "MODEL", "WHAT TO DO"),
        [
            (
                info.serial,
                info.name,
                ", ".join(info.tags),
                info.state,
                info.model,
                "" if info.is_ready else not_ready_error(info).message,
            )
            for info in devices
        ],
    )
    return 0 if any(info.is_ready for info in devices) else EXIT_NO


@clear_errors
def doctor_command(*, serial: str | None, config_dir: Path | None, as_json: bool) -> int:
    """Look at adb, the phones and the model; exit code 1 when something needed is missing."""
    from device.doctor import diagnose
    from server.model.preflight import check_models

    findings = [*diagnose(serial), *check_models(read_settings(config_dir, None))]
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            _print_finding(finding.ok, finding.optional, _title(finding), finding.remedy)
    missing = [finding for finding in findings if not finding.ok and not finding.optional]
    if not as_json:
        console.print()
        console.print(
            f"{len(missing)} thing(s) to mend" if missing else 'ready: localserver run "..."'
        )
    return EXIT_NO if missing else 0


@clear_errors
def phone_command(
    *,
    port: int,
    locale: Literal["zh", "en"],
    size: str | None,
    personality: str,
    vendor_switch: bool,
    faults: list[str],
    connect: bool,
) -> int:
    """Start a virtual phone and keep it until it is stopped."""
    from device.discovery import connect as connect_phone
    from device.virtual_phone.faults import FaultError, read_fault
    from device.virtual_phone.personalities import PERSONALITIES
    from device.virtual_phone.process import PhoneStartError, VirtualPhoneProcess

    if personality not in PERSONALITIES:
        raise ConfigError(
            f"no phone is called {personality}; use one of {', '.join(PERSONALITIES)}"
        )
    try:
        for fault in faults:
            read_fault(fault)
    except FaultError as error:
        raise ConfigError(f"--fault: {error}; docs/virtual-phone.md lists them") from error
    try:
        process = VirtualPhoneProcess(
            adb_port=port,
            size=_read_size(size) if size is not None else None,
            locale=locale,
            personality=personality,
            vendor_switch=vendor_switch,
            faults=faults,
        )
    except PhoneStartError as error:
        raise ServerError(f"{error}; mend that and start it again") from error
    with process as phone:
        console.print(f"virtual phone at {phone.serial}")
        if connect:
            connect_phone(phone.serial)
            console.print("connected to adb; try: localserver devices")
        else:
            console.print(f"connect it with: adb connect {phone.serial}")
        console.print(f"its state, for tests: http://127.0.0.1:{phone.control_port}/truth")
        console.print("Ctrl-C ends it")
        phone.wait()
    errors.print("the virtual phone has ended")
    return EXIT_COULD_NOT_RUN


def _read_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9]\d{2,3})[xX]([1-9]\d{2,3})", text)
    if match is None:
        raise ConfigError(f"--size {text} is no size of a screen; write it like 1080x2400")
    return int(match[1]), int(match[2])


def _print_finding(ok: bool, optional: bool, title: str, remedy: str) -> None:
    mark, style = ("ok", "green") if ok else (("note", "yellow") if optional else ("FIX", "red"))
    console.print(Text.assemble((f"{mark:>5}  ", style), inert(title)), soft_wrap=True)
    if remedy and not ok:
        console.print(Text(f"       -> {inert(remedy)}"), soft_wrap=True)


def _title(finding: Finding) -> str:
    where = f" [{finding.serial}]" if finding.serial else ""
    return f"{finding.check}{where}: {finding.message}"

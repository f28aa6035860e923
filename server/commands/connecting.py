"""Commands that bring phones nearer: connect, pair, disconnect, and the helper keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from server.commands.common import EXIT_NO, clear_errors
from server.commands.terminal import console, inert, print_json
from server.settings import load_settings

if TYPE_CHECKING:
    from device.adb_device import AdbDevice


@clear_errors
def connect_command(address: str, *, as_json: bool) -> int:
    """Connect a phone over the network and say how it is."""
    from device.discovery import connect
    from device.state import read_state
    from device.transport import Transport

    serial = connect(address)
    state = read_state(Transport(serial))
    if as_json:
        print_json({"serial": serial, "state": state.state, "model": state.model})
    else:
        model = f" ({state.manufacturer} {state.model})" if state.model else ""
        _say(f"connected: {serial}{model}, {state.state}")
    return 0 if state.state == "device" else EXIT_NO


@clear_errors
def pair_command(address: str, code: str) -> int:
    """Pair with a phone that shows a code; connecting comes after it, at another port."""
    from device.discovery import pair

    pair(address, code)
    host = address.rpartition(":")[0] or address
    _say(
        f"paired. Now connect, with the port of the page Wireless debugging itself: "
        f"localserver connect {host}:PORT"
    )
    return 0


@clear_errors
def disconnect_command(address: str) -> int:
    """Let a network phone go, with what was borrowed from it given back first."""
    from device.discovery import disconnect, list_devices, open_device
    from device.errors import DeviceError

    if any(info.serial == address and info.is_ready for info in list_devices()):
        try:
            open_device(address).restore()
        except DeviceError as error:
            _say(f"what was borrowed from the phone could not be given back: {error.message}")
    disconnect(address)
    _say(f"disconnected: {address}")
    return 0


@clear_errors
def keyboard_install_command(serial: str | None, *, yes: bool, config_dir: Path | None) -> int:
    """Install the helper keyboard, after saying what that does and asking."""
    from device.keyboard_install import find_keyboard_package, install_keyboard

    package = find_keyboard_package()
    device = _open(serial, config_dir)
    if (helper := device.keyboards.find_helper()) is not None:
        _say(f"nothing to do: {device.serial} has the helper keyboard {helper.ime_id}")
        return 0
    _say(package.describe(device.serial))
    if not yes and not _agrees():
        return EXIT_NO
    install_keyboard(device.transport, device.keyboards, package)
    _say(f"installed: {device.serial} can now be typed any text on")
    return 0


@clear_errors
def keyboard_remove_command(serial: str | None, *, yes: bool, config_dir: Path | None) -> int:
    """Remove the helper keyboards, after saying which and asking."""
    from device.keyboard_install import remove_keyboards

    device = _open(serial, config_dir)
    found = device.keyboards.installed_helpers()
    if not found:
        _say(f"nothing to do: {device.serial} has no helper keyboard")
        return 0
    names = ", ".join(keyboard.package for keyboard in found)
    _say(f"This removes {names} from {device.serial} and chooses your own keyboard again.")
    if not yes and not _agrees():
        return EXIT_NO
    remove_keyboards(device.transport, device.keyboards)
    _say(f"removed: {names}")
    return 0


def _open(serial: str | None, config_dir: Path | None) -> AdbDevice:
    from device.discovery import open_device
    from server.device_names import DeviceNames

    names = DeviceNames.load(load_settings(config_dir).config_dir)
    return open_device(names.serial_of(serial))


def _agrees() -> bool:
    """Ask the person; without one at the terminal the answer is no."""
    try:
        answer = console.input("Go on? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() in {"y", "yes"}:
        return True
    _say("nothing was changed; `--yes` goes on without asking")
    return False


def _say(text: str) -> None:
    console.print(Text(inert(text)), soft_wrap=True)

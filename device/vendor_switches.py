"""The developer options that vendors put before what adb may do, each by its own name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from device.errors import DeviceError, InputBlockedError, SecureSettingsDeniedError
from device.quoting import command
from device.transport import Transport


@dataclass(frozen=True, slots=True)
class VendorSwitch:
    """What to do on this vendor's phones, in words that follow a semicolon.

    Attributes:
        makers: `ro.product.manufacturer` and `ro.product.brand`, in small letters.
        input: To let adb tap and type.
        settings: To let adb change secure settings and choose keyboards.
    """

    makers: frozenset[str]
    input: str
    settings: str


_XIAOMI = (
    "switch on 'USB debugging (Security settings)' in the developer options (it asks for a Mi "
    "account and a SIM card), then restart the phone"
)
_OPPO = "switch on 'Disable permission monitoring' in the developer options, then restart the phone"
_VIVO = "switch on 'USB simulated click' in the developer options"
_HONOR = (
    "switch on 'Allow ADB debugging in charge only mode' and 'USB debugging' in the developer "
    "options"
)
SWITCHES = (
    VendorSwitch(frozenset({"xiaomi", "redmi", "poco", "blackshark"}), _XIAOMI, _XIAOMI),
    VendorSwitch(frozenset({"oppo", "realme", "oneplus"}), _OPPO, _OPPO),
    VendorSwitch(frozenset({"vivo", "iqoo"}), _VIVO, _VIVO),
    VendorSwitch(frozenset({"honor", "huawei"}), _HONOR, _HONOR),
)


def find_switch(maker: str) -> VendorSwitch | None:
    """The switches of a maker; None for those that need none."""
    return next((switch for switch in SWITCHES if maker.strip().lower() in switch.makers), None)


class VendorAdvice:
    """Puts the name of this phone's own switch into errors that it would have spared."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._maker: str | None = None

    @contextmanager
    def named(self) -> Iterator[None]:
        """Raise such an error anew with the one switch that this vendor has."""
        try:
            yield
        except (InputBlockedError, SecureSettingsDeniedError) as error:
            switch = find_switch(self._read_maker())
            if switch is None:
                raise
            is_input = isinstance(error, InputBlockedError)
            what = error.message.partition("; ")[0]
            remedy = switch.input if is_input else switch.settings
            details = {**error.details, "manufacturer": self._maker}
            raise type(error)(f"{what}; {remedy}.", **details) from error

    def _read_maker(self) -> str:
        if self._maker is None:
            try:
                run = self._transport.read(command("getprop", "ro.product.manufacturer"))
            except DeviceError:
                return ""
            self._maker = run.text.strip()
        return self._maker

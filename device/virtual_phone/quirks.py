"""What makers and Android versions do differently: the facts that the shell's commands go by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What a vendor may keep from adb: injecting input, writing secure and global settings (and
#: choosing keyboards), even listing the keyboards, installing apps.
Right = Literal["input", "secure_settings", "keyboards", "install"]


@dataclass(frozen=True, slots=True)
class AndroidUser:
    """One user of `pm list users`; `flags` is hexadecimal, as it is printed."""

    id: int
    name: str
    flags: str


@dataclass(frozen=True, slots=True)
class VendorSwitch:
    """A developer option that a new phone has switched off, and what adb is denied until then.

    Attributes:
        title: Its name in the phone's settings.
        denies: The rights that adb has not while it is off.
    """

    title: str
    denies: frozenset[Right]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel as SurfaceFlinger knows it.

    Attributes:
        surface_id: The 64-bit id that `screencap -d` takes.
        name: `displayName`.
        maker: `pnpId`.
        port: `port`.
        size_px: Its natural size; None for the size of the phone's screen.
    """

    surface_id: int = 4619827259835644672
    name: str = "EMU_display_0"
    maker: str = "GGL"
    port: int = 0
    size_px: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Quirks:
    """The peculiarities of one kind of phone.

    Attributes:
        physical_size_px: The panel's own size where the user chose another one: `wm size` prints
            both, and the profile's size, which is in force, as `Override`.
        physical_density: The same for `wm density`.
        panel: The panel in use.
        cover: A second panel of a foldable, dark while the phone is open. It comes first in every
            list, so that a screenshot without a display id shows it.
        users: All Android users.
        users_indented: `pm list users` puts a tab before each of them.
        closed_user: A user that the shell may not access: listing packages of all users fails.
        lists_before_denial: The listing prints the first half before it fails.
        vendor_switch: What adb is denied by default.
        keyguard_needs_swipe: `wm dismiss-keyguard` does nothing; a swipe up opens the lock screen.
        always_on_display: A phone that sleeps is `Dozing`.
        second_launcher: A component with a launcher entry beside its app's own, so that resolving
            that app gives Android's chooser.
        hardware_keys: Without them `monkey` refuses to run unless it is told `--pct-syskeys 0`.
        dump_noise: What `uiautomator` prints to standard error before it dumps.
    """

    physical_size_px: tuple[int, int] | None = None
    physical_density: int | None = None
    panel: Panel = Panel()
    cover: Panel | None = None
    users: tuple[AndroidUser, ...] = (AndroidUser(0, "Owner", "4c13"),)
    users_indented: bool = True
    closed_user: int | None = None
    lists_before_denial: bool = False
    vendor_switch: VendorSwitch | None = None
    keyguard_needs_swipe: bool = False
    always_on_display: bool = False
    second_launcher: str | None = None
    hardware_keys: bool = True
    dump_noise: str = ""

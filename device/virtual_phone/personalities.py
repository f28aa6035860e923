"""Kinds of phones by name: makers, Android versions and shapes, each with its peculiarities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from device.virtual_phone.profile import Profile
from device.virtual_phone.quirks import AndroidUser, Panel, Quirks, VendorSwitch

DEFAULT_PERSONALITY: Final = "pixel14"

_MIUI_DUMP_NOISE = (
    "java.io.FileNotFoundException: /data/system/theme_config/theme_compatibility.xml: open "
    "failed: ENOENT (No such file or directory)\n"
    "\tat libcore.io.IoBridge.open(IoBridge.java:574)\n"
)
_XIAOMI_SWITCH = VendorSwitch(
    "USB debugging (Security settings)", frozenset({"input", "secure_settings", "install"})
)


@dataclass(frozen=True, slots=True)
class Personality:
    """A kind of phone.

    Attributes:
        name: What `--personality` takes.
        summary: Phone and Android version, in a few words.
        traits: What is peculiar about it, in a few words.
        profile: Its facts; the language and the seed are chosen at the start.
    """

    name: str
    summary: str
    traits: str
    profile: Profile


class UnknownPersonalityError(ValueError):
    """There is no personality of that name."""


_ALL: Final = (
    Personality(
        "pixel14",
        "Google Pixel 8, Android 14",
        "as Android is without a vendor; stray brace in the focus lines",
        Profile(),
    ),
    Personality(
        "pixel16",
        "Google Pixel 9, Android 16",
        "orientation as Rotation90, newer SurfaceFlinger tokens, hint attributes in the tree",
        Profile(
            height_px=2424, sdk=36, release="16", model="Pixel 9", device="tokay",
            quirks=Quirks(panel=Panel(4619827677550801152, "Common Panel")),
        ),
    ),
    Personality(
        "xiaomi_hyperos",
        "Xiaomi 14, HyperOS on Android 14",
        "input and secure settings denied until the switch; dual-app user 999; noise in dumps",
        Profile(
            width_px=1200, height_px=2670, density=480, manufacturer="Xiaomi", brand="Xiaomi",
            model="23127PN0CC", device="houji",
            extra={"ro.mi.os.version.name": "OS1.0", "ro.mi.os.version.code": "1",
                   "ro.miui.ui.version.name": "V816", "ro.miui.ui.version.code": "816",
                   "persist.security.adbinput": "0"},
            quirks=Quirks(
                users=(AndroidUser(0, "Owner", "4c13"), AndroidUser(999, "XSpace", "801010")),
                vendor_switch=_XIAOMI_SWITCH,
                dump_noise=_MIUI_DUMP_NOISE,
            ),
        ),
    ),
    Personality(
        "xiaomi_miui",
        "Redmi Note 8 Pro, MIUI 12 on Android 10",
        "input denied with exit code 0; second space 10 cuts package lists short",
        Profile(
            height_px=2340, density=440, sdk=29, release="10", manufacturer="Xiaomi",
            brand="Redmi", model="Redmi Note 8 Pro", device="begonia",
            extra={"ro.miui.ui.version.name": "V125", "ro.miui.ui.version.code": "11",
                   "persist.security.adbinput": "0"},
            quirks=Quirks(
                users=(AndroidUser(0, "Owner", "13"), AndroidUser(10, "Second space", "10")),
                closed_user=10,
                lists_before_denial=True,
                vendor_switch=_XIAOMI_SWITCH,
                dump_noise=_MIUI_DUMP_NOISE,
            ),
        ),
    ),
    Personality(
        "samsung_oneui",
        "Samsung Galaxy S23 Ultra, One UI 6.1 on Android 14",
        "screen at a smaller override size; Secure Folder user 150 closed; dozes when off",
        Profile(
            width_px=1080, height_px=2316, density=450, manufacturer="samsung", brand="samsung",
            model="SM-S918B", device="dm3q",
            extra={"ro.build.version.oneui": "60101", "ro.product.locale": "en-GB"},
            quirks=Quirks(
                physical_size_px=(1440, 3088),
                physical_density=600,
                panel=Panel(4633128672291735939, "samsung lcd  ", "SAM", 131),
                users=(AndroidUser(0, "Owner", "4c13"),
                       AndroidUser(150, "Secure Folder", "10061010")),
                closed_user=150,
                always_on_display=True,
            ),
        ),
    ),
    Personality(
        "oppo_coloros",
        "OPPO Find X7, ColorOS 14 on Android 14",
        "input, secure settings and even `ime list` denied until the switch; multi-app user 999",
        Profile(
            width_px=1264, height_px=2780, density=480, manufacturer="OPPO", brand="OPPO",
            model="PHZ110", device="OP5D0DL1",
            extra={"ro.build.version.oplusrom": "V14.0.0", "ro.build.version.opporom": "V14.0.0"},
            quirks=Quirks(
                users=(AndroidUser(0, "Owner", "13"), AndroidUser(999, "Multi-App", "4000030")),
                users_indented=False,
                vendor_switch=VendorSwitch(
                    "Disable permission monitoring",
                    frozenset({"input", "secure_settings", "keyboards"}),
                ),
            ),
        ),
    ),
    Personality(
        "vivo",
        "vivo X100, OriginOS 4 on Android 14",
        "input denied until the switch; the lock screen needs a swipe; two launcher entries",
        Profile(
            width_px=1260, height_px=2800, density=480, manufacturer="vivo", brand="vivo",
            model="V2309A", device="PD2309",
            extra={"ro.vivo.os.name": "OriginOS", "ro.vivo.os.version": "4.0"},
            quirks=Quirks(
                vendor_switch=VendorSwitch("USB simulated click", frozenset({"input"})),
                keyguard_needs_swipe=True,
                second_launcher="com.example.shop/leakcanary.internal.activity.LeakLauncherActivity",
            ),
        ),
    ),
    Personality(
        "foldable",
        "Samsung Galaxy Z Fold5, open, Android 14",
        "two panels: without a display id a screenshot warns and shows the dark cover",
        Profile(
            width_px=1812, height_px=2176, density=420, manufacturer="samsung", brand="samsung",
            model="SM-F946B", device="q5q",
            extra={"ro.build.version.oneui": "60101"},
            quirks=Quirks(
                panel=Panel(4630946459000660612, "samsung lcd  ", "SAM", 132),
                cover=Panel(4630946441390561667, "samsung lcd  ", "SAM", 131, (904, 2316)),
            ),
        ),
    ),
    Personality(
        "landscape_tablet",
        "Google Pixel Tablet, Android 15",
        "wider than high when it is not turned; monkey refuses for want of keys",
        Profile(
            width_px=2560, height_px=1600, density=320, sdk=35, release="15",
            model="Pixel Tablet", device="tangorpro",
            extra={"ro.build.characteristics": "tablet,nosdcard"},
            quirks=Quirks(panel=Panel(4619827353912518656, "Common Panel"), hardware_keys=False),
        ),
    ),
    Personality(
        "android8",
        "Google Pixel, Android 8.1",
        "older shapes throughout; raw pictures with a short header; no key combinations",
        Profile(
            height_px=1920, sdk=27, release="8.1.0", model="Pixel", device="sailfish",
        ),
    ),
)  # fmt: skip

#: Every personality by name.
PERSONALITIES: Final[Mapping[str, Personality]] = MappingProxyType({p.name: p for p in _ALL})


def profile_of(name: str, **changes: object) -> Profile:
    """The profile of a personality.

    Args:
        name: A key of `PERSONALITIES`.
        changes: Fields of `Profile` to set otherwise; those that are None are left as they are.

    Raises:
        UnknownPersonalityError: With the names that there are.
        ValueError: A size or density that no screen has.
    """
    if name not in PERSONALITIES:
        known = ", ".join(PERSONALITIES)
        raise UnknownPersonalityError(f"unknown personality {name!r}: use one of {known}")
    wanted = {field: value for field, value in changes.items() if value is not None}
    return replace(PERSONALITIES[name].profile, personality=name, **wanted)  # type: ignore[arg-type]


def personality_table() -> str:
    """All personalities as lines of text: name, phone, traits."""
    width = max(map(len, PERSONALITIES))
    indent = " " * (width + 2)
    return "".join(f"{p.name:<{width}}  {p.summary}\n{indent}{p.traits}\n" for p in _ALL)

"""What a virtual phone is: its screen, Android version, maker and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from device.virtual_phone.quirks import Quirks

Locale = Literal["zh", "en"]

_NO_EXTRA: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Profile:
    """The fixed facts of one virtual phone.

    Attributes:
        width_px: Natural width of the screen.
        height_px: Natural height of the screen.
        density: Dots per inch as `wm density` prints it; 160 is 1 px per dp.
        sdk: Android API level.
        release: Android version as `ro.build.version.release`.
        manufacturer: `ro.product.manufacturer`.
        brand: `ro.product.brand`.
        model: `ro.product.model`.
        device: `ro.product.device`.
        serialno: `ro.serialno`.
        locale: Language of the screens.
        seed: Seed of everything random in the phone, so that runs repeat.
        extra: Further system properties, by name.
        personality: Name of the kind of phone in `personalities`.
        quirks: What its maker and version do differently.
        vendor_switch_on: The vendor's developer option of `quirks` is on at the start.
    """

    width_px: int = 1080
    height_px: int = 2400
    density: int = 420
    sdk: int = 34
    release: str = "14"
    manufacturer: str = "Google"
    brand: str = "google"
    model: str = "Pixel 8"
    device: str = "shiba"
    serialno: str = "VIRTUAL00001"
    locale: Locale = "zh"
    seed: int = 0
    extra: Mapping[str, str] = field(default_factory=lambda: _NO_EXTRA)
    personality: str = "pixel14"
    quirks: Quirks = field(default_factory=Quirks)
    vendor_switch_on: bool = False

    def __post_init__(self) -> None:
        """Refuses sizes that no screen has.

        Raises:
            ValueError: A side is outside 160..4096 px, or the density outside 72..800.
        """
        for name, side_px in (("width_px", self.width_px), ("height_px", self.height_px)):
            if not 160 <= side_px <= 4096:
                raise ValueError(f"{name} must be in 160..4096, not {side_px}")
        if not 72 <= self.density <= 800:
            raise ValueError(f"density must be in 72..800, not {self.density}")

    @property
    def language_tag(self) -> str:
        """BCP 47 tag of the locale, as `persist.sys.locale` prints it."""
        return "zh-CN" if self.locale == "zh" else "en-US"


def fold(profile: Profile) -> Profile:
    """The same phone on its other panel: a foldable closed, or open again.

    Logical display 0 moves to the other panel, as on real foldables; a phone with one panel stays
    as it is.
    """
    quirks = profile.quirks
    if quirks.cover is None or quirks.cover.size_px is None:
        return profile
    width_px, height_px = quirks.cover.size_px
    left = replace(quirks.panel, size_px=(profile.width_px, profile.height_px))
    entered = replace(quirks.cover, size_px=None)
    return replace(
        profile,
        width_px=width_px,
        height_px=height_px,
        quirks=replace(quirks, panel=entered, cover=left),
    )
